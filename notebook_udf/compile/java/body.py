"""A function's blocks as statements of Java.

What kinds of values a variable has where ways meet is found by writing the body again until no
kinds are added; the last writing stands. Ways forward leave a labelled block, ways back go on with
a loop, as wherever a graph with jumps becomes a language without.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from notebook_udf.compile.flow_graph import BasicBlock, Evaluation, FlowGraph
from notebook_udf.compile.java.code import Code, Constants
from notebook_udf.compile.java.iteration import iterated
from notebook_udf.compile.java.numeric import truth
from notebook_udf.compile.java.operations import OPERATIONS, Run, is_none
from notebook_udf.compile.java.values import (
    Constant,
    Integers,
    Iteration,
    Kinds,
    NotCompiled,
    Parts,
    Term,
    Value,
)
from notebook_udf.compile.loops import loops_of

# Where the function is entered from.
_OUTSIDE = -1
_MOST_WRITINGS = 12
_RAISE = "throw Raised.RAISED;"


_Variables: TypeAlias = dict[str, Value]


@dataclass
class _Way:
    """A way from a block to another: variables, and values of its phis by their number."""

    variables: _Variables
    phis: dict[int, Value]


@dataclass
class _Written:
    """A block's statements, and how it ends: the ways that it may take, by their condition."""

    statements: list[str]
    test: str = ""
    steps: tuple[str, ...] = ()
    targets: tuple[int, ...] = ()
    returned: Value | None = None


@dataclass
class Body:
    """A function's body, for arguments of some kinds.

    Attributes
    ----------
    statements
        Of the whole body.
    returned
        The kinds of what it returns.
    """

    statements: list[str]
    returned: Kinds


def write(
    function: types.FunctionType,
    graph: FlowGraph,
    given: Mapping[str, Value],
    integers: Integers,
    constants: Constants,
    run: Run,
) -> Body:
    """Writes the body of a function.

    Raises
    ------
    NotCompiled
        If something of it has no Java.
    """
    ways: dict[int, dict[int, _Way]] = {}
    for _ in range(_MOST_WRITINGS):
        writer = _Writer(function, graph, given, Code(integers, constants), run, ways)
        writer.write()
        if not writer.changed:
            return writer.body()
        ways = writer.ways
    raise NotCompiled("variables whose kinds do not settle")


