"""Encoders of values without parts: which one a type has, and those of numbers, text and bytes.

Booleans and variants are here as well. Dates and times are in ``temporal``, lists, maps and structs
in ``encode``.
"""

from __future__ import annotations

import datetime as dt
import decimal
import operator
from array import array
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VariantType,
    VariantVal,
    YearMonthIntervalType,
)

from notebook_udf.types import to_arrow
from notebook_udf.worker.codec.column_encoder import (
    DECLINED,
    Column,
    Convert,
    Fast,
    Values,
    column,
    of_kind,
    validity,
    wrong,
)
from notebook_udf.worker.codec.refusal import Refused
from notebook_udf.worker.codec.temporal import (
    UNITS,
    clock,
    day,
    instants,
    instants_of,
    moment,
    span,
    spans_of,
    wall,
    walls,
)

# What the offsets of Arrow's text count to.
_MOST_TEXT_BYTES = (1 << 31) - 1

# Type codes of Python's arrays, and how many bits these have.
_INTEGERS = {LongType: ("q", 64), IntegerType: ("i", 32), ShortType: ("h", 16), ByteType: ("b", 8)}


def leaf(data_type: DataType) -> Column:
    """The encoder of a type that has no parts.

    Raises
    ------
    TypeError
        If the type has parts or no conversion.
    """
    arrow = to_arrow(data_type)
    if type(data_type) in _INTEGERS:
        code, bits = _INTEGERS[type(data_type)]
        return column(data_type, _integers(code, arrow), _whole(bits))
    if isinstance(data_type, YearMonthIntervalType):
        return _months(data_type, arrow)
    if isinstance(data_type, DoubleType):
        return column(data_type, _doubles, _real)
    if isinstance(data_type, FloatType):
        return column(data_type, _floats, _single)
    if isinstance(data_type, StringType):
        return column(data_type, _joined(arrow), _text)
    if isinstance(data_type, BooleanType):
        return column(data_type, _inferred(arrow), _truth)
    if isinstance(data_type, BinaryType):
        return column(data_type, of_kind(bytes, arrow), _octets)
    if isinstance(data_type, DecimalType):
        return column(data_type, of_kind(decimal.Decimal, arrow), _exact(data_type))
    if isinstance(data_type, DateType):
        return column(data_type, of_kind(dt.date, arrow), day)
    if isinstance(data_type, TimestampType):
        return column(data_type, instants, moment, instants_of)
    if isinstance(data_type, TimestampNTZType):
        return column(data_type, walls, wall)
    if isinstance(data_type, TimeType):
        return column(data_type, lambda values: None, clock(data_type))
    if isinstance(data_type, DayTimeIntervalType):
        whole = data_type.endField in UNITS
        fast = (lambda values: None) if whole else of_kind(dt.timedelta, arrow)
        return column(data_type, fast, span(data_type), spans_of)
    if isinstance(data_type, NullType):
        return column(data_type, lambda values: None, _nothing)
    if isinstance(data_type, VariantType):
        return column(data_type, lambda values: None, _variant, _variants)
    raise TypeError(f"no column of {data_type.simpleString()} can be made from Python values")


def _infer(values: Values) -> pa.Array | None:
    """The column that Arrow infers; None if it took something other than None for NULL."""
    try:
        found = pa.array(values)
    except DECLINED:
        return None
    if not isinstance(found, pa.Array):
        return None
    if found.null_count and found.null_count != sum(value is None for value in values):
        return None
    return found


def _inferred(arrow: pa.DataType) -> Fast:
    def fast(values: Values) -> pa.Array | None:
        found = _infer(values)
        return found if found is not None and found.type == arrow else None

    return fast


def _joined(arrow: pa.DataType) -> Fast:
    """A fast path for text that joins it: twice over all of it costs half of a look at each value.

    Between the values of the second copy stand NULs, which are found together. Values that hold
    one, and columns with None, which cannot be joined, are given to Arrow one by one.
    """
    one_by_one = _inferred(arrow)

    def fast(values: Values) -> pa.Array | None:
        count = len(values)
        try:
            plain, parted = "".join(values).encode(), "\0".join(values).encode()
        except TypeError:
            return one_by_one(values)
        except UnicodeEncodeError:
            return None
        if len(plain) > _MOST_TEXT_BYTES:
            return one_by_one(values)
        ends = np.flatnonzero(np.frombuffer(parted, np.uint8) == 0)
        if len(ends) != count - 1:
            return one_by_one(values)
        offsets = np.empty(count + 1, np.int32)
        offsets[0], offsets[count] = 0, len(plain)
        np.subtract(ends, np.arange(count - 1), out=offsets[1:count], casting="unsafe")
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(plain)]
        return pa.Array.from_buffers(arrow, count, buffers)

    return fast


def _integers(code: str, arrow: pa.DataType) -> Fast:
    with_nulls = of_kind(int, arrow)

    def fast(values: Values) -> pa.Array | None:
        try:
            packed = array(code, values)
        except (TypeError, OverflowError):
            return with_nulls(values)
        return pa.Array.from_buffers(arrow, len(packed), [None, pa.py_buffer(packed)])

    return fast


