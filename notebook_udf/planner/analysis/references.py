"""References: the columns that the FROM of a SELECT makes visible, and what uses them.

When some relations of a FROM are replaced by a view of their rows, references to them have to name
the view's columns. ``Scope`` knows which those are; where a name still means the same with the
view, it is left unchanged, so that aliases and stars keep their own rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import name_of, within
from notebook_udf.planner.analysis.derived_table import Unfit


@dataclass(frozen=True)
class RelationColumn:
    """A visible column.

    Attributes
    ----------
    qualifier, name
        What it is called, as ``qualifier.name``.
    base
        The expression for it in a query over the relations as they were; None if a table
        function made it.
    made
        Which call made it, and which of the call's columns it is.
    starred
        Whether ``*`` stands for it: not for the two sides of a column of USING.
    """

    qualifier: str
    name: str
    base: exp.Expression | None = None
    made: tuple[int, int] | None = None
    starred: bool = True


@dataclass(frozen=True)
class Reference:
    """A column of a query that refers to an entry; ``fields`` are those of a struct below it."""

    node: exp.Column
    entry: RelationColumn
    fields: tuple[str, ...]
    qualified: bool


class RelationScope:
    """The visible columns, in the order of ``*``."""

    def __init__(self, entries: Iterable[RelationColumn]) -> None:
        self.entries = list(entries)

    def with_more(self, entries: Iterable[RelationColumn]) -> RelationScope:
        """The scope with the columns of one more relation."""
        return RelationScope([*self.entries, *entries])

    def resolve(self, column: exp.Column) -> Reference | None:
        """The entry that a column means; None if it is none of this scope, or not certainly one."""
        parts = [part.name for part in column.parts]
        for start in (0, 1):
            # db.t.c: the database says nothing that t does not.
            if len(parts) > start + 1:
                found = self._named(parts[start + 1], parts[start])
                if found is not None:
                    return Reference(column, found, tuple(parts[start + 2 :]), True)
        found = self._named(parts[0], None)
        return None if found is None else Reference(column, found, tuple(parts[1:]), False)

    def resolve_star(self, star: exp.Column) -> Reference | None:
        """The struct that ``s.*`` expands; None if it is no column of this scope."""
        *_, last = parts = [exp.to_identifier(part.name, quoted=True) for part in star.parts[:-1]]
        above = parts[-2] if len(parts) > 1 else None
        return self.resolve(exp.Column(this=last, table=above))

    def references(self, node: exp.Expression) -> Iterator[Reference]:
        """The references to entries in a node, and in the queries inside it.

        In the queries inside, only what is qualified, by a name that is not one of their own.
        """
        for column in list(node.find_all(exp.Column)):
            if isinstance(column.this, exp.Star):
                continue
            found = self.resolve(column)
            if found is None:
                continue
            inside = _queries_between(column, node)
            if inside and (not found.qualified or _defines(inside, found.entry.qualifier)):
                continue
            yield found

    def mentioned(self, node: exp.Expression) -> Iterator[RelationColumn]:
        """Entries that a query inside a node might mean by their bare names."""
        for column in node.find_all(exp.Column):
            found = self.resolve(column)
            if found is not None and not found.qualified and _queries_between(column, node):
                yield found.entry

    def of(self, qualifier: str) -> list[RelationColumn]:
        """The entries that ``qualifier.*`` stands for."""
        return [e for e in self.entries if e.qualifier.lower() == qualifier.lower()]

    def names(self) -> dict[int, str]:
        """A unique name for each entry, by its position; its own one where that is possible."""
        starred = [e.name.lower() for e in self.entries if e.starred]
        return {
            place: entry.name
            if entry.starred and starred.count(entry.name.lower()) == 1
            else f"_nu_{place}_{entry.name}"
            for place, entry in enumerate(self.entries)
        }

    def _named(self, name: str, qualifier: str | None) -> RelationColumn | None:
        found = [
            entry
            for entry in self.entries
            if entry.name.lower() == name.lower()
            and (
                entry.starred if qualifier is None else entry.qualifier.lower() == qualifier.lower()
            )
        ]
        return found[0] if len(found) == 1 else None


def _queries_between(node: exp.Expression, outer: exp.Expression) -> list[exp.Expression]:
    found = []
    above = node.parent
    while above is not None and above is not outer:
        if isinstance(above, exp.Select):
            found.append(above)
        above = above.parent
    return found


def _defines(queries: list[exp.Expression], qualifier: str) -> bool:
    return any(
        source.alias_or_name.lower() == qualifier.lower()
        for query in queries
        for source in sources(query)
    )


def sources(select: exp.Expression) -> list[exp.Expression]:
    """The relations of a SELECT's FROM."""
    first = select.args.get("from_")
    found = [first.this] if first is not None else []
    found += [join.this for join in select.args.get("joins") or []]
    return [*found, *(select.args.get("laterals") or [])]


