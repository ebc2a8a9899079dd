"""``accumulate`` read as sums: what a row adds to which slot of the accumulator, and when.

The bytecode, which is what would run, is followed with symbols in the place of values. Only a
straight line of ``accumulator[0] += value * weight`` and the like is understood, with tests
whether an argument is None; every branch becomes a path of its own. Anything else is not a sum.
A ``merge`` has to add slot to slot: one that does not has its own idea of what it is given.
Which sums give Python's answer for columns of given types is decided in ``from_sums``.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from types import FunctionType
from typing import Any, Literal

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
    function = _plain(method)
    if function is None or not slots:
        return None
    paths = list(_Reader(function).paths())
    if len(paths) > _MOST_PATHS:
        return None
    found: list[Addition] = []
    forbidden = "changed" if None in slots else "returned"
    for path in paths:
        if path is None or path.answer == forbidden:
            return None
        found += path.additions()
    return tuple(found) if all(each.slot in slots for each in found) else None


def _takes(method: Any) -> tuple[int, bool]:
    """How many arguments a method names beside the accumulator, and whether more may follow."""
    code = method.__func__.__code__
    return code.co_argcount - 2, bool(code.co_flags & inspect.CO_VARARGS)


def _plain(method: Any) -> FunctionType | None:
    """The function behind a method, if it is one of Python's and takes plain arguments."""
    function = getattr(method, "__func__", None)
    if not isinstance(function, FunctionType):
        return None
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & _UNUSUAL or code.co_argcount < 2:
        return None
    return None if function.__closure__ or function.__defaults__ else function


def _adds_up(merge: Any, slots: set[Slot]) -> bool:
    """Whether ``merge`` adds every slot of each accumulator to that of the first."""
    function = _plain(merge)
    if function is None or function.__code__.co_argcount != 3:
        return False
    paths = list(_Reader(function).paths())
    if len(paths) != 1 or paths[0] is None:
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
_MOST_STEPS = 200
_SILENT = frozenset({"RESUME", "NOP", "CACHE", "PRECALL", "EXTENDED_ARG", "NOT_TAKEN"})
# What ends a loop after its last turn.
_CLEANING = frozenset({"END_FOR", "POP_ITER", "POP_TOP"})
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
    """Where a path is, and what it holds."""

    place: int
    stack: list[Any]
    nulls: dict[int, bool]
    current: dict[Slot, _Total]
    accumulator: _Total
    other: str = ""
    after_loop: int = -1

    def forked(self, place: int, parameter: int, null: bool) -> _State:
        return replace(
            self,
            place=place,
            stack=list(self.stack),
            nulls={**self.nulls, parameter: null},
            current=dict(self.current),
        )


