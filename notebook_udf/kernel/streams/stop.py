"""The three ways to end a streaming query: drain, suspend, cancel.

Spark stops the query; the workers then close the instances they have kept for it. For a function
the ways differ only in what its instances are told before.

Semantics: the graceful shutdown design, "Proposed Solution". The last commit of a drain is that of
a micro-batch without rows and with the greatest watermark. Where Spark runs none, because the
query keeps no state, each instance is told to ``prepare_to_shutdown`` right before ``shutdown``:
there is nothing of theirs that another commit could hold.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, ClassVar

from pyspark import SparkContext
from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from notebook_udf.errors import NotebookUdfError, SessionError, WorkerError
from notebook_udf.host.classic.running_query import RunningQuery
from notebook_udf.host.classic.stream_restart import continued
from notebook_udf.pool.view import Pool
from notebook_udf.telemetry.records import Command, QueryLeft, Record
from notebook_udf.telemetry.store.session_store import Store

# For workers to answer.
PATIENCE_SECONDS = 30.0
_REPEAT_SECONDS = 1.0


class Failures:
    """A query listener that has workers close the instances kept for queries that fail.

    The worker in which a function has failed closes its own when it exits; others would keep
    theirs.
    """

    def __init__(self, send: Callable[[Command], None]) -> None:
        self._send = send
        self._wrapped: Any = None

    @property
    def _jlistener(self) -> Any:
        # PySpark would parse every event in full, those of micro-batches too, and cannot parse the
        # start of a query if its cell's jobs have a tag.
        if self._wrapped is None:
            jvm: Any = SparkContext._jvm
            self._wrapped = jvm.PythonStreamingQueryListenerWrapper(self)
        return self._wrapped

    # What the JVM calls; only ends are listened to.

    def _nothing(self, event: Any) -> None:
        """Ignores the event."""

    onQueryStarted = onQueryProgress = onQueryIdle = _nothing  # noqa: N815

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Tells the workers, if the query has failed."""
        if event.exception().isDefined():
            run = f"{event.id().toString()}/{event.runId().toString()}"
            self._send(Command("end-query", (), run))

    class Java:
        implements: ClassVar = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]


class StreamEnds:
    """The part of a session that ends streaming queries."""

    spark: SparkSession
    store: Store
    pool: Pool

    def drain(self, query: StreamingQuery) -> None:
        """Ends a streaming query in order: what is there is processed, process functions are told
        of the end of the input and all functions to ``prepare_to_shutdown``, that is committed,
        and ``shutdown`` and ``close`` are called.

        Nothing waits for the query's trigger, except on Spark Connect: if triggers are more than
        2 s apart, the query stops and its last micro-batches are another run, of the same ``id``,
        from its checkpoint; the same if it has processed nothing since it was started. A source
        that cannot be read again, such as a socket, has to be drained with a shorter trigger.

        Raises
        ------
        Exception
            What the query fails with; then only ``close`` is called.
        SessionError
            If a worker does not answer.
        WorkerError
            If one of the methods raises after the last commit; the query has ended all the same.
        """
        last = query
        try:
            if query.isActive:
                running = RunningQuery.of(query)
                if running is None or not running.sleeps:
                    query.processAllAvailable()
                if running is not None and (running.sleeps or running.has_rested):
                    last = continued(self.spark, query, running)
                    running = RunningQuery.of(last)
                    last.processAllAvailable()
                if running is not None:
                    running.run_last_batch(last)
            last.stop()
        except BaseException as error:
            last.stop()
            try:
                self._close_functions(query)
            except NotebookUdfError as further:
                error.add_note(str(further))
            raise
        # One worker after the other: where one fails to prepare, no further one shuts down.
        for worker in self.pool.workers:
            try:
                self._tell(query, "drain-query", worker.pid)
            except NotebookUdfError:
                self._close_functions(query)
                raise

    def suspend(self, query: StreamingQuery) -> None:
        """Stops a streaming query as soon as the micro-batch that runs is committed, to go on
        later from its checkpoint; of its functions only ``close`` is called. Raises as
        ``cancel``."""
        running = RunningQuery.of(query)
        if running is None:
            query.stop()
        else:
            running.stop(query)
        self._close_functions(query)

    def cancel(self, query: StreamingQuery) -> None:
        """Stops a streaming query at once; of its functions only ``close`` is called.

        Raises
        ------
        SessionError
            If a worker does not answer.
        WorkerError
            If ``close`` raises; the query has ended all the same.
        """
        query.stop()
        self._close_functions(query)

    def _close_functions(self, query: StreamingQuery) -> None:
        """Closes the instances kept for a query that has ended. Raises as ``cancel``."""
        self._tell(query, "end-query")

    def _tell(self, query: StreamingQuery, command: str, *pids: int) -> None:
        """Sends workers, by default all, a command about a query's functions, and awaits answers.

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

        unsubscribe = self.store.subscribe(hear)
        try:
            deadline = time.monotonic() + PATIENCE_SECONDS
            while silent := {
                worker.pid
                for worker in self.pool.workers
                if worker.pid not in answers and (not pids or worker.pid in pids)
            }:
                # Again each time: a worker that is just starting does not hear the first.
                self.pool.send(Command(command, tuple(silent), scope))
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
        errors = [(answer.pid, error) for answer in answers.values() for error in answer.errors]
        if errors:
            raise WorkerError(
                f"the query has ended, and its functions did not end in order: {errors[0][1]}",
                worker=errors[0][0],
                output="\n".join(error for _, error in errors),
            )
