"""``session.sql``: runs a query in Spark; the planner rewrites it if it calls functions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.query_errors import about
from notebook_udf.kernel.session_catalog import Catalog
from notebook_udf.kernel.spark_loggers import logged_if_raised
from notebook_udf.planner.analysis.aggregate_calls import mentions
from notebook_udf.planner.analysis.arity import check_calls
from notebook_udf.planner.faults import planning
from notebook_udf.planner.physical.in_java import gives_rows
from notebook_udf.planner.planned_query import QueryPlanner, may_concern
from notebook_udf.planner.rule import Choice
from notebook_udf.planner.syntax.dialect import read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction


# Spark runs a command as it is given: an attempt would be its first run.
_ROWS = re.compile(r"(?is)(\s|\(|--[^\n]*\n|/\*.*?\*/)*(SELECT|WITH|FROM|VALUES|TABLE)\b")
_NAMES = "=>"
_WRITES = re.compile(r"(?i)\b(INSERT|CREATE|MERGE|UPDATE|DELETE)\b")


@dataclass(frozen=True)
class Rewriting:
    """How a query was rewritten for Spark.

    Attributes
    ----------
    query
        The text as given; "" for intermediate rows.
    choices
        How its calls were planned, and by which rule.
    steps
        The queries that Spark was given instead, see ``Catalog.steps``.
    """

    query: str = ""
    choices: tuple[Choice, ...] = ()
    steps: tuple[tuple[str, str], ...] = ()


def run_query(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    """The query as a DataFrame; ``args`` are those of ``spark.sql``."""
    with about(query):
        rows = _run(session, query, args)
    session.rewritten[rows] = replace(session.rewritten.get(rows, Rewriting()), query=query)
    return rows


def _run(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    # Those in the JVM are Spark's own functions to a query; a call that names arguments is not.
    named = _NAMES in query
    functions = {
        name: record
        for name, record in session.functions.items()
        if named or not session.java.runs_always(record)
    }
    by_types = {
        name: record
        # Most queries call none of them.
        for name, record in (functions.items() if mentions(query, functions) else ())
        if not gives_rows(record)
        and mentions(query, {name: record})
        and session.java.may_run(record)
    }
    worth = all(map(session.java.is_worth_an_attempt, by_types.values()))
    if by_types and worth and _may_be_repeated(query):
        others = {name: record for name, record in functions.items() if name not in by_types}
        called = list(by_types.values())
        rows = session.java.attempted(called, lambda: _planned(session, query, args, others))
        if rows is not None:
            return rows
    # All its calls are planned alike: one of a function whose class is known included.
    with session.java.in_workers(filter(session.java.has_class, by_types.values())):
        return _planned(session, query, args, functions)


def _may_be_repeated(query: str) -> bool:
    """Whether a query gives rows and does nothing; may be wrong about a no."""
    return _ROWS.match(query) is not None and _WRITES.search(query) is None


def _planned(
    session: Session,
    query: str,
    args: Mapping[str, Any],
    functions: Mapping[str, RegisteredFunction],
) -> DataFrame:
    """The rows of a query; Spark has its own of all but these functions."""
    if not may_concern(query, functions):
        return _by_spark(session, query, args)

    def in_force(record: RegisteredFunction) -> RegisteredFunction:
        return kind_of(session, record).in_force()

    given = dict(args)
    parameters = given.pop("args", None)
    frames = session.host.frames.named()
    try:
        formatted = frames.format(query, given)
        catalog = Catalog(
            session.host,
            session.planned,
            session.hidden,
            session.java.listed,
            parameters,
            frames,
        )
        with about(formatted), logged_if_raised(), catalog, planning("the query"):
            planned = QueryPlanner(formatted, functions, catalog, in_force).plan()
            if planned.rows is not None:
                made = Rewriting(choices=planned.choices, steps=catalog.steps())
                rows = session.host.frames.steady(planned.rows)
                session.rewritten[rows] = made
                return rows
    finally:
        frames.clear()
    return _by_spark(session, query, args)


def _by_spark(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    try:
        return session.spark.sql(query, **args)
    except PlanningError as error:
        placed = _at_its_place(session, query)
        raise placed or error from None


def _at_its_place(session: Session, query: str) -> PlanningError | None:
    """What is wrong with the count of a call's arguments, with the place of the call."""
    try:
        tree = read(query, double_quoted_identifiers=False)
    except PlanningError:
        return None
    try:
        check_calls(tree, {name.lower(): each for name, each in session.functions.items()})
    except PlanningError as placed:
        return placed
    return None
