"""A query over time: rows a second, where the time went, how long bundles took.

Each bundle is spread over the time it took, from the moment its worker began to wait for it until
its results were written to the JVM, and summed in points of equal width. There are at most
``MAX_POINTS`` of them: when a query outgrows them, they are merged two by two. Attempts that do
not count are included, because their workers did that work; ``run_store`` has the sums without
them. Results are the frozen classes of ``timeline``.
"""

from __future__ import annotations

import heapq
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
import numpy.typing as npt

from notebook_udf.sanitize import one_line
from notebook_udf.telemetry.records import (
    BundleDone,
    BundleSampled,
    BundlesDone,
    FunctionTimings,
    TaskId,
)
from notebook_udf.telemetry.store.function_sums import Key
from notebook_udf.telemetry.timeseries.latencies import Durations, Latencies, Percentiles
from notebook_udf.telemetry.timeseries.points import BUSY, COLUMNS, Points, Spread
from notebook_udf.telemetry.timeseries.timeline import (
    FunctionLine,
    SlowBundle,
    Timeline,
    WorkerLine,
)

MAX_POINTS = 600
MAX_SLOWEST = 20
MAX_QUERIES = 100
# Over all queries; the oldest lose resolution first.
MAX_ALL_POINTS = 60_000
# Workers beyond these share one line, as worker 0.
MAX_WORKERS = 64
_MAX_TASKS = 500
# Bundles that are buffered before they are summed, and records of them: one of few bundles takes as
# much memory as one of hundreds.
_MAX_ASIDE = 10_000
_MAX_RECORDS_ASIDE = 500
_MAX_SAMPLES_ASIDE = 500
# Samples kept whose query has no bundles yet.
_MAX_ORPHANS = 100
_NARROWEST = 0.1
_LATEST = 1e11
_SAMPLED = 10
_SAMPLED_TEXT = 200
# Samples of a query that keep what its functions were called with.
_WITH_CALLS = 8
_LONGEST_NS = 10**15
_FRACTIONS = (0.5, 0.95, 0.99)


