"""Casts around calls with year-month intervals, which cannot be sent to a worker.

The casts that ``scalar`` plans for calls by name are in a SQL function's body; the hidden variants,
which rules put in the place of plain calls, are called without one.
"""

from __future__ import annotations

from pyspark.sql.types import YearMonthIntervalType
from sqlglot import exp

from notebook_udf.planner.syntax.nodes import cast
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import ddl


def entering(record: RegisteredFunction, place: int, value: exp.Expression) -> exp.Expression:
    """An argument cast to the type in which it is sent to the worker."""
    types = record.definition.input_types or ()
    if place < len(types) and isinstance(types[place], YearMonthIntervalType):
        return cast(cast(value, "INTERVAL MONTH"), "INT")
    return value


def leaving(record: RegisteredFunction, value: exp.Expression) -> exp.Expression:
    """A result cast to the type that the query expects."""
    result = record.definition.result_type
    if isinstance(result, YearMonthIntervalType):
        return cast(cast(value, "INTERVAL MONTH"), ddl(result))
    return value
