"""A Spark task with our functions in it: opened, run bundle by bundle, closed.

``pool.spark_worker`` says when a task begins, when a bundle's rows arrive and leave, and when the
task is over; this module opens and closes the functions around that, counts, and reports.
"""

from __future__ import annotations

import os
import time
from array import array
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from notebook_udf.errors import FailedRow
from notebook_udf.telemetry.records import (
    CallFailed,
    MetricValue,
    Position,
    TaskEnded,
    TaskId,
    TaskStarted,
)
from notebook_udf.worker.runtime.slow_bundles import sampled
from notebook_udf.worker.runtime.timeout import CallTimer
from notebook_udf.worker.runtime.waiting_bundles import WaitingBundles
from notebook_udf.worker.runtime.worker_process import Runtime, process

if TYPE_CHECKING:
    import pyarrow as pa

    from notebook_udf.functions.metrics import MetricGroup
    from notebook_udf.worker.runtime.bundle_statistics import BundleStatistics


class TaskCall(Protocol):
    """A function in a task, as the task sees it."""

    name: str
    version: int
    chain: str
    statistics: BundleStatistics
    # Number and rows of the bundle that a failed row belongs to, where it is not the last.
    bundle: tuple[int, int] | None
    # The bundle's row that a row of what runs belongs to, where they are not the same.
    row_of: Callable[[int], int] | None
    # Gives the columns that it was called with first in the bundle, where that is known.
    sample: Callable[[], Sequence[Any]] | None
    # Whether its bundle may have ended before its results are there.
    answers_later: ClassVar[bool]
    # Whether it is of PySpark's own API.
    observed: ClassVar[bool]

    @property
    def aggregates(self) -> bool:
        """Whether its rows belong to groups."""

    @property
    def task(self) -> Task:
        """The task it belongs to."""

    @property
    def metrics(self) -> MetricGroup:
        """Its user's metrics."""

    @property
    def known_parameters(self) -> tuple[str, ...]:
        """The names of its parameters, as far as they are known."""

    @property
    def file(self) -> str | None:
        """The file of its code, as in tracebacks; "" where it could not be found, None where that
        is not known yet."""

    @property
    def memory(self) -> int:
        """The bytes that it may allocate; 0 without a limit."""

    @property
    def time_limit(self) -> float:
        """The seconds that a call may take; 0 without a limit."""

    @property
    def timeout(self) -> float:
        """The same, as far as the task watches the clock for it."""

    @property
    def running(self) -> tuple[int, int]:
        """The row that is running and the first row of its slice; (-1, -1) between rows."""

    def open(self, task: Task) -> None:
        """Begins, before the first row."""

    def close(self, failed: bool) -> None:
        """Ends, after the last one."""

    def awaiting(self, number: int) -> Any:
        """The coroutine of a call in flight, another for another number; None if there is none."""


