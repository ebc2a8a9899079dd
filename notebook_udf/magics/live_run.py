"""Watching one run: which records are its own, and a thread that brings them to a screen.

How a moment looks is the business of ``widgets.live``; records come from ``telemetry.store``.
"""

from __future__ import annotations

import contextvars
import threading
import time
from collections import Counter
from types import TracebackType
from typing import Any, Protocol

from notebook_udf.telemetry.records import LogLines, Record, TaskEnded, TaskStarted
from notebook_udf.telemetry.store import Store
from notebook_udf.widgets.live import (
    Outcome,
    RunState,
    live_html,
    live_text,
    summary_html,
    summary_text,
)
from notebook_udf.widgets.rows import RowsTable

_SECONDS_BETWEEN = 0.2
# Records travel beside the result, and the last of them may arrive a moment after it.
_SECONDS_TO_SETTLE = 1.0


class Screen(Protocol):
    """Where a run is shown."""

    def begin(self, state: RunState) -> None:
        """The run has begun."""

    def update(self, state: RunState) -> None:
        """It goes on; called from a thread of its own."""

    def end(self, state: RunState, result: RowsTable | None) -> None:
        """It is over; replaces all that was shown of it."""


class Watch:
    """Picks a run's records out of the stream: those of queries whose tasks began during it."""

    def __init__(self, store: Store, now: float) -> None:
        self._store = store
        self._began = now
        self._first_task: float | None = None
        self._changed = threading.Condition()
        self._queries: dict[str, None] = {}
        # A task with several Python nodes begins and ends once for each.
        self._open: Counter[tuple[int, int]] = Counter()
        self._log_lines = 0
        self._last_log = ""

    def apply(self, record: Record) -> None:
        """Takes any record of the session."""
        with self._changed:
            match record:
                case TaskStarted(task=task) if record.functions:
                    self._queries[task.query] = None
                    self._open[record.pid, task.task_attempt] += 1
                    if self._first_task is None:
                        self._first_task = time.monotonic()
                case TaskEnded(task=task):
                    self._open[record.pid, task.task_attempt] -= 1
                case LogLines(query=query) if query in self._queries:
                    self._log_lines += len(record.lines) + max(0, record.dropped)
                    for line in record.lines[-1:]:
                        self._last_log = line.text
                case _:
                    return
            self._changed.notify_all()

    def settle(self, timeout: float, *, expected: bool) -> None:
        """Waits until every task that began has reported its end."""
        with self._changed:
            self._changed.wait_for(
                lambda: (
                    max(self._open.values(), default=0) <= 0
                    and (bool(self._queries) or not expected)
                ),
                timeout,
            )

    def state(self, outcome: Outcome, now: float) -> RunState:
        """What is known at this moment."""
        with self._changed:
            queries = list(self._queries)
            lines, last, first = self._log_lines, self._last_log, self._first_task
        totals = tuple(t for query in queries for t in self._store.totals(query))
        metrics = tuple(m for query in queries for m in self._store.metrics(query))
        state = RunState(outcome, now - self._began, totals, metrics, 0.0, lines, last)
        if first is None or now <= first:
            return state
        rate = state.rows / (now - first)
        return RunState(outcome, state.seconds, totals, metrics, rate, lines, last)


class LiveRun:
    """Shows a run on a screen from ``with`` to its end, whatever the end is.

    Attributes
    ----------
    result
        Rows to show when it is over.
    """

    def __init__(self, store: Store, screen: Screen) -> None:
        self._store = store
        self._screen = screen
        self._over = threading.Event()
        self._expected = False
        self.result: RowsTable | None = None

    def expect_functions(self) -> None:
        """Says that functions ran, so that a run too short to be seen is waited for."""
        self._expected = True

    def __enter__(self) -> LiveRun:
        self._watch = Watch(self._store, time.monotonic())
        self._unsubscribe = self._store.subscribe(self._watch.apply)
        self._screen.begin(self._watch.state("running", time.monotonic()))
        # In a copy of this context, so that updates go to the cell that started the run.
        context = contextvars.copy_context()
        self._thread = threading.Thread(
            target=context.run, args=(self._show,), name="notebook-udf-live", daemon=True
        )
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        finished = time.monotonic()
        outcome: Outcome = "done"
        if kind is not None:
            outcome = "cancelled" if issubclass(kind, KeyboardInterrupt) else "failed"
        self._over.set()
        self._thread.join()
        try:
            if outcome != "cancelled":
                self._watch.settle(_SECONDS_TO_SETTLE, expected=self._expected)
        finally:
            self._unsubscribe()
            self._screen.end(self._watch.state(outcome, finished), self.result)

    def _show(self) -> None:
        while not self._over.wait(_SECONDS_BETWEEN):
            self._screen.update(self._watch.state("running", time.monotonic()))


def screen(shell: Any, *, live: bool) -> Screen:
    """The screen of a shell: a notebook's cell, or a terminal."""
    if getattr(shell, "kernel", None) is not None:
        return CellScreen(live=live)
    return TerminalScreen(live=live)


class CellScreen:
    """One output of a cell that is rewritten as the run goes on."""

    def __init__(self, *, live: bool) -> None:
        self._live = live
        self._handle: Any = None

    def begin(self, state: RunState) -> None:
        """Puts the line under the cell."""
        if self._live:
            from IPython.display import DisplayHandle

            self._handle = DisplayHandle()
            self._handle.display(_bundle(live_html(state), live_text(state)), raw=True)

    def update(self, state: RunState) -> None:
        """Rewrites it."""
        if self._handle is not None:
            self._handle.update(_bundle(live_html(state), live_text(state)), raw=True)

    def end(self, state: RunState, result: RowsTable | None) -> None:
        """Puts the static result in its place."""
        note = _note(state, result)
        html, text = summary_html(state, note), summary_text(state, note)
        if result is not None:
            html, text = result._repr_html_() + html, f"{result!r}\n\n{text}"
        if self._handle is not None:
            self._handle.update(_bundle(html, text), raw=True)
        else:
            from IPython.display import display

            display(_bundle(html, text), raw=True)


class TerminalScreen:
    """A line in a terminal that goes away when the run ends."""

    def __init__(self, *, live: bool) -> None:
        from rich.console import Console

        self._console = Console()
        self._live = live
        self._line: Any = None

    def begin(self, state: RunState) -> None:
        """Draws the line, unless the output is no terminal."""
        if self._live and self._console.is_terminal:
            from rich.live import Live

            self._line = Live(
                self._text(state), console=self._console, transient=True, auto_refresh=False
            )
            self._line.start(refresh=True)

    def update(self, state: RunState) -> None:
        """Draws it again."""
        if self._line is not None:
            self._line.update(self._text(state), refresh=True)

    def end(self, state: RunState, result: RowsTable | None) -> None:
        """Takes it away and prints what came of the run."""
        if self._line is not None:
            self._line.stop()
        if result is not None:
            print(result, end="\n\n")
        print(summary_text(state, _note(state, result)))

    def _text(self, state: RunState) -> Any:
        from rich.text import Text

        # As Text, because rich would read square brackets in a log line as markup.
        return Text(live_text(state), no_wrap=True, overflow="ellipsis")


def _note(state: RunState, result: RowsTable | None) -> str:
    if state.outcome != "done":
        return ""
    return result.count if result is not None else "done"


def _bundle(html: str, text: str) -> dict[str, str]:
    return {"text/html": html, "text/plain": text}
