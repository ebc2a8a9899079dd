"""Streaming plans with groups in state, at their start: complete mode, checks of the checkpoint.

Only Spark's writer knows the output mode and the checkpoint. Its plan is searched for the nodes
that ``host.classic.stateful_nodes`` knows. All of it needs the JVM: over Spark
Connect a query in complete mode and a checkpoint that does not fit are refused by Spark itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructType

from notebook_udf.errors import PlanningError, SessionError
from notebook_udf.host.classic.stateful_nodes import KeptGroups, known
from notebook_udf.planner.streaming.stateful_process import OWN_TIME
from notebook_udf.specs.state_layout import TYPES
from notebook_udf.state.spark_source import Stored
from notebook_udf.types import ddl

_NODE = "TransformWithStateInPySpark"
_WATERMARK = "EventTimeWatermark"


class StreamPlan:
    """The plan of a query that is about to start, and changes to it.

    Its text takes one call of the JVM, where walking the plan takes some for each node.
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self._plan: Any = None
        self._text = ""
        if hasattr(writer._df, "_jdf"):
            self._plan = writer._df._jdf.queryExecution().analyzed()
            self._text = str(self._plan.toString())

    @property
    def kept(self) -> list[KeptGroups]:
        """The aggregations that keep groups in state."""
        if _NODE not in self._text:
            return []
        return [found for node in _nodes(self._plan) if (found := known(node))]

    @property
    def forgets(self) -> bool:
        """Whether functions with a time to live for their state are in it."""
        lines = self._text.splitlines()
        return any("_nu_" in line and ", ProcessingTime," in line for line in lines)

    def leave_watermarks_to_the_query(self) -> None:
        """Removes the watermarks that are there for a drain alone, if the query has another one.

        Spark uses the lowest of all, and they stay at 0: no window would ever end.

        Raises
        ------
        PlanningError
            If there is a watermark before a function with state and another one behind it.
        """
        marks = [line for line in self._text.splitlines() if _WATERMARK in line]
        own = [line for line in marks if OWN_TIME in line]
        if own and len(own) < len(marks):
            self._rewrite(_without_own_watermark)
        if len(marks) - len(own) > 1 and _NODE in self._text and _is_marked_again(self._plan):
            raise PlanningError(
                "the rows have a watermark before functions that keep state, and another one "
                "behind them, and Spark takes one only: leave out the withWatermark before them, "
                "and what is behind ends by the other one"
            )

    def take_all_groups(self) -> None:
        """Has complete mode write every group: puts Spark's GROUP BY in place of our state.

        Raises
        ------
        PlanningError
            If rows would have to be retracted, which Spark's GROUP BY cannot do.
        """
        jvm = self._writer._df.sparkSession._jvm

        def replaced(node: Any) -> Any:
            found = known(node) if node.nodeName() == _NODE else None
            return None if found is None else _under_the_same_names(node, found, jvm)

        self._rewrite(replaced)

    def _rewrite(self, replaced: Callable[[Any], Any]) -> None:
        """Replaces the writer's plan: each node by what ``replaced`` makes of it, unless that is
        None."""
        spark, writer = self._writer._df.sparkSession, self._writer._jwrite
        self._plan = _rewritten(self._plan, replaced, spark._jvm)
        dataset = spark._jvm.org.apache.spark.sql.classic.Dataset.ofRows(
            spark._jsparkSession, self._plan
        )
        # What was set on the writer so far is to stay.
        field = writer.getClass().getDeclaredField("ds")
        field.setAccessible(True)
        field.set(writer, dataset)


