"""Accumulators of window frames that are sums, computed as running sums in numpy.

The additions are Python's own: each slot's amounts stand in the order in which ``accumulate`` and
``retract`` would have been called, and are added one to another from the first to the last. Where
Python would raise, or count further than 64 bits, there is no answer here and ``sliding_frame``
steps through the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise, repeat
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DataType, DoubleType, LongType

from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import (
    Addition,
    Constant,
    Expression,
    Guard,
    Key,
    Operation,
    Parameter,
    Risk,
    Slot,
    Sums,
    divisor,
    slot_type,
    without_none,
)
from notebook_udf.worker.codec.arrays import Mask, Places

_Numbers: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

# Below this a whole number is a double exactly, and what is divided is what Python divides.
_EXACT = 1 << 53
_LONG = 1 << 63
# To begin again costs as much as stepping through this many rows.
_FEWEST = 64


class RunningSums:
    """The amounts that the rows of a bundle add to the slots of one function's accumulator."""

    def __init__(self, slots: dict[Slot, _Amounts], create: Callable[[], Any]) -> None:
        self._slots = slots
        self._create = create
        self._removes = all(amounts.removed is not None for amounts in slots.values())

    @classmethod
    def of(
        cls,
        sums: Sums,
        columns: Sequence[pa.Array],
        size: int,
        skipped: Sequence[bool] | None,
        create: Callable[[], Any],
        declared: DataType | None = None,
    ) -> RunningSums | None:
        """The amounts of a bundle's rows; None where numpy's sums could differ from Python's, or
        where the accumulator's declared type may not hold them.

        ``columns`` are the function's arguments, of ``size`` rows; ``skipped`` says which rows do
        not meet its condition; ``create`` makes a fresh accumulator.
        """
        fits = sums.parameters == len(columns)
        if not fits and not (sums.variadic and sums.parameters < len(columns)):
            return None
        fresh = create()
        if type(fresh) is Row and len({type(slot) for slot in sums.fresh}) > 1:
            # One place by two names.
            return None
        rows = _Rows(columns, size, skipped)
        try:
            with np.errstate(all="ignore"):
                rows.refuse((*sums.risks, *sums.removal_risks))
                slots = {slot: rows.amounts(sums, slot, _slot(fresh, slot)) for slot in sums.fresh}
        except _Unlike:
            return None
        if declared is not None and not all(
            amounts.fit(slot_type(declared, slot)) for slot, amounts in slots.items()
        ):
            return None
        return cls(slots, create)

    def accumulators(
        self, first: int, low: Places, high: Places
    ) -> Callable[[], Iterator[Any]] | None:
        """Makes each frame's accumulator; None where frames go back, or it is not worth it.

        ``first`` is the row of the bundle in which the window partition begins; ``low`` and
        ``high`` are its frames.
        """
        if np.any(np.diff(low) < 0) or np.any(np.diff(high) < 0):
            return None
        # A frame that has lost all its rows begins again.
        again = np.flatnonzero((low[1:] > low[:-1]) & (low[1:] >= high[:-1])) + 1
        starts = [0, *again.tolist()]
        if len(starts) * _FEWEST > len(low) + high[-1] - low[0]:
            return None
        runs = [
            _Run.of(first, low[start:end], high[start:end])
            for start, end in pairwise([*starts, len(low)])
        ]
        if not self._removes and any(run.leaving.stop > run.leaving.start for run in runs):
            return None
        with np.errstate(all="ignore"):
            totals = [self._totals(run) for run in runs]
        return lambda: chain.from_iterable(map(self._made, totals))

    def _totals(self, run: _Run) -> dict[Slot, list[Any]]:
        return {slot: amounts.totals(run) for slot, amounts in self._slots.items()}

    def _made(self, totals: dict[Slot, list[Any]]) -> Iterator[Any]:
        """Accumulators with these numbers in their slots, one after the other."""
        if None in totals:
            return iter(totals[None])
        fresh = self._create()
        if type(fresh) is list:
            count = len(next(iter(totals.values())))
            parts = [totals.get(at) or repeat(value, count) for at, value in enumerate(fresh)]
            # A list at a time: so many at once would be gone through by the garbage collector.
            return map(list, zip(*parts, strict=False))
        return self._filled(totals)

    def _filled(self, totals: dict[Slot, list[Any]]) -> Iterator[Any]:
        for values in zip(*totals.values(), strict=True):
            accumulator = self._create()
            for slot, value in zip(totals, values, strict=True):
                if isinstance(slot, (int, Key)):
                    accumulator[slot.name if isinstance(slot, Key) else slot] = value
                else:
                    setattr(accumulator, str(slot), value)
            yield accumulator


