"""Every cell's queries show how far they are, in one place under the cell.

A cell that is nothing but a query (``%%sparksql``) has a run of its own, with its rows; for any
other cell a run watches whether there is a query that takes a while, and shows it then. In a
terminal there are no cells, and only ``%%sparksql`` is shown.
"""

from __future__ import annotations

from typing import Any

from notebook_udf.magics.interrupt import CellJobs, running_session
from notebook_udf.magics.live_run import LiveRun, outcome_of, soon, when_slow
from notebook_udf.magics.live_screens import is_watched, screen


class LiveCells:
    """The runs of one shell."""

    def __init__(self, shell: Any, jobs: CellJobs) -> None:
        self._shell = shell
        self._jobs = jobs
        self._run: LiveRun | None = None

    def install(self) -> None:
        """Starts listening to cells. After ``CellJobs``, which knows of a cell first."""
        if getattr(self._shell, "kernel", None) is not None:
            self._shell.events.register("pre_run_cell", self._before)
            self._shell.events.register("post_run_cell", self._after)

    def uninstall(self) -> None:
        """Stops it."""
        if getattr(self._shell, "kernel", None) is not None:
            self._shell.events.unregister("pre_run_cell", self._before)
            self._shell.events.unregister("post_run_cell", self._after)
        self._end(None)

    def query(self, *, live: bool) -> LiveRun:
        """The run of a cell that is a query; the cell's own is over with it."""
        self._end(None)
        session = running_session()
        live = live and (session is None or session.live)
        return LiveRun(self._jobs, screen(self._shell, live=live), due=soon, always=True)

    def _before(self, info: Any) -> None:
        # A cell that another one runs is a part of it. Where nobody watches there is nobody to
        # tell, and how long a query took would make every run of a notebook another notebook.
        if self._run is None and self._jobs.outermost and is_watched(self._shell):
            shown = screen(self._shell, live=True)
            self._run = LiveRun(self._jobs, shown, due=when_slow, always=False)
            self._run.begin()

    def _after(self, result: Any) -> None:
        if self._jobs.running is None:
            error = result.error_before_exec or result.error_in_exec
            self._end(type(error) if error is not None else None)

    def _end(self, error: type[BaseException] | None) -> None:
        run, self._run = self._run, None
        if run is not None:
            run.end(outcome_of(error))
