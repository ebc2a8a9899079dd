"""What GROUP BY groups by: the expressions in its sets, what its numbers and names mean."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import within
from notebook_udf.planner.analysis.derived_table import inner_query
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.syntax.dialect import embedded
from notebook_udf.planner.syntax.with_clause import below, visible_ctes

# Functions that say which of its sets a group belongs to.
GROUPING = ("grouping", "grouping_id", "grouping__id")

_SETS = (exp.GroupingSets, exp.Rollup, exp.Cube)


def has_sets(group: exp.Group) -> bool:
    """Whether there is a ROLLUP, a CUBE or GROUPING SETS."""
    return any(isinstance(node, _SETS) for node in group.walk())


def grouping_items(group: exp.Group) -> list[exp.Expression]:
    """The expressions GROUP BY groups by, out of its sets."""
    found: list[exp.Expression] = []

    def collect(node: exp.Expression) -> None:
        if isinstance(node, (*_SETS, exp.Tuple)):
            for below in node.expressions:
                collect(below)
        elif isinstance(node, exp.Paren):
            collect(node.this)
        else:
            found.append(node)

    for value in group.args.values():
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, exp.Expression):
                collect(node)
    return found


def aliases_of(select: exp.Select) -> set[str]:
    """The names that were given to what is selected, in lower case."""
    return {p.alias.lower() for p in select.expressions if isinstance(p, exp.Alias)}


def meant_by(
    item: exp.Expression,
    projections: Sequence[exp.Expression],
    aliases: Collection[str],
    columns: Callable[[], list[str]],
) -> exp.Expression | None:
    """What GROUP BY means by an item: a number or an alias stands for a projection.

    ``columns`` asks for the names of the columns that the SELECT reads, which come before aliases.
    None for the number of no projection.
    """
    if isinstance(item, exp.Literal) and item.is_int:
        place = int(item.name) - 1
        return projections[place].unalias().copy() if 0 <= place < len(projections) else None
    name = item.name.lower()
    if not isinstance(item, exp.Column) or item.table or name not in aliases:
        return item
    if name in {column.lower() for column in columns()}:
        return item
    return next(p for p in projections if p.alias.lower() == name).unalias().copy()


def spell_out(select: exp.Select, calls: ScalarCalls) -> None:
    """Writes what is meant in the place of ALL, numbers and names, where calls are meant."""
    group = select.args.get("group")
    projections = select.expressions
    if group is None or not any(calls.any_in(p) for p in projections):
        return
    if group.args.get("all"):
        keys = _all_keys(projections, calls)
        if keys is not None:
            select.set("group", exp.Group(expressions=[key.copy() for key in keys]))
        return
    named = {p.alias.lower(): p.unalias() for p in projections if isinstance(p, exp.Alias)}
    columns: frozenset[str] | None = None
    for item in grouping_items(group):
        meant = None
        if isinstance(item, exp.Literal) and item.is_int:
            place = int(item.name) - 1
            meant = projections[place].unalias() if 0 <= place < len(projections) else None
        elif isinstance(item, exp.Column) and not item.table:
            meant = named.get(item.name.lower())
            if meant is not None and calls.any_in(meant):
                columns = _source(select, calls) if columns is None else columns
                if columns is None or item.name.lower() in columns:
                    # A column of the tables comes before what is selected.
                    meant = None
        if meant is not None and calls.any_in(meant) and calls.steady(meant):
            item.replace(meant.copy())


def _all_keys(projections: list[exp.Expression], calls: ScalarCalls) -> list[exp.Expression] | None:
    """What is selected and no aggregate; None where that is not plain."""
    keys = []
    for projection in projections:
        aggregates = [n for n in within(projection) if calls.is_aggregate(n)]
        if not aggregates:
            if projection.is_star or not calls.steady(projection):
                return None
            keys.append(projection.unalias())
        elif projection.unalias() is not aggregates[0]:
            return None
    return keys


def _source(select: exp.Select, calls: ScalarCalls) -> frozenset[str] | None:
    """The names of the columns of the tables; None where they are not known."""
    everything = embedded(inner_query(select, [exp.Star()]))
    try:
        columns = calls.catalog.run(below(visible_ctes(select), everything)).columns
    except AnalysisException:
        return None
    return frozenset(name.lower() for name in columns)
