"""Lists that the module ``heapq`` keeps as heaps; ``nlargest`` and ``nsmallest`` are sorting's."""

from __future__ import annotations

import heapq
from typing import Any

from notebook_udf.compile.java.collections import containers
from notebook_udf.compile.java.iterating import sorting
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
)

# By the function, whether it takes a value beside the heap.
_TAKES: dict[Any, bool] = {
    heapq.heappush: True,
    heapq.heappop: False,
    heapq.heapreplace: True,
    heapq.heappushpop: True,
    heapq.heapify: False,
}


def is_function(function: Any) -> bool:
    """Whether it is one of that module that changes a list."""
    return any(function is each for each in _TAKES)


def called(code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...]) -> Value:
    """The call of one of them."""
    name = function.__name__
    if names or len(given) != 1 + _TAKES[function]:
        raise NotCompiled(f"a call of {name} that does not fit it")
    whole = given[0]
    if isinstance(whole, Parts) and whole.is_list:
        # Written there: it has to be an object of Java's.
        code.lists.change_in_place()
    refusal = f"{name} of what is no list of its own"
    if not isinstance(whole, Term):
        raise NotCompiled(refusal)
    containers.check_own_list(code, whole, refusal)
    java = [whole.java]
    if _TAKES[function]:
        java.append(code.object(code.held_by(whole, given[1])))
    sorting.check_order(code, code.lists.of(whole.kinds), "values of a heap")
    call = f"PyHeap.{name}({', '.join(java)})"
    if function in (heapq.heappush, heapq.heapify):
        code.say(f"{call};")
        return KnownValue(None)
    return code.taken(whole, call)
