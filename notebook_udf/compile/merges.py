"""``merge`` tried with symbols in the place of numbers: whether it adds slot to slot.

It is called with accumulators whose slots are symbols, which can be added and nothing else: what
it has made then holds for any numbers. That is so of code alone whose ways depend on nothing but
how many accumulators there are and which slots they have: a loop, ``sum``, ``zip``, a
comprehension. Any other code is not called.
"""

from __future__ import annotations

import builtins
import copy
import dis
from collections import Counter
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType
from typing import Any

from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import Key, Slot

_COUNTS = (0, 1, 2, 3)
_BUILTINS = frozenset(("sum", "zip", "range", "len", "enumerate", "map", "list", "tuple"))
_METHODS = frozenset(("get", "items", "keys", "values"))
# Whatever chooses a way by a value, or does something besides.
_OTHER_WAYS = ("COMPARE_OP", "IS_OP", "CONTAINS_OP", "POP_JUMP", "JUMP_IF", "RAISE", "IMPORT")
_OTHER_ACTS = ("STORE_GLOBAL", "DELETE", "YIELD_FROM", "AWAIT", "SEND", "BUILD_STRING", "FORMAT")


class _Symbol:
    """A number that is not known, or a sum of such: how often each is in it."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, counts: Counter[Any]) -> None:
        self.counts = counts

    def __add__(self, other: Any) -> _Symbol:
        if isinstance(other, _Symbol):
            return _Symbol(self.counts + other.counts)
        # What ``sum`` begins with.
        if type(other) is int and other == 0:
            return self
        return NotImplemented

    __radd__ = __add__

    def __bool__(self) -> bool:
        raise TypeError("a symbol is neither true nor false")

    def __eq__(self, other: object) -> bool:
        raise TypeError("a symbol is equal to nothing that is known")


def adds_slot_to_slot(merge: Any, fresh: Any, slots: set[Slot]) -> bool:
    """Whether a method adds these slots of each accumulator to those of the first, in place.

    Parameters
    ----------
    merge
        ``merge(accumulator, accumulators)``, bound to a copy of its function that may be changed.
    fresh
        A new accumulator.
    """
    function = getattr(merge, "__func__", None)
    if not isinstance(function, FunctionType) or None in slots:
        return False
    names = {slot for slot in slots if isinstance(slot, str)} | _METHODS
    names |= set(fresh.names) if type(fresh) is Row else set()
    if not _depends_on_shape_alone(function, function.__code__, names):
        return False
    return all(_adds_up(merge, fresh, slots, count) for count in _COUNTS)


def _depends_on_shape_alone(function: FunctionType, code: CodeType, names: set[str]) -> bool:
    if function.__closure__ or function.__defaults__ or function.__kwdefaults__:
        return False
    for each in dis.get_instructions(code):
        if each.opname.startswith((*_OTHER_WAYS, *_OTHER_ACTS)):
            return False
        if each.opname in ("LOAD_GLOBAL", "LOAD_NAME") and not _is_known(function, each.argval):
            return False
        if each.opname in ("LOAD_ATTR", "STORE_ATTR", "LOAD_METHOD") and each.argval not in names:
            return False
    inner = (each for each in code.co_consts if isinstance(each, CodeType))
    return all(_depends_on_shape_alone(function, each, names) for each in inner)


def _is_known(function: FunctionType, name: str) -> bool:
    of_builtins = name in _BUILTINS and hasattr(builtins, name)
    return of_builtins and name not in function.__globals__


def _adds_up(merge: Any, fresh: Any, slots: set[Slot], count: int) -> bool:
    own, *others = (_with_symbols(fresh, slots, which) for which in range(count + 1))
    try:
        answer = merge(own, others)
    except Exception:
        # Symbols do not go through it.
        return False
    parts, before = _parts(own), _parts(fresh)
    if (answer is not None and answer is not own) or parts.keys() != before.keys():
        return False
    summed = {_place(fresh, slot) for slot in slots}
    return all(
        _counts(parts[place]) == {(place, which): 1 for which in range(count + 1)}
        if place in summed
        else _is_unchanged(parts[place], before[place])
        for place in parts
    )


def _is_unchanged(part: Any, before: Any) -> bool:
    return type(part) is type(before) and bool(part == before)


def _place(fresh: Any, slot: Slot) -> Any:
    """The position, the key or the name of a slot."""
    if isinstance(slot, Key):
        return slot.name
    return fresh.names.index(slot) if type(fresh) is Row and isinstance(slot, str) else slot


def _parts(accumulator: Any) -> dict[Any, Any]:
    """All of an accumulator, by place."""
    if type(accumulator) is dict:
        return accumulator
    if is_dataclass(accumulator):
        return {each.name: getattr(accumulator, each.name) for each in fields(accumulator)}
    return dict(enumerate(accumulator))


def _with_symbols(fresh: Any, slots: set[Slot], which: int) -> Any:
    made = copy.deepcopy(fresh)
    for place in {_place(fresh, slot) for slot in slots}:
        symbol = _Symbol(Counter({(place, which): 1}))
        if is_dataclass(made):
            setattr(made, place, symbol)
        else:
            made[place] = symbol
    return made


def _counts(part: Any) -> dict[Any, int]:
    return dict(part.counts) if isinstance(part, _Symbol) else {}
