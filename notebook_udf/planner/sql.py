"""Queries with calls that Spark's own planner would refuse: found, rewritten, handed to Spark.

A query that calls no aggregate function goes to Spark untouched. Any other is parsed, and every
call is replaced by an expression that Spark accepts in the same place (``whole``); that query
answers right wherever a built-in aggregate could stand. Then each SELECT that can be aggregated in
two phases is, by ``two_phase``; one that cannot keeps the expression.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner import two_phase, windows
from notebook_udf.planner.calls import AggregateCall, find_calls, name_of, nested_queries
from notebook_udf.planner.catalog import Catalog
from notebook_udf.planner.creating import cache_table, create_view
from notebook_udf.planner.decisions import REFUSED, Decision, decisions
from notebook_udf.planner.dialect import parsed, text
from notebook_udf.planner.names import name_projections
from notebook_udf.planner.sessions import add_companions
from notebook_udf.planner.spark_names import column_names
from notebook_udf.registry import RegisteredFunction
from notebook_udf.worker.groups import ARGUMENT_FIELD


def mentions(query: str, names: Mapping[str, Any]) -> bool:
    """Whether the text may call one of the functions; cheap, and never wrong about a no."""
    if not names:
        return False
    words = "|".join(map(re.escape, names))
    return re.search(rf"(?i)(?<![\w.])`?({words})`?\s*\(", query) is not None


class Planner:
    """Plans one query.

    Parameters
    ----------
    query
        The text, for the positions in messages.
    aggregates
        The aggregate functions, by lower-case name.
    catalog
        The session's side.
    tree
        The query parsed, if something was done to it already.
    """

    def __init__(
        self,
        query: str,
        aggregates: Mapping[str, RegisteredFunction],
        catalog: Catalog,
        tree: exp.Expression | None = None,
    ) -> None:
        self._query = query
        self._tree = tree
        self._aggregates = aggregates
        self.catalog = catalog
        self.decisions: list[Decision] = []
        self.streams = False

    def plan(self) -> DataFrame:
        """The query as a DataFrame.

        Raises
        ------
        PlanningError
            For a construct that cannot be rewritten, naming it and its place.
        """
        tree = self._tree if self._tree is not None else parsed(self._query)
        if isinstance(tree, exp.Command):
            raise PlanningError(
                f"{tree.name} cannot have a Python aggregate function inside it: run the query "
                f"itself through session.sql"
            )
        if isinstance(tree, exp.Create) and tree.kind == "VIEW":
            return create_view(tree, self._query, "aggregate", self._below)
        if isinstance(tree, exp.Cache) and tree.expression is not None:
            return cache_table(tree, self._below, self.catalog.run)
        plain = self._whole(tree.copy())
        answer = None
        if isinstance(tree, exp.Query):
            answer = self.catalog.run(text(plain))
            if answer.isStreaming and add_companions(tree):
                answer = self.catalog.run(text(self._whole(tree.copy())))
            names = column_names(self._query, self._aggregates, self.catalog)
            answer = _named(answer, names or answer.columns)
            self.streams = answer.isStreaming
        optimised = tree.copy()
        if self._in_two_phases(optimised, []):
            rest = self._whole(optimised)
            try:
                found = self.catalog.run(text(rest))
            except AnalysisException:
                if answer is None:
                    raise
                self.decisions = [replace(d, role="whole", reason=REFUSED) for d in self.decisions]
            else:
                return found if answer is None else _named(found, answer.columns)
        return answer if answer is not None else self.catalog.run(text(plain))

    def _below(self, query: exp.Expression) -> DataFrame:
        """The rows of the query in a statement."""
        return Planner(text(query), self._aggregates, self.catalog).plan()

    # Expressions -----------------------------------------------------------------------------

    def _whole(self, tree: exp.Expression) -> exp.Expression:
        """The tree with each call as an expression over collected rows."""
        for query in (tree, *tree.find_all(exp.Query)):
            if isinstance(query, exp.Select):
                name_projections(query, self._has_call)
        while True:
            calls = self._outermost(tree)
            if not calls:
                return tree
            for call in calls:
                call.node.replace(self.collected(call))

    def _has_call(self, node: exp.Expression) -> bool:
        return any(name_of(each) in self._aggregates for each in node.walk())

    def _outermost(self, tree: exp.Expression) -> list[AggregateCall]:
        calls = []
        for node in (tree, *[q for q in tree.find_all(exp.Query) if q is not tree]):
            calls += self.calls(node)
        return list({id(call.node): call for call in calls}.values())

    def collected(self, call: AggregateCall) -> exp.Expression:
        """A call as an expression over collected rows."""
        rows = exp.func("named_struct", *_fields(call.arguments))
        kind = "collect_set" if call.distinct else "collect_list"
        collected: exp.Expression = exp.Anonymous(this=kind, expressions=[rows])
        if call.condition is not None:
            where = exp.Where(this=call.condition.copy())
            collected = exp.Filter(this=collected, expression=where)
        if call.window is not None:
            window = call.window.copy()
            window.set("this", collected)
            collected = window
        name = self.catalog.hidden_name(call.record, "whole")
        return exp.Anonymous(this=name, expressions=[collected])

    # Two phases ------------------------------------------------------------------------------

    def _in_two_phases(self, tree: exp.Expression, ctes: list[exp.Expression]) -> bool:
        """Rewrites what it can, innermost first; whether it has rewritten anything."""
        changed = False
        visible = list(ctes)
        own = tree.args.get("with_")
        for cte in own.expressions if own is not None else []:
            changed |= self._in_two_phases(cte.this, visible)
            visible.append(cte)
        for nested in nested_queries(tree):
            if own is None or nested.find_ancestor(exp.With) is not own:
                changed |= self._in_two_phases(nested, visible)
        if isinstance(tree, exp.Select) and (calls := self.calls(tree)):
            around = _Around(self, ctes, visible)
            found = two_phase.rewritten(tree, around) or windows.rewritten(tree, around)
            self.decisions += decisions(tree, calls, rewritten=found is not None)
            if found is not None:
                for name in {*tree.args, *found.args}:
                    tree.set(name, found.args.get(name))
                changed = True
        return changed

    def calls(self, node: exp.Expression) -> list[AggregateCall]:
        """The calls that belong to a SELECT."""
        built_in = self.catalog.built_in_aggregates()
        return find_calls(node, self._aggregates, self._query, built_in)

    def run(self, query: exp.Expression, ctes: list[exp.Expression]) -> DataFrame:
        """Spark's answer to a part of the query, below WITH and these tables."""
        shown = [text(self._whole(cte.copy())) for cte in ctes]
        prefix = f"WITH {', '.join(shown)} " if shown else ""
        return self.catalog.run(prefix + text(self._whole(query.copy())))


