"""What a session does for streaming queries: their state is read, and their start completed.

A query's workers are told its output mode, which a plan is not.
``DataStreamWriter`` knows it last, when the plan is made; the conf that carries it is set for as
long as Spark takes to copy the session's confs for the query.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession
from pyspark.sql.streaming import DataStreamWriter

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.hooks import Hook, Replacing
from notebook_udf.kernel.sql_confs import with_confs
from notebook_udf.kernel.streams.stateful_plans import (
    StreamPlan,
    check_checkpoint,
    checkpoint_option,
)
from notebook_udf.kernel.streams.stop import Failures, StreamEnds
from notebook_udf.planner.streaming.stateful_nodes import forget
from notebook_udf.registry import Registry
from notebook_udf.specs.stream_confs import OUTPUT_MODE_CONF
from notebook_udf.state.reader import StateReader
from notebook_udf.state.spark_source import checkpoint_of

_STARTING = ("start", "toTable")
_UNSUPPORTED = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"


class Streams(StreamEnds):
    """The part of a session that is about streams."""

    spark: SparkSession
    functions: Registry
    _failures: Failures | None = None

    def _hook_in(self, *hooks: Hook) -> None:
        """Has these put into PySpark, and its streams started with what workers need."""
        self._hooks: tuple[Hook, ...] = *hooks, StreamStarts(self._watch)
        for hook in self._hooks:
            hook.install()

    def _unhook(self) -> None:
        # Some are put around the same thing: the last comes off first.
        for hook in reversed(self._hooks):
            hook.uninstall()
        forget()
        if self._failures is not None and self.spark.sparkContext._jsc is not None:
            # Spark goes on without this session.
            self.spark.streams.removeListener(self._failures)
        self._failures = None

    def _watch(self) -> None:
        """Has the functions of streams closed that fail, from the first stream on."""
        if self._failures is None:
            self._failures = Failures(self.pool.send)
            self.spark.streams.addListener(self._failures)

    def state(self, query_or_checkpoint: Any) -> StateReader:
        """What a streaming query's functions remember of each key.

        Parameters
        ----------
        query_or_checkpoint
            A query, running or ended, or the path of its checkpoint.

        Raises
        ------
        SessionError
            If there is no state.
        """
        return StateReader(self.spark, checkpoint_of(query_or_checkpoint), self.functions)


class StreamStarts(Replacing):
    """Puts itself around the start of streaming queries, and takes itself away again."""

    def __init__(self, watch: Callable[[], None]) -> None:
        super().__init__()
        self._watch = watch

    def install(self) -> None:
        """From now on queries carry their output mode."""
        self._replace(DataStreamWriter, "outputMode", _noting(DataStreamWriter.outputMode))
        for name in _STARTING:
            original = getattr(DataStreamWriter, name)
            self._replace(DataStreamWriter, name, _telling(original, self._watch))


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def output_mode(writer: Any, mode: str) -> Any:
        writer._nu_output_mode = mode
        return original(writer, mode)

    return output_mode


def _telling(original: Callable[..., Any], watch: Callable[[], None]) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def start(writer: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(writer, *args, **kwargs).arguments.get("outputMode")
        mode = given or getattr(writer, "_nu_output_mode", None) or "append"
        settings = {OUTPUT_MODE_CONF: mode.lower()}
        plan = StreamPlan(writer)
        if plan.forgets:
            # Spark would run micro-batches without rows for ever, to look for what has expired;
            # what has is not read in any case.
            settings["spark.sql.streaming.noDataMicroBatches.enabled"] = "false"
        plan.leave_watermarks_to_the_query()
        _make_ready(writer, mode.lower(), kwargs, plan)
        watch()
        try:
            with with_confs(writer._spark.conf, settings):
                return original(writer, *args, **kwargs)
        except AnalysisException as error:
            if error.getCondition() == _UNSUPPORTED and "session window" in str(error):
                raise PlanningError(
                    f"Spark writes session windows when they have ended, and not in outputMode"
                    f"({mode!r}): use 'append', with a watermark, or 'complete'"
                ) from error
            raise

    return start


def _make_ready(writer: Any, mode: str, options: dict[str, Any], plan: StreamPlan) -> None:
    """Sees to it that groups in state fit the output mode and the checkpoint."""
    kept = plan.kept
    if kept and mode == "complete":
        plan.take_all_groups()
    elif kept:
        path = checkpoint_option(writer, options)
        check_checkpoint(writer._df.sparkSession, path, kept)
