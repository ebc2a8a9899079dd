"""Interrupting a cell ends the Spark jobs that the cell started.

The kernel's interrupt raises in Python while the JVM goes on with the job. Every cell's jobs
carry a tag of their own, and the jobs of an interrupted cell are cancelled by it.
"""

from __future__ import annotations

import logging
import sys
import uuid
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from notebook_udf.kernel import Session

_log = logging.getLogger(__name__)


class CellJobs:
    """Tags the jobs of one shell's cells and cancels those of an interrupted one."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        # By the cell that runs: cells can run other cells.
        self._tags: dict[int, tuple[Session, str]] = {}

    def install(self) -> None:
        """Starts listening to cells."""
        self._shell.events.register("pre_run_cell", self._before)
        self._shell.events.register("post_run_cell", self._after)

    def uninstall(self) -> None:
        """Stops it."""
        self._shell.events.unregister("pre_run_cell", self._before)
        self._shell.events.unregister("post_run_cell", self._after)

    def _before(self, info: Any) -> None:
        session = _active()
        if session is None:
            return
        tag = f"notebook-udf-cell-{uuid.uuid4().hex}"
        try:
            session.spark.sparkContext.addJobTag(tag)
        except Exception:
            _log.debug("the cell's jobs could not be tagged", exc_info=True)
            return
        self._tags[id(info)] = session, tag

    def _after(self, result: Any) -> None:
        tagged = self._tags.pop(id(result.info), None)
        interrupted = isinstance(result.error_in_exec, KeyboardInterrupt)
        try:
            if interrupted:
                _cancel(tagged)
            elif tagged is not None and tagged[0] is _active():
                tagged[0].spark.sparkContext.removeJobTag(tagged[1])
        except Exception:
            _log.warning("the jobs of the cell could not be ended", exc_info=interrupted)


def _cancel(tagged: tuple[Session, str] | None) -> None:
    session = _active()
    if session is None:
        return
    renew_connection(session)
    context = session.spark.sparkContext
    if tagged is None or tagged[0] is not session:
        # The session began in the cell itself, so every job is the cell's.
        context.cancelAllJobs()
        return
    context.cancelJobsWithTag(tagged[1])
    # The connection may be the one that was tagged, if the interrupt hit between two calls.
    context.removeJobTag(tagged[1])


def renew_connection(session: Session) -> None:
    """Closes this thread's connection to the JVM if an answer is still to come on it.

    The next call opens another. If the connection were used again, that call would read the
    answer to the interrupted one.
    """
    client = session.spark.sparkContext._gateway._gateway_client
    connection = client.get_thread_connection()
    # py4j keeps connections that wait for no answer in this queue, and no other.
    if connection is not None and connection not in client.deque:
        connection.close()


def _active() -> Session | None:
    # Only if it is there already: loading the magics must not load Spark.
    core = sys.modules.get("notebook_udf.kernel.core")
    active = getattr(core, "active_session", None)
    session: Session | None = active() if active is not None else None
    return session
