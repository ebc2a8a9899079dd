"""One SELECT whose FROM calls table functions: its calls in a pass, and a view in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.planner.analysis.derived_table import Columns, Unfit
from notebook_udf.planner.analysis.reachability import conjuncts
from notebook_udf.planner.analysis.references import (
    RelationColumn,
    RelationScope,
    expand_bare,
    expand_qualified,
    replace,
    stars,
)
from notebook_udf.planner.analysis.table_calls import FromCall, items, lateral_call, relation
from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.planner.physical.table import ENDED, INPUT, MET, CallChain, matched
from notebook_udf.planner.syntax.nodes import cast, table
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.table_layout import TableStep

# A number for each row that no other has.
_NUMBERED = "monotonically_increasing_id"

# Places of arguments: a column of the inner query, or a call before it and one of its columns.
_Argument = int | tuple[int, int]


class Around(Protocol):
    """What a SELECT needs of the query it stands in."""

    def run(self, query: exp.Expression, visible: Sequence[exp.Expression]) -> DataFrame:
        """The rows of a part of the query, below these tables of WITH."""

    def view(self, rows: DataFrame) -> str:
        """A name for rows."""

    @property
    def listed(self) -> Listed:
        """Which calls run in Spark's JVM."""

    def steady(self, node: exp.Expression) -> bool:
        """Whether an expression may as well be computed earlier."""


class Pass:
    """Calls that follow each other, as they are gathered.

    Parameters
    ----------
    scope
        What the relations before them make visible.
    """

    def __init__(self, scope: RelationScope) -> None:
        self.scope = scope
        self.columns = Columns("_nu_col")
        self.calls: list[FromCall] = []
        self._arguments: list[list[_Argument]] = []

    def add(self, call: FromCall) -> bool:
        """Takes a call in; says no to one whose arguments have to be computed after others."""
        found: list[_Argument] = []
        for argument in call.arguments:
            place = self._argument(argument)
            if place is None:
                return False
            found.append(place)
        number = len(self.calls)
        self.calls.append(call)
        self._arguments.append(found)
        self.scope = self.scope.with_more(
            RelationColumn(call.qualifier, name, made=(number, place))
            for place, name in enumerate(call.names)
        )
        return True

    def _argument(self, argument: exp.Expression) -> _Argument | None:
        if isinstance(argument, exp.Column):
            found = self.scope.resolve(argument)
            if found is not None and not found.fields:
                if found.entry.made is not None:
                    return found.entry.made
                assert found.entry.base is not None
                return self.columns.place(found.entry.base)
        references = map(self.scope.resolve, argument.find_all(exp.Column))
        if any(found is not None and found.entry.made is not None for found in references):
            return None
        return self.columns.place(argument)

    def chain(self, rows: DataFrame, listed: Listed, *, ends: bool) -> CallChain:
        """The pass over the rows of the inner query; with ``ends`` for the last call's inputs."""
        chain = CallChain(rows, listed)
        for number, (call, arguments) in enumerate(zip(self.calls, self._arguments, strict=True)):
            places = [a if isinstance(a, int) else chain.place_of(*a) for a in arguments]
            last = number == len(self.calls) - 1
            outer = call.outer and not (last and ends)
            chain = chain.then(call.record, TableStep(tuple(places), call.named, outer))
        return chain


def alone(call: FromCall, around: Around, visible: Sequence[exp.Expression]) -> str:
    """A view of the rows of a call that stands alone."""
    made = Pass(RelationScope([]))
    made.add(call)
    rows = around.run(exp.Select(expressions=_projections(made.columns)), visible)
    chain = made.chain(rows, around.listed, ends=False)
    names = call.record.definition.result_type.names
    places = [chain.place_of(0, place) for place in range(len(names))]
    return around.view(chain.exploded(places, names))


def rewrite(
    select: exp.Select,
    around: Around,
    visible: Sequence[exp.Expression],
    functions: Mapping[str, RegisteredFunction],
) -> bool:
    """Puts a view in the place of the first calls in FROM and of what stands before them.

    Answers whether columns have other names in it, because two were called the same.

    Raises
    ------
    Unfit
        If the SELECT has something that would not mean the same.
    """
    rewriting = _Rewriting(select, around, visible)
    rewriting.done(functions)
    return rewriting.renamed


