"""Translates Spark's exceptions to the errors of this package.

A failed call reaches the kernel twice: through the side channel as a complete record, and
through the JVM as a stack that holds the record's id. Wherever PySpark converts a Java
exception, the record takes the place of that stack, so that ``show()``, ``collect()`` and
``toPandas()`` all raise the same error.
"""

from __future__ import annotations

import linecache
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from notebook_udf import errors
from notebook_udf.errors import (
    FailedRow,
    Frame,
    FunctionTimeout,
    NotebookUdfError,
    RemoteError,
    SessionError,
    UserFunctionError,
    WorkerError,
    WorkerLost,
    WorkerOutOfMemory,
)
from notebook_udf.host.spark_errors import RaisedError
from notebook_udf.kernel.full_disk import full_disk
from notebook_udf.kernel.observed_failures import ObservedFailures
from notebook_udf.kernel.query_errors import as_query_error
from notebook_udf.planner.messages import retold
from notebook_udf.pool.view import is_gone
from notebook_udf.render.format import megabytes
from notebook_udf.source_excerpt import code_lines, own_frame
from notebook_udf.telemetry.carried import record_in, without_record
from notebook_udf.telemetry.records import CallFailed, Hogged, Position, WorkerExited
from notebook_udf.widgets.card_display import give_card, make_ours_as_well
from notebook_udf.worker.runtime.stop_signal import STOPPED_AT

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_ERROR_ID = re.compile(r"\[notebook-udf error ([0-9a-f]{12})\]")
_TASK_ATTEMPT = re.compile(r"\(TID (\d+)\)")
_CRASH = re.compile(r"Python worker (exited unexpectedly|failed to connect)|EOFException")
_IDLE = re.compile(r"terminated due to idle timeout \(timeout: (\d+) seconds\)")
_IDLE_CONF = "spark.sql.execution.pyspark.udf.idleTimeoutSeconds"
_IN_SINK = "An exception was raised by the Python Proxy"
_MISSING = re.compile(r"No module named '?notebook_udf\b")
# What Spark says in the driver; of an executor it says which task it was.
_NOT_IN_DRIVER = re.compile(r'Cannot run program "(\./([^"/]+)/[^"]+)"')
# What a daemon said that did not start; asked for a worker again, Spark has its address as null.
_UNSTARTED = re.compile(r"Error from python worker:\s*\n(.*?)\nPYTHONPATH was:", re.DOTALL)
_WITHOUT_DAEMON = re.compile(r"NullPointerException\b.*?PythonWorkerFactory", re.DOTALL)
# What faulthandler writes when it ends a process that holds the interpreter.
_WATCHDOG = "Timeout ("
# Spark has counted on a worker that idled, and whoever forked it cannot say how it ended.
_UNSEEN = (
    "a worker was gone when Spark sent it rows, most likely because the daemon that forks the "
    "workers was killed: run the query again, Spark starts another\n\n"
    "session.pool shows the workers; the system's log says whether it lacked memory (dmesg)"
)
# A record usually overtakes the JVM's exception; a dying worker's may be a moment late.
_PATIENCE_SECONDS = 3.0
# How long ago a worker may have ended for its end to be why a query failed.
_FRESH_SECONDS = 10.0


