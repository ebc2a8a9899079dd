"""Where a body's names are looked up, and how other functions are called from it."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, TypeGuard

from notebook_udf.compile.bindings import value_of
from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.terms import (
    Generated,
    NotCompiled,
    Parts,
    Term,
    Undetermined,
    Value,
)

Function: TypeAlias = Callable[
    [types.FunctionType, tuple[Value, ...], tuple[str, ...]], Term | Undetermined
]

# What the function that a comprehension is goes through; it is asked for once.
OVER = ".0"
# Functions that are called where they are made, before anything changes.
_CALLED_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


@dataclass(frozen=True)
class NameScope:
    """Where a body's names are looked up, and what other functions are called by.

    Attributes
    ----------
    function
        The function that it belongs to.
    call
        Writes the call of a function of the user's.
    opened
        The graph and the variables of one that is written where it is called.
    record
        The variable of a record that nobody else has, and whose fields may be set; "" for none.
    is_called
        Whether another function of the class calls it.
    """

    function: types.FunctionType
    call: Function
    opened: Callable[..., tuple[FlowGraph, dict[str, Value]]]
    record: str = ""
    is_called: bool = False

    def named(self, kind: str, name: str) -> Any:
        """What a name that is no variable stands for."""
        try:
            return value_of(self.function, kind, name)
        except LookupError:
            why = "has no value yet" if kind == "cell" else "is not defined"
            raise NotCompiled(f"{name}, which {why}") from None


@lru_cache(maxsize=256)
def set_again(graph: FlowGraph, given: tuple[str, ...]) -> frozenset[str]:
    """The variables that are set more than once, which is once if they are given."""
    stores = Counter(given)
    for block in graph.blocks.values():
        stores.update(e.detail for e in block.evaluations if e.kind.startswith("store_"))
    return frozenset(name for name, count in stores.items() if count > 1)


@lru_cache(maxsize=256)
def saved_names(graph: FlowGraph) -> frozenset[str]:
    """The variables whose names comprehensions use: what these have in a handler is unknown."""
    every = (each for block in graph.blocks.values() for each in block.evaluations)
    return frozenset(each.detail for each in every if each.kind == "save_local")


@lru_cache(maxsize=256)
def cells(graph: FlowGraph) -> frozenset[str]:
    """The variables that functions which are made here may share."""
    every = (each for block in graph.blocks.values() for each in block.evaluations)
    return frozenset(each.detail for each in every if each.kind == "store_cell")


def shares_itself(graph: FlowGraph, code: types.CodeType) -> bool:
    """Whether a function that is made here shares a variable that has it alone, and no other."""
    every = [each for block in graph.blocks.values() for each in block.evaluations]
    stores = [e for e in every if e.kind == "store_cell" and e.detail in code.co_freevars]
    if len(code.co_freevars) != 1 or len(stores) != 1:
        return False
    made = stores[0].operands[0]
    while made.kind == "function_attribute":
        made = made.operands[-1]
    # One with a decorator is what that makes of it.
    return made.kind == "function" and made.operands[-1].is_constant(code)


def may_change(made: Value, graph: FlowGraph, scope: NameScope) -> TypeGuard[Parts]:
    """Whether it is a new object whose attributes may be set: by the function that makes it, by one
    that it knows, or by a method of the object's own."""
    if not isinstance(made, Parts) or made.form != "object":
        return False
    own = made.of is not None and named_parts.changes_itself(made.of)
    return own or _sets_attributes(graph, scope.record) or _knows_such(scope.function)


@lru_cache(maxsize=256)
def _sets_attributes(graph: FlowGraph, record: str) -> bool:
    """Whether a function sets attributes of an object other than its ``record``."""
    every = (each for block in graph.blocks.values() for each in block.evaluations)
    return any(
        each.kind == "store_attribute" and not (record and each.operands[1].is_local(record))
        for each in every
    )


def _knows_such(function: types.FunctionType) -> bool:
    """Whether functions that it names or makes, or such as these name, set attributes."""
    found, known = [function], {function}
    for each in found:
        code = each.__code__
        inner = [part for part in code.co_consts if isinstance(part, types.CodeType)]
        if any(map(named_parts.sets_attributes, inner)):
            return True
        named = [each.__globals__.get(name) for name in code.co_names]
        for other in (*named, *_held(each)):
            if isinstance(other, types.FunctionType) and other not in known:
                if named_parts.sets_attributes(other.__code__):
                    return True
                found.append(other)
                known.add(other)
    return False


def _held(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with suppress(ValueError):
            yield cell.cell_contents


def check_stored(kind: str, name: str, operands: Sequence[Value], shared: frozenset[str]) -> None:
    """Raises a ``NotCompiled`` for what Java has no variables for."""
    if kind == "store_cell" and name in shared:
        raise NotCompiled(f"{name}, which is set for another function")
    if kind in ("store_local", "store_cell") and isinstance(operands[0], Generated):
        raise NotCompiled("a generator in a variable")


def check_shared(graph: FlowGraph, parameters: Sequence[str], code: types.CodeType) -> None:
    """Refuses a variable that a function and one that it makes have, and that may change until that
    is called."""
    if code.co_name not in _CALLED_AT_ONCE:
        changing = set(code.co_freevars) & set_again(graph, parameters)
        if changing:
            raise NotCompiled(f"{min(changing)}, which changes and which a function here shares")
