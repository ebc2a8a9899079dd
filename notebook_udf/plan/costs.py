"""Assigns the cost of functions to the operators that evaluate them.

Telemetry has a function's name, version and Spark stage; a plan has its own stages, the parts
between shuffles. Where each of these feeds the next, both are matched in order. Otherwise, or if
several operators of a stage evaluate the function, the sums belong to all of them together, and
``FunctionCost.nodes`` says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from notebook_udf.plan.plan_model import FunctionCost, PlanNode
from notebook_udf.telemetry.store.function_sums import FunctionTotals

_Key = tuple[str, int]


def with_costs(root: PlanNode, totals: Mapping[int, Sequence[FunctionTotals]]) -> PlanNode:
    """The plan with costs on its operators.

    Parameters
    ----------
    totals
        Sums per function, by Spark's stage number.
    """
    costs: dict[int, list[FunctionCost]] = {}
    keys = _keys(root)
    ran_as = _names_of_workers(keys, totals)
    for key in keys:
        nodes = [node for node in root.walk() if key in _keys_of(node)]
        theirs = ran_as.get(key, key)
        ran = {
            stage: found
            for stage, sums in sorted(totals.items())
            if (found := next((t for t in sums if (t.function, t.version) == theirs), None))
        }
        for together, sums in _assigned(root, nodes, list(ran.values())):
            cost = _cost(key, sums, tuple(node.id for node in together))
            for node in together:
                costs.setdefault(node.id, []).append(cost)
    return _put(root, costs)


def _keys_of(node: PlanNode) -> set[_Key]:
    return {(use.name, use.version) for use in node.functions if use.version is not None}


def _keys(root: PlanNode) -> list[_Key]:
    return sorted({key for node in root.walk() for key in _keys_of(node)})


def _names_of_workers(
    keys: list[_Key], totals: Mapping[int, Sequence[FunctionTotals]]
) -> dict[_Key, _Key]:
    """What workers call a function whose name they do not know: that of ``spark.udf.register`` is
    not sent to them. Only where one name alone is left on either side."""
    ran = {(t.function, t.version) for sums in totals.values() for t in sums}
    planned = [key for key in keys if not key[1] and key not in ran]
    unplanned = [key for key in ran if not key[1] and key not in keys]
    return dict(zip(planned, unplanned, strict=True)) if len(planned) == len(unplanned) == 1 else {}


def _assigned(
    root: PlanNode, nodes: list[PlanNode], ran: list[FunctionTotals]
) -> list[tuple[list[PlanNode], list[FunctionTotals]]]:
    """Groups of operators, each with its sums."""
    if not ran:
        return []
    stages = sorted({node.stage for node in nodes})
    if len(stages) == len(ran) and _in_a_row(root, stages):
        return [
            ([node for node in nodes if node.stage == stage], [sums])
            for stage, sums in zip(stages, ran, strict=True)
        ]
    return [(nodes, ran)]


def _in_a_row(root: PlanNode, stages: list[int]) -> bool:
    """Whether each of the stages feeds the next, so that they can only run in this order."""
    above: dict[int, int] = {}

    def visit(node: PlanNode) -> None:
        for child in node.children:
            if child.stage != node.stage:
                above[child.stage] = node.stage
            visit(child)

    visit(root)

    def feeds(stage: int, later: int) -> bool:
        while stage in above:
            stage = above[stage]
            if stage == later:
                return True
        return False

    return all(feeds(a, b) for a, b in pairwise(stages))


def _cost(key: _Key, sums: list[FunctionTotals], nodes: tuple[int, ...]) -> FunctionCost:
    return FunctionCost(
        name=key[0],
        version=key[1],
        rows_in=sum(t.rows_in for t in sums),
        rows_out=sum(t.rows_out for t in sums),
        bundles=sum(t.bundles for t in sums),
        user=sum(t.user_ns for t in sums) / 1e9,
        decode=sum(t.decode_ns for t in sums) / 1e9,
        encode=sum(t.encode_ns for t in sums) / 1e9,
        waiting=sum(t.wait_ns for t in sums) / 1e9,
        errors=sum(t.errors for t in sums),
        nodes=nodes,
    )


def _put(node: PlanNode, costs: Mapping[int, list[FunctionCost]]) -> PlanNode:
    return replace(
        node,
        costs=tuple(costs.get(node.id, ())),
        children=tuple(_put(child, costs) for child in node.children),
    )
