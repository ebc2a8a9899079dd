"""Streaming queries of a Connect session: what is known of them without their plans in the JVM."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.dataframe import DataFrame as ConnectFrame
from pyspark.sql.connect.plan import LogicalPlan
from pyspark.sql.connect.streaming.query import StreamingQuery as ConnectQuery
from pyspark.sql.connect.streaming.readwriter import DataStreamWriter as ConnectWriter
from pyspark.sql.streaming.listener import StreamingQueryListener

from notebook_udf.errors import SessionError
from notebook_udf.host.streams import (
    OWN_TIME,
    STATE_NODE,
    WATERMARK_NODE,
    KeptGroups,
    StreamPlan,
    forgets,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery

_ANALYZED, _OPTIMIZED = "== Analyzed Logical Plan ==", "== Optimized Logical Plan =="
# Where a plan has what was remembered of it.
_KEPT = "_nu_kept"
_COMPLETE = (
    "outputMode('complete') of these functions needs Spark's plan to be changed at its start, "
    "which Spark Connect does not let a client do: use 'update' or 'append', or a classic session"
)
_WATERMARKS = (
    "this query has several watermarks, of which those before functions with state would have to "
    "be taken out of Spark's plan, which Spark Connect does not let a client do: no window would "
    "ever end. Use one watermark, before the functions, or a classic session"
)


class ConnectStreams:
    """See ``SparkStreams``."""

    writer_class: type = ConnectWriter
    drains_fully = False

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._checkpoints: dict[str, str | None] = {}
        self._stateless: set[str] = set()
        self._listeners: list[StreamingQueryListener] = []

    def plan(self, writer: DataStreamWriter) -> ConnectStreamPlan:
        """See ``SparkStreams``."""
        return ConnectStreamPlan(writer)

    def started(self, query: StreamingQuery, plan: StreamPlan) -> None:
        """See ``SparkStreams``."""
        self._checkpoints[str(query.id)] = plan.checkpoint
        if isinstance(plan, ConnectStreamPlan) and not plan.has_last_batch:
            self._stateless.add(str(query.id))

    def keeps_state(self, query: StreamingQuery) -> bool:
        """See ``SparkStreams``."""
        return str(query.id) not in self._stateless

    def remember(self, groups: DataFrame, kept: KeptGroups) -> None:
        """See ``SparkStreams``."""
        setattr(groups._plan, _KEPT, kept)

    def forget(self) -> None:
        """See ``SparkStreams``: what was remembered goes with the DataFrames."""

    def has_watermark(self, frame: DataFrame) -> bool:
        """See ``SparkStreams``."""
        return WATERMARK_NODE in _analyzed(frame)

    def running(self, query: StreamingQuery) -> None:
        """See ``SparkStreams``: none can be reached between micro-batches."""

    def checkpoint_of(self, query: Any) -> str | None:
        """See ``SparkStreams``."""
        if not isinstance(query, ConnectQuery):
            return None
        found = self._checkpoints.get(str(query.id))
        if found is None:
            raise SessionError(
                "Spark Connect does not tell where the checkpoint of this query is: start it with "
                "option('checkpointLocation', path), or pass the path"
            )
        return found

    def on_failure(self, tell: Callable[[str], object]) -> Callable[[], None]:
        """See ``SparkStreams``."""
        listener = _Failures(tell)
        # PySpark's thread for events is as this one is: else the process would wait for it at
        # its end, before anything could stop it.
        _aside(lambda: self._spark.streams.addListener(listener))
        self._listeners.append(listener)
        return self.close

    def close(self) -> None:
        """Ends the listening, before the session ends."""
        while self._listeners:
            self._spark.streams.removeListener(self._listeners.pop())


class ConnectStreamPlan:
    """See ``StreamPlan``: read from Spark's text of it, and from the client's plans."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self.spark: SparkSession = writer._session
        self._plan = writer._write_stream._child
        self._text = _analyzed(ConnectFrame(self._plan, writer._session))

    @property
    def kept(self) -> list[KeptGroups]:
        """See ``StreamPlan``; without those behind a view."""
        return [getattr(plan, _KEPT) for plan in _plans(self._plan) if hasattr(plan, _KEPT)]

    @property
    def keeps(self) -> bool:
        """See ``StreamPlan``."""
        return any(STATE_NODE in line and "_nu_" in line for line in self._text.splitlines())

    @property
    def has_last_batch(self) -> bool:
        """Whether a drain of the query would have a last micro-batch in a classic session."""
        return STATE_NODE in self._text or WATERMARK_NODE in self._text

    @property
    def forgets(self) -> bool:
        """See ``StreamPlan``."""
        return forgets(self._text)

    @property
    def checkpoint(self) -> str | None:
        """See ``StreamPlan``."""
        options = self._writer._write_proto.options.items()
        return next((str(v) for name, v in options if name.lower() == "checkpointlocation"), None)

    def leave_watermarks_to_the_query(self) -> None:
        """See ``StreamPlan``."""
        marks = [line for line in self._text.splitlines() if WATERMARK_NODE in line]
        if len(marks) > 1 and (STATE_NODE in self._text or any(OWN_TIME in line for line in marks)):
            raise SessionError(_WATERMARKS)

    def take_all_groups(self) -> None:
        """See ``StreamPlan``."""
        raise SessionError(_COMPLETE)


def _analyzed(frame: Any) -> str:
    """Spark's text of a DataFrame's analysed plan."""
    _, _, text = frame._explain_string(extended=True).partition(_ANALYZED)
    return str(text.partition(_OPTIMIZED)[0])


def _plans(plan: LogicalPlan) -> Iterator[LogicalPlan]:
    """A client's plan and all that it is made of, pinned ones as well."""
    seen: set[int] = set()
    pending = [plan]
    while pending:
        each = pending.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        yield each
        for value in vars(each).values():
            parts = value if isinstance(value, (list, tuple)) else (value,)
            pending += [part for part in parts if isinstance(part, LogicalPlan)]


def _aside(action: Callable[[], object]) -> None:
    """Runs something on a thread of its own, and raises here what it raises."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            action()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name="notebook-udf-listen", daemon=True)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


class _Failures(StreamingQueryListener):  # type: ignore[misc]
    """Tells of each streaming query that has failed."""

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell

    def onQueryStarted(self, event: Any) -> None:  # noqa: N802
        """Ignores the event."""

    def onQueryProgress(self, event: Any) -> None:  # noqa: N802
        """Ignores the event."""

    def onQueryIdle(self, event: Any) -> None:  # noqa: N802
        """Ignores the event."""

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Tells of the query, if it has failed."""
        if event.exception is not None:
            self._tell(f"{event.id}/{event.runId}")