@dataclass
class _Writer:
    function: types.FunctionType
    graph: FlowGraph
    given: Mapping[str, Value]
    code: Code
    run: Run
    # By block, and by the one before it, as they were found the last time.
    before: dict[int, dict[int, _Way]]
    ways: dict[int, dict[int, _Way]] = field(default_factory=dict)
    changed: bool = False
    _values: dict[int, Value] = field(default_factory=dict)
    # What each block begins with.
    _entries: dict[int, _Way] = field(default_factory=dict)
    _blocks: dict[int, _Written] = field(default_factory=dict)
    # Of copies of variables: which variable of Java's each is a copy of.
    _origins: dict[str, str] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)

    def write(self) -> None:
        for key in self.graph.blocks:
            if key == self.graph.entry:
                self.ways[key] = {_OUTSIDE: _Way(dict(self.given), {})}
            arriving = {**self._from_behind(key), **self.ways.get(key, {})}
            if arriving:
                self._entries[key] = self._entered(key, arriving)
                self._block(key)
        for key in self._entries:
            if _kinds(self._entered(key, self.ways[key])) != _kinds(self._entries[key]):
                self.changed = True

    def _from_behind(self, key: int) -> dict[int, _Way]:
        """The ways back to a block, as the last writing found them."""
        done = set(self._blocks)
        return {k: way for k, way in self.before.get(key, {}).items() if k not in done}

    def _entered(self, key: int, ways: Mapping[int, _Way]) -> _Way:
        found = list(ways.values())
        loop = key in loops_of(self.graph)
        made = _Way({}, {})
        if len(found) == 1 and not loop:
            made.variables.update(found[0].variables)
        else:
            for name in found[0].variables:
                if all(name in way.variables for way in found):
                    values = [way.variables[name] for way in found]
                    together = self._merged(f"v_{name}", values, loop)
                    if together is not None:
                        made.variables[name] = together
        for number in found[0].phis:
            values = [way.phis[number] for way in found]
            phi = self._merged(f"p{key}_{number}", values, loop)
            if phi is None:
                raise NotCompiled("values that have nothing in common", self._line(key))
            made.phis[number] = phi
        return made

    def _line(self, key: int) -> int | None:
        lines = (each.line for each in self.graph.blocks[key].evaluations)
        return next((line for line in lines if line), None)

    def _merged(self, name: str, values: Sequence[Value], loop: bool) -> Value | None:
        """A variable that holds each of these; None if none can.

        Where a loop begins it is one of its own, since its next value is not known yet.
        """
        first = values[0]
        if all(_same(first, each) for each in values) and not (loop and isinstance(first, Term)):
            return first
        if all(isinstance(each, Parts) for each in values):
            parts: list[tuple[Value, ...]] = [v.parts for v in values if isinstance(v, Parts)]
            if len(set(map(len, parts))) != 1:
                return None
            each_part = [
                self._merged(f"{name}_{i}", column, loop)
                for i, column in enumerate(zip(*parts, strict=True))
            ]
            if None in each_part:
                return None
            return Parts(tuple(part for part in each_part if part is not None))
        try:
            kinds: Kinds = frozenset(k for each in values for k in self.code.term(each).kinds)
        except NotCompiled:
            return None
        held = self.code.integers.held(kinds)
        java = f"{name}_{held.rpartition('.')[2]}"
        self.code.variables[java] = held
        return Term(kinds, java)

    def _block(self, key: int) -> None:
        block, line = self.graph.blocks[key], None
        written = self._blocks[key] = _Written([])
        if block.end.kind == "raise":
            # Whatever is evaluated before can only raise as well.
            written.statements.append(_RAISE)
            return
        self.code.statements = written.statements
        entry = self._entries[key]
        variables = dict(entry.variables)
        try:
            for number, each in enumerate(block.evaluations):
                line = each.line or line
                self._values[id(each)] = (
                    entry.phis[number] if each.kind == "phi" else self._evaluated(variables, each)
                )
            self._end(key, block, variables, written)
        except NotCompiled as why:
            why.line = why.line or line
            raise

    def _end(self, key: int, block: BasicBlock, variables: _Variables, written: _Written) -> None:
        end = block.end
        if end.kind == "return":
            value = self._of(end.values[0])
            written.returned = value if isinstance(value, Parts) else self.code.term(value)
            return
        if end.kind == "jump":
            written.targets = end.targets
            self._go(key, end.targets[0], variables)
            return
        tested = self._of(end.values[0]) if end.kind == "branch" else None
        if tested is None:
            over = self._of(end.values[0].operands[0])
            assert isinstance(over, Iteration)
            found: str | bool = over.more
            written.steps = over.steps
        elif end.test == "true":
            found = truth(self.code, tested)
        else:
            found = is_none(self.code, tested)
        if isinstance(found, bool):
            written.targets = (end.targets[0 if found else 1],)
            self._go(key, written.targets[0], variables)
            return
        written.test, written.targets = found, end.targets
        holds, fails = end.targets
        present = self._without_none(variables, tested)
        self._go(key, holds, present if end.test == "true" else variables)
        self._go(key, fails, present if end.test == "none" else variables)

    def _without_none(self, variables: _Variables, tested: Value | None) -> _Variables:
        """The variables on the way on which a value is not None."""
        if not isinstance(tested, Term) or "none" not in tested.kinds:
            return variables
        origin = self._origins.get(tested.java, tested.java)
        narrow = self.code.integers.narrowed
        return {
            name: narrow(value, value.kinds - {"none"})
            if isinstance(value, Term) and value.java in (origin, tested.java)
            else value
            for name, value in variables.items()
        }

    def _go(self, key: int, target: int, variables: _Variables) -> None:
        phis = {}
        for number, each in enumerate(self.graph.blocks[target].evaluations):
            if each.kind == "phi":
                phis[number] = self._of(each.operands[each.detail.index(key)])
        self.ways.setdefault(target, {})[key] = _Way(variables, phis)

    def _of(self, evaluation: Evaluation) -> Value:
        if evaluation.kind == "constant":
            return Constant(evaluation.detail)
        if evaluation.kind == "part":
            whole = self._of(evaluation.operands[0])
            assert isinstance(whole, Parts)
            part: int = evaluation.detail
            return whole.parts[part]
        found = self._values.get(id(evaluation))
        if found is None:
            raise NotCompiled(f"{evaluation.kind} here", evaluation.line)
        return found

    def _evaluated(self, variables: _Variables, each: Evaluation) -> Value:
        kind, name = each.kind, each.detail
        if kind == "local":
            return self._read(variables, name)
        operands = [self._of(operand) for operand in each.operands]
        if kind == "store_local":
            variables[name] = operands[0]
            return operands[0]
        if kind == "iterator":
            return iterated(self.code, operands[0])
        if kind == "next":
            (over,) = operands
            if not isinstance(over, Iteration):
                raise NotCompiled("the next of this")
            return over.value
        if kind in ("global", "builtin", "cell"):
            return Constant(self._named(kind, name))
        evaluate = OPERATIONS.get(kind)
        if evaluate is None:
            raise NotCompiled(f"{kind.replace('_', ' ')} here")
        return evaluate(self.run, self.code, operands, name)

    def _read(self, variables: _Variables, name: str) -> Value:
        found = variables.get(name)
        if found is None:
            raise NotCompiled(f"{name}, which may have no value, or values of several types")
        if not isinstance(found, Term):
            return found
        # A copy: the variable may have another value where this one is used.
        copied = self.code.set(found.kinds, found.java)
        self._origins[copied.java] = found.java
        return copied

    def _named(self, kind: str, name: str) -> Any:
        function = self.function
        if kind == "cell":
            names = function.__code__.co_freevars
            if name not in names:
                raise NotCompiled(f"{name}, which inner functions share")
            return (function.__closure__ or ())[names.index(name)].cell_contents
        if kind == "global" and name in function.__globals__:
            return function.__globals__[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise NotCompiled(f"{name}, which is not defined") from None

    def body(self) -> Body:
        """What was written, put together."""
        returned: Kinds = frozenset()
        for each in self._blocks.values():
            if isinstance(each.returned, Parts):
                raise NotCompiled("a tuple as a result")
            if each.returned is not None:
                returned |= self.code.term(each.returned).kinds
        if not returned:
            raise NotCompiled("what raises in every row")
        lines: list[str] = []
        self._sequence([key for key in self.graph.blocks if key in self._blocks], lines, returned)
        return Body([*self.code.declared(), *lines], returned)

    def _sequence(self, keys: Sequence[int], lines: list[str], returned: Kinds) -> None:
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
        lines += [f"B{key}: {{" for key, _ in reversed(items[1:])]
        for number, (key, inside) in enumerate(items):
            if number:
                lines.append("}")
            if inside:
                self._open.add(key)
                lines.append(f"L{key}: while (true) {{")
                self._sequence(inside, lines, returned)
                lines.append("}")
                self._open.discard(key)
            else:
                self._one(key, lines, returned)

    def _one(self, key: int, lines: list[str], returned: Kinds) -> None:
        written = self._blocks[key]
        lines += written.statements
        if written.returned is not None:
            value = self.code.integers.converted(self.code.term(written.returned), returned)
            lines.append(f"return {value};")
        elif written.test:
            lines.append(f"if ({written.test}) {{")
            lines += [*written.steps, *self._jump(key, written.targets[0]), "} else {"]
            lines += [*self._jump(key, written.targets[1]), "}"]
        elif written.targets:
            lines += self._jump(key, written.targets[0])

    def _jump(self, key: int, target: int) -> list[str]:
        way, entry = self.ways[target][key], self._entries[target]
        lines: list[str] = []
        for name, wanted in entry.variables.items():
            self._assign(lines, wanted, way.variables[name])
        for number, wanted in entry.phis.items():
            self._assign(lines, wanted, way.phis[number])
        lines.append(f"continue L{target};" if target in self._open else f"break B{target};")
        return lines

    def _assign(self, lines: list[str], wanted: Value, value: Value) -> None:
        if isinstance(wanted, Parts) and isinstance(value, Parts):
            for one, other in zip(wanted.parts, value.parts, strict=True):
                self._assign(lines, one, other)
        elif isinstance(wanted, Term) and wanted is not value:
            java = self.code.integers.converted(self.code.term(value), wanted.kinds)
            if java != wanted.java:
                lines.append(f"{wanted.java} = {java};")


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, Constant) and isinstance(other, Constant):
        a, b = one.value, other.value
        if a is b:
            return True
        if type(a) is not type(b) or type(a) not in (int, str, bool):
            return False
        return bool(a == b)
    return one is other


def _kinds(entry: _Way) -> list[tuple[Any, Any]]:
    return [
        (name, _kind(value))
        for each in (entry.variables, entry.phis)
        for name, value in each.items()
    ]


def _kind(value: Value) -> Any:
    if isinstance(value, Term):
        return value.kinds
    if isinstance(value, Parts):
        return tuple(map(_kind, value.parts))
    if isinstance(value, Constant):
        return ("constant", type(value.value), value.value if isinstance(value.value, int) else 0)
    return type(value).__name__
