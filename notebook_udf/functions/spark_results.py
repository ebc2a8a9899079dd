"""Results converted as Spark converts those of its own Python functions, by their kind.

Kinds that leave a worker as Arrow columns are converted by PySpark's own code and Arrow's casts.
A pickled result is converted in Spark's JVM: what that makes of each class of values is written
down here, and a value of which it makes what cannot be repeated in Python is an error. Spark's
defaults are meant; ``SETTINGS`` are the confs that would change them.
"""

from __future__ import annotations

import ctypes
import datetime as dt
import functools
import inspect
from collections.abc import Callable, Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from types import NoneType
from typing import Any, TypeAlias

from pyspark.sql import types as t
from pyspark.util import PythonEvalType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.spark_objects import SparkObject

Convert: TypeAlias = Callable[[Any], Any]

# The confs on which Spark's conversions depend, with the values that are meant here.
SETTINGS: Mapping[str, str] = {
    "spark.sql.execution.pandas.convertToArrowArraySafely": "true",
    "spark.sql.execution.pythonUDF.pandas.intToDecimalCoercionEnabled": "false",
    "spark.sql.legacy.execution.pythonUDF.pandas.conversion.enabled": "false",
    "spark.sql.legacy.execution.pythonUDTF.pandas.conversion.enabled": "false",
}

_PANDAS = (PythonEvalType.SQL_SCALAR_PANDAS_UDF, PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF)

_WHOLE = {t.ByteType: 8, t.ShortType: 16, t.IntegerType: 32, t.LongType: 64}
# Types without parts whose conversion is known for every kind.
_LEAVES = (
    t.BooleanType, *_WHOLE, t.FloatType, t.DoubleType, t.StringType, t.BinaryType, t.DecimalType,
    t.DateType, t.TimestampType, t.TimestampNTZType,
)  # fmt: skip
# Of values of these classes Spark's JVM knows what they are, and whether they are of a type.
_KNOWN = (
    NoneType, bool, int, float, str, bytes, bytearray, Decimal, dt.date, dt.time, dt.timedelta,
    complex,
)  # fmt: skip
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


class CoercedFunction:
    """A function whose results are converted as Spark converts those of a kind of its functions.

    Parameters
    ----------
    function
        The user's function.
    eval_type
        PySpark's number of the kind.
    result_type
        The declared type.
    """

    def __init__(
        self, function: Callable[..., Any], eval_type: int, result_type: t.DataType
    ) -> None:
        self._function = function
        self._eval_type = eval_type
        self._result_type = result_type

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._function, self._eval_type, self._result_type)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._convert(self._function(*args, **kwargs))

    @property
    def __signature__(self) -> inspect.Signature:
        return inspect.signature(self._function)

    @functools.cached_property
    def _convert(self) -> Convert:
        return converter(self._eval_type, self._result_type)


def refuse_coercion(found: SparkObject, what: str) -> None:
    """Refuses a type whose results cannot be converted exactly as by Spark.

    Raises
    ------
    DeclarationError
        If the type, or a part of it, is one.
    """
    assert found.result_type is not None
    part = _unlike(found.result_type, found.eval_type)
    if part is not None:
        raise DeclarationError(
            f"{what} and gives {part.simpleString().upper()}: coerce=True cannot convert results "
            f"to that type exactly as Spark does; leave it out, so that a result of another type "
            f"is an error, or convert it in the function"
        )


def converter(eval_type: int, result_type: t.DataType) -> Convert:
    """A conversion of what a call returns, as Spark's for a kind of its functions.

    A call for rows returns one value, a row for table functions; one of a pandas_udf a Series.
    """
    match eval_type:
        case PythonEvalType.SQL_BATCHED_UDF | PythonEvalType.SQL_TABLE_UDF:
            return _pickled(result_type)
        case PythonEvalType.SQL_ARROW_BATCHED_UDF:
            return _batched(result_type)
        case PythonEvalType.SQL_ARROW_TABLE_UDF:
            return _arrow_row(result_type)
        case PythonEvalType.SQL_SCALAR_PANDAS_UDF:
            return _series(result_type)
        case PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF:
            return _of_a_group_in_pandas(result_type)
        case PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF:
            return _of_a_group_in_arrow(result_type)
    # Arrow columns of scalar functions are cast alike, with coercion or without.
    return _unchanged


