"""Scopes: the columns that the relations of a FROM have, and the one that a name means.

Spark says what columns a relation has; names are resolved here, as Spark resolves them. Scopes
serve to rewrite a FROM into subqueries of unique names (``flat`` ones) and to give every name its
meaning again behind it: LATERAL subqueries have the relations' names.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from pyspark.errors import AnalysisException
from sqlglot import exp

from notebook_udf.planner.analysis.derived_table import Unfit
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.syntax.dialect import embedded
from notebook_udf.planner.syntax.with_clause import below

# The relation of columns that only their name names: those of USING in a full join.
_USING = "_nu_using"


@dataclass(eq=False)
class ScopeColumn:
    """A column of a relation.

    Attributes
    ----------
    name, relation
        What it is called in the query; a relation of "" is one without a name.
    flat
        Its unique name.
    flattened
        Whether it has that name already.
    visible
        Whether it has a meaning without the relation's name: what USING leaves out has none.
    """

    name: str
    relation: str
    flat: str
    flattened: bool = False
    visible: bool = True

    @property
    def read(self) -> exp.Expression:
        """The column, in terms of the FROM."""
        if self.flattened:
            return exp.column(self.flat)
        relation = exp.to_identifier(self.relation, quoted=True) if self.relation else None
        return exp.column(exp.to_identifier(self.name, quoted=True), table=relation)


@dataclass
class Scope:
    """The columns of joined relations.

    Attributes
    ----------
    entries
        All columns, relation by relation.
    star
        What ``*`` stands for.
    """

    entries: list[ScopeColumn] = field(default_factory=list)
    star: list[ScopeColumn] = field(default_factory=list)

    def resolve(self, column: exp.Column) -> tuple[ScopeColumn, list[str]] | None:
        """The entry a column means, and the fields of it; None if it is none of this scope's.

        Raises
        ------
        Unfit
            If it means several.
        """
        parts = [part.name for part in column.parts]
        lower = [part.lower() for part in parts]
        for place in range(min(len(parts) - 1, 3)):
            named = [e for e in self.entries if e.relation.lower() == lower[place]]
            found = [e for e in named if e.name.lower() == lower[place + 1]]
            if found:
                return self._single(found, column), parts[place + 2 :]
        found = [e for e in self.star if e.name.lower() == lower[0]]
        return (self._single(found, column), parts[1:]) if found else None

    def _single(self, found: list[ScopeColumn], column: exp.Column) -> ScopeColumn:
        if len(found) > 1:
            raise Unfit(f"{embedded(column)} is the name of several columns")
        return found[0]

    def holds(self, column: exp.Column) -> bool:
        """Whether a flat column is one of these."""
        return any(entry.flat == column.name for entry in self.entries)

    def of(self, relation: str) -> list[ScopeColumn]:
        """The columns of a relation."""
        return [e for e in self.entries if e.relation.lower() == relation.lower()]

    def relations(self) -> list[str]:
        """The names of the relations, in their order."""
        return list(dict.fromkeys(e.relation for e in self.entries if e.relation))

    def flat(self) -> list[exp.Expression]:
        """The projections that give every column its unique name."""
        return [exp.alias_(entry.read, entry.flat) for entry in self.entries]

    def named(self) -> list[exp.Join]:
        """Joins that give flat columns their names again, relation by relation."""
        made = []
        for relation in (*self.relations(), ""):
            shown = [e for e in self.of(relation) if e.visible]
            if not shown:
                continue
            columns = [
                exp.alias_(exp.column(e.flat), exp.to_identifier(e.name, quoted=True))
                for e in shown
            ]
            alias = exp.TableAlias(this=exp.to_identifier(relation or _USING, quoted=True))
            select = exp.Subquery(this=exp.Select(expressions=columns))
            made.append(exp.Join(this=exp.Lateral(this=select, alias=alias), kind="CROSS"))
        return made

    def and_(self, other: Scope) -> Scope:
        """The columns of both scopes."""
        mine = {name.lower() for name in self.relations()}
        if any(name.lower() in mine for name in other.relations()):
            raise Unfit("two tables have the same name")
        return Scope([*self.entries, *other.entries], [*self.star, *other.star])


class Scopes:
    """Resolves the scopes of one query.

    Parameters
    ----------
    catalog
        The session's side.
    """

    def __init__(self, catalog: PlanningContext) -> None:
        self._catalog = catalog
        self._numbers = itertools.count()
        # Of SELECTs that were written again: their FROM cannot be read relation by relation.
        self.known: dict[int, Scope] = {}

    def name(self, what: str) -> str:
        """A name that is used nowhere else in the query."""
        return f"_nu_{what}{next(self._numbers)}"

    def of_relation(
        self, relation: exp.Expression, tables: Sequence[exp.CTE], before: str = ""
    ) -> Scope:
        """The columns of one item of a FROM; ``tables`` are those of WITH that it may name.

        ``before`` is what a LATERAL one stands behind.

        Raises
        ------
        Unfit
            If Spark cannot read it by itself, or two of its columns have the same name.
        """
        inner = relation.this if isinstance(relation, exp.Subquery) else None
        if isinstance(inner, (exp.Table, exp.Subquery)) and not relation.alias:
            joins = inner.args.get("joins") or []
            inner.set("joins", None)
            try:
                return self.of_chain(inner, joins, tables)
            finally:
                inner.set("joins", joins)
        if relation.args.get("joins"):
            raise Unfit("its ON stands behind another join")
        if not relation.alias_or_name:
            relation.set("alias", exp.TableAlias(this=exp.to_identifier(self.name("rows"))))
        if isinstance(relation, exp.Lateral):
            alias = embedded(exp.to_identifier(relation.alias, quoted=True))
            query = f"SELECT {alias}.* FROM {before} JOIN {embedded(relation)}"
        else:
            query = f"SELECT * FROM {embedded(relation)}"
        columns = self._columns(query, tables)
        if len({name.lower() for name in columns}) < len(columns):
            raise Unfit(f"two columns of {relation.alias_or_name} have the same name")
        name = relation.alias_or_name
        entries = [ScopeColumn(column, name, self.name("c")) for column in columns]
        return Scope(entries, list(entries))

    def of_chain(
        self, first: exp.Expression, joins: Sequence[exp.Expression], tables: Sequence[exp.CTE]
    ) -> Scope:
        """The columns of relations that are joined one after the other."""
        scope = self.of_relation(first, tables)
        for place, join in enumerate(joins):
            other = self.of_joined(first, joins[:place], join.this, tables)
            scope = self.joined(scope, join, other)
        return scope

    def of_joined(
        self,
        first: exp.Expression,
        joins: Sequence[exp.Expression],
        relation: exp.Expression,
        tables: Sequence[exp.CTE],
    ) -> Scope:
        """The columns of a relation that follows others."""
        return self.of_relation(relation, tables, " ".join(map(embedded, (first, *joins))))

    def joined(self, left: Scope, join: exp.Expression, right: Scope) -> Scope:
        """The columns of a join."""
        both = left.and_(right)
        if join.kind in ("SEMI", "ANTI"):
            return left
        names = [identifier.name.lower() for identifier in join.args.get("using") or []]
        if join.method == "NATURAL":
            theirs = {e.name.lower() for e in right.star}
            names = [e.name.lower() for e in left.star if e.name.lower() in theirs]
        elif join.method:
            raise Unfit(f"{join.method} JOIN stands before it")
        keys = []
        for name in names:
            mine, other = (next(e for e in s.star if e.name.lower() == name) for s in (left, right))
            if join.side == "FULL":
                mine.visible = other.visible = False
                key = ScopeColumn(mine.name, "", self.name("c"))
                both.entries.append(key)
            else:
                key, hidden = (other, mine) if join.side == "RIGHT" else (mine, other)
                hidden.visible = False
            keys.append(key)
        rest = [e for e in both.star if e.visible and e.name.lower() not in names]
        return Scope(both.entries, [*keys, *rest])

    def _columns(self, query: str, tables: Sequence[exp.CTE]) -> list[str]:
        try:
            return list(self._catalog.run(below(tables, query)).columns)
        except AnalysisException:
            raise Unfit("its tables cannot be read one by one") from None


def flattened(node: exp.Expression, *scopes: Scope) -> exp.Expression:
    """An expression with flat columns instead of those of some scopes; others stay.

    The first scope that has a name wins.

    Raises
    ------
    Unfit
        If there is a query in it.
    """
    made = exp.Paren(this=node.copy())
    for column in list(made.find_all(exp.Column)):
        if column.find_ancestor(exp.Query) is not None:
            raise Unfit("a subquery stands in its condition")
        for scope in scopes:
            found = scope.resolve(column)
            if found is not None:
                replace_column(column, found[0], found[1])
                break
    inner = made.this
    return inner if isinstance(inner, exp.Expression) else made


def replace_column(column: exp.Column, entry: ScopeColumn, fields: list[str]) -> None:
    """Replaces a column by a flat column, and fields of it."""
    value: exp.Expression = exp.column(entry.flat)
    for name in fields:
        value = exp.Dot(this=value, expression=exp.to_identifier(name, quoted=True))
    column.replace(value)
