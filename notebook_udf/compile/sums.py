"""``accumulate`` read as sums: what a row adds to which slot of the accumulator, and when.

The graph of the function is followed with symbols in the place of values. Only a straight line of
``accumulator[0] += value * weight`` and the like is understood, with tests whether an argument is
None; every branch becomes a path of its own. Anything else is not a sum.
A ``merge`` has to add slot to slot: one that does not has its own idea of what it is given.
Which sums give Python's answer for columns of given types is decided in ``from_sums``.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from operator import itemgetter
from types import CodeType, FunctionType
from typing import Any, Literal

from notebook_udf.compile.flow_graph import Evaluation, FlowGraph, Terminator, UnreadableCode
from notebook_udf.compile.symbolic import read_code
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import (
    Addition,
    Constant,
    Expression,
    Operation,
    Other,
    Parameter,
    Slot,
    Sums,
)


def read(definition: FunctionDefinition) -> Sums | None:
    """The sums an aggregate function is made of; None if it is anything else."""
    function = definition.function
    made = definition.fresh_accumulators()
    slots = {} if made is None else _slots(made[1][0])
    additions = _additions(function.accumulate, slots)
    if not additions:
        return None
    used = {each.slot for each in additions}
    if definition.mergeable and not _adds_up(function.merge, used):
        return None
    taken = _takes(function.accumulate)
    removals = _additions(function.retract, slots) if definition.retractable else None
    if removals is not None and _takes(function.retract) != taken:
        removals = None
    used |= {each.slot for each in removals or ()}
    return Sums(
        {slot: value for slot, value in slots.items() if slot in used},
        additions,
        removals,
        *taken,
    )


def _additions(method: Any, slots: dict[Slot, int | float]) -> tuple[Addition, ...] | None:
    """What a method adds to these slots; None if it does, or may do, anything else."""
    code = _plain(method)
    if code is None or not slots:
        return None
    return additions_in(read_code(code), code.co_varnames[: code.co_argcount], slots)


def additions_in(
    graph: FlowGraph | UnreadableCode, arguments: Sequence[str], slots: dict[Slot, int | float]
) -> tuple[Addition, ...] | None:
    """What a graph of ``accumulate`` or ``retract`` adds to slots; None if it is anything else.

    Parameters
    ----------
    arguments
        The names of its instance, the accumulator and the arguments of a call.
    slots
        The numbers of a fresh accumulator.
    """
    paths = _paths(graph, arguments)
    if paths is None or any(path.looped for path in paths):
        return None
    forbidden = "changed" if None in slots else "returned"
    if any(path.answer == forbidden for path in paths):
        return None
    found = tuple(each for path in paths for each in path.additions())
    return found if all(each.slot in slots for each in found) else None


def _takes(method: Any) -> tuple[int, bool]:
    """How many arguments a method names beside the accumulator, and whether more may follow."""
    code = method.__func__.__code__
    return code.co_argcount - 2, bool(code.co_flags & inspect.CO_VARARGS)


def _plain(method: Any) -> CodeType | None:
    """The code of a method, if it is one of Python's and takes plain arguments."""
    function = getattr(method, "__func__", None)
    if not isinstance(function, FunctionType):
        return None
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & _UNUSUAL or code.co_argcount < 2:
        return None
    return None if function.__closure__ or function.__defaults__ else code


def _adds_up(merge: Any, slots: set[Slot]) -> bool:
    """Whether ``merge`` adds every slot of each accumulator to that of the first."""
    code = _plain(merge)
    if code is None or code.co_argcount != 3:
        return False
    return adds_up(read_code(code), code.co_varnames[:3], slots)


def adds_up(graph: FlowGraph | UnreadableCode, arguments: Sequence[str], slots: set[Slot]) -> bool:
    """Whether a graph of ``merge`` adds these slots of each accumulator to those of the first."""
    paths = _paths(graph, arguments)
    if paths is None or len(paths) != 1:
        return False
    wanted = {_Total(slot, ((False, Other(slot)),)) for slot in slots}
    return wanted <= set(paths[0].totals) and all(
        total == _Total(total.slot, ((False, Other(total.slot)),)) for total in paths[0].totals
    )


