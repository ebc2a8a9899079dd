"""The captions of a plan that all its forms share: heading, figures and costs."""

from __future__ import annotations

from notebook_udf.plan.functions import AS_JAVA
from notebook_udf.plan.plan_model import FunctionCost, Metric, Plan, PlanNode
from notebook_udf.render.format import counted, seconds, size, versioned

_SHOWN = (
    "number of output rows", "shuffle records written", "shuffle bytes written", "spill size",
    "data sent to Python workers", "data returned from Python workers", "data size",
)  # fmt: skip


def heading(plan: Plan) -> str:
    """The heading of a plan: the number of operators, and its run."""
    said = [counted(len(plan.nodes()), "operator")]
    said += {"may change": ["Spark may change it while it runs"], "final": ["as it ran"]}.get(
        plan.adaptive, []
    )
    if plan.run is None:
        said.append("not run")
    else:
        state = {"done": "run", "failed": "failed run", "running": "running:"}[plan.run.state]
        said.append(f"{state} {plan.run.query}")
        if plan.run.seconds is not None:
            said.append(seconds(plan.run.seconds))
    return " · ".join(said)


def figures(node: PlanNode) -> str:
    """The main metrics of an operator, in a few words."""
    rows = node.metric("number of output rows")
    found = [counted(rows.value, "row")] if rows else []
    written = node.metric("shuffle bytes written") or node.metric("data size")
    if written is not None and written.value > 0:
        found.append(size(written.value))
    spill = node.metric("spill size")
    if spill is not None and spill.value > 0:
        found.append(f"{size(spill.value)} spilled")
    return ", ".join(found)


def cost_line(cost: FunctionCost, node: PlanNode) -> str:
    """What a function cost in an operator, in one line."""
    if cost.nodes[0] != node.id:
        return f"{versioned(cost.name, cost.version)}: counted with operator {cost.nodes[0]}"
    said = [
        f"{counted(cost.rows_in, 'row')} in, {cost.rows_out:,} out",
        f"own code {seconds(cost.user)}",
    ]
    if any(use.name == cost.name and use.way == AS_JAVA for use in node.functions):
        said.append("by one row in 64")
    else:
        said += [
            f"decode {seconds(cost.decode)}",
            f"encode {seconds(cost.encode)}",
            f"waiting {seconds(cost.waiting)}",
        ]
    if cost.errors:
        said.append(counted(cost.errors, "error"))
    if len(cost.nodes) > 1:
        said.append(f"in operators {', '.join(map(str, cost.nodes))} together")
    return f"{versioned(cost.name, cost.version)}: {', '.join(said)}"


def shown_metrics(node: PlanNode) -> list[Metric]:
    """The metrics that are not zero, the most important first."""
    told = [metric for metric in node.metrics if metric.value]
    order = {name: place for place, name in enumerate(_SHOWN)}
    return sorted(told, key=lambda metric: order.get(metric.name, len(order)))
