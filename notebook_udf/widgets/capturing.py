"""What the panels that show calls have in common: a button that writes a test of one."""

from __future__ import annotations

from concurrent.futures import Future

from notebook_udf.errors import SessionError
from notebook_udf.telemetry.user_views import LogView, MetricsView
from notebook_udf.widgets.captures import captures
from notebook_udf.widgets.requests import answers, in_thread


class Capturing:
    """Part of a panel that shows calls, of this process's session or of a job elsewhere."""

    _view: LogView | MetricsView

    @property
    def can_capture(self) -> bool:
        """Whether tests can be written: a job elsewhere has its functions there."""
        return captures.write is not None and self._view.is_here

    @answers("capture")
    def _capture(self, function: str, failed: bool) -> Future[str]:
        """Writes a test of a function's calls; done when it was run, and green."""
        write = captures.write
        if write is None or not self.can_capture:
            raise SessionError("tests are written in the notebook that has the function")
        return in_thread(lambda: write(function, failed))
