"""The state of each worker, from its first record to its end.

A view changes only by records that carry the worker's own process id. Starting, stopping and
limiting workers is up to ``notebook_udf.pool``.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from typing import Any

from notebook_udf.telemetry.records import (
    BundlesDone,
    CallFailed,
    Record,
    TaskEnded,
    TaskId,
    TaskStarted,
    WorkerExited,
    WorkerPulse,
    WorkerStarted,
)

MAX_WORKERS = 1_000
# Of them; what the last ones said at their ends is worth reading.
MAX_ENDED = 100
MAX_TASKS = 10_000
MAX_OUTPUT = 64 * 1024
_MAX_ERROR = 500

EXITED = "exited"


@dataclass(frozen=True)
class WorkerView:
    """One worker, as of its last record.

    Attributes
    ----------
    state, function, bundle, row
        What it reported last; ``state`` is ``busy`` in a task, ``idle`` between two, ``exited``
        once it was reaped, and empty before its first status.
    memory, peak_memory, memory_limit
        Resident bytes; the limit is 0 if there is none.
    cpu_seconds
        User and system time since the fork.
    lost_messages
        The number of records the worker could not send.
    started, seen
        The times of its start (0 if that record was lost) and of its last record.
    task
        The task it is in, or None.
    bundles_done, rows_done, failures
        Counts since its start; rows are input rows.
    last_error, last_error_id
        Class and message of the last call that failed, and its id.
    observed
        Whether its last task had functions of PySpark's own API alone.
    exited
        How it ended; None while it lives.
    """

    pid: int
    host: str = ""
    python: str = ""
    log_path: str = ""
    state: str = ""
    function: str = ""
    bundle: int = 0
    row: int = -1
    memory: int = 0
    peak_memory: int = 0
    memory_limit: int = 0
    cpu_seconds: float = 0.0
    lost_messages: int = 0
    started: float = 0.0
    seen: float = 0.0
    task: TaskId | None = None
    bundles_done: int = 0
    rows_done: int = 0
    failures: int = 0
    last_error: str = ""
    last_error_id: str = ""
    observed: bool = False
    exited: WorkerExited | None = None


class Workers:
    """The worker views by process id. Not thread-safe by itself."""

    def __init__(self) -> None:
        self._views: OrderedDict[int, WorkerView] = OrderedDict()
        self._tasks: OrderedDict[int, tuple[int, ...]] = OrderedDict()

    def clear(self) -> None:
        """Removes the workers that have ended."""
        for pid in [pid for pid, view in self._views.items() if view.exited]:
            del self._views[pid]
        self._tasks.clear()

    def views(self) -> list[WorkerView]:
        """Every worker, in the order of their first records."""
        return list(self._views.values())

    def exit_of(self, pid: int) -> WorkerExited | None:
        """How a worker ended; None while it lives or if it is not known."""
        view = self._views.get(pid)
        return view.exited if view is not None else None

    def exits(self) -> list[WorkerExited]:
        """How workers ended, as far as they are known."""
        return [view.exited for view in self._views.values() if view.exited is not None]

    def of_task(self, task_attempt: int) -> WorkerView | None:
        """The worker that ran a task; of several, the last that has ended, else the last."""
        views = [
            self._views[pid] for pid in self._tasks.get(task_attempt, ()) if pid in self._views
        ]
        ended = [view for view in views if view.exited is not None]
        chosen = ended or views
        return chosen[-1] if chosen else None

    def apply(self, record: Record) -> None:
        """Updates the view of the worker that a record is about."""
        match record:
            case WorkerStarted():
                self._started(record)
            case WorkerExited():
                kept = replace(record, output=record.output[-MAX_OUTPUT:])
                over: dict[str, Any] = {"state": EXITED, "task": None, "exited": kept}
                if record.position is not None:
                    over["observed"] = record.position.observed
                self._change(record.pid, record.time, **over)
            case WorkerPulse():
                self._pulse(record)
            case TaskStarted():
                self._of_task(record.pid, record.task)
                begun = {"task": record.task, "state": "busy", "observed": record.observed}
                if record.observed and len(record.functions) == 1:
                    # Nobody says at which row it is.
                    begun["function"] = record.functions[0]
                self._change(record.pid, record.time, **begun)
            case TaskEnded():
                self._of_task(record.pid, record.task)
                ended = {"task": None, "state": "idle", "function": "", "row": -1}
                self._change(record.pid, record.time, **ended)
            case BundlesDone():
                view = self._of_task(record.pid, record.task)
                self._change(
                    record.pid,
                    record.time[-1],
                    bundles_done=view.bundles_done + len(record),
                    rows_done=view.rows_done + sum(record.rows_in),
                )
            case CallFailed() if record.pid in self._views:
                # Another's came in Spark's exception alone: nobody would say that it has ended.
                view = self._of_task(record.pid, record.task)
                failed = record.failed
                self._change(
                    record.pid,
                    record.time,
                    failures=view.failures + 1,
                    last_error=f"{failed.exception}: {failed.message}"[:_MAX_ERROR],
                    last_error_id=failed.error_id,
                )

    def _started(self, record: WorkerStarted) -> None:
        view = self._views.get(record.pid)
        # The daemon's record of a worker's end may overtake that worker's own first record; a
        # start after the end is another worker, to which the system gave the same process id.
        if view is not None and view.exited is not None and view.exited.time < record.time:
            del self._views[record.pid]
        said = _said(record, "host", "python", "log_path")
        self._change(record.pid, record.time, started=record.time, **said)

    def _pulse(self, record: WorkerPulse) -> None:
        said = _said(
            record, "state", "function", "bundle", "row", "memory", "memory_limit", "cpu_seconds",
            "lost_messages",
        )  # fmt: skip
        peak = max(self._view(record.pid).peak_memory, record.peak_memory)
        self._change(record.pid, record.time, peak_memory=peak, **said)

    def _of_task(self, pid: int, task: TaskId) -> WorkerView:
        pids = self._tasks.pop(task.task_attempt, ())
        others = tuple(other for other in pids if other != pid)
        self._tasks[task.task_attempt] = (*others[-7:], pid)
        if len(self._tasks) > MAX_TASKS:
            self._tasks.popitem(last=False)
        return self._view(pid)

    def _view(self, pid: int) -> WorkerView:
        view = self._views.get(pid)
        if view is None:
            ended = [other for other, view in self._views.items() if view.exited]
            for other in ended[:-MAX_ENDED]:
                del self._views[other]
            if len(self._views) >= MAX_WORKERS:
                del self._views[next(iter(ended[-MAX_ENDED:] or self._views))]
            view = self._views[pid] = WorkerView(pid)
        return view

    def _change(self, pid: int, time: float, **changes: Any) -> None:
        view = self._view(pid)
        if view.exited is not None:
            # A late record does not revive it.
            changes = {k: v for k, v in changes.items() if k not in ("task", "state")}
        self._views[pid] = replace(view, seen=max(view.seen, time), **changes)


def _said(record: Record, *names: str) -> dict[str, Any]:
    """The values of those fields of a record, which the view has under the same names."""
    return {name: getattr(record, name) for name in names}