def replace(reference: Reference, view: str, name: str) -> None:
    """Replaces a reference by a column of a view.

    A bare name that the column still has is left: in ORDER BY it may mean a projection.
    """
    if not reference.qualified and name == reference.entry.name:
        return
    made: exp.Expression = exp.column(exp.to_identifier(name, quoted=True), exp.to_identifier(view))
    for field in reference.fields:
        made = exp.Dot(this=made, expression=exp.to_identifier(field, quoted=True))
    node = reference.node
    parent = node.parent
    if isinstance(parent, exp.Select) and node.arg_key == "expressions":
        shown = (reference.fields or (reference.entry.name,))[-1]
        if shown != name or reference.fields:
            made = exp.alias_(made, exp.to_identifier(shown, quoted=True))
    node.replace(made)


def stars(select: exp.Select) -> list[exp.Expression]:
    """The stars of a SELECT, but not those of ``count(*)``."""
    return [
        star
        for projection in select.expressions
        for star in within(projection)
        if isinstance(star, exp.Star) and name_of(star.parent) != "count"
    ]


def expand_qualified(
    select: exp.Select, scope: RelationScope, view: str, names: dict[int, str]
) -> None:
    """Expands ``t.*`` to the view's columns where t, a relation or a struct, is in the scope.

    Raises
    ------
    Unfit
        If such a star leaves columns out, or is in an expression.
    """
    for projection in list(select.expressions):
        if not _is_of_table(projection):
            continue
        found = scope.of(projection.table) if len(projection.parts) == 2 else []
        if not found:
            _replace_struct(projection, scope, view, names)
            continue
        if any(projection.this.args.values()):
            raise Unfit
        projection.replace([_column(e, view, names[scope.entries.index(e)]) for e in found])


def _replace_struct(
    star: exp.Expression, scope: RelationScope, view: str, names: dict[int, str]
) -> None:
    found = scope.resolve_star(star)
    if found is None:
        return
    if found.fields:
        raise Unfit
    name = exp.to_identifier(names[scope.entries.index(found.entry)], quoted=True)
    star.set("table", name)
    star.set("db", exp.to_identifier(view))


def expand_bare(
    select: exp.Select, scope: RelationScope, view: str, names: dict[int, str], rest: list[str]
) -> None:
    """Expands ``*`` to the view's columns, and behind them those of the other relations.

    Raises
    ------
    Unfit
        If the star leaves columns out, or is in an expression.
    """
    for projection in list(select.expressions):
        if not isinstance(projection, exp.Star):
            if any(isinstance(n, exp.Star) for n in within(projection) if n is not projection):
                raise Unfit
            continue
        if any(projection.args.values()):
            raise Unfit
        columns = [
            _column(entry, view, names[place])
            for place, entry in enumerate(scope.entries)
            if entry.starred
        ]
        others = [exp.Column(this=exp.Star(), table=exp.to_identifier(name)) for name in rest]
        projection.replace([*columns, *others])


def _is_of_table(projection: exp.Expression) -> bool:
    return isinstance(projection, exp.Column) and isinstance(projection.this, exp.Star)


def _column(entry: RelationColumn, view: str, name: str) -> exp.Expression:
    made: exp.Expression = exp.column(exp.to_identifier(name, quoted=True), exp.to_identifier(view))
    return made if name == entry.name else exp.alias_(made, exp.to_identifier(entry.name, True))
