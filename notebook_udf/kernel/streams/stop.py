"""The three ways to end a streaming query: drain, suspend, cancel.

Spark stops the query; the workers then close the instances they have kept for it. For a function
the ways differ only in what its instances are told before.

Semantics: FLIP-46, "Proposed Solution". The last commit of a drain is that of
a micro-batch without rows and with the greatest watermark. Where Spark runs none, because the
query keeps no state, each instance is told to ``prepare_to_shutdown`` right before ``shutdown``:
there is nothing of theirs that another commit could hold.
"""

from __future__ import annotations

import sys
import threading
import time

from pyspark.sql.streaming import StreamingQuery

from notebook_udf.errors import NotebookUdfError, SessionError, WorkerError
from notebook_udf.host.host import Host
from notebook_udf.pool.view import Pool
from notebook_udf.telemetry.kernel_commands import Command
from notebook_udf.telemetry.records import QueryLeft, Record
from notebook_udf.telemetry.store.session_store import Store

# For workers to answer.
PATIENCE_SECONDS = 30.0
_REPEAT_SECONDS = 1.0
_NO_LAST_BATCH = (
    "on Spark Connect a drain has no last micro-batch: what is there is processed, and then "
    "process functions are not told end_input, nor are windows written that wait for their "
    "watermark. A classic session does both"
)


class StreamEnds:
    """The part of a session that ends streaming queries."""

    host: Host
    notes: list[str]
    store: Store
    pool: Pool

    def drain(self, query: StreamingQuery) -> None:
        """Ends a streaming query in order, with all its input processed.

        Process functions get the end of the input, and all functions ``prepare_to_shutdown``. The
        results are committed. Then ``shutdown`` and ``close`` are called.

        Nothing waits for the query's trigger, except on Spark Connect. If triggers are more than
        2 s apart, the query stops. Its last micro-batches are then another run, of the same
        ``id``, from its checkpoint. The same holds if it has processed nothing since it was
        started. A source that cannot be read again, such as a socket, needs a shorter trigger.

        Parameters
        ----------
        query
            A streaming query of this session's Spark.

        Raises
        ------
        Exception
            What the query fails with; then only ``close`` is called.
        SessionError
            If a worker does not answer.
        WorkerError
            If one of the methods raises after the last commit; the query has ended all the same.

        Notes
        -----
        Source: [FLIP-46][flip-46], "Proposed Solution".

        Examples
        --------
        >>> spark.range(3).write.parquet(f"{folder}/in")
        >>> arriving = spark.readStream.schema("id bigint").parquet(f"{folder}/in")
        >>> writer = arriving.writeStream.option("checkpointLocation", f"{folder}/checkpoint")
        >>> query = writer.start(f"{folder}/out")
        >>> session.drain(query)
        >>> query.isActive, spark.read.parquet(f"{folder}/out").count()
        (False, 3)
        """
        last = query
        self._say_what_is_lost(query)
        try:
            if query.isActive:
                running = self.host.streams.running(query)
                if running is None or not running.sleeps:
                    query.processAllAvailable()
                if running is not None and (running.sleeps or running.has_rested):
                    last = running.restart()
                    running = self.host.streams.running(last)
                    last.processAllAvailable()
                if running is not None:
                    running.run_last_batch()
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

    def _say_what_is_lost(self, query: StreamingQuery) -> None:
        """Says, once in a session, that a drain has no last micro-batch where there can be none."""
        streams = self.host.streams
        if streams.drains_fully or _NO_LAST_BATCH in self.notes or not streams.keeps_state(query):
            return
        self.notes.append(_NO_LAST_BATCH)
        print(f"notebook-udf: {_NO_LAST_BATCH}", file=sys.stderr)

    def suspend(self, query: StreamingQuery) -> None:
        """Stops a streaming query as soon as the micro-batch that runs is committed.

        It can continue later from its checkpoint. Of its functions only ``close`` is called.

        Parameters
        ----------
        query
            A streaming query of this session's Spark.

        Raises
        ------
        SessionError, WorkerError
            As ``cancel``.

        Notes
        -----
        Source: [FLIP-46][flip-46], "Proposed Solution".

        Examples
        --------
        >>> arriving = spark.readStream.format("rate").load()
        >>> query = arriving.writeStream.format("noop").start()

        >>> session.suspend(query)
        >>> query.isActive
        False
        """
        running = self.host.streams.running(query)
        if running is None:
            query.stop()
        else:
            running.stop()
        self._close_functions(query)

    def cancel(self, query: StreamingQuery) -> None:
        """Stops a streaming query at once; of its functions only ``close`` is called.

        Parameters
        ----------
        query
            A streaming query of this session's Spark.

        Raises
        ------
        SessionError
            If a worker does not answer.
        WorkerError
            If ``close`` raises; the query has ended all the same.

        Notes
        -----
        Source: PySpark's [StreamingQuery.stop][pyspark], which does not wait for the functions.

        Examples
        --------
        >>> arriving = spark.readStream.format("rate").load()
        >>> query = arriving.writeStream.format("noop").start()

        >>> session.cancel(query)
        >>> query.isActive
        False
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
