"""Ends a call that takes longer than its function's ``timeout``.

Three steps, each for code that the one before cannot reach. A timer's signal handler runs in the
main thread, between two instructions of the function or inside C code that checks for signals, and
raises there. C code that checks for nothing but lets other threads run is ended by the same handler
a little later. C code that holds the interpreter is ended by faulthandler's watchdog, which needs
no interpreter; its trace, in the worker's output, tells the kernel why.

A call is recognised by its row: as long as the row moves on, nothing is too slow.
"""

from __future__ import annotations

import faulthandler
import signal
import time
import traceback
from collections.abc import Callable
from types import FrameType

from notebook_udf.code_origin import is_users

# Past the time-out, before the process is ended from outside the interpreter.
_GRACE_SECONDS = 3.0

# Row that is running: task attempt, function, bundle, row; None between calls.
Position = tuple[int, str, int, int]


class CallTimedOut(BaseException):
    """Raised in the main thread when a call has used up its time; its text is the stack.

    An async call is cancelled instead, and this is recorded as its error.

    Not an Exception, so that a function's own ``except Exception`` does not swallow it.
    """


class CallTimer:
    """Watches the calls of one task.

    Parameters
    ----------
    seconds
        What a call may take.
    position
        Tells which row is running.
    """

    def __init__(self, seconds: float, position: Callable[[], Position | None]) -> None:
        self._seconds = seconds
        self._position = position
        self._seen: Position | None = None
        self._since = 0.0

    def start(self) -> None:
        """Starts the timer; called in the main thread, before the first row."""
        signal.signal(signal.SIGALRM, self._tick)
        tick = min(0.25, self._seconds / 4)
        signal.setitimer(signal.ITIMER_REAL, tick, tick)

    def stop(self) -> None:
        """Stops the timer; called in the main thread, after the last row."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        faulthandler.cancel_dump_traceback_later()

    def enter(self) -> None:
        """The function is about to be called for the first row of a bundle, or goes on with a
        bundle some of whose results have been taken."""
        self._seen = None
        self._guard()

    def _guard(self) -> None:
        faulthandler.dump_traceback_later(self._seconds + _GRACE_SECONDS, exit=True, file=2)

    def leave(self) -> None:
        """The last row of the bundle is done."""
        faulthandler.cancel_dump_traceback_later()

    def _tick(self, _number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        position = self._position()
        if position is None or position != self._seen:
            self._seen, self._since = position, now
            if position is not None:
                self._guard()
            return
        if now - self._since >= self._seconds:
            self._since = now
            raise CallTimedOut(_from_users_code_on(traceback.extract_stack(frame)))


def _from_users_code_on(stack: traceback.StackSummary) -> str:
    """The stack without the frames that lead to the function, which are Spark's and ours."""
    first = next((i for i, frame in enumerate(stack) if is_users(frame.filename)), 0)
    return "".join(traceback.StackSummary.from_list(stack[first:]).format())
