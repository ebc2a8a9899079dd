"""Common subexpression elimination: a call used in several clauses of a SELECT is computed once.

Spark computes a Python function again for a filter on it, and for a sort by it. So such a call
becomes a column of the SELECT's FROM, in a form that the optimizer neither copies nor moves::

    FROM ... LATERAL VIEW OUTER inline(array(named_struct('h', f(t.x)))) AS _nu_once0

It leaves all names of the FROM as they are, and Spark still applies the cheap conditions of WHERE
below it. Python conditions of WHERE come one after the other, each for the rows the earlier ones
left; what is selected or sorted by, for the rows that WHERE left.

Calls above an aggregation (HAVING, and what is selected of groups) are brought into this form by
taking the aggregation into a subquery. SELECTs inside expressions, and whatever else is not sure
to mean the same afterwards, are left to Spark.
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import arguments_of, name_of, within
from notebook_udf.planner.analysis.derived_table import UNFIT
from notebook_udf.planner.analysis.group_by import grouping_items
from notebook_udf.planner.analysis.query_position import (
    is_sorted_last,
    is_understood_alone,
    outer_names,
    query_of,
    stands_alone,
)
from notebook_udf.planner.analysis.reachability import (
    Circular,
    Condition,
    Guards,
    ReachedCall,
    Root,
    conjuncts,
    find_places,
)
from notebook_udf.planner.analysis.scalar_calls import VOLATILE, ScalarCalls
from notebook_udf.planner.physical import async_
from notebook_udf.planner.rule import Applied, Outcome, SelectScope, chosen
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import call as made_call
from notebook_udf.planner.syntax.nodes import present

_COLUMN = "_nu_once"


class CommonSubexpression:
    """Gives the FROM of a SELECT columns for the calls that stand in several clauses."""

    name = "common_subexpression"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, calls = scope.select, scope.calls
        if select.args.get("from_") is None or not any(map(calls.any_in, _clauses(select))):
            return None
        if any(select.args.get(name) for name in UNFIT) or _unfit_star(select):
            return None
        if not stands_alone(select) and not is_understood_alone(select, calls):
            return None
        inside = isinstance(query_of(select).parent, (exp.Subquery, exp.CTE))
        filtered = scope.query.filtered if inside else frozenset[str]()
        columns = _CallColumns(select, calls, scope.query.numbers, filtered)
        try:
            bound = columns.made(every=scope.limited)
        except Circular:
            return None
        choices = (
            choice for node, why in bound for choice in chosen(self, (node,), calls, why, None)
        )
        return Applied(tuple(dict.fromkeys(choices))) if bound else None


_REASON = "several clauses of the query use its result"
_BELOW = "it stays above ORDER BY and LIMIT in a column of the FROM"
_BESIDE = "async calls over the same rows are in flight side by side"


class _CallColumns:
    """Columns of a SELECT's FROM for calls, and the clauses that read them.

    Parameters
    ----------
    filtered
        The names of columns in conditions of the whole query: a filter on a column of a subquery
        would compute that column again.
    """

    def __init__(
        self,
        select: exp.Select,
        calls: ScalarCalls,
        numbers: Iterator[int],
        filtered: frozenset[str],
    ) -> None:
        self._select = select
        self._filtered = filtered
        self._calls = calls
        self._numbers = numbers
        self._views: list[exp.Expression] = []
        # By the text of a call: the column that holds it, and what later clauses write instead.
        self._bound: dict[str, exp.Expression] = {}
        self._later: dict[str, exp.Expression] = {}
        self._nodes: set[int] = set()
        self._binding: set[str] = set()
        self._guards: dict[str, Guards] = {}
        self._by_text: dict[str, list[ReachedCall]] = {}

    def made(self, *, every: bool) -> list[tuple[exp.Expression, str]]:
        """Makes them for the calls in several clauses, or for ``every`` call; which, and why."""
        select, calls = self._select, self._calls
        where, order = select.args.get("where"), select.args.get("order")
        if where is not None and _volatile(where.this, calls):
            return []
        grouped = calls.is_grouped(select)
        filtering = [Root(where.this, conjunctive=True)] if where is not None else []
        first = self._bindable(find_places(filtering, calls), set())
        if grouped:
            later, again = self._grouped_places()
        else:
            later = self._selected_places()
            again = self._ordering_places(order)
        filtered, used, repeated = _texts(first), _texts(later), _texts(again)
        wanted = used if every else (filtered & (used | repeated)) | (used & repeated)
        if not grouped:
            wanted |= used & self._filtered_outside()
        if not grouped and is_sorted_last(select):
            # Stored before they are sorted (below), rows have to hold what they are sorted by.
            wanted |= repeated
        beside: set[str] = set()
        if grouped or not select.args.get("limit"):
            # Rows beyond a LIMIT are never asked for, unless a column has to be there first.
            beside = async_.overlapping((p.node for p in (*later, *again)), calls) - wanted
        why = dict.fromkeys(wanted, _BELOW if every else _REASON) | dict.fromkeys(beside, _BESIDE)
        wanted |= beside
        if not wanted:
            return []
        nodes = [(p.node, canonical(p.node)) for p in (*first, *later, *again)]
        self._bind_filters(first)
        tests = self._python_conjuncts(where)
        found = (*later, *again)
        ways = [
            ReachedCall(p.node, p.record, (*tests, *p.conditions), canonical(p.node)) for p in found
        ]
        self._serve(ways)
        for key in sorted(wanted - filtered):
            self._bind(key)
            self._later[key] = self._bound[key]
        self._views = async_.side_by_side(self._views, calls)
        self._write(where)
        return [(node, why[key]) for node, key in nodes if key in why]

    # Which calls -----------------------------------------------------------------------------

    def _bindable(self, places: list[ReachedCall], shadowed: set[str]) -> list[ReachedCall]:
        """Those calls that could as well be computed in the FROM."""
        calls = self._calls
        found = []
        for place in places:
            if not isinstance(place.key, tuple) or any(isinstance(s, int) for s in place.key[0]):
                continue
            nodes = [place.node, *(c.node for c in place.conditions)]
            if any(isinstance(n, exp.Window) or calls.is_aggregate(n) for n in place.node.walk()):
                continue
            if any(_mentions(node, shadowed) for node in nodes):
                continue
            found.append(place)
        return found

    def _selected_places(self) -> list[ReachedCall]:
        projections = self._select.expressions
        places = find_places([Root(p) for p in projections], self._calls)
        return self._bindable(places, _aliases(projections))

    def _filtered_outside(self) -> set[str]:
        """Calls in what is selected under a name that an outer condition mentions."""
        return {
            canonical(call)
            for p, name in zip(self._select.expressions, outer_names(self._select), strict=False)
            if name.lower() in self._filtered
            for call in self._calls.inside(p)
        }

    def _ordering_places(self, order: exp.Expression | None) -> list[ReachedCall]:
        if order is None or self._select.args.get("distinct") is not None:
            return []
        # ORDER BY means what is selected, where that has the name of a column.
        shadowed = _aliases(self._select.expressions) | {
            p.name.lower()
            for p in self._select.expressions
            if isinstance(p, exp.Column) and p.table
        }
        return self._bindable(find_places([Root(order)], self._calls), shadowed)

    def _grouped_places(self) -> tuple[list[ReachedCall], list[ReachedCall]]:
        """Calls in GROUP BY, and those in aggregates or where a group's key stands again."""
        select, calls = self._select, self._calls
        group = select.args.get("group")
        keys = grouping_items(group) if group is not None else []
        later = self._bindable(find_places([Root(key) for key in keys], calls), set())
        again = []
        after_grouping = (*select.expressions, *present(select, "having", "order"))
        roots = [Root(node) for node in after_grouping]
        aliases = _aliases(select.expressions)
        for place in self._bindable(find_places(roots, calls), aliases):
            if place.key[0][:1] in (("aggregate",), ("Filter",)):  # type: ignore[index]
                again.append(place)
        texts = {canonical(key) for key in keys}
        # Names of what is selected mean the keys again that are selected under them.
        named = {
            p.alias.lower(): p.unalias()
            for p in select.expressions
            if isinstance(p, exp.Alias) and canonical(p.unalias()) in texts
        }
        for node in present(select, "having", "order"):
            for each in within(node):
                key = named.get(each.name.lower()) if _mentions(each, set(named)) else None
                if key is not None and isinstance(each, exp.Column):
                    again += self._bindable(find_places([Root(key)], calls), set())
                elif canonical(each) in texts and not _mentions(each, aliases):
                    again += self._bindable(find_places([Root(each)], calls), set())
        return later, again

    # Columns for them ------------------------------------------------------------------------

    def _serve(self, places: list[ReachedCall]) -> None:
        """Makes guards for calls that are not bound yet."""
        guards = Guards(places, self._calls, self._instead)
        for place in places:
            key = canonical(place.node)
            self._nodes.add(id(place.node))
            if key not in self._bound:
                self._guards[key] = guards
                self._by_text.setdefault(key, []).append(place)

    def _bind_filters(self, first: list[ReachedCall]) -> None:
        self._serve([ReachedCall(p.node, p.record, p.conditions, canonical(p.node)) for p in first])
        for key in list(self._by_text):
            places = self._by_text[key]
            self._bind(key)
            column = self._bound[key]
            if any(all(c.certain for c in place.conditions) for place in places):
                self._later[key] = column
                continue
            # Some rows pass WHERE without it: those have to compute it when they need it.
            guard = self._guards[key].guard(places[0])
            assert guard is not None
            reached = self._view(guard)
            call = places[0].node.copy()
            self._later[key] = exp.If(this=reached, true=column.copy(), false=call)
        self._by_text.clear()

    def _bind(self, key: str) -> None:
        if key in self._bound:
            return
        if key in self._binding:
            raise Circular
        self._binding.add(key)
        places = self._by_text[key]
        for place in places:
            for condition in place.conditions:
                self._bind_inside(condition.node)
                if condition.against is not None:
                    self._bind_inside(condition.against)
        node, record, guards = places[0].node, places[0].record, self._guards[key]
        for argument in arguments_of(node):
            self._bind_inside(argument)
        arguments = [guards.write(argument) for argument in arguments_of(node)]
        guard = guards.guard(places[0])
        if guard is None:
            call = node.copy()
            for old, new in zip(arguments_of(call), arguments, strict=True):
                old.replace(new)
        else:
            call = self._calls.guarded(record, guard, arguments)
        self._bound[key] = self._view(call)

    def _bind_inside(self, node: exp.Expression) -> None:
        for call in self._calls.inside(node):
            if id(call) in self._nodes:
                self._bind(canonical(call))

    def _view(self, value: exp.Expression) -> exp.Expression:
        """A column for a value, computed once for each row of the FROM."""
        name = f"{_COLUMN}{next(self._numbers)}"
        row = made_call("named_struct", exp.Literal.string("h"), value)
        self._views.append(async_.lateral(row, [name]))
        return exp.column(name)

    def _python_conjuncts(self, where: exp.Expression | None) -> tuple[Condition, ...]:
        if where is None:
            return ()
        tests = [test for test in conjuncts(where.this) if self._calls.any_in(test)]
        return tuple(Condition(test, "true") for test in tests if self._calls.steady(test))

    # The clauses -----------------------------------------------------------------------------

    def _instead(self, node: exp.Expression) -> exp.Expression | None:
        found = self._bound.get(canonical(node)) if id(node) in self._nodes else None
        return None if found is None else found.copy()

    def _instead_later(self, node: exp.Expression) -> exp.Expression | None:
        found = self._later.get(canonical(node)) if id(node) in self._nodes else None
        return None if found is None else found.copy()

    def _write(self, where: exp.Expression | None) -> None:
        select = self._select
        if where is not None:
            where.set("this", Guards((), self._calls, self._instead).write(where.this))
        writer = Guards((), self._calls, self._instead_later)
        group = select.args.get("group")
        keys: dict[str, exp.Expression] = {}
        if group is not None:
            made = writer.write(group)
            assert isinstance(made, exp.Group)
            for old, new in zip(grouping_items(group), grouping_items(made), strict=True):
                if old != new:
                    keys[canonical(old)] = new
            select.set("group", made)

        def other(node: exp.Expression) -> exp.Expression | None:
            if keys and not isinstance(node, exp.Literal):
                found = keys.get(canonical(node))
                if found is not None:
                    return found.copy()
            return self._instead_later(node)

        writer = Guards((), self._calls, other)
        projections = [writer.write(p) for p in select.expressions]
        columns = [column for view in self._views for column in view.args["alias"].columns]
        names = [exp.to_identifier(column.name) for column in columns]
        for star in projections:
            if isinstance(star, exp.Star):
                star.set("except_", [*(star.args.get("except_") or []), *(n.copy() for n in names)])
        select.set("expressions", projections)
        for name in ("having", "order"):
            node = select.args.get(name)
            if node is not None:
                select.set(name, writer.write(node))
        select.set("laterals", [*(select.args.get("laterals") or []), *self._views])


