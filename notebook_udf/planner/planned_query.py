"""Plans a query that calls registered functions, with the rules where they are needed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner import guard, scalar_query
from notebook_udf.planner.aggregate_query import AggregateQuery
from notebook_udf.planner.analysis.aggregate_calls import called_on, calls_any, mentions
from notebook_udf.planner.analysis.arity import check_calls
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.faults import attempted
from notebook_udf.planner.physical import async_
from notebook_udf.planner.pipeline import rewrite
from notebook_udf.planner.planning_context import PlanningContext
from notebook_udf.planner.rule import Choice
from notebook_udf.planner.rules import table_keyword
from notebook_udf.planner.rules.correlate import Laterals, may_need_pass, needs_pass
from notebook_udf.planner.rules.pair_conditions import check
from notebook_udf.planner.syntax.dialect import read, text
from notebook_udf.registry import RegisteredFunction


@dataclass(frozen=True)
class PlannedQuery:
    """The result of planning a query.

    Attributes
    ----------
    rows
        Its rows; None if Spark is to run it unchanged.
    choices
        The rules' choices for its calls.
    """

    rows: DataFrame | None
    choices: tuple[Choice, ...] = ()


def may_concern(query: str, functions: Mapping[str, RegisteredFunction]) -> bool:
    """Whether a query may need the planner; cheap, and False only where it does not."""
    return mentions(query, functions) or table_keyword.may_stand_in(query)


class QueryPlanner:
    """Plans one query.

    Parameters
    ----------
    query
        Its text.
    functions
        The registered functions, by name.
    context
        The session, as the planner uses it.
    in_force
        Gives an async function the options of the session's configuration.
    """

    def __init__(
        self,
        query: str,
        functions: Mapping[str, RegisteredFunction],
        context: PlanningContext,
        in_force: Callable[[RegisteredFunction], RegisteredFunction],
    ) -> None:
        self._query = query
        self._context = context
        self._in_force = in_force
        self._choices: dict[Choice, None] = {}
        self._tables = called_on(functions, "row", gives="rows")
        self._scalars = called_on(functions, "row", gives="value")
        self._aggregates = called_on(functions, "group", gives="value")

    def plan(self) -> PlannedQuery:
        """Plans the query.

        Raises
        ------
        PlanningError
            If neither Spark nor this package can run a part of it; names its position.
        """
        typed = self._read()
        if typed is None:
            return PlannedQuery(None)
        tree = table_keyword.without(typed)
        doubt = guard.misread(typed, self._context)
        if doubt is not None:
            if tree is not typed or self._is_ours_alone(tree):
                raise doubt
            return PlannedQuery(None)
        check_calls(tree, {**self._tables, **self._scalars, **self._aggregates})
        asyncs = {n: r for n, r in self._scalars.items() if r.definition.is_async}
        for name, record in asyncs.items():
            if calls_any(tree, {name: record}):
                self._scalars[name] = self._in_force(record)
        placed = attempted("async calls", lambda: async_.placed(tree, asyncs), tree)
        rows = self._rows(placed)
        if rows is None and placed is not typed:
            rows = self._context.run(text(placed))
        return PlannedQuery(rows, tuple(self._choices))

    def _read(self) -> exp.Expression | None:
        try:
            return read(
                self._query,
                double_quoted_identifiers=self._context.double_quoted_identifiers(),
            )
        except PlanningError:
            unsafe = mentions(self._query, self._tables) and may_need_pass(self._query)
            if not unsafe and not mentions(self._query, self._aggregates):
                return None
            # Where it is no SQL at all, Spark says better what is wrong.
            self._context.parse(self._query)
            raise

    def _is_ours_alone(self, tree: exp.Expression) -> bool:
        """Whether Spark alone could not run the query, or would take it for another one."""
        return calls_any(tree, self._aggregates) or bool(needs_pass(tree, self._tables))

    def _rows(self, tree: exp.Expression) -> DataFrame | None:
        if not calls_any(tree, self._tables):
            return self._without_tables(tree)

        def run(part: exp.Expression) -> DataFrame:
            rows = self._without_tables(part)
            return self._context.run(text(part)) if rows is None else rows

        steady = self._calls().steady
        laterals = Laterals(tree, self._tables, self._context, run, steady, self._aggregates)
        return laterals.rows()

    def _without_tables(self, tree: exp.Expression) -> DataFrame | None:
        """The rows of a query, table functions left to Spark; None if Spark is to run it all."""
        aggregated, called = (calls_any(tree, f) for f in (self._aggregates, self._scalars))
        calls = self._calls()
        if not aggregated:
            plan = scalar_query.plan(tree, calls) if called else None
            return None if plan is None else self._noted(plan.rows, plan.choices)
        made = rewrite(tree, calls)
        planner = AggregateQuery(tree, self._aggregates, calls, made.tree)
        rows = self._noted(planner.plan(), (*made.choices, *planner.choices))
        return check(tree, calls, rows) if called else rows

    def _noted(self, rows: DataFrame, choices: tuple[Choice, ...]) -> DataFrame:
        self._choices |= dict.fromkeys(choices)
        return rows

    def _calls(self) -> ScalarCalls:
        return ScalarCalls(self._scalars, self._context, self._aggregates)
