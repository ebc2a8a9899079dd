"""Cancels the Spark jobs of a cell that is interrupted.

The kernel's interrupt raises in Python while the JVM goes on with the job. So every cell's jobs
carry a tag of their own, and an interrupt cancels them by it. An interrupt that arrives while the
cell waits for the JVM is held back until the JVM has answered, and raised in the cell's next step:
raised at once, it would tear down the connections to the JVM, those of other threads too, and
PySpark's own cleaning up would then wait for the job or fail with an error that hides it. So is one
that arrives in a callback before the cell's code, where IPython would swallow it. What a finalizer
raises Python swallows: an interrupt that comes upon one (py4j has one for each object of Java's) is
raised again in the cell's next step.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
import traceback
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from types import FrameType
from typing import TYPE_CHECKING, Any

from IPython.core.events import EventManager

from notebook_udf.code_origin import is_machinery, is_users
from notebook_udf.plan.progress import CELL_TAG

if TYPE_CHECKING:
    from notebook_udf.host.spark_errors import RaisedError
    from notebook_udf.kernel import Session

_log = logging.getLogger(__name__)

# A job that is still being planned cannot be cancelled yet, so it is retried until it can be.
_SECONDS_BETWEEN = 0.2
# What does not end by then (a call that is no job) is interrupted nevertheless.
_SECONDS_HELD_BACK = 5.0


@dataclass
class Cell:
    """A running cell; ``session`` and ``tag`` are set if there was a session when it began."""

    session: Session | None = None
    tag: str = ""
    interrupted: bool = False
    # Whether its interrupt is still to be raised.
    held_back: bool = False
    over: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None

    def cancel(self) -> None:
        """Cancels its jobs: by its tag, or all jobs if the session began in it."""
        active = running_session()
        if active is None:
            return
        if self.session is active:
            active.host.jobs.cancel(self.tag)
        else:
            active.host.jobs.cancel_all()


class CellJobs:
    """Tags the jobs of one shell's cells and cancels those of an interrupted one."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        # Cells can run other cells: the last one is the innermost.
        self._cells: dict[int, Cell] = {}
        self._restore: list[Callable[[], None]] = []

    def install(self) -> None:
        """Registers for the shell's events of cells."""
        self._shell.events.register("pre_run_cell", self._before)
        self._shell.events.register("post_run_cell", self._after)

    def uninstall(self) -> None:
        """Unregisters from the shell's events, and restores the interrupt's handler."""
        self._shell.events.unregister("pre_run_cell", self._before)
        self._shell.events.unregister("post_run_cell", self._after)
        self._give_back()

    def _before(self, info: Any) -> None:
        cell = Cell()
        if not self._cells:
            self._take_over()
        self._cells[id(info)] = cell
        session = running_session()
        if session is not None:
            tag = f"{CELL_TAG}{uuid.uuid4().hex}"
            try:
                session.host.jobs.tag(tag)
                cell.session, cell.tag = session, tag
            except Exception:
                _log.debug("the cell's jobs could not be tagged", exc_info=True)

    def _after(self, result: Any) -> None:
        cell = self._cells.pop(id(result.info), None)
        if not self._cells:
            self._give_back()
        if cell is None:
            return
        cell.over.set()
        if cell.thread is not None:
            cell.thread.join(_SECONDS_HELD_BACK)
        session = running_session()
        if session is None:
            return
        try:
            if cell.interrupted or isinstance(result.error_in_exec, KeyboardInterrupt):
                session.host.connection.renew()
                cell.cancel()
            if cell.session is session:
                session.host.jobs.untag(cell.tag)
        except Exception:
            _log.warning("the jobs of the cell could not be ended", exc_info=True)

    @property
    def running(self) -> Cell | None:
        """The running cell that the user started: the outermost one; None if no cell runs."""
        return next(iter(self._cells.values()), None)

    @property
    def _innermost(self) -> Cell | None:
        """The running cell that was started last; None if no cell runs."""
        return next(reversed(self._cells.values()), None)

    @property
    def outermost(self) -> bool:
        """Whether the running cell was not started by another one."""
        return len(self._cells) == 1

    @property
    def interrupted(self) -> bool:
        """Whether a running cell was interrupted."""
        return any(cell.interrupted for cell in list(self._cells.values()))

    # The signal ------------------------------------------------------------------------------

    def _take_over(self) -> None:
        """Handles the interrupt while cells run, unless somebody's handler is installed."""
        if threading.current_thread() is not threading.main_thread():
            return
        theirs = signal.getsignal(signal.SIGINT)
        if theirs is not signal.default_int_handler and not _is_sparks(theirs):
            return
        ours = self._interrupted
        signal.signal(signal.SIGINT, ours)

        def restore() -> None:
            # SparkContext puts in a handler of its own when it starts.
            if signal.getsignal(signal.SIGINT) == ours:
                signal.signal(signal.SIGINT, theirs)

        self._restore.append(restore)
        self._restore.append(_told_of_swallowed(self._swallowed))

    def _swallowed(self, frame: FrameType | None) -> None:
        """An interrupt has ended a finalizer, upon which a frame had come."""
        cell = self._innermost
        if cell is not None:
            cell.held_back = True
        self._restore.append(_interrupt_in_next_line(frame))

    def _give_back(self) -> None:
        while self._restore:
            self._restore.pop()()

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        cell = self._innermost
        session = running_session()
        if cell is None or cell.interrupted or session is None:
            raise _interrupt(frame)
        cell.interrupted = True
        early = _is_in_callback(frame)
        waiting = session.host.connection.waiting(frame)
        cell.held_back = early or waiting is not None
        self._restore.append(session.host.errors.translate(_interrupt_if_cancelled))
        # From a thread of its own, because this one's connection may wait for an answer.
        cell.thread = threading.Thread(
            target=_cancel_until_over,
            args=(cell,),
            name="notebook-udf-interrupt",
            daemon=True,
        )
        cell.thread.start()
        if early:
            self._restore.append(_interrupt_in_first_step())
        elif waiting is not None:
            self._restore.append(_interrupt_after(waiting))
        else:
            raise _interrupt(frame)


