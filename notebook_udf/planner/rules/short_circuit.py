"""Short-circuit: a call is made for the rows that reach it.

Spark computes every Python call of a row before the expression around it. So a call below CASE,
IF, COALESCE, AND or OR gets a guard (``reachability``). Which clauses are evaluated together, and
so share their guards, is told here.
"""

from __future__ import annotations

from sqlglot import exp

from notebook_udf.planner.analysis.group_by import grouping_items
from notebook_udf.planner.analysis.reachability import Circular, Guards, Root, find_places
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.rule import Applied, Outcome, SelectScope, chosen
from notebook_udf.planner.syntax.dialect import canonical

# Clauses that are evaluated by themselves; joins and the projections are looked at apart.
_CLAUSES = ("laterals", "where", "group", "qualify", "windows", "sort", "distribute", "cluster")
_FILTERS = ("where", "having", "qualify")
_REASON = "it stands in a branch or behind a condition, where Spark would call it for every row"


class ShortCircuit:
    """Gives calls a guard that not every row reaches."""

    name = "short_circuit"

    def apply(self, scope: SelectScope) -> Outcome:
        """See ``Rule``."""
        select, calls = scope.select, scope.calls
        clauses = _Clauses(calls)
        for name in _CLAUSES:
            clauses.rewrite(select, name)
        for join in select.args.get("joins") or []:
            condition = join.args.get("on")
            if condition is not None:
                join.set(
                    "on", clauses.together([Root(condition, conjunctive=True, ordered=False)])[0]
                )
        after = [name for name in ("having", "order") if select.args.get(name) is not None]
        roots = [Root(p) for p in select.expressions]
        if not calls.is_grouped(select):
            select.set("expressions", clauses.together(roots))
            for name in after:
                clauses.rewrite(select, name)
        else:
            clauses.means_keys()
            made = clauses.together([*roots, *(_root(select, name) for name in after)])
            select.set("expressions", made[: len(roots)])
            for name, value in zip(after, made[len(roots) :], strict=True):
                _put(select, name, value)
        if not clauses.guarded:
            return None
        return Applied(chosen(self, clauses.guarded, calls, _REASON, "guarded"))


def _root(select: exp.Select, name: str) -> Root:
    node = select.args[name]
    return Root(node.this, conjunctive=True) if name in _FILTERS else Root(node)


def _put(select: exp.Select, name: str, value: exp.Expression) -> None:
    if name in _FILTERS:
        select.args[name].set("this", value)
    else:
        select.set(name, value)


class _Clauses:
    """The clauses of one SELECT, as they are written with guards."""

    def __init__(self, calls: ScalarCalls) -> None:
        self._calls = calls
        self.guarded: list[exp.Expression] = []
        # What GROUP BY groups by, as it was and as it was written.
        self._group_keys: dict[str, exp.Expression] = {}
        self._instead: dict[str, exp.Expression] = {}

    def means_keys(self) -> None:
        """From now on what GROUP BY groups by is written as it was written there."""
        self._instead = self._group_keys

    def together(self, roots: list[Root]) -> list[exp.Expression]:
        """Expressions that are evaluated together."""
        places = find_places(roots, self._calls)
        for apart in (False, True):
            guards = Guards(places, self._calls, self._other, apart=apart)
            try:
                made = [guards.write(root.node) for root in roots]
            except Circular:
                continue
            self.guarded += guards.guarded
            return made
        raise AssertionError("a guard of a call's own cannot hold the call")

    def rewrite(self, select: exp.Select, name: str) -> None:
        """A clause by itself; a list of them one by one."""
        node = select.args.get(name)
        if isinstance(node, list):
            select.set(name, [self.together([Root(each)])[0] for each in node])
        elif node is not None:
            made = self.together([_root(select, name)])[0]
            if isinstance(node, exp.Group) and isinstance(made, exp.Group):
                self._note_keys(node, made)
            _put(select, name, made)

    def _note_keys(self, before: exp.Group, after: exp.Group) -> None:
        for old, new in zip(grouping_items(before), grouping_items(after), strict=True):
            if self._calls.any_in(old):
                self._group_keys[canonical(old)] = new

    def _other(self, node: exp.Expression) -> exp.Expression | None:
        if not self._instead or isinstance(node, exp.Literal):
            return None
        found = self._instead.get(canonical(node))
        return None if found is None else found.copy()
