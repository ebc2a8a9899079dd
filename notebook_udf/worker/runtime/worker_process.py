"""The worker: what it has once, for all tasks it runs.

Side channel, captured output, memory limit, progress file, and the instances that functions asked
to keep while a query lives. Where Spark's daemon could not be replaced there is no channel and no
capture, and functions run all the same.
"""

from __future__ import annotations

import importlib
import os
import platform
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol

from notebook_udf.functions.base import Ending, Endings
from notebook_udf.telemetry.records import (
    LogLines,
    Record,
    WorkerPulse,
    WorkerStarted,
)
from notebook_udf.telemetry.sender import Sender
from notebook_udf.worker.runtime.clean_process import CleanProcess
from notebook_udf.worker.runtime.dependencies import Imports
from notebook_udf.worker.runtime.event_loop import EventLoop
from notebook_udf.worker.runtime.memory_limit import (
    MemoryLimit,
    cpu_seconds,
    peak_bytes,
    resident_bytes,
)
from notebook_udf.worker.runtime.output_capture import Capture
from notebook_udf.worker.runtime.profiler import Profiler
from notebook_udf.worker.runtime.progress_file import PositionFile, row_number
from notebook_udf.worker.runtime.quarantine_store import QUARANTINE_VARIABLE, QuarantineStore
from notebook_udf.worker.runtime.slow_bundles import Slowest
from notebook_udf.worker.runtime.stop_signal import StopSignal
from notebook_udf.worker.runtime.task_records import TaskRecords

if TYPE_CHECKING:
    from notebook_udf.worker.runtime.heartbeat import Agent
    from notebook_udf.worker.runtime.task import Task

# How long what a bundle has cost waits for those after it: a message takes each end as long as ten
# bundles do. The agent sends it then; where it does not come to it, because a function holds the
# interpreter, the next bundle does.
_TOGETHER_SECONDS = 0.25

# Lines in one message; more make several.
_LINES_PER_MESSAGE = 200


class Running(Protocol):
    """A call in flight."""

    def where(self) -> tuple[str, int, int]:
        """The function, bundle and row that it runs."""


# Which call a line of output comes from; tasks that a function makes for itself inherit it.
running_call: ContextVar[Running | None] = ContextVar("running_call", default=None)


@dataclass
class Kept:
    """An opened instance that outlives its task."""

    query: str
    value: Any
    endings: Endings
    # Whether ``prepare_to_shutdown`` has been called, and whether it has raised.
    prepared: bool = False
    failed: bool = False

    def prepare(self) -> None:
        """Calls ``prepare_to_shutdown``, if the function has it."""
        if self.endings.prepare is None:
            return
        self.prepared = self.failed = True
        self.endings.prepare()
        self.failed = False


