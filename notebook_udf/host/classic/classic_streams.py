"""Streaming queries of a classic session, in its JVM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

from notebook_udf.host.classic import stateful_nodes
from notebook_udf.host.classic.running_query import RunningQuery
from notebook_udf.host.classic.stream_failures import StreamFailures
from notebook_udf.host.classic.stream_plan import ClassicStreamPlan
from notebook_udf.host.streams import WATERMARK_NODE, KeptGroups, StreamPlan


class ClassicStreams:
    """See ``SparkStreams``."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark

    writer_class: type = DataStreamWriter
    drains_fully = True

    def plan(self, writer: DataStreamWriter) -> ClassicStreamPlan:
        """See ``SparkStreams``."""
        return ClassicStreamPlan(writer)

    def started(self, query: StreamingQuery, plan: StreamPlan) -> None:
        """See ``SparkStreams``: Spark can be asked later."""

    def keeps_state(self, query: StreamingQuery) -> bool:
        """See ``SparkStreams``."""
        return True

    def remember(self, groups: DataFrame, kept: KeptGroups) -> None:
        """See ``SparkStreams``."""
        stateful_nodes.remember(groups, kept)

    def forget(self) -> None:
        """See ``SparkStreams``."""
        stateful_nodes.forget()

    def has_watermark(self, frame: DataFrame) -> bool:
        """See ``SparkStreams``."""
        return WATERMARK_NODE in str(frame._jdf.queryExecution().analyzed().toString())

    def running(self, query: StreamingQuery) -> RunningQuery | None:
        """See ``SparkStreams``."""
        return RunningQuery.of(self._spark, query)

    def checkpoint_of(self, query: Any) -> str | None:
        """See ``SparkStreams``."""
        if not isinstance(query, StreamingQuery):
            return None
        return str(query._jsq.streamingQuery().resolvedCheckpointRoot())

    def on_failure(self, tell: Callable[[str], object]) -> Callable[[], None]:
        """See ``SparkStreams``."""
        listener: Any = StreamFailures(tell)
        self._spark.streams.addListener(listener)
        return lambda: self._spark.streams.removeListener(listener)