_UNUSUAL = (
    inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)
_MOST_PATHS = 16
_MOST_STEPS = 400
_OPERATORS = frozenset("+-*/")


def _slots(fresh: Any) -> dict[Slot, int | float]:
    """The numbers of a fresh accumulator; none if changing it could do more than it seems."""
    found: dict[Any, Any] = {}
    if type(fresh) in (int, float):
        found = {None: fresh}
    elif type(fresh) is list or type(fresh) is Row:
        found = dict(enumerate(fresh))
        if type(fresh) is Row and fresh.names:
            found.update(zip(fresh.names, fresh, strict=True))
    elif is_dataclass(fresh) and type(fresh).__setattr__ is object.__setattr__:
        names = [each.name for each in fields(fresh)]
        found = {n: getattr(fresh, n) for n in names if not _computed(type(fresh), n)}
    return {slot: value for slot, value in found.items() if type(value) in (int, float)}


def _computed(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), property)


@dataclass(frozen=True)
class _Total:
    """A slot's value, after what was added to it on the way; slot None: the accumulator."""

    slot: Slot
    terms: tuple[tuple[bool, Expression], ...] = ()


_NONE = object()
# The loop over other accumulators, and the one it is at.
_LOOP, _OTHER = object(), object()


@dataclass(frozen=True)
class _Path:
    """One way through the code; how it answers says what kind of accumulator it is written for."""

    nulls: tuple[tuple[int, bool], ...]
    totals: tuple[_Total, ...]
    answer: Literal["changed", "returned", "unchanged"]
    looped: bool

    def additions(self) -> list[Addition]:
        return [
            Addition(total.slot, amount, negative, self.nulls)
            for total in self.totals
            for negative, amount in total.terms
        ]


class _Strange(Exception):
    """Code that is no sum."""


@dataclass
class _State:
    """Where a path is, and what it holds.

    ``other`` is the variable of the loop it is in; ``loop`` is the loop's block and the one behind
    it, once it has begun.
    """

    block: int
    before: int
    values: dict[Evaluation, Any]
    nulls: dict[int, bool]
    current: dict[Slot, _Total]
    accumulator: _Total
    other: str = ""
    loop: tuple[int, int] | None = None
    inside: bool = False

    def forked(self) -> _State:
        return replace(
            self, values=dict(self.values), nulls=dict(self.nulls), current=dict(self.current)
        )

    def go(self, target: int) -> None:
        """Goes on with a block; back at its loop's, with what stands behind it."""
        self.before = self.block
        if self.loop is not None and target == self.loop[0]:
            if not self.inside:
                raise _Strange
            self.inside, self.other, target = False, "", self.loop[1]
        self.block = target


def _paths(graph: FlowGraph | UnreadableCode, arguments: Sequence[str]) -> list[_Path] | None:
    """Every way through a graph; None if one is not understood, or there are too many."""
    if isinstance(graph, UnreadableCode) or graph.guarded:
        # Behind an error it would add something else.
        return None
    try:
        found = _Follower(graph, arguments).paths()
    except _Strange:
        return None
    return found if len(found) <= _MOST_PATHS else None


