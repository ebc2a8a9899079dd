"""The rows that a user gives: a DataFrame, the name of a table, or the text of a query.

They are a function's arguments, or the query calls the function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame

from notebook_udf.errors import PlanningError
from notebook_udf.kernel.preview import columns_of, matching
from notebook_udf.kernel.session_catalog import Catalog
from notebook_udf.kernel.spark_loggers import unlogged
from notebook_udf.planner import guard
from notebook_udf.planner.analysis.aggregate_calls import called_on, mentions
from notebook_udf.planner.analysis.argument_query import ArgumentRows, argument_rows
from notebook_udf.planner.syntax.dialect import read
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import first_line

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

_TABLE = re.compile(r"\s*[\w`]+(\.[\w`]+)*\s*")


def frame_of(session: Session, query: Any) -> DataFrame:
    """A DataFrame as it is, a table by its name, a query by its text.

    Raises
    ------
    PlanningError
        If it is none of these.
    QueryError
        If Spark refuses it.
    """
    if isinstance(query, DataFrame):
        return query
    if not isinstance(query, str) or not query.strip():
        raise PlanningError(
            f"rows are a DataFrame, the name of a table or the text of a query, not {query!r}"
        )
    if _TABLE.fullmatch(query):
        return session.spark.table(query.strip())
    return session.sql(query)


@dataclass(frozen=True)
class Arguments:
    """The arguments that a function is to be called with.

    Attributes
    ----------
    rows
        A column for each argument, then those of the keys.
    names, keys
        The columns of the arguments; those that an aggregate's rows are grouped by.
    notes
        Notes on how they were found.
    """

    rows: DataFrame
    names: tuple[str, ...]
    keys: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def arguments_for(session: Session, record: RegisteredFunction, query: Any) -> Arguments:
    """The arguments of a function: those of its call in a query, or the rows themselves.

    Columns of rows are matched to the parameters by name, or by position.

    Raises
    ------
    PlanningError
        If the columns do not match, or the arguments of the call cannot be told from the query.
    """
    called = _called(session, record, query) if isinstance(query, str) else None
    if called is None:
        rows = frame_of(session, query)
        names = matching(record, rows.columns)
        return Arguments(
            rows.select(*columns_of(names)), tuple(names), notes=_doubts(session, record, rows)
        )
    try:
        with unlogged():
            rows = session.sql(called.query)
    except AnalysisException as error:
        # An error in the query is raised for the query as it was typed.
        frame_of(session, query)
        raise PlanningError(
            f"the arguments of {called.call} cannot be computed outside of its place in the query: "
            f"give a query of them instead, as in SELECT a, b FROM t\n{first_line(error)}"
        ) from None
    note = f"called as in the query, with the arguments of {called.call}"
    if called.left_out:
        note += f"; left out: {', '.join(called.left_out)}"
    return Arguments(rows, called.arguments, called.keys, (note,))


def _called(session: Session, record: RegisteredFunction, query: str) -> ArgumentRows | None:
    if not mentions(query, {record.name.lower(): record}):
        return None
    with Catalog(session.host, session.planned, session.hidden, session.java.listed) as catalog:
        try:
            quotes = catalog.double_quoted_identifiers()
            tree = read(query, double_quoted_identifiers=quotes)
        except PlanningError:
            # If it is no SQL at all, Spark's error says better what is wrong.
            frame_of(session, query)
            raise
        doubt = guard.misread(tree, catalog)
        if doubt is not None:
            raise doubt
        aggregates = called_on(session.functions, "group", gives="value")
        return argument_rows(tree, record, aggregates, catalog)


def _doubts(session: Session, record: RegisteredFunction, rows: DataFrame) -> tuple[str, ...]:
    """A note for rows that may be the function's results already."""
    known = session.rewritten.get(rows)
    if known is None or not mentions(known.query, {record.name.lower(): record}):
        return ()
    return (
        f"the rows are those of a query that calls {record.name}, and its result was taken for an "
        f"argument: give the text of the query to measure the call in it",
    )
