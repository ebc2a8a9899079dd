"""Shows one run on a screen, from its beginning to its end, on a thread of its own.

``live_watch`` collects what belongs to the run, ``live_screens`` displays it, ``live_cells``
begins runs.
"""

from __future__ import annotations

import contextlib
import contextvars
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from notebook_udf.magics.interrupt import CellJobs, running_session
from notebook_udf.magics.live_screens import Screen
from notebook_udf.magics.live_watch import Watch
from notebook_udf.plan.progress import Jobs
from notebook_udf.widgets.live import Outcome, RunState
from notebook_udf.widgets.rows import RowsTable

if TYPE_CHECKING:
    from notebook_udf.host.jobs import JobReader
    from notebook_udf.kernel import Session

_log = logging.getLogger(__name__)

_SECONDS_BETWEEN = 0.2
# Records take the side channel, and the last of them may arrive a moment after the result.
_SECONDS_TO_SETTLE = 1.0
# A thread that waits for a JVM that does not answer must not hold the cell.
_SECONDS_TO_STOP = 2.0

Due = Callable[[RunState, bool], bool]


def when_slow(state: RunState, works: bool) -> bool:
    """Whether any cell's run is due: if its jobs take a while, sooner if functions run in them."""
    return works and state.progress.seconds >= (0.5 if state.totals else 1.0)


def soon(state: RunState, works: bool) -> bool:
    """Whether the run of a query's cell is due: once it is long enough for a person to see it."""
    return state.seconds >= 0.35


class LiveRun:
    """Shows a run on a screen from ``with`` to its end, whatever the end is.

    Parameters
    ----------
    jobs
        Has the tag of the cell, and whether it was interrupted.
    due
        Decides whether to show the run, from its state and whether a job ran since the last call.
    always
        Whether the end of a run that was over before it was due is shown.

    Attributes
    ----------
    result
        Rows to show at the end.
    """

    def __init__(self, jobs: CellJobs, screen: Screen, *, due: Due, always: bool) -> None:
        self._cells = jobs
        self._screen = screen
        self._due = due
        self._always = always
        self._over = threading.Event()
        self._expected = False
        self._watch: Watch | None = None
        self._reader: JobReader | None = None
        self._unsubscribe: Callable[[], None] | None = None
        self._jobs_seen = 0
        self._shown = False
        self.result: RowsTable | None = None

    def expect_functions(self) -> None:
        """Notes that functions ran, so that the end waits for records even of a short run."""
        self._expected = True

    def begin(self) -> None:
        """Starts the thread that watches the run."""
        self._began = time.monotonic()
        tag = self._cells.running.tag if self._cells.running is not None else ""
        self._jobs = Jobs(tag, time.time())
        self._attach()
        # In a copy of this context, so that what is displayed goes to the cell that runs.
        context = contextvars.copy_context()
        self._thread = threading.Thread(
            target=context.run, args=(self._show,), name="notebook-udf-live", daemon=True
        )
        self._thread.start()

    def end(self, outcome: Outcome) -> None:
        """Shows the outcome. Idempotent."""
        if self._over.is_set():
            return
        finished = time.monotonic()
        self._over.set()
        self._thread.join(_SECONDS_TO_STOP)
        try:
            if not self._shown and not self._always:
                return
            if outcome != "cancelled" and self._watch is not None:
                self._watch.settle(_SECONDS_TO_SETTLE, expected=self._expected)
            if self._shown:
                self._read(last=True)
            state = self._state(outcome, finished)
            self._screen.end(replace(state, progress=state.progress.ended()), self.result)
        finally:
            if self._unsubscribe is not None:
                self._unsubscribe()
            if self._reader is not None:
                self._reader.close()

    def __enter__(self) -> LiveRun:
        self.begin()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.end(outcome_of(kind))

    def _attach(self) -> Session | None:
        """Subscribes to the session's store, as soon as there is a session."""
        session = running_session()
        if session is not None and self._watch is None:
            self._watch = Watch(session.store, self._began)
            self._unsubscribe = session.store.subscribe(self._watch.apply, Watch.KINDS)
        return session

    def _show(self) -> None:
        # A run can be shown after the first wait at the earliest.
        while not self._over.wait(_SECONDS_BETWEEN):
            try:
                self._look()
            except Exception:
                _log.exception("the run is not shown any more")
                return

    def _look(self) -> None:
        session = self._attach()
        if session is None or not session.live:
            return
        self._read()
        state = self._state("running", time.monotonic())
        if self._shown:
            self._screen.update(state)
        elif self._due(state, self._works(state)) and not self._over.is_set():
            self._shown = True
            self._screen.begin(state)

    def _works(self, state: RunState) -> bool:
        began = state.progress.jobs > self._jobs_seen
        self._jobs_seen = state.progress.jobs
        return began or state.progress.active or state.in_progress > 0

    def _state(self, outcome: Outcome, now: float) -> RunState:
        if self._watch is None:
            return RunState(outcome, now - self._began)
        cancelling = outcome == "running" and self._cells.interrupted
        return self._watch.state(
            outcome, now, self._jobs.progress(time.time()), cancelling=cancelling
        )

    def _read(self, *, last: bool = False) -> None:
        """Reads the jobs from Spark; if that fails, only the functions' records are shown."""
        session = running_session()
        try:
            if self._reader is None and session is not None:
                self._reader = session.host.jobs.reader(self._jobs)
            if self._reader is not None:
                if last:
                    with contextlib.suppress(Exception):
                        # Spark's store lags on a busy machine; it is read nevertheless.
                        self._reader.settle()
                self._reader.read(time.time())
        except Exception:
            _log.debug("Spark does not say how far its jobs are", exc_info=True)
        if self._watch is not None:
            self._watch.forget(self._jobs.foreign)


def outcome_of(error: type[BaseException] | None) -> Outcome:
    """The outcome of a run that raised an error of this class; of one without error if None."""
    if error is None:
        return "done"
    return "cancelled" if issubclass(error, KeyboardInterrupt) else "failed"