def _clauses(select: exp.Select) -> list[exp.Expression]:
    return [*present(select, "where", "group", "having", "order"), *select.expressions]


def _unfit_star(select: exp.Select) -> bool:
    """Whether a star stands where the columns made here could not be left out of it."""
    for node in _clauses(select):
        for star in within(node):
            if (
                isinstance(star, exp.Star)
                and not isinstance(star.parent, (exp.Select, exp.Column))
                and name_of(star.parent) != "count"
            ):
                return True
    return False


def _aliases(projections: list[exp.Expression]) -> set[str]:
    """Names that mean something that is selected, and not the column of that name."""
    return {
        p.alias.lower()
        for p in projections
        if isinstance(p, exp.Alias)
        and not (isinstance(p.this, exp.Column) and p.this.name.lower() == p.alias.lower())
    }


def _mentions(node: exp.Expression, names: set[str]) -> bool:
    return bool(names) and any(
        isinstance(n, exp.Column) and not n.table and n.name.lower() in names for n in node.walk()
    )


def _texts(places: list[ReachedCall]) -> set[str]:
    return {canonical(place.node) for place in places}


def _volatile(node: exp.Expression, calls: ScalarCalls) -> bool:
    for each in within(node):
        record = calls.record(each)
        if record is not None and not record.definition.deterministic:
            return True
        if name_of(each) in VOLATILE:
            return True
    return False
