"""The side channel's records, from workers to the kernel.

Frozen data; ``wire`` encodes it and ``store`` interprets it. Times are seconds since the epoch,
sizes bytes, durations nanoseconds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import attrgetter
from typing import Any, ClassVar

from notebook_udf.errors import FailedRow

# The ``pid`` of records about functions in Spark's JVM, which no worker runs.
IN_JVM = -1

# In ``CallFailed.extra``: the call is of a function made by PySpark's own API, and what is pickled
# of it has the function too.
OBSERVED = "observed"


@dataclass(frozen=True)
class TaskId:
    """One attempt at one partition of one stage, and the query it belongs to.

    ``query`` is Spark's SQL execution id ("" outside SQL), ``task_attempt`` Spark's TID, which
    is unique in an application.
    """

    query: str
    stage: int
    partition: int
    attempt: int
    task_attempt: int


@dataclass(frozen=True)
class FunctionTiming:
    """What one function cost in one bundle; times in nanoseconds."""

    function: str
    version: int
    rows_in: int
    rows_out: int
    decode_ns: int
    user_ns: int
    encode_ns: int
    errors: int = 0


@dataclass(frozen=True)
class FunctionTimings:
    """What one function cost in each of several bundles; nanoseconds."""

    function: str
    version: int
    rows_in: tuple[int, ...]
    rows_out: tuple[int, ...]
    decode_ns: tuple[int, ...]
    user_ns: tuple[int, ...]
    encode_ns: tuple[int, ...]
    errors: tuple[int, ...]

    def of(self, at: int) -> FunctionTiming:
        """The timing of one bundle."""
        costs = [column[at] for column in _costs(self)]
        return FunctionTiming(self.function, self.version, *costs)

    def total(self) -> FunctionTiming:
        """The sum over all bundles."""
        return FunctionTiming(self.function, self.version, *map(sum, _costs(self)))


@dataclass(frozen=True)
class MetricValue:
    """A user metric, accumulated since the task began.

    ``kind`` is ``counter``, ``gauge``, ``histogram`` or ``meter``; ``value`` is a snapshot that
    ``notebook_udf.functions.metrics.merge`` takes.
    """

    function: str
    name: str
    kind: str
    value: Any


class Record:
    """Base of everything that is sent on the side channel."""

    kind: ClassVar[str]


@dataclass(frozen=True)
class WorkerStarted(Record):
    """A worker was forked and has found the side channel's address."""

    kind: ClassVar[str] = "worker-started"
    pid: int
    host: str
    python: str
    time: float
    log_path: str


@dataclass(frozen=True)
class WorkerPulse(Record):
    """A worker's status, sent about once a second; changes by tasks have records of their own.

    ``cpu_seconds`` is user and system time since the fork, ``memory`` and ``peak_memory`` are
    resident bytes, ``memory_limit`` is 0 without a limit; ``row`` is the current row of the open
    bundle, counted from 1; ``lost_messages`` counts the records that the sender dropped.
    """

    kind: ClassVar[str] = "worker-pulse"
    pid: int
    time: float
    state: str
    function: str
    bundle: int
    row: int
    memory: int
    peak_memory: int
    memory_limit: int
    cpu_seconds: float
    lost_messages: int


@dataclass(frozen=True)
class Position:
    """Rows ``first`` to ``last`` (zero-based, inclusive) of a bundle of ``rows`` rows.

    ``rows`` is 0 where only the task is known, and then ``function`` is "" if it has several.
    ``observed`` is whether all functions of the task are of PySpark's own API.
    """

    task_attempt: int
    bundle: int
    first: int
    last: int
    rows: int
    function: str
    observed: bool = False


@dataclass(frozen=True)
class Hogged:
    """Bytes that a worker held when the daemon ended it, and that the machine had left, and has."""

    held: int
    free: int
    machine: int


# The code with which Spark's worker exits once it has sent a task's error.
TASK_FAILED = 255


@dataclass(frozen=True)
class WorkerExited(Record):
    """A worker has ended. One of ``exit_code`` and ``signal`` is set if a daemon of ours reaped it,
    and neither if it crashed under another.

    ``position`` is the last that it noted, None if its last task was through. ``hogged`` is set if
    the daemon ended it, since the machine had too little memory left.
    """

    kind: ClassVar[str] = "worker-exited"
    pid: int
    time: float
    exit_code: int | None
    signal: int | None
    requested: bool
    output: str
    position: Position | None = None
    hogged: Hogged | None = None


