"""Materialization before a sort: results are stored before the whole query's rows are sorted.

Spark reads what it sorts twice, to find the ranges first, and would make each call twice. A
shuffle in between keeps the results.
"""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.analysis.group_by import grouping_items
from notebook_udf.planner.analysis.query_position import is_sorted_last
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.rule import Applied, Outcome, QueryScope, SelectScope, chosen
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import derived

_REASON = "Spark reads what it sorts twice"


class MaterializeBeforeSort:
    """Puts a shuffle below the ORDER BY of the whole query, where its rows hold results."""

    name = "materialize_before_sort"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, calls = scope.select, scope.calls
        if not is_sorted_last(select):
            return None
        computed = _computed(select, calls)
        if not computed:
            return None
        hint = select.args.get("hint") or exp.Hint(expressions=[])
        hint.append("expressions", exp.Var(this="REPARTITION"))
        select.set("hint", hint)
        return Applied(chosen(self, computed, calls, _REASON, None))


def _computed(select: exp.Select, calls: ScalarCalls) -> list[exp.Expression]:
    """The calls whose results are in the rows that are sorted."""
    if not calls.is_grouped(select):
        return [node for node in select.walk() if calls.record(node) is not None]
    # What stands below the aggregation is read from a shuffle.
    group = select.args.get("group")
    keys = {canonical(key) for key in grouping_items(group)} if group is not None else set()
    return [c for p in select.expressions for c in calls.above_groups(p, keys)]


class MaterializeSortedUnion:
    """The same for a set operation with async calls: it becomes a SELECT of its rows."""

    name = "materialize_sorted_union"

    def apply(self, query: QueryScope) -> Outcome:
        """See ``QueryRule``."""
        tree, calls = query.tree, query.calls
        if not isinstance(tree, exp.SetOperation):
            return None
        if tree.args.get("order") is None or tree.args.get("limit") is not None:
            return None
        computed = [node for node in tree.walk() if calls.is_async(node)]
        if not computed:
            return None
        choices = chosen(self, computed, calls, _REASON, None)
        inner = tree.copy()
        order, with_ = inner.args.pop("order"), inner.args.pop("with_", None)
        query.tree = exp.Select(
            expressions=[exp.Star()],
            from_=exp.From(this=derived(inner, "_nu_sorted")),
            order=order,
            with_=with_,
            hint=exp.Hint(expressions=[exp.Var(this="REPARTITION")]),
        )
        return Applied(choices)
