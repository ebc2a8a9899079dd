"""Calls in a tree whose types cannot travel as they are, with the casts around them.

The casts that ``scalar`` plans for calls by name stand in a SQL function's body; the hidden
variants, which ``promises`` puts in the place of plain calls, are called without one.
"""

from __future__ import annotations

from pyspark.sql.types import YearMonthIntervalType
from sqlglot import exp

from notebook_udf.planner.syntax.nodes import cast
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import ddl


def entering(record: RegisteredFunction, place: int, value: exp.Expression) -> exp.Expression:
    """An argument as it enters the worker."""
    types = record.definition.input_types or ()
    if place < len(types) and isinstance(types[place], YearMonthIntervalType):
        return cast(cast(value, "INTERVAL MONTH"), "INT")
    return value


def leaving(record: RegisteredFunction, value: exp.Expression) -> exp.Expression:
    """A result as the query gets it."""
    result = record.definition.result_type
    if isinstance(result, YearMonthIntervalType):
        return cast(cast(value, "INTERVAL MONTH"), ddl(result))
    return value
