"""Reads Spark's plans, executions and their metrics through the JVM.

A plan is fetched in one piece, in the form of Spark's event log; then its operators are visited
for what an event log leaves out, their columns and Python functions.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError

from notebook_udf.host.raw_plan import (
    ADAPTIVE,
    STAGES,
    RawFunction,
    RawMetric,
    RawNode,
    first_bytes,
    from_plan_info,
    headers,
    is_reused,
)
from notebook_udf.host.runs import Run, State

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_log = logging.getLogger(__name__)

_SEPARATOR = "\x01"
_DRAIN_MS = 2000


@dataclass(frozen=True)
class PlanReading:
    """A DataFrame's current plan; ``initial`` is the plan before it ran, if that has changed."""

    root: RawNode
    initial: RawNode | None
    adaptive: bool
    final: bool


class Jvm:
    """The JVM of a classic Spark session."""

    def __init__(self, spark: SparkSession) -> None:
        self._spark = spark
        self._jvm: Any = spark._jvm
        self._store: Any = spark._jsparkSession.sharedState().statusStore()

    def read(self, frame: DataFrame) -> PlanReading:
        """Reads the plan of a DataFrame, without running it."""
        plan = frame._jdf.queryExecution().executedPlan()
        adaptive = plan.nodeName() == ADAPTIVE
        final = adaptive and bool(plan.isFinalPlan())
        initial = self._tree(plan.initialPlan()) if final else None
        return PlanReading(self._tree(plan), initial, adaptive, final)

    def logical(self, frame: DataFrame) -> tuple[str, str]:
        """Spark's logical plans of a DataFrame as text: analysed, and optimised."""
        execution = frame._jdf.queryExecution()
        return str(execution.analyzed().toString()), str(execution.optimizedPlan().toString())

    def shape(self, frame: DataFrame) -> int:
        """A number that changes whenever Spark changes a DataFrame's plan."""
        plan = frame._jdf.queryExecution().executedPlan()
        if plan.nodeName() == ADAPTIVE:
            final = bool(plan.isFinalPlan())
            plan = plan.executedPlan()
            return 2 * int(self._jvm.java.lang.System.identityHashCode(plan)) + final
        return 0

    def is_query(self, text: str) -> bool:
        """Whether a text is a query and no command; commands run as soon as they are planned.

        True for a text that does not parse: planning it raises the error.
        """
        try:
            parsed = self._spark._jsparkSession.sessionState().sqlParser().parsePlan(text)
        except Exception:
            return True
        logical = "org.apache.spark.sql.catalyst.plans.logical"
        loader = parsed.getClass().getClassLoader()
        running = [
            self._jvm.java.lang.Class.forName(f"{logical}.{name}", False, loader)
            for name in ("Command", "ParsedStatement")
        ]
        pending = [parsed]
        while pending:
            node = pending.pop()
            if any(kind.isInstance(node) for kind in running):
                return False
            pending += _items(node.children())
        return True

    def _tree(self, plan: Any) -> RawNode:
        execution = self._jvm.org.apache.spark.sql.execution
        info = execution.SparkPlanInfo.fromSparkPlan(plan)
        event = execution.ui.SparkListenerSQLAdaptiveExecutionUpdate(0, "", info)
        text = self._jvm.org.apache.spark.util.JsonProtocol.sparkEventToJsonString(event)
        return _with_details(plan, from_plan_info(json.loads(text)["sparkPlanInfo"]))

    # Executions ------------------------------------------------------------------------------

    def settle(self) -> None:
        """Waits, for two seconds at most, until Spark's listeners have seen all events."""
        try:
            self._spark.sparkContext._jsc.sc().listenerBus().waitUntilEmpty(_DRAIN_MS)
        except Py4JError:
            # A running query keeps the bus busy; what was seen by now is shown.
            _log.debug("Spark's listeners are behind", exc_info=True)

    def newest(self) -> int:
        """The execution id of the last query that Spark has begun; -1 if there is none.

        Not a count: Spark forgets the oldest queries, and removes and adds again those that end.
        """
        return max((int(run.query) for run in self.runs(1)), default=-1)

    def run(self, query: str) -> Run | None:
        """The current state of an execution; None if Spark does not keep it any more."""
        found = self._store.execution(int(query))
        return _run(found.get()) if found.isDefined() else None

    def runs(self, most: int, after: int = -1) -> Iterator[Run]:
        """The last ``most`` executions, newest first, down to the id ``after``, without it."""
        count = self._store.executionsCount()
        found = self._store.executionsList(max(0, count - most), most)
        for place in reversed(range(found.size())):
            each = found.apply(place)
            if each.executionId() <= after:
                return
            yield _run(each)

    def counted(self, run: Run, accumulators: Sequence[int]) -> bool:
        """Whether a run has a value in one of these accumulators."""
        query = int(run.query)
        if run.state == "done":
            values = self._store.executionMetrics(query)
            return any(values.contains(each) for each in accumulators)
        # A metric without a value yet takes this slower way to find.
        metrics = _metrics(self._store.execution(query).get().metrics())
        return not {metric.id for metric in metrics}.isdisjoint(accumulators)

    def values(self, query: str) -> dict[int, str]:
        """The texts of an execution's metrics by accumulator id."""
        text = str(self._store.executionMetrics(int(query)).mkString(_SEPARATOR))
        pairs = (pair.partition(" -> ") for pair in text.split(_SEPARATOR) if pair)
        return {int(accumulator): value for accumulator, _, value in pairs}

    def graph(self, query: str) -> RawNode | None:
        """The plan of an execution as Spark's page shows it; None if it is not kept any more."""
        try:
            graph = self._store.planGraph(int(query))
        except Py4JError:
            return None
        nodes = {
            int(node.id()): RawNode(
                str(node.name()).strip(), str(node.desc()), metrics=_metrics(node.metrics())
            )
            for node in _items(graph.allNodes())
        }
        below: dict[int, list[int]] = {}
        for edge in _items(graph.edges()):
            below.setdefault(int(edge.toId()), []).append(int(edge.fromId()))
        children = {each for ids in below.values() for each in ids}
        roots = [n for n in nodes if n not in children and not nodes[n].name.startswith("Whole")]
        return _assembled(nodes, below, roots[0]) if roots else None