def _unlike(data_type: t.DataType, eval_type: int) -> t.DataType | None:
    """The part of a type whose conversion is not Spark's here; None if there is none."""
    parts: tuple[t.DataType, ...] = ()
    if isinstance(data_type, t.ArrayType):
        parts = (data_type.elementType,)
    elif isinstance(data_type, t.MapType):
        parts = (data_type.keyType, data_type.valueType)
    elif isinstance(data_type, t.StructType):
        if len(set(data_type.names)) < len(data_type.names):
            return data_type
        parts = tuple(field.dataType for field in data_type.fields)
    elif type(data_type) not in _LEAVES:
        return data_type
    if eval_type in _PANDAS and not isinstance(data_type, _LEAVES):
        return data_type
    if eval_type in _PANDAS and isinstance(data_type, t.TimestampType):
        # It would depend on the time zone of the session that runs it.
        return data_type
    return next((found for part in parts if (found := _unlike(part, eval_type))), None)


def _unchanged(value: Any) -> Any:
    return value


# As Arrow columns ------------------------------------------------------------------------------


def _batched(result_type: t.DataType) -> Convert:
    import pyarrow as pa
    from pyspark.sql.conversion import LocalDataToArrowConversion
    from pyspark.sql.pandas.types import to_arrow_type

    arrow = to_arrow_type(result_type, timezone="UTC")
    convert = LocalDataToArrowConversion._create_converter(result_type)
    plain = _plain(result_type)

    def coerced(value: Any) -> Any:
        values = [convert(value)]
        try:
            column = pa.array(values, type=arrow)
        except pa.ArrowInvalid:
            column = pa.array(values).cast(arrow, safe=True)
        return plain(column[0].as_py())

    return coerced


def _arrow_row(columns: t.DataType) -> Convert:
    from pyspark.sql.conversion import LocalDataToArrowConversion

    assert isinstance(columns, t.StructType)
    plain = [_plain(field.dataType) for field in columns.fields]
    alone = len(plain) == 1

    def coerced(row: Any) -> tuple[Any, ...]:
        given = (row,) if alone and not isinstance(row, tuple) else row
        table = LocalDataToArrowConversion.convert([given], columns, False)
        found = zip(plain, table.columns, strict=True)
        return tuple(convert(column[0].as_py()) for convert, column in found)

    return coerced


def _series(result_type: t.DataType) -> Convert:
    import pandas as pd

    convert = _from_pandas(result_type)

    def coerced(result: Any) -> Any:
        if not isinstance(result, pd.Series):
            return result
        column = convert(result)
        return pd.Series(column.to_pylist(), dtype=object)

    return coerced


def _of_a_group_in_pandas(result_type: t.DataType) -> Convert:
    import pandas as pd

    convert = _from_pandas(result_type)
    return lambda value: convert(pd.Series([value]))[0].as_py()


def _from_pandas(result_type: t.DataType) -> Convert:
    from pyspark.sql.conversion import PandasToArrowConversion

    schema = t.StructType([t.StructField("_0", result_type)])

    def convert(series: Any) -> Any:
        batch = PandasToArrowConversion.convert(
            [series], schema, timezone="UTC", safecheck=True, arrow_cast=True
        )
        return batch.column(0)

    return convert


def _of_a_group_in_arrow(result_type: t.DataType) -> Convert:
    import pyarrow as pa
    from pyspark.sql.conversion import ArrowBatchTransformer
    from pyspark.sql.pandas.types import to_arrow_schema

    schema = to_arrow_schema(t.StructType([t.StructField("_0", result_type)]), timezone="UTC")
    plain = _plain(result_type)

    def coerced(value: Any) -> Any:
        batch = pa.RecordBatch.from_arrays([pa.array([value])], ["_0"])
        return plain(ArrowBatchTransformer.enforce_schema(batch, schema).column(0)[0].as_py())

    return coerced


def _plain(data_type: t.DataType) -> Convert:
    """What is Arrow's in a value, maps as pairs and rows as dicts, as Python's dicts and tuples."""
    if isinstance(data_type, t.ArrayType):
        return _each(_plain(data_type.elementType))
    if isinstance(data_type, t.MapType):
        key, part = _plain(data_type.keyType), _plain(data_type.valueType)
        return lambda pairs: None if pairs is None else {key(k): part(v) for k, v in pairs}
    if isinstance(data_type, t.StructType):
        parts = [(field.name, _plain(field.dataType)) for field in data_type.fields]
        return lambda row: None if row is None else tuple(f(row[name]) for name, f in parts)
    return _unchanged


def _each(convert: Convert) -> Convert:
    if convert is _unchanged:
        return _unchanged
    return lambda values: None if values is None else [convert(value) for value in values]


