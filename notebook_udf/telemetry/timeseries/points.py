"""Points of equal width with sums in them: arithmetic alone; ``series`` says what is summed.

Times are in units of a point's width; point ``n`` holds the times from ``n`` up to ``n + 1``.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from notebook_udf.functions.quantile_sketch import (
    MOST_BUCKETS,
    Buckets,
    add,
    buckets_of,
    quantiles,
)
from notebook_udf.telemetry.timeseries.latencies import Durations

COLUMNS = 6
# The column that holds a worker's time in functions.
BUSY = 4

Floats = npt.NDArray[np.float64]
Column = tuple[float, ...]


class Spread:
    """Bundles by their beginning and end, and the points that they cover."""

    def __init__(self, begins: Floats, ends: Floats) -> None:
        self.begins = begins
        self.ends = ends
        self.first = begins.astype(np.int64)
        self.last = ends.astype(np.int64)
        # Most lie within one point, and are added up as a whole.
        self.within = self.first == self.last

    def parts(self, at: int) -> Floats:
        """How a bundle that covers several points is shared out among them."""
        edges = np.arange(self.first[at], self.last[at] + 2, dtype=np.float64)
        edges[0], edges[-1] = self.begins[at], self.ends[at]
        parts: Floats = np.diff(edges) / (self.ends[at] - self.begins[at])
        return parts


class Points:
    """Sums, and histograms of durations, for a range of points."""

    def __init__(self) -> None:
        self._start = 0
        self._sums: Floats = np.zeros((0, COLUMNS))
        self._ended: dict[int, Buckets] = {}

    def __len__(self) -> int:
        return len(self._sums)

    def add(self, spread: Spread, values: Floats) -> None:
        """Adds values, a row of columns for each bundle, spread over the points it covers."""
        self._reach(int(spread.first.min()), int(spread.last.max()))
        within = spread.within
        np.add.at(self._sums, spread.last[within] - self._start, values[within])
        for at in np.flatnonzero(~within).tolist():
            parts = spread.parts(at)
            start = int(spread.first[at]) - self._start
            self._sums[start : start + len(parts)] += parts[:, None] * values[at]

    def note(self, spread: Spread, durations: Durations) -> None:
        """Counts durations in the points where they end."""
        where = spread.last * MOST_BUCKETS + buckets_of(durations)
        found, counts = np.unique(where, return_counts=True)
        for both, times in zip(found.tolist(), counts.tolist(), strict=True):
            at, bucket = divmod(both, MOST_BUCKETS)
            add(self._ended.setdefault(at, {}), {bucket: times})

    def halve(self) -> None:
        """Doubles the width: merges the points two by two."""
        if len(self._sums):
            first, last = self._start // 2, (self._start + len(self._sums) - 1) // 2
            self._sums = self._summed(2 * first, 2 * last + 1, 2)
            self._start = first
        self._ended = self._gathered(0, 2)

    def merged(self, first: int, last: int, step: int) -> list[Column]:
        """The columns from one point to another, with ``step`` points merged into one."""
        return [tuple(column) for column in self._summed(first, last, step).T.tolist()]

    def ranks(
        self, first: int, last: int, step: int, fractions: Sequence[float]
    ) -> list[tuple[int | None, ...]]:
        """Percentiles of the durations, merged likewise; None where no bundle ended."""
        ended = self._gathered(first, step)
        size = (last - first) // step + 1
        none = [None for _ in fractions]
        found = [
            [round(each) for each in quantiles(ended[at], fractions)] if at in ended else none
            for at in range(size)
        ]
        return [tuple(column) for column in zip(*found, strict=True)] or [() for _ in fractions]

    def _summed(self, first: int, last: int, step: int) -> Floats:
        whole = np.zeros((-(-(last - first + 1) // step) * step, COLUMNS))
        begin, end = max(first, self._start), min(last + 1, self._start + len(self._sums))
        if begin < end:
            whole[begin - first : end - first] = self._sums[begin - self._start : end - self._start]
        summed: Floats = whole.reshape(-1, step, COLUMNS).sum(axis=1)
        return summed

    def _gathered(self, first: int, step: int) -> dict[int, Buckets]:
        found: dict[int, Buckets] = {}
        for at, buckets in self._ended.items():
            add(found.setdefault((at - first) // step, {}), buckets)
        return found

    def _reach(self, first: int, last: int) -> None:
        """Extends the range to include the points from ``first`` to ``last``."""
        if not len(self._sums):
            self._start = first
        begin, end = min(first, self._start), max(last + 1, self._start + len(self._sums))
        if end - begin > len(self._sums):
            self._sums = self._summed(begin, end - 1, 1)
            self._start = begin
