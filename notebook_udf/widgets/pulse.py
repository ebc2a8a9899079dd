"""The thread that refreshes live panels, five times a second, while there are any."""

from __future__ import annotations

import logging
import threading
from typing import Protocol

_log = logging.getLogger(__name__)

SECONDS_BETWEEN = 0.2


class Refreshed(Protocol):
    """Something that a pulse refreshes."""

    def refresh(self) -> None:
        """Shows the current data."""


class Pulse:
    """Refreshes its members one after the other; its thread runs only while there are any."""

    def __init__(self, seconds: float = SECONDS_BETWEEN) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._members: list[Refreshed] = []
        self._thread: threading.Thread | None = None

    def add(self, member: Refreshed) -> None:
        """Adds a member, and starts the thread if it is the first."""
        with self._changed:
            self._members.append(member)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._beat, name="notebook-udf-pulse", daemon=True
                )
                self._thread.start()

    def remove(self, member: Refreshed) -> None:
        """Removes a member; a refresh in progress may still end after this returns."""
        with self._changed:
            self._members = [each for each in self._members if each is not member]
            self._changed.notify_all()

    def _beat(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: not self._members, self._seconds)
                members = list(self._members)
                if not members:
                    self._thread = None
                    return
            for member in members:
                try:
                    member.refresh()
                except Exception:
                    # A panel that cannot be refreshed must not stop the others, nor say so
                    # five times a second.
                    _log.exception("%s is not refreshed any more", type(member).__name__)
                    self.remove(member)


pulse = Pulse()
