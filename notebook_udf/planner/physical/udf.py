"""Functions as Spark expressions: in every role, an Arrow scalar UDF.

One evaluation type for all roles has Spark run nested and neighbouring calls in one Python node.
What runs in that node is ``worker.column_node``, unless a kind has another; see ``async_``.
"""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column
from pyspark.sql.types import ArrayType, DataType, IntegerType, YearMonthIntervalType
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType

from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.host.spark_functions import column_function
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.payload import ship
from notebook_udf.specs.roles import Role
from notebook_udf.types import contains_year_month, ddl
from notebook_udf.worker.call.operator import Operator
from notebook_udf.worker.column_node import ColumnNode

# How many lists of results a role gives around the function's own.
_LISTS: dict[Role, int] = {"each": 1, "each2": 2}


def spark_function(
    record: RegisteredFunction,
    role: Role = "scalar",
    node: type[Operator[Any, Any]] = ColumnNode,
    eval_type: int = PythonEvalType.SQL_SCALAR_ARROW_UDF,
) -> UserDefinedFunction:
    """The function as Spark takes it in a role, under its worker-side types.

    ``node`` runs it in a worker, as a function of that type of Spark's.

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
    made: UserDefinedFunction = column_function(
        node(None, [shipment]),
        returnType=returned,
        name=record.name,
        evalType=eval_type,
        deterministic=definition.deterministic,
    )
    return made


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