# Pickled ---------------------------------------------------------------------------------------


def _pickled(result_type: t.DataType) -> Convert:
    convert = _in_java(result_type)
    if not result_type.needConversion():
        return convert
    # Spark's worker makes these of dates, times and rows, before it pickles them.
    inward = result_type.toInternal
    return lambda value: convert(inward(value))


def _in_java(data_type: t.DataType) -> Convert:
    """What Spark's JVM makes of a value that was pickled for a type."""
    match data_type:
        case t.BooleanType():
            return lambda value: value if type(value) is bool else _null(value)
        case t.ByteType() | t.ShortType() | t.IntegerType() | t.LongType():
            return functools.partial(_whole, bits=_WHOLE[type(data_type)])
        case t.FloatType():
            return lambda value: _real(value, lambda number: ctypes.c_float(number).value)
        case t.DoubleType():
            return lambda value: _real(value, _unchanged)
        case t.StringType():
            return _text
        case t.BinaryType():
            return _binary
        case t.DecimalType(precision=precision, scale=scale):
            return functools.partial(_decimal, precision=precision, scale=scale)
        case t.DateType():
            return lambda days: None if days is None else data_type.fromInternal(days)
        case t.TimestampType():
            return lambda us: None if us is None else _EPOCH + dt.timedelta(microseconds=us)
        case t.TimestampNTZType():
            naive = _EPOCH.replace(tzinfo=None)
            return lambda us: None if us is None else naive + dt.timedelta(microseconds=us)
        case t.ArrayType():
            return functools.partial(_list, part=_in_java(data_type.elementType))
        case t.MapType():
            key, part = _in_java(data_type.keyType), _in_java(data_type.valueType)
            return functools.partial(_map, key=key, part=part)
        case t.StructType():
            return functools.partial(_row, parts=[_in_java(f.dataType) for f in data_type.fields])
    raise AssertionError(f"{data_type} is refused when a function is declared")


def _null(value: Any) -> Any:
    """NULL, which stands for a value of another type, if the JVM knows what the value is."""
    if type(value) in (list, tuple, set):
        for part in value:
            _null(part)
    elif type(value) is dict:
        for key, part in value.items():
            _null(key), _null(part)
    elif type(value) not in _KNOWN and not (type(value) is dt.datetime and value.tzinfo is None):
        raise _unread(value)
    return None


def _unread(value: Any) -> TypeError:
    name = f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")
    return TypeError(
        f"what Spark's JVM makes of {value!r}, a {name}, cannot be repeated here: convert it in "
        f"the function, as with str(), float() or .item()"
    )


def _whole(value: Any, bits: int) -> Any:
    if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
        return _null(value)
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def _real(value: Any, rounded: Callable[[float], float]) -> Any:
    if type(value) is Decimal and value.is_nan():
        return float("nan")
    return rounded(value) if type(value) is float else _null(value)


def _text(value: Any) -> Any:
    if value is None or type(value) is str:
        return value
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) is int:
        return str(value)
    if type(value) is Decimal and value.is_finite():
        # Java has no negative zero.
        return str(value if value else abs(value))
    raise _unread(value)


def _binary(value: Any) -> Any:
    if type(value) in (bytes, bytearray):
        return bytes(value)
    return value.encode() if type(value) is str else _null(value)


def _decimal(value: Any, precision: int, scale: int) -> Any:
    if type(value) is not Decimal or not value.is_finite():
        return _null(value)
    try:
        found = value.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, Context(precision))
    except InvalidOperation:
        raise ValueError(f"{value} does not fit DECIMAL({precision}, {scale})") from None
    return found if found else abs(found)


def _list(value: Any, part: Convert) -> Any:
    if type(value) in (list, tuple):
        return [part(each) for each in value]
    if type(value) in (bytes, bytearray):
        raise _unread(value)
    return _null(value)


def _map(value: Any, key: Convert, part: Convert) -> Any:
    if type(value) is not dict:
        return _null(value)
    found = {key(k): part(v) for k, v in value.items()}
    if None in found or len(found) < len(value):
        raise ValueError(f"the keys of {value!r} are not all different keys of the declared type")
    return found


def _row(value: Any, parts: list[Convert]) -> Any:
    if value is None:
        return None
    if len(value) != len(parts):
        raise ValueError(f"{value!r} has {len(value)} values, and the row has {len(parts)} columns")
    return tuple(convert(each) for convert, each in zip(parts, value, strict=True))
