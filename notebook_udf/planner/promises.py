"""What SQL promises for scalar functions and Spark does not keep, kept by rewriting the query.

``keep`` takes a query and gives it with its SELECTs rewritten: calls are made only for rows that
reach them (``short_circuit``), once per row (``common_subexpression``, ``extract_from_aggregate``),
inside lambdas (``lambda_lifting``). Where Spark cannot plan the condition of a join, that is said
at once (``join_condition``). A query that needs none of it is left alone, and so is whatever a pass
cannot rewrite with the same answer.

Aggregate functions are planned afterwards, by ``sql``, on the tree that is made here.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.planner.analysis.group_by import grouping_items, spell_out
from notebook_udf.planner.analysis.output_names import Names
from notebook_udf.planner.analysis.query_position import filtered_names, stored_before_sorting
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.output_schema import alike
from notebook_udf.planner.physical import async_
from notebook_udf.planner.rules.common_subexpression import once_per_row
from notebook_udf.planner.rules.extract_from_aggregate import regrouped
from notebook_udf.planner.rules.lambda_lifting import without_lambdas
from notebook_udf.planner.rules.pair_conditions import both_sides, doubtful, is_refused
from notebook_udf.planner.rules.push_down_limit import limited_first
from notebook_udf.planner.rules.short_circuit import Circular, Guards, Root, find_places
from notebook_udf.planner.syntax.dialect import canonical, text

# What lambdas are for; any other error of Spark's is the query's own.
_REFUSED_LAMBDA = "LAMBDA_FUNCTION_WITH"


@dataclass(frozen=True)
class Kept:
    """A query that keeps the promises.

    Attributes
    ----------
    tree
        The query, rewritten.
    rows
        Spark's answer to it; None if there are aggregate functions left to be planned.
    """

    tree: exp.Expression
    rows: DataFrame | None


def keep(tree: exp.Expression, calls: ScalarCalls, *, aggregates: bool = False) -> Kept | None:
    """A query with the promises kept, or None if it is to go to Spark as it is.

    Raises
    ------
    PlanningError
        For a construct that neither Spark nor this package can run, with its place.
    """
    if aggregates or not isinstance(tree, exp.Query):
        made = promised(tree, calls, in_pairs=True)
        if made is None or aggregates:
            return None if made is None else Kept(made, None)
        rows = _run(made, calls)
        return None if rows is None else Kept(made, rows)
    doubt = doubtful(tree, calls)
    refused = doubt is not None and is_refused(lambda: calls.catalog.run(text(tree)))
    kept = _kept(tree, calls, in_pairs=refused)
    if doubt is not None and not refused and kept is not None:
        # A guard may have columns of the side that its call has none of.
        rows = kept.rows
        if is_refused(lambda: rows):
            refused, kept = True, _kept(tree, calls, in_pairs=True)
    if doubt is not None and refused and (kept is None or is_refused(lambda: kept.rows)):
        raise doubt
    return kept


def _kept(tree: exp.Expression, calls: ScalarCalls, *, in_pairs: bool) -> Kept | None:
    made = promised(tree, calls, in_pairs=in_pairs)
    if made is None:
        return None
    before = None
    try:
        before = calls.catalog.run(text(tree))
    except AnalysisException as error:
        if not in_pairs and _REFUSED_LAMBDA not in str(error):
            # Spark's message is to be about the query as it was written.
            return None
    rows = _run(made, calls)
    if rows is not None and before is not None:
        rows = alike(rows, before)
    return None if rows is None else Kept(made, rows)


def _run(made: exp.Expression, calls: ScalarCalls) -> DataFrame | None:
    try:
        return calls.catalog.run(text(made))
    except AnalysisException:
        return None


def promised(
    tree: exp.Expression, calls: ScalarCalls, *, in_pairs: bool = True
) -> exp.Expression | None:
    """The tree with the promises kept, or None if it needs nothing.

    ``in_pairs`` says whether joins are to be taken apart that have calls over both sides.

    Raises
    ------
    PlanningError
        For a construct that neither Spark nor this package can run, with its place.
    """
    if isinstance(tree, exp.Command):
        return None
    selects = tree.find_all(exp.Select)
    called = any(calls.record(node) for node in tree.walk())
    if not called and not any(map(calls.aggregated_in_lambda, selects)):
        return None
    made = tree.copy()
    numbers = itertools.count()
    filtered = filtered_names(made)
    changed = in_pairs and both_sides(made, calls)
    # Inner ones first: an outer SELECT takes copies of them along.
    for select in reversed(list(made.find_all(exp.Select))):
        names = Names(select, calls.catalog)
        spell_out(select, calls)
        first = limited_first(select, calls)
        below = first or regrouped(select, calls)
        rewritten = below is not None
        for part in (below, select) if below is not None else (select,):
            last = first is not None and part is select
            once = once_per_row(part, calls, numbers, filtered, all_of_them=last)
            guarded = _reached(part, calls)
            rewritten |= without_lambdas(part, calls) or once or guarded
        rewritten |= stored_before_sorting(select, calls)
        if rewritten:
            names.keep()
            changed = True
    stored = async_.stored_union(made, calls)
    return stored or (made if changed else None)


# Clauses that are evaluated by themselves; joins and the projections are looked at apart.
_CLAUSES = ("laterals", "where", "group", "qualify", "windows", "sort", "distribute", "cluster")
_FILTERS = ("where", "having", "qualify")


def _reached(select: exp.Select, calls: ScalarCalls) -> bool:
    """Guards the calls of a SELECT; whether there was something to guard."""
    writing = _Writing(calls)
    for name in _CLAUSES:
        writing.clause(select, name)
    for join in select.args.get("joins") or []:
        condition = join.args.get("on")
        if condition is not None:
            made = writing.together([Root(condition, conjunctive=True, ordered=False)])
            join.set("on", made[0])
    after = ["having", "order"]
    if calls.is_grouped(select):
        for key, value in writing.group_keys.items():
            writing.instead[key] = value
        roots = [Root(p) for p in select.expressions]
        found = [name for name in after if select.args.get(name) is not None]
        clauses = [_root(select, name) for name in found]
        made = writing.together([*roots, *clauses])
        select.set("expressions", made[: len(roots)])
        for name, value in zip(found, made[len(roots) :], strict=True):
            _put(select, name, value)
    else:
        select.set("expressions", writing.together([Root(p) for p in select.expressions]))
        for name in after:
            writing.clause(select, name)
    return writing.changed


def _root(select: exp.Select, name: str) -> Root:
    node = select.args[name]
    return Root(node.this, conjunctive=True) if name in _FILTERS else Root(node)


def _put(select: exp.Select, name: str, value: exp.Expression) -> None:
    if name in _FILTERS:
        select.args[name].set("this", value)
    else:
        select.set(name, value)


class _Writing:
    """Writes the clauses of one SELECT with guards."""

    def __init__(self, calls: ScalarCalls) -> None:
        self._calls = calls
        self.changed = False
        # What GROUP BY groups by, as it was and as it was written.
        self.group_keys: dict[str, exp.Expression] = {}
        self.instead: dict[str, exp.Expression] = {}

    def together(self, roots: list[Root]) -> list[exp.Expression]:
        """Expressions that are evaluated together."""
        places = find_places(roots, self._calls)
        for apart in (False, True):
            guards = Guards(places, self._calls, self._other, apart=apart)
            try:
                made = [guards.write(root.node) for root in roots]
            except Circular:
                continue
            self.changed |= guards.changed
            return made
        raise AssertionError("a guard of a call's own cannot hold the call")

    def clause(self, select: exp.Select, name: str) -> None:
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
                self.group_keys[canonical(old)] = new

    def _other(self, node: exp.Expression) -> exp.Expression | None:
        if not self.instead or isinstance(node, exp.Literal):
            return None
        found = self.instead.get(canonical(node))
        return None if found is None else found.copy()


__all__ = ["Kept", "keep", "promised"]
