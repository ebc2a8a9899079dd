"""Restarts a streaming query that cannot run its last micro-batches in the run that it is in.

It waits for its next trigger, which only stopping it cuts short; or it has run nothing since it
was started. So it is stopped between two micro-batches and goes on from its checkpoint: another
run of the same plan into the same sink, whose triggers follow each other at once. What is
processed exactly once stays so, as after any restart. Its functions are those of the run before:
workers take it for the same run.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pyspark.sql import SparkSession
from pyspark.sql.streaming import StreamingQuery

from notebook_udf.host.classic.scala import private_field
from notebook_udf.host.sql_confs import with_confs
from notebook_udf.specs.stream_confs import OUTPUT_MODE_CONF, SCOPE_CONF

if TYPE_CHECKING:
    from notebook_udf.host.classic.running_query import RunningQuery

# The confs that a query's start has set for it (``kernel.streams.session_streams``).
_CARRIED = (OUTPUT_MODE_CONF, "spark.sql.streaming.noDataMicroBatches.enabled")


def continued(spark: SparkSession, query: StreamingQuery, running: RunningQuery) -> StreamingQuery:
    """See ``RunningStream.restart``."""
    execution = running.execution
    temporary = private_field(execution, "deleteCheckpointOnStop")
    deletes = bool(temporary.get(execution))
    temporary.set(execution, False)
    running.stop()
    plan = private_field(execution, "plan").get(execution)
    if running.goes_on_without_rows:
        _repeat_offsets(execution, spark._jvm)
    before = execution.sparkSessionForStream().conf()
    confs = {name: before.get(name) for name in _CARRIED if before.contains(name)}
    with with_confs(spark.conf, {**confs, SCOPE_CONF: f"{query.id}/{query.runId}"}):
        made = _started(spark, execution, plan)
    if deletes:
        again = made.streamingQuery()
        private_field(again, "deleteCheckpointOnStop").set(again, True)
    return StreamingQuery(made)


def _started(spark: SparkSession, execution: Any, plan: Any) -> Any:
    jvm: Any = spark._jvm
    manager = spark._jsparkSession.streams()
    return manager.startQuery(
        jvm.scala.Option.apply(plan.name()),
        plan.sinkName(),
        jvm.scala.Option.apply(execution.resolvedCheckpointRoot()),
        jvm.org.apache.spark.sql.classic.Dataset.ofRows(spark._jsparkSession, plan.inputQuery()),
        private_field(execution, "extraOptions").get(execution),
        plan.sink(),
        plan.outputMode(),
        False,
        True,
        jvm.org.apache.spark.sql.streaming.Trigger.ProcessingTime("0 seconds"),
        execution.triggerClock(),
        plan.catalogAndIdent(),
        plan.catalogTable(),
    )


def _repeat_offsets(execution: Any, jvm: Any) -> None:
    """Logs a micro-batch with the offsets of the last one, as Spark does when only the watermark
    is new."""
    offsets, commits = execution.offsetLog(), execution.commitLog()
    batch = commits.getLatestBatchId().get()
    written = jvm.java.io.ByteArrayOutputStream()
    offsets.serialize(offsets.get(batch).get(), written)
    version, metadata, *rest = str(written.toString("UTF-8")).split("\n")
    planned = json.loads(metadata)
    planned["batchWatermarkMs"] = commits.get(batch).get().nextBatchWatermarkMs()
    text = "\n".join([version, json.dumps(planned), *rest]).encode()
    offsets.add(batch + 1, offsets.deserialize(jvm.java.io.ByteArrayInputStream(text)))
