"""Calls of Spark's built-in aggregates on columns, and those of them that can retract rows.

A call is read from Spark's tree of its Column, or from its text where it was written as text.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegralType,
    LongType,
    NullType,
    StringType,
)
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.functions.built_in import Count, DecimalSum, FloatSum, Sum
from notebook_udf.functions.declare_aggregate import udaf
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.host.sessions import columns_of
from notebook_udf.planner.analysis.aggregate_calls import arguments_of, name_of
from notebook_udf.planner.syntax.dialect import embedded, fragment

UNDOABLE = ("count", "count_if", "sum", "avg")
_OTHER_NAMES = {"mean": "avg"}
# Of a DECIMAL; the type of a sum has ten more than that of its values.
_MOST_DIGITS = 38


@dataclass(frozen=True)
class BuiltInCall:
    """A call of a built-in function on columns.

    Attributes
    ----------
    arguments
        The arguments in the parentheses; none for a star alone, as in ``count(*)``.
    condition
        That of FILTER.
    """

    name: str
    arguments: tuple[Column, ...]
    distinct: bool = False
    condition: Column | None = None


def undoable(rows: DataFrame, call: Column) -> Column | None:
    """A call of a function of ours with the answer of a built-in aggregate, and with a retract.

    None for a call of any other function, and for an expression that is more than a call.

    Raises
    ------
    AnalysisException
        Of Spark's, if the call does not fit the rows.
    """
    found = built_in_call(call)
    if found is None or found.name not in UNDOABLE:
        return None
    result = rows.groupBy().agg(call).schema.fields[0].dataType
    if found.name == "count_if":
        if found.distinct:
            return None
        found = _counted_if(found)
    made = _count()(*found.arguments) if found.name == "count" else _summed(rows, found, result)
    if made is None:
        return None
    if found.condition is not None:
        made = made.filter(found.condition)
    return made.distinct() if found.distinct else made


def built_in_call(call: Column) -> BuiltInCall | None:
    """The call that a Column is; None if it is anything else, or more."""
    written = columns_of(call).written(call)
    if isinstance(written, str):
        return _of_text(written)
    if written is None:
        return None
    return BuiltInCall(_name(written.name), written.arguments, written.distinct)


def _of_text(text: str) -> BuiltInCall | None:
    try:
        node = fragment(text)
    except PlanningError:
        return None
    node = node.this if isinstance(node, exp.Alias) else node
    condition = None
    if isinstance(node, exp.Filter):
        node, condition = node.this, F.expr(embedded(node.expression.this))
    if not name_of(node):
        return None
    name, arguments = _name(name_of(node)), arguments_of(node)
    if [type(argument) for argument in arguments] == [exp.Star]:
        return BuiltInCall(name, (), condition=condition)
    distinct = len(arguments) == 1 and isinstance(arguments[0], exp.Distinct)
    if distinct:
        arguments = list(arguments[0].expressions)
    if any(argument.is_star for argument in arguments):
        return None
    columns = tuple(F.expr(embedded(argument)) for argument in arguments)
    return BuiltInCall(name, columns, distinct, condition)


def _name(written: Any) -> str:
    name = str(written).lower()
    return _OTHER_NAMES.get(name, name)


def _counted_if(call: BuiltInCall) -> BuiltInCall:
    """``count_if(a)`` as ``count(*)`` with a FILTER."""
    (condition,) = call.arguments
    if call.condition is not None:
        condition = condition & call.condition
    return BuiltInCall("count", (), condition=condition)


def _summed(rows: DataFrame, call: BuiltInCall, result: DataType) -> Any:
    """The call of a function of ours; None if the values are not numbers."""
    (value,) = call.arguments
    given = rows.select(value).schema.fields[0].dataType
    ansi = str(rows.sparkSession.conf.get("spark.sql.ansi.enabled")).lower() == "true"
    summing = _summing(call.name, given, result, ansi)
    if summing is None:
        return None
    definition, taken = summing
    return definition(value.cast(taken))


@functools.cache
def _count() -> FunctionDefinition:
    made: FunctionDefinition = udaf(Count(), result_type="bigint", name="count")
    return made


@functools.cache
def _summing(
    name: str, given: DataType, result: DataType, ansi: bool
) -> tuple[FunctionDefinition, DataType] | None:
    """The function for a sum or a mean, and the type that its argument is cast to."""
    mean = name == "avg"
    function: Sum
    if isinstance(given, IntegralType):
        function, taken = Sum(mean=mean, ansi=ansi), LongType()
    elif isinstance(given, (FloatType, DoubleType, StringType, NullType)):
        function, taken = FloatSum(mean=mean, ansi=ansi), DoubleType()
    elif isinstance(given, DecimalType) and isinstance(result, DecimalType):
        function, taken = _decimal_sum(given, result if mean else None, ansi), given
    else:
        return None
    return udaf(function, result_type=result, name=name), taken


def _decimal_sum(given: DecimalType, mean: DecimalType | None, ansi: bool) -> DecimalSum:
    digits = min(given.precision + 10, _MOST_DIGITS)
    of_mean = None if mean is None else (mean.precision, mean.scale)
    return DecimalSum(given.scale, digits, of_mean, ansi=ansi)
