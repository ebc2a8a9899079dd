"""``session.plan``: a query's plan with the costs of its last run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from notebook_udf.compile.java.writing.terms import TypesMissing
from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.host.plans import PlanReading, PlanTrees
from notebook_udf.host.raw_plan import RawNode
from notebook_udf.host.runs import Run, SparkRuns
from notebook_udf.kernel.querying import Rewriting
from notebook_udf.plan import explained
from notebook_udf.plan.advice import advise
from notebook_udf.plan.costs import with_costs
from notebook_udf.plan.demangle import without_numbers
from notebook_udf.plan.plan_builder import build
from notebook_udf.plan.plan_model import Adaptive, Plan, PlanNode, PlanOrigin
from notebook_udf.plan.same_plan import ran_as
from notebook_udf.plan.strategies import strategies_of
from notebook_udf.sanitize import plain
from notebook_udf.telemetry.query_names import query_name
from notebook_udf.widgets.explorer import PlanExplorer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

# How many of Spark's latest queries are searched for a run of the plan.
_OWN = 40
_OTHERS = 20
# The same while a plan is watched, each time it is looked at.
_NEW = 5
# How many of Spark's accumulators identify a plan; taken from all over it, because an operator may
# have counted nothing.
_COUNTED = 16
# Records take the side channel, and the last of them may arrive a moment after the result.
_SECONDS_TO_SETTLE = 1.0
# Characters of a logical plan that are kept.
_LOGICAL = 40_000


def plan_of(session: Session, query: DataFrame | str) -> PlanExplorer:
    """The plan of a DataFrame or of a SQL query.

    Raises
    ------
    PlanningError
        If it is neither, or planning it would run it.
    """
    from pyspark.sql import DataFrame

    if isinstance(query, str) and not session.host.plans.is_query(query):
        raise PlanningError(
            "session.plan takes a query: a command runs when it is planned. Take the plan of the "
            "SELECT in it"
        )
    frame = session.sql(query) if isinstance(query, str) else query
    if not isinstance(frame, DataFrame):
        raise PlanningError(
            f"session.plan takes a DataFrame or the text of a query, not {type(query).__name__}"
        )
    text = query if isinstance(query, str) else ""
    trees, runs = session.host.trees, session.host.runs
    if trees is None or runs is None:
        lookup = Definitions(session)
        root = explained.read(frame._explain_string(mode="formatted"))
        note = "read from Spark's text of it: Spark Connect tells a client no more about a plan"
        plan = Plan(build(root, lookup, _unknown), note=note, origin=PlanOrigin(text))
        return PlanExplorer(_advised(plan, lookup, Rewriting()))
    if frame.isStreaming:
        raise PlanningError(
            "a streaming DataFrame is planned again for each micro-batch, once it is started: take "
            "the plan of the same query over a table"
        )
    reader = PlanReader(session, trees, runs, frame, text)
    return PlanExplorer(reader.plan(), reader.newer)


class PlanReader:
    """Reads the plan of one DataFrame, and again while it runs.

    What is slow to read (the operators, the runs of other plans) is read again only if Spark
    changed it; all metrics of a run take one call of the JVM.
    """

    def __init__(
        self, session: Session, trees: PlanTrees, runs: SparkRuns, frame: DataFrame, query: str
    ) -> None:
        self._session = session
        self._frame = frame
        self._trees, self._runs = trees, runs
        self._lookup = Definitions(session)
        self._rewriting = session.rewritten.get(frame, Rewriting())
        analyzed, optimized = (
            plain(without_numbers(text), _LOGICAL) for text in self._trees.logical(frame)
        )
        steps = self._rewriting.steps
        self._origin = PlanOrigin(query or self._rewriting.query, steps, analyzed, optimized)
        self._run: Run | None = None
        self._newest = -1
        self._shape = 0

    def plan(self) -> Plan:
        """The plan, with its last run."""
        self._newest = self._runs.newest()
        self._look()
        self._runs.settle()
        found = self._last_run(_OWN, _OTHERS)
        self._root, self._run, self._note = found or (self._read.root, None, "")
        nodes = self._nodes()
        if self._run is not None and self._run.state == "done" and _uses_python(nodes):
            self._session.store.wait_settled(self._run.query, _SECONDS_TO_SETTLE)
        return self._made(nodes)

    def newer(self) -> Plan | None:
        """The plan as it is now; None if nothing about it has changed."""
        run = self._run
        running = run is not None and run.state == "running"
        if run is not None and running:
            self._run = run = self._runs.run(run.query)
            if run is None or run.state != "running":
                return self.plan()
        known, newest = self._newest, self._runs.newest()
        began = newest > known
        self._newest = max(known, newest)
        reshaped = self._trees.shape(self._frame) != self._shape
        if not running and not began and not reshaped:
            return None
        if reshaped:
            self._look()
            self._root = self._read.root
        found = self._last_run(_NEW, _NEW, after=known) if began else None
        if found is not None:
            self._root, self._run, self._note = found
            if self._run.state != "running":
                return self.plan()
        return self._made(self._nodes()) if running or reshaped or found is not None else None

    def _look(self) -> None:
        self._shape = self._trees.shape(self._frame)
        self._read: PlanReading = self._trees.read(self._frame)

    def _nodes(self) -> PlanNode:
        values = _unknown if self._run is None else self._runs.values(self._run.query).get
        return build(self._root, self._lookup, values)

    def _made(self, nodes: PlanNode) -> Plan:
        read, run = self._read, self._run
        if run is not None:
            nodes = with_costs(nodes, self._session.store.totals_by_stage(run.query))
        initial = None if read.initial is None else build(read.initial, self._lookup, _unknown)
        adaptive: Adaptive = "final" if read.final else "may change" if read.adaptive else "no"
        plan = Plan(nodes, initial, adaptive, run, self._note, origin=self._origin)
        return _advised(plan, self._lookup, self._rewriting)

    # Runs ------------------------------------------------------------------------------------

    def _last_run(self, own: int, others: int, after: int = -1) -> tuple[RawNode, Run, str] | None:
        """The plan, its last run among so many queries, and a note about that run."""
        found = self._own_run(own, after)
        if found is not None:
            return self._read.root, found, ""
        return self._other_run(others, after)

    def _own_run(self, most: int, after: int) -> Run | None:
        """The last run of this very plan, found by its accumulators in Spark."""
        read = self._read
        everything = list(_accumulators(read.root))
        counted = everything[:: len(everything) // _COUNTED + 1]
        for run in self._runs.runs(most, after) if counted else ():
            # A plan that is still to be adapted has not been run to its end.
            may = not read.adaptive or read.final or run.state != "done"
            if may and self._runs.counted(run, counted):
                return run
        return None

    def _other_run(self, most: int, after: int) -> tuple[RawNode, Run, str] | None:
        """The last run of another plan that is equal to this one."""
        for run in self._runs.runs(most, after):
            graph = self._runs.graph(run.query)
            found = None if graph is None else ran_as(self._read.root, graph)
            if found is not None and self._same_versions(run.query):
                return found, run, f"run by: {query_name(run.description)}"
        return None

    def _same_versions(self, query: str) -> bool:
        """Whether all functions ran in the plan's versions."""
        versions: dict[str, set[int]] = {}
        for header in _headers(self._read.root):
            versions.setdefault(header["name"], set()).add(header["version"])
        return all(
            total.version in versions.get(total.function, {total.version})
            for total in self._session.store.totals(query)
        )


