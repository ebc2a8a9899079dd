"""GROUP BY ALL, ordinals and aliases, where they mean calls: the calls are written out.

Other rules then find a call in GROUP BY under its own text.
"""

from __future__ import annotations

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import within
from notebook_udf.planner.analysis.derived_table import inner_query
from notebook_udf.planner.analysis.group_by import grouping_items
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.rule import Outcome, SelectScope
from notebook_udf.planner.syntax.dialect import embedded
from notebook_udf.planner.syntax.with_clause import below, visible_ctes


class ExpandGroupBy:
    """Expands GROUP BY ALL, ordinals and aliases.

    It prepares the SELECT for the rules behind it and is no reason to hand Spark another query: it
    never says that it was applied.
    """

    name = "expand_group_by"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        _expand(scope.select, scope.calls)
        return None


def _expand(select: exp.Select, calls: ScalarCalls) -> None:
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
        columns = calls.context.run(below(visible_ctes(select), everything)).columns
    except AnalysisException:
        return None
    return frozenset(name.lower() for name in columns)
