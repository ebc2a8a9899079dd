"""Streaming plans with groups in state, at their start: complete mode, and watermarks.

Only Spark's writer knows the output mode and the checkpoint. Its plan is searched for the nodes
that ``host.classic.stateful_nodes`` knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.errors import PlanningError
from notebook_udf.host.classic.scala import items, private_field
from notebook_udf.host.classic.stateful_nodes import known
from notebook_udf.host.streams import OWN_TIME, STATE_NODE, WATERMARK_NODE, KeptGroups, forgets


class ClassicStreamPlan:
    """See ``StreamPlan``.

    Its text takes one call of the JVM, where walking the plan takes some for each node.
    """

    def __init__(self, writer: Any) -> None:
        self._writer = writer
        self.spark: SparkSession = writer._spark
        self._plan: Any = writer._df._jdf.queryExecution().analyzed()
        self._text = str(self._plan.toString())

    @property
    def kept(self) -> list[KeptGroups]:
        """See ``StreamPlan``."""
        if STATE_NODE not in self._text:
            return []
        return [found for node in _nodes(self._plan) if (found := known(node))]

    @property
    def keeps(self) -> bool:
        """See ``StreamPlan``."""
        return bool(self.kept)

    @property
    def forgets(self) -> bool:
        """See ``StreamPlan``."""
        return forgets(self._text)

    @property
    def checkpoint(self) -> str | None:
        """See ``StreamPlan``."""
        writer = self._writer._jwrite
        found = private_field(writer, "extraOptions").get(writer).get("checkpointLocation")
        return str(found.get()) if found.isDefined() else None

    def leave_watermarks_to_the_query(self) -> None:
        """See ``StreamPlan``."""
        marks = [line for line in self._text.splitlines() if WATERMARK_NODE in line]
        own = [line for line in marks if OWN_TIME in line]
        if own and len(own) < len(marks):
            self._rewrite(_without_own_watermark)
        if len(marks) - len(own) > 1 and STATE_NODE in self._text and _is_marked_again(self._plan):
            raise PlanningError(
                "the rows have a watermark before functions that keep state, and another one "
                "behind them, and Spark takes one only: leave out the withWatermark before them, "
                "and what is behind ends by the other one"
            )

    def take_all_groups(self) -> None:
        """See ``StreamPlan``."""
        jvm = self._writer._df.sparkSession._jvm

        def replaced(node: Any) -> Any:
            found = known(node) if node.nodeName() == STATE_NODE else None
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
        private_field(writer, "ds").set(writer, dataset)


def _nodes(plan: Any) -> Iterator[Any]:
    if plan.nodeName() == STATE_NODE:
        yield plan
    for below in items(plan.children()):
        yield from _nodes(below)


def _is_marked_again(plan: Any, *, marked: bool = False, kept: bool = False) -> bool:
    """Whether there is a watermark, our state below it, and below that another watermark."""
    name = plan.nodeName()
    if name == WATERMARK_NODE:
        if kept:
            return True
        marked = True
    kept = kept or (marked and name == STATE_NODE)
    return any(
        _is_marked_again(below, marked=marked, kept=kept) for below in items(plan.children())
    )


def _rewritten(plan: Any, replaced: Callable[[Any], Any], jvm: Any) -> Any:
    found = replaced(plan)
    if found is not None:
        return found
    made = [_rewritten(below, replaced, jvm) for below in items(plan.children())]
    if not made:
        return plan
    return plan.withNewChildren(jvm.PythonUtils.toSeq(made))


def _without_own_watermark(node: Any) -> Any:
    own = node.nodeName() == WATERMARK_NODE and node.eventTime().name() == OWN_TIME
    return node.child() if own else None


def _under_the_same_names(node: Any, kept: KeptGroups, jvm: Any) -> Any:
    """A plan of every group, whose columns have the node's expression ids."""
    catalyst = jvm.org.apache.spark.sql.catalyst
    plan = kept.complete()._jdf.queryExecution().analyzed()
    own = items(plan.output())
    aliases = []
    for place, column in enumerate(items(node.output())):
        alias = catalyst.expressions.Alias(
            own[place],
            column.name(),
            column.exprId(),
            column.qualifier(),
            jvm.scala.Option.empty(),
            jvm.PythonUtils.toSeq([]),
        )
        aliases.append(alias)
    return catalyst.plans.logical.Project(jvm.PythonUtils.toSeq(aliases), plan)
