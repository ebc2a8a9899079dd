"""Who is told of sessions as they begin and end: reports, which outlive what they tell of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


class SessionWatcher(Protocol):
    """Is told of this process's sessions, on the thread that begins or ends them."""

    def began(self, session: Session) -> None:
        """A session has begun."""

    def ending(self, session: Session) -> None:
        """A session or its Spark is about to stop; both can still be asked. May come twice."""

    def refused(self, error: Exception) -> None:
        """A Spark that was created could not be adopted."""


watchers: list[SessionWatcher] = []


def tell_began(session: Session) -> None:
    """Tells all that watch that a session has begun."""
    for each in list(watchers):
        each.began(session)


def tell_ending(session: Session) -> None:
    """Tells all that watch that a session is about to end."""
    for each in list(watchers):
        each.ending(session)


def tell_refused(error: Exception) -> None:
    """Tells all that watch that a Spark could not be adopted."""
    for each in list(watchers):
        each.refused(error)
