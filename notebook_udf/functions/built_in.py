"""Spark's count, sum and avg as aggregate functions that can retract rows.

Totals are exact whatever rows come and go: floats are added up as whole numbers of units, because
in floats ``(1e16 + 1) - 1e16`` is 0. ``planner.dataframe.built_in_calls`` says which calls they
replace.
"""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from typing import Any, TypeAlias

from notebook_udf.functions.base import AggregateFunction

# The smallest float is one unit: 2 to the power of -1074.
_UNITS_OF_ONE = 1 << 1074
# Wider than every total: without rounding.
_EXACT = decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX, Emin=decimal.MIN_EMIN)
_LONGS = 1 << 64


# Plain values, so that a checkpoint does not depend on classes of this package.
Totals: TypeAlias = dict[str, int]


class _Counting(AggregateFunction):
    """Base of them all: ``merge`` adds up accumulators, name by name."""

    def merge(self, accumulator: Totals, accumulators: Iterable[Totals]) -> None:
        for other in accumulators:
            for name, total in other.items():
                accumulator[name] += total


class Count(_Counting):
    """The number of rows without NULL in any argument; of all rows, if there are no arguments."""

    def create_accumulator(self) -> Totals:
        return {"rows": 0}

    def accumulate(self, accumulator: Totals, *values: Any) -> None:
        accumulator["rows"] += None not in values

    def retract(self, accumulator: Totals, *values: Any) -> None:
        accumulator["rows"] -= None not in values

    def get_value(self, accumulator: Totals) -> int:
        return accumulator["rows"]


class Sum(_Counting):
    """The sum of whole numbers, or their mean; NULL where there are none.

    An accumulator holds how many ``rows`` have a value, and the sum of the values in ``units``.

    Parameters
    ----------
    mean
        Whether it is their mean.
    ansi
        Whether a sum beyond its type is an error. Without it a BIGINT wraps around and a DECIMAL is
        NULL, as with ``spark.sql.ansi.enabled=false``.
    """

    def __init__(self, *, mean: bool = False, ansi: bool = True) -> None:
        self.mean = mean
        self.ansi = ansi

    def create_accumulator(self) -> Totals:
        return {"rows": 0, "units": 0}

    def accumulate(self, accumulator: Totals, value: Any) -> None:
        if value is not None:
            self.change(accumulator, value, 1)

    def retract(self, accumulator: Totals, value: Any) -> None:
        if value is not None:
            self.change(accumulator, value, -1)

    def get_value(self, accumulator: Totals) -> Any:
        if not accumulator["rows"]:
            return None
        return self.average(accumulator) if self.mean else self.total(accumulator)

    def change(self, accumulator: Totals, value: Any, by: int) -> None:
        """Adds a value, or with -1 takes it out again."""
        accumulator["rows"] += by
        accumulator["units"] += by * self.units(value)

    def units(self, value: Any) -> int:
        """A value as a whole number of units."""
        return int(value)

    def total(self, accumulator: Totals) -> Any:
        """The sum, from its units."""
        total = accumulator["units"]
        return total if self.ansi else (total + _LONGS // 2) % _LONGS - _LONGS // 2

    def average(self, accumulator: Totals) -> Any:
        """The mean, from its units."""
        return accumulator["units"] / accumulator["rows"]


class FloatSum(Sum):
    """The sum of floats, rounded once, or their mean."""

    def create_accumulator(self) -> Totals:
        return {"rows": 0, "units": 0, "nan": 0, "inf": 0, "-inf": 0}

    def change(self, accumulator: Totals, value: float, by: int) -> None:
        if math.isfinite(value):
            super().change(accumulator, value, by)
        else:
            accumulator["rows"] += by
            accumulator[str(value)] += by

    def units(self, value: float) -> int:
        above, below = value.as_integer_ratio()
        return above * (_UNITS_OF_ONE // below)

    def total(self, accumulator: Totals) -> float:
        above, below = accumulator["inf"], accumulator["-inf"]
        if accumulator["nan"] or (above and below):
            return math.nan
        if above or below:
            return math.inf if above else -math.inf
        units = accumulator["units"]
        try:
            return units / _UNITS_OF_ONE
        except OverflowError:
            return math.inf if units > 0 else -math.inf

    def average(self, accumulator: Totals) -> float:
        return self.total(accumulator) / accumulator["rows"]


class DecimalSum(Sum):
    """The sum of decimals, or with ``mean`` their mean, rounded once, half away from zero.

    Parameters
    ----------
    scale
        Digits behind the point of the values.
    digits
        Those of the sum's type.
    mean
        Digits of the mean's type, and how many of them are behind the point.
    """

    def __init__(
        self, scale: int, digits: int, mean: tuple[int, int] | None = None, *, ansi: bool = True
    ) -> None:
        super().__init__(mean=mean is not None, ansi=ansi)
        self.scale = scale
        self.digits = digits
        self.mean_digits, self.mean_scale = mean or (digits, scale)

    def units(self, value: decimal.Decimal) -> int:
        return int(_EXACT.scaleb(value, self.scale))

    def total(self, accumulator: Totals) -> decimal.Decimal | None:
        return self._decimal("sum", accumulator["units"], self.digits, self.scale)

    def average(self, accumulator: Totals) -> decimal.Decimal | None:
        # Spark's mean is that of a sum, which has to fit its own type.
        if self.total(accumulator) is None:
            return None
        above = accumulator["units"] * 10 ** (self.mean_scale - self.scale)
        rows = accumulator["rows"]
        rounded = (2 * abs(above) + abs(rows)) // (2 * abs(rows))
        sign = 1 if (above < 0) == (rows < 0) else -1
        return self._decimal("mean", sign * rounded, self.mean_digits, self.mean_scale)

    def _decimal(self, what: str, units: int, digits: int, scale: int) -> decimal.Decimal | None:
        value = _EXACT.scaleb(decimal.Decimal(units), -scale)
        if abs(units) < 10**digits:
            return value
        if self.ansi:
            raise OverflowError(
                f"the {what} of the values is {value}, which DECIMAL({digits},{scale}) cannot "
                f"hold: cast them to a DECIMAL with fewer digits behind the point"
            )
        return None
