"""Takes what executors tell with the end of a task, where they do not reach this kernel."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from notebook_udf.errors import ProtocolError
from notebook_udf.host.cluster import Gathering
from notebook_udf.telemetry.wire import decode, host_of
from notebook_udf.telemetry.worker_numbers import WorkerNumbers
from notebook_udf.worker.runtime.task_records import ACCUMULATOR_VARIABLE

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_log = logging.getLogger(__name__)

_NOTE = (
    "executors do not reach this kernel: metrics and logs come when a task has ended, and those of "
    "a task that failed do not; session.check() says what to set"
)


class TaskEnds:
    """The hook that takes records from Spark's accumulator, for a session on a cluster.

    Parameters
    ----------
    session
        Told once by a note that they come this way, at the first record.
    numbers
        Of the session's workers.
    """

    def __init__(self, session: Session, numbers: WorkerNumbers) -> None:
        self._session = session
        self._numbers = numbers
        self._gathering: Gathering | None = None

    def install(self) -> None:
        """Makes the accumulator, and names it to workers."""
        if self._session.host.cluster.shares_files:
            return
        self._gathering = self._session.host.cluster.gather(self._take)
        if self._gathering is not None:
            self._session.changes.environment(ACCUMULATOR_VARIABLE, str(self._gathering.number))

    def uninstall(self) -> None:
        """Removes the accumulator."""
        if self._gathering is not None:
            self._gathering.end()

    def _take(self, records: list[list[bytes]]) -> None:
        if records and not self._session.store.late:
            self._session.store.late = True
            self._session.notes.append(_NOTE)
        host = ""
        for frames in records:
            if len(frames) == 1:
                # The following are from this worker.
                host = host_of(frames[0])
                continue
            try:
                self._session.store.apply(self._numbers.numbered(decode(frames), host))
            except ProtocolError as error:
                _log.warning("dropped a record that came with a task's end: %.300s", error)
