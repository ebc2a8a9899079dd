"""Takes what executors tell with the end of a task, where they do not reach this kernel."""

from __future__ import annotations

import logging
from collections.abc import Callable

from notebook_udf.errors import ProtocolError
from notebook_udf.host.changes import Changes
from notebook_udf.host.cluster import Gathering
from notebook_udf.host.host import Host
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.telemetry.wire import decode
from notebook_udf.worker.runtime.task_records import ACCUMULATOR_VARIABLE

_log = logging.getLogger(__name__)

_NOTE = (
    "executors do not reach this kernel: metrics and logs come when a task has ended, and those of "
    "a task that failed do not; session.check() says what to set"
)


class TaskEnds:
    """The hook that takes records from Spark's accumulator, for a session on a cluster.

    Parameters
    ----------
    host, changes, store
        The session's.
    say
        Called once with a text for the user, at the first record.
    """

    def __init__(
        self, host: Host, changes: Changes, store: Store, say: Callable[[str], object]
    ) -> None:
        self._host = host
        self._changes = changes
        self._store = store
        self._say = say
        self._gathering: Gathering | None = None

    def install(self) -> None:
        """Makes the accumulator, and names it to workers."""
        if self._host.cluster.shares_files:
            return
        self._gathering = self._host.cluster.gather(self._take)
        if self._gathering is not None:
            self._changes.environment(ACCUMULATOR_VARIABLE, str(self._gathering.number))

    def uninstall(self) -> None:
        """Removes the accumulator."""
        if self._gathering is not None:
            self._gathering.end()

    def _take(self, records: list[list[bytes]]) -> None:
        if records and not self._store.late:
            self._store.late = True
            self._say(_NOTE)
        for frames in records:
            try:
                self._store.apply(decode(frames))
            except ProtocolError as error:
                _log.warning("dropped a record that came with a task's end: %.300s", error)
