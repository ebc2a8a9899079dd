"""What the rules of aggregate functions decided, call by call."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import AggregateCall, within
from notebook_udf.planner.analysis.derived_table import Unfit, put_in_place
from notebook_udf.planner.rule import Applied, Choice, Outcome, Skipped
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


def outcome(
    rule: str,
    role: Role,
    select: exp.Select,
    calls: list[AggregateCall],
    rewritten: Callable[[], exp.Select],
) -> Outcome:
    """Puts what a rule makes of a SELECT in its place, or tells why it makes nothing of it."""
    try:
        made = rewritten()
    except Unfit as unfit:
        return Skipped(collected(rule, calls, str(unfit) or inseparable(select)))
    except AnalysisException:
        return Skipped(collected(rule, calls, inseparable(select)))
    # Before the calls are gone from the SELECT.
    choices = tuple(_choice(rule, call, role, "", _mixed(calls)) for call in calls)
    put_in_place(select, made)
    return Applied(choices)


def collected(rule: str, calls: list[AggregateCall], reason: str) -> tuple[Choice, ...]:
    """The rows of the groups are collected for them, and why."""
    return tuple(_choice(rule, call, "whole", reason, _mixed(calls)) for call in calls)


def _mixed(calls: list[AggregateCall]) -> bool:
    """Whether some aggregate over windows, and others over groups."""
    return len({call.window is None for call in calls}) == 2


def _choice(rule: str, call: AggregateCall, role: Role, reason: str, mixed: bool) -> Choice:
    """The call's own reason comes before one of the whole SELECT's."""
    own = whole_groups(call)
    if not own and mixed and call.window is not None:
        own = "its window stands beside aggregates of groups"
    shown = in_fewest_forms(call.node)
    return Choice(call.record.name, shown, "whole" if own else role, own or reason, rule)


def whole_groups(call: AggregateCall) -> str:
    """Why a call has to see whole groups, whatever stands around it; "" if it has not."""
    func_type = call.record.definition.func_type
    if func_type != "general":
        return f'func_type="{func_type}" takes a whole group at once'
    return "DISTINCT has to see all rows of a group" if call.distinct else ""


def clause_of(select: exp.Select, names: tuple[str, ...]) -> str:
    """The reason that a clause is, if the SELECT has one of these; else ""."""
    found = next((n for n in names if select.args.get(n) and n in _CLAUSES), "")
    return f"the SELECT has {_CLAUSES[found]}" if found else ""


def inseparable(select: exp.Select) -> str:
    """The reason where Spark, or the shape of the SELECT, is against it."""
    if any(node.args.get("pivots") for node in within(select)):
        return "PIVOT has Spark group the rows itself"
    if select.find_ancestor(exp.Select) is not None:
        return "the subquery refers to the query around it, or its rows cannot be taken apart"
    return "the rows of the SELECT cannot be taken apart from what it computes"
