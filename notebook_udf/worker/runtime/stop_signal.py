"""The stop signal: tells the daemon of a SIGTERM that a worker gets from somebody else.

Spark ends a worker that has returned no rows for too long with SIGTERM, sent to it alone. Python
runs a handler between two of its instructions only, so that one stuck in native code would go on.
But the interpreter notes each signal in a pipe as it arrives: the daemon reads it, and kills a
worker that does not soon say that it has begun to end. The daemon decides how soon.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Literal

# Stands in a worker's log above where it was when it was told to stop.
STOPPED_AT = "the worker was told to stop at:"

_GOING = b"\xff"

Handler = Callable[[int, FrameType | None], None]
Heard = Literal["nothing", "told", "going", "closed"]


class StopSignal:
    """The worker's end of the pipe."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._handler: Handler | None = None
        self._forking = threading.local()
        # What a child of a function gets is not the worker's: it has the pipe until it has left it.
        os.register_at_fork(
            before=self._wait, after_in_parent=self._go_on, after_in_child=self._leave
        )

    def listen(self, handler: Handler | None = None) -> None:
        """Notes signals from now on, and handles SIGTERM; called in the main thread.

        To be called for every task: Spark resets the handler, and a function may change either.
        """
        self._handler = handler
        signal.set_wakeup_fd(self._descriptor, warn_on_full_buffer=False)
        if handler is not None:
            signal.signal(signal.SIGTERM, handler)

    def going(self) -> None:
        """Tells the daemon that the worker has begun to close its functions."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                os.write(self._descriptor, _GOING)

    def _wait(self) -> None:
        self._forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})

    def _go_on(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._forking.mask)

    def _leave(self) -> None:
        signal.set_wakeup_fd(-1)
        self._descriptor = -1
        if self._handler is not None and signal.getsignal(signal.SIGTERM) is self._handler:
            # It raises, and what is raised before a fork has returned is lost.
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        # Whatever the mask was: the thread of the event loop leaves the worker's to the main one.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})


def pipe() -> tuple[int, int]:
    """The daemon's end and the worker's end; neither blocks."""
    ends = os.pipe()
    for end in ends:
        os.set_blocking(end, False)
    return ends


def hear(descriptor: int) -> Heard:
    """Reads what has arrived since the last call; ``told`` is a SIGTERM without an answer."""
    try:
        noted = os.read(descriptor, 4096)
    except BlockingIOError:
        return "nothing"
    if not noted:
        return "closed"
    if _GOING in noted:
        return "going"
    # Other signals are noted as well, a timer's for one.
    return "told" if signal.SIGTERM in noted else "nothing"
