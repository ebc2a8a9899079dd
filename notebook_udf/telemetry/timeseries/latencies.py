"""How long bundles took: percentiles, exact while the durations are few, within 2 % after that.

Durations are nanoseconds. What they are durations of is the business of ``series``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

# As many as there are bundles kept of a query: beyond that there is nothing to check them against.
MAX_EXACT = 2_000
# Of a relative width of 4 %, so that its middle is within 2 % of what is in it.
_GROWTH = math.log(1.04)

Buckets = dict[int, int]
Durations = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Percentiles:
    """How long the bundles of one version of a function took in one query.

    A duration is what decoding, the user's code and encoding took together, in nanoseconds;
    bundles of attempts that lost are among them. ``exact`` says that each duration was looked at:
    of more than ``MAX_EXACT`` bundles the percentiles come from a histogram, within 2 %, while
    ``max_ns`` stays exact.
    """

    query: str
    function: str
    version: int
    bundles: int
    p50_ns: int
    p95_ns: int
    p99_ns: int
    max_ns: int
    exact: bool


class Latencies:
    """Durations in the making; bounded, whatever their number."""

    def __init__(self) -> None:
        self.count = 0
        self.longest = 0
        self._exact: list[Durations] | None = []
        self._buckets: Buckets = {}

    @property
    def exact(self) -> bool:
        """Whether each duration is still there."""
        return self._exact is not None

    def add(self, durations: Durations) -> None:
        """Adds some."""
        self.count += len(durations)
        self.longest = max(self.longest, int(durations.max()))
        if self._exact is None:
            note(self._buckets, durations)
            return
        self._exact.append(durations)
        if self.count > MAX_EXACT:
            note(self._buckets, np.concatenate(self._exact))
            self._exact = None

    def percentiles(self, fractions: Iterable[float]) -> list[int]:
        """The shortest durations that so much of them does not exceed; zeros of none."""
        if self._exact is None:
            return [min(found, self.longest) for found in ranked(self._buckets, fractions)]
        if not self._exact:
            return [0 for _ in fractions]
        # One array from now on, so that asking again is cheap.
        self._exact = [np.sort(np.concatenate(self._exact))]
        ordered = self._exact[0]
        return [int(ordered[_rank(each, len(ordered))]) for each in fractions]


def bucket_of(durations: Durations) -> Durations:
    """The bucket that each duration falls into."""
    found: Durations = (np.log(np.maximum(durations, 1)) / _GROWTH).astype(np.int64)
    return found


def note(buckets: Buckets, durations: Durations) -> None:
    """Counts durations in the buckets they fall into."""
    found, counts = np.unique(bucket_of(durations), return_counts=True)
    for bucket, times in zip(found.tolist(), counts.tolist(), strict=True):
        buckets[bucket] = buckets.get(bucket, 0) + times


def ranked(buckets: Mapping[int, int], fractions: Iterable[float]) -> list[int]:
    """Percentiles of what was noted, within 2 % or a nanosecond; zeros if nothing was."""
    total = sum(buckets.values())
    ordered = sorted(buckets.items())
    found = []
    for fraction in fractions:
        rank, seen, value = _rank(fraction, total), 0, 0
        for bucket, count in ordered:
            seen += count
            if seen > rank:
                value = round(math.exp((bucket + 0.5) * _GROWTH))
                break
        found.append(value)
    return found


def _rank(fraction: float, count: int) -> int:
    """The place of a percentile in order: the first that so much of all is not longer than."""
    return max(0, math.ceil(fraction * count - 1e-9) - 1)


__all__ = [
    "MAX_EXACT",
    "Buckets",
    "Durations",
    "Latencies",
    "Percentiles",
    "bucket_of",
    "note",
    "ranked",
]
