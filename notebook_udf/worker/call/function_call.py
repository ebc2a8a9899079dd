"""A function in a task: its instance, and the statistics, position and failures of its calls.

It is opened before the task's first row and closed after its last. The operators decide with which
arguments it is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from notebook_udf.errors import NotebookUdfError
from notebook_udf.functions.definition import doorway
from notebook_udf.functions.metrics import MetricGroup
from notebook_udf.specs.payload import Header, Shipment
from notebook_udf.telemetry.records import TaskId
from notebook_udf.worker.call.failure_report import report
from notebook_udf.worker.call.instance import FunctionInstance
from notebook_udf.worker.runtime import failure, forked
from notebook_udf.worker.runtime.bundle_statistics import BundleStatistics
from notebook_udf.worker.runtime.error_kinds import WorkerStopped
from notebook_udf.worker.runtime.task import Task
from notebook_udf.worker.runtime.worker_process import process

if TYPE_CHECKING:
    import pyarrow as pa

# Calls unpickled in this process and not yet claimed by a task.
_arrived: list[FunctionCall] = []


def take_arrived() -> list[FunctionCall]:
    """The calls unpickled since the last call of this: those of the task that begins."""
    calls = list(_arrived)
    _arrived.clear()
    return calls


def arrived_count() -> int:
    """How many calls were unpickled since ``take_arrived``."""
    return len(_arrived)


class FunctionCall:
    """One function in one Python node of a plan."""

    # Whether its bundle may have ended before its results are there.
    answers_later: ClassVar[bool] = False
    observed: ClassVar[bool] = False
    instances: ClassVar[type[FunctionInstance]] = FunctionInstance

    def __init__(self, shipment: Shipment, *, in_pass: bool = False, waits: bool = False) -> None:
        # Whether a pass calls the function, and rows in and out do not pair up.
        self.in_pass = in_pass
        # Whether the function is opened by ``begin``, and not with its task.
        self._waits = waits
        # Where it stands in a chain of functions, in words.
        self.chain = ""
        self._shipment = shipment
        self._header: Header | None = None
        self._instance: FunctionInstance | None = None
        self._task: Task | None = None
        self.name = "function"
        self.version = 0
        self.statistics = BundleStatistics()
        # Filled by ``row_runner`` and ``vectorized``: where in the bundle they are.
        self.slice_start = -1
        self.results: list[Any] = []
        # The bundle's row that a row of what runs belongs to, where they are not the same.
        self.row_of: Callable[[int], int] | None = None
        # Answers the columns of arguments of the rows it is called for, or of a group's rows; the
        # first of them are kept if the bundle turns out to be slow.
        self.sample: Callable[[], Sequence[pa.Array]] | None = None
        # Number and rows of the bundle that a failed row belongs to, where it is not the last.
        self.bundle: tuple[int, int] | None = None

    @property
    def header(self) -> Header:
        """The header of its payload: what is known of the function without unpickling it.

        Raises
        ------
        VersionMismatch
            If another version packed it.
        """
        if self._header is None:
            self._header = Header.from_json(self._shipment.header)
            self.name, self.version = self._header.name, self._header.version
        return self._header

    @property
    def task(self) -> Task:
        """The task this call belongs to."""
        if self._task is None:
            # Spark's own daemon runs this worker: nobody announced the task.
            forked.contain()
            self.open(Task(TaskId("", 0, 0, 0, 0), [self], process.runtime, job_parameters={}))
        assert self._task is not None
        return self._task

    @property
    def function(self) -> Callable[..., Any]:
        """The user's function, opened."""
        function: Callable[..., Any] = self.instance.function
        return function

    @property
    def instance(self) -> FunctionInstance:
        """The user's function with its context; made on first use."""
        if self._instance is None:
            made = self.instances(self._shipment, self.header, self.task, self.chain)
            self._instance = made
        return self._instance

    @property
    def metrics(self) -> MetricGroup:
        if self._instance is None:
            return MetricGroup()
        return self._instance.context.metric_group

    @property
    def aggregates(self) -> bool:
        """Whether its rows belong to groups."""
        return self.header.role in ("partial", "whole", "merge", "window")

    @property
    def known_parameters(self) -> tuple[str, ...]:
        """The names of its parameters; none if the header is the failure and cannot be read."""
        return () if self._header is None else self._header.parameters

    @property
    def file(self) -> str | None:
        """The file of the function's code, as in tracebacks; "" where it could not be found, None
        until the header is read."""
        return self._header.source_file if self._header is not None else None

    @property
    def memory(self) -> int:
        return self.header.options.memory or 0

    @property
    def time_limit(self) -> float:
        return self.header.options.timeout or 0.0

    @property
    def timeout(self) -> float:
        return self.time_limit

    @property
    def running(self) -> tuple[int, int]:
        """The row that is running and the first row of its slice; (-1, -1) between rows."""
        if self.slice_start < 0:
            return -1, -1
        return self.slice_start + len(self.results), self.slice_start

    def awaiting(self, number: int) -> Any:
        """The coroutine of a call in flight, another for another number; None if there is none."""
        return None

    def join(self, task: Task) -> None:
        """Makes this call part of a task, whose ``start`` will open it."""
        self._task, self._instance = task, None

    def open(self, task: Task) -> None:
        """Unpickles the function and calls its ``open``, unless it waits for ``begin``."""
        self.join(task)
        if not self._waits:
            self.begin()

    def begin(self) -> None:
        """Unpickles the function and calls its ``open``, if that has not happened yet."""
        if self._instance is not None and self._instance.is_open:
            return
        doorway.inside_worker = True
        try:
            self.instance.open()
        except (NotebookUdfError, WorkerStopped):
            raise
        except BaseException as error:
            self.fail(error)

    def prepare(self, *, again: bool) -> None:
        """Tells a kept instance that its stream is being drained; again, if it was told before,
        only with ``again``, because it has worked since.

        Raises
        ------
        FunctionFailed
            If it raises: then the micro-batch is not committed.
        """
        try:
            self.instance.prepare(again=again)
        except WorkerStopped:
            raise
        except BaseException as error:
            self.fail(error)

    def close(self, failed: bool) -> None:
        """Closes the function, unless its instance is kept.

        Where nothing has ``failed`` it is told of it before it is closed. It is closed in any
        case. A kept instance is told of the last micro-batch of a stream that is drained.

        Raises
        ------
        FunctionFailed
            For the first of its methods that raises.
        """
        instance = self._instance
        if instance is None or not instance.is_open:
            return
        if instance.is_kept:
            if instance.is_to_prepare and not failed:
                self.prepare(again=self.task.worked)
            return
        first: failure.FunctionFailed | None = None
        methods = instance.end(failed=failed)
        for method in methods:
            if first is not None and method is not methods[-1]:
                continue
            try:
                method()
            except WorkerStopped:
                raise
            except BaseException as error:
                try:
                    self.fail(error)
                except failure.FunctionFailed as reported:
                    first = first or reported
        if first is not None:
            raise first

    def fail(
        self,
        error: BaseException,
        arguments: list[Any] | None = None,
        row: int = -1,
        *,
        outcome: str = "fail",
        group: Mapping[str, Any] | None = None,
        method: str = "",
        attempts: int = 1,
    ) -> None:
        """Reports a failed call; ends the task unless ``outcome`` says that the row is skipped.

        ``group`` holds the keys of the group that an aggregate was at, ``method`` names which of
        its methods was called with the arguments, ``attempts`` says how often.

        Raises
        ------
        FunctionFailed
            With ``outcome="fail"``.
        """
        self.statistics.errors += 1
        if outcome == "fail":
            self.statistics.user_ns += self.task.unnoted_ns
        reported = report(self, error, arguments, row, outcome, group, method, attempts)
        if outcome == "fail":
            carried = not self.task.runtime.heard
            raise failure.FunctionFailed(failure.text(reported, carried=carried)) from None


@contextmanager
def running(call: FunctionCall, first: int, rows: int) -> Iterator[None]:
    """Tells the task which call runs: else output, time-outs and losses belong to no function."""
    task = call.task
    task.active = call
    task.note_rows(call.name, first, first + rows - 1, task.rows)
    timer = task.timer if call.timeout else None
    if timer is not None:
        timer.enter()
    yield
    if timer is not None:
        timer.leave()
    call.slice_start = -1
    task.active = None


def announce(call: FunctionCall) -> FunctionCall:
    """Registers an unpickled call for the task that begins."""
    _arrived.append(call)
    process.attach()
    return call
