"""The position of a SELECT in its query, and what follows from it for its columns.

It may use columns of an outer query, an outer condition may be on what it selects, and its order
may be that of the whole query. ``common_subexpression`` decides about its columns.
"""

from __future__ import annotations

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.syntax.dialect import embedded, in_fewest_forms
from notebook_udf.planner.syntax.nodes import Statement
from notebook_udf.planner.syntax.with_clause import below, visible_ctes

# What may stand around a query that is no part of an expression.
_AROUND_QUERIES = (
    exp.Subquery, exp.SetOperation, exp.From, exp.Join, exp.CTE, exp.With, exp.Select, Statement,
)  # fmt: skip


def filtered_names(tree: exp.Expression) -> frozenset[str]:
    """The names of columns in the conditions of a query."""
    conditions = [n.this for n in tree.find_all(exp.Where, exp.Having, exp.Qualify)]
    conditions += [j.args["on"] for j in tree.find_all(exp.Join) if j.args.get("on") is not None]
    return frozenset(
        column.name.lower() for node in conditions for column in node.find_all(exp.Column)
    )


def query_of(select: exp.Select) -> exp.Expression:
    """The whole set operation that a SELECT is a part of, or the SELECT."""
    node: exp.Expression = select
    while isinstance(node.parent, exp.SetOperation):
        node = node.parent
    return node


def outer_names(select: exp.Select) -> list[str]:
    """An outer query's names of the columns: in a set operation those of its first SELECT."""
    first = query_of(select)
    while isinstance(first, exp.SetOperation):
        first = first.this
    projections = first.expressions if isinstance(first, exp.Select) else select.expressions
    return [p.output_name or in_fewest_forms(p) for p in projections]


def stands_alone(select: exp.Select) -> bool:
    """Whether the SELECT cannot use columns of an outer one."""
    node: exp.Expression = select
    while node.parent is not None:
        parent = node.parent
        if isinstance(node, exp.Lateral) or not isinstance(parent, _AROUND_QUERIES):
            return False
        if isinstance(parent, exp.Select) and not isinstance(node, (exp.From, exp.Join, exp.With)):
            return False
        node = parent
    return True


def is_understood_alone(select: exp.Select, calls: ScalarCalls) -> bool:
    """Whether Spark analyses a SELECT by itself, so that it uses nothing of an outer one."""
    try:
        calls.context.run(below(visible_ctes(select), embedded(select)))
    except AnalysisException:
        return False
    return True


def is_sorted_last(select: exp.Select) -> bool:
    """Whether this SELECT sorts the rows of the whole query."""
    ends = select.parent is None or isinstance(select.parent, Statement)
    return ends and select.args.get("order") is not None and select.args.get("limit") is None
