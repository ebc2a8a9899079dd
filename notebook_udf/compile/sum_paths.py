"""The ways through ``accumulate``, ``retract`` or ``merge``, and what each adds to which slot.

The graph of a function is followed with symbols in the place of values: ``accumulator[0] += value *
weight`` and the like is understood, variables for such values and tests of arguments; every branch
becomes a path of its own. What it adds up to is decided in ``compile.sums``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Literal

from notebook_udf.compile.flow_graph import Evaluation, FlowGraph, Terminator, UnreadableCode
from notebook_udf.functions.sum_ir import (
    Addition,
    ComparisonTest,
    Constant,
    Expression,
    Guard,
    Key,
    Operation,
    Other,
    Parameter,
    Risk,
    Slot,
    Test,
    TruthTest,
)

_MOST_PATHS = 16
_MOST_STEPS = 400
_OPERATORS = frozenset("+-*/")
_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


@dataclass(frozen=True)
class Total:
    """A slot's value, after what was added to it on the way; slot None: the accumulator."""

    slot: Slot
    terms: tuple[tuple[bool, Expression], ...] = ()


_NONE = object()
# The loop over other accumulators, and the one it is at.
_LOOP, _OTHER = object(), object()
# That one, or the accumulator itself, taken apart.
_OTHERS_PARTS, _OWN_PARTS = object(), object()
# What a variable holds that a loop may have changed.
_CARRIED = object()


@dataclass(frozen=True)
class _IsNone:
    """A test whether an argument is None."""

    place: int


@dataclass(frozen=True)
class _Not:
    """A test the other way round."""

    test: _IsNone | Test


@dataclass(frozen=True)
class SumPath:
    """One way through the code; how it answers says what kind of accumulator it is written for."""

    guard: Guard
    risks: tuple[Risk, ...]
    totals: tuple[Total, ...]
    answer: Literal["changed", "returned", "unchanged"]
    looped: bool

    def additions(self) -> list[Addition]:
        return [
            Addition(total.slot, amount, negative, self.guard)
            for total in self.totals
            for negative, amount in total.terms
        ]


class _Strange(Exception):
    """Code that is no sum."""


@dataclass
class _State:
    """Where a path is, and what it holds.

    ``loop`` is the block of the loop over other accumulators and the one behind it, once it has
    begun.
    """

    block: int
    before: int
    values: dict[Evaluation, Any]
    nulls: dict[int, bool]
    tests: dict[Test, bool]
    risks: dict[Risk, None]
    variables: dict[str, Any]
    current: dict[Slot, Total]
    accumulator: Total
    loop: tuple[int, int] | None = None
    inside: bool = False

    def forked(self) -> _State:
        return replace(
            self,
            values=dict(self.values),
            nulls=dict(self.nulls),
            tests=dict(self.tests),
            risks=dict(self.risks),
            variables=dict(self.variables),
            current=dict(self.current),
        )

    def guard(self) -> Guard:
        return Guard(tuple(sorted(self.nulls.items())), tuple(self.tests.items()))

    def computed(self, value: Expression | ComparisonTest) -> None:
        """Notes what may raise here."""
        if not isinstance(value, (Constant, Other)):
            self.risks[Risk(value, self.guard())] = None

    def forget_variables(self) -> None:
        """Called where a loop begins and where it ends: in between each turn changes them."""
        self.variables = dict.fromkeys(self.variables, _CARRIED)

    def go(self, target: int) -> None:
        """Goes on with a block; back at its loop's, with what stands behind it."""
        self.before = self.block
        if self.loop is not None and target == self.loop[0]:
            if not self.inside:
                raise _Strange
            self.forget_variables()
            self.inside, target = False, self.loop[1]
        self.block = target


def sum_paths(
    graph: FlowGraph | UnreadableCode, arguments: Sequence[str], width: int | None = None
) -> list[SumPath] | None:
    """Every way through a graph; None if one is not understood, or there are too many."""
    if isinstance(graph, UnreadableCode) or graph.guarded:
        # Behind an error it would add something else.
        return None
    try:
        found = _Follower(graph, arguments, width).paths()
    except _Strange:
        return None
    return found if len(found) <= _MOST_PATHS else None


