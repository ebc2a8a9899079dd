"""Group keys: columns as hashable values, equal where Spark's GROUP BY says so, and the reverse."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import from_arrow_type

from notebook_udf.specs.checkpoint import LastingNaN, SecondLocalTime
from notebook_udf.worker.codec.encode import encoder

# To SQL one NaN equals another; to Python only the same object does.
_NAN = math.nan
LASTING_NAN = LastingNaN("nan")


def hashable(
    column: pa.Array, decode: Callable[[pa.Array], list[Any]], nan: float = _NAN
) -> list[Any]:
    """The values of a key column.

    Lists and structs become tuples, NaN always the same object, and the second of two equal local
    times, where clocks were put back, something unequal to the first. For keys that are pickled
    ``nan`` is ``LASTING_NAN``, because the same object does not come back.
    """
    values = decode(column)
    if pa.types.is_floating(column.type):
        if pc.any(pc.is_nan(column)).as_py():
            return [nan if value != value else value for value in values]
        return values
    if pa.types.is_nested(column.type) or pa.types.is_timestamp(column.type):
        return [frozen(value, nan) for value in values]
    return values


def frozen(value: Any, nan: float = _NAN) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple([frozen(part, nan) for part in value])
    if isinstance(value, float) and value != value:
        return nan
    if isinstance(value, dt.datetime) and value.fold:
        return SecondLocalTime(*value.timetuple()[:6], value.microsecond, fold=1)
    return value


def keys_of(columns: Sequence[list[Any]], count: int) -> list[Any]:
    """The keys of ``count`` rows: a column's values, or tuples of several columns' values."""
    if len(columns) == 1:
        return columns[0]
    return list(zip(*columns, strict=True)) if columns else [()] * count


def key_names(key: Any, names: Sequence[str]) -> dict[str, Any]:
    """A key's values by the names of its columns, for messages."""
    return dict(zip(names, (key,) if len(names) == 1 else key, strict=True))


def key_columns(keys: list[Any], types: list[pa.DataType]) -> list[pa.Array]:
    """The reverse: keys as columns."""
    if not types:
        return []
    columns = [keys] if len(types) == 1 else list(zip(*keys, strict=True))
    made = [
        encoder(from_arrow_type(arrow))(list(column))
        for column, arrow in zip(columns, types, strict=True)
    ]
    # The cast is for the time zone that a TIMESTAMP came with: Spark takes one schema only. Where
    # there is none Arrow is not asked, for its cast of a list of nulls in a struct loses values.
    return [
        column if column.type == arrow else column.cast(arrow)
        for column, arrow in zip(made, types, strict=True)
    ]
