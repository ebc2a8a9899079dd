"""Conditions of joins that Spark can plan for no Python function, named before the query runs.

A function over both sides runs in inner joins, where its condition is a filter of the pairs; over
one side, in any. What is left is an error here, with the function, the join and its place. The
condition of EXISTS is not looked at: Spark's own error speaks of it.
"""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.calls import position
from notebook_udf.planner.scalar_calls import ScalarCalls

# What Spark says of them; some outer joins it turns into inner ones, and runs.
REFUSED_JOIN = "PYTHON_UDF_IN_ON_CLAUSE"


def doubtful_join(select: exp.Select, calls: ScalarCalls) -> PlanningError | None:
    """What to say of a call over both sides of a join that is not an inner one, if Spark refuses.

    It names the function, the join and the place.
    """
    for join in select.args.get("joins") or []:
        condition = join.args.get("on")
        kind = " ".join(part.upper() for part in (join.side, join.kind) if part)
        if condition is None or kind in ("", "INNER", "CROSS", "CROSS JOIN"):
            continue
        right = join.this.alias_or_name.lower()
        for call in calls.inside(condition):
            tables = {column.table.lower() for column in call.find_all(exp.Column)}
            record = calls.record(call)
            if record is None or "" in tables or right not in tables or len(tables) < 2:
                continue
            return PlanningError(
                f"{position(call, calls.query)}{record.name} stands over both sides in the ON of "
                f"a {kind} JOIN, which Spark runs for inner joins only: join the pairs in a "
                f"subquery with JOIN, then {kind} JOIN its rows by a key"
            )
    return None
