"""How each call of an aggregate function was planned, and why: data, for whoever shows plans."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import AggregateCall, within
from notebook_udf.planner.syntax.dialect import in_fewest_forms
from notebook_udf.specs.roles import Role

# Spark's planner refused what was made of the query.
REFUSED = "Spark takes the query only as one; what it was rewritten to is refused"
# What was made of the query gives columns of other types.
OTHER_FORM = "rewritten, its columns would have another type, or hold NULL otherwise than in Spark"

_CLAUSES = {
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "cluster": "CLUSTER BY",
    "distribute": "DISTRIBUTE BY",
}
_SETS = (exp.GroupingSets, exp.Rollup, exp.Cube)


@dataclass(frozen=True)
class Decision:
    """What was decided for one call.

    Attributes
    ----------
    function
        The registered name.
    call
        The call as it stands in the query.
    role
        ``partial`` (two phases, sorted groups, or sums of Spark's), ``window`` or ``whole``.
    reason
        Why the rows are collected ``whole``; "" where the form needs no excuse.
    """

    function: str
    call: str
    role: Role
    reason: str = ""


def decisions(select: exp.Select, calls: list[AggregateCall], *, rewritten: bool) -> list[Decision]:
    """What became of the calls of a SELECT, given before it is written anew."""
    windowed = all(call.window is not None for call in calls)
    return [_decision(select, call, calls, windowed, rewritten) for call in calls]


def _decision(
    select: exp.Select,
    call: AggregateCall,
    calls: list[AggregateCall],
    windowed: bool,
    rewritten: bool,
) -> Decision:
    name, shown = call.record.name, in_fewest_forms(call.node)
    reason = _own_reason(call)
    if not reason and call.window is not None and not windowed:
        reason = "its window stands beside aggregates of groups"
    if not reason and rewritten:
        return Decision(name, shown, "window" if windowed else "partial")
    return Decision(name, shown, "whole", reason or _reason_of(select, calls))


def _own_reason(call: AggregateCall) -> str:
    func_type = call.record.definition.func_type
    if func_type != "general":
        return f'func_type="{func_type}" takes a whole group at once'
    return "DISTINCT has to see all rows of a group" if call.distinct else ""


def _reason_of(select: exp.Select, calls: list[AggregateCall]) -> str:
    if any(node.args.get("pivots") for node in within(select)):
        return "PIVOT has Spark group the rows itself"
    group = select.args.get("group")
    clause = next((name for key, name in _CLAUSES.items() if select.args.get(key)), "")
    if clause:
        return f"the SELECT has {clause}"
    if group is not None and any(isinstance(node, _SETS) for node in group.walk()):
        unmerged = [c.record.name for c in calls if not c.record.definition.mergeable]
        if unmerged:
            return f"its GROUP BY makes several groups of a row, and {unmerged[0]} has no merge"
    if group is not None and any(call.window is not None for call in calls):
        return "its window is over groups"
    if select.find_ancestor(exp.Select) is not None:
        return "the subquery refers to the query around it, or its rows cannot be taken apart"
    return "the rows of the SELECT cannot be taken apart from what it computes"


__all__ = ["OTHER_FORM", "REFUSED", "Decision", "decisions"]
