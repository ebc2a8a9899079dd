"""Arguments of calls on DataFrames: columns, names of columns, and constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, NumericType, TimestampNTZType

from notebook_udf.errors import PlanningError
from notebook_udf.host.call_failures import CALL_FAILURES
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import ddl
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.codec.refusal import shortened
from notebook_udf.worker.runtime.failure import parameter_name


def with_constants(
    record: RegisteredFunction, args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any]]:
    """The arguments with constants as columns; a string is the name of a column, and stays.

    Raises
    ------
    PlanningError
        If a constant is not of the type that is declared for it, or of none that Spark has.
    """
    names = record.definition.parameters
    by_name = {name: place for place, name in enumerate(names)}
    return (
        [_argument(record, value, place) for place, value in enumerate(args)],
        {
            name: _argument(record, value, by_name.get(name, len(names)))
            for name, value in kwargs.items()
        },
    )


def by_place(
    record: RegisteredFunction, placed: Sequence[Any], named: Mapping[str, Any]
) -> list[Any]:
    """All arguments in the order of the parameters: iterators of columns have no names.

    Raises
    ------
    PlanningError
        If a name is not a parameter's, or a parameter before it gets no argument.
    """
    rest = list(record.definition.parameters[len(placed) :])
    if set(named) != set(rest[: len(named)]):
        raise PlanningError(
            f"{record.name} takes {', '.join(record.definition.parameters)}; it was given "
            f"{len(placed)} by place and {', '.join(named)} by name: an async function needs all "
            f"parameters before the last that is given"
        )
    return [*placed, *(named[name] for name in rest[: len(named)])]


def _argument(record: RegisteredFunction, value: Any, place: int) -> Any:
    from pyspark.sql.table_arg import TableArg

    if isinstance(value, (Column, str, TableArg)):
        return value
    types = record.definition.input_types or ()
    declared = types[place] if place < len(types) else None
    try:
        if declared is not None:
            # Spark would cast 1.7 to an INT without a word.
            encoder(declared)([value])
        return _constant(value, declared)
    except BadResult as error:
        raise PlanningError(
            f"{record.name} was called with {shortened(value)} for "
            f"{parameter_name(record.definition.parameters, place)}, which {ddl(error.expected)} "
            f"cannot hold: {error.reason}"
        ) from error
    except (PySparkException, *CALL_FAILURES, TypeError, ValueError, AttributeError) as error:
        raise PlanningError(
            f"{record.name} was called with {shortened(value)} ({type(value).__name__}), which is "
            f"no column and no constant that Spark knows: pass columns, names of columns or plain "
            f"values, or use {record.name}.eval(...) to run it here"
        ) from error


def _constant(value: Any, declared: DataType | None) -> Column:
    if isinstance(declared, TimestampNTZType) and isinstance(value, datetime):
        return F.lit(value.isoformat(" ")).cast("timestamp_ntz")
    column = F.lit(value)
    is_number = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
    return column.cast(ddl(declared)) if is_number and isinstance(declared, NumericType) else column
