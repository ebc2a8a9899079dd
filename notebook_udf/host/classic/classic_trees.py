"""The plans of DataFrames in the JVM, as trees.

A plan is fetched in one piece, in the form of Spark's event log; then its operators are visited
for what an event log leaves out, their columns and Python functions.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from notebook_udf.host.classic.scala import items
from notebook_udf.host.java_functions import JavaFunctions
from notebook_udf.host.plans import PlanReading
from notebook_udf.host.raw_plan import (
    ADAPTIVE,
    STAGES,
    RawFunction,
    RawNode,
    first_bytes,
    from_plan_info,
    headers,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_SEPARATOR = "\x01"


class ClassicTrees:
    """See ``PlanTrees``."""

    def __init__(self, spark: SparkSession, java: JavaFunctions) -> None:
        self._jvm: Any = spark._jvm
        self._java = java

    def read(self, frame: DataFrame) -> PlanReading:
        """See ``PlanTrees``."""
        plan = frame._jdf.queryExecution().executedPlan()
        adaptive = plan.nodeName() == ADAPTIVE
        final = adaptive and bool(plan.isFinalPlan())
        initial = self._tree(plan.initialPlan()) if final else None
        return PlanReading(self._tree(plan), initial, adaptive, final)

    def logical(self, frame: DataFrame) -> tuple[str, str]:
        """See ``PlanTrees``."""
        execution = frame._jdf.queryExecution()
        return str(execution.analyzed().toString()), str(execution.optimizedPlan().toString())

    def shape(self, frame: DataFrame) -> int:
        """See ``PlanTrees``."""
        plan = frame._jdf.queryExecution().executedPlan()
        if plan.nodeName() == ADAPTIVE:
            final = bool(plan.isFinalPlan())
            plan = plan.executedPlan()
            return 2 * int(self._jvm.java.lang.System.identityHashCode(plan)) + final
        return 0

    def _tree(self, plan: Any) -> RawNode:
        execution = self._jvm.org.apache.spark.sql.execution
        info = execution.SparkPlanInfo.fromSparkPlan(plan)
        event = execution.ui.SparkListenerSQLAdaptiveExecutionUpdate(0, "", info)
        text = self._jvm.org.apache.spark.util.JsonProtocol.sparkEventToJsonString(event)
        return self._with_details(plan, from_plan_info(json.loads(text)["sparkPlanInfo"]))

    def _with_details(self, plan: Any, node: RawNode) -> RawNode:
        try:
            below = _children(plan, node)
        except Py4JError:
            below = []
        children = node.children
        if len(below) == len(children):
            children = tuple(map(self._with_details, below, children))
        try:
            text = str(plan.output().mkString(_SEPARATOR))
            output = tuple(text.split(_SEPARATOR)) if text else ()
            functions = (*_functions(plan), *self._in_java(plan))
        except Py4JError:
            # An operator that cannot be read, such as that of a reused plan.
            return replace(node, children=children)
        return replace(node, output=output, functions=functions, children=children)

    def _in_java(self, plan: Any) -> Iterator[RawFunction]:
        for text, header in self._java.calls(plan):
            yield RawFunction(text, deterministic=True, headers=(dict(header),))


def _children(plan: Any, node: RawNode) -> list[Any]:
    if node.name == ADAPTIVE:
        return [plan.executedPlan()]
    if node.name in STAGES:
        return [plan.plan()]
    if node.name.startswith("InMemoryTableScan"):
        return [plan.relation().cachedPlan()]
    return [*items(plan.children()), *items(plan.subqueries())]


def _functions(plan: Any) -> Iterator[RawFunction]:
    if "Python" not in plan.nodeName() and "In" not in plan.nodeName():
        return
    for expression in items(plan.expressions()):
        yield from _python(expression)


def _python(expression: Any, *, nested: bool = False) -> Iterator[RawFunction]:
    if expression.getClass().getSimpleName() in ("PythonUDF", "PythonUDAF"):
        yield RawFunction(
            str(expression.toString()),
            int(expression.evalType()),
            bool(expression.udfDeterministic()),
            headers(_command(expression.func())),
            nested,
        )
        nested = True
    for below in items(expression.children()):
        yield from _python(below, nested=nested)


def _command(function: Any) -> bytes:
    """The pickled function; if Spark broadcasts it because of its size, read from its file."""
    broadcasts = function.broadcastVars()
    if broadcasts is not None and broadcasts.size() > 0:
        for place in range(broadcasts.size()):
            path = broadcasts.get(place).value().path()
            try:
                with open(path, "rb") as file:
                    command = first_bytes(file.read())
            except OSError:
                continue
            if headers(command):
                return command
    return bytes(function.command().unsafeArray())