def _run(found: Any) -> Run:
    ended = found.completionTime()
    failed = found.errorMessage()
    state: State = "running"
    seconds = None
    if ended.isDefined():
        message = failed.get() if failed.isDefined() else ""
        state = "failed" if message else "done"
        seconds = (ended.get().getTime() - found.submissionTime()) / 1000
    return Run(str(found.executionId()), state, seconds, str(found.description()))


def _metrics(found: Any) -> tuple[RawMetric, ...]:
    """Parses the text of a sequence of ``SQLPlanMetric(name, accumulator, kind)``."""
    made = []
    for text in str(found.mkString(_SEPARATOR)).split(_SEPARATOR):
        name, _, rest = text.removeprefix("SQLPlanMetric(").removesuffix(")").rpartition(",")
        name, _, accumulator = name.rpartition(",")
        if accumulator.isdigit():
            made.append(RawMetric(name, rest, int(accumulator)))
    return tuple(made)


def _assembled(nodes: dict[int, RawNode], below: dict[int, list[int]], at: int) -> RawNode:
    ids = [] if is_reused(nodes[at].name) else below.get(at, [])
    children = tuple(_assembled(nodes, below, child) for child in ids)
    return replace(nodes[at], children=children)


# Operators -----------------------------------------------------------------------------------


def _with_details(plan: Any, node: RawNode) -> RawNode:
    try:
        below = _children(plan, node)
    except Py4JError:
        below = []
    children = node.children
    if len(below) == len(children):
        children = tuple(map(_with_details, below, children))
    try:
        text = str(plan.output().mkString(_SEPARATOR))
        output = tuple(text.split(_SEPARATOR)) if text else ()
        functions = tuple(_functions(plan))
    except Py4JError:
        # An operator that cannot be read, such as that of a reused plan.
        return replace(node, children=children)
    return replace(node, output=output, functions=functions, children=children)


def _children(plan: Any, node: RawNode) -> list[Any]:
    if node.name == ADAPTIVE:
        return [plan.executedPlan()]
    if node.name in STAGES:
        return [plan.plan()]
    if node.name.startswith("InMemoryTableScan"):
        return [plan.relation().cachedPlan()]
    return [*_items(plan.children()), *_items(plan.subqueries())]


def _items(sequence: Any) -> list[Any]:
    return [sequence.apply(place) for place in range(sequence.size())]


def _functions(plan: Any) -> Iterator[RawFunction]:
    if "Python" not in plan.nodeName() and "In" not in plan.nodeName():
        return
    for expression in _items(plan.expressions()):
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
    for below in _items(expression.children()):
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