@dataclass(frozen=True)
class TaskStarted(Record):
    """A Spark task that calls functions has begun.

    ``description`` is Spark's description of its query, "" without one. ``observed`` is whether all
    functions are of PySpark's own API.
    """

    kind: ClassVar[str] = "task-started"
    pid: int
    time: float
    task: TaskId
    functions: tuple[str, ...]
    description: str = ""
    observed: bool = False


@dataclass(frozen=True)
class BundleDone(Record):
    """A bundle (one Arrow batch) was processed; sent as a part of ``BundlesDone``.

    ``wait_ns`` is the time spent waiting for its rows, ``write_ns`` writing the result to the
    JVM. ``metrics`` holds snapshots of the user metrics that changed, so that the next message
    makes up for a lost one.
    """

    kind: ClassVar[str] = "bundle-done"
    pid: int
    time: float
    task: TaskId
    bundle: int
    rows_in: int
    rows_out: int
    bytes_in: int
    bytes_out: int
    wait_ns: int
    write_ns: int
    functions: tuple[FunctionTiming, ...]
    metrics: tuple[MetricValue, ...] = ()


@dataclass(frozen=True)
class BundlesDone(Record):
    """Bundles of one worker and task, in order: a column for each field of ``BundleDone``.

    Short bundles come by the thousand, and an object each would be too costly for both ends.
    ``metrics`` are those of all the bundles.
    """

    kind: ClassVar[str] = "bundles-done"
    pid: int
    task: TaskId
    time: tuple[float, ...]
    bundle: tuple[int, ...]
    rows_in: tuple[int, ...]
    rows_out: tuple[int, ...]
    bytes_in: tuple[int, ...]
    bytes_out: tuple[int, ...]
    wait_ns: tuple[int, ...]
    write_ns: tuple[int, ...]
    functions: tuple[FunctionTimings, ...]
    metrics: tuple[MetricValue, ...] = ()

    def __post_init__(self) -> None:
        columns = [getattr(self, name) for name in BUNDLE_FIELDS]
        columns += [getattr(each, name) for each in self.functions for name in COSTS]
        if len({len(column) for column in columns}) > 1 or not self.time:
            raise ValueError("bundles with fields for some of them only, or none at all")

    def __len__(self) -> int:
        return len(self.time)

    @classmethod
    def of(cls, bundles: Iterable[BundleDone]) -> Iterator[BundlesDone]:
        """Packs bundles into records: one for each run with the same worker, task and functions."""
        for (pid, task, functions), run in groupby(bundles, _shared):
            alike = list(run)
            fields = {name: tuple([getattr(b, name) for b in alike]) for name in BUNDLE_FIELDS}
            timings = [
                FunctionTimings(*key, *zip(*(_costs(b.functions[at]) for b in alike), strict=True))
                for at, key in enumerate(functions)
            ]
            metrics = [metric for bundle in alike for metric in bundle.metrics]
            yield cls(pid, task, **fields, functions=tuple(timings), metrics=tuple(metrics))

    @classmethod
    def joined(cls, records: Iterable[BundlesDone]) -> Iterator[BundlesDone]:
        """Joins records: one for each run with the same worker, task and functions.

        Their metrics, snapshots that the worker's next record replaces, are left out.
        """
        for (pid, task, functions), run in groupby(records, _shared):
            alike = list(run)
            fields = {name: _chained(alike, name) for name in BUNDLE_FIELDS}
            timings = [
                FunctionTimings(
                    *key, *(_chained([r.functions[at] for r in alike], n) for n in COSTS)
                )
                for at, key in enumerate(functions)
            ]
            yield cls(pid, task, **fields, functions=tuple(timings))

    def __getitem__(self, at: int) -> BundleDone:
        """One bundle; the last one holds the metrics of all."""
        if not 0 <= at < len(self):
            raise IndexError(f"bundle {at} of {len(self)}")
        fields = {name: getattr(self, name)[at] for name in BUNDLE_FIELDS}
        timings = tuple([each.of(at) for each in self.functions])
        metrics = self.metrics if at == len(self) - 1 else ()
        return BundleDone(self.pid, task=self.task, **fields, functions=timings, metrics=metrics)

    def __iter__(self) -> Iterator[BundleDone]:
        """Iterates over the bundles."""
        return map(self.__getitem__, range(len(self)))


# The fields of a bundle that are numbers; a record of several has a column of each.
BUNDLE_FIELDS = (
    "time", "bundle", "rows_in", "rows_out", "bytes_in", "bytes_out", "wait_ns", "write_ns",
)  # fmt: skip
# What a function has done in a bundle.
COSTS = ("rows_in", "rows_out", "decode_ns", "user_ns", "encode_ns", "errors")
_costs = attrgetter(*COSTS)


def _chained(things: Iterable[object], name: str) -> tuple[Any, ...]:
    return tuple(chain.from_iterable(getattr(each, name) for each in things))


