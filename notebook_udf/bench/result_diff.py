"""Compares two results row by row: they are the same, nearly the same, or different."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

# Floats that differ by no more come from another order of the same additions.
NEARLY = 1e-9
_SLICE = 8192


@dataclass(frozen=True)
class Difference:
    """The rows in which two results differ.

    Attributes
    ----------
    rows
        Their number; includes the rows that one of two results of different length lacks.
    first
        The first of them, counted from 1.
    expected, found
        The values in it.
    largest
        The largest relative difference, if only floats differ; None otherwise.
    """

    rows: int
    first: int
    expected: Any
    found: Any
    largest: float | None

    @property
    def nearly(self) -> bool:
        """Whether only the last digits of floats differ."""
        return self.largest is not None and self.largest <= NEARLY


def difference(expected: pa.Table, found: pa.Table) -> Difference | None:
    """Compares two results row by row; None if they are the same.

    NaN equals NaN, and NULL equals NULL only. Columns are matched by position.
    """
    rows, largest, first = 0, 0.0, -1
    floats = True
    common = min(expected.num_rows, found.num_rows)
    for start in range(0, common, _SLICE):
        one, other = (
            [column.slice(start, _SLICE).combine_chunks() for column in table.columns]
            for table in (expected.slice(0, common), found.slice(0, common))
        )
        if all(a.equals(b) for a, b in zip(one, other, strict=True)):
            continue
        pairs = zip(
            zip(*(column.to_pylist() for column in one), strict=True),
            zip(*(column.to_pylist() for column in other), strict=True),
            strict=True,
        )
        for index, (before, after) in enumerate(pairs, start):
            apart = _apart(before, after)
            if apart == 0.0:
                continue
            rows += 1
            first = index if first < 0 else first
            floats = floats and apart < math.inf
            largest = max(largest, apart)
    missing = abs(expected.num_rows - found.num_rows)
    if not rows and not missing:
        return None
    if first < 0:
        first = common
    return Difference(
        rows + missing,
        first + 1,
        _row(expected, first),
        _row(found, first),
        largest if floats and not missing else None,
    )


def _apart(one: Any, other: Any) -> float:
    """The relative difference of two values: 0.0 if they are the same, inf if more than the digits
    of floats differs."""
    if isinstance(one, float) and isinstance(other, float):
        if one == other or (math.isnan(one) and math.isnan(other)):
            return 0.0
        if math.isfinite(one) and math.isfinite(other):
            return abs(one - other) / max(abs(one), abs(other))
        return math.inf
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        if len(one) != len(other):
            return math.inf
        return max(map(_apart, one, other), default=0.0)
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return math.inf
        return max((_apart(one[key], other[key]) for key in one), default=0.0)
    return 0.0 if type(one) is type(other) and one == other else math.inf


def _row(table: pa.Table, index: int) -> Any:
    if index >= table.num_rows:
        return "no row"
    values = [column[index].as_py() for column in table.columns]
    return values[0] if len(values) == 1 else tuple(values)
