"""Conditions with calls over both sides, where Spark runs them for inner joins only.

The ON of LEFT, RIGHT, FULL, SEMI and ANTI joins is taken apart here: what Spark can join by, and
what has to be computed for pairs of rows (``mark_join``). The join becomes a subquery of unique
names, and LATERAL subqueries behind it give its columns their names back, so that the rest of the
query stays as it is::

    FROM (...) AS _nu_join0 CROSS JOIN LATERAL (SELECT _nu_c0 AS k, ...) AS l
    CROSS JOIN LATERAL (SELECT _nu_c4 AS k, ...) AS r

Spark turns those into projections. EXISTS and IN are for ``predicate_subquery``, which reads the
same scopes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import name_of, position, within
from notebook_udf.planner.analysis.derived_table import Unfit
from notebook_udf.planner.analysis.reachability import Root, conjuncts, find_places
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.analysis.scope import (
    Scope,
    ScopeColumn,
    Scopes,
    flattened,
    replace_column,
)
from notebook_udf.planner.rules.mark_join import Side, paired
from notebook_udf.planner.syntax.nodes import derived, is_below
from notebook_udf.planner.syntax.with_clause import tables_of


def candidates(select: exp.Select, calls: ScalarCalls) -> list[exp.Join]:
    """The joins, not inner ones, whose ON holds a call."""
    return [
        join
        for join in select.args.get("joins") or []
        if join.args.get("on") is not None and kind_of(join) and calls.any_in(join.args["on"])
    ]


def kind_of(join: exp.Join) -> str:
    """``LEFT``, ``RIGHT``, ``FULL``, ``SEMI`` or ``ANTI``; "" for an inner join."""
    return join.kind if join.kind in ("SEMI", "ANTI") else str(join.side)


def over_both(node: exp.Expression, left: Scope, right: Scope, calls: ScalarCalls) -> bool:
    """Whether a condition over flat columns has to be computed for pairs of rows.

    A call has to whose columns, or those of the conditions under which it is reached, are of both
    sides.
    """
    for place in find_places([Root(node)], calls):
        nodes = [place.node]
        nodes += [n for c in place.conditions for n in (c.node, c.against) if n is not None]
        columns = [column for n in nodes for column in n.find_all(exp.Column)]
        steady = calls.steady(place.node)
        if not steady or all(any(map(side.holds, columns)) for side in (left, right)):
            return True
    return False


@dataclass
class JoinSource:
    """The FROM of a SELECT, while it is written again.

    Attributes
    ----------
    first, joins
        Its first relation, and what is joined to it, one after the other.
    tables
        The tables of WITH that it sees.
    """

    select: exp.Select
    calls: ScalarCalls
    scopes: Scopes
    first: exp.Expression = field(init=False)
    joins: list[exp.Join] = field(init=False)
    tables: list[exp.CTE] = field(init=False)

    def __post_init__(self) -> None:
        self.first = self.select.args["from_"].this
        # Copies: the SELECT stays whole if one of them turns out to be unfit.
        self.joins = [join.copy() for join in self.select.args.get("joins") or []]
        self.tables = tables_of(self.select)

    def scope(self) -> Scope:
        """All columns of the FROM."""
        known = self.scopes.known
        if id(self.select) not in known:
            known[id(self.select)] = self.scopes.of_chain(self.first, self.joins, self.tables)
        return known[id(self.select)]

    def side(self, scope: Scope, conditions: Sequence[exp.Expression] | None = None) -> Side:
        """All rows of the FROM; those that the cheap conditions of WHERE leave, or others."""
        filters = self._filters(scope) if conditions is None else conditions
        return Side(scope, self.first, self.joins, filters)

    def replace(self, select: exp.Select, scope: Scope) -> None:
        """Lets the FROM, as far as it was read, be a SELECT of flat columns."""
        for entry in scope.entries:
            entry.flattened = True
        self.first = derived(select, self.scopes.name("join"))
        self.joins = scope.named()
        self.scopes.known[id(self.select)] = scope

    def join(self) -> bool:
        """Takes the joins apart that have to be; whether there were any."""
        joins, self.joins = self.joins, []
        scope = self.scopes.of_relation(self.first, self.tables)
        changed = False
        for place, join in enumerate(joins):
            other = self.scopes.of_joined(self.first, self.joins, join.this, self.tables)
            cheap, costly = self._conditions(join, scope, other)
            if not costly:
                if join.args.get("on") is not None:
                    _settle(join.args["on"], scope)
                scope = self.scopes.joined(scope, join, other)
                self.joins.append(join)
                continue
            kind = kind_of(join)
            left, right = Side(scope, self.first, self.joins), Side(other, join.this)
            # Later joins of those kinds make rows in which columns are NULL that were filtered.
            if not any(kind_of(later) in ("RIGHT", "FULL") for later in joins[place + 1 :]):
                if kind == "RIGHT":
                    right.conditions = self._filters(other)
                elif kind != "FULL":
                    left.conditions = self._filters(scope)
            select = paired(kind, left, right, cheap, costly, self.scopes.name("pair"))
            scope = self.scopes.joined(scope, join, other)
            self.replace(select, scope)
            changed = True
        self.scopes.known[id(self.select)] = scope
        return changed

    def write(self) -> None:
        """Puts the FROM into the SELECT, and lets every name mean what it did."""
        select, scope = self.select, self.scope()
        select.args["from_"].set("this", self.first)
        select.set("joins", self.joins)
        _expand_stars(select, scope)
        for name, value in select.args.items():
            if name in ("from_", "joins", "with_"):
                continue
            for node in value if isinstance(value, list) else [value]:
                if isinstance(node, exp.Expression):
                    _settle(node, scope)

    def _conditions(
        self, join: exp.Join, left: Scope, right: Scope
    ) -> tuple[list[exp.Expression], list[exp.Expression]]:
        """What to join by, and what to compute for pairs; nothing of that if Spark can join."""
        condition = join.args.get("on")
        if condition is None or not kind_of(join) or not self.calls.any_in(condition):
            return [], []
        both = left.and_(right)
        parts = [flattened(part, both) for part in conjuncts(condition)]
        cheap = [part for part in parts if not over_both(part, left, right, self.calls)]
        costly = [part for part in parts if not any(part is each for each in cheap)]
        return cheap if costly else [], costly

    def _filters(self, scope: Scope) -> list[exp.Expression]:
        """The conditions of WHERE that are about these columns alone."""
        where = self.select.args.get("where")
        found = []
        for part in conjuncts(where.this) if where is not None else []:
            if self.calls.any_in(part) or not self.calls.steady(part):
                continue
            columns = list(part.find_all(exp.Column))
            if columns and all(scope.resolve(column) is not None for column in columns):
                condition = part.copy()
                _settle(condition, scope)
                found.append(condition)
        return found


def joined_in_pairs(select: exp.Select, calls: ScalarCalls, scopes: Scopes) -> bool:
    """Takes apart the joins of a SELECT whose ON has calls over both sides; whether it had any.

    Raises
    ------
    Unfit
        If one cannot be.
    """
    if not candidates(select, calls):
        return False
    source = JoinSource(select, calls, scopes)
    changed = source.join()
    if changed:
        source.write()
    return changed


def refused_join(join: exp.Join, calls: ScalarCalls) -> PlanningError:
    """What to say of a join that neither Spark nor this package can run."""
    call = calls.inside(join.args["on"])[0]
    record = calls.record(call)
    assert record is not None
    kind = " ".join(part.upper() for part in (join.side, join.kind) if part)
    return PlanningError(
        f"{position(call)}{record.name} stands over both sides in the ON of a {kind} "
        f"JOIN that cannot be taken apart: give its tables aliases and take subqueries out of the "
        f"ON, or join the pairs in a subquery with JOIN, then {kind} JOIN its rows by a key"
    )


# Names -------------------------------------------------------------------------------------------


def _settle(node: exp.Expression, scope: Scope) -> None:
    """Gives columns their flat names that the LATERAL subqueries do not name."""
    hidden = [e for e in scope.entries if e.flattened and e.relation]
    if not hidden:
        return
    for column in _own_columns(node, scope):
        if len(column.parts) < 2 or column.is_star:
            continue
        found = scope.resolve(column)
        if found is None or not found[0].flattened:
            continue
        entry, fields = found
        qualified = len(column.parts) - len(fields) > 2
        if not entry.visible or qualified:
            replace_column(column, entry, fields)


def _own_columns(node: exp.Expression, scope: Scope) -> Iterator[exp.Column]:
    """The columns under a node that may mean the scope's, those in queries inside it included."""
    for column in list(node.find_all(exp.Column)):
        query = column.find_ancestor(exp.Select)
        shadowed = False
        while query is not None and is_below(query, node):
            relations = [query.args["from_"].this] if query.args.get("from_") else []
            relations += [join.this for join in query.args.get("joins") or []]
            own = {relation.alias_or_name.lower() for relation in relations}
            shadowed |= any(part.name.lower() in own for part in column.parts[:-1])
            query = query.find_ancestor(exp.Select)
        if not shadowed:
            yield column


