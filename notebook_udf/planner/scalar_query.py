"""A query with calls of scalar functions: rewritten, where Spark would not do what SQL promises.

Calls are to be made only for rows that reach them, once per row, also in lambdas and over both
sides of joins. A query that needs no rule for that is left alone. What Spark says of a query that
it cannot run is to be about the text that was typed.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.faults import warn_refused
from notebook_udf.planner.output_schema import alike
from notebook_udf.planner.pipeline import PAIRS, Rewritten, rewrite
from notebook_udf.planner.rule import Choice
from notebook_udf.planner.rules.pair_conditions import doubtful, is_refused
from notebook_udf.planner.syntax.dialect import text

# What lambdas are for; any other error of Spark's is the query's own.
_REFUSED_LAMBDA = "LAMBDA_FUNCTION_WITH"


@dataclass(frozen=True)
class ScalarPlan:
    """A query as rules have rewritten it.

    Attributes
    ----------
    rows
        Spark's answer to it.
    choices
        What the rules decided.
    """

    rows: DataFrame
    choices: tuple[Choice, ...]


def plan(tree: exp.Expression, calls: ScalarCalls) -> ScalarPlan | None:
    """The query rewritten, or None if Spark is to have it as it is.

    Raises
    ------
    PlanningError
        For a construct that neither Spark nor this package can run, with its place.
    """
    if not isinstance(tree, exp.Query):
        # A statement: asking Spark about it would be doing it.
        statement = rewrite(tree, calls)
        if statement.tree is None:
            return None
        return _answered(statement, _run(statement.tree, calls))
    doubt = doubtful(tree, calls)
    refused = doubt is not None and is_refused(lambda: calls.context.run(text(tree)), calls.context)
    found = _planned(tree, calls, in_pairs=refused)
    if doubt is not None and not refused and found is not None:
        # A guard may have columns of the side that its call has none of.
        made = found.rows
        if is_refused(lambda: made, calls.context):
            refused, found = True, _planned(tree, calls, in_pairs=True)
    if doubt is not None and refused:
        rows = None if found is None else found.rows
        if rows is None or is_refused(lambda: rows, calls.context):
            raise doubt
    return found


def _planned(tree: exp.Expression, calls: ScalarCalls, *, in_pairs: bool) -> ScalarPlan | None:
    made = rewrite(tree, calls, without=() if in_pairs else (PAIRS.name,))
    if made.tree is None:
        return None
    before = None
    try:
        before = calls.context.run(text(tree))
    except AnalysisException as error:
        if not in_pairs and _REFUSED_LAMBDA not in str(error):
            # Spark's message is to be about the query as it was written.
            return None
    rows = _run(made.tree, calls)
    if before is None:
        return _answered(made, rows)
    same = None if rows is None else alike(rows, before)
    if same is None:
        why = "refuses" if rows is None else "gives other columns"
        warn_refused(_culprits(made, tree, calls, before), text(made.tree), why)
    return _answered(made, same)


def _culprits(
    made: Rewritten, tree: exp.Expression, calls: ScalarCalls, before: DataFrame
) -> tuple[str, ...]:
    """The rule without which all would be well; all of them where it is not one alone."""
    for rule in made.applied:
        other = rewrite(tree, calls, without=(rule,))
        rows = before if other.tree is None else _run(other.tree, calls)
        if rows is not None and alike(rows, before) is not None:
            return (rule,)
    return made.applied


def _answered(made: Rewritten, rows: DataFrame | None) -> ScalarPlan | None:
    return None if rows is None else ScalarPlan(rows, made.choices)


def _run(made: exp.Expression, calls: ScalarCalls) -> DataFrame | None:
    try:
        return calls.context.run(text(made))
    except AnalysisException:
        return None
