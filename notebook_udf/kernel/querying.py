"""``session.sql``: a query to Spark, by way of the planner where it calls registered functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from notebook_udf.kernel.async_options import in_force
from notebook_udf.kernel.catalog import Catalog
from notebook_udf.planner import asynchronous, promises
from notebook_udf.planner.both_sides import check
from notebook_udf.planner.calls import of_kind
from notebook_udf.planner.decisions import Decision
from notebook_udf.planner.laterals import Laterals
from notebook_udf.planner.scalar_calls import ScalarCalls
from notebook_udf.planner.sql import Planner, mentions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.core import Session
    from notebook_udf.registry import RegisteredFunction

    # Table functions, scalar ones and aggregates, by lower-case name.
    _Functions: TypeAlias = tuple[dict[str, RegisteredFunction], ...]


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
    rows = _run(session, query, args)
    session.rewritten[rows] = replace(session.rewritten.get(rows, Rewriting()), query=query)
    return rows


def _run(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    from pyspark.logger import PySparkLogger
    from pyspark.sql.sql_formatter import SQLStringFormatter

    query = asynchronous.placed(query, of_kind(session.functions, "async"))
    if not mentions(query, session.functions):
        return session.spark.sql(query, **args)
    untouched = query
    given = dict(args)
    parameters = given.pop("args", None)
    formatter = SQLStringFormatter(session.spark)
    # What the planner tries and Spark refuses is not for the user, whom PySpark would show it.
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    silent, logger.disabled = logger.disabled, True
    try:
        if given:
            query = formatter.format(query, **given)
        with Catalog(session.spark, session.planned, parameters) as catalog:
            rows = _planned(session, query, catalog, _functions_of(session, query))
            if rows is not None:
                known = session.rewritten.get(rows, Rewriting())
                session.rewritten[rows] = replace(known, steps=catalog.steps())
                return rows
    finally:
        logger.disabled = silent
        formatter.clear()
    return session.spark.sql(untouched, **args)


def _functions_of(session: Session, query: str) -> _Functions:
    """Table functions, scalar ones and aggregates; async ones with the options that hold now."""
    tables, scalars, aggregates = (
        of_kind(session.functions, *kinds)
        for kinds in (("table",), ("scalar", "async"), ("aggregate",))
    )
    for name, record in scalars.items():
        if record.definition.is_async and mentions(query, {name: record}):
            scalars[name] = in_force(session, record)
    return tables, scalars, aggregates


def _planned(
    session: Session, query: str, catalog: Catalog, functions: _Functions
) -> DataFrame | None:
    """The rows of a query; None if Spark is to have it as it is."""
    tables, scalars, aggregates = functions
    if not mentions(query, tables):
        return _without_tables(session, query, catalog, functions)

    def run(part: str) -> DataFrame:
        rows = _without_tables(session, part, catalog, functions)
        return catalog.run(part) if rows is None else rows

    steady = ScalarCalls(scalars, catalog, query, aggregates).steady
    return Laterals(query, tables, catalog, run, steady, aggregates).rows()


def _without_tables(
    session: Session, query: str, catalog: Catalog, functions: _Functions
) -> DataFrame | None:
    """The same for one in which table functions, if there are any, are left to Spark."""
    _, scalars, aggregates = functions
    aggregated, called = mentions(query, aggregates), mentions(query, scalars)
    if not aggregated and not called:
        return None
    calls = ScalarCalls(scalars, catalog, query, aggregates)
    kept = promises.keep(query, calls, aggregates=aggregated)
    if not aggregated:
        return None if kept is None else kept.rows
    planner = Planner(query, aggregates, catalog, kept and kept.tree)
    frame = planner.plan()
    session.rewritten[frame] = Rewriting(decisions=tuple(planner.decisions))
    return check(query, calls, frame) if called else frame
