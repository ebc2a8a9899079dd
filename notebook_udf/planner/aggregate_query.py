"""A query with calls of aggregate functions, which Spark knows nothing of.

Every call is replaced by an expression that Spark accepts in the same place
(``collect_aggregate``); that query answers right wherever a built-in aggregate could stand. Then
each SELECT that a rule has a faster form for gets it; one that has none keeps the expression.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.analysis.aggregate_calls import hidden_call, nested_queries, position
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.analysis.spark_column_names import column_names
from notebook_udf.planner.faults import warn_refused
from notebook_udf.planner.messages import retold
from notebook_udf.planner.output_schema import alike
from notebook_udf.planner.pipeline import rewrite_aggregates
from notebook_udf.planner.rule import Applied, Choice, QueryScope, SelectScope
from notebook_udf.planner.rules.aggregate_choices import (
    OTHER_FORM,
    REFUSED,
    collected,
    inseparable,
)
from notebook_udf.planner.rules.collect_aggregate import CollectAggregate
from notebook_udf.planner.rules.create_view import cache_table, create_view
from notebook_udf.planner.streaming.session_window import add_companions
from notebook_udf.planner.syntax.dialect import embedded, text
from notebook_udf.planner.syntax.nodes import CacheTable, CreateView
from notebook_udf.planner.syntax.with_clause import below, own_with
from notebook_udf.registry import RegisteredFunction


class AggregateQuery:
    """Plans one query.

    Parameters
    ----------
    tree
        The query, as it was read.
    aggregates
        The aggregate functions, by lower-case name.
    calls
        The scalar functions.
    rewritten
        The query as the rules of scalar calls have rewritten it, if they have.

    Attributes
    ----------
    choices
        What was decided for the calls, once the query is planned.
    """

    def __init__(
        self,
        tree: exp.Expression,
        aggregates: Mapping[str, RegisteredFunction],
        calls: ScalarCalls,
        rewritten: exp.Expression | None = None,
    ) -> None:
        self._read = tree
        self._tree = tree if rewritten is None else rewritten
        self._aggregates = aggregates
        self._query = QueryScope(self._tree, calls)
        self.context = calls.context
        self.collect = CollectAggregate(aggregates, self.context)
        self.choices: list[Choice] = []
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
            return cache_table(tree, self._below, self.context.run)
        plain = self.collect.everywhere(tree.copy())
        answer = None
        if isinstance(tree, exp.Query):
            answer = self._first(plain)
            if answer.isStreaming and add_companions(tree):
                answer = self.context.run(text(self.collect.everywhere(tree.copy())))
            names = column_names(self._read, self._aggregates, self.context)
            answer = _named(answer, names or answer.columns)
            self.streams = answer.isStreaming
        optimised = tree.copy()
        if self._optimise(optimised, []):
            found = self._optimised(self.collect.everywhere(optimised), answer)
            if found is not None:
                return found
        return answer if answer is not None else self._first(plain)

    def _first(self, plain: exp.Expression) -> DataFrame:
        """The form in which Spark is asked first; what it finds wrong is the query's own fault."""
        try:
            return self.context.run(text(plain))
        except AnalysisException as error:
            raise retold(error, plain) from None

    def _optimised(self, tree: exp.Expression, answer: DataFrame | None) -> DataFrame | None:
        """The rows of the faster form; None where the first form has to do.

        That of a statement has no first form: asking would be doing it.
        """
        try:
            rows = self.context.run(text(tree))
        except AnalysisException:
            if answer is None:
                raise
            self._give_up(tree, REFUSED, "refuses")
            return None
        if answer is None:
            return rows
        found = alike(rows, answer)
        if found is None:
            self._give_up(tree, OTHER_FORM, "gives other columns")
        return found

    def _give_up(self, tree: exp.Expression, reason: str, why: str) -> None:
        rules = list(
            dict.fromkeys(choice.rule for choice in self.choices if choice.role != "whole")
        )
        self.choices = [replace(choice, role="whole", reason=reason) for choice in self.choices]
        warn_refused(rules, text(tree), why)

    def _below(self, query: exp.Expression) -> DataFrame:
        """The rows of the query in a statement."""
        planner = AggregateQuery(query, self._aggregates, self._query.calls)
        rows = planner.plan()
        self.choices += planner.choices
        return rows

    def _optimise(self, tree: exp.Expression, ctes: list[exp.Expression]) -> bool:
        """Gives SELECTs their faster forms, the innermost first; whether one has got one."""
        changed = False
        visible = list(ctes)
        own = own_with(tree)
        for cte in own.expressions if own is not None else []:
            changed |= self._optimise(cte.this, visible)
            visible.append(cte)
        for nested in nested_queries(tree):
            if own is None or nested.find_ancestor(exp.With) is not own:
                changed |= self._optimise(nested, visible)
        if isinstance(tree, exp.Select) and (calls := self.collect.calls(tree)):
            scope = SelectScope(self._query, tree, surroundings=_Surroundings(self, ctes, visible))
            outcome = rewrite_aggregates(scope)
            if outcome is None:
                self.choices += collected(CollectAggregate.name, calls, inseparable(tree))
            else:
                self.choices += outcome.choices
            changed |= isinstance(outcome, Applied)
        return changed

    def run(self, query: exp.Expression, ctes: list[exp.Expression]) -> DataFrame:
        """Spark's answer to a part of the query, below WITH and these tables."""
        whole = self._text(query)
        if ctes and query.args.get("with_") is not None:
            whole = f"({whole})"
        return self.context.run(below(ctes, whole, self._text))

    def _text(self, query: exp.Expression) -> str:
        return embedded(self.collect.everywhere(query.copy()))


class _Surroundings:
    """What stands around one SELECT: the query, and the tables of WITH that it sees."""

    def __init__(
        self, query: AggregateQuery, outside: list[exp.Expression], visible: list[exp.Expression]
    ) -> None:
        self._query = query
        self._outside = outside
        self._visible = visible
        self.streams = query.streams
        self.hidden_name = query.context.hidden_name
        self.listed = query.context.listed
        self.view = query.context.view
        self.built_in_aggregates = query.context.built_in_aggregates
        self.calls = query.collect.calls
        self.collected = query.collect.collected

    def run(self, query: exp.Expression, *, inside: bool) -> DataFrame:
        # A SELECT brings its own WITH along; what is made of its FROM does not.
        return self._query.run(query, self._visible if inside else self._outside)


def _named(rows: DataFrame, names: list[str]) -> DataFrame:
    same = rows.columns == names or len(rows.columns) != len(names)
    return rows if same else rows.toDF(*names)
