"""The log panel: the lines functions wrote, as they come."""

from __future__ import annotations

import dataclasses
import threading
import time
from typing import Annotated, Any, TypedDict

from notebook_udf.telemetry.store.log_store import LogChoice
from notebook_udf.telemetry.user_views import LogView
from notebook_udf.widgets.log_feed import LogFeed
from notebook_udf.widgets.panel import Panel
from notebook_udf.widgets.requests import answers
from notebook_udf.widgets.scripts import script
from notebook_udf.widgets.sendable import sendable

# A browser that loads the panel may miss what is sent meanwhile, and while a cell runs it cannot
# ask for it. So all is sent once more after these times, until it was heard from.
_REPEATS = (2.0, 6.0, 20.0)


class LogData(TypedDict):
    """Which lines there are by their numbers, how many are missing, and which are wanted."""

    first: int
    end: int
    dropped: int
    choice: Annotated[dict[str, Any], LogChoice]


class LogPanel(Panel):
    """Shows the lines of a session; those that were chosen first."""

    _esm = script("logs")

    def __init__(self, view: LogView) -> None:
        self._view = view
        self._feed = LogFeed()
        self._sending = threading.Lock()
        self._repeats = list(_REPEATS)
        self._began = time.monotonic()
        super().__init__()

    def read(self) -> LogData:
        """How many lines there are, and which are wanted."""
        kept = self._view.kept
        return {
            "first": kept.first,
            "end": kept.end,
            "dropped": kept.dropped,
            "choice": dataclasses.asdict(self._view.choice),
        }

    def twin(self) -> tuple[str, str]:
        """The last lines."""
        return self._view._repr_html_(), repr(self._view)

    def refresh(self) -> None:
        """Sends what has come since the last time, and some of what the browser still lacks."""
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
        """A browser begins to show it: it needs all there is."""
        with self._sending:
            self._repeats = []
            self._feed.again()
