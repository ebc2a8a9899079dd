"""The plan of a query that ran, read from Spark's list of queries: its DataFrame is not needed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from notebook_udf.host.raw_plan import RawNode
from notebook_udf.host.runs import Run, SparkRuns
from notebook_udf.kernel.planning import Definitions
from notebook_udf.plan.advice import advise
from notebook_udf.plan.costs import with_costs
from notebook_udf.plan.explained import functions_in
from notebook_udf.plan.plan_builder import build
from notebook_udf.plan.plan_model import FunctionUse, Plan, PlanNode
from notebook_udf.plan.strategies import strategies_of
from notebook_udf.telemetry.store.function_sums import FunctionTotals

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session


def plan_of_run(session: Session, runs: SparkRuns, run: Run) -> Plan | None:
    """The plan that a query ran by, with what it cost; None if Spark does not keep it any more."""
    graph = runs.graph(run.query)
    # A query that Spark could not even analyse has a plan of nothing.
    if graph is None or not graph.name:
        return None
    lookup = Definitions(session)
    root = build(_with_functions(graph), lookup, runs.values(run.query).get)
    by_stage = session.store.totals_by_stage(run.query)
    root = with_costs(_with_versions(root, session.store.totals(run.query)), by_stage)
    plan = Plan(root, adaptive="final", run=run)
    plan = replace(plan, strategies=strategies_of(plan.root, lookup, lookup.why_in_workers))
    return replace(plan, advice=advise(plan))


def _with_functions(node: RawNode) -> RawNode:
    """The operators with their functions, of which Spark's list has the text only."""
    arguments = node.text.removeprefix(node.name).strip()
    name = re.sub(r"\s.*", "", node.name)
    return replace(
        node,
        functions=tuple(functions_in(name, arguments)),
        children=tuple(map(_with_functions, node.children)),
    )


def _with_versions(root: PlanNode, totals: Sequence[FunctionTotals]) -> PlanNode:
    """The plan with the versions of functions of which one version alone ran."""
    versions: dict[str, set[int]] = {}
    for total in totals:
        versions.setdefault(total.function.lower(), set()).add(total.version)

    def known(use: FunctionUse) -> FunctionUse:
        ran = versions.get(use.name.lower(), set())
        return replace(use, version=min(ran)) if use.version is None and len(ran) == 1 else use

    def visit(node: PlanNode) -> PlanNode:
        return replace(
            node,
            functions=tuple(map(known, node.functions)),
            children=tuple(map(visit, node.children)),
        )

    return visit(root)