class Translator:
    """The hook that translates exceptions, one per session.

    Parameters
    ----------
    session
        Its store, its Spark's errors, and its functions in the JVM are what is looked into.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._store = session.store
        self._errors = session.host.errors
        self._observed = ObservedFailures(session.store)
        self._java = session.java
        self._end: Callable[[], None] | None = None
        self._explained = partial(as_query_error, session=session)
        self._unstarted = ""
        # The last error: a sink that runs queries of its own reports it once more, as text.
        self._latest: NotebookUdfError | None = None
        # Workers whose end an error has told: it is not why another query failed.
        self._told: set[int] = set()

    def install(self) -> None:
        """Has Spark's errors translated from now on."""
        self._end = self._errors.translate(self._translated)

    def uninstall(self) -> None:
        """Has Spark's errors raised as PySpark raises them."""
        if self._end is not None:
            self._end()

    def _translated(self, raised: RaisedError) -> Any:
        converted = raised.converted()
        found = self.translate(raised.text)
        self._latest = found or self._latest
        if isinstance(found, WorkerError) and self._runs_sparks_own(found):
            make_ours_as_well(self._errors.raised(converted), found)
            return converted
        if found is None and self._session.observes:
            card = _card_of_cause(converted)
            if card is None:
                observed = self._observed.behind(raised.text)
                card = None if observed is None else from_record(observed, raised.text)
            if card is not None:
                give_card(converted, card)
                return converted
        return found or self._explained(retold(converted), raised)

    def _runs_sparks_own(self, error: WorkerError) -> bool:
        """Whether an error is about a worker with functions of PySpark's own API alone: code that
        catches it expects Spark's."""
        if not self._session.observes and not error.function:
            # Of tasks with functions of the session it is known whose they are.
            return True
        return any(each.pid == error.worker and each.observed for each in self._store.workers())

    def translate(self, text: str) -> NotebookUdfError | None:
        """This package's error for a Java stack, or None."""
        if _IN_SINK in text and self._latest is not None and str(self._latest) in text:
            return self._latest
        if _MISSING.search(text):
            self._unstarted = self._errors.without_package
            return SessionError(self._unstarted)
        packed = _NOT_IN_DRIVER.search(text)
        if packed is not None and not _TASK_ATTEMPT.search(text):
            return SessionError(
                f"a stream with state starts a Python in the driver as well, which has no "
                f"{packed[1]}. In the folder that Spark was started in, make it once: "
                f"ln -s {sys.prefix} {packed[2]}"
            )
        unstarted = _UNSTARTED.search(text)
        if unstarted is not None:
            said = " ".join(unstarted[1].split())
            self._unstarted = f"an executor's Python workers do not start: {said}"
            return SessionError(self._unstarted)
        if self._unstarted and _WITHOUT_DAEMON.search(text):
            return SessionError(self._unstarted)
        match = _ERROR_ID.search(text)
        if match is not None:
            carried = record_in(text)
            if isinstance(carried, CallFailed):
                # Also for those that ask later: replay, the list of what failed.
                self._store.apply(carried)
            record = self._store.wait_failure(match[1], _PATIENCE_SECONDS)
            text = without_record(text)
            return from_record(record, text) if record is not None else _from_text(text)
        in_java = self._java.failed(text)
        if isinstance(in_java, CallFailed):
            self._store.apply(in_java)
            return from_record(in_java, text)
        if in_java is not None:
            return in_java
        full = full_disk(text, self._errors.folders)
        if full is not None:
            return full
        idle = _IDLE.search(text)
        attempts = [int(number) for number in _TASK_ATTEMPT.findall(text)]
        if attempts and (idle is not None or _CRASH.search(text)):
            worker = self._store.worker_of(attempts[-1])
            if worker is not None:
                ended = self._store.wait_exit(worker.pid, _PATIENCE_SECONDS)
                return self._lost(text, worker.pid, ended, attempts[-1])
            ended = self._ended_at(attempts[-1])
            if ended is not None:
                return self._lost(text, ended.pid, ended, attempts[-1])
            if idle is None and self._store.workers():
                return WorkerLost(_UNSEEN, jvm_stack=text)
        if idle is not None:
            return _timed_out(_idle_message("", 0, int(idle[1]), None), text, float(idle[1]))
        return None

    def _ended_at(self, task_attempt: int) -> WorkerExited | None:
        """How the worker ended that was at a task of which nothing was heard."""
        # Its end is told by a process made for it, which a busy machine is slow to start.
        for _ in range(2):
            # One that has only just ended looks as if its daemon had not said so either.
            ended = self._store.wait_exit_at(task_attempt, _PATIENCE_SECONDS)
            if ended is not None:
                return ended
            if self._vanished():
                return None
            ended = self._store.last_crash(_FRESH_SECONDS, self._told)
            if ended is not None:
                return ended
        return None

    def _vanished(self) -> bool:
        """Whether workers are gone whose daemon has not said so, since it was last asked."""
        alive = (worker for worker in self._store.workers() if worker.exited is None)
        gone = {worker.pid for worker in alive if is_gone(worker)} - self._told
        self._told |= gone
        return bool(gone)

    def _lost(
        self, text: str, pid: int, ended: WorkerExited | None, task_attempt: int
    ) -> RemoteError:
        self._told.add(pid)
        worker = next((w for w in self._store.workers() if w.pid == pid), None)
        position = ended.position if ended is not None else None
        if position is not None and position.task_attempt != task_attempt:
            # It did not get as far in this task, and speaks of an earlier one.
            position = None
        code = ended.exit_code if ended is not None else None
        number = ended.signal if ended is not None else None
        noted = position.function if position is not None else ""
        function = noted or (worker.function if worker is not None else "")
        output = ended.output if ended is not None else ""
        known: dict[str, Any] = {"function": function, "worker": pid, "output": output}
        idle = _IDLE.search(text)
        if idle is not None:
            message = _idle_message(function, pid, int(idle[1]), position)
            late = _timed_out(message, text, float(idle[1]), **known)
            late.stack = (
                output.rpartition(STOPPED_AT)[2].strip("\n") if STOPPED_AT in output else ""
            )
            return late
        if _WATCHDOG in output:
            stuck = _timed_out(_stuck_message(function, pid, output), text, 0.0, **known)
            stuck.stack = output[output.rindex(_WATCHDOG) :]
            return stuck
        if ended is not None and ended.hogged is not None:
            hog = WorkerOutOfMemory(
                _hog_message(function, pid, ended.hogged, position, output), jvm_stack=text, **known
            )
            hog.limit, hog.peak = ended.hogged.machine, ended.hogged.held
            return hog
        error = WorkerLost(
            _lost_message(function, pid, code, number, position, output, text),
            jvm_stack=text,
            **known,
        )
        error.exit_code, error.signal = code, number
        return error


