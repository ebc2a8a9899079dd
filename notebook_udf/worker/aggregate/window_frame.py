"""Window frames: which rows of a window partition a row's frame covers, as positions.

Rows stand in the order of the window. A frame is half-open, ``low`` to ``high``; an empty one has
``low == high``. ``window`` moves rows into and out of accumulators.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from notebook_udf.specs.window_layout import WindowFrame
from notebook_udf.worker.codec.arrays import Places

Bounds: TypeAlias = "tuple[Places, Places]"


def rows_bounds(frame: WindowFrame, size: int) -> Bounds:
    """The ROWS frames of a partition of ``size`` rows, by distance in rows."""
    rows = np.arange(size, dtype=np.int64)
    low, high = np.zeros_like(rows), np.full_like(rows, size)
    if frame.start is not None:
        low = np.clip(rows + frame.start, 0, size)
    if frame.end is not None:
        high = np.clip(rows + frame.end + 1, 0, size)
    return np.minimum(low, high), high


def range_bounds(
    frame: WindowFrame,
    order: Sequence[Any],
    lows: Sequence[Any] | None,
    highs: Sequence[Any] | None,
) -> Bounds:
    """The RANGE frames of a partition, by value of the order.

    ``order`` holds a hashable value per row (a tuple where there are several); ``lows`` and
    ``highs`` the furthest values of each row's frame where the clause names a distance. The frame
    of a row whose order is NULL has the other such rows, on the sides that are bounded.
    """
    size = len(order)
    firsts, lasts = _peers(order)
    low = [0] * size if frame.start is None else list(firsts)
    high = [size] * size if frame.end is None else list(lasts)
    present: list[int] = []
    if lows is not None or highs is not None:
        present = [row for row in range(size) if order[row] is not None]
    # NULLs stand together, before or after all values.
    base = present[0] if present else 0
    values = [_comparable(order[row], frame.descending) for row in present]
    for row in present:
        if lows is not None:
            bound = _comparable(lows[row], frame.descending)
            low[row] = base + bisect_left(values, bound)
        if highs is not None:
            bound = _comparable(highs[row], frame.descending)
            high[row] = base + bisect_right(values, bound)
        low[row] = min(low[row], high[row])
    return np.array(low, np.int64), np.array(high, np.int64)


def _peers(order: Sequence[Any]) -> tuple[list[int], list[int]]:
    firsts, start = [], 0
    for row, value in enumerate(order):
        # The same NaN is the same object (``keys.hashable``), and equal to itself as in SQL.
        if row and not (value is order[start] or value == order[start]):
            start = row
        firsts.append(start)
    lasts = [0] * len(order)
    end = len(order)
    for row in range(len(order) - 1, -1, -1):
        lasts[row] = end
        if firsts[row] == row:
            end = row
    return firsts, lasts


class _Reversed:
    """A value that sorts in reverse."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)


def _comparable(value: Any, descending: bool) -> Any:
    # SQL puts NaN above every number, Python nowhere.
    key = (value != value, value if value == value else 0.0)
    return _Reversed(key) if descending else key
