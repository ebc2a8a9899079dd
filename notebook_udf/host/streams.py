"""Streaming queries: their plans before they start, and what can be done to those that run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming import DataStreamWriter, StreamingQuery
    from pyspark.sql.types import StructType

# Names the column of a watermark that is there for a drain alone.
OWN_TIME = "_nu_time"
# Spark's names of the nodes that keep state for functions, and that mark a watermark.
STATE_NODE = "TransformWithStateInPySpark"
WATERMARK_NODE = "EventTimeWatermark"


def forgets(plan: str) -> bool:
    """Whether functions with a time to live for their state are in a plan, by Spark's text."""
    return any("_nu_" in line and ", ProcessingTime," in line for line in plan.splitlines())


@dataclass(frozen=True)
class KeptGroups:
    """The groups of one aggregation.

    Attributes
    ----------
    keys, types
        The group's key, and what the state holds of it: types of accumulators, and of what else.
    complete
        The same columns for every group there is, by Spark's own GROUP BY.
    """

    keys: StructType
    types: StructType
    complete: Callable[[], DataFrame]


class StreamPlan(Protocol):
    """The plan of a query that is about to start, and changes to it."""

    @property
    def spark(self) -> SparkSession:
        """The session that it starts in."""

    @property
    def kept(self) -> Sequence[KeptGroups]:
        """The aggregations in it that keep groups in state, as they were remembered."""

    @property
    def forgets(self) -> bool:
        """Whether functions with a time to live for their state are in it."""

    @property
    def keeps(self) -> bool:
        """Whether aggregations that keep groups in state are in it, remembered or not."""

    @property
    def checkpoint(self) -> str | None:
        """The checkpoint folder that its writer was given as an option, or None."""

    def leave_watermarks_to_the_query(self) -> None:
        """Removes the watermarks that are there for a drain alone, if the query has another one.

        Spark uses the lowest of all, and they stay at 0: no window would ever end.

        Raises
        ------
        PlanningError
            If there is a watermark before a function with state and another one behind it.
        SessionError
            If the plan would have to be changed, and cannot be in this kind of session.
        """

    def take_all_groups(self) -> None:
        """Has complete mode write every group: puts Spark's GROUP BY in place of our state.

        Raises
        ------
        PlanningError
            If rows would have to be retracted, which Spark's GROUP BY cannot do.
        SessionError
            If the plan cannot be changed in this kind of session.
        """


class RunningStream(Protocol):
    """A streaming query that runs micro-batches, between which it can be reached."""

    @property
    def sleeps(self) -> bool:
        """Whether its triggers are so far apart that the next one is not waited for."""

    @property
    def has_rested(self) -> bool:
        """Whether it has run micro-batches before it was started, and none since: Spark then lets
        it run none without rows."""

    def stop(self) -> None:
        """Stops the query as soon as the micro-batch in flight is committed, before another
        begins."""

    def restart(self) -> StreamingQuery:
        """Stops the query between two micro-batches and returns the run that continues it, whose
        triggers follow each other at once.

        With a watermark the run begins with a micro-batch without rows: only after one has run
        does Spark check whether a raised watermark makes another one due.
        """

    def run_last_batch(self) -> None:
        """Runs one more micro-batch, without rows and with the greatest watermark, in which
        functions are told that it is the last.

        Only a query that has state, and below it a watermark, has such a batch; of others nothing
        more is to be committed. Nor has one that has run no batch yet.
        """


class SparkStreams(Protocol):
    """Streaming queries of a session."""

    @property
    def writer_class(self) -> type:
        """The class of the session's ``DataStreamWriter``."""

    def plan(self, writer: DataStreamWriter) -> StreamPlan:
        """The plan of the query that a writer is about to start."""

    def started(self, query: StreamingQuery, plan: StreamPlan) -> None:
        """Takes note of a query that was started, and of its plan before that."""

    def remember(self, groups: DataFrame, kept: KeptGroups) -> None:
        """Notes the groups behind a DataFrame that ``transformWithState`` returned."""

    def forget(self) -> None:
        """Drops what was remembered, of all sessions of this process."""

    def has_watermark(self, frame: DataFrame) -> bool:
        """Whether there is a watermark in the plan of a DataFrame."""

    def running(self, query: StreamingQuery) -> RunningStream | None:
        """A query that runs; None if it is continuous or cannot be reached between micro-batches.

        Without it a query is stopped as Spark stops it, and has no last micro-batch.
        """

    @property
    def drains_fully(self) -> bool:
        """Whether a query that runs can be given a last micro-batch, in which functions are told
        that it is the last."""

    def keeps_state(self, query: StreamingQuery) -> bool:
        """Whether something is kept in a query that a last micro-batch would bring out; true where
        that is not known."""

    def checkpoint_of(self, query: Any) -> str | None:
        """The checkpoint folder of a streaming query; None for anything else.

        Raises
        ------
        SessionError
            If the session does not know it.
        """

    def on_failure(self, tell: Callable[[str], object]) -> Callable[[], None]:
        """Calls ``tell`` with ``id/runId`` of each streaming query that fails from now on.

        Returns what ends that, which must not be called on a Spark that was stopped.
        """