class _Follower:
    """Follows the graph of ``accumulate(self, accumulator, *arguments)``."""

    def __init__(self, graph: FlowGraph, arguments: Sequence[str], width: int | None) -> None:
        self._graph = graph
        self._width = width
        self._names = {name: place - 2 for place, name in enumerate(arguments)}
        self._steps = 0
        blocks = graph.blocks.values()
        self._used = {each for block in blocks for each in block.end.values}
        for block in blocks:
            self._used.update(operand for each in block.evaluations for operand in each.operands)
        # Parts are no evaluations of their own.
        self._used.update(each.operands[0] for each in list(self._used) if each.kind == "part")

    def paths(self) -> list[SumPath]:
        found: list[SumPath] = []
        waiting = [_State(self._graph.entry, -1, {}, {}, {}, {}, {}, {}, Total(None))]
        while waiting:
            state = waiting.pop()
            while True:
                block = self._graph.blocks[state.block]
                self._steps += len(block.evaluations) + 1
                if self._steps > _MOST_STEPS:
                    raise _Strange
                for each in block.evaluations:
                    state.values[each] = self._evaluated(state, each)
                if block.end.kind == "return":
                    found.append(_ended(state, _value(state, block.end.values[0])))
                    break
                forked = self._go_on(state, block.end)
                waiting += [] if forked is None else [forked]
        return found

    def _evaluated(self, state: _State, each: Evaluation) -> Any:
        """What an evaluation comes to; None for one that stores."""
        if each not in self._used and not each.kind.startswith("store_"):
            # It is there for what it does besides, be it to raise.
            raise _Strange
        if each.kind == "phi":
            return _value(state, each.operands[each.detail.index(state.before)])
        operands = [_value(state, operand) for operand in each.operands]
        match each.kind, operands:
            case "local", _:
                return self._local(state, each.detail)
            case "item", (container, index):
                return _slot(state, container, _index(index))
            case "attribute", (owner,):
                return _slot(state, owner, each.detail)
            case "binary", (left, right):
                return _combined(state, each.detail.removesuffix("="), left, right)
            case "unary", (operand,) if each.detail == "-":
                return _noted(state, Operation("-", (_expression(operand),)))
            case "unary", (_IsNone() | ComparisonTest() | TruthTest() as test,) if (
                each.detail == "not"
            ):
                return _Not(test)
            case "unary", (Parameter(place),) if each.detail == "not":
                return _Not(TruthTest(place))
            case "compare", (Parameter(place), right) if right is _NONE:
                return _of_none(each.detail, place)
            case "compare", (left, right) if each.detail in _COMPARISONS:
                return _noted(
                    state, ComparisonTest(each.detail, _expression(left), _expression(right))
                )
            case "unpack", (whole,) if each.detail == self._width:
                return _apart(whole)
            case "iterator", (iterable,) if iterable == Parameter(0):
                return _LOOP
            case "next", (iterator,) if iterator is _LOOP and state.loop is None:
                return _OTHER
            case "store_local", (value,):
                return self._store_local(state, each.detail, value)
            case "store_item", (value, container, index):
                return _store(state, container, _index(index), value)
            case "store_attribute", (value, owner):
                return _store(state, owner, each.detail, value)
            case _:
                raise _Strange

    def _local(self, state: _State, name: str) -> Any:
        if name in state.variables:
            return state.variables[name]
        place = self._names.get(name, -2)
        if place == -1:
            return state.accumulator
        if place < 0:
            raise _Strange
        return Parameter(place)

    def _store_local(self, state: _State, name: str, value: Any) -> None:
        if self._names.get(name) != -1:
            state.variables[name] = value
        elif isinstance(value, Total) and value.slot is None:
            state.accumulator = value
        else:
            raise _Strange

    def _go_on(self, state: _State, end: Terminator) -> _State | None:
        """Goes on behind a block; answers another path that begins there."""
        if end.kind == "jump":
            state.go(end.targets[0])
        elif end.kind == "next":
            begins, behind = end.targets
            state.loop, state.inside = (state.block, behind), True
            state.forget_variables()
            state.before, state.block = state.block, begins
        elif end.kind == "branch":
            return self._branch(state, end)
        else:
            raise _Strange
        return None

    def _branch(self, state: _State, end: Terminator) -> _State | None:
        test, targets = _test(_value(state, end.values[0]), end.test), end.targets
        while isinstance(test, _Not):
            test, targets = test.test, targets[::-1]
        known = _known(state, test)
        if known is not None:
            state.go(targets[0 if known else 1])
            return None
        other = state.forked()
        # In the order of the code, which is that of the sums.
        ways = sorted(zip(targets, (True, False), strict=True), key=itemgetter(0))
        for (target, holds), path in zip(ways, (state, other), strict=True):
            if isinstance(test, _IsNone):
                path.nulls[test.place] = holds
            else:
                path.tests[test] = holds
            path.go(target)
        return other


