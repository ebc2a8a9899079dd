"""Which rows of a window partition a row's frame covers, as positions.

Rows stand in the order of the window. A frame is half-open, ``low`` to ``high``; an empty one has
``low == high``. Taking rows in and out of accumulators is the business of ``windows``.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["rows", "range"]


@dataclass(frozen=True)
class Frame:
    """A frame clause.

    Attributes
    ----------
    kind
        ``rows`` counts rows; ``range`` compares values of the order.
    start, end
        For ``rows`` the distance in rows, negative before the row; for ``range`` 0 for the row's
        peers. None: unbounded.
    low, high
        For ``range`` with a distance: the place of the column that holds the furthest value of
        the order still in the frame.
    descending
        Whether values of the order fall.
    """

    kind: Kind
    start: int | None
    end: int | None
    low: int | None = None
    high: int | None = None
    descending: bool = False

    @property
    def is_whole(self) -> bool:
        """Whether every row's frame is the partition."""
        return self.start is None and self.end is None


Bounds = tuple[list[int], list[int]]


def rows_bounds(frame: Frame, size: int) -> Bounds:
    """The frames of a partition of ``size`` rows, by distance in rows."""
    low, high = [], []
    for row in range(size):
        first = 0 if frame.start is None else min(max(row + frame.start, 0), size)
        last = size if frame.end is None else min(max(row + frame.end + 1, 0), size)
        low.append(min(first, last))
        high.append(last)
    return low, high


def range_bounds(
    frame: Frame,
    order: Sequence[Any],
    lows: Sequence[Any] | None,
    highs: Sequence[Any] | None,
) -> Bounds:
    """The frames of a partition by value of the order.

    ``order`` holds a hashable value per row (a tuple where there are several); ``lows`` and
    ``highs`` the furthest values of each row's frame where the clause names a distance. A row
    whose order is NULL has the other such rows for a frame, on the sides that are bounded.
    """
    size = len(order)
    firsts, lasts = _peers(order)
    low = [0] * size if frame.start is None else list(firsts)
    high = [size] * size if frame.end is None else list(lasts)
    if lows is None and highs is None:
        return low, high
    present = [row for row in range(size) if order[row] is not None]
    if not present:
        return low, high
    # NULLs stand together, before or after all values.
    base, values = present[0], [_comparable(order[row], frame.descending) for row in present]
    for row in present:
        if lows is not None:
            bound = _comparable(lows[row], frame.descending)
            low[row] = base + bisect_left(values, bound)
        if highs is not None:
            bound = _comparable(highs[row], frame.descending)
            high[row] = base + bisect_right(values, bound)
        low[row] = min(low[row], high[row])
    return low, high


def _peers(order: Sequence[Any]) -> Bounds:
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
    """A value that sorts the other way round."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __lt__(self, other: _Reversed) -> bool:
        return bool(other.value < self.value)


def _comparable(value: Any, descending: bool) -> Any:
    # SQL puts NaN above every number, Python nowhere.
    key = (value != value, value if value == value else 0.0)
    return _Reversed(key) if descending else key


Values = Callable[[int], Sequence[Any]]

__all__ = ["Bounds", "Frame", "range_bounds", "rows_bounds"]