def from_record(record: CallFailed, jvm_stack: str = "") -> NotebookUdfError:
    """The error for a failure's record; its text says what, where and what next."""
    failed = with_source(record.failed)
    cls: type[NotebookUdfError] = getattr(errors, record.error, UserFunctionError)
    if issubclass(cls, errors.WorkerError):
        error = cls(
            _worker_message(record.error, failed, record.extra),
            function=failed.function,
            worker=failed.worker,
            failed=failed,
            jvm_stack=jvm_stack,
        )
        for name, value in record.extra.items():
            setattr(error, name, value)
        return error
    if issubclass(cls, RemoteError):
        return cls(describe(failed), failed=failed, jvm_stack=jvm_stack)
    return cls(failed.message)


def with_source(failed: FailedRow) -> FailedRow:
    """The failed row with every source line in its traceback that the kernel can find."""
    frames = tuple(
        frame if frame.text else replace(frame, text=linecache.getline(frame.file, frame.line))
        for frame in failed.frames
    )
    return replace(failed, frames=frames)


def describe(failed: FailedRow) -> str:
    """A failed call in plain text: what, the code, the values, where, what next."""
    lines = [failed.headline, ""]
    frame = own_frame(failed)
    if frame is not None:
        lines += [*_quote(frame), ""]
    if failed.arguments:
        width = max(len(name) for name, _ in failed.arguments)
        lines += [f"    {name.ljust(width)} = {value}" for name, value in failed.arguments]
        lines.append("")
    lines.append(failed.position)
    lines.append(advice(failed))
    return "\n".join(lines)


def advice(failed: FailedRow) -> str:
    """The next step after a failed call."""
    if failed.exception == "ModuleNotFoundError":
        package = failed.message.split("'")[1] if "'" in failed.message else "it"
        return (
            f"worker {failed.worker} has no package {package!r}: "
            f"session.add_requirements([{package!r}]) installs it for the workers (or "
            f"%pip install {package}, then session.pool.restart()), "
            f"session.add_python_file('{package}.py') is for a file of yours"
        )
    if failed.pickled_arguments and failed.row < 0:
        return f"session.replay({failed.function!r}) calls it so here; %debug then stops in it"
    if failed.pickled_arguments:
        return f"session.replay({failed.function!r}) runs this row here; %debug then stops in it"
    if failed.arguments:
        return "the arguments could not be sent, so the row cannot be replayed"
    return f"session.logs() shows what {failed.function} wrote"


def _quote(frame: Frame) -> list[str]:
    quoted = [
        f"{'-->' if number == frame.line else '   '} {number:4d} {text}".rstrip()
        for number, text in code_lines(frame)
    ]
    return quoted or [f"    {frame.file}, line {frame.line}, in {frame.name}"]


