"""Limit push-down: with ORDER BY and LIMIT async functions are called for the rows that are left,
where Spark calls Python functions for all of them.

Sorting and limit, if none of the calls has a part in them, go below what is selected::

    SELECT k, f(v) FROM t ORDER BY k LIMIT 3
    SELECT _nu_first0, f(_nu_first1) FROM (SELECT k, v FROM t ORDER BY k LIMIT 3)

The calls become columns of the new FROM (``common_subexpression``): Spark takes a projection back
below a limit, and a generator it does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of, within
from notebook_udf.planner.analysis.derived_table import SOURCE, UNFIT, Columns, inner_query
from notebook_udf.planner.analysis.query_position import stands_alone
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.rule import Applied, Outcome, SelectScope, chosen
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import derived

_GENERATORS = frozenset(
    {
        "explode", "explode_outer", "posexplode", "posexplode_outer", "inline", "inline_outer",
        "stack", "json_tuple", "variant_explode", "variant_explode_outer",
    }
)  # fmt: skip

# What chooses the rows, and goes below with them.
_CHOICE = ("order", "limit", "offset", "hint")


class PushDownLimit:
    """Takes sorting and LIMIT below the calls of async functions."""

    name = "push_down_limit"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, calls = scope.select, scope.calls
        called = [call for p in select.expressions for call in calls.inside(p)]
        inner = _limited_first(select, calls)
        if inner is None:
            return None
        scope.limited = True
        return Applied(chosen(self, called, calls, _REASON, None), inner)


_REASON = "called for the rows that ORDER BY and LIMIT leave"


def _limited_first(select: exp.Select, calls: ScalarCalls) -> exp.Select | None:
    """Takes sorting and limit below the calls of a SELECT; the inner SELECT that it then reads.

    None if it stays as it is: if the order depends on a call, or another clause does on how many
    rows there are.
    """
    if select.args.get("order") is None or select.args.get("limit") is None:
        return None
    projections = select.expressions
    called = [call for p in projections for call in calls.inside(p)]
    if (
        not any(calls.is_async(call) for call in called)
        or select.args.get("distinct")
        or calls.is_grouped(select)
    ):
        return None
    if any(select.args.get(name) for name in UNFIT) or not stands_alone(select):
        return None
    where = select.args.get("where")
    if where is not None and {*map(canonical, called)} & {*map(canonical, calls.inside(where))}:
        # WHERE already computes this call; do not add a second one.
        return None
    if not all(p.is_star or _is_by_row(p, calls) for p in projections):
        return None
    order = _order(select, calls)
    if order is None or sum(p.is_star for p in projections) > 1:
        return None
    return _taken_below(select, order, calls)


def _is_by_row(projection: exp.Expression, calls: ScalarCalls) -> bool:
    """Whether a projection has one value per row, which other rows have no part in."""
    if isinstance(projection, exp.Aliases) or not calls.steady(projection):
        return False
    return not any(
        isinstance(node, (exp.Window, exp.Lambda)) or name_of(node) in _GENERATORS
        for node in within(projection)
    )


def _order(select: exp.Select, calls: ScalarCalls) -> exp.Order | None:
    """ORDER BY in terms of the source; None if a call has a part in it."""
    order: exp.Order = select.args["order"].copy()
    if calls.any_in(order):
        return None
    named = {
        p.output_name.lower(): p.unalias()
        for p in select.expressions
        if isinstance(p, (exp.Alias, exp.Column, exp.Dot)) and not p.is_star
    }
    for ordered in order.expressions:
        meant = _meant(ordered.this, select.expressions, named)
        if meant is None or calls.any_in(meant):
            return None
        ordered.set("this", meant)
    return order


def _meant(
    term: exp.Expression,
    projections: Sequence[exp.Expression],
    named: Mapping[str, exp.Expression],
) -> exp.Expression | None:
    """A term of ORDER BY with what is selected in the place of its number or names."""
    if isinstance(term, exp.Literal) and not term.is_string:
        place = int(term.name) - 1 if term.name.isdigit() else -1
        if not 0 <= place < len(projections) or any(p.is_star for p in projections):
            return None
        return projections[place].unalias().copy()
    if canonical(term).upper() == "ALL" or any(
        isinstance(node, exp.Query) for node in within(term)
    ):
        return None

    def instead(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Column) and not node.table and node.name.lower() in named:
            return exp.paren(named[node.name.lower()].copy())
        return node

    found: exp.Expression = term.transform(instead)
    return found


def _taken_below(select: exp.Select, order: exp.Order, calls: ScalarCalls) -> exp.Select:
    columns = Columns("_nu_first")

    def below(node: exp.Expression) -> exp.Expression:
        return columns.column(node) if isinstance(node, exp.Column) else node

    made = []
    for projection in select.expressions:
        value = projection.unalias()
        if projection.is_star:
            made.append(exp.Star())
            continue
        new = value.transform(below) if calls.any_in(value) else columns.column(value)
        alias = projection.args.get("alias") if isinstance(projection, exp.Alias) else None
        made.append(new if alias is None else exp.alias_(new, alias.copy()))
    stars = [p.copy() for p in select.expressions if p.is_star]
    inner = inner_query(select, [*stars, *columns.aliased()])
    for star in made:
        if isinstance(star, exp.Star):
            hidden = [exp.to_identifier(column.alias) for column in columns.aliased()]
            star.set("except_", hidden)
    for name in _CHOICE:
        inner.set(name, select.args.get(name))
    inner.set("order", order)
    for name in (*SOURCE, *_CHOICE):
        select.set(name, None)
    select.set("expressions", made)
    select.set("from_", exp.From(this=derived(inner, "_nu_first")))
    return inner