class _Unlike(Exception):
    """Numpy could give another answer than Python, or Python would raise."""


def _slot(accumulator: Any, slot: Slot) -> int | float:
    if slot is None:
        value = accumulator
    elif isinstance(slot, str):
        value = getattr(accumulator, slot)
    else:
        value = accumulator[slot.name if isinstance(slot, Key) else slot]
    if type(value) not in (int, float):
        raise _Unlike
    number: int | float = value
    if isinstance(number, int):
        _bounded(abs(number))
    return number


# In which order rows enter and leave ----------------------------------------------------------


@dataclass(frozen=True)
class _Run:
    """Consecutive frames, none of which begins again.

    Attributes
    ----------
    entering, leaving
        Rows of the bundle that are accumulated, and those that are retracted.
    entered, left
        Which of all the calls is theirs.
    asked
        How many calls come before each frame is asked for its value.
    """

    entering: slice
    leaving: slice
    entered: Places
    left: Places
    asked: Places

    @classmethod
    def of(cls, first: int, low: Places, high: Places) -> _Run:
        base = low[0]
        lows, highs = low - base, high - base
        entering, leaving = np.arange(highs[-1]), np.arange(lows[-1])
        # A frame takes its new rows in before it lets the old ones go.
        before = np.concatenate((lows[:1], lows[:-1]))
        entered = entering + before[np.searchsorted(highs, entering, "right")]
        left = leaving + highs[np.searchsorted(lows, leaving, "right")]
        start = int(first + base)
        return cls(
            slice(start, start + len(entering)),
            slice(start, start + len(leaving)),
            entered,
            left,
            lows + highs,
        )


# What they add --------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Term:
    """An amount per row of the bundle, and the rows that add it; None: all do."""

    amount: _Numbers
    applies: Mask | None


@dataclass(frozen=True)
class _Amounts:
    """The amounts that rows add to a slot on entering and on leaving, in the order of the code."""

    fresh: int | float
    # How large whole numbers can get; None for floats.
    bound: int | None
    added: list[_Term]
    removed: list[_Term] | None

    @property
    def whole(self) -> bool:
        return self.bound is not None

    def fit(self, declared: DataType | None) -> bool:
        """Whether a type holds whatever the slot comes to."""
        if self.bound is None:
            return isinstance(declared, DoubleType)
        return isinstance(declared, LongType) or (
            isinstance(declared, DoubleType) and self.bound <= _EXACT
        )

    def totals(self, run: _Run) -> list[Any]:
        """The slot's value for each frame of a run."""
        removed = self.removed or []
        calls = len(run.entered) + len(run.left)
        width = max(len(self.added), len(removed))
        amounts = np.zeros((calls, width), np.int64 if self.whole else np.float64)
        applies = np.zeros((calls, width), np.bool_)
        for terms, rows, places in (
            (self.added, run.entering, run.entered),
            (removed, run.leaving, run.left),
        ):
            for at, term in enumerate(terms):
                amounts[places, at] = term.amount[rows]
                applies[places, at] = True if term.applies is None else term.applies[rows]
        # What does not apply is left out: to add 0.0 would turn -0.0 into 0.0.
        sums = np.cumsum(np.concatenate((np.array([self.fresh], amounts.dtype), amounts[applies])))
        done = np.concatenate(([0], np.cumsum(applies.sum(axis=1))))[run.asked]
        totals: list[Any] = sums[done].tolist()
        untouched = int(np.searchsorted(done, 0, "right"))
        # A whole number that a slot begins with stays one until a float is added.
        totals[:untouched] = [self.fresh] * untouched
        return totals


