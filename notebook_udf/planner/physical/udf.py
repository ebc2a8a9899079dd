"""Functions as Spark expressions: in every role, an Arrow scalar UDF.

One evaluation type for all roles lets Spark run nested and neighbouring calls in one Python node.
``worker.column_node`` runs in that node. An async function is an Arrow iterator UDF and has a node
of its own; see ``worker.async_.ordered``.
"""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql.types import ArrayType, DataType, IntegerType, YearMonthIntervalType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.payload import ship
from notebook_udf.specs.roles import Role
from notebook_udf.types import contains_year_month, ddl
from notebook_udf.worker.async_.ordered import AsyncNode
from notebook_udf.worker.column_node import ColumnNode

# How many lists of results a role gives around the function's own.
_LISTS: dict[Role, int] = {"each": 1, "each2": 2}


def spark_function(record: RegisteredFunction, role: Role = "scalar") -> UserDefinedFunction:
    """The function as a Spark function in a role, with the types of the worker's side.

    Raises
    ------
    PlanningError
        If a type cannot enter a worker.
    """
    definition = record.definition
    returned = definition.value_type
    if not definition.is_aggregate:
        _check_intervals(definition)
        returned = travelling(returned)
    for _ in range(_LISTS.get(role, 0)):
        returned = ArrayType(returned)
    shipment = ship(record.name, record.version, definition, record.payload, role=role)
    # Rows that are in flight cross the borders of bundles, which takes an iterator of them.
    return UserDefinedFunction(
        AsyncNode(None, [shipment]) if definition.is_async else ColumnNode(None, [shipment]),
        returnType=returned,
        name=record.name,
        evalType=PythonEvalType.SQL_SCALAR_ARROW_ITER_UDF
        if definition.is_async
        else PythonEvalType.SQL_SCALAR_ARROW_UDF,
        deterministic=definition.deterministic,
    )


def travelling(t: DataType) -> DataType:
    """The type in which results leave a worker: months for year-month intervals."""
    return IntegerType() if isinstance(t, YearMonthIntervalType) else t


def leave(column: Column, t: DataType) -> Column:
    """A result cast to the type that the query expects."""
    if not isinstance(t, YearMonthIntervalType):
        return column
    return column.cast("interval month").cast(ddl(t))


def _check_intervals(definition: FunctionDefinition) -> None:
    for t in (*(definition.input_types or ()), definition.result_type):
        if t and contains_year_month(t) and not isinstance(t, YearMonthIntervalType):
            raise PlanningError(
                f"{definition.name}: a year-month interval inside {ddl(t)} cannot enter a Python "
                f"worker; pass it as a parameter of its own, or as a number of months"
            )