class _Rewriting:
    def __init__(
        self, select: exp.Select, around: Around, visible: Sequence[exp.Expression]
    ) -> None:
        self._select = select
        self._around = around
        self._visible = visible
        self._before: list[exp.Expression] = []
        self._rest: list[exp.Expression] = []
        self.renamed = False

    def done(self, functions: Mapping[str, RegisteredFunction]) -> None:
        everything = items(self._select)
        found = [lateral_call(item, functions) for item in everything]
        first = next(place for place, call in enumerate(found) if call is not None)
        self._before = everything[:first]
        made = Pass(self._scope())
        for call in found[first:]:
            if call is None or (made.calls and _asks(call)) or not made.add(call):
                break
            if call.condition is not None:
                break
        self._rest = everything[first + len(made.calls) :]
        _set_from(self._select, None, self._rest)
        where = self._pushed(made.scope)
        needed, keeps_star = self._needed(made)
        rows = self._rows(made, needed, where)
        self._read(made.scope, self._around.view(rows), keeps_star)

    # The columns before the calls ------------------------------------------------------------

    def _scope(self) -> RelationScope:
        scope = RelationScope([])
        for number, item in enumerate(self._before):
            star = exp.Select(expressions=[exp.Star()])
            _set_from(star, None, [each.copy() for each in self._before[: number + 1]])
            names = self._around.run(star, self._visible).columns
            scope = _with_relation(scope, item, list(names))
        return scope

    # What of the SELECT is done below --------------------------------------------------------

    def _pushed(self, scope: RelationScope) -> list[exp.Expression]:
        """Takes the conditions of WHERE that the calls have no part in."""
        where = self._select.args.get("where")
        if where is None or any(_may_add_rows(item) for item in self._rest):
            return []
        all_of_it = conjuncts(where.this)
        below = [test for test in all_of_it if self._is_below(test, scope)]
        left = [test for test in all_of_it if not any(test is each for each in below)]
        kept = [test.copy() for test in left]
        self._select.set("where", exp.Where(this=exp.and_(*kept)) if kept else None)
        return [test.copy() for test in below]

    def _is_below(self, test: exp.Expression, scope: RelationScope) -> bool:
        if test.find(exp.Query) is not None or not self._around.steady(test):
            return False
        found = [scope.resolve(column) for column in test.find_all(exp.Column)]
        return bool(found) and all(each is not None and each.entry.made is None for each in found)

    def _needed(self, made: Pass) -> tuple[list[int], bool]:
        """Places of the entries that the rest of the query asks for; whether ``*`` stays one."""
        scope, select = made.scope, self._select
        condition = exp.Where(this=made.calls[-1].condition)
        found = []
        for node in (select, condition):
            found += [reference.entry for reference in scope.references(node)]
            found += scope.mentioned(node)
        bare = False
        for star in stars(select):
            if isinstance(star.parent, exp.Column):
                struct = scope.resolve_star(star.parent)
                found += scope.of(star.parent.table)
                found += [struct.entry] if struct is not None else []
            else:
                bare = True
        if bare:
            found += [entry for entry in scope.entries if entry.starred]
        needed = sorted({scope.entries.index(entry) for entry in found})
        names = scope.names()
        own = all(names[place] == scope.entries[place].name for place in needed)
        # Without a column there are no rows to Arrow.
        return needed or [len(scope.entries) - 1], bare and own

    # The rows --------------------------------------------------------------------------------

    def _rows(self, made: Pass, needed: list[int], where: list[exp.Expression]) -> DataFrame:
        scope, last = made.scope, made.calls[-1]
        entries = [scope.entries[place] for place in needed]
        bases = {
            place: made.columns.place(entry.base)
            for place, entry in zip(needed, entries, strict=True)
            if entry.base is not None
        }
        # Spark moves rows about to answer a query in the condition: they have to be known again.
        asks = _asks(last)
        apart = [made.columns.place(exp.Anonymous(this=_NUMBERED))] if asks else []
        inner = exp.Select(expressions=_projections(made.columns))
        _set_from(inner, None, self._before)
        if where:
            inner.set("where", exp.Where(this=exp.and_(*where)))
        ends = last.outer and last.condition is not None
        rows = self._around.run(inner, self._visible)
        chain = made.chain(rows, self._around.listed, ends=ends)
        leaving = [
            bases[place] if entry.made is None else chain.place_of(*entry.made)
            for place, entry in zip(needed, entries, strict=True)
        ]
        all_names = scope.names()
        names = [all_names[place] for place in needed]
        self.renamed = any(e.name != n for e, n in zip(entries, names, strict=True))
        leaves = [*names, INPUT] if asks else names
        rows = chain.exploded([*leaving, *apart], leaves, ENDED if ends else "")
        if last.condition is None:
            return rows
        return self._meeting(rows, scope, last.condition.copy(), leaves, outer=ends)

    def _meeting(
        self,
        rows: DataFrame,
        scope: RelationScope,
        condition: exp.Expression,
        names: list[str],
        *,
        outer: bool,
    ) -> DataFrame:
        """The rows that meet the condition of the join."""
        view = self._around.view(rows)
        where = exp.Where(this=condition)
        all_names = scope.names()
        for reference in list(scope.references(where)):
            replace(reference, view, all_names[scope.entries.index(reference.entry)])
        columns: list[exp.Expression] = [
            exp.column(exp.to_identifier(name, quoted=True)) for name in names
        ]
        met = exp.Select(expressions=columns)
        _set_from(met, view, [])
        if not outer:
            met.set("where", where)
            return self._around.run(met, self._visible)
        ended = exp.column(ENDED)
        unless = exp.Case(ifs=[exp.If(this=ended, true=exp.Null())], default=where.this)
        met.set("expressions", [*columns, exp.alias_(cast(unless, "BOOLEAN"), MET), ended.copy()])
        return matched(self._around.run(met, self._visible), moved=INPUT in names)

    # What is left ----------------------------------------------------------------------------

    def _read(self, scope: RelationScope, view: str, keeps_star: bool) -> None:
        """Lets the SELECT read the view."""
        select, names = self._select, scope.names()
        for reference in list(scope.references(select)):
            replace(reference, view, names[scope.entries.index(reference.entry)])
        expand_qualified(select, scope, view, names)
        if not keeps_star and any(not isinstance(s.parent, exp.Column) for s in stars(select)):
            if any(item.args.get("using") or item.method for item in self._joins()):
                raise Unfit("* stands for columns that a join merges: name them")
            rest = [relation(item).alias_or_name for item in self._rest]
            expand_bare(select, scope, view, names, rest)
        _set_from(select, view, self._rest)

    def _joins(self) -> list[exp.Join]:
        return [item for item in self._rest if isinstance(item, exp.Join)]


