"""The three ways to end a streaming query: drain, suspend, cancel.

Spark stops the query; the workers then close the instances they have kept for it. What those are
told before is all that differs for a function.

Semantics: the graceful shutdown design, "Proposed Solution". Spark commits a micro-batch as soon
as it has run, so that the last commit comes before ``prepare_to_shutdown``, and what that does is
in no checkpoint.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from notebook_udf.errors import SessionError, WorkerError
from notebook_udf.telemetry.records import Command, QueryLeft, Record

if TYPE_CHECKING:
    from pyspark.sql.streaming import StreamingQuery

    from notebook_udf.pool.view import Pool
    from notebook_udf.telemetry.store import Store

# For workers to answer, and for a micro-batch that runs to be committed.
PATIENCE_SECONDS = 30.0
_POLL_SECONDS = 0.05
_REPEAT_SECONDS = 1.0


class StreamEnds:
    """What a session has for ending its streaming queries."""

    store: Store
    pool: Pool

    def drain(self, query: StreamingQuery) -> None:
        """Ends a streaming query in order: what is there is processed and committed, then its
        functions' ``prepare_to_shutdown``, ``shutdown`` and ``close`` are called.

        Raises
        ------
        SessionError
            If a worker does not answer.
        WorkerError
            If one of the methods raises; the query has ended all the same.
        """
        if query.isActive:
            query.processAllAvailable()
        _end(self, query, "drain-query")

    def suspend(self, query: StreamingQuery) -> None:
        """Stops a streaming query after a commit, to go on later from its checkpoint; of its
        functions only ``close`` is called. Raises as ``drain``."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while query.isActive and query.status["isTriggerActive"] and time.monotonic() < deadline:
            query.awaitTermination(_POLL_SECONDS)
        _end(self, query, "end-query")

    def cancel(self, query: StreamingQuery) -> None:
        """Stops a streaming query at once; of its functions only ``close`` is called. Raises as
        ``drain``."""
        _end(self, query, "end-query")


def _end(session: StreamEnds, query: StreamingQuery, command: str) -> None:
    """Stops the query and waits until no worker keeps anything for it.

    Raises
    ------
    SessionError
        If a worker does not answer.
    WorkerError
        If a method of a function raised.
    """
    scope = f"{query.id}/{query.runId}"
    answers: dict[int, QueryLeft] = {}
    changed = threading.Event()

    def hear(record: Record) -> None:
        if isinstance(record, QueryLeft) and record.query == scope:
            answers.setdefault(record.pid, record)
        changed.set()

    unsubscribe = session.store.subscribe(hear)
    try:
        query.stop()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while silent := {worker.pid for worker in session.pool.workers} - answers.keys():
            # Again each time: a worker that is just starting does not hear the first.
            session.pool.send(Command(command, tuple(silent), scope))
            changed.wait(_REPEAT_SECONDS)
            if time.monotonic() > deadline:
                raise SessionError(
                    f"the query is stopped, and workers {sorted(silent)} did not say within "
                    f"{PATIENCE_SECONDS:g} s that they closed its functions; "
                    f"session.pool.restart() ends them"
                )
            changed.clear()
    finally:
        unsubscribe()
    for answer in answers.values():
        if answer.errors:
            raise WorkerError(
                f"the query has ended, and its functions did not end in order: {answer.errors[0]}",
                worker=answer.pid,
                output="\n".join(answer.errors),
            )