def check_checkpoint(spark: SparkSession, path: str | None, kept: list[KeptGroups]) -> None:
    """Checks that a query keeps the types in state that its checkpoint holds.

    Raises
    ------
    SessionError
        If the types of accumulators or keys differ; the message shows both.
    """
    if path is None or len(kept) != 1 or (os.path.isabs(path) and not os.path.exists(path)):
        return
    try:
        stored = Stored(spark, path)
        if TYPES not in stored.variables:
            return
        before = stored.read(TYPES).schema
    except SessionError:
        # Nothing is kept yet.
        return
    for what, old, new in (
        ("keys", before["key"].dataType, kept[0].keys),
        ("accumulators", _kept(before["value"].dataType), _kept(kept[0].types)),
    ):
        if not _fits(old, new):
            raise SessionError(
                f"the checkpoint {path} was made by a query that keeps something else, and going "
                f"on from it would mix up both\n"
                f"{what} in the checkpoint: {ddl(old)}\n"
                f"{what} of this query:     {ddl(new)}\n"
                f"give this query a checkpointLocation of its own, or make its functions, their "
                f"order and their accumulators what they were"
            )


def checkpoint_option(writer: Any, given: dict[str, Any]) -> str | None:
    """The checkpoint folder that a writer was given, or None."""
    for name, value in given.items():
        if name.lower() == "checkpointlocation":
            return str(value)
    if not hasattr(writer, "_jwrite"):
        return None
    field = writer._jwrite.getClass().getDeclaredField("extraOptions")
    field.setAccessible(True)
    found = field.get(writer._jwrite).get("checkpointLocation")
    return str(found.get()) if found.isDefined() else None


def _fits(before: StructType, now: StructType) -> bool:
    """Whether both have the same types; functions may have been renamed."""
    if [_shown(f.dataType) for f in before.fields] != [_shown(f.dataType) for f in now.fields]:
        return False
    names = before.names, now.names
    return names[0] == names[1] or set(names[0]) != set(names[1])


def _shown(kind: DataType) -> str:
    return str(kind.simpleString()).lower()


def _kept(types: StructType) -> StructType:
    """The types of the accumulators, and of what else is kept for a group."""
    functions, *others = types.fields
    return StructType([*functions.dataType.fields, *others])


def _nodes(plan: Any) -> Iterator[Any]:
    if plan.nodeName() == _NODE:
        yield plan
    children = plan.children()
    for place in range(children.size()):
        yield from _nodes(children.apply(place))


def _is_marked_again(plan: Any, *, marked: bool = False, kept: bool = False) -> bool:
    """Whether there is a watermark, our state below it, and below that another watermark."""
    name = plan.nodeName()
    if name == _WATERMARK:
        if kept:
            return True
        marked = True
    kept = kept or (marked and name == _NODE)
    children = plan.children()
    return any(
        _is_marked_again(children.apply(at), marked=marked, kept=kept)
        for at in range(children.size())
    )


def _rewritten(plan: Any, replaced: Callable[[Any], Any], jvm: Any) -> Any:
    found = replaced(plan)
    if found is not None:
        return found
    children = plan.children()
    if not children.size():
        return plan
    made = [_rewritten(children.apply(at), replaced, jvm) for at in range(children.size())]
    return plan.withNewChildren(jvm.PythonUtils.toSeq(made))


def _without_own_watermark(node: Any) -> Any:
    own = node.nodeName() == _WATERMARK and node.eventTime().name() == OWN_TIME
    return node.child() if own else None


def _under_the_same_names(node: Any, kept: KeptGroups, jvm: Any) -> Any:
    """A plan of every group, whose columns have the node's expression ids."""
    catalyst = jvm.org.apache.spark.sql.catalyst
    plan = kept.complete()._jdf.queryExecution().analyzed()
    own, wanted = plan.output(), node.output()
    aliases = []
    for place in range(wanted.size()):
        column = wanted.apply(place)
        alias = catalyst.expressions.Alias(
            own.apply(place),
            column.name(),
            column.exprId(),
            column.qualifier(),
            jvm.scala.Option.empty(),
            jvm.PythonUtils.toSeq([]),
        )
        aliases.append(alias)
    return catalyst.plans.logical.Project(jvm.PythonUtils.toSeq(aliases), plan)