class _Follower:
    """Follows the graph of ``accumulate(self, accumulator, *arguments)``."""

    def __init__(self, graph: FlowGraph, arguments: Sequence[str]) -> None:
        self._graph = graph
        self._names = {name: place - 2 for place, name in enumerate(arguments)}
        self._steps = 0
        blocks = graph.blocks.values()
        self._used = {each for block in blocks for each in block.end.values}
        for block in blocks:
            self._used.update(operand for each in block.evaluations for operand in each.operands)

    def paths(self) -> list[_Path]:
        found: list[_Path] = []
        waiting = [_State(self._graph.entry, -1, {}, {}, {}, _Total(None))]
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
                return _combined(each.detail.removesuffix("="), left, right)
            case "unary", (operand,) if each.detail == "-":
                return Operation("-", (_expression(operand),))
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
        place = self._names.get(name, -2)
        if place == -1:
            return state.accumulator
        if state.other and name == state.other:
            return _OTHER
        if place < 0:
            raise _Strange
        return Parameter(place)

    def _store_local(self, state: _State, name: str, value: Any) -> None:
        if value is _OTHER and name not in self._names:
            state.other = name
            return
        if self._names.get(name) != -1 or not isinstance(value, _Total) or value.slot is not None:
            raise _Strange
        state.accumulator = value

    def _go_on(self, state: _State, end: Terminator) -> _State | None:
        """Goes on behind a block; answers another path that begins there."""
        if end.kind == "jump":
            state.go(end.targets[0])
        elif end.kind == "next":
            begins, behind = end.targets
            state.loop, state.inside = (state.block, behind), True
            state.before, state.block = state.block, begins
        elif end.kind == "branch" and end.test == "none":
            return self._branch(state, end)
        else:
            raise _Strange
        return None

    def _branch(self, state: _State, end: Terminator) -> _State | None:
        tested = _value(state, end.values[0])
        if not isinstance(tested, Parameter):
            raise _Strange
        known = state.nulls.get(tested.place)
        if known is not None:
            state.go(end.targets[0 if known else 1])
            return None
        other = state.forked()
        # In the order of the code, which is that of the sums.
        ways = sorted(zip(end.targets, (True, False), strict=True), key=itemgetter(0))
        for (target, null), path in zip(ways, (state, other), strict=True):
            path.nulls[tested.place] = null
            path.go(target)
        return other


def _value(state: _State, value: Evaluation) -> Any:
    """What an operand came to on this path."""
    if value.kind == "constant":
        return _constant(value.detail)
    return state.values[value]


def _constant(value: Any) -> Any:
    if value is None:
        return _NONE
    if type(value) not in (int, float):
        raise _Strange
    return Constant(value)


def _index(value: Any) -> int:
    if not isinstance(value, Constant) or not isinstance(value.value, int) or value.value < 0:
        raise _Strange
    return value.value


def _expression(value: Any) -> Expression:
    if value is _OTHER:
        return Other(None)
    if not isinstance(value, (Parameter, Constant, Other, Operation)):
        raise _Strange
    return value


def _slot(state: _State, container: Any, slot: Slot) -> _Total | Other:
    if container is _OTHER:
        return Other(slot)
    if container != _Total(None):
        raise _Strange
    return state.current.get(slot, _Total(slot))


def _store(state: _State, container: Any, slot: Slot, value: Any) -> None:
    if container != _Total(None) or not isinstance(value, _Total) or value.slot != slot:
        raise _Strange
    state.current[slot] = value


def _combined(operator: str, left: Any, right: Any) -> Any:
    if isinstance(left, _Total) and operator in ("+", "-"):
        return replace(left, terms=(*left.terms, (operator == "-", _expression(right))))
    if operator not in _OPERATORS:
        raise _Strange
    return Operation(operator, (_expression(left), _expression(right)))


def _ended(state: _State, value: Any) -> _Path:
    if state.inside:
        # The loop has not come to its end.
        raise _Strange
    looped = state.loop is not None
    nulls, changed = tuple(sorted(state.nulls.items())), tuple(state.current.values())
    if value is _NONE and not state.accumulator.terms:
        return _Path(nulls, changed, "changed", looped)
    if not isinstance(value, _Total) or value.slot is not None or (value.terms and changed):
        raise _Strange
    if value.terms:
        return _Path(nulls, (value,), "returned", looped)
    return _Path(nulls, changed, "changed" if changed else "unchanged", looped)
