"""Hidden variants of scalar functions, which ``promises`` puts in the place of plain calls.

``guarded`` takes a condition before the arguments and is called where it is true; ``each`` takes
a list of structs of arguments, ``each2`` a list of such lists. What runs in the worker is
``worker.guarded``.
"""

from __future__ import annotations

from pyspark.sql.types import ArrayType, DataType, IntegerType, YearMonthIntervalType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType
from sqlglot import exp

from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import ddl
from notebook_udf.worker.call import FunctionCall
from notebook_udf.worker.shipment import Role, ship

VARIANTS: tuple[Role, ...] = ("guarded", "each", "each2")


def variant_function(record: RegisteredFunction, role: Role) -> UserDefinedFunction:
    """The function as Spark takes it in one of the hidden roles."""
    definition = record.definition
    result: DataType = definition.result_type
    if isinstance(result, YearMonthIntervalType):
        # It travels as a count of months, as in ``scalar``.
        result = IntegerType()
    for _ in range({"each": 1, "each2": 2}.get(role, 0)):
        result = ArrayType(result)
    shipment = ship(record.name, record.version, definition, record.payload, role=role)
    return UserDefinedFunction(
        FunctionCall(shipment),
        returnType=result,
        name=record.name,
        evalType=PythonEvalType.SQL_SCALAR_ARROW_UDF,
        deterministic=definition.deterministic,
    )


def entering(record: RegisteredFunction, place: int, value: exp.Expression) -> exp.Expression:
    """An argument as it enters the worker."""
    types = record.definition.input_types or ()
    if place < len(types) and isinstance(types[place], YearMonthIntervalType):
        return _cast(_cast(value, "INTERVAL MONTH"), "INT")
    return value


def leaving(record: RegisteredFunction, value: exp.Expression) -> exp.Expression:
    """A result as the query gets it."""
    result = record.definition.result_type
    if isinstance(result, YearMonthIntervalType):
        return _cast(_cast(value, "INTERVAL MONTH"), ddl(result))
    return value


def _cast(value: exp.Expression, to: str) -> exp.Expression:
    return exp.Cast(this=value, to=exp.DataType.build(to, dialect="spark", udt=True))
