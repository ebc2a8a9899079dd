"""The event loop of a worker: one, in a thread of its own, for as long as the worker lives.

In a thread, because the main one reads and writes rows and must not hold up calls in flight
meanwhile; for the worker's life, because a client belongs to the loop it was made in and is kept
from task to task.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, TypeVar

from notebook_udf.code_origin import PACKAGE

T = TypeVar("T")

# A function's own code runs on it; the default of 8 MB would count against a memory limit.
_STACK_BYTES = 4 << 20


class EventLoop:
    """An asyncio loop that runs in its own thread."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="notebook-udf-loop", daemon=True)
        before = threading.stack_size(_STACK_BYTES)
        try:
            self._thread.start()
        finally:
            threading.stack_size(before)

    @property
    def thread(self) -> int | None:
        """The identifier of its thread."""
        return self._thread.ident

    def _run(self) -> None:
        # A request to go is for the main thread, which alone knows when to.
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
        asyncio.set_event_loop(self.loop)
        while not self.loop.is_closed():
            try:
                self.loop.run_forever()
                break
            except (SystemExit, KeyboardInterrupt):
                # From a task that a function made for itself: its awaiter gets it as well, and
                # the other calls have to be ended in order.
                continue

    def run(self, work: Coroutine[Any, Any, T], timeout: float | None = None) -> T:
        """Runs a coroutine on the loop and returns its result; raises what it raises.

        Raises
        ------
        TimeoutError
            If it is not done ``timeout`` seconds later; it is cancelled then.
        """
        done = threading.Event()
        results: list[T] = []
        errors: list[BaseException] = []

        async def caught() -> None:
            # A SystemExit that leaves a task would leave the loop as well.
            try:
                results.append(await work)
            except BaseException as error:
                errors.append(error)
            done.set()

        task = asyncio.run_coroutine_threadsafe(caught(), self.loop)
        try:
            if not done.wait(timeout):
                raise TimeoutError(f"not done within {timeout} s")
        except BaseException:
            task.cancel()
            raise
        if errors:
            raise errors[0]
        return results[0]

    def traceback(self) -> TracebackType | None:
        """The traceback of the function that blocks the loop, as if it had raised there."""
        frame = sys._current_frames().get(self._thread.ident or 0)
        found: TracebackType | None = None
        while frame is not None and not frame.f_code.co_filename.startswith(PACKAGE):
            found = TracebackType(found, frame, frame.f_lasti, frame.f_lineno)
            frame = frame.f_back
        return found

    def stop(self) -> None:
        """Stops the loop; calls in flight on it are dropped."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(1.0)
