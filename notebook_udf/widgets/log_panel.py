"""The log panel: the functions' log lines, as they arrive."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Annotated, Any, TypedDict

from notebook_udf.telemetry.store.log_store import LogChoice
from notebook_udf.telemetry.user_views import LogView
from notebook_udf.widgets.capturing import Capturing
from notebook_udf.widgets.log_feed import LogFeed
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.requests import answers
from notebook_udf.widgets.scripts import script
from notebook_udf.widgets.sendable import sendable

# A browser that loads the panel may miss what is sent meanwhile, and while a cell runs it cannot
# ask for it. So everything is sent again after these seconds, until the browser has asked.
_REPEATS = (2.0, 6.0, 20.0)


class LogData(TypedDict):
    """The numbers of the lines that are kept, how many are missing, whether tests of failed calls
    can be written, and the view's filter."""

    first: int
    end: int
    dropped: int
    captures: bool
    choice: Annotated[dict[str, Any], LogChoice]


class LogPanel(Capturing, Panel):
    """The panel of a session's log lines; the view's filter is set at first."""

    _esm = script("logs")
    _view: LogView

    def __init__(self, view: LogView) -> None:
        self._view = view
        self._feed = LogFeed()
        self._sending = threading.Lock()
        self._repeats = list(_REPEATS)
        self._began = time.monotonic()
        super().__init__()

    def read(self) -> LogData:
        """The numbers of the lines, and the view's filter."""
        kept = self._view.kept
        return {
            "first": kept.first,
            "end": kept.end,
            "dropped": kept.dropped,
            "captures": self.can_capture,
            "choice": dataclasses.asdict(self._view.choice),
        }

    def twin(self) -> tuple[str, str]:
        """The last lines."""
        return self._view._repr_html_(), repr(self._view)

    def refresh(self) -> None:
        """Sends new lines, and some of the blocks that the browser still lacks."""
        super().refresh()
        with self._sending:
            if self._repeats and time.monotonic() - self._began > self._repeats[0]:
                del self._repeats[0]
                self._feed.again()
            due = list(self._feed.due(self._view.kept, self._view.failures))
        for content, buffers in due:
            self.send(sendable(content), buffers)

    @answers("resend")
    def _resend(self) -> None:
        """Sends everything again, to a browser that begins to show the panel."""
        with self._sending:
            self._repeats = []
            self._feed.again()