def _whole(bits: int) -> Convert:
    limit = 1 << (bits - 1)

    def convert(value: Any) -> int:
        try:
            number = operator.index(value)
        except TypeError:
            raise wrong(
                value,
                "whole numbers (int)",
                float="use round() or int() to say how to round, or declare DOUBLE",
                Decimal="use int(), or declare DECIMAL",
                str="use int() to read a number from text, or declare STRING",
                bool="use bool(), or declare BOOLEAN",
            ) from None
        if not -limit <= number < limit:
            wider = "BIGINT" if bits < 64 else "DECIMAL(38, 0)"
            raise Refused(f"it holds {-limit} to {limit - 1}; declare {wider} for larger numbers")
        return number

    return convert


def _months(data_type: YearMonthIntervalType, arrow: pa.DataType) -> Column:
    whole = _whole(32)
    if data_type.endField == YearMonthIntervalType.MONTH:
        return column(data_type, _integers("i", arrow), whole)

    def convert(value: Any) -> int:
        months = int(whole(value))
        if months % 12:
            raise Refused("it counts whole years, given in months; declare INTERVAL YEAR TO MONTH")
        return months

    return column(data_type, lambda values: None, convert)


def _doubles(values: Values) -> pa.Array | None:
    found = _infer(values)
    if found is None or found.type == pa.float64():
        return found
    if pa.types.is_integer(found.type) or pa.types.is_floating(found.type):
        try:
            return found.cast(pa.float64())
        except pa.ArrowInvalid:
            return None
    return None


def _floats(values: Values) -> pa.Array | None:
    doubles = _doubles(values)
    if doubles is None:
        return None
    singles = doubles.cast(pa.float32())
    kept = np.isinf(singles.to_numpy(zero_copy_only=False))
    given = np.isinf(doubles.to_numpy(zero_copy_only=False))
    return singles if np.array_equal(kept, given) else None


def _real(value: Any) -> float:
    if isinstance(value, float):
        return float(value)
    if isinstance(value, np.floating):
        exact = float(value)
        if exact == value or np.isnan(value):
            return exact
        raise Refused("it has more digits than a double keeps; round it with float()")
    try:
        number = operator.index(value)
    except TypeError:
        raise wrong(
            value,
            "numbers (float or int)",
            Decimal="use float(), or declare DECIMAL",
            str="use float() to read a number from text, or declare STRING",
        ) from None
    try:
        exact = float(number)
    except OverflowError:
        raise Refused("it is larger than any double; declare DECIMAL or STRING") from None
    if int(exact) != number:
        raise Refused("no double equals it; round it with float(), or declare BIGINT or DECIMAL")
    return exact


def _single(value: Any) -> float:
    exact = _real(value)
    with np.errstate(over="ignore"):
        single = np.float32(exact)
    if np.isinf(single) and not np.isinf(exact):
        raise Refused("it is larger than any FLOAT; declare DOUBLE")
    return float(single)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise wrong(
            value,
            "text (str)",
            bytes="use .decode() to say which encoding it has, or declare BINARY",
            bytearray="use .decode() to say which encoding it has, or declare BINARY",
            object="use str(), or declare the type it has",
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise Refused(
            f"character {error.start} is a lone surrogate, which cannot be UTF-8; "
            "use .encode(errors='replace').decode() to drop it"
        ) from None
    # A subclass's own __str__ (an Enum's) would say something else than the text it is.
    return str.__str__(value)


def _truth(value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise wrong(value, "True or False", object="use bool() to say what counts as true")
    return bool(value)


def _octets(value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray, memoryview)):
        raise wrong(value, "bytes", str="use .encode() to say which encoding, or declare STRING")
    return bytes(value)


def _exact(data_type: DecimalType) -> Convert:
    precision, scale = data_type.precision, data_type.scale
    unit = decimal.Decimal(1).scaleb(-scale)
    strict = decimal.Context(
        prec=precision, traps=[decimal.Inexact, decimal.InvalidOperation, decimal.Overflow]
    )

    def convert(value: Any) -> decimal.Decimal:
        if not isinstance(value, decimal.Decimal):
            try:
                value = decimal.Decimal(operator.index(value))
            except TypeError:
                raise wrong(
                    value,
                    "Decimal or int",
                    float="use Decimal(str(x)), or declare DOUBLE",
                    str="use Decimal() to read a number from text",
                ) from None
        if not value.is_finite():
            raise Refused("it has neither NaN nor infinity; return None, or declare DOUBLE")
        try:
            fitted: decimal.Decimal = value.quantize(unit, context=strict)
            return fitted
        except decimal.Inexact:
            raise Refused(
                f"it has more than {scale} digits after the point; round it with "
                f".quantize(Decimal('{unit}'))"
            ) from None
        except decimal.InvalidOperation:
            raise Refused(
                f"it has more than {precision - scale} digits before the point or more than "
                f"{scale} after it; declare more digits, or round with .quantize(Decimal('{unit}'))"
            ) from None

    return convert


def _nothing(value: Any) -> None:
    raise Refused("it holds nothing but None; declare the type of the value")


def _variant(value: Any) -> VariantVal:
    if not isinstance(value, VariantVal):
        raise wrong(
            value, "VariantVal", object="use VariantVal.parseJson(json.dumps(x)), or declare a type"
        )
    if not isinstance(value.value, bytes) or not isinstance(value.metadata, bytes):
        raise Refused("its value and metadata must be bytes")
    return value


def _variants(values: Values) -> pa.Array:
    bodies = [b"" if value is None else value.value for value in values]
    metadata = [b"" if value is None else value.metadata for value in values]
    return pa.Array.from_buffers(
        to_arrow(VariantType()),
        len(values),
        [validity(values)],
        children=[pa.array(bodies, pa.binary()), pa.array(metadata, pa.binary())],
    )