@dataclass
class Runtime:
    """The state of a worker; ``detached()`` makes one with nothing attached."""

    sender: Sender | None = None
    capture: Capture | None = None
    position: PositionFile | None = None
    limit: MemoryLimit = field(default_factory=MemoryLimit)
    # Where rows are put that a function cannot take; None in a process that is no session's.
    quarantine: QuarantineStore | None = None
    task: Task | None = None
    kept: dict[tuple[str, str], Kept] = field(default_factory=dict)
    slowest: Slowest = field(default_factory=Slowest)
    # Whether the kernel has answered on the channel, and what leaves another way while it has not.
    heard: bool = False
    records: TaskRecords | None = None
    # Whether the JVM has closed its end of the connection to this worker.
    hung_up: Callable[[], bool] = lambda: False
    # Lets go of results that wait in a buffer on their way to the JVM.
    flush_rows: Callable[[], None] = lambda: None
    _loop: EventLoop | None = None
    _flushing: threading.Lock = field(default_factory=threading.Lock)
    _ending: threading.Lock = field(default_factory=threading.Lock)
    # A signal's handler may send from within.
    _sending: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.profiler = Profiler(self)

    @classmethod
    def attached(cls, sender: Sender, folder: Path, *, memory: int) -> Runtime:
        """The runtime of a worker of the session whose folder is ``folder``."""
        workers = folder / "workers"
        workers.mkdir(mode=0o700, exist_ok=True)
        runtime = cls(
            sender=sender,
            position=PositionFile(workers / f"{os.getpid()}.position"),
        )
        place = os.environ.get(QUARANTINE_VARIABLE) or str(folder / "quarantine")
        runtime.quarantine = QuarantineStore(place)
        runtime.records = TaskRecords.from_environment()
        if runtime.records is not None:
            sender.also = runtime.records.keep
        runtime.capture = Capture(runtime.where, workers)
        runtime.limit = MemoryLimit(memory)
        runtime.send(
            WorkerStarted(
                pid=os.getpid(),
                host=socket.gethostname(),
                python=platform.python_version(),
                time=time.time(),
                log_path=str(runtime.capture.log_path),
            )
        )
        return runtime

    def welcome(self) -> None:
        """Takes note that the kernel has answered."""
        self.heard = self.records is None or self.records.answered()

    def leave_records(self) -> None:
        """Lets what the kernel has not been told leave with the end of the task."""
        if self.records is not None and not self.heard:
            self.flush_bundles()
            self.records.leave()

    def send(self, record: Record) -> None:
        """Hands a record to the side channel, if there is one; never waits."""
        if self.sender is not None:
            self.flush_bundles()
            self.sender.send(record)

    def flush_due(self) -> None:
        """Sends what waits for other bundles if it has waited long enough."""
        task = self.task
        since = task.waiting.since if task is not None else 0.0
        if since and time.monotonic() - since >= _TOGETHER_SECONDS:
            self.flush_bundles()

    def flush_bundles(self) -> None:
        """Sends what waits for other bundles of the task."""
        task = self.task
        if task is None:
            return
        # The agent's thread comes here as well: none may be lost, or sent twice, and no end of a
        # task may overtake, or leave out, bundles that the other thread has just taken.
        with self._sending:
            for record in task.waiting.take():
                if self.sender is not None:
                    self.sender.send(record)

    def where(self) -> tuple[str, int, int]:
        """The function, bundle and row that is running, as they are shown."""
        at = running_call.get() or self.task
        function, bundle, place = ("", 0, -1) if at is None else at.where()
        return function, bundle, row_number(place)

    def note(self, level: str, text: str) -> None:
        """Logs lines of our own, beside those of the functions."""
        if self.capture is not None:
            for line in text.rstrip("\n").split("\n"):
                self.capture.log.add(level, "notebook-udf", line)
            self.flush_output()

    def flush_lines(self) -> None:
        """Sends the lines written so far, if any are known of without a look."""
        if self.capture is not None and self.capture.log.waits:
            self.flush_output()

    def flush_output(self) -> None:
        """Sends the lines written so far."""
        if self.capture is None:
            return
        # Two threads come here: a line read twice would be shown twice, and lines still on their
        # way would be overtaken by the end of their task.
        with self._flushing:
            self.capture.poll()
            lines, dropped = self.capture.log.take()
            task = self.task.identity if self.task is not None else None
            query, attempt = (task.query, task.task_attempt) if task is not None else ("", -1)
            for start in range(0, max(len(lines), 1 if dropped else 0), _LINES_PER_MESSAGE):
                part = tuple(lines[start : start + _LINES_PER_MESSAGE])
                said = dropped if start == 0 else 0
                self.send(LogLines(os.getpid(), query, part, said, attempt))

    def finish_output(self) -> None:
        """Sends everything written, lines without an end included."""
        if self.capture is not None:
            self.capture.finish_lines()
        self.flush_output()

    def pulse(self) -> WorkerPulse:
        """The state of the worker as a record: memory, processor time and what is running."""
        function, bundle, row = self.where()
        return WorkerPulse(
            pid=os.getpid(),
            time=time.time(),
            state="idle" if self.task is None else "busy",
            function=function,
            bundle=bundle,
            row=row,
            memory=resident_bytes(),
            peak_memory=peak_bytes(),
            memory_limit=self.limit.current,
            cpu_seconds=cpu_seconds(),
            lost_messages=sum(each.lost for each in (self.sender, self.records) if each),
        )

    @property
    def loop_thread(self) -> int | None:
        """The thread of the event loop, if there is one."""
        return self._loop.thread if self._loop is not None else None

    @property
    def loop(self) -> EventLoop:
        """The event loop of this worker, made on first use."""
        if self._loop is None:
            self._loop = EventLoop()
        return self._loop

    def keep(
        self, query: str, key: str, make: Callable[[], tuple[Any, Endings]]
    ) -> tuple[Any, Endings]:
        """The instance kept for a query under a key; made on first use."""
        kept = self.kept.get((query, key))
        if kept is None:
            kept = self.kept[query, key] = Kept(query, *make())
        return kept.value, kept.endings

    def prepare(self, query: str, key: str, *, again: bool) -> None:
        """Has a kept instance prepare its shutdown, with ``again`` once more."""
        kept = self.kept.get((query, key))
        if kept is not None and (again or not kept.prepared):
            kept.prepare()

    def _call(self, name: str, method: Callable[[], None], errors: list[str]) -> None:
        """Calls a method at the end of a query, which has its result: an error now is not the
        query's, and is logged."""
        try:
            method()
        except Exception as error:
            errors.append(f"{name}: {type(error).__name__}: {error}")
            self.note("ERROR", f"{name} failed\n{traceback.format_exc()}")

    def end_other_queries(self, query: str | None) -> None:
        """Closes the instances kept for queries that cannot go on where this one runs.

        None closes all. Batch queries end before others begin; streams go on beside them, each
        run of one in the place of the run before.
        """
        for other in {kept.query for kept in list(self.kept.values())} - {query}:
            stream, _, run = other.partition("/")
            if query is None or not run or query.startswith(f"{stream}/"):
                self.end_query(other)

    def keeps(self, query: str) -> bool:
        """Whether instances are kept for a query."""
        return any(kept.query == query for kept in self.kept.values())

    def end_query(self, query: str, *, graceful: bool = False) -> tuple[int, tuple[str, ...]]:
        """Closes the instances kept for a query; tells them first if it ended in order.

        Returns how many there were, and what their methods raised, which is also logged.
        """
        errors: list[str] = []
        # The agent's thread comes here as well as the one that runs tasks.
        with self._ending:
            keys = [key for key, kept in self.kept.items() if kept.query == query]
            ended = [self.kept.pop(key) for key in keys]
            for kept in ended:
                told = graceful and not kept.failed
                methods = kept.endings.methods(graceful=told, prepared=kept.prepared)
                errors += self.call_all(methods)
        return sum(each.endings.close is not None for each in ended), tuple(errors)

    def call_all(self, methods: tuple[Ending, ...]) -> list[str]:
        """Calls what ends a function; the last, which closes it, in any case.

        Returns what they raised, which is also logged.
        """
        errors: list[str] = []
        for name, method in methods:
            if not errors or method is methods[-1][1]:
                self._call(name, method, errors)
        return errors

    def shut_down(self) -> None:
        """Closes the kept instances and sends the last records."""
        self.end_other_queries(None)
        with self._ending:
            # The agent's thread is through with those it was closing.
            pass
        if self._loop is not None:
            self._loop.stop()
            self._loop = None
        self.finish_output()
        if self.sender is not None:
            self.sender.close()