def _shared(bundle: BundleDone | BundlesDone) -> tuple[int, TaskId, tuple[tuple[str, int], ...]]:
    functions = tuple([(timing.function, timing.version) for timing in bundle.functions])
    return bundle.pid, bundle.task, functions


@dataclass(frozen=True)
class SampledCalls:
    """The arguments of some calls of a function in a bundle, as a list of tuples that is pickled.

    Those of an aggregate are of one group, in their order.
    """

    function: str
    version: int
    pickled: bytes = field(repr=False)


@dataclass(frozen=True)
class BundleSampled(Record):
    """The first rows of a bundle slower than all before it: column names and shortened values, and
    what its functions were called with for them."""

    kind: ClassVar[str] = "bundle-sampled"
    pid: int
    time: float
    task: TaskId
    bundle: int
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    calls: tuple[SampledCalls, ...] = ()


@dataclass(frozen=True)
class TaskEnded(Record):
    """A task has ended. ``outcome`` is ``done``, ``failed`` or ``stopped`` (cancel, LIMIT).

    The totals repeat what the bundles reported, so that the kernel's sums are right even if
    messages in between were dropped.
    """

    kind: ClassVar[str] = "task-ended"
    pid: int
    time: float
    task: TaskId
    outcome: str
    bundles: int
    rows_in: int
    rows_out: int
    functions: tuple[FunctionTiming, ...]
    metrics: tuple[MetricValue, ...] = ()


@dataclass(frozen=True)
class LogLine:
    """One log line of a function; ``row`` counts from 1 in its bundle, -1 outside of a call."""

    sequence: int
    time: float
    level: str
    source: str
    function: str
    bundle: int
    row: int
    text: str


@dataclass(frozen=True)
class LogLines(Record):
    """Log lines of one worker, in order; ``dropped`` counts those withheld since the last record.

    ``task_attempt`` is Spark's TID, -1 outside of a task: each task counts its rows again.
    """

    kind: ClassVar[str] = "log-lines"
    pid: int
    query: str
    lines: tuple[LogLine, ...]
    dropped: int = 0
    task_attempt: int = -1


@dataclass(frozen=True)
class CallFailed(Record):
    """A call failed. ``outcome`` is the function's ``on_error``: ``fail``, ``null`` or
    ``quarantine``; ``error`` names the class of ``notebook_udf.errors`` that the kernel raises,
    and ``extra`` holds that class's own attributes."""

    kind: ClassVar[str] = "call-failed"
    pid: int
    time: float
    task: TaskId
    outcome: str
    error: str
    failed: FailedRow
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class StackDump(Record):
    """The answer to ``Command("stacks")``: every thread's Python stack, as text."""

    kind: ClassVar[str] = "stack-dump"
    pid: int
    time: float
    text: str
    reason: str


@dataclass(frozen=True)
class StackFrame:
    """A stack frame: file as in tracebacks, function, line (in a library: the function's first).

    A single frame without a file, whose name says what is done, stands for this package's own.
    """

    file: str
    name: str
    line: int
    library: bool = False


@dataclass(frozen=True)
class StackSamples(Record):
    """A worker's sampled stacks, as counts per stack since its last such record.

    Sent while a profile runs, and once at its end even if there are no samples. Each of
    ``stacks`` holds indices into ``frames``, outermost first; each stack has one of ``functions``
    (an index into ``names``), ``counts`` (samples) and ``ns`` (the time they stand for).
    ``dropped`` counts samples of stacks beyond the limit.
    """

    kind: ClassVar[str] = "stack-samples"
    pid: int
    time: float
    profile: str
    query: str
    names: tuple[str, ...]
    frames: tuple[StackFrame, ...]
    stacks: tuple[tuple[int, ...], ...]
    functions: tuple[int, ...]
    counts: tuple[int, ...]
    ns: tuple[int, ...]
    dropped: int = 0
    last: bool = False

    def __post_init__(self) -> None:
        if len({len(self.stacks), len(self.functions), len(self.counts), len(self.ns)}) > 1:
            raise ValueError("samples without a function, a count or a time")
        for numbers, known in ((chain(*self.stacks), self.frames), (self.functions, self.names)):
            if not all(0 <= number < len(known) for number in numbers):
                raise ValueError("samples of a frame or a function that does not come with them")


@dataclass(frozen=True)
class QueryLeft(Record):
    """A worker has closed the instances it kept for a query; ``errors`` is what they raised."""

    kind: ClassVar[str] = "query-left"
    pid: int
    time: float
    query: str
    instances: int
    errors: tuple[str, ...] = ()
