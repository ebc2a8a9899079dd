"""How many rows a table function gives for a row, by its code.

A Python worker hands rows on as they come: what gives any number of them is left to it. Only of
what is in memory beforehand there are so many as Java may hold at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from notebook_udf.compile.flow_graph import Evaluation, FlowGraph
from notebook_udf.compile.java.writing.terms import NotCompiled
from notebook_udf.compile.loops import loops_of

# They may give any number of values, whatever is in memory.
_LONG = frozenset(
    {"range", "repeat", "product"}
    | {"permutations", "combinations", "combinations_with_replacement"}
)
_MOST_AT_A_TIME = 3
_MOST_ROUNDS = 100_000
# They go through what they are given.
_THROUGH = ("enumerate", "reversed", "iter", "map", "filter", "sorted", "list", "tuple", "set")


def check(graph: FlowGraph) -> None:
    """Raises a ``NotCompiled`` where there may be any number of rows, whatever is in the row."""
    names = _Names(graph)
    for head, members in loops_of(graph).items():
        if _yields(graph, members):
            _check_loop(graph, head, names)
    evaluations = [each for block in graph.blocks.values() for each in block.evaluations]
    ways = {each.kind for each in evaluations if _gives(each)}
    if ways and "yield_from" not in ways:
        return
    # It may be what is handed on.
    for each in evaluations:
        if names.is_long(each):
            raise NotCompiled(f"a {_called(each)} of any length where rows are returned", each.line)


def _yields(graph: FlowGraph, keys: Iterable[int]) -> bool:
    return any(_gives(each) for key in keys for each in graph.blocks[key].evaluations)


def _gives(evaluation: Evaluation) -> bool:
    """Whether it may give rows: what is called may be ``output.collect``, under any name."""
    if evaluation.kind != "call":
        return evaluation.kind in ("yield", "yield_from")
    called = evaluation.operands[0]
    return called.kind == "local" or (called.kind == "attribute" and called.detail == "collect")


def _check_loop(graph: FlowGraph, head: int, names: _Names) -> None:
    end, line = graph.blocks[head].end, graph.blocks[head].line
    if end.kind != "next":
        raise NotCompiled("rows from a while loop, which may be any number", line)
    (iterator,) = end.values[0].operands
    if iterator.kind != "iterator" or not names.is_bounded(iterator.operands[0]):
        said = _called(iterator.operands[0]) if iterator.operands else ""
        raise NotCompiled(f"rows from a {said or 'loop'} of any length", iterator.line or line)


class _Names:
    """What variables of a function are set to."""

    def __init__(self, graph: FlowGraph) -> None:
        self._set: dict[str, list[Evaluation]] = {}
        for block in graph.blocks.values():
            for each in block.evaluations:
                if each.kind in ("store_local", "store_cell"):
                    self._set.setdefault(each.detail, []).append(each.operands[0])

    def is_bounded(self, over: Evaluation) -> bool:
        """Whether what a loop goes through is in memory, or no longer than what is."""
        return self._is_bounded(over, frozenset())

    def _is_bounded(self, over: Evaluation, seen: frozenset[str]) -> bool:
        if over.kind in ("local", "cell"):
            return self._all_set(over, seen, self._is_bounded, parameter=True)
        called = _called(over)
        if called in _LONG:
            return not self._is_long(over, seen)
        if called == "zip":
            return any(self._is_bounded(each, seen) for each in over.operands[1:])
        if called in _THROUGH:
            return all(self._is_bounded(each, seen) for each in over.operands[1:])
        return True

    def is_long(self, call: Evaluation) -> bool:
        """Whether it is a call of what may give any number of values."""
        return self._is_long(call, frozenset())

    def _is_long(self, call: Evaluation, seen: frozenset[str]) -> bool:
        called, given = _called(call), call.operands[1:]
        if called == "range":
            return not all(self._is_small(each, seen) for each in given)
        if called == "repeat":
            return len(given) != 2 or not self._is_small(given[1], seen)
        if called in ("permutations", "combinations", "combinations_with_replacement"):
            # Of so many at a time there are as many as loops within each other would give.
            few = len(given) == 2 and given[1].kind == "constant"
            return not few or given[1].detail not in range(_MOST_AT_A_TIME + 1)
        return called in _LONG and (called != "product" or "repeat" in (call.detail or ()))

    def _is_small(self, number: Evaluation, seen: frozenset[str]) -> bool:
        """Whether a number is about as large as the row's values are long, at most."""
        if number.kind == "constant":
            return not isinstance(number.detail, int) or abs(number.detail) <= _MOST_ROUNDS
        if number.kind in ("local", "cell"):
            return self._all_set(number, seen, self._is_small, parameter=False)
        small = [self._is_small(each, seen) for each in number.operands]
        if number.kind == "unary":
            return all(small)
        if number.kind == "binary" and number.detail in ("+", "-"):
            return all(small)
        if number.kind == "binary" and number.detail in ("//", "%"):
            return small[0] if number.detail == "//" else small[1]
        called = _called(number)
        if called == "min":
            return any(small[1:])
        return called == "len" or (called == "max" and all(small[1:]))

    def _all_set(
        self,
        read: Evaluation,
        seen: frozenset[str],
        holds: Callable[[Evaluation, frozenset[str]], bool],
        *,
        parameter: bool,
    ) -> bool:
        """Whether something holds of all that a variable is set to; ``parameter`` if to nothing."""
        name = read.detail
        if name in seen:
            return False
        values = self._set.get(name)
        if values is None:
            return parameter
        return all(holds(each, seen | {name}) for each in values)


def _called(evaluation: Evaluation) -> str:
    """The name of the builtin, or of the function of a module, that is called; "" for others."""
    if evaluation.kind != "call" or not evaluation.operands:
        return ""
    function = evaluation.operands[0]
    if function.kind == "attribute" and function.operands[0].kind == "global":
        return str(function.detail)
    return str(function.detail) if function.kind in ("builtin", "global") else ""