class _Reader:
    """Follows the bytecode of ``accumulate(self, accumulator, *arguments)``."""

    def __init__(self, function: FunctionType) -> None:
        code = function.__code__
        self._names = {name: place - 2 for place, name in enumerate(code.co_varnames)}
        self._count = code.co_argcount - 2
        self._code = [i for i in dis.get_instructions(code) if i.opname not in _SILENT]
        self._offsets = {i.offset: place for place, i in enumerate(self._code)}

    def paths(self) -> Iterator[_Path | None]:
        """Every way through; None for one that is not understood."""
        waiting = [_State(0, [], {}, {}, _Total(None))]
        steps = 0
        while waiting:
            state = waiting.pop()
            try:
                while True:
                    steps += 1
                    if steps > _MOST_STEPS:
                        raise _Strange
                    outcome = self._step(state)
                    if isinstance(outcome, _Path):
                        yield outcome
                        break
                    if outcome is not None:
                        waiting.append(outcome)
            except (_Strange, IndexError):
                yield None
                return

    def _step(self, state: _State) -> _Path | _State | None:
        """Does one instruction; answers the end of the path, or another path that begins."""
        instruction = self._code[state.place]
        state.place += 1
        name, value, stack = instruction.opname, instruction.argval, state.stack
        if name.startswith("LOAD_FAST") and "CLEAR" not in name:
            for each in value if isinstance(value, tuple) else (value,):
                stack.append(self._local(state, each))
        elif name == "STORE_FAST":
            self._store_local(state, value)
        elif name in ("LOAD_CONST", "LOAD_SMALL_INT"):
            stack.append(_constant(value))
        elif name == "COPY":
            stack.append(stack[-int(value)])
        elif name == "SWAP":
            stack[-1], stack[-int(value)] = stack[-int(value)], stack[-1]
        elif name == "BINARY_SUBSCR" or (name == "BINARY_OP" and instruction.argrepr == "[]"):
            index, container = stack.pop(), stack.pop()
            stack.append(_slot(state, container, _index(index)))
        elif name == "LOAD_ATTR" and isinstance(value, str) and "NULL" not in instruction.argrepr:
            stack.append(_slot(state, stack.pop(), value))
        elif name == "STORE_SUBSCR":
            index, container = stack.pop(), stack.pop()
            _store(state, container, _index(index), stack.pop())
        elif name == "STORE_ATTR":
            _store(state, stack.pop(), value, stack.pop())
        elif name == "BINARY_OP":
            right, left = stack.pop(), stack.pop()
            stack.append(_combined(instruction.argrepr.removesuffix("="), left, right))
        elif name == "UNARY_NEGATIVE":
            stack.append(Operation("-", (_expression(stack.pop()),)))
        elif name.startswith("POP_JUMP") and name.endswith("NONE"):
            return self._branch(state, instruction)
        elif name == "GET_ITER" and stack[-1:] == [Parameter(0)]:
            stack[-1] = _LOOP
        elif name == "FOR_ITER" and stack[-1] is _LOOP and state.after_loop < 0:
            state.after_loop = self._offsets[value]
            stack.append(_OTHER)
        elif name.startswith("JUMP_BACKWARD") and stack and stack.pop() is _LOOP:
            state.place = state.after_loop
            while self._code[state.place].opname in _CLEANING:
                state.place += 1
        elif name == "JUMP_FORWARD":
            state.place = self._offsets[value]
        elif name == "RETURN_CONST":
            return _ended(state, _constant(value))
        elif name == "RETURN_VALUE":
            return _ended(state, stack.pop())
        else:
            raise _Strange
        return None

    def _local(self, state: _State, name: str) -> Any:
        place = self._names.get(name, -2)
        if place == -1:
            return state.accumulator
        if state.other and name == state.other:
            return _OTHER
        if not 0 <= place < self._count:
            raise _Strange
        return Parameter(place)

    def _store_local(self, state: _State, name: str) -> None:
        value = state.stack.pop()
        if value is _OTHER and self._names.get(name, -2) >= self._count:
            state.other = name
            return
        if self._names.get(name) != -1 or not isinstance(value, _Total) or value.slot is not None:
            raise _Strange
        state.accumulator = value

    def _branch(self, state: _State, instruction: dis.Instruction) -> _State | None:
        tested = state.stack.pop()
        if not isinstance(tested, Parameter):
            raise _Strange
        jumps_if = not instruction.opname.endswith("NOT_NONE")
        target = self._offsets[instruction.argval]
        known = state.nulls.get(tested.place)
        if known is not None:
            state.place = target if known is jumps_if else state.place
            return None
        jumped = state.forked(target, tested.place, jumps_if)
        state.nulls[tested.place] = not jumps_if
        return jumped


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
    nulls, changed = tuple(sorted(state.nulls.items())), tuple(state.current.values())
    if value is _NONE and not state.accumulator.terms:
        return _Path(nulls, changed, "changed")
    if not isinstance(value, _Total) or value.slot is not None or (value.terms and changed):
        raise _Strange
    if value.terms:
        return _Path(nulls, (value,), "returned")
    return _Path(nulls, changed, "changed" if changed else "unchanged")
