"""Whether a query was read as Spark reads it: Spark's own parser is the judge.

It reads the query as it was typed, and the tree that was made of it, written out in full. Where the
two plans are not the same, the tree is of another query, and nothing may be built on it.
"""

from __future__ import annotations

from pyspark.errors import PySparkException
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import position
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.dialect import embedded, written_out
from notebook_udf.planner.syntax.nodes import CacheTable, CreateView, is_below

_LONGEST = 200


def misread(tree: exp.Expression, judge: PlanningContext) -> PlanningError | None:
    """What to say of a query that was read as another one; None if it was read right.

    What Spark cannot read itself is no question of ours: its own message comes with the query.
    """
    query = tree
    if isinstance(tree, (CreateView, CacheTable)) and tree.query is not None:
        # Their plans hold the text of the query as well.
        query = tree.query
    if isinstance(query, exp.Command) or _alike(query, judge) is not False:
        return None
    part = _smallest(query, judge)
    shown = embedded(part)
    if len(shown) > _LONGEST:
        shown = f"{shown[:_LONGEST]}..."
    return PlanningError(
        f"{position(part)}this is read otherwise here than by Spark, and would be answered "
        f"otherwise: {shown}\nwrite it in another way, or compute it in a view of its own and "
        f"select from that"
    )


def _alike(query: exp.Expression, judge: PlanningContext) -> bool | None:
    """Whether both readings are the same; None where Spark cannot read the query."""
    try:
        wanted = judge.parse(embedded(query))
    except PySparkException:
        return None
    try:
        return judge.parse(written_out(query)) == wanted
    except PySparkException:
        return False


def _smallest(query: exp.Expression, judge: PlanningContext) -> exp.Expression:
    """The smallest query, or the expression selected by it, that is misread."""
    found = query
    for node in query.walk(bfs=False):
        if node is found or not is_below(node, found):
            continue
        alone = node
        if not isinstance(node, exp.Query):
            if not isinstance(node.parent, exp.Select) or node.arg_key != "expressions":
                continue
            alone = exp.Select(expressions=[node.copy()])
        if _alike(alone, judge) is False:
            found = node
    return found
