"""Spark's built-in aggregates once more, in Python, and what it takes to compare the two.

A twin answers exactly what the built-in of the same name answers. ``Twins`` registers one for a
function and the type of its argument, since a Python function's result type is fixed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from itertools import zip_longest
from typing import Any

import notebook_udf as nu

# Wide enough that no sum of DECIMAL(38, s) is rounded; Python's own default is 28 digits.
EXACT = Context(prec=90, rounding=ROUND_HALF_UP)

_DECIMAL = re.compile(r"decimal\((\d+),(\d+)\)")


def bounded(precision: int, scale: int) -> str:
    """A DECIMAL with no more digits than there may be."""
    return f"decimal({min(precision, 38)},{min(scale, 38)})"


def parts_of(ddl: str) -> tuple[int, int] | None:
    """Precision and scale, if the type is a DECIMAL."""
    found = _DECIMAL.fullmatch(ddl)
    return (int(found[1]), int(found[2])) if found else None


def sum_type(ddl: str) -> str:
    """What ``sum`` makes of a type."""
    parts = parts_of(ddl)
    if parts is not None:
        return bounded(parts[0] + 10, parts[1])
    return "bigint" if ddl in ("tinyint", "smallint", "int", "bigint") else "double"


def avg_type(ddl: str) -> str:
    """What ``avg`` makes of a type."""
    parts = parts_of(ddl)
    return "double" if parts is None else bounded(parts[0] + 4, parts[1] + 4)


def is_less(one: Any, other: Any) -> bool:
    """Whether SQL sorts the one first: NaN is the largest number."""
    if isinstance(one, float) and one != one:
        return False
    if isinstance(other, float) and other != other:
        return True
    return bool(one < other)


def plus(one: Any, other: Any) -> Any:
    """The exact sum of decimals or integers; that of doubles."""
    return EXACT.add(one, other) if isinstance(one, Decimal) else one + other


class PySum(nu.AggregateFunction):
    """``sum``. Accumulates a list: the total so far, and how many values it is of."""

    def __init__(self, argument: str) -> None:
        self.result = sum_type(argument)
        self.zero: Any = {"bigint": 0, "double": 0.0}.get(self.result, Decimal(0))

    def get_result_type(self) -> str:
        return self.result

    def create_accumulator(self) -> list[Any]:
        return [self.zero, 0]

    def accumulate(self, accumulator: list[Any], x: Any) -> None:
        if x is not None:
            accumulator[0] = plus(accumulator[0], x)
            accumulator[1] += 1

    def merge(self, accumulator: list[Any], accumulators: Any) -> None:
        for total, count in accumulators:
            accumulator[0] = plus(accumulator[0], total)
            accumulator[1] += count

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0] if accumulator[1] else None


class PySumRetracting(PySum):
    """``sum`` of exact numbers, which can be taken out again."""

    def retract(self, accumulator: list[Any], x: Any) -> None:
        if x is not None:
            accumulator[0] = plus(accumulator[0], -x)
            accumulator[1] -= 1


class PySumPlain(PySum):
    """``sum`` without a merge."""

    merge = nu.AggregateFunction.merge


class PyCount(nu.AggregateFunction):
    """``count`` of rows whose arguments are all there. Accumulates a number, again each time."""

    def __init__(self, argument: str) -> None:
        pass

    def get_result_type(self) -> str:
        return "bigint"

    def get_accumulator_type(self) -> str:
        return "bigint"

    def create_accumulator(self) -> int:
        return 0

    def accumulate(self, accumulator: int, *values: Any) -> int:
        return accumulator + all(value is not None for value in values)

    def retract(self, accumulator: int, *values: Any) -> int:
        return accumulator - all(value is not None for value in values)

    def merge(self, accumulator: int, accumulators: Any) -> int:
        total: int = accumulator + sum(accumulators)
        return total

    def get_value(self, accumulator: int) -> int:
        return accumulator


class PyCountPlain(PyCount):
    """``count`` with neither merge nor retract."""

    merge = nu.AggregateFunction.merge
    retract = nu.AggregateFunction.retract


class PyMin(nu.AggregateFunction):
    """``min``. Accumulates a list of the least value, or of none yet."""

    def __init__(self, argument: str) -> None:
        self.result = argument

    def get_result_type(self) -> str:
        return self.result

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], x: Any) -> None:
        if x is not None and (not accumulator or self.is_better(x, accumulator[0])):
            accumulator[:] = [x]

    def merge(self, accumulator: list[Any], accumulators: Any) -> None:
        for other in accumulators:
            for x in other:
                self.accumulate(accumulator, x)

    def get_value(self, accumulator: list[Any]) -> Any:
        return accumulator[0] if accumulator else None

    def is_better(self, x: Any, than: Any) -> bool:
        return is_less(x, than)


class PyMinPlain(PyMin):
    """``min`` without a merge."""

    merge = nu.AggregateFunction.merge


class PyMax(PyMin):
    """``max``."""

    def is_better(self, x: Any, than: Any) -> bool:
        return is_less(than, x)


class PyMaxPlain(PyMax):
    """``max`` without a merge."""

    merge = nu.AggregateFunction.merge


class PyAvg(nu.AggregateFunction):
    """``avg``. Accumulates a list that travels as a struct of the total and the count."""

    def __init__(self, argument: str) -> None:
        self.result = avg_type(argument)
        parts = parts_of(self.result)
        self.scale = None if parts is None else parts[1]
        self.total = "double" if parts is None else sum_type(argument)

    def get_result_type(self) -> str:
        return self.result

    def get_accumulator_type(self) -> str:
        return f"struct<total:{self.total},count:bigint>"

    def create_accumulator(self) -> list[Any]:
        return [0.0 if self.scale is None else Decimal(0), 0]

    def accumulate(self, accumulator: list[Any], x: Any) -> None:
        if x is not None:
            accumulator[0] = plus(accumulator[0], float(x) if self.scale is None else x)
            accumulator[1] += 1

    def merge(self, accumulator: list[Any], accumulators: Any) -> None:
        for total, count in accumulators:
            accumulator[0] = plus(accumulator[0], total)
            accumulator[1] += count

    def get_value(self, accumulator: list[Any]) -> Any:
        total, count = accumulator
        if not count:
            return None
        if self.scale is None:
            return total / count
        return half_up(half_up(EXACT.divide(total, count), 38), self.scale)


class PyAvgRetracting(PyAvg):
    """``avg`` of exact numbers, which can be taken out again."""

    def retract(self, accumulator: list[Any], x: Any) -> None:
        if x is not None:
            accumulator[0] = plus(accumulator[0], -float(x) if self.scale is None else -x)
            accumulator[1] -= 1


class PyAvgPlain(PyAvg):
    """``avg`` without a merge."""

    merge = nu.AggregateFunction.merge


def half_up(number: Decimal, scale: int) -> Decimal:
    """The number with so many digits after the point."""
    return number.quantize(Decimal(1).scaleb(-scale), context=EXACT)


class PyFirstBy(nu.AggregateFunction):
    """``min_by``. Accumulates a tuple of the least order and its value, None before the first."""

    def __init__(self, argument: str) -> None:
        self.result = argument

    def get_result_type(self) -> str:
        return self.result

    def create_accumulator(self) -> None:
        return None

    def accumulate(self, accumulator: tuple[Any, Any] | None, x: Any, order: Any) -> Any:
        if order is None or (accumulator is not None and not is_less(order, accumulator[0])):
            return accumulator
        return (order, x)

    def merge(self, accumulator: tuple[Any, Any] | None, accumulators: Any) -> Any:
        for other in accumulators:
            if other is not None:
                accumulator = self.accumulate(accumulator, other[1], other[0])
        return accumulator

    def get_value(self, accumulator: tuple[Any, Any] | None) -> Any:
        return None if accumulator is None else accumulator[1]


class PyFirstByPlain(PyFirstBy):
    """``min_by`` without a merge."""

    merge = nu.AggregateFunction.merge


class PyCollectSet(nu.AggregateFunction):
    """``collect_set``, sorted. Accumulates a dict of how often each value was seen."""

    def __init__(self, argument: str) -> None:
        self.element = argument

    def get_result_type(self) -> str:
        return f"array<{self.element}>"

    def create_accumulator(self) -> dict[Any, int]:
        return {}

    def accumulate(self, accumulator: dict[Any, int], x: Any) -> None:
        if x is not None:
            accumulator[x] = accumulator.get(x, 0) + 1

    def retract(self, accumulator: Any, *values: Any) -> Any:
        for x in values:
            if x is not None:
                accumulator[x] -= 1
                if not accumulator[x]:
                    del accumulator[x]

    def merge(self, accumulator: dict[Any, int], accumulators: Any) -> None:
        for other in accumulators:
            for x, count in other.items():
                accumulator[x] = accumulator.get(x, 0) + count

    def get_value(self, accumulator: dict[Any, int]) -> list[Any]:
        return sorted(accumulator)


class PyCollectSetPlain(PyCollectSet):
    """``collect_set`` with neither merge nor retract."""

    merge = nu.AggregateFunction.merge
    retract = nu.AggregateFunction.retract


@dataclass
class Moments:
    """How many numbers, their mean, and the sum of squares of their distances from it."""

    count: int
    mean: float
    squares: float


class PyStddev(nu.AggregateFunction):
    """``stddev_samp``. Accumulates a dataclass that travels as a struct."""

    def __init__(self, argument: str) -> None:
        pass

    def get_result_type(self) -> str:
        return "double"

    def get_accumulator_type(self) -> str:
        return "struct<count:bigint,mean:double,squares:double>"

    def create_accumulator(self) -> Moments:
        return Moments(0, 0.0, 0.0)

    def accumulate(self, accumulator: Moments, x: Any) -> None:
        if x is not None:
            accumulator.count += 1
            distance = float(x) - accumulator.mean
            accumulator.mean += distance / accumulator.count
            accumulator.squares += distance * (float(x) - accumulator.mean)

    def merge(self, accumulator: Moments, accumulators: Any) -> None:
        for other in accumulators:
            if not other.count:
                continue
            count = accumulator.count + other.count
            distance = other.mean - accumulator.mean
            share = accumulator.count * other.count / count
            accumulator.mean += distance * other.count / count
            if accumulator.count:
                accumulator.squares += distance * distance * share
            accumulator.squares += other.squares
            accumulator.count = count

    def get_value(self, accumulator: Moments) -> float | None:
        if accumulator.count < 2:
            return None
        return math.sqrt(max(accumulator.squares, 0.0) / (accumulator.count - 1))


class PyStddevPlain(PyStddev):
    """``stddev_samp`` without a merge."""

    merge = nu.AggregateFunction.merge


# By function: the built-in's name, the twin with a merge, that with a retract too, and without.
TWINS: dict[str, tuple[str, type[Any], type[Any] | None, type[Any]]] = {
    "sum": ("sum", PySum, PySumRetracting, PySumPlain),
    "count": ("count", PyCount, None, PyCountPlain),
    "min": ("min", PyMin, None, PyMinPlain),
    "max": ("max", PyMax, None, PyMaxPlain),
    "avg": ("avg", PyAvg, PyAvgRetracting, PyAvgPlain),
    "first_by": ("min_by", PyFirstBy, None, PyFirstByPlain),
    "collect_set": ("collect_set", PyCollectSet, None, PyCollectSetPlain),
    "stddev": ("stddev_samp", PyStddev, None, PyStddevPlain),
}

_INEXACT = ("float", "double")


class Twins:
    """Twins registered in a session, each when it is first asked for."""

    def __init__(self, session: nu.Session) -> None:
        self._session = session
        self._names: set[str] = set()

    def name(self, function: str, argument: str = "", *, plain: bool = False) -> str:
        """The SQL name of a twin for arguments of a type, in DDL; ``plain``: one without merge."""
        _, merging, retracting, without = TWINS[function]
        suffix = re.sub(r"\W+", "_", argument).strip("_")
        name = f"py_{function}_{suffix or 'any'}{'_plain' * plain}"
        if name not in self._names:
            inexact = retracting is None or argument in _INEXACT
            with_merge = merging if inexact else retracting
            made: Any = without if plain else with_merge
            self._session.register_function(name, made(argument))
            self._names.add(name)
        return name


# Comparing ---------------------------------------------------------------------------------------


def _plain(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(map(_plain, value))
    if isinstance(value, dict):
        return _plain(list(value.items()))
    return value


def _order(value: Any) -> Any:
    """A key that sorts any values of a column, NULL first; doubles by what all agree on."""
    if value is None:
        return (0, ())
    if isinstance(value, tuple):
        return (1, tuple(map(_order, value)))
    if isinstance(value, float):
        if not math.isfinite(value):
            return (1, ("", str(value)))
        return (1, ("", f"{value + 0.0:.6e}"))
    return (1, (type(value).__name__, value))


def is_close(one: Any, other: Any) -> bool:
    """Whether two values are equal; doubles, up to the order in which they were summed."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        return len(one) == len(other) and all(map(is_close, one, other))
    if isinstance(one, float) and isinstance(other, float):
        both_nan = one != one and other != other
        return both_nan or math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-6)
    return type(one) is type(other) and bool(one == other)


def difference(expected: Sequence[Any], actual: Sequence[Any], *, ordered: bool = False) -> str:
    """How two results differ as multisets of rows, or as lists; "" if they do not."""
    left, right = [_plain(row) for row in expected], [_plain(row) for row in actual]
    if not ordered:
        left.sort(key=_order)
        right.sort(key=_order)
    if len(left) == len(right) and all(map(is_close, left, right)):
        return ""
    missing = []
    unmatched = list(right)
    for row in left:
        found = next((i for i, other in enumerate(unmatched) if is_close(row, other)), None)
        if found is None:
            missing.append(row)
        else:
            del unmatched[found]
    if not missing and not unmatched:
        return "the same rows in another order" if ordered else ""
    pairs = list(zip_longest(missing, unmatched))
    shown = "\n".join(f"  expected {one}\n  got      {other}" for one, other in pairs[:8])
    return f"{len(missing)} of {len(left)} rows missing, {len(unmatched)} too many:\n{shown}"
