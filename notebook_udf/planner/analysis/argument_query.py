"""The argument query: a query whose rows are the arguments of a call in another query.

Of ``SELECT k, f(x + 1) FROM t WHERE x > 0 GROUP BY k``, where ``f`` is an aggregate function::

    SELECT x + 1 AS x, k AS _nu_key0 FROM t WHERE x > 0

Conditions that hold the call itself are left out, and so is all that comes after it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import (
    arguments_of,
    find_calls,
    in_order,
    name_of,
    position,
)
from notebook_udf.planner.analysis.derived_table import inner_query
from notebook_udf.planner.analysis.group_by import aliases_of, grouping_items, has_sets, meant_by
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.analysis.table_calls import hoist, items
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.dialect import canonical, embedded
from notebook_udf.planner.syntax.nodes import TableArgument, is_below, origin_of
from notebook_udf.planner.syntax.with_clause import below, tables_of
from notebook_udf.registry import RegisteredFunction

_FROM = ("from_", "joins", "laterals")
# Clauses that see the groups of a SELECT.
_BEHIND_GROUPS = ("expressions", "having", "order", "qualify")


@dataclass(frozen=True)
class ArgumentRows:
    """The arguments of a call as rows.

    Attributes
    ----------
    query
        Gives a column for each argument, then one for each key.
    call
        The call as it was typed.
    arguments, keys
        The names of those columns. Keys are what an aggregate's rows are grouped by.
    left_out
        What of the query is about the call and not in ``query``, in words.
    """

    query: str
    call: str
    arguments: tuple[str, ...]
    keys: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()


@dataclass
class _Source:
    """The clauses that the rows of a call come from, beside the FROM of its SELECT."""

    arguments: Sequence[exp.Expression]
    conditions: list[exp.Expression] = field(default_factory=list)
    keys: list[exp.Expression] = field(default_factory=list)
    distinct: bool = False
    left_out: list[str] = field(default_factory=list)


def argument_rows(
    tree: exp.Expression,
    record: RegisteredFunction,
    aggregates: Mapping[str, RegisteredFunction],
    catalog: PlanningContext,
) -> ArgumentRows | None:
    """The arguments of the first call of a function in a query; None if there is none.

    ``aggregates`` are the session's, by lower-case name.

    Raises
    ------
    PlanningError
        If the call is where its arguments are no columns of a SELECT.
    """
    name = record.name.lower()
    tree = tree.copy()
    calls = [node for node in tree.walk() if name_of(node).strip("`") == name]
    if not calls:
        return None
    node = min(calls, key=_place)
    select = node.find_ancestor(exp.Query)
    if not isinstance(select, exp.Select):
        raise _no_columns(record, node)
    call, tables = embedded(node), tables_of(select)
    kind = ScalarCalls({}, catalog, aggregates)
    _spell_out_keys(select, kind, tables)
    if record.definition.is_aggregate:
        source = _of_aggregate(select, node, record, kind)
    else:
        source = _Source(in_order(node, record, arguments_of(node)))
    if len(calls) > 1:
        source.left_out.append("its other calls")
    if any(isinstance(value, (exp.Star, TableArgument)) for value in source.arguments):
        raise _no_columns(record, node)
    names = _names(record, len(source.arguments))
    keys = tuple(f"_nu_key{place}" for place in range(len(source.keys)))
    projections = [
        exp.alias_(value.copy(), name, quoted=True)
        for value, name in zip((*source.arguments, *source.keys), (*names, *keys), strict=True)
    ]
    made = _select(select, node, projections, kind, grouped=not record.definition.is_aggregate)
    for condition in source.conditions:
        made = made.where(condition.copy(), copy=False)
    if source.distinct:
        made.set("distinct", exp.Distinct())
    query = below(tables, embedded(made))
    return ArgumentRows(query, call, names, keys, tuple(source.left_out))


def _place(node: exp.Expression) -> int:
    origin = origin_of(node)
    return 0 if origin is None else origin.start


def _names(record: RegisteredFunction, count: int) -> tuple[str, ...]:
    """Names of the arguments' columns: those of the parameters, where they have some."""
    plain = [name for name in record.definition.parameters if not name.startswith("*")][:count]
    return (*plain, *(f"argument{place}" for place in range(len(plain) + 1, count + 1)))


