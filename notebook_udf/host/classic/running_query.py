"""A running streaming query in Spark's JVM: its progress, and its last micro-batch.

Spark offers neither a stop between two micro-batches nor a last one without rows. Holding the lock
under which it begins and commits them makes both possible.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from notebook_udf.host.classic.stream_restart import continued
from notebook_udf.host.streams import WATERMARK_NODE
from notebook_udf.specs.stream_confs import DRAINING_CONF

# The beginning of the year 9999, in milliseconds. Spark's timestamps end with that year, and a
# query that goes on and is drained again needs a greater one.
_MAX_WATERMARK = 253_370_764_800_000
_POLL_SECONDS = 0.02
# Triggers are waited for whose interval is no longer than a restart of the query takes.
_SHORT_MILLISECONDS = 2_000


class RunningQuery:
    """See ``RunningStream``.

    Parameters
    ----------
    spark
        The session that the query was started in.
    execution
        Spark's ``MicroBatchExecution`` of the query.
    """

    def __init__(self, spark: SparkSession, query: StreamingQuery, execution: Any) -> None:
        self._spark = spark
        self._query = query
        self.execution = execution

    @classmethod
    def of(cls, spark: SparkSession, query: StreamingQuery) -> RunningQuery | None:
        """That of a query; None if it is continuous."""
        execution = query._jsq.streamingQuery()
        # A continuous query has no micro-batches.
        return cls(spark, query, execution) if hasattr(execution, "watermarkTracker") else None

    @property
    def sleeps(self) -> bool:
        """See ``RunningStream``."""
        trigger = self.execution.trigger()
        interval = trigger.intervalMs() if hasattr(trigger, "intervalMs") else 0
        return bool(interval > _SHORT_MILLISECONDS)

    @property
    def has_rested(self) -> bool:
        """See ``RunningStream``."""
        return self.execution.lastExecution() is None and self.goes_on_without_rows

    @property
    def goes_on_without_rows(self) -> bool:
        """Whether micro-batches without rows can change something, and can run: it has a
        watermark, and a micro-batch is committed."""
        committed = self.execution.commitLog().getLatestBatchId()
        plan = str(self.execution.analyzedPlan().toString())
        return WATERMARK_NODE in plan and bool(committed.isDefined())

    @contextmanager
    def _between_batches(self) -> Iterator[None]:
        """Waits until no micro-batch is in flight; none begins within it."""
        # Python's threads have a thread each in the JVM: the lock is this one's.
        lock = self.execution.awaitProgressLock()
        lock.lock()
        try:
            while self._query.isActive and self._in_flight:
                # Lets go of the lock, without which nothing can be committed.
                self.execution.awaitProgressLockCondition().awaitNanos(
                    int(_POLL_SECONDS * 1_000_000_000)
                )
            yield
        finally:
            lock.unlock()

    @property
    def _in_flight(self) -> bool:
        """Whether a micro-batch has begun and is not committed."""
        begun = self.execution.offsetLog().getLatestBatchId()
        committed = self.execution.commitLog().getLatestBatchId()
        return bool(begun.isDefined()) and not (
            committed.isDefined() and committed.get() >= begun.get()
        )

    def stop(self) -> None:
        """See ``RunningStream``."""
        query = self._query
        # Stopping waits for the query's thread, which may wait for the lock; only what it does
        # first, to tell the thread, has to happen while the lock is held.
        stopping = threading.Thread(target=query.stop, name="notebook-udf-stop", daemon=True)
        with self._between_batches():
            stopping.start()
            while query.isActive and stopping.is_alive():
                stopping.join(_POLL_SECONDS)
        stopping.join()

    def restart(self) -> StreamingQuery:
        """See ``RunningStream``."""
        return continued(self._spark, self._query, self)

    def run_last_batch(self) -> None:
        """See ``RunningStream``."""
        query = self._query
        with self._between_batches():
            last = self.execution.lastExecution()
            if not query.isActive or last is None:
                return
            self.execution.sparkSessionForStream().conf().set(DRAINING_CONF, str(query.runId))
            watermarks, batch = last.watermarkPropagator(), last.currentBatchId()
            # Spark has asked already whether another batch is due with the watermark as it was,
            # and remembers the answer.
            watermarks.purge(batch + 1)
            before = last.offsetSeqMetadata().batchWatermarkMs()
            watermarks.propagate(batch, last.executedPlan(), before)
            tracker = self.execution.watermarkTracker()
            tracker.setWatermark(max(_MAX_WATERMARK, tracker.currentWatermark() + 1))
        query.processAllAvailable()
