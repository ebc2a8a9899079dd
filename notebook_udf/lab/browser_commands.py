"""The commands that a browser may send to the session."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING

from notebook_udf.errors import SessionError
from notebook_udf.lab.panel_data import StreamState
from notebook_udf.widgets.requests import answers, in_thread

if TYPE_CHECKING:
    from notebook_udf.kernel import Session

_ENDINGS: dict[str, StreamState] = {
    "drain": "draining",
    "suspend": "suspending",
    "cancel": "cancelling",
}


class Orders:
    """Carries out commands on the session. ``ending`` has the streaming queries that are being
    ended, by run, with how."""

    def __init__(self, running_session: Callable[[], Session | None]) -> None:
        self._running_session = running_session
        self.ending: dict[str, StreamState] = {}

    def _session(self) -> Session:
        session = self._running_session()
        if session is None:
            raise SessionError("there is no session: nu.session() starts one")
        return session

    @answers("end_stream")
    def _end_stream(self, run: str, how: str) -> Future[str]:
        """Drains, suspends or cancels a streaming query; done when it has ended."""
        if how not in _ENDINGS:
            raise SessionError(f"{how!r} is not one of {', '.join(_ENDINGS)}")
        session = self._session()
        found = [each for each in session.spark.streams.active if str(each.runId) == run]
        if not found:
            raise SessionError("this streaming query has ended already")
        if run in self.ending:
            raise SessionError(f"this streaming query is {self.ending[run]} already")
        self.ending[run] = _ENDINGS[how]

        def end() -> str:
            try:
                getattr(session, how)(found[0])
            finally:
                self.ending.pop(run, None)
            return "ended"

        return in_thread(end)

    @answers("cancel_query")
    def _cancel_query(self, query: int) -> int:
        """Cancels a query that no cell waits for; a cell that waits is interrupted instead."""
        from notebook_udf.lab.query_list import QueryList

        return QueryList(self._session()).cancel(query)

    @answers("restart")
    def _restart(self, pid: int | None = None) -> Future[list[int]]:
        """Ends one worker, or all."""
        pool = self._session().pool
        return in_thread(lambda: pool.restart(pid))
