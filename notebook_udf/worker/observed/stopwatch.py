"""Measures which part of a bundle takes how long: decoding, the user's code, encoding."""

from __future__ import annotations

from time import perf_counter_ns
from typing import Literal, TypeAlias

from notebook_udf.worker.runtime.bundle_statistics import BundleStatistics

Part: TypeAlias = Literal["decode_ns", "user_ns", "encode_ns"]


class Stopwatch:
    """Adds the time since its last change to what ran until then; one a task, in one thread."""

    __slots__ = ("_part", "_since", "_statistics")

    def __init__(self) -> None:
        self._since = 0
        self._part: Part = "decode_ns"
        self._statistics: BundleStatistics | None = None

    def turn(self, statistics: BundleStatistics | None, part: Part = "decode_ns") -> None:
        """From now on a part of a function's bundle runs; with None nothing that is measured."""
        now = perf_counter_ns()
        until = self._statistics
        if until is not None:
            setattr(until, self._part, getattr(until, self._part) + now - self._since)
        self._since, self._statistics, self._part = now, statistics, part
