"""Sums of bundle statistics by function, and merged user metrics.

``run_store`` decides which attempts are added up; ``notebook_udf.functions.metrics`` merges two
snapshots of a user metric.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from notebook_udf.functions.metrics import merge
from notebook_udf.telemetry.records import FunctionTiming

Key = tuple[str, int]
MetricKey = tuple[str, str, str]
_BUCKET = re.compile(r"-?\d{1,5}", re.ASCII)


@dataclass
class FunctionSums:
    """Mutable sums of one function; the fields are those of ``FunctionTotals``."""

    tasks: int = 0
    bundles: int = 0
    rows_in: int = 0
    rows_out: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    wait_ns: int = 0
    decode_ns: int = 0
    user_ns: int = 0
    encode_ns: int = 0
    write_ns: int = 0
    errors: int = 0
    first: float = math.inf
    last: float = -math.inf

    @property
    def seconds(self) -> float:
        """From its tasks' first record to the last, in seconds; 0 before the first."""
        return max(self.last - self.first, 0.0)

    def add(self, other: FunctionSums | FunctionTotals) -> None:
        """Adds the counts of another sum and extends ``first`` and ``last`` to cover it."""
        for name in _ADDED:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.first = min(self.first, other.first)
        self.last = max(self.last, other.last)

    def time(self, timing: FunctionTiming) -> None:
        """Adds the timing of a function."""
        self.rows_in += timing.rows_in
        self.rows_out += timing.rows_out
        self.decode_ns += timing.decode_ns
        self.user_ns += timing.user_ns
        self.encode_ns += timing.encode_ns
        self.errors += timing.errors


_ADDED = [f.name for f in dataclasses.fields(FunctionSums) if f.name not in ("first", "last")]


@dataclass(frozen=True)
class FunctionTotals:
    """What one version of a function did in one query, over the attempts that count.

    ``bundles``, ``bytes_in``, ``bytes_out``, ``wait_ns`` and ``write_ns`` are those of the
    bundles the function took part in: functions that share a bundle each show all of it. Times
    in nanoseconds are sums over workers; its tasks ran between ``first`` and ``last``. If the
    record of a bundle is lost, only its bytes and waiting are missing.
    """

    query: str
    function: str
    version: int
    tasks: int
    bundles: int
    rows_in: int
    rows_out: int
    bytes_in: int
    bytes_out: int
    wait_ns: int
    decode_ns: int
    user_ns: int
    encode_ns: int
    write_ns: int
    errors: int
    first: float
    last: float

    @property
    def rows_per_second(self) -> float:
        """Input rows by the time its tasks ran; 0 while that is not known."""
        span = self.last - self.first
        return self.rows_in / span if span > 0 else 0.0


@dataclass(frozen=True)
class MetricTotal:
    """A user metric, merged over the attempts that count.

    ``value`` is a snapshot that ``notebook_udf.functions.metrics.describe`` takes.
    """

    query: str
    function: str
    name: str
    kind: str
    value: Any


class Tally:
    """Sums by function, and merged user metrics."""

    def __init__(self) -> None:
        self.sums: dict[Key, FunctionSums] = {}
        self.metrics: dict[MetricKey, Any] = {}

    def of(self, key: Key) -> FunctionSums:
        """The sums of a function, created on first use."""
        return self.sums.setdefault(key, FunctionSums())

    def add(self, other: Tally) -> None:
        """Adds the sums and merges the metrics of another tally."""
        for key, sums in other.sums.items():
            self.of(key).add(sums)
        for name, value in other.metrics.items():
            self._merge(name, value)

    def add_totals(self, totals: Iterable[FunctionTotals], metrics: Iterable[MetricTotal]) -> None:
        """Adds totals and metrics of any queries."""
        for total in totals:
            self.of((total.function, total.version)).add(total)
        for metric in metrics:
            self._merge((metric.function, metric.name, metric.kind), metric.value)

    def fold_versions(self, most: int) -> None:
        """Counts versions of a function beyond ``most`` with the oldest of those that are left.

        Version 0, which is of functions that were never registered, is older than none.
        """
        if len(self.sums) <= most:
            return
        versions: dict[str, list[int]] = {}
        for function, version in self.sums:
            if version:
                versions.setdefault(function, []).append(version)
        for function, found in versions.items():
            excess, ordered = max(0, len(found) - most), sorted(found)
            for version in ordered[:excess]:
                self.of((function, ordered[excess])).add(self.sums.pop((function, version)))

    def _merge(self, name: MetricKey, value: Any) -> None:
        mine = self.metrics.get(name)
        self.metrics[name] = value if mine is None else merge(name[2], [mine, value])

    def totals(self, query: str) -> list[FunctionTotals]:
        """The sums as frozen ``FunctionTotals``."""
        return [
            FunctionTotals(query, function, version, **vars(sums))
            for (function, version), sums in self.sums.items()
        ]

    def metric_totals(self, query: str) -> list[MetricTotal]:
        """The metrics as frozen ``MetricTotal``."""
        return [MetricTotal(query, *name, value) for name, value in self.metrics.items()]


def fits(kind: str, value: Any) -> bool:
    """Whether a snapshot from a worker has a form that ``merge`` takes."""
    match kind, value:
        case "counter", _:
            return _number(value)
        case "gauge", [stamp, _]:
            return _number(stamp)
        case "meter", {"count": count, "start": start, "last": last}:
            return _number(count) and _number(start) and _number(last)
        case "histogram", {"count": 0, "sum": _, "min": _, "max": _, "buckets": {}}:
            return True
        case "histogram", {"count": count, "sum": s, "min": low, "max": high, "buckets": dict(b)}:
            return all(map(_number, (count, s, low, high, *b.values()))) and all(map(_bucket, b))
    return False


def _bucket(name: str) -> bool:
    return _BUCKET.fullmatch(name) is not None


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