def _expand_stars(select: exp.Select, scope: Scope) -> None:
    """Writes out stars that would stand for other columns now."""
    for node in [*select.expressions, *_stars_of_functions(select)]:
        star = node.this if isinstance(node, exp.Column) else node
        if not isinstance(star, exp.Star):
            continue
        if isinstance(node, exp.Column):
            entries = scope.of(node.table)
            plain = len(node.parts) == 2 and all(e.visible for e in entries)
            if plain or not entries:
                continue
        else:
            entries = scope.star
        left_out = _left_out(star)
        shown = [_shown(e, node.parent) for e in entries if e.name.lower() not in left_out]
        node.replace(shown)


def _stars_of_functions(select: exp.Select) -> list[exp.Expression]:
    found = []
    for projection in select.expressions:
        for node in within(projection):
            if not isinstance(node, exp.Star) or not isinstance(node.parent, exp.Anonymous):
                continue
            if name_of(node.parent) != "count":
                found.append(node)
    return found


def _left_out(star: exp.Star) -> set[str]:
    if any(value for name, value in star.args.items() if name != "except_"):
        raise Unfit("a star with replacements stands for its columns")
    names: Sequence[exp.Expression] = star.args.get("except_") or []
    if any(isinstance(name, exp.Column) and len(name.parts) > 1 for name in names):
        raise Unfit("fields are left out of a star")
    return {name.name.lower() for name in names}


def _shown(entry: ScopeColumn, parent: exp.Expression) -> exp.Expression:
    """A column, under its name where that may be given."""
    named_here = isinstance(parent, exp.Select) or name_of(parent) == "struct"
    if not named_here or not entry.flattened:
        return entry.read
    return exp.alias_(entry.read, exp.to_identifier(entry.name, quoted=True))
