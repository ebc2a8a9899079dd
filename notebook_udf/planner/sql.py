"""Queries with calls that Spark's own planner would refuse: found, rewritten, handed to Spark.

Every call is replaced by an expression that Spark accepts in the same place (``whole``); that query
answers right wherever a built-in aggregate could stand. Then each SELECT that can be aggregated in
two phases is, by ``two_phase_aggregate``; one that cannot keeps the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import (
    AggregateCall,
    find_calls,
    hidden_call,
    name_of,
    nested_queries,
    position,
)
from notebook_udf.planner.analysis.decisions import OTHER_FORM, REFUSED, Decision, decisions
from notebook_udf.planner.analysis.output_names import name_projections
from notebook_udf.planner.analysis.spark_column_names import column_names
from notebook_udf.planner.faults import attempted
from notebook_udf.planner.messages import retold
from notebook_udf.planner.output_schema import alike
from notebook_udf.planner.planning_context import Catalog
from notebook_udf.planner.rules import two_phase_aggregate, window_aggregate
from notebook_udf.planner.rules.create_view import cache_table, create_view
from notebook_udf.planner.streaming.session_window import add_companions
from notebook_udf.planner.syntax.dialect import embedded, text
from notebook_udf.planner.syntax.nodes import CacheTable, CreateView, call
from notebook_udf.planner.syntax.with_clause import below, own_with
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import ARGUMENT_FIELD


class Planner:
    """Plans one query.

    Parameters
    ----------
    tree
        The query, as it was read.
    aggregates
        The aggregate functions, by lower-case name.
    catalog
        The session's side.
    kept
        The tree with the promises for scalar functions kept, if that took something.
    """

    def __init__(
        self,
        tree: exp.Expression,
        aggregates: Mapping[str, RegisteredFunction],
        catalog: Catalog,
        kept: exp.Expression | None = None,
    ) -> None:
        self._read = tree
        self._tree = tree if kept is None else kept
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
        tree = self._tree
        if isinstance(tree, exp.Command):
            raise PlanningError(
                f"{tree.name} cannot have a Python aggregate function inside it: run the query "
                f"itself through session.sql"
            )
        opaque = hidden_call(tree, self._aggregates)
        if opaque is not None:
            raise PlanningError(
                f"{position(opaque)}a Python aggregate function stands in a script, or below a "
                f"FROM that several SELECTs or INSERTs share, which are handed to Spark as they "
                f"are: compute it in a view of its own and select from that"
            )
        if isinstance(tree, CreateView):
            return create_view(tree, "aggregate", self._below)
        if isinstance(tree, CacheTable):
            return cache_table(tree, self._below, self.catalog.run)
        plain = self._whole(tree.copy())
        answer = None
        if isinstance(tree, exp.Query):
            answer = self._first(plain)
            if answer.isStreaming and add_companions(tree):
                answer = self.catalog.run(text(self._whole(tree.copy())))
            names = column_names(self._read, self._aggregates, self.catalog)
            answer = _named(answer, names or answer.columns)
            self.streams = answer.isStreaming
        optimised = tree.copy()
        if self._in_two_phases(optimised, []):
            rest = self._whole(optimised)
            try:
                found: DataFrame | None = self.catalog.run(text(rest))
            except AnalysisException:
                if answer is None:
                    raise
                self.decisions = [replace(d, role="whole", reason=REFUSED) for d in self.decisions]
            else:
                found = found if answer is None or found is None else alike(found, answer)
                if found is not None:
                    return found
                self.decisions = [
                    replace(d, role="whole", reason=OTHER_FORM) for d in self.decisions
                ]
        return answer if answer is not None else self._first(plain)

    def _first(self, plain: exp.Expression) -> DataFrame:
        """The form in which Spark is asked first; what it finds wrong is the query's own fault."""
        try:
            return self.catalog.run(text(plain))
        except AnalysisException as error:
            raise retold(error, plain) from None

    def _below(self, query: exp.Expression) -> DataFrame:
        """The rows of the query in a statement."""
        planner = Planner(query, self._aggregates, self.catalog)
        rows = planner.plan()
        self.decisions += planner.decisions
        return rows

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
            for found in calls:
                found.node.replace(self.collected(found))

    def _has_call(self, node: exp.Expression) -> bool:
        return any(name_of(each) in self._aggregates for each in node.walk())

    def _outermost(self, tree: exp.Expression) -> list[AggregateCall]:
        calls = []
        for node in (tree, *[q for q in tree.find_all(exp.Query) if q is not tree]):
            calls += self.calls(node)
        return list({id(found.node): found for found in calls}.values())

    def collected(self, found: AggregateCall) -> exp.Expression:
        """A call as an expression over collected rows."""
        rows = call("named_struct", *_fields(found.arguments))
        collected = call("collect_set" if found.distinct else "collect_list", rows)
        if found.condition is not None:
            where = exp.Where(this=found.condition.copy())
            collected = exp.Filter(this=collected, expression=where)
        if found.window is not None:
            window = found.window.copy()
            window.set("this", collected)
            collected = window
        return call(self.catalog.hidden_name(found.record, "whole"), collected)

    # Two phases ------------------------------------------------------------------------------

    def _in_two_phases(self, tree: exp.Expression, ctes: list[exp.Expression]) -> bool:
        """Rewrites what it can, innermost first; whether it has rewritten anything."""
        changed = False
        visible = list(ctes)
        own = own_with(tree)
        for cte in own.expressions if own is not None else []:
            changed |= self._in_two_phases(cte.this, visible)
            visible.append(cte)
        for nested in nested_queries(tree):
            if own is None or nested.find_ancestor(exp.With) is not own:
                changed |= self._in_two_phases(nested, visible)
        if isinstance(tree, exp.Select) and (calls := self.calls(tree)):
            around = _Around(self, ctes, visible)
            found = attempted(
                "two phases", lambda: two_phase_aggregate.rewritten(tree, around), None
            )
            if found is None:
                found = attempted("windows", lambda: window_aggregate.rewritten(tree, around), None)
            self.decisions += decisions(tree, calls, rewritten=found is not None)
            if found is not None:
                for name in {*tree.args, *found.args}:
                    tree.set(name, found.args.get(name))
                changed = True
        return changed

    def calls(self, node: exp.Expression) -> list[AggregateCall]:
        """The calls that belong to a SELECT."""
        built_in = self.catalog.built_in_aggregates()
        return find_calls(node, self._aggregates, built_in)

    def run(self, query: exp.Expression, ctes: list[exp.Expression]) -> DataFrame:
        """Spark's answer to a part of the query, below WITH and these tables."""
        whole = embedded(self._whole(query.copy()))
        if ctes and query.args.get("with_") is not None:
            whole = f"({whole})"
        return self.catalog.run(below(ctes, whole, lambda cte: embedded(self._whole(cte.copy()))))


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