def _no_columns(record: RegisteredFunction, node: exp.Expression) -> PlanningError:
    return PlanningError(
        f"{position(node)}the arguments of this call of {record.name} are no columns of a SELECT: "
        f"give a query of them instead, as in SELECT a, b FROM t"
    )


# Aggregates --------------------------------------------------------------------------------------


def _of_aggregate(
    select: exp.Select,
    node: exp.Expression,
    record: RegisteredFunction,
    kind: ScalarCalls,
) -> _Source:
    (call, *_) = (
        each
        for each in find_calls(select, {record.name.lower(): record})
        if each.node is node or node in each.node.find_all(type(node))
    )
    source = _Source(call.arguments, distinct=call.distinct)
    if call.condition is not None:
        source.conditions.append(call.condition)
    if call.window is not None:
        source.keys = list(call.window.args.get("partition_by") or [])
        source.left_out.append("the order and frame of its window")
        return source
    group = select.args.get("group")
    if group is not None:
        source.keys = _keys(select, group, kind)
        if has_sets(group):
            source.left_out.append("the sets of GROUP BY")
    return source


def _spell_out_keys(select: exp.Select, kind: ScalarCalls, tables: Sequence[exp.CTE]) -> None:
    """Puts projections for the ordinals and aliases of GROUP BY: the argument query has others."""
    group = select.args.get("group")
    if group is None:
        return

    def columns() -> list[str]:
        everything = embedded(inner_query(select, [exp.Star()]))
        return list(kind.context.ask(below(tables, everything)).columns)

    aliases = aliases_of(select)
    for item in grouping_items(group):
        meant = meant_by(item, select.expressions, aliases, columns)
        if meant is not None and meant is not item:
            item.replace(meant)


def _keys(select: exp.Select, group: exp.Group, kind: ScalarCalls) -> list[exp.Expression]:
    """The keys that the rows are grouped by, without constants."""
    found = grouping_items(group)
    if group.args.get("all"):
        selected = [projection.unalias() for projection in select.expressions]
        found = [
            value
            for value in selected
            if not value.is_star and not any(map(kind.is_aggregate, value.walk()))
        ]
    return [item for item in found if item.find(exp.Column) is not None]


# The query ---------------------------------------------------------------------------------------


def _select(
    select: exp.Select,
    node: exp.Expression,
    projections: list[exp.Expression],
    kind: ScalarCalls,
    *,
    grouped: bool,
) -> exp.Select:
    """Projections over the rows that the call is made for."""
    hoist(select)
    clause = node
    while clause.parent is not select and clause.parent is not None:
        clause = clause.parent
    if clause.arg_key in _FROM:
        # What stands before it in FROM is all that it sees.
        return _before(select, clause, projections)
    made = inner_query(select, projections)
    _without(made, "where", select, node)
    if grouped and clause.arg_key in _BEHIND_GROUPS and _sees_groups(select, node, kind):
        for key in ("group", "having"):
            seen = select.args.get(key)
            made.set(key, None if seen is None else seen.copy())
        _without(made, "having", select, node)
    return made


def _before(
    select: exp.Select, item: exp.Expression, projections: list[exp.Expression]
) -> exp.Select:
    made = exp.Select(expressions=projections)
    for each in items(select):
        if each is item:
            break
        if isinstance(each, exp.From):
            made.set("from_", each.copy())
        else:
            key = "joins" if isinstance(each, exp.Join) else "laterals"
            made.set(key, [*(made.args.get(key) or []), each.copy()])
    return made


def _without(made: exp.Select, key: str, select: exp.Select, node: exp.Expression) -> None:
    """Removes the conditions that hold the call from a clause."""
    clause = select.args.get(key)
    if clause is None or not is_below(node, clause):
        return
    kept = [part.copy() for part in clause.this.flatten() if not is_below(node, part)]
    if not isinstance(clause.this, exp.And):
        kept = []
    made.set(key, type(clause)(this=exp.and_(*kept)) if kept else None)


def _sees_groups(select: exp.Select, node: exp.Expression, kind: ScalarCalls) -> bool:
    """Whether a scalar call is made for the groups of a SELECT, and not for its rows."""
    if not kind.is_grouped(select):
        return False
    group = select.args.get("group")
    keys = {canonical(item) for item in grouping_items(group)} if group is not None else set()
    above: exp.Expression | None = node
    while above is not None and above is not select:
        if kind.is_aggregate(above) or canonical(above) in keys:
            return False
        above = above.parent
    return True
