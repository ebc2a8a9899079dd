"""Which rows reach a call by SQL's short-circuit, and expressions that say so: guards.

Below CASE, IF, COALESCE, AND or OR a call is made for the rows that reach it. ``find_places`` finds
the calls in expressions that are evaluated together, with their conditions; ``Guards`` writes the
expressions again, with a hidden variant of each function whose first argument says whether the row
reaches the call (``worker.scalar.masked``). Equal calls of deterministic functions that are
computed side by side get one guard, which is true where any of them is reached: Spark then runs
them as one.

A condition that may change when it is computed a second time (``rand()``, a query) is left out of
guards: the function is then called for more rows, as Spark would, and the answer stays the same.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from sqlglot import exp

from notebook_udf.planner.analysis.aggregate_calls import arguments_of, name_of
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.syntax.dialect import canonical
from notebook_udf.planner.syntax.nodes import call
from notebook_udf.registry import RegisteredFunction

How: TypeAlias = Literal["true", "not true", "not false", "null", "not null"]

# A guard holds the guards of the Python calls in it, so its text doubles with each of them.
_MOST_PYTHON_CONDITIONS = 7


class Circular(Exception):
    """The guard of a call holds the call itself."""


@dataclass(frozen=True)
class Condition:
    """What holds for the rows that reach a call.

    Attributes
    ----------
    node
        A part of the query.
    how
        What it has to be.
    against
        What it has to equal, in CASE x WHEN y.
    certain
        Whether it also holds for every row that is left once the clause was applied.
    """

    node: exp.Expression
    how: How
    against: exp.Expression | None = None
    certain: bool = False


@dataclass(frozen=True)
class ReachedCall:
    """A call in the query, and what a row must fulfil to reach it.

    Attributes
    ----------
    key
        The same for calls that one computation can answer.
    """

    node: exp.Expression
    record: RegisteredFunction
    conditions: tuple[Condition, ...]
    key: Hashable


@dataclass(frozen=True)
class Root:
    """An expression in which to look for calls.

    Attributes
    ----------
    conjunctive
        Whether it is a clause that leaves only the rows for which it is true. Spark applies the
        cheap ones of its AND-ed conditions first.
    ordered
        Whether its Python conditions are to be computed one after the other.
    """

    node: exp.Expression
    conjunctive: bool = False
    ordered: bool = True


@dataclass
class _Walk:
    calls: ScalarCalls
    places: list[ReachedCall] = field(default_factory=list)

    def visit(
        self, node: exp.Expression, conditions: tuple[Condition, ...], scope: tuple[Hashable, ...]
    ) -> None:
        calls = self.calls
        if isinstance(node, exp.Query):
            return
        record = calls.record(node)
        if record is not None:
            steady = calls.steady(node)
            key: Hashable = (scope, canonical(node)) if steady else id(node)
            self.places.append(ReachedCall(node, record, conditions, key))
        if isinstance(node, exp.Case):
            self._case(node, conditions, scope)
        elif isinstance(node, exp.If):
            self.visit(node.this, conditions, scope)
            self._maybe(node.args.get("true"), conditions, scope, Condition(node.this, "true"))
            self._maybe(node.args.get("false"), conditions, scope, Condition(node.this, "not true"))
        elif name_of(node) == "nvl2" and len(arguments_of(node)) == 3:
            tested, value, other = arguments_of(node)
            self.visit(tested, conditions, scope)
            self._maybe(value, conditions, scope, Condition(tested, "not null"))
            self._maybe(other, conditions, scope, Condition(tested, "null"))
        elif isinstance(node, exp.Coalesce):
            for value in (node.this, *node.expressions):
                self.visit(value, conditions, scope)
                conditions = self._with(conditions, Condition(value, "null"))
        elif isinstance(node, (exp.And, exp.Or)):
            self._connected(node, conditions, scope)
        elif isinstance(node, (exp.Window, exp.Filter)):
            # What goes into an aggregate is computed for all rows, whatever stands around it.
            for child in node.iter_expressions():
                self.visit(child, (), (*scope, type(node).__name__))
        else:
            if isinstance(node, exp.Lambda):
                scope = (*scope, id(node))
            elif calls.is_aggregate(node):
                conditions, scope = (), (*scope, "aggregate")
            for child in node.iter_expressions():
                self.visit(child, conditions, scope)

    def clause(self, root: Root) -> None:
        """Visits the AND-ed conditions of WHERE, HAVING or ON."""
        conditions: tuple[Condition, ...] = ()
        parts = conjuncts(root.node)
        cheap = [Condition(p, "not false") for p in parts if not self.calls.any_in(p)]
        for operand in parts:
            first = conditions
            if root.ordered and self._varies(operand):
                # Spark puts no condition before a function that is not deterministic.
                for condition in cheap:
                    first = self._with(first, condition)
            self.visit(operand, first, ())
            if root.ordered and self.calls.any_in(operand):
                conditions = self._with(conditions, Condition(operand, "not false", certain=True))

    def _varies(self, node: exp.Expression) -> bool:
        records = [self.calls.record(call) for call in self.calls.inside(node)]
        return any(r is not None and not r.definition.deterministic for r in records)

    def _case(
        self, node: exp.Case, conditions: tuple[Condition, ...], scope: tuple[Hashable, ...]
    ) -> None:
        compared = node.this
        if compared is not None:
            self.visit(compared, conditions, scope)
        for branch in node.args["ifs"]:
            test, value = branch.this, branch.args["true"]
            self.visit(test, conditions, scope)
            # CASE x WHEN y compares, CASE WHEN y asks.
            node_, against = (compared, test) if compared is not None else (test, None)
            self._maybe(value, conditions, scope, Condition(node_, "true", against))
            conditions = self._with(conditions, Condition(node_, "not true", against))
        default = node.args.get("default")
        if default is not None:
            self.visit(default, conditions, scope)

    def _connected(
        self,
        node: exp.Expression,
        conditions: tuple[Condition, ...],
        scope: tuple[Hashable, ...],
    ) -> None:
        calls, parts = self.calls, operands(node)
        how: How = "not false" if isinstance(node, exp.And) else "not true"
        cheap = [not calls.any_in(part) for part in parts]
        last = max((i for i, is_cheap in enumerate(cheap) if not is_cheap), default=-1)
        for place, part in enumerate(parts):
            if cheap[place]:
                self.visit(part, conditions, scope)
                continue
            reached = conditions
            # Cheap ones that stand behind come first if that can raise nothing.
            for i in range(place + 1, len(parts)):
                if cheap[i] and calls.total(parts[i]):
                    reached = self._with(reached, Condition(parts[i], how))
            for i in range(place):
                reached = self._with(reached, Condition(parts[i], how))
            self.visit(part, reached, scope)
            if place == last:
                break

    def _maybe(
        self,
        node: exp.Expression | None,
        conditions: tuple[Condition, ...],
        scope: tuple[Hashable, ...],
        condition: Condition,
    ) -> None:
        if node is not None:
            self.visit(node, self._with(conditions, condition), scope)

    def _with(
        self, conditions: tuple[Condition, ...], condition: Condition
    ) -> tuple[Condition, ...]:
        calls, parts = self.calls, [condition.node, condition.against]
        if not all(calls.steady(part) for part in parts if part is not None):
            return conditions
        if any(calls.any_in(part) for part in parts if part is not None):
            python = sum(calls.any_in(c.node) for c in conditions)
            if python >= _MOST_PYTHON_CONDITIONS:
                return conditions
        return (*conditions, condition)


def find_places(roots: Sequence[Root], calls: ScalarCalls) -> list[ReachedCall]:
    """The calls under some expressions that are evaluated together."""
    walk = _Walk(calls)
    for root in roots:
        if root.conjunctive:
            walk.clause(root)
        else:
            walk.visit(root.node, (), ())
    return walk.places


class Guards:
    """Writes expressions again, with a guard for each call that not every row reaches.

    Parameters
    ----------
    places
        The calls in expressions that are evaluated together.
    calls
        The functions.
    instead
        Another expression for a part of the query, or None to write it as it is.
    apart
        Gives each call a guard of its own, where one for all would hold itself.
    """

    def __init__(
        self,
        places: Sequence[ReachedCall],
        calls: ScalarCalls,
        instead: Callable[[exp.Expression], exp.Expression | None] = lambda node: None,
        *,
        apart: bool = False,
    ) -> None:
        # The calls that got a guard.
        self.guarded: list[exp.Expression] = []
        self._calls = calls
        self._instead = instead
        self._apart = apart
        self._places = {id(place.node): place for place in places}
        self._alike: dict[Hashable, list[ReachedCall]] = {}
        for place in places:
            self._alike.setdefault(self._key(place), []).append(place)
        self._made: dict[Hashable, exp.Expression | None] = {}
        self._making: set[Hashable] = set()

    def write(self, node: exp.Expression) -> exp.Expression:
        """An expression with its guards.

        Raises
        ------
        Circular
            If the guard of a call would hold the call itself.
        """
        other = self._instead(node)
        if other is not None:
            return other
        place = self._places.get(id(node))
        if place is None:
            return self._same(node) if not isinstance(node, exp.Query) else node.copy()
        guard = self.guard(place)
        if guard is None:
            return self._same(node)
        self.guarded.append(node)
        arguments = [self.write(argument) for argument in arguments_of(node)]
        made = self._calls.guarded(place.record, guard, arguments)
        # Messages of later passes point to where the call stood.
        made.meta.update(node.meta)
        return made

    def guard(self, place: ReachedCall) -> exp.Expression | None:
        """What is true for the rows that reach a call, or None if all do."""
        key = self._key(place)
        if key in self._making:
            raise Circular
        if key not in self._made:
            self._making.add(key)
            try:
                self._made[key] = self.any_of([p.conditions for p in self._alike[key]])
            finally:
                self._making.discard(key)
        made = self._made[key]
        return None if made is None else made.copy()

    def any_of(self, ways: Sequence[tuple[Condition, ...]]) -> exp.Expression | None:
        """What is true where all conditions of one of the ways hold; None if that is always."""
        if not all(ways):
            return None
        found = {}
        for conditions in ways:
            way = exp.and_(*(self._holds(c) for c in conditions))
            found[canonical(way)] = way
        return exp.or_(*found.values())

    def _holds(self, condition: Condition) -> exp.Expression:
        value = self.write(condition.node)
        if condition.against is not None:
            against = self.write(condition.against)
            value = exp.EQ(this=exp.paren(value), expression=exp.paren(against))
        if condition.how in ("null", "not null"):
            return call("isnull" if condition.how == "null" else "isnotnull", value)
        unknown = exp.true() if condition.how == "not false" else exp.false()
        known = exp.Coalesce(this=value, expressions=[unknown])
        return exp.Not(this=known) if condition.how == "not true" else known

    def _key(self, place: ReachedCall) -> Hashable:
        return id(place.node) if self._apart else place.key

    def _same(self, node: exp.Expression) -> exp.Expression:
        made = type(node)(**{name: self._value(value) for name, value in node.args.items()})
        made.meta.update(node.meta)
        made.comments = node.comments
        return made

    def _value(self, value: Any) -> Any:
        if isinstance(value, exp.Expression):
            return self.write(value)
        if isinstance(value, list):
            return [self._value(each) for each in value]
        return value


def operands(node: exp.Expression) -> list[exp.Expression]:
    """What AND or OR connects; the expression itself if it is neither."""
    kind = type(node.unnest())
    return _chained(node, kind) if issubclass(kind, (exp.And, exp.Or)) else [node]


def conjuncts(node: exp.Expression) -> list[exp.Expression]:
    """The AND-ed conditions of a clause."""
    return _chained(node, exp.And)


def _chained(node: exp.Expression, kind: type[exp.Expression]) -> list[exp.Expression]:
    inner = node.unnest()
    if type(inner) is not kind:
        return [node]
    return [o for side in (inner.left, inner.right) for o in _chained(side, kind)]
