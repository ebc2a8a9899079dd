"""Where a body's names are looked up, and how other functions are called from it."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from notebook_udf.compile.bindings import value_of
from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.terms import KnownValue, NotCompiled, Term, Value

Function: TypeAlias = Callable[[types.FunctionType, tuple[Value, ...], tuple[str, ...]], Term]

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
    """

    function: types.FunctionType
    call: Function
    opened: Callable[..., tuple[FlowGraph, dict[str, Value]]]

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


def made_here(
    graph: FlowGraph, parameters: Sequence[str], operands: Sequence[Value]
) -> types.CodeType:
    """The code of a function that a function makes, of the operands by which it does.

    Raises
    ------
    NotCompiled
        If it has defaults, or a variable that both of them have may change until it is called.
    """
    *rest, code = operands
    if not isinstance(code, KnownValue) or not isinstance(code.value, types.CodeType):
        raise NotCompiled("a function here")
    names = rest[0].value if len(rest) == 1 and isinstance(rest[0], KnownValue) else ()
    if len(rest) > 1 or tuple(names) != code.value.co_freevars:
        raise NotCompiled("a function here, with defaults")
    if code.value.co_name not in _CALLED_AT_ONCE:
        changing = set(names) & set_again(graph, parameters)
        if changing:
            raise NotCompiled(f"{min(changing)}, which changes and which a function here shares")
    return code.value