class Series:
    """The mutable time series of one query.

    Attributes
    ----------
    changes
        The number of records added, to detect changes by.
    """

    def __init__(self) -> None:
        self.changes = 0
        self._width = _NARROWEST
        self._span: tuple[int, int] | None = None
        self._functions: dict[Key, Points] = {}
        self._workers: dict[int, Points] = {}
        self._latencies: dict[Key, Latencies] = {}
        self._slowest: list[tuple[int, int, BundleDone, int | None]] = []
        self._numbers = count()
        self._samples: OrderedDict[tuple[TaskId, int, int], BundleSampled] = OrderedDict()
        # Number of the last bundle of a task and its rows so far; None once a bundle was missed.
        self._rows: OrderedDict[tuple[TaskId, int], tuple[int, int | None]] = OrderedDict()

    @property
    def points(self) -> int:
        """The number of points kept."""
        return sum(map(len, (*self._functions.values(), *self._workers.values())))

    def add(self, record: BundlesDone) -> None:
        """Adds the bundles of a record."""
        self.changes += 1
        took = [_took(timings) for timings in record.functions]
        busy = sum(took, np.zeros(len(record), np.int64))
        for timings, each in zip(record.functions, took, strict=True):
            self._latencies.setdefault(_key(timings), Latencies()).add(each)
        self._keep_slow(record, busy)
        ends = np.array(record.time, np.float64)
        if not ((ends > 0) & (ends < _LATEST)).all():
            return
        waiting = _column(record.wait_ns) + _column(record.write_ns)
        spread = self._spread(ends, (busy + waiting) / 1e9)
        for timings, each in zip(record.functions, took, strict=True):
            counts = timings.rows_in, timings.errors
            times = timings.decode_ns, timings.user_ns, timings.encode_ns
            columns = [*map(_column, counts), waiting, *map(_column, times)]
            values = np.stack(columns, axis=1).astype(np.float64)
            points = self._functions.setdefault(_key(timings), Points())
            points.add(spread, values)
            points.note(spread, each)
        worker = record.pid
        if worker not in self._workers and len(self._workers) >= MAX_WORKERS:
            worker = 0
        values = np.zeros((len(record), COLUMNS))
        values[:, 0], values[:, BUSY] = _column(record.rows_in), busy
        self._workers.setdefault(worker, Points()).add(spread, values)

    def _keep_slow(self, record: BundlesDone, busy: Durations) -> None:
        """Keeps the bundles among the slowest so far, with the number of their first row."""
        first = self._rows_before(record)
        slow = np.flatnonzero(busy > self._least)
        slow = slow[np.argsort(-busy[slow], kind="stable")[:MAX_SLOWEST]]
        for at in slow.tolist():
            took = int(busy[at])
            if took <= self._least:
                return
            row = None if first is None else 1 + first + sum(record.rows_in[:at])
            full = len(self._slowest) == MAX_SLOWEST
            push = heapq.heappushpop if full else heapq.heappush
            push(self._slowest, (took, -next(self._numbers), record[at], row))

    def sample(self, record: BundleSampled) -> None:
        """Keeps the first rows of a bundle, shortened for display."""
        cut = [
            tuple([one_line(text, _SAMPLED_TEXT) for text in texts[:_SAMPLED]])
            for texts in (record.columns, *record.rows[:_SAMPLED])
        ]
        kept = replace(record, columns=cut[0], rows=tuple(cut[1:]))
        self._samples[record.task, record.pid, record.bundle] = kept
        if len(self._samples) > _WITH_CALLS:
            place = list(self._samples)[-_WITH_CALLS - 1]
            self._samples[place] = replace(self._samples[place], calls=())
        if len(self._samples) > 2 * MAX_SLOWEST:
            self._samples.popitem(last=False)

    def samples(self) -> list[BundleSampled]:
        """The samples that are kept, oldest first."""
        return list(self._samples.values())

    @property
    def _least(self) -> int:
        return self._slowest[0][0] if len(self._slowest) == MAX_SLOWEST else -1

    def _rows_before(self, record: BundlesDone) -> int | None:
        """The number of the partition's rows before a record's bundles; None if not known."""
        task = record.task, record.pid
        number, rows = self._rows.pop(task, (0, 0))
        steps = np.diff((number, *record.bundle))
        if (steps > 1).any() or (steps < 0).any():
            rows = None
        after = None if rows is None else rows + sum(record.rows_in)
        self._rows[task] = record.bundle[-1], after
        if len(self._rows) > _MAX_TASKS:
            self._rows.popitem(last=False)
        return rows

    def _spread(self, ends: npt.NDArray[np.float64], seconds: npt.NDArray[np.float64]) -> Spread:
        """Locates bundles in points, which are widened first if the query outgrows them."""
        begins = np.maximum(ends - seconds, 1e-9)
        low, high = float(begins.min()), float(ends.max())
        while True:
            first, last = int(low / self._width), int(high / self._width)
            if self._span is not None:
                first, last = min(first, self._span[0]), max(last, self._span[1])
            if last - first < MAX_POINTS:
                self._span = first, last
                return Spread(begins / self._width, ends / self._width)
            self.halve()

    def halve(self) -> None:
        """Doubles the width: merges the points two by two."""
        self._width *= 2
        if self._span is not None:
            self._span = self._span[0] // 2, self._span[1] // 2
        for points in (*self._functions.values(), *self._workers.values()):
            points.halve()

    def timeline(self, query: str, most: int) -> Timeline:
        """The time series in at most ``most`` points."""
        first, last = self._span or (0, -1)
        step = max(1, -(-(last - first + 1) // max(1, most)))
        functions, workers = [], []
        for key, points in self._functions.items():
            rows, errors, wait, decode, user, encode = points.merged(first, last, step)
            p50, p95, p99 = points.ranks(first, last, step, _FRACTIONS)
            functions.append(
                FunctionLine(*key, rows, errors, wait, decode, user, encode, p50, p95, p99)
            )
        for pid, points in self._workers.items():
            columns = points.merged(first, last, step)
            workers.append(WorkerLine(pid, columns[0], columns[BUSY]))
        start, width = first * self._width, self._width * step
        return Timeline(query, start, width, tuple(functions), tuple(workers))

    def percentiles(self, query: str) -> list[Percentiles]:
        """Percentiles of the bundles' durations by function and version."""
        found = []
        for key, each in self._latencies.items():
            p50, p95, p99 = each.percentiles(_FRACTIONS)
            found.append(
                Percentiles(query, *key, each.count, p50, p95, p99, each.longest, each.exact)
            )
        return found

    def slowest(self) -> list[SlowBundle]:
        """The slowest bundles, slowest first."""
        found = sorted(self._slowest, key=lambda each: each[:2], reverse=True)
        return [
            SlowBundle(
                bundle, busy, first, self._samples.get((bundle.task, bundle.pid, bundle.bundle))
            )
            for busy, _, bundle, first in found
        ]


class Timelines:
    """The time series of all queries, least recently active first. Not thread-safe by itself.

    Records are buffered until a series is read, or there are many: added together they cost a
    fifth, and a run that nobody watches has its processors for itself.
    """

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        """Removes all series."""
        self._queries: OrderedDict[str, Series] = OrderedDict()
        self._aside: dict[tuple[int, TaskId], list[BundlesDone]] = {}
        self._bundles_aside = self._records_aside = 0
        self._samples_aside: list[BundleSampled] = []

    def add(self, record: BundlesDone) -> None:
        """Buffers the bundles of a record."""
        self._aside.setdefault((record.pid, record.task), []).append(record)
        self._bundles_aside += len(record)
        self._records_aside += 1
        if self._bundles_aside >= _MAX_ASIDE or self._records_aside >= _MAX_RECORDS_ASIDE:
            self._count()

    def _count(self) -> None:
        """Adds the buffered bundles to their series, and keeps the total in bounds."""
        aside, self._aside = self._aside, {}
        self._bundles_aside = self._records_aside = 0
        for records in aside.values():
            for record in BundlesDone.joined(records):
                self._series(record.task.query).add(record)
        if aside:
            self._thin()
        # One of a query without bundles waits for them: a series made for it would push out one
        # that has some.
        orphans = []
        for sample in self._samples_aside:
            if sample.task.query in self._queries:
                self._queries[sample.task.query].sample(sample)
            else:
                orphans.append(sample)
        self._samples_aside = orphans[-_MAX_ORPHANS:]

    def sample(self, record: BundleSampled) -> None:
        """Keeps the first rows of a bundle."""
        self._samples_aside.append(record)
        if len(self._samples_aside) >= _MAX_SAMPLES_ASIDE:
            self._count()

    def _series(self, query: str) -> Series:
        series = self._queries.setdefault(query, Series())
        self._queries.move_to_end(query)
        if len(self._queries) > MAX_QUERIES:
            self._queries.popitem(last=False)
        return series

    def of(self, query: str | None) -> Iterator[tuple[str, Series]]:
        """The series of one query, or of all if it is None, each with its query."""
        self._count()
        if query is None:
            yield from self._queries.items()
        elif query in self._queries:
            yield query, self._queries[query]

    def _thin(self) -> None:
        total = sum(series.points for series in self._queries.values())
        while total > MAX_ALL_POINTS:
            before = total
            for series in self._queries.values():
                total -= series.points
                series.halve()
                total += series.points
                if total <= MAX_ALL_POINTS:
                    return
            if total == before:
                # One point each is as few as there can be.
                return


def _key(timings: FunctionTimings) -> Key:
    return timings.function, timings.version


def _took(timings: FunctionTimings) -> Durations:
    return _column(timings.decode_ns) + _column(timings.user_ns) + _column(timings.encode_ns)


def _column(values: tuple[int, ...]) -> Durations:
    # A worker may send any number there is.
    try:
        found: Durations = np.clip(np.array(values, np.int64), 0, _LONGEST_NS)
        return found
    except OverflowError:
        return np.array([min(max(value, 0), _LONGEST_NS) for value in values], np.int64)
