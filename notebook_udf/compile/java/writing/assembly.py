"""Blocks put together as statements, as wherever a graph with jumps becomes a language without.

Each block stands behind the end of one that has its label, and every way to it leaves that one; a
way back goes on with a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    KnownValue,
    OneOf,
    Parts,
    Term,
    Value,
    constant_parts,
    displayed_parts,
)
from notebook_udf.compile.loops import loops_of

# Where a function is entered from.
OUTSIDE = -1
# After so many rounds, less one, a loop looks whether its task is to end.
_OFTEN = (1 << 20) - 1

Variables: TypeAlias = dict[str, Value]


@dataclass
class Edge:
    """A way from a block to another: variables, and values of its phis by their number."""

    variables: Variables
    phis: dict[int, Value]


@dataclass
class WrittenBlock:
    """A block's statements, and how it ends: the ways that it may take, by their condition.

    ``steps`` are taken on the first of the ways.
    """

    statements: list[str]
    test: str = ""
    steps: tuple[str, ...] = ()
    targets: tuple[int, ...] = ()
    returned: Value | None = None
    # Where it goes on when something of it raises, and the variable of what was raised.
    handler: tuple[int, str] | None = None


@dataclass
class Assembly:
    """Puts the blocks of a graph together.

    Attributes
    ----------
    label
        What labels begin with.
    entries
        What each block begins with.
    ways
        By block, and by the one before it.
    returns
        The statements that return a value.
    """

    graph: FlowGraph
    code: Code
    label: str
    blocks: Mapping[int, WrittenBlock]
    entries: Mapping[int, Edge]
    ways: Mapping[int, Mapping[int, Edge]]
    returns: Callable[[Value], list[str]]
    _open: set[int] = field(default_factory=set)

    def lines(self) -> list[str]:
        """All statements."""
        # Where the function begins with a loop, its arguments are variables of the loop's.
        entry = self.graph.entry
        made = self._assigned(self.ways[entry][OUTSIDE], self.entries[entry])
        self._sequence([key for key in self.graph.blocks if key in self.blocks], made)
        return made

    def _sequence(self, keys: Sequence[int], lines: list[str]) -> None:
        """Blocks one after the other; a way to a later one leaves the block that ends before it."""
        loops = loops_of(self.graph)
        items: list[tuple[int, list[int]]] = []
        done: set[int] = set()
        for key in keys:
            if key in done:
                continue
            opens = key in loops and key not in self._open
            inside = [k for k in keys if k in loops[key]] if opens else []
            items.append((key, inside))
            done |= {key, *inside}
        lines += [f"{self.label}B{key}: {{" for key, _ in reversed(items[1:])]
        for number, (key, inside) in enumerate(items):
            if number:
                lines.append("}")
            if inside:
                self._open.add(key)
                lines.append(f"{self.label}L{key}: while (true) {{")
                self._sequence(inside, lines)
                lines.append("}")
                self._open.discard(key)
            else:
                self._one(key, lines)

    def _one(self, key: int, lines: list[str]) -> None:
        written = self.blocks[key]
        if written.handler is not None:
            self._guarded(key, written.handler, lines)
            return
        self._unguarded(key, lines)

    def _guarded(self, key: int, handler: tuple[int, str], lines: list[str]) -> None:
        target, variable = handler
        lines.append("try {")
        self._unguarded(key, lines)
        lines += ["} catch (Raised raised) {", f"{variable} = raised;"]
        lines += [*self._jump(key, target), "}"]

    def _unguarded(self, key: int, lines: list[str]) -> None:
        written = self.blocks[key]
        lines += written.statements
        if written.returned is not None:
            lines += self.returns(written.returned)
        elif written.test:
            lines.append(f"if ({written.test}) {{")
            lines += [*written.steps, *self._jump(key, written.targets[0]), "} else {"]
            lines += [*self._jump(key, written.targets[1]), "}"]
        elif written.targets:
            lines += self._jump(key, written.targets[0])

    def _assigned(self, way: Edge, entry: Edge) -> list[str]:
        """The statements that set what a block begins with."""
        lines: list[str] = []
        for name, wanted in entry.variables.items():
            assign(self.code, lines, wanted, way.variables[name])
        for number, wanted in entry.phis.items():
            assign(self.code, lines, wanted, way.phis[number])
        return lines

    def _rounds(self) -> str:
        """The variable that counts the rounds of loops."""
        self.code.variables["rounds"] = "int"
        return "rounds"

    def _jump(self, key: int, target: int) -> list[str]:
        lines = self._assigned(self.ways[target][key], self.entries[target])
        if target in self._open:
            lines += [f"if ((++{self._rounds()} & {_OFTEN}) == 0) PyTask.goOn();"]
            lines += [f"continue {self.label}L{target};"]
        else:
            lines.append(f"break {self.label}B{target};")
        return lines


def assign(code: Code, lines: list[str], wanted: Value, value: Value) -> None:
    """Adds the statements by which variables of Java's get a value."""
    if isinstance(wanted, Parts) and isinstance(value := constant_parts(value), Parts):
        for one, other in zip(wanted.parts, value.parts, strict=True):
            assign(code, lines, one, other)
    elif isinstance(wanted, OneOf) and wanted is not value:
        java = _place_among(code, wanted.of, value)
        if java != wanted.place.java:
            lines.append(f"{wanted.place.java} = {java};")
    elif isinstance(wanted, Term) and wanted is not value:
        value = displayed_parts(value)
        if isinstance(value, Parts):
            place = f"{code.name}.{wanted.java.rpartition('_')[0]}"
            said, value = code.captured(partial(code.kept, value, place))
            lines += said
        java = code.integers.converted(code.term(value), wanted.kinds)
        if java != wanted.java:
            lines.append(f"{wanted.java} = {java};")


def _place_among(code: Code, constants: Sequence[Any], value: Value) -> str:
    """Where among some constants the one is that a value is."""

    def place_of(known: Any) -> str:
        # One that is not among them yet is when the body is written again.
        at = known_at.get(choices.identity_of(known), 0)
        return code.integers.literal(at).java

    known_at = {choices.identity_of(each): at for at, each in enumerate(constants)}

    if isinstance(value, KnownValue):
        return place_of(value.value)
    assert isinstance(value, OneOf)
    if [*map(choices.identity_of, value.of)] == [*known_at]:
        return value.place.java
    place, java = code.integers.as_place(value.place), place_of(value.of[-1])
    for at, known in enumerate(value.of[:-1]):
        java = f"{place} == {at}L ? {place_of(known)} : ({java})"
    return java