class _Rows:
    """The arguments of a bundle's rows, each read once."""

    def __init__(
        self, columns: Sequence[pa.Array], size: int, skipped: Sequence[bool] | None
    ) -> None:
        self._columns = columns
        self._size = size
        self._kept = None if skipped is None else ~np.array(skipped, np.bool_)
        self._numbers: dict[int, tuple[_Numbers, int | None]] = {}
        self._missing: dict[int, Mask] = {}

    def amounts(self, sums: Sums, slot: Slot, fresh: int | float) -> _Amounts:
        """Everything that is added to a slot."""
        added = [each for each in sums.additions if each.slot == slot]
        removed = [each for each in sums.removals or () if each.slot == slot]
        found = [self._evaluated(each.amount) for each in (*added, *removed)]
        bounds = [bound for _, bound in found]
        whole = isinstance(fresh, int) and None not in bounds
        if isinstance(fresh, int) and not whole and any(bound is not None for bound in bounds):
            # Whole numbers are added exactly until the first float comes.
            raise _Unlike
        largest = None
        if whole:
            largest = _bounded(int(abs(fresh)) + self._size * sum(bound or 0 for bound in bounds))
        terms = [
            self._term(addition, amount, whole)
            for addition, (amount, _) in zip((*added, *removed), found, strict=True)
        ]
        taken = terms[len(added) :] if sums.removals is not None else None
        return _Amounts(fresh, largest, terms[: len(added)], taken)

    def refuse(self, risks: Sequence[Risk]) -> None:
        """Ends it if Python would raise for one of the rows."""
        for risk in risks:
            applies = self._applies(risk.guard)
            raising = [self._nulls(place) for place in without_none(risk)]
            by = divisor(risk)
            raising += [] if by is None else [self._evaluated(by)[0] == 0]
            for trouble in raising:
                if np.any(trouble if applies is None else trouble & applies):
                    raise _Unlike

    def _term(self, addition: Addition, amount: Any, whole: bool) -> _Term:
        kind = np.int64 if whole else np.float64
        numbers = np.broadcast_to(np.asarray(amount, kind), (self._size,))
        return _Term(-numbers if addition.negative else numbers, self._applies(addition.guard))

    def _applies(self, guard: Guard) -> Mask | None:
        """The rows on which a guard holds; None: all."""
        if guard.tests:
            # Python compares a whole number with a float exactly; numpy does not.
            raise _Unlike
        applies = self._kept
        for place, null in guard.nulls:
            test = self._nulls(place) if null else ~self._nulls(place)
            applies = test if applies is None else applies & test
        return applies

    def _nulls(self, place: int) -> Mask:
        found = self._missing.get(place)
        if found is None:
            found = self._columns[place].is_null().to_numpy(zero_copy_only=False)
            self._missing[place] = found
        return found

    def _evaluated(self, expression: Expression) -> tuple[Any, int | None]:
        """An amount per row, or one for all; and how large whole ones are, None for floats."""
        if isinstance(expression, Constant):
            value = expression.value
            return value, _bounded(abs(value)) if isinstance(value, int) else None
        if isinstance(expression, Parameter):
            return self._column(expression.place)
        if not isinstance(expression, Operation):
            raise _Unlike
        operands = [self._evaluated(operand) for operand in expression.operands]
        if len(operands) == 1:
            return -operands[0][0], operands[0][1]
        (left, left_bound), (right, right_bound) = operands
        operator = expression.operator
        if left_bound is None or right_bound is None or operator == "/":
            if operator == "/" and max(left_bound or 0, right_bound or 0) > _EXACT:
                raise _Unlike
            left, right = np.asarray(left, np.float64), np.asarray(right, np.float64)
            return _OPERATIONS[operator](left, right), None
        larger = left_bound * right_bound if operator == "*" else left_bound + right_bound
        left, right = np.asarray(left, np.int64), np.asarray(right, np.int64)
        return _OPERATIONS[operator](left, right), _bounded(larger)

    def _column(self, place: int) -> tuple[_Numbers, int | None]:
        found = self._numbers.get(place)
        if found is None:
            found = self._numbers[place] = _numbers(self._columns[place])
        return found


def _numbers(column: pa.Array) -> tuple[_Numbers, int | None]:
    kind = column.type
    if pa.types.is_float32(kind) or pa.types.is_float64(kind):
        values = pc.fill_null(column, 0.0).to_numpy(zero_copy_only=False)
        return values.astype(np.float64, copy=False), None
    if not pa.types.is_signed_integer(kind):
        raise _Unlike
    values = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
    values = values.astype(np.int64, copy=False)
    largest = max(-int(values.min()), int(values.max())) if len(values) else 0
    return values, _bounded(largest)


_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide,
}  # fmt: skip


def _bounded(bound: int) -> int:
    if bound >= _LONG:
        raise _Unlike
    return bound
