"""Calls above an aggregation, taken out of it: ``common_subexpression`` then computes them once.

``SELECT f(k), count(*) FROM t GROUP BY k HAVING f(k) > 1`` becomes a SELECT with a WHERE over a
subquery of the keys and the aggregates. In its sets a key is the subquery's column, which
is NULL where the key is left out. Whatever else a SELECT with groups may have is left to Spark.
"""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of, within
from notebook_udf.planner.analysis.derived_table import UNFIT, Unfit
from notebook_udf.planner.analysis.group_by import GROUPING, aliases_of, grouping_items
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.rule import Applied, Outcome, SelectScope, Skipped, chosen
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import derived, present

_INNER = ("from_", "laterals", "joins", "where", "group", "hint")


class ExtractFromAggregate:
    """Takes the aggregation of a SELECT into a subquery, where a call above it stands twice."""

    name = "extract_from_aggregate"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, calls = scope.select, scope.calls
        if scope.limited or any(select.args.get(name) for name in UNFIT):
            return None
        repeated = _repeated(select, calls)
        # Spark takes no Python in a lambda; the value of a group is a column there.
        if not repeated and not any(map(calls.aggregated_in_lambda, select.expressions)):
            return None
        choices = chosen(self, repeated, calls, _REASON, None)
        try:
            inner = _Regrouped(select, calls).made()
        except Unfit:
            return Skipped(choices)
        return Applied(choices, inner)


_REASON = "several clauses over the groups use its result"


def _repeated(select: exp.Select, calls: ScalarCalls) -> list[exp.Expression]:
    """The calls that stand in two of: what is selected, HAVING, ORDER BY."""
    places = [select.expressions, *([clause] for clause in present(select, "having", "order"))]
    found: list[dict[str, exp.Expression]] = []
    for nodes in places:
        outside = [c for node in nodes for c in calls.above_groups(node)]
        found.append({canonical(call): call for call in outside if calls.steady(call)})
    return [
        a[key] for i, a in enumerate(found) for b in found[i + 1 :] for key in sorted(a.keys() & b)
    ]


class _Regrouped:
    def __init__(self, select: exp.Select, calls: ScalarCalls) -> None:
        self._select = select
        self._calls = calls
        self._columns: dict[str, exp.Expression] = {}
        self._inner: list[exp.Expression] = []
        self._aliases = aliases_of(select)

    def made(self) -> exp.Select:
        select = self._select
        group = select.args.get("group")
        for item in grouping_items(group) if group is not None else []:
            key = self._key(item)
            self._column(key, "_nu_key")
            if key is not item:
                item.replace(key.copy())
        if group is not None and group.args.get("all"):
            raise Unfit
        projections = [self._above(p, ordering=False) for p in select.expressions]
        having, order = select.args.get("having"), select.args.get("order")
        new_having = None if having is None else self._above(having.this, ordering=False)
        new_order = None if order is None else self._above(order, ordering=True)
        inner = exp.Select(expressions=self._inner)
        for name in _INNER:
            inner.set(name, select.args.get(name))
            select.set(name, None)
        select.set("expressions", projections)
        select.set("having", None)
        select.set("order", new_order)
        select.set("from_", exp.From(this=derived(inner, "_nu_groups")))
        if new_having is not None:
            select.set("where", exp.Where(this=new_having))
        return inner

    def _key(self, key: exp.Expression) -> exp.Expression:
        if isinstance(key, exp.Literal) and key.is_int:
            place = int(key.name) - 1
            if not 0 <= place < len(self._select.expressions):
                raise Unfit
            key = self._select.expressions[place].unalias()
        elif isinstance(key, exp.Column) and not key.table and key.name.lower() in self._aliases:
            # It may mean what is selected, or a column of that name.
            own = [p for p in self._select.expressions if p.alias.lower() == key.name.lower()]
            if any(p.unalias() != key for p in own):
                raise Unfit
        if isinstance(key, exp.Star) or not self._calls.steady(key):
            raise Unfit
        return key

    def _column(self, value: exp.Expression, prefix: str) -> exp.Expression:
        key = canonical(value)
        if key not in self._columns:
            name = f"{prefix}{len(self._columns)}"
            self._inner.append(exp.alias_(value.copy(), name))
            self._columns[key] = exp.column(name)
        return self._columns[key].copy()

    def _above(self, node: exp.Expression, *, ordering: bool) -> exp.Expression:
        """An expression over groups, in terms of the subquery's columns."""
        if isinstance(node, (exp.Query, exp.Window, exp.Star, exp.Placeholder)):
            raise Unfit
        found = None if isinstance(node, exp.Literal) else self._columns.get(canonical(node))
        if found is not None:
            return found.copy()
        of_groups = self._calls.is_aggregate(node) or name_of(node) in GROUPING
        if isinstance(node, exp.Filter) or of_groups:
            if any(isinstance(each, exp.Query) for each in within(node)):
                raise Unfit
            return self._column(node, "_nu_value")
        if isinstance(node, exp.Column):
            if ordering and not node.table and node.name.lower() in self._aliases:
                return node.copy()
            raise Unfit
        made = node.copy()
        pairs = zip(list(node.iter_expressions()), list(made.iter_expressions()), strict=True)
        for old, new in pairs:
            if not isinstance(old, (exp.Identifier, exp.DataType)):
                new.replace(self._above(old, ordering=ordering))
        return made
