"""What the bundles of a task have cost, until it is sent together, and in all.

A bundle is a row of numbers here: a record of its own would cost the worker as much as a short
bundle does.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from operator import add
from typing import Any, Protocol, TypeVar

from notebook_udf.telemetry.records import (
    BUNDLE_FIELDS,
    COSTS,
    BundleSampled,
    BundlesDone,
    FunctionTiming,
    FunctionTimings,
    MetricValue,
    Record,
    TaskId,
)
from notebook_udf.worker.runtime.bundle_statistics import Costs

T = TypeVar("T")

# Numbers of a bundle before those of its functions, and of each of these.
_OWN, _EACH = len(BUNDLE_FIELDS), len(COSTS)


class Named(Protocol):
    """A function, once it has been read."""

    name: str
    version: int


class WaitingBundles:
    """The bundles of one task. One thread adds, and another one may take at the same time.

    Parameters
    ----------
    task
        Which task they are of.
    functions
        Its functions, whose names need not be known before the first bundle has ended.

    Attributes
    ----------
    since
        When the first that waits was added, by ``time.monotonic``; 0.0 if none waits.
    """

    def __init__(self, task: TaskId, functions: Sequence[Named]) -> None:
        self._task = task
        self._functions = tuple(functions)
        self._rows: list[tuple[Any, ...]] = []
        self._metrics: list[MetricValue] = []
        self._samples: list[BundleSampled] = []
        self._totals: list[Any] = [0] * (_OWN + _EACH * len(self._functions))
        self.since = 0.0

    def add(self, numbers: tuple[Any, ...], metrics: Sequence[MetricValue]) -> None:
        """A bundle has ended, or some rows of it are reported midway.

        Parameters
        ----------
        numbers
            ``BUNDLE_FIELDS`` of it, and ``COSTS`` of each function.
        metrics
            Those that have changed.
        """
        # Before the row, which ``take`` may take at once.
        self._metrics += metrics
        self._rows.append(numbers)
        self.since = self.since or time.monotonic()

    def add_sample(self, sample: BundleSampled) -> None:
        """The sample of a bundle that was added before."""
        self._samples.append(sample)
        self.since = self.since or time.monotonic()

    def take(self) -> list[Record]:
        """The records of what waits. For one thread at a time."""
        self.since = 0.0
        # In this order: neither a sample nor metrics are to come without their bundle.
        samples, rows = _taken(self._samples), _taken(self._rows)
        if not rows:
            return [*samples]
        columns = list(zip(*rows, strict=True))
        self._totals = [n + sum(c) for n, c in zip(self._totals, columns, strict=True)]
        fields = dict(zip(BUNDLE_FIELDS, columns[:_OWN], strict=True))
        timings = [FunctionTimings(*key, *part) for key, part in self._parts(columns)]
        metrics = tuple(_taken(self._metrics))
        bundles = BundlesDone(
            os.getpid(), self._task, **fields, functions=tuple(timings), metrics=metrics
        )
        return [bundles, *samples]

    def close(self, costs: Sequence[Costs]) -> tuple[int, int, tuple[FunctionTiming, ...]]:
        """Rows in and rows out of all bundles taken, and what each function cost; ``costs`` are
        those of a bundle that was never finished."""
        sums = dict(zip(BUNDLE_FIELDS, self._totals[:_OWN], strict=True))
        timings = [
            FunctionTiming(*key, *map(add, part, own))
            for (key, part), own in zip(self._parts(self._totals), costs, strict=True)
        ]
        return sums["rows_in"], sums["rows_out"], tuple(timings)

    def _parts(self, numbers: list[Any]) -> Iterator[tuple[tuple[str, int], list[Any]]]:
        """Each function with its part of what bundles consist of."""
        for at, each in enumerate(self._functions):
            key = each.name, each.version
            yield key, numbers[_OWN + at * _EACH : _OWN + (at + 1) * _EACH]


def _taken(waiting: list[T]) -> list[T]:
    """What a list holds now, and no longer; what another thread appends meanwhile stays."""
    found = waiting[:]
    del waiting[: len(found)]
    return found