def _asks(call: FromCall) -> bool:
    """Whether the condition of an outer join has a query in it."""
    condition = call.condition
    return call.outer and condition is not None and condition.find(exp.Query) is not None


def _with_relation(scope: RelationScope, item: exp.Expression, names: list[str]) -> RelationScope:
    """The scope with the columns of one more relation; ``names`` are those of ``*`` then."""
    source = relation(item)
    qualifier = source.alias_or_name
    starred = [entry for entry in scope.entries if entry.starred]
    using: list[str] = []
    if isinstance(item, exp.Join):
        if str(item.kind).upper() in ("SEMI", "ANTI"):
            return scope
        using = [identifier.name.lower() for identifier in item.args.get("using") or []]
        if item.method:
            raise Unfit("a NATURAL JOIN stands before it: name the columns with USING")
    if not using:
        new = names[len(starred) :]
        return scope.with_more(
            RelationColumn(qualifier, name, _base(qualifier, name)) for name in new
        )
    merged = [RelationColumn("", name, _base("", name)) for name in names[: len(using)]]
    left = [
        RelationColumn(
            e.qualifier, e.name, e.base, e.made, e.starred and e.name.lower() not in using
        )
        for e in scope.entries
    ]
    sides = [
        RelationColumn(qualifier, name, _base(qualifier, name), starred=False) for name in using
    ]
    new = names[len(starred) :]
    right = [RelationColumn(qualifier, name, _base(qualifier, name)) for name in new]
    return RelationScope([*merged, *left, *sides, *right])


def _base(qualifier: str, name: str) -> exp.Expression:
    column = exp.to_identifier(name, quoted=True)
    return exp.column(column, exp.to_identifier(qualifier, quoted=True) if qualifier else None)


def _projections(columns: Columns) -> list[exp.Expression]:
    """The columns of the inner query; those of its source under their names, where these differ.

    Spark copies every row to give a column another name.
    """
    names = [e.name.lower() if isinstance(e, exp.Column) else "" for e in columns.expressions]
    found = [
        expression.copy() if name and names.count(name) == 1 else aliased
        for expression, name, aliased in zip(
            columns.expressions, names, columns.aliased(), strict=True
        )
    ]
    return found or [exp.alias_(exp.Literal.number(0), "_nu_none")]


def _set_from(select: exp.Select, view: str | None, rest: list[exp.Expression]) -> None:
    """FROM a view, or none, with items behind it."""
    first = next((item for item in rest if isinstance(item, exp.From)), None)
    if view is not None:
        first = exp.From(this=table(view))
    joins = [item for item in rest if isinstance(item, exp.Join)]
    select.set("from_", first)
    select.set("joins", joins or None)
    select.set("laterals", [item for item in rest if isinstance(item, exp.Lateral)] or None)


def _may_add_rows(item: exp.Expression) -> bool:
    """Whether a join keeps rows of its other side, with NULLs in the columns before it."""
    return isinstance(item, exp.Join) and str(item.side).upper() in ("RIGHT", "FULL")
