"""The session's part in streaming queries: reads their state, and prepares their start.

Workers need a query's output mode, which its plan does not hold: only ``DataStreamWriter`` knows
it, after planning. The conf that carries it is set while Spark copies the session's confs for the
query.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import SparkSession

from notebook_udf.errors import PlanningError
from notebook_udf.host.host import Host
from notebook_udf.host.sql_confs import with_confs
from notebook_udf.host.streams import SparkStreams, StreamPlan
from notebook_udf.kernel.hooks import Hook, Replacing
from notebook_udf.kernel.streams.checkpoint_check import check_checkpoint
from notebook_udf.kernel.streams.stop import StreamEnds
from notebook_udf.registry import Registry
from notebook_udf.specs.stream_confs import OUTPUT_MODE_CONF
from notebook_udf.state.reader import StateReader
from notebook_udf.state.spark_source import checkpoint_of
from notebook_udf.telemetry.kernel_commands import Command

_STARTING = ("start", "toTable")
_UNSUPPORTED = "STREAMING_OUTPUT_MODE.UNSUPPORTED_OPERATION"


class Streams(StreamEnds):
    """The part of a session for streaming queries."""

    spark: SparkSession
    host: Host
    functions: Registry
    _unlisten: Callable[[], None] | None = None

    def _hook_in(self, *hooks: Hook) -> None:
        """Installs these hooks in PySpark, and one for the start of streams."""
        self._hooks: tuple[Hook, ...] = *hooks, StreamStarts(self.host, self._watch)
        for hook in self._hooks:
            hook.install()

    def _unhook(self) -> None:
        # Some wrap the same function: the last is removed first.
        for hook in reversed(self._hooks):
            hook.uninstall()
        self.host.streams.forget()
        if self._unlisten is not None and self.host.is_alive:
            # Spark goes on without this session.
            self._unlisten()
        self._unlisten = None

    def _watch(self) -> None:
        """Has workers close the functions of streams that fail, from the first stream on.

        The worker in which a function has failed closes its own when it exits; others would keep
        theirs.
        """
        if self._unlisten is None:
            self._unlisten = self.host.streams.on_failure(
                lambda run: self.pool.send(Command("end-query", (), run))
            )

    def state(self, query_or_checkpoint: Any) -> StateReader:
        """A reader of what a streaming query's functions keep in state, by key.

        Parameters
        ----------
        query_or_checkpoint
            A query, running or ended, or the path of its checkpoint.

        Returns
        -------
        StateReader
            ``functions`` and ``variables`` name what there is, ``read`` gives it as a DataFrame.

        Raises
        ------
        SessionError
            If there is no state.

        Examples
        --------
        >>> class Total(nu.AggregateFunction):
        ...     def create_accumulator(self):
        ...         return [0]
        ...
        ...     def accumulate(self, acc, x: int):
        ...         acc[0] += x
        ...
        ...     def merge(self, acc, others):
        ...         for other in others:
        ...             acc[0] += other[0]
        ...
        ...     def get_value(self, acc) -> int:
        ...         return acc[0]
        >>> total = nu.udaf(Total, accumulator_type="array<bigint>")
        >>> total = session.register_function("total", total)
        >>> spark.range(4).write.parquet(f"{folder}/in")
        >>> arriving = spark.readStream.schema("id bigint").parquet(f"{folder}/in")
        >>> sums = arriving.transform(nu.aggregate(total=total("id")))
        >>> writer = sums.writeStream.outputMode("update").format("noop")
        >>> query = writer.option("checkpointLocation", f"{folder}/checkpoint").start()
        >>> query.processAllAvailable()
        >>> session.suspend(query)
        >>> state = session.state(f"{folder}/checkpoint")
        >>> state.read(state.functions[0]).count()
        1
        """
        return StateReader(
            self.spark, checkpoint_of(self.host.streams, query_or_checkpoint), self.functions
        )


class StreamStarts(Replacing):
    """A hook around the start of streaming queries."""

    def __init__(self, host: Host, watch: Callable[[], None]) -> None:
        super().__init__()
        self._streams = host.streams
        self._watch = watch

    def install(self) -> None:
        """Has queries carry their output mode from now on."""
        writer: Any = self._streams.writer_class
        self._replace(writer, "outputMode", _noting(writer.outputMode))
        for name in _STARTING:
            telling = _telling(getattr(writer, name), self._streams, self._watch)
            self._replace(writer, name, telling)


def _noting(original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def output_mode(writer: Any, mode: str) -> Any:
        writer._nu_output_mode = mode
        return original(writer, mode)

    return output_mode


def _telling(
    original: Callable[..., Any], streams: SparkStreams, watch: Callable[[], None]
) -> Callable[..., Any]:
    signature = inspect.signature(original)

    @functools.wraps(original)
    def start(writer: Any, *args: Any, **kwargs: Any) -> Any:
        given = signature.bind(writer, *args, **kwargs).arguments.get("outputMode")
        mode = given or getattr(writer, "_nu_output_mode", None) or "append"
        settings = {OUTPUT_MODE_CONF: mode.lower()}
        plan = streams.plan(writer)
        if plan.forgets:
            # Spark would run micro-batches without rows for ever, to look for expired state, which
            # is not read in any case.
            settings["spark.sql.streaming.noDataMicroBatches.enabled"] = "false"
        plan.leave_watermarks_to_the_query()
        _make_ready(mode.lower(), kwargs, plan)
        watch()
        try:
            with with_confs(plan.spark.conf, settings):
                query = original(writer, *args, **kwargs)
        except AnalysisException as error:
            if error.getCondition() == _UNSUPPORTED and "session window" in str(error):
                raise PlanningError(
                    f"Spark writes session windows when they have ended, and not in outputMode"
                    f"({mode!r}): use 'append', with a watermark, or 'complete'"
                ) from error
            raise
        streams.started(query, plan)
        return query

    return start


def _make_ready(mode: str, options: dict[str, Any], plan: StreamPlan) -> None:
    """Makes groups in state fit the output mode, or checks that they fit the checkpoint."""
    if plan.keeps and mode == "complete":
        plan.take_all_groups()
    elif kept := plan.kept:
        given = {name.lower(): str(value) for name, value in options.items()}
        path = given.get("checkpointlocation", plan.checkpoint)
        check_checkpoint(plan.spark, path, kept)