def _worker_message(kind: str, failed: FailedRow, extra: dict[str, Any]) -> str:
    if kind == "WorkerOutOfMemory":
        limit, peak = extra.get("limit", 0), extra.get("peak", 0)
        head = (
            f"{failed.function} ran out of memory: worker {failed.worker} may take "
            f"{megabytes(limit)} and its peak was {megabytes(peak)}"
            if limit
            else f"{failed.function} ran out of memory at {megabytes(peak)}, with no limit set"
        )
        step = "raise memory= of the function or worker_memory= of the session, or hold less"
    else:
        head = (
            f"{failed.function} did not return within {extra.get('timeout', 0):g} s "
            f"(its time-out) in worker {failed.worker}"
        )
        step = "the worker's stack is in session.logs(); raise timeout= if the time is needed"
    body = describe(failed).split("\n")[2:-1]
    return "\n".join([head, "", *body, step])


def _hog_message(
    function: str, pid: int, hogged: Hogged, position: Position | None, output: str
) -> str:
    lines = [
        f"{function or 'a function'} takes too much memory: worker {pid} held "
        f"{megabytes(hogged.held)} of the machine's {megabytes(hogged.machine)} and "
        f"{megabytes(hogged.free)} were left, so it was ended",
        *_rows(position),
    ]
    if output:
        lines += ["", "its last output:", *output.splitlines()[-8:]]
    lines += [
        "",
        "hold less; memory= of the function or worker_memory= of the session show the line",
    ]
    return "\n".join(lines)


def _lost_message(
    function: str,
    pid: int,
    code: int | None,
    number: int | None,
    position: Position | None,
    output: str,
    text: str,
) -> str:
    how = "ended"
    if number == signal.SIGTERM:
        how = "was told to stop"
    elif number is not None:
        how = f"was ended by signal {number} ({signal.Signals(number).name})"
    elif code is not None:
        how = f"exited with code {code}"
    lines = [f"worker {pid} {how} while it ran {function or 'a function'}"]
    lines += _rows(position)
    fatal = text.find("Fatal Python error")
    if fatal >= 0:
        said, *stacks = text[fatal:].split("\n\tat ")[0].splitlines()
        # Threads of this package are told before the one that died.
        died = next((n for n, line in enumerate(stacks) if line.startswith("Current thread")), 0)
        lines += ["", said, *stacks[died:][:24]]
    elif output:
        lines += ["", "its last output:", *output.splitlines()[-8:]]
    lines += ["", "session.pool shows the workers; run the query again for a new one"]
    return "\n".join(lines)


def _rows(position: Position | None) -> list[str]:
    """The rows that a worker was at, as a line of text; nothing if they are not known."""
    if position is None or not position.rows:
        return []
    rows = (
        f"row {position.first + 1:,}"
        if position.first == position.last
        else f"rows {position.first + 1:,} to {position.last + 1:,}"
    )
    return [f"it was at {rows} of {position.rows:,} in bundle {position.bundle}"]


def _timed_out(message: str, text: str, seconds: float, **known: Any) -> FunctionTimeout:
    error = FunctionTimeout(message, jvm_stack=text, **known)
    error.timeout = seconds
    return error


def _idle_message(function: str, pid: int, seconds: int, position: Position | None) -> str:
    worker = f"worker {pid}" if pid else "its worker"
    return "\n".join(
        [
            f"{function or 'a function'} gave no rows for {seconds} s, and Spark ended {worker}",
            *_rows(position),
            "",
            f"{_IDLE_CONF} is that time-out: raise it if the time is needed, and 0 is none",
        ]
    )


def _stuck_message(function: str, pid: int, output: str) -> str:
    stack = output[output.rindex(_WATCHDOG) :].splitlines()
    return "\n".join(
        [
            f"{function} did not return within its time-out, in native code of worker {pid}",
            "",
            *stack[:20],
            "",
            "raise timeout= if the time is needed",
        ]
    )


def _from_text(text: str) -> RemoteError:
    """The error without a record: from what the worker put into Spark's message."""
    match = re.search(r"FunctionFailed: (.*?)\s*\[notebook-udf error", text, re.DOTALL)
    return UserFunctionError(match[1] if match else text.splitlines()[0], jvm_stack=text)


def _card_of_cause(error: Any) -> NotebookUdfError | None:
    """The card of what an error was raised for: that of a stream is about the error of a task."""
    while (error := getattr(error, "_cause", None)) is not None:
        card = vars(error).get("_nu_card")
        if isinstance(card, NotebookUdfError):
            return card
    return None
