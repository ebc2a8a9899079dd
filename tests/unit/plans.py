"""Small plans for the tests of ``notebook_udf.plan``."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from notebook_udf.plan.metric_text import read_metric
from notebook_udf.plan.plan_model import FunctionCost, FunctionUse, Metric, Plan, PlanNode


def op(name: str, kind: Any, *children: PlanNode, **more: Any) -> PlanNode:
    """An operator; numbers are given by ``plan``."""
    return PlanNode(0, name, kind, more.pop("detail", ""), children=children, **more)


def plan(root: PlanNode, **more: Any) -> Plan:
    """A plan, with its operators numbered from the root."""
    numbers = iter(range(1000))

    def number(node: PlanNode) -> PlanNode:
        own = next(numbers)
        return replace(node, id=own, children=tuple(map(number, node.children)))

    return Plan(number(root), **more)


def use(name: str = "f", **more: Any) -> FunctionUse:
    """A scalar function of this package."""
    given = {"version": 1, "kind": "scalar", "func_type": "general", "eval_type": 250,
             "role": "scalar", "deterministic": True, "call": f"{name}(x)",
             "identity": f"{name}(x#1)", "way": "row by row"}  # fmt: skip
    return FunctionUse(name, **(given | more))


def python(*uses: FunctionUse, below: PlanNode | None = None, **more: Any) -> PlanNode:
    """An operator that evaluates functions."""
    children = [below if below is not None else scan()]
    return op("ArrowEvalPython", "python", *children, functions=uses, **more)


def scan() -> PlanNode:
    """Rows."""
    return op("Range", "scan")


def metric(name: str, kind: str, text: str) -> Metric:
    """A metric as Spark writes it."""
    found = read_metric(name, kind, text)
    assert found is not None
    return found


def cost(name: str = "f", user: float = 0.0, **more: Any) -> FunctionCost:
    """What a function cost."""
    given = {"version": 1, "rows_in": 1000, "rows_out": 1000, "bundles": 1, "decode": 0.0,
             "encode": 0.0, "waiting": 0.0, "errors": 0, "nodes": (0,)}  # fmt: skip
    return FunctionCost(name, user=user, **(given | more))
