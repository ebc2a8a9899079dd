"""``session.sql``: a query to Spark, by way of the planner where it calls registered functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.async_conf import in_force
from notebook_udf.kernel.query_errors import about
from notebook_udf.kernel.session_catalog import Catalog
from notebook_udf.kernel.spark_loggers import logged_if_raised
from notebook_udf.planner import guard, promises
from notebook_udf.planner.analysis.aggregate_calls import calls_any, mentions, of_kind
from notebook_udf.planner.analysis.arity import check_calls
from notebook_udf.planner.analysis.decisions import Decision
from notebook_udf.planner.analysis.scalar_calls import ScalarCalls
from notebook_udf.planner.faults import attempted, planning
from notebook_udf.planner.physical import async_
from notebook_udf.planner.rules import table_keyword
from notebook_udf.planner.rules.correlate import Laterals, may_need_pass, needs_pass
from notebook_udf.planner.rules.pair_conditions import check
from notebook_udf.planner.sql import Planner
from notebook_udf.planner.syntax.dialect import read, text

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

    # By lower-case name.
    _Functions: TypeAlias = dict[str, RegisteredFunction]


@dataclass(frozen=True)
class Rewriting:
    """What became of a query on its way to Spark.

    Attributes
    ----------
    query
        The text that was given; "" for rows in the middle of one.
    decisions
        How its calls of aggregate functions were planned.
    steps
        What was handed to Spark instead, see ``Catalog.steps``.
    """

    query: str = ""
    decisions: tuple[Decision, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()


def run_query(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    """The query as a DataFrame; ``args`` are those of ``spark.sql``."""
    with about(query):
        rows = _run(session, query, args)
    session.rewritten[rows] = replace(session.rewritten.get(rows, Rewriting()), query=query)
    return rows


def _run(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    from pyspark.sql.sql_formatter import SQLStringFormatter

    if not mentions(query, session.functions) and not table_keyword.may_stand_in(query):
        return session.spark.sql(query, **args)
    given = dict(args)
    parameters = given.pop("args", None)
    formatter = SQLStringFormatter(session.spark)
    try:
        formatted = formatter.format(query, **given) if given else query
        catalog = Catalog(session.spark, session.planned, session.hidden, parameters)
        with about(formatted), logged_if_raised(), catalog, planning("the query"):
            rows = _Planning(session, formatted, catalog).rows()
            if rows is not None:
                known = session.rewritten.get(rows, Rewriting())
                session.rewritten[rows] = replace(known, steps=catalog.steps())
                return rows
    finally:
        formatter.clear()
    return session.spark.sql(query, **args)


class _Planning:
    """One query, on its way through the parts of the planner."""

    def __init__(self, session: Session, query: str, catalog: Catalog) -> None:
        self._session = session
        self._query = query
        self._catalog = catalog
        self._tables, self._scalars, self._aggregates = (
            of_kind(session.functions, *kinds)
            for kinds in (("table",), ("scalar", "async"), ("aggregate",))
        )

    def rows(self) -> DataFrame | None:
        """The rows of the query; None if Spark is to have it as it is.

        Raises
        ------
        PlanningError
            For what neither Spark nor this package can run, with its place.
        """
        typed = self._read()
        if typed is None:
            return None
        tree = table_keyword.without(typed)
        doubt = guard.misread(typed, self._catalog)
        if doubt is not None:
            if tree is not typed or self._is_ours_alone(tree):
                raise doubt
            return None
        check_calls(tree, {**self._tables, **self._scalars, **self._aggregates})
        asyncs = {n: r for n, r in self._scalars.items() if r.definition.is_async}
        for name, record in asyncs.items():
            if calls_any(tree, {name: record}):
                self._scalars[name] = in_force(self._session, record)
        placed = attempted("async calls", lambda: async_.placed(tree, asyncs), tree)
        rows = self._planned(placed)
        return self._catalog.run(text(placed)) if rows is None and placed is not typed else rows

    def _read(self) -> exp.Expression | None:
        try:
            return read(
                self._query,
                double_quoted_identifiers=self._catalog.double_quoted_identifiers(),
            )
        except PlanningError:
            unsafe = mentions(self._query, self._tables) and may_need_pass(self._query)
            if not unsafe and not mentions(self._query, self._aggregates):
                return None
            # Where it is no SQL at all, Spark says better what is wrong.
            self._catalog.parse(self._query)
            raise

    def _is_ours_alone(self, tree: exp.Expression) -> bool:
        """Whether Spark cannot answer the query as it is, or would answer another one."""
        return calls_any(tree, self._aggregates) or bool(needs_pass(tree, self._tables))

    def _planned(self, tree: exp.Expression) -> DataFrame | None:
        if not calls_any(tree, self._tables):
            return self._without_tables(tree)

        def run(part: exp.Expression) -> DataFrame:
            rows = self._without_tables(part)
            return self._catalog.run(text(part)) if rows is None else rows

        steady = self._calls().steady
        laterals = Laterals(tree, self._tables, self._catalog, run, steady, self._aggregates)
        return laterals.rows()

    def _without_tables(self, tree: exp.Expression) -> DataFrame | None:
        """The same for one in which table functions, if there are any, are left to Spark."""
        aggregated, called = (calls_any(tree, f) for f in (self._aggregates, self._scalars))
        if not aggregated and not called:
            return None
        calls = self._calls()
        kept = attempted(
            "promises", lambda: promises.keep(tree, calls, aggregates=aggregated), None
        )
        if not aggregated:
            return None if kept is None else kept.rows
        planner = Planner(tree, self._aggregates, self._catalog, kept and kept.tree)
        frame = planner.plan()
        self._session.rewritten[frame] = Rewriting(decisions=tuple(planner.decisions))
        return check(tree, calls, frame) if called else frame

    def _calls(self) -> ScalarCalls:
        return ScalarCalls(self._scalars, self._catalog, self._aggregates)
