"""Calls over both sides of a join, or over both queries of EXISTS and IN.

Whether Spark can run them is asked of Spark: it makes inner joins of some outer ones. Where it
cannot, or where nobody can be asked, the rule takes the SELECT apart, by ``join_condition`` and
``predicate_subquery``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.derived_table import Unfit
from notebook_udf.planner.analysis.output_names import OutputNames
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.rule import Applied, Outcome, SelectScope, Skipped, chosen
from notebook_udf.planner.rules.join_condition import candidates, joined_in_pairs, refused_join
from notebook_udf.planner.rules.predicate_subquery import (
    marked_subqueries,
    refused_subquery,
    subqueries,
    suspects,
)

_REASON = "it has columns of both sides, and Spark runs such a condition for inner joins only"

# What Spark says of them. The second is what it says of EXISTS outside of WHERE, by a mistake of
# its own.
_REFUSED = (
    "PYTHON_UDF_IN_ON_CLAUSE",
    "usePythonUDFInJoinCondition",
    "INVALID_NON_DETERMINISTIC_EXPRESSIONS",
)


def doubtful(tree: exp.Expression, calls: ScalarCalls) -> PlanningError | None:
    """What to say of a query if it turns out that nobody can run it; None if Spark surely can."""
    for select in tree.find_all(exp.Select):
        for join in candidates(select, calls):
            return refused_join(join, calls)
        for node in subqueries(select, calls):
            return refused_subquery(node, calls)
    return None


def check(tree: exp.Expression, calls: ScalarCalls, rows: DataFrame) -> DataFrame:
    """The rows of a query that was planned.

    Raises
    ------
    PlanningError
        If Spark cannot run it for a call over both sides, with its place.
    """
    doubt = doubtful(tree, calls)
    if doubt is not None and is_refused(lambda: rows, calls.context):
        raise doubt
    return rows


def is_refused(run: Callable[[], DataFrame | None], context: PlanningContext) -> bool:
    """Whether Spark finds a Python condition that it cannot join by in what ``run`` gives, or
    cannot be asked."""
    try:
        rows = run()
        if rows is not None:
            return not context.optimize(rows)
    except PySparkException as error:
        return any(sign in str(error) for sign in _REFUSED)
    return False


class PairConditions:
    """Takes joins and subqueries apart whose conditions Spark does not run.

    What cannot be taken apart stays as it is.
    """

    name = "pair_conditions"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, calls, scopes = scope.select, scope.calls, scope.query.scopes
        joins, subqueries_ = candidates(select, calls), suspects(select, calls)
        if not joins and not subqueries_:
            return None
        # Before anything changes that a column is named after.
        OutputNames(select, calls.context).keep(every=True)
        nodes = [call for node in (*(j.args["on"] for j in joins), *subqueries_)
                 for call in node.walk()]  # fmt: skip
        choices = chosen(self, nodes, calls, _REASON, None)
        changed = False
        with suppress(Unfit):
            changed = joined_in_pairs(select, calls, scopes)
        changed |= marked_subqueries(select, calls, scopes)
        return Applied(choices) if changed else Skipped(choices)
