"""Calls over both sides of a join, or over both queries of EXISTS and IN, in a whole query.

Whether Spark can run it is asked of Spark: it makes inner joins of some outer ones. Where it
cannot, or where nobody can be asked, each SELECT is taken apart by ``join_condition`` and
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
from notebook_udf.planner.analysis.output_names import Names
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.analysis.scope import Scopes
from notebook_udf.planner.rules.join_condition import candidates, joined_in_pairs, refused_join
from notebook_udf.planner.rules.predicate_subquery import (
    marked_subqueries,
    refused_subquery,
    subqueries,
    suspects,
)

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
    if doubt is not None and is_refused(lambda: rows):
        raise doubt
    return rows


def is_refused(run: Callable[[], DataFrame | None]) -> bool:
    """Whether Spark finds a Python condition that it cannot join by in what ``run`` gives."""
    try:
        rows = run()
        if rows is not None:
            rows._jdf.queryExecution().optimizedPlan()
    except AttributeError:
        # Spark Connect has no plan to look at.
        return True
    except PySparkException as error:
        return any(sign in str(error) for sign in _REFUSED)
    return False


def both_sides(tree: exp.Expression, calls: ScalarCalls) -> bool:
    """Takes joins and subqueries apart that Spark does not run; whether there were any.

    What cannot be taken apart is left as it is.
    """
    changed = False
    scopes = Scopes(calls.catalog)
    # Inner ones first: an outer SELECT takes copies of them along.
    for select in reversed(list(tree.find_all(exp.Select))):
        if not candidates(select, calls) and not suspects(select, calls):
            continue
        Names(select, calls.catalog).keep(every=True)
        with suppress(Unfit):
            changed |= joined_in_pairs(select, calls, scopes)
        changed |= marked_subqueries(select, calls, scopes)
    return changed