class Task:
    """One attempt at one partition.

    Parameters
    ----------
    identity
        Which task this is.
    calls
        The functions in it, in the order Spark sent them.
    runtime
        The worker it runs in.
    job_parameters
        Of the query that runs, not of the one for which the worker was started.
    time_zone
        Of the SQL session, in which pandas shows timestamps; None for the process's own.
    scope
        The run of a streaming query that this is a micro-batch of, as ``query/run``; "" if there
        is none. Instances with ``open_scope="query"`` are kept for it, or for the task's query.
    draining
        Whether it is of the last micro-batch of that run.
    profile
        The profile that its query is run for; "" if it is run for its rows.
    description
        What Spark calls its query.
    """

    def __init__(
        self,
        identity: TaskId,
        calls: Sequence[TaskCall],
        runtime: Runtime,
        *,
        job_parameters: Mapping[str, str],
        subtasks: int = 0,
        time_zone: str | None = None,
        scope: str = "",
        draining: bool = False,
        profile: str = "",
        description: str = "",
    ) -> None:
        self.identity = identity
        self.description = description
        self.scope = scope or identity.query
        self.streams = bool(scope)
        self.draining = draining
        self.profile = profile
        self.calls = tuple(calls)
        self._answers_later = any(call.answers_later for call in calls)
        self.runtime = runtime
        # Where rows of this task were put into quarantine.
        self.quarantined: set[str] = set()
        self.job_parameters = job_parameters
        self.subtasks = subtasks
        self.time_zone = time_zone
        self.bundle = 0
        self.rows = 0
        # Whether any rows have arrived.
        self.worked = False
        # What the bundle came as; its first rows are kept if it turns out to be slow.
        self.arrived: pa.RecordBatch | None = None
        # How many rows had come with each bundle and those before it.
        self._until = array("q")
        self.active: TaskCall | None = None
        self.waiting = WaitingBundles(identity, self.calls)
        self._bytes_in = 0
        self._wait_ns = 0
        # How much of the bundle's results has left, and how long that took.
        self._left_rows = self._left_bytes = self._write_ns = 0
        self._bundle_open = False
        self._since_ns = 0
        # What the functions took for the bundle, as far as it is reported.
        self._busy_ns = 0
        self._reported_rows = 0
        self._sent_metrics: dict[tuple[int, str], Any] = {}
        self.timer: CallTimer | None = None

    def start(self) -> None:
        """Opens the functions. What ``open`` raises ends the task."""
        runtime = self.runtime
        runtime.task = self
        limits = [call.memory for call in self.calls if call.memory]
        # Calls have read their names for that.
        names = tuple(call.name for call in self.calls)
        observed = bool(self.calls) and all(call.observed for call in self.calls)
        if runtime.position is not None:
            # A process that ends at once takes the record of this task's beginning with it.
            runtime.position.note(Position(
                self.identity.task_attempt, 0, -1, -1, 0, names[0] if len(names) == 1 else "",
                observed,
            ))  # fmt: skip
            runtime.position.note_task(time.monotonic())
        runtime.end_other_queries(self.scope)
        process.clean.resume(self.scope)
        runtime.limit.apply(min(limits, default=0))
        runtime.send(
            TaskStarted(os.getpid(), time.time(), self.identity, names, self.description, observed)
        )
        if self.profile:
            runtime.profiler.begin(self.profile)
        for call in self.calls:
            self.active = call
            call.open(self)
        self.active = None
        # Fused calls share the main thread, and with it the tightest time-out among them.
        seconds = min((call.timeout for call in self.calls if call.timeout), default=0.0)
        if seconds:
            self.timer = CallTimer(seconds, self._position)
            self.timer.start()

    def begin_bundle(self, rows: int, size: int, wait_ns: int) -> None:
        """Rows have arrived: ``size`` bytes, after ``wait_ns``."""
        self.bundle += 1
        self.rows = rows
        self.worked = self.worked or rows > 0
        self._until.append(self._until[-1] + rows if self._until else rows)
        self._bytes_in = size
        self._wait_ns = wait_ns
        self._left_rows = self._left_bytes = self._write_ns = 0
        self._reported_rows = 0
        self._busy_ns = 0
        self._bundle_open = True
        self._since_ns = perf_counter_ns()

    def extend_bundle(self, rows: int, size: int, wait_ns: int) -> None:
        """More rows have arrived, too few for a bundle of their own: ``size`` bytes."""
        self.rows += rows
        self._until[-1] += rows
        self._bytes_in += size
        self._wait_ns += wait_ns

    def place(self, row: int) -> tuple[int, int, int]:
        """The position of a row of the partition: number of its bundle, row in it, rows of it."""
        index = bisect_right(self._until, row)
        if index >= len(self._until):
            # No row is left, or nobody announced bundles: Spark's own daemon runs this worker.
            return self.bundle, 0, self.rows
        start = self._until[index - 1] if index else 0
        return index + 1, row - start, self._until[index] - start

    def leave(self, rows: int, size: int, write_ns: int) -> None:
        """Results have been handed to the JVM."""
        self._left_rows += rows
        self._left_bytes += size
        self._write_ns += write_ns

    def end_bundle(self) -> None:
        """The bundle's rows are processed, and their results have left."""
        if not self._bundle_open:
            if not self._left_rows:
                return
            # The partition is over, and only now come its groups: they count as a last bundle.
            left = self._left_rows, self._left_bytes, self._write_ns
            self.begin_bundle(0, 0, 0)
            self.leave(*left)
        self._bundle_open = False
        self.active = None
        self.report_midway()
        if not self._sampled() and not self._answers_later:
            self._forget_rows()

    def end_answers(self) -> None:
        """The last results of calls that answer later are there, and what they took is known."""
        self.report_midway()
        self._sampled()
        self._forget_rows()

    def _sampled(self) -> bool:
        """Sends the first rows of the bundle if it was slower than all before it."""
        arrived = self.arrived
        if arrived is None or not self.runtime.slowest.beaten(self.identity.query, self._busy_ns):
            return False
        sample = sampled(self.identity, self.bundle, arrived, self.calls)
        if sample is not None:
            self.waiting.add_sample(sample)
        self._forget_rows()
        return True

    def _forget_rows(self) -> None:
        self.arrived = None
        for call in self.calls:
            call.sample = None

    @property
    def unnoted_ns(self) -> int:
        """Nanoseconds of the open bundle that no function has measured.

        Functions measure a batch when they are through with it. One that fails never is, and its
        run would look as if it had cost nothing.
        """
        if not self._bundle_open:
            return 0
        noted = self._write_ns + sum(call.statistics.noted_ns for call in self.calls)
        return max(0, perf_counter_ns() - self._since_ns - noted)

    def report_midway(self) -> None:
        """Sends the statistics since the last report, while rows are still being processed."""
        self._since_ns = perf_counter_ns()
        rows, self._reported_rows = self.rows - self._reported_rows, self.rows
        size, self._bytes_in = self._bytes_in, 0
        wait_ns, self._wait_ns = self._wait_ns, 0
        costs: tuple[int, ...] = ()
        for call in self.calls:
            self._busy_ns += call.statistics.noted_ns
            costs += call.statistics.take()
        self.runtime.flush_lines()
        numbers = (
            time.time(), self.bundle, rows, self._left_rows, size, self._left_bytes, wait_ns,
            self._write_ns,
        )  # fmt: skip
        self._left_rows = self._left_bytes = self._write_ns = 0
        self.waiting.add(numbers + costs, self._metrics(changed_only=True))
        self.runtime.flush_due()

    def close(self, *, failed: bool) -> None:
        """Closes the functions, the last one first. All are closed even if one raises.

        Raises
        ------
        FunctionFailed
            What the first failing ``close`` led to, unless the task has failed already.
        """
        first: Exception | None = None
        for call in reversed(self.calls):
            self.active = call
            try:
                # With one that raises the task fails, and those before it are not told otherwise.
                call.close(failed or first is not None)
            except Exception as error:
                first = first or error
        if first is not None and not failed:
            raise first

    def end(self, outcome: str) -> None:
        """Reports the totals. ``outcome`` is ``done``, ``failed`` or ``stopped``."""
        self.active = None
        if self.timer is not None:
            self.timer.stop()
        if outcome == "failed" and self._bundle_open:
            # The one it failed in.
            self.end_bundle()
        self.runtime.finish_output()
        # Before the end of the task, for which whoever reads the samples waits.
        self.runtime.profiler.end_task()
        self.runtime.flush_bundles()
        unfinished = [call.statistics.take() for call in self.calls]
        rows_in, rows_out, functions = self.waiting.close(unfinished)
        self.runtime.send(
            TaskEnded(
                pid=os.getpid(),
                time=time.time(),
                task=self.identity,
                outcome=outcome,
                bundles=self.bundle,
                rows_in=rows_in,
                rows_out=rows_out,
                functions=functions,
                metrics=self._metrics(changed_only=False),
            )
        )
        self.runtime.task = None
        if self.runtime.position is not None:
            self.runtime.position.note_task(0.0)
            if outcome == "done":
                # Of another's a worker ends, and has nothing to do with what fails after it.
                self.runtime.position.forget()
        self.runtime.limit.apply()

    def report(
        self, failed: FailedRow, outcome: str, *, error: str, extra: dict[str, Any] | None = None
    ) -> CallFailed:
        """Reports a failed call to the kernel; ``error`` names the class it is to raise."""
        self.runtime.flush_output()
        if extra is not None and "stack" in extra:
            self.runtime.note("ERROR", f"{failed.function} was stuck at:\n{extra['stack']}")
        record = CallFailed(
            os.getpid(), time.time(), self.identity, outcome, error, failed, extra or {}
        )
        self.runtime.send(record)
        return record

    def where(self) -> tuple[str, int, int]:
        """The function, bundle and row that is running."""
        call = self.active
        if call is None:
            return "", self.bundle, -1
        return call.name, self.bundle, call.running[0]

    def note_rows(
        self, name: str, first: int, last: int, rows: int, bundle: int | None = None
    ) -> None:
        """Notes which rows a function is at, of how many in their bundle, in case the process
        dies; ``bundle`` is its number where it is not the last one."""
        if self.runtime.position is not None:
            number = self.bundle if bundle is None else bundle
            attempt = self.identity.task_attempt
            self.runtime.position.note(Position(attempt, number, first, last, rows, name))

    def _position(self) -> tuple[int, str, int, int] | None:
        call = self.active
        if call is None or not call.timeout or call.running[0] < 0:
            return None
        return self.identity.task_attempt, call.name, self.bundle, call.running[0]

    def _metrics(self, *, changed_only: bool) -> tuple[MetricValue, ...]:
        values = []
        for i, call in enumerate(self.calls):
            if call.metrics.is_empty:
                continue
            for name, metric in call.metrics.walk():
                snapshot = metric.snapshot()
                if changed_only and self._sent_metrics.get((i, name)) == snapshot:
                    continue
                self._sent_metrics[i, name] = snapshot
                values.append(MetricValue(call.name, name, metric.kind, snapshot))
        return tuple(values)