class _Around:
    """One SELECT's surroundings: the planner, and the tables of WITH that it sees."""

    def __init__(
        self, planner: Planner, outside: list[exp.Expression], visible: list[exp.Expression]
    ) -> None:
        self._planner = planner
        self._outside = outside
        self._visible = visible
        self.streams = planner.streams
        self.hidden_name = planner.catalog.hidden_name
        self.view = planner.catalog.view
        self.built_in_aggregates = planner.catalog.built_in_aggregates
        self.calls = planner.calls
        self.collected = planner.collected

    def run(self, query: exp.Expression, *, inside: bool) -> DataFrame:
        # A SELECT brings its own WITH along; what is made of its FROM does not.
        return self._planner.run(query, self._visible if inside else self._outside)


def _fields(arguments: tuple[exp.Expression, ...]) -> list[exp.Expression]:
    if not arguments:
        return [exp.Literal.string("none"), exp.Literal.number(0)]
    fields: list[exp.Expression] = []
    for place, argument in enumerate(arguments):
        fields += [exp.Literal.string(f"{ARGUMENT_FIELD}{place}"), argument.copy()]
    return fields


def _named(rows: DataFrame, names: list[str]) -> DataFrame:
    same = rows.columns == names or len(rows.columns) != len(names)
    return rows if same else rows.toDF(*names)