class Interrupted(KeyboardInterrupt):
    """An interrupt in the middle of Spark's code or ours, of which a notebook shows nothing."""

    def _render_traceback_(self) -> list[str]:
        # IPython asks for this.
        met = [f for f in traceback.extract_tb(self.__traceback__) if is_users(f.filename)]
        lines = [f"  line {f.lineno}, in {f.name}: {f.line}" for f in met]
        return [*lines, "KeyboardInterrupt: the cell was interrupted, and its queries cancelled"]


Interrupted.__name__ = Interrupted.__qualname__ = KeyboardInterrupt.__name__


def _interrupt(frame: FrameType | None) -> KeyboardInterrupt:
    """The error of an interrupt that arrived in a frame."""
    while frame is not None and is_users(frame.f_code.co_filename):
        frame = frame.f_back
    while frame is not None and not is_machinery(frame.f_code.co_filename):
        frame = frame.f_back
    return Interrupted() if frame is not None else KeyboardInterrupt()


def _is_in_callback(frame: FrameType | None) -> bool:
    """Whether IPython runs callbacks of a cell, of which it swallows what they raise."""
    while frame is not None and frame.f_code is not EventManager.trigger.__code__:
        frame = frame.f_back
    return frame is not None


def _interrupt_in_first_step() -> Callable[[], None]:
    """Raises KeyboardInterrupt in this thread as soon as it runs code of the cell; returns what
    calls that off."""

    def look(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and is_users(frame.f_code.co_filename) and not _is_in_callback(frame):
            sys.setprofile(None)
            raise Interrupted from None

    return _profiled(look)


def _interrupt_after(call: FrameType) -> Callable[[], None]:
    """Raises KeyboardInterrupt in this thread as soon as a running call has returned; returns what
    calls that off."""
    over = False

    def look(frame: FrameType, event: str, _argument: object) -> None:
        nonlocal over
        # Python swallows what a finalizer raises, and py4j has some: so not at its return, but
        # with the next step of the code that it came upon.
        if over:
            sys.setprofile(None)
            raise Interrupted from None
        over = frame is call and event == "return"

    return _profiled(look)


def _interrupt_in_next_line(frame: FrameType | None) -> Callable[[], None]:
    """Raises KeyboardInterrupt in this thread as soon as a frame goes on; returns what calls that
    off."""

    def look(_frame: FrameType, _event: str, _argument: object) -> None:
        sys.settrace(None)
        raise Interrupted from None

    def nothing(_frame: FrameType, _event: str, _argument: object) -> None:
        return None

    def call_off() -> None:
        if sys.gettrace() is nothing:
            sys.settrace(None)

    # If a debugger looks on, it ends by its job's end, or by the second signal.
    if sys.gettrace() is None and frame is not None:
        frame.f_trace = look
        sys.settrace(nothing)
    return call_off


def _told_of_swallowed(told: Callable[[FrameType | None], None]) -> Callable[[], None]:
    """Has ``told`` be called where Python swallows an interrupt in this thread; returns what calls
    that off."""
    theirs = sys.unraisablehook
    thread = threading.current_thread()

    def ours(unraisable: sys.UnraisableHookArgs) -> None:
        swallowed = isinstance(unraisable.exc_value, KeyboardInterrupt)
        if swallowed and threading.current_thread() is thread:
            told(sys._getframe().f_back)
        else:
            theirs(unraisable)

    def call_off() -> None:
        if sys.unraisablehook is ours:
            sys.unraisablehook = theirs

    sys.unraisablehook = ours
    return call_off


def _profiled(look: Callable[[FrameType, str, object], None]) -> Callable[[], None]:
    """Has ``look`` see each step of this thread; returns what calls that off."""

    def call_off() -> None:
        if sys.getprofile() is look:
            sys.setprofile(None)

    # If somebody measures the cell, it ends by its job's end, or by the second signal.
    if sys.getprofile() is None:
        sys.setprofile(look)
    return call_off


def _is_sparks(handler: object) -> bool:
    """Whether it is the one that SparkContext installs, in a Spark that ran before the session.

    It asks the JVM from the handler itself, which fails while the cell waits for the JVM's answer,
    and would cancel the jobs of everybody.
    """
    return getattr(handler, "__module__", "") == "pyspark.core.context"


def _cancel_until_over(cell: Cell) -> None:
    waited = 0.0
    while True:
        try:
            cell.cancel()
        except Exception:
            _log.debug("the jobs of the cell could not be cancelled", exc_info=True)
        if cell.over.wait(_SECONDS_BETWEEN):
            return
        waited += _SECONDS_BETWEEN
        if waited >= _SECONDS_HELD_BACK:
            main = threading.main_thread().ident
            if cell.held_back and main is not None:
                # A real signal: a simulated one does not wake a thread that reads a socket.
                signal.pthread_kill(main, signal.SIGINT)
            return


def _interrupt_if_cancelled(raised: RaisedError) -> BaseException:
    """Has the cell's thread raise KeyboardInterrupt for Spark's error that a job was cancelled."""
    # The second is Connect's word, the third is said when Python no longer reads the rows.
    if threading.current_thread() is threading.main_thread() and (
        any(said in raised.text for said in ("cancelled", "OPERATION_CANCELED", "Broken pipe"))
    ):
        return Interrupted()
    converted: BaseException = raised.converted()
    return converted


def running_session() -> Session | None:
    """The active session, if there is one; does not load Spark."""
    # Only if it is loaded already: loading the magics must not load Spark.
    core = sys.modules.get("notebook_udf.kernel.active_session")
    active = getattr(core, "active_session", None)
    session: Session | None = active() if active is not None else None
    return session
