"""Where a body's names are looked up, and how other functions are called from it."""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from notebook_udf.compile.bindings import value_of
from notebook_udf.compile.flow_graph import FlowGraph
from notebook_udf.compile.java.terms import NotCompiled, Term, Value

Function: TypeAlias = Callable[[types.FunctionType, tuple[Value, ...], tuple[str, ...]], Term]


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
