"""The session's store of workers, queries, metrics, log lines and failed calls.

It applies records in the order they arrive, and returns frozen dataclasses. No sockets and no
clock in here: every time is a record's. Everything is bounded, so that a session may run for
weeks. This module holds the lock and the failed calls; ``worker_store``, ``run_store`` and
``log_store`` hold the rest.

What it leaves to others: receiving records (``receiver``), showing the views (``widgets``),
raising errors (``pool``).
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Container
from dataclasses import replace

from notebook_udf.telemetry.records import (
    IN_JVM,
    BundleDone,
    BundleSampled,
    BundlesDone,
    CallFailed,
    LogLines,
    Record,
    StackDump,
    TaskEnded,
    TaskStarted,
    WorkerExited,
)
from notebook_udf.telemetry.store.function_sums import FunctionTotals, MetricTotal
from notebook_udf.telemetry.store.log_store import KeptLogs, Logs
from notebook_udf.telemetry.store.run_store import Runs
from notebook_udf.telemetry.store.worker_store import Workers, WorkerView
from notebook_udf.telemetry.timeseries.latencies import Percentiles
from notebook_udf.telemetry.timeseries.series import MAX_POINTS, Timelines
from notebook_udf.telemetry.timeseries.timeline import SlowBundle, Timeline

_log = logging.getLogger("notebook_udf.telemetry")

MAX_FAILURES = 1_000
MAX_FAILURE_BYTES = 64 * 1024 * 1024
MAX_STACKS = 200
_MAX_STACK = 256 * 1024
_OF_RUNS = (WorkerExited, TaskStarted, BundlesDone, TaskEnded)

Callback = Callable[[Record], None]


class Store:
    """The store of one session. Every method may be called from any thread."""

    def __init__(self) -> None:
        # Whether records come when tasks have ended, because workers do not reach this process.
        self.late = False
        # What a stage computes, by its number: the same for two that Spark gave different numbers
        # because the output of the first was lost. None if it is not known. It may take a while.
        self.computed: Callable[[int], object] = lambda _: None
        # Applies what has arrived and is not applied yet, within so many seconds.
        self.catch_up: Callable[[float], object] = lambda _: None
        self._changed = threading.Condition()
        self._workers = Workers()
        self._runs = Runs()
        self._timelines = Timelines()
        self._logs = Logs()
        self._callbacks: dict[object, tuple[Callback, tuple[type[Record], ...]]] = {}
        self._forget()

    def _forget(self) -> None:
        self._failures: deque[CallFailed] = deque()
        self._failures_by_id: dict[str, CallFailed] = {}
        self._failure_bytes = 0
        self._stacks: deque[StackDump] = deque(maxlen=MAX_STACKS)

    def apply(self, record: Record) -> None:
        """Applies a record, wakes the threads that wait for it, then calls the subscribers.

        Subscribers are called once for each bundle of a ``BundlesDone``. What they raise is logged.
        """
        with self._changed:
            if getattr(record, "pid", None) != IN_JVM:
                self._workers.apply(record)
            match record:
                case BundlesDone() | TaskStarted() | TaskEnded():
                    self._runs.apply(record)
                    if isinstance(record, BundlesDone):
                        self._timelines.add(record)
                case BundleSampled():
                    self._timelines.sample(record)
                case LogLines():
                    self._logs.add(record)
                case CallFailed():
                    self._fail(record)
                case StackDump():
                    self._stacks.append(replace(record, text=record.text[:_MAX_STACK]))
            if isinstance(record, _OF_RUNS) and self._workers.exit_of(record.pid) is not None:
                # What a worker said and that it has ended come by two ways, in any order.
                self._runs.lose(record.pid)
            self._changed.notify_all()
            callbacks = [
                callback
                for callback, kinds in self._callbacks.values()
                if isinstance(record, kinds)
            ]
        if not callbacks:
            return
        told: list[Record] = list(record) if isinstance(record, BundlesDone) else [record]
        for callback in callbacks:
            for each in told:
                try:
                    callback(each)
                except Exception:
                    _log.exception("a subscriber failed on a %s record", each.kind)

    def subscribe(
        self, callback: Callback, kinds: tuple[type[Record], ...] = (Record,)
    ) -> Callable[[], None]:
        """Calls ``callback`` after each record, on the thread that applies it.

        Parameters
        ----------
        kinds
            Only after records of these classes. Leave out bundles if possible: they come by the
            thousand.

        Returns
        -------
        An idempotent function that ends the subscription.
        """
        handle = object()
        with self._changed:
            self._callbacks[handle] = callback, kinds

        def unsubscribe() -> None:
            with self._changed:
                self._callbacks.pop(handle, None)

        return unsubscribe

    def clear(self) -> None:
        """Removes queries, log lines, failed calls, stack dumps and workers that have ended.

        Live workers and subscriptions stay.
        """
        with self._changed:
            self._workers.clear()
            self._runs.clear()
            self._timelines.clear()
            self._logs.clear()
            self._forget()

    def workers(self) -> list[WorkerView]:
        """Every worker, also those that have ended, in the order of their first records."""
        with self._changed:
            return self._workers.views()

    def worker_of(self, task_attempt: int) -> WorkerView | None:
        """The worker that ran Spark's task of that TID.

        A task with several Python nodes has several; one that has ended is preferred, then the
        latest.
        """
        with self._changed:
            return self._workers.of_task(task_attempt)

    def wait_exit(self, pid: int, timeout: float) -> WorkerExited | None:
        """Waits up to ``timeout`` seconds for a worker's end; None if it has not ended."""
        with self._changed:
            self._changed.wait_for(lambda: self._workers.exit_of(pid) is not None, timeout)
            return self._workers.exit_of(pid)

    def wait_exit_at(self, task_attempt: int, timeout: float) -> WorkerExited | None:
        """How the worker ended that was at a task as it did, waiting up to ``timeout`` seconds.

        For one that ended before it could say that it has begun the task.
        """

        def found() -> WorkerExited | None:
            return next((e for e in self._workers.exits() if at(e) == task_attempt), None)

        def at(ended: WorkerExited) -> int | None:
            return ended.position.task_attempt if ended.position is not None else None

        with self._changed:
            self._changed.wait_for(found, timeout)
            return found()

    def last_crash(self, seconds: float, without: Container[int]) -> WorkerExited | None:
        """The worker that crashed last in the last ``seconds``, but for some by their process ids.

        For one that ran a function which nobody watches: those that were at a task say at which.
        """
        since = time.time() - seconds
        with self._changed:
            crashes = [
                ended
                for ended in self._workers.exits()
                if ended.exit_code != 0 and not ended.requested and ended.position is None
                if ended.time >= since and ended.pid not in without
            ]
        return max(crashes, key=lambda ended: ended.time, default=None)

    def bundles(self, query: str | None = None) -> list[BundleDone]:
        """The bundles that are kept, each query's in order, without their user metrics.

        Includes those of attempts that do not count.
        """
        with self._changed:
            return self._runs.bundles(query)

    def totals(self, query: str | None = None) -> list[FunctionTotals]:
        """Sums per query, function and version, over the attempts that count.

        For a partition, the first attempt that ended ``done`` counts; without one, the latest that
        is running; else the latest. Queries no longer kept one by one are summed under
        ``EARLIER``.
        """
        self._identify_stages(query)
        with self._changed:
            return self._runs.totals(query)

    def name(self, query: str) -> str:
        """A query's readable name: its cell and first words; "" if it is not known."""
        with self._changed:
            return self._runs.name(query)

    def totals_by_stage(self, query: str) -> dict[int, list[FunctionTotals]]:
        """The sums of one query by Spark's stage number, then per function and version."""
        self._identify_stages(query)
        with self._changed:
            return self._runs.totals_by_stage(query)

    def _identify_stages(self, query: str | None) -> None:
        with self._changed:
            doubtful = self._runs.doubtful_stages(query)
        for stage in doubtful:
            found = self.computed(stage)
            if found is not None:
                with self._changed:
                    self._runs.identify(stage, found)

    def timeline(self, query: str, points: int = MAX_POINTS) -> Timeline | None:
        """A query over time in at most ``points`` points; None without bundles of it."""
        with self._changed:
            found = [each.timeline(name, points) for name, each in self._timelines.of(query)]
            return found[0] if found else None

    def changes(self, query: str) -> int:
        """A number that changes with each record of bundles of a query, to detect changes by."""
        with self._changed:
            return sum(each.changes for _, each in self._timelines.of(query))

    def percentiles(self, query: str | None = None) -> list[Percentiles]:
        """How long bundles took, per query, function and version."""
        with self._changed:
            found = [each.percentiles(name) for name, each in self._timelines.of(query)]
            return [each for some in found for each in some]

    def slowest(self, query: str | None = None) -> list[SlowBundle]:
        """The slowest bundles of each query, slowest first."""
        with self._changed:
            found = [slow for _, each in self._timelines.of(query) for slow in each.slowest()]
        return sorted(found, key=lambda slow: slow.busy_ns, reverse=True)

    def samples(self, function: str) -> list[BundleSampled]:
        """The samples of slow bundles with calls of a function, oldest first."""
        with self._changed:
            kept = [each for _, series in self._timelines.of(None) for each in series.samples()]
        called = (s for s in kept if any(each.function == function for each in s.calls))
        return sorted(called, key=lambda sample: sample.time)

    def wait_settled(self, query: str, timeout: float) -> bool:
        """Waits up to ``timeout`` seconds until a query has tasks and all have ended, by what
        workers have said when it is called: of a task that said nothing it does not know."""
        until = time.monotonic() + timeout
        self.catch_up(timeout)
        with self._changed:
            left = max(0.0, until - time.monotonic())
            return self._changed.wait_for(lambda: self._runs.settled(query), left)

    def metrics(self, query: str | None = None) -> list[MetricTotal]:
        """User metrics per query and function, merged over the attempts that count."""
        self._identify_stages(query)
        with self._changed:
            return self._runs.metrics(query)

    @property
    def dropped_metrics(self) -> int:
        """The number of snapshots of user metrics that were dropped."""
        with self._changed:
            return self._runs.dropped_metrics

    def kept_logs(self) -> KeptLogs:
        """A snapshot of the log lines in the order of arrival, which keeps each worker's order; it
        shares the store's full blocks, so that a million lines take no further memory."""
        with self._changed:
            return self._logs.kept()

    @property
    def dropped_logs(self) -> int:
        """The number of missing lines: withheld by a worker, or discarded to stay in bounds."""
        with self._changed:
            return self._logs.dropped

    def failures(self, function: str | None = None, query: str | None = None) -> list[CallFailed]:
        """Calls that failed, oldest first."""
        with self._changed:
            return [
                record
                for record in self._failures
                if (function is None or record.failed.function == function)
                and (query is None or record.task.query == query)
            ]

    def failure(self, error_id: str) -> CallFailed | None:
        """The failed call of that error id; the first, if there are several."""
        with self._changed:
            return self._failures_by_id.get(error_id)

    def wait_failure(self, error_id: str, timeout: float) -> CallFailed | None:
        """The failed call of that error id, waiting up to ``timeout`` seconds for it."""
        with self._changed:
            self._changed.wait_for(lambda: error_id in self._failures_by_id, timeout)
            return self._failures_by_id.get(error_id)

    def wait_last_failure(
        self, wanted: Callable[[CallFailed], bool], timeout: float
    ) -> CallFailed | None:
        """The newest failed call that is wanted, waiting up to ``timeout`` seconds for one."""

        def found() -> CallFailed | None:
            return next(filter(wanted, reversed(self._failures)), None)

        with self._changed:
            self._changed.wait_for(lambda: found() is not None, timeout)
            return found()

    def stacks(self, pid: int | None = None) -> list[StackDump]:
        """Stack dumps, oldest first, of one worker or of all."""
        with self._changed:
            return [dump for dump in self._stacks if pid is None or dump.pid == pid]

    def _fail(self, record: CallFailed) -> None:
        if record.failed.error_id in self._failures_by_id:
            # It came by the channel, and in the text of an exception as well.
            return
        self._failures.append(record)
        self._failures_by_id[record.failed.error_id] = record
        self._failure_bytes += _weight(record)
        while len(self._failures) > MAX_FAILURES or (
            self._failure_bytes > MAX_FAILURE_BYTES and len(self._failures) > 1
        ):
            oldest = self._failures.popleft()
            self._failure_bytes -= _weight(oldest)
            if self._failures_by_id.get(oldest.failed.error_id) is oldest:
                del self._failures_by_id[oldest.failed.error_id]


def _weight(record: CallFailed) -> int:
    """Approximate size of a failed call in memory, in bytes."""
    failed = record.failed
    return (
        len(failed.pickled_arguments)
        + len(failed.message)
        + sum(len(name) + len(value) for name, value in failed.arguments)
        + sum(len(frame.file) + len(frame.text) for frame in failed.frames)
        + len(str(record.extra))
        + 1_000
    )
