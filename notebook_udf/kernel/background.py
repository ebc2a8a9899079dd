"""Work of a session that nobody waits for, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable


class Background:
    """Does something once, in the background; an error is logged, unless it was cancelled.

    Parameters
    ----------
    work
        What is done.
    name
        The thread's.
    log
        Where it is said that the work failed, and ``failed`` in which words.
    """

    def __init__(
        self, work: Callable[[], object], *, name: str, log: logging.Logger, failed: str
    ) -> None:
        self._work = work
        self._log = log
        self._failed = failed
        self.cancelled = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begins."""
        self._thread.start()

    def cancel(self) -> None:
        """Keeps errors of a Spark that is being stopped from being reported."""
        self.cancelled = True

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for its end; returns whether it has ended."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._work()
        except Exception:
            if not self.cancelled:
                self._log.warning(self._failed, exc_info=True)
