"""Percentiles of the bundles' durations: exact while they are few, within 2 % after that.

Durations are nanoseconds; ``series`` measures them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from notebook_udf.functions import quantile_sketch

# As many as the bundles kept of a query: beyond that there is nothing to check them against.
MAX_EXACT = 2_000

Durations = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Percentiles:
    """How long the bundles of one version of a function took in one query.

    A duration is what decoding, the user's code and encoding took together, in nanoseconds;
    bundles of attempts that do not count are included. ``exact`` is False above ``MAX_EXACT``
    bundles: the percentiles then come from a histogram, within 2 %, while ``max_ns`` stays exact.
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
    """Collects durations, in bounded memory whatever their number."""

    def __init__(self) -> None:
        self.count = 0
        self.longest = 0
        self._exact: list[Durations] | None = []
        self._buckets: quantile_sketch.Buckets = {}

    @property
    def exact(self) -> bool:
        """Whether each duration is still kept."""
        return self._exact is not None

    def add(self, durations: Durations) -> None:
        """Adds durations."""
        self.count += len(durations)
        self.longest = max(self.longest, int(durations.max()))
        if self._exact is None:
            quantile_sketch.count(self._buckets, durations)
            return
        self._exact.append(durations)
        if self.count > MAX_EXACT:
            quantile_sketch.count(self._buckets, np.concatenate(self._exact))
            self._exact = None

    def percentiles(self, fractions: Iterable[float]) -> list[int]:
        """The shortest duration that each fraction of them does not exceed; 0 without any."""
        if self._exact is None:
            found = quantile_sketch.quantiles(self._buckets, fractions)
            return [min(round(each), self.longest) for each in found]
        if not self._exact:
            return [0 for _ in fractions]
        # One array from now on, so that asking again is cheap.
        self._exact = [np.sort(np.concatenate(self._exact))]
        ordered = self._exact[0]
        return [int(ordered[quantile_sketch.rank(each, len(ordered))]) for each in fractions]
