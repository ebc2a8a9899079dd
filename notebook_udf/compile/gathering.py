"""``accumulate`` read as a gathering: which argument a row puts into which list or set, and when.

``accumulator.append(value)``, ``accumulator += [value]``, ``accumulator.seen.add(value)`` and the
like are understood, behind tests whether arguments are None. For which types of columns Spark
gathers what Python would is decided in ``aggregate_gathered``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from notebook_udf.compile.accumulating import plain_code, slots_of, takes
from notebook_udf.compile.flow_graph import Evaluation, FlowGraph, Terminator, UnreadableCode
from notebook_udf.compile.symbolic import read_code
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.gathering_ir import Gathered, GatheredValues
from notebook_udf.functions.sum_ir import Key, Slot

_MOST_STEPS = 64
# What puts one value into a list or a set: by a display of it, or ("") as it is.
_WAYS: dict[tuple[type, str], tuple[str, ...]] = {
    (list, "append"): ("",),
    (list, "extend"): ("list", "tuple", "set"),
    (list, "+="): ("list", "tuple", "set"),
    (set, "add"): ("",),
    (set, "update"): ("list", "tuple", "set"),
    (set, "|="): ("set",),
}


def read(definition: FunctionDefinition) -> GatheredValues | None:
    """What an aggregate function gathers; None if it does anything else."""
    accumulate = definition.function.accumulate
    code = plain_code(accumulate)
    # The function is copied for it.
    made = None if code is None else definition.fresh_accumulators()
    if code is None or made is None:
        return None
    found = gathered_in(read_code(code), code.co_varnames[: code.co_argcount], made[1][0])
    return None if found is None else GatheredValues(found, *takes(accumulate))


def gathered_in(
    graph: FlowGraph | UnreadableCode, arguments: Sequence[str], fresh: Any
) -> tuple[Gathered, ...] | None:
    """What a graph of ``accumulate`` gathers; None if it does anything else.

    Parameters
    ----------
    arguments
        The names of its instance, the accumulator and the arguments of a call.
    fresh
        A fresh accumulator: only what is empty in it gathers.
    """
    empty: dict[Slot, Any] = {
        slot: value
        for slot, value in {None: fresh, **slots_of(fresh)}.items()
        if type(value) in (list, set) and not value
    }
    if isinstance(graph, UnreadableCode) or graph.guarded or not empty:
        return None
    try:
        found = _Follower(graph, arguments, empty).found()
    except _Strange:
        return None
    if len({id(empty[slot]) for slot in found}) < len(found):
        # One list by two ways, of a ``Row`` by its position and its name: their order would count.
        return None
    return tuple(found.values()) or None


class _Strange(Exception):
    """Code that does more than gather."""


_NONE, _ACCUMULATOR = object(), object()


@dataclass(frozen=True)
class _Argument:
    """The argument of a position, or a display (``[value]``) of just that one."""

    place: int
    display: str = ""


@dataclass(frozen=True)
class _Collection:
    """A list or a set of the accumulator."""

    slot: Slot


@dataclass(frozen=True)
class _Method:
    """One of its methods."""

    slot: Slot
    name: str


@dataclass(frozen=True)
class _IsNone:
    """A test whether an argument is None, or whether it is not."""

    place: int
    holds: bool


@dataclass
class _Path:
    """One way through the code: where it is, what it holds, and what was tested on it."""

    block: int
    values: dict[Evaluation, Any] = field(default_factory=dict)
    variables: dict[str, Any] = field(default_factory=dict)
    nulls: dict[int, bool] = field(default_factory=dict)

    def forked(self, block: int) -> _Path:
        return _Path(block, dict(self.values), dict(self.variables), dict(self.nulls))


class _Follower:
    """Follows the graph of ``accumulate(self, accumulator, *arguments)``."""

    def __init__(self, graph: FlowGraph, arguments: Sequence[str], empty: dict[Slot, Any]) -> None:
        self._graph = graph
        self._empty = empty
        self._accumulator = _Collection(None) if None in empty else _ACCUMULATOR
        _, accumulator, *given = arguments
        self._named: dict[str, Any] = {name: _Argument(at) for at, name in enumerate(given)}
        self._named[accumulator] = self._accumulator
        self._found: dict[Slot, Gathered] = {}

    def found(self) -> dict[Slot, Gathered]:
        """What is gathered, by slot."""
        waiting = [_Path(self._graph.entry, variables=dict(self._named))]
        steps = 0
        while waiting:
            path = waiting.pop()
            block = self._graph.blocks[path.block]
            for each in block.evaluations:
                path.values[each] = self._evaluated(path, each)
            steps += 1
            if steps > _MOST_STEPS:
                raise _Strange
            waiting += self._behind(path, block.end)
        return self._found

    def _behind(self, path: _Path, end: Terminator) -> list[_Path]:
        """The ways on from the end of a block."""
        values = [_value(path, each) for each in end.values]
        if end.kind == "jump":
            return [path.forked(end.targets[0])]
        if end.kind == "return" and values[0] in (_NONE, self._accumulator):
            return []
        if end.kind != "branch":
            raise _Strange
        (test,) = values
        match end.test, test:
            case "none", _Argument(place, ""):
                test = _IsNone(place, holds=True)
            case "true", _IsNone():
                pass
            case _:
                raise _Strange
        ways = []
        for target, comes_out in zip(end.targets, (True, False), strict=True):
            is_none = comes_out == test.holds
            if path.nulls.get(test.place, is_none) == is_none:
                way = path.forked(target)
                way.nulls[test.place] = is_none
                ways.append(way)
        return ways

    def _evaluated(self, path: _Path, each: Evaluation) -> Any:
        """What an evaluation comes to; None for one that stores."""
        match each.kind, [_value(path, operand) for operand in each.operands]:
            case "local", _ if each.detail in path.variables:
                return path.variables[each.detail]
            case "store_local", (value,):
                path.variables[each.detail] = value
                return None
            case "item", (owner, index) if owner is _ACCUMULATOR:
                return self._part(index)
            case "attribute", (owner,) if owner is _ACCUMULATOR:
                return self._part(each.detail)
            case "attribute", (_Collection(slot),):
                return _Method(slot, each.detail)
            case "store_item", (_Collection() as value, owner, index) if owner is _ACCUMULATOR:
                return self._stored(value, index)
            case "store_attribute", (_Collection() as value, owner) if owner is _ACCUMULATOR:
                return self._stored(value, each.detail)
            case (("tuple" | "list" | "set"), (_Argument(place, ""),)):
                return _Argument(place, each.kind)
            case "call", (_Method(slot, name), _Argument() as given) if not each.detail:
                self._put(path, slot, name, given)
                return _NONE
            case "binary", (_Collection(slot) as changed, _Argument() as given):
                self._put(path, slot, each.detail, given)
                return changed
            case "compare", (_Argument(place, ""), other) if other is _NONE:
                if each.detail not in ("is", "is not"):
                    raise _Strange
                return _IsNone(place, each.detail == "is")
            case "unary", (_IsNone(place, holds),) if each.detail == "not":
                return _IsNone(place, not holds)
            case _:
                raise _Strange

    def _part(self, slot: Any) -> _Collection:
        if slot not in self._empty:
            raise _Strange
        return _Collection(slot)

    def _stored(self, value: _Collection, slot: Any) -> None:
        """What is stored where it was already, as ``+=`` does."""
        if value != self._part(slot):
            raise _Strange

    def _put(self, path: _Path, slot: Slot, how: str, given: _Argument) -> None:
        kind = type(self._empty[slot])
        if given.display not in _WAYS.get((kind, how), ()):
            raise _Strange
        put = Gathered(slot, kind is set, given.place, tuple(sorted(path.nulls.items())))
        if self._found.setdefault(slot, put) is not put:
            # By two ways, or twice by one.
            raise _Strange


def _value(path: _Path, value: Evaluation) -> Any:
    """What an operand came to on a path; a constant as what it names in an accumulator."""
    if value.kind != "constant":
        return path.values.get(value)
    constant = value.detail
    if constant is None:
        return _NONE
    if type(constant) is str:
        return Key(constant)
    if type(constant) is not int:
        raise _Strange
    return constant