class _Process:
    """The runtime of this process; a detached one until the daemon attaches it."""

    def __init__(self) -> None:
        self.runtime = Runtime()
        self.agent: Agent | None = None
        self.stop_signal: StopSignal | None = None
        # Whether a task's functions have arrived, and the task is not over.
        self.busy = False
        # Takes the code with which it is about to exit, for who cannot see it.
        self.tell_end: Callable[[int], None] = lambda _: None
        # What it was doing when it was told to go.
        self.stopped: Literal["", "idle", "busy"] = ""
        self.imports = Imports(first=True)
        self.clean = CleanProcess()
        # Whether this package is around Spark's worker in it.
        self.attached = False

    def leave(self) -> None:
        """Is no session's worker from now on: what functions print goes where it went before."""
        if self.agent is not None:
            self.agent.stop()
        runtime, self.agent, self.runtime = self.runtime, None, Runtime()
        if runtime.sender is not None:
            # Nobody is there to take leave of.
            runtime.sender.close(linger_ms=0)
        runtime.shut_down()
        if runtime.capture is not None:
            runtime.capture.release()
        if runtime.position is not None:
            runtime.position.close()
        self.runtime.limit.apply()

    def attach(self) -> None:
        """Sees to it that it is, in a worker that a daemon of somebody else forked.

        By name, since the pool stands above the worker, and is not wanted where nothing runs.
        """
        if not self.attached and "pyspark.worker" in sys.modules:
            importlib.import_module("notebook_udf.pool.late_attachment").attach()


process = _Process()
