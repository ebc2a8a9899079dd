"""Shows the progress of every cell's queries, in one output under the cell.

A ``%%sparksql`` cell, which is nothing but a query, has a run of its own, with its rows; any other
cell has a run that is shown once one of its queries takes a while. In a terminal there are no
cells, and only ``%%sparksql`` is shown.
"""

from __future__ import annotations

from typing import Any

from notebook_udf.magics.interrupt import CellJobs, running_session
from notebook_udf.magics.live_run import LiveRun, outcome_of, soon, when_slow
from notebook_udf.magics.live_screens import is_watched, screen


class LiveCells:
    """Shows the runs of one shell's cells."""

    def __init__(self, shell: Any, jobs: CellJobs) -> None:
        self._shell = shell
        self._jobs = jobs
        self._run: LiveRun | None = None

    def install(self) -> None:
        """Registers for the shell's events of cells; after ``CellJobs``, which tags them first."""
        if getattr(self._shell, "kernel", None) is not None:
            self._shell.events.register("pre_run_cell", self._before)
            self._shell.events.register("post_run_cell", self._after)

    def uninstall(self) -> None:
        """Unregisters from the shell's events, and ends the current run."""
        if getattr(self._shell, "kernel", None) is not None:
            self._shell.events.unregister("pre_run_cell", self._before)
            self._shell.events.unregister("post_run_cell", self._after)
        self._end(None)

    def query(self, *, live: bool) -> LiveRun:
        """The run of a cell that is a query; it replaces the cell's own run."""
        self._end(None)
        session = running_session()
        live = live and (session is None or session.live)
        return LiveRun(self._jobs, screen(self._shell, live=live), due=soon, always=True)

    def _before(self, info: Any) -> None:
        # A cell that another one runs is a part of it. A batch run shows nothing: how long
        # queries took would make each run of a notebook a different notebook.
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
