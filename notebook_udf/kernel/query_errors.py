"""Spark's errors about queries, with a short report of what is wrong.

They keep Spark's class and Spark's text. The report is made only when an error is shown, because
most errors are those of the planner's tries, which nobody sees.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from notebook_udf.errors import Mistake, NotebookUdfError, Place, QueryError, named_like
from notebook_udf.host.call_failures import answered
from notebook_udf.host.spark_errors import RaisedError, SparkErrors
from notebook_udf.kernel.function_names import builtins
from notebook_udf.kernel.mistakes import Report, at_line, mistake_of, spelled, words_of
from notebook_udf.kernel.spark_loggers import unlogged
from notebook_udf.planner.messages import Handed, as_typed
from notebook_udf.source_excerpt import code_place

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

T = TypeVar("T")

_LINE_AND_COLUMN = re.compile(r"line (\d+), column (\d+): ")
_LINE_AND_POS = re.compile(r"\bline (\d+),? pos (\d+)")
_OURS = "_nu_"


def as_query_error(error: Any, raised: RaisedError, *, session: Session) -> Any:
    """The same error; one about a query becomes a ``QueryError`` as well."""
    error = session.host.errors.recognized(error, raised)
    if session.host.errors.is_refusal(error) and not isinstance(error, QueryError):
        kind: Any = type(error)
        error.__class__ = named_like(kind, QueryError, kind)
        error._tell = partial(_tell, session=session)
    return error


@contextmanager
def about(query: str) -> Iterator[None]:
    """Errors raised in the block are about this query; in nested blocks, about the innermost."""
    try:
        yield
    except QueryError as error:
        error.__dict__.setdefault("near", query)
        raise
    except NotebookUdfError as error:
        if error.place is None:
            error.place = _named_place(str(error), query)
        raise


def _named_place(message: str, query: str) -> Place | None:
    """The place that a message begins with, or the only call of the function it begins with."""
    found = _LINE_AND_COLUMN.match(message)
    if found is not None:
        return at_line(query, int(found[1]), int(found[2]) - 1)
    name = re.match(r"\w+", message)
    calls = list(re.finditer(rf"(?i)\b{name[0]}(?=`?\s*\()", query)) if name else []
    return Place(query, *calls[0].span()) if len(calls) == 1 else None


# Reading the exception -------------------------------------------------------------------------


def _tell(error: Any, session: Session) -> Mistake:
    errors = session.host.errors
    message = errors.message(error)
    parameters = {
        name: as_typed(value, None)
        for name, value in (answered(error.getMessageParameters) or {}).items()
    }
    condition = answered(error.getCondition) or ""
    near, handed = getattr(error, "near", ""), getattr(error, "handed", None)
    sent = [*([handed.text] if handed is not None else []), *([near] if near else [])]
    place = answered(partial(_sql_place, errors, error, message, sent))
    near = near or _query_behind(session, place)
    if handed is not None:
        near, place = handed.typed, _place_typed(handed, place, message)
    elif place is not None and not near and _OURS in place.text:
        # That text was not typed by the user.
        place = None
    words = [spelled(word) for word in words_of(condition, parameters)]
    report = Report(
        message,
        condition=condition,
        sqlstate=answered(error.getSqlState) or "",
        parameters=parameters,
        place=place,
        near=near,
        code=code_place(error, words),
    )
    account = f"{message.strip()}\n\n{errors.stack(error)}".rstrip()
    return replace(mistake_of(report, _SessionNames(session)), account=account)


def _query_behind(session: Session, place: Place | None) -> str:
    """The query that was rewritten to the text Spark points into, if its DataFrame still exists."""
    if place is not None and _OURS in place.text:
        for rewriting in list(session.rewritten.values()):
            if any(text == place.text for _, text in rewriting.steps):
                return rewriting.query
    return ""


def _place_typed(handed: Handed, place: Place | None, message: str) -> Place | None:
    """The place in the query as typed, for a place in the text that Spark was given."""
    if place is not None and place.text == handed.text:
        return Place(handed.typed, *handed.span_typed(place.start, place.end))
    found = _LINE_AND_POS.search(message)
    return None if found is None else at_line(handed.typed, int(found[1]), int(found[2]))


def _sql_place(errors: SparkErrors, error: Any, message: str, sent: Sequence[str]) -> Place | None:
    """What Spark points to in the text that it was given."""
    for context in error.getQueryContext():
        text = errors.query_of(context, sent)
        if text is not None:
            return Place(text, context.startIndex(), context.stopIndex() + 1)
    text, found = errors.unparsed(error, sent), re.search(r"\(line (\d+), pos (\d+)\)", message)
    if text is None or found is None:
        return None
    return at_line(text, int(found[1]), int(found[2]))


# Known names -----------------------------------------------------------------------------------


class _SessionNames:
    """The known names of a session; none once it has been stopped."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def functions(self) -> Sequence[str]:
        spark = self._session.spark
        own = list(self._session.functions)
        others = answered(lambda: sorted(builtins(spark)))
        return [*own, *self._column("function", "SHOW USER FUNCTIONS"), *(others or ())]

    def kind(self, function: str) -> str:
        record = self._session.functions.get(function)
        return "" if record is None else record.kind

    def tables(self, beside: str) -> Sequence[str]:
        schema, _, _ = beside.rpartition(".")
        if not schema:
            return self._column("tableName", "SHOW TABLES")
        names = self._column("tableName", f"SHOW TABLES IN {schema}")
        return [f"{schema}.{name}" for name in names]

    def schemas(self) -> Sequence[str]:
        return self._column("namespace", "SHOW SCHEMAS")

    def _column(self, column: str, query: str) -> list[str]:
        with unlogged():
            rows = answered(lambda: self._session.spark.sql(query).collect())
        return [str(row[column]) for row in rows or ()]
