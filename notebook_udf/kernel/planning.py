"""``session.plan``: a query's plan with what its last run cost, read for people."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.plan import explained
from notebook_udf.plan.advice import advise
from notebook_udf.plan.classic import Jvm, Read
from notebook_udf.plan.costs import with_costs
from notebook_udf.plan.match import ran_as
from notebook_udf.plan.model import Adaptive, Plan, PlanNode, Run
from notebook_udf.plan.raw import RawNode
from notebook_udf.plan.strategies import strategies_of
from notebook_udf.plan.tree import build
from notebook_udf.planner.decisions import Decision
from notebook_udf.widgets.explorer import PlanExplorer

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.core import Session

# How many of Spark's latest queries are looked through for a run of the plan.
_OWN = 40
_OTHERS = 20
# How many accumulators tell a plan from others; taken from all over it, because an operator may
# have counted nothing.
_COUNTED = 16
# Records travel beside the result, and the last of them may arrive a moment after it.
_SECONDS_TO_SETTLE = 1.0


def plan_of(session: Session, query: DataFrame | str) -> PlanExplorer:
    """The plan of a DataFrame or of a SQL query.

    Raises
    ------
    PlanningError
        If it is neither, or planning it would run it.
    """
    from pyspark.sql import DataFrame

    if isinstance(query, str) and not Jvm(session.spark).is_query(query):
        raise PlanningError(
            "session.plan takes a query: a command runs when it is planned. Take the plan of the "
            "SELECT in it"
        )
    frame = session.sql(query) if isinstance(query, str) else query
    if not isinstance(frame, DataFrame):
        raise PlanningError(
            f"session.plan takes a DataFrame or the text of a query, not {type(query).__name__}"
        )
    lookup = _Definitions(session)
    if not hasattr(frame, "_jdf"):
        root = explained.read(frame._explain_string(mode="formatted"))
        note = "read from Spark's text of it: metrics need a classic session"
        return _explorer(Plan(build(root, lookup, _unknown), note=note), lookup)
    if frame.isStreaming:
        raise PlanningError(
            "a streaming DataFrame is planned anew for each micro-batch, once it is started: take "
            "the plan of the same query over a table"
        )
    jvm = Jvm(session.spark)
    read = jvm.read(frame)
    root, run, note = _with_run(session, jvm, read)
    values = _unknown if run is None else jvm.values(run.query).get
    nodes = build(root, lookup, values)
    if run is not None:
        if nodes_use_python(nodes) and run.state == "done":
            session.store.wait_settled(run.query, _SECONDS_TO_SETTLE)
        nodes = with_costs(nodes, session.store.totals_by_stage(run.query))
    initial = None if read.initial is None else build(read.initial, lookup, _unknown)
    adaptive: Adaptive = "final" if read.final else "may change" if read.adaptive else "no"
    decided = session.decisions.get(frame, ())
    return _explorer(Plan(nodes, initial, adaptive, run, note), lookup, decided)


def _explorer(plan: Plan, lookup: _Definitions, decided: tuple[Decision, ...] = ()) -> PlanExplorer:
    plan = replace(plan, strategies=strategies_of(plan.root, lookup, decided))
    return PlanExplorer(replace(plan, advice=advise(plan)))


def nodes_use_python(root: PlanNode) -> bool:
    """Whether functions of this package run in it."""
    return any(use.role for node in root.walk() for use in node.functions)


def _with_run(session: Session, jvm: Jvm, read: Read) -> tuple[RawNode, Run | None, str]:
    """The plan, its last run, and what to know about it."""
    jvm.settle()
    own = _own_run(jvm, read)
    if own is not None:
        return read.root, own, ""
    for run in jvm.runs(_OTHERS):
        graph = jvm.graph(run.query)
        found = None if graph is None else ran_as(read.root, graph)
        if found is not None and _same_versions(session, run.query, read.root):
            return found, run, f"run by: {run.description}"
    return read.root, None, ""


def _same_versions(session: Session, query: str, root: RawNode) -> bool:
    """Whether no function ran in a version that is not the plan's."""
    versions: dict[str, set[int]] = {}
    for header in _headers(root):
        versions.setdefault(header["name"], set()).add(header["version"])
    return all(
        total.version in versions.get(total.function, {total.version})
        for total in session.store.totals(query)
    )


def _headers(node: RawNode) -> Iterator[dict[str, Any]]:
    for function in node.functions:
        yield from function.headers
    for child in node.children:
        yield from _headers(child)


def _own_run(jvm: Jvm, read: Read) -> Run | None:
    """The last run of these very operators: they share their accumulators."""
    everything = list(_accumulators(read.root))
    counted = everything[:: len(everything) // _COUNTED + 1]
    for run in jvm.runs(_OWN) if counted else ():
        # A plan that is still to be adapted has not been run to its end.
        may = not read.adaptive or read.final or run.state != "done"
        if may and jvm.counted(run, counted):
            return run
    return None


def _accumulators(node: RawNode) -> Iterator[int]:
    yield from (metric.id for metric in node.metrics)
    # What is cached belongs to other queries as well.
    if not node.name.startswith("InMemoryTableScan"):
        for child in node.children:
            yield from _accumulators(child)


def _unknown(accumulator: int) -> None:
    return None


class _Definitions:
    """Definitions by name and version, whether current or replaced."""

    def __init__(self, session: Session) -> None:
        self._functions = session.functions

    def __call__(self, name: str, version: int | None) -> FunctionDefinition | None:
        history = self._functions.history(name)
        if version is None:
            return history[-1].definition if history else None
        return next((r.definition for r in history if r.version == version), None)
