"""The session of this process that is alive, if there is one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from notebook_udf.errors import PlanningError

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_active: Session | None = None


def active_session() -> Session | None:
    """The session of this process, if one is alive."""
    return _active if _active is not None and not _active._stopped else None


def activate(session: Session) -> None:
    """Makes a session the active one of this process."""
    global _active
    _active = session


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