def _advised(plan: Plan, lookup: Definitions, rewriting: Rewriting) -> Plan:
    found = strategies_of(plan.root, lookup, lookup.why_in_workers, rewriting.choices)
    plan = replace(plan, strategies=found)
    return replace(plan, advice=advise(plan))


def _uses_python(root: PlanNode) -> bool:
    """Whether functions of this package run in it."""
    return any(use.role for node in root.walk() for use in node.functions)


def _headers(node: RawNode) -> Iterator[dict[str, Any]]:
    for function in node.functions:
        yield from function.headers
    for child in node.children:
        yield from _headers(child)


def _accumulators(node: RawNode) -> Iterator[int]:
    yield from (metric.id for metric in node.metrics)
    # A cached relation is shared with other queries.
    if not node.name.startswith("InMemoryTableScan"):
        for child in node.children:
            yield from _accumulators(child)


def _unknown(accumulator: int) -> None:
    return None


class Definitions:
    """Definitions by name and version, whether current or replaced."""

    def __init__(self, session: Session) -> None:
        self._functions = session.functions
        self._java = session.java

    def __call__(self, name: str, version: int | None) -> FunctionDefinition | None:
        found = self._record(name, version)
        return found.definition if found is not None else None

    def why_in_workers(self, name: str, version: int | None) -> str:
        """What keeps a function's calls from Spark's JVM; "" where nothing is known to."""
        found = self._record(name, version)
        if found is None:
            return ""
        # Of one that declares no types it depends on those of its calls.
        called = [why for _, why in self._java.called(found)]
        why = next(filter(None, called or [self._java.why_not(found)]), None)
        return "" if why is None or isinstance(why, TypesMissing) else str(why)

    def _record(self, name: str, version: int | None) -> RegisteredFunction | None:
        if version is None:
            return self._functions.get(name)
        return self._functions.version(name, version)
