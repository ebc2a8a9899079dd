"""The names of a SELECT's columns and structs, kept when what they are named after changes."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.dialect import embedded, in_fewest_forms
from notebook_udf.planner.syntax.with_clause import below, visible_ctes


def name_projections(
    select: exp.Select, which: Callable[[exp.Expression], bool] = lambda projection: True
) -> None:
    """Aliases projections with the names they have as written, before their columns change."""
    for projection in list(select.expressions):
        if not isinstance(projection, (exp.Alias, exp.Aliases, exp.Star)) and which(projection):
            give_name(projection, written_name(projection))


def name_struct_fields(select: exp.Select) -> None:
    """Aliases what ``struct`` is given of columns, since Spark names its fields after them."""

    def is_another(node: exp.Expression) -> bool:
        return isinstance(node, exp.Query) and node is not select

    for node in list(select.walk(prune=is_another)):
        if name_of(node) != "struct":
            continue
        for given in list(node.expressions):
            if isinstance(given, (exp.Column, exp.Dot)) and given.name and not given.is_star:
                give_name(given, given.name)


def written_name(projection: exp.Expression) -> str:
    """The name that a projection has by how it is written."""
    return projection.name if isinstance(projection, exp.Column) else in_fewest_forms(projection)


def give_name(projection: exp.Expression, name: str) -> None:
    """Puts an alias around a projection."""
    identifier = exp.to_identifier(name, quoted=True)
    projection.replace(exp.alias_(projection.copy(), identifier))


class OutputNames:
    """The names of a SELECT's columns, which must not show what replaced the calls."""

    def __init__(self, select: exp.Select, catalog: PlanningContext) -> None:
        self._select = select
        self._catalog = catalog
        self._before = select.copy()

    def keep(self, *, every: bool = False) -> None:
        """Gives the rewritten columns, or all, the names that Spark had given them."""
        select, before = self._select, self._before.expressions
        changed = [
            place
            for place, (old, new) in enumerate(zip(before, select.expressions, strict=True))
            if not isinstance(old, (exp.Alias, exp.Aliases)) and not old.is_star
            if every or old != new
        ]
        if not changed:
            return
        known = self._known()
        for place in changed:
            name = known.get(place) or written_name(before[place])
            give_name(select.expressions[place], name)

    def _known(self) -> dict[int, str]:
        """The names that Spark gives, by position; those between two stars are not known."""
        projections = self._before.expressions
        try:
            columns = self._catalog.run(self._alone()).columns
        except AnalysisException:
            return {}
        stars = [i for i, p in enumerate(projections) if p.is_star]
        if not stars:
            # A column of several names, such as a generator's, shifts those behind it.
            return dict(enumerate(columns)) if len(columns) == len(projections) else {}
        known = {i: columns[i] for i in range(stars[0])}
        behind = len(projections) - 1 - stars[-1]
        if behind:
            first = len(projections) - behind
            known.update({first + i: name for i, name in enumerate(columns[-behind:])})
        return known

    def _alone(self) -> str:
        """The SELECT as it was, below the common table expressions that it sees."""
        tables, query = visible_ctes(self._select), embedded(self._before)
        if tables and self._before.args.get("with_") is not None:
            query = f"({query})"
        return below(tables, query)