def _value(state: _State, value: Evaluation) -> Any:
    """What an operand came to on this path."""
    if value.kind == "constant":
        return _constant(value.detail)
    if value.kind == "part":
        return _part(state, state.values[value.operands[0]], value.detail)
    return state.values[value]


def _apart(whole: Any) -> object:
    if whole is _OTHER:
        return _OTHERS_PARTS
    if whole == Total(None):
        return _OWN_PARTS
    raise _Strange


def _part(state: _State, parts: object, place: int) -> Total | Other:
    if parts is _OTHERS_PARTS:
        return Other(place)
    return _slot(state, Total(None), place)


def _of_none(operator: str, place: int) -> _IsNone | _Not:
    if operator not in ("is", "is not"):
        raise _Strange
    return _IsNone(place) if operator == "is" else _Not(_IsNone(place))


def _test(value: Any, asked: str) -> _IsNone | _Not | Test:
    """What a branch tests: whether its value is None, or whether it is true."""
    if isinstance(value, Parameter):
        return _IsNone(value.place) if asked == "none" else TruthTest(value.place)
    if asked == "none" or not isinstance(value, (_IsNone, _Not, ComparisonTest, TruthTest)):
        raise _Strange
    return value


def _known(state: _State, test: _IsNone | Test) -> bool | None:
    """How a test comes out that this path has made before."""
    if isinstance(test, _IsNone):
        return state.nulls.get(test.place)
    return state.tests.get(test)


def _constant(value: Any) -> Any:
    if value is None:
        return _NONE
    if type(value) is str:
        return Key(value)
    if type(value) not in (int, float):
        raise _Strange
    return Constant(value)


def _index(value: Any) -> int | Key:
    if isinstance(value, Key):
        return value
    if not isinstance(value, Constant) or not isinstance(value.value, int) or value.value < 0:
        raise _Strange
    return value.value


def _expression(value: Any) -> Expression:
    if value is _OTHER:
        return Other(None)
    if not isinstance(value, (Parameter, Constant, Other, Operation)):
        raise _Strange
    return value


def _slot(state: _State, container: Any, slot: Slot) -> Total | Other:
    if container is _OTHER:
        return Other(slot)
    if container != Total(None):
        raise _Strange
    return state.current.get(slot, Total(slot))


def _store(state: _State, container: Any, slot: Slot, value: Any) -> None:
    if container != Total(None) or not isinstance(value, Total) or value.slot != slot:
        raise _Strange
    state.current[slot] = value


def _combined(state: _State, operator: str, left: Any, right: Any) -> Any:
    if operator == "+" and isinstance(right, Total):
        # Python adds two numbers alike in both orders.
        left, right = right, left
    if isinstance(left, Total) and operator in ("+", "-"):
        amount = _expression(right)
        if isinstance(amount, Parameter):
            state.computed(amount)
        return replace(left, terms=(*left.terms, (operator == "-", amount)))
    if operator not in _OPERATORS:
        raise _Strange
    return _noted(state, Operation(operator, (_expression(left), _expression(right))))


def _noted(state: _State, value: Operation | ComparisonTest) -> Operation | ComparisonTest:
    state.computed(value)
    return value


def _ended(state: _State, value: Any) -> SumPath:
    if state.inside:
        # The loop has not come to its end.
        raise _Strange
    looped = state.loop is not None
    guard, risks, changed = state.guard(), tuple(state.risks), tuple(state.current.values())
    if value is _NONE and not state.accumulator.terms:
        return SumPath(guard, risks, changed, "changed", looped)
    if not isinstance(value, Total) or value.slot is not None or (value.terms and changed):
        raise _Strange
    if value.terms:
        return SumPath(guard, risks, (value,), "returned", looped)
    return SumPath(guard, risks, changed, "changed" if changed else "unchanged", looped)
