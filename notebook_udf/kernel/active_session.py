"""The session of this process that is alive, if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.session_watchers import tell_began

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_active: Session | None = None
# Whether nobody has asked for it: it adopted a Spark as that was created.
_provisional = False


def active_session() -> Session | None:
    """The session of this process, if one is alive."""
    return _active if _active is not None and not _active._stopped else None


def activate(session: Session, *, provisional: bool = False) -> None:
    """Makes a session the active one of this process; ``provisional`` if nobody asked for it."""
    global _active, _provisional
    _active, _provisional = session, provisional
    tell_began(session)


def confirm(session: Session) -> None:
    """Notes that a session is asked for, so that it is not replaced any more."""
    global _provisional
    if session is _active:
        _provisional = False


def is_provisional(session: Session) -> bool:
    """Whether nobody has asked for a session: the first who does may replace it by another."""
    return _provisional and session is _active


def current_session() -> Session:
    """The session of this process.

    Raises
    ------
    PlanningError
        If there is none.
    """
    session = active_session()
    if session is None:
        raise PlanningError("there is no session: start one with nu.session()")
    return session
