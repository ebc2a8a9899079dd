"""Decodes Arrow columns to the Python values that a row function is called with.

Covers what PySpark's default ``udf`` gives its arguments, for every type Spark sends: lists, dicts,
``Row``, naive local datetimes for TIMESTAMP. Columns are converted whole, nested ones by converting
the flattened child once. The reverse is ``encode``; batches and their order are left to the caller.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql.types import Row, VariantVal

from notebook_udf.worker.codec.time_zone import to_wall

Decoder: TypeAlias = Callable[[pa.Array], list[Any]]


# What numpy reads as NaT.
_NOT_A_TIME = np.iinfo(np.int64).min


def decoder(arrow_type: pa.DataType) -> Decoder:
    """A decoder for columns of this type: one Python value per row, as a list.

    NULL becomes None. TIMESTAMP becomes a naive datetime in the process's time zone (``fold`` set
    where clocks were put back, as ``datetime.fromtimestamp`` does), TIME loses what is finer than
    a microsecond, and an array that is (part of) a map's key becomes a tuple,
    since a list cannot be one.

    Notes
    -----
    Values follow ``pyspark.sql.conversion.ArrowTableToRowsConversion``.
    """
    return _decoder(arrow_type, key=False)


def _decoder(arrow_type: pa.DataType, *, key: bool) -> Decoder:
    kinds = pa.types
    if kinds.is_integer(arrow_type) or kinds.is_float32(arrow_type) or kinds.is_float64(arrow_type):
        return _numbers
    if kinds.is_timestamp(arrow_type):
        return _instants if arrow_type.tz is not None else _walls
    if kinds.is_time64(arrow_type):
        return _times
    if kinds.is_date32(arrow_type):
        return _days
    if kinds.is_null(arrow_type):
        return _nulls
    if kinds.is_map(arrow_type):
        return _maps(arrow_type)
    if kinds.is_list(arrow_type) or kinds.is_large_list(arrow_type):
        return _lists(arrow_type, key=key)
    if kinds.is_struct(arrow_type):
        if is_variant(arrow_type):
            return _variants
        return _structs(arrow_type, key=key)
    return _plain


def is_variant(arrow_type: pa.StructType) -> bool:
    """Whether a struct is Spark's encoding of VARIANT."""
    return any(
        field.name == "metadata" and (field.metadata or {}).get(b"variant") == b"true"
        for field in arrow_type
    )


def _plain(column: pa.Array) -> list[Any]:
    values: list[Any] = column.to_pylist()
    return values


def _numbers(column: pa.Array) -> list[Any]:
    # With NULLs numpy would answer floats and NaN.
    if column.null_count:
        return _plain(column)
    values: list[Any] = column.to_numpy().tolist()
    return values


def _nulls(column: pa.Array) -> list[Any]:
    return [None] * len(column)


def _times(column: pa.Array) -> list[Any]:
    return _plain(column.cast(pa.time64("us"), safe=False))


def _days(column: pa.Array) -> list[Any]:
    values: list[Any] = column.to_numpy(zero_copy_only=False).tolist()
    return values


def _walls(column: pa.Array) -> list[Any]:
    micros = column.cast(pa.timestamp("us")).to_numpy(zero_copy_only=False)
    values: list[Any] = micros.tolist()
    return values


def _instants(column: pa.Array) -> list[Any]:
    instants = column.cast(pa.timestamp("us", column.type.tz)).to_numpy(zero_copy_only=False)
    if not column.null_count:
        walls, again = to_wall(instants.view(np.int64))
    else:
        # NaT is an instant to arithmetic: shifted, it would come back as a date.
        missing = np.isnat(instants)
        walls, again = to_wall(np.where(missing, 0, instants.view(np.int64)))
        walls = walls.copy()
        walls[missing] = _NOT_A_TIME
    values: list[Any] = walls.view("datetime64[us]").tolist()
    for index in again:
        if values[index] is not None:
            values[index] = values[index].replace(fold=1)
    return values


def _variants(column: pa.Array) -> list[Any]:
    names = [field.name for field in column.type]
    bodies = column.field(names.index("value")).to_pylist()
    metadata = column.field(names.index("metadata")).to_pylist()
    values = map(VariantVal, bodies, metadata)
    return _masked(column, list(values))


def _masked(column: pa.Array, values: list[Any]) -> list[Any]:
    if not column.null_count:
        return values
    valid = column.is_valid().to_numpy(zero_copy_only=False).tolist()
    return [value if there else None for value, there in zip(values, valid, strict=True)]


def _structs(arrow_type: pa.StructType, *, key: bool) -> Decoder:
    names = [field.name for field in arrow_type]
    members = [_decoder(field.type, key=key) for field in arrow_type]
    new = tuple.__new__

    def row(values: tuple[Any, ...]) -> Row:
        made = new(Row, values)
        made.__fields__ = names
        return made

    def decode(column: pa.Array) -> list[Any]:
        if not members:
            return _masked(column, [row(()) for _ in range(len(column))])
        parts = [member(column.field(place)) for place, member in enumerate(members)]
        return _masked(column, [row(values) for values in zip(*parts, strict=True)])

    return decode


def _ranges(column: pa.Array) -> tuple[int, list[int]]:
    """Where a column's elements begin among all there are, and each row's from there on."""
    offsets: list[int] = column.offsets.to_numpy().tolist()
    base = offsets[0]
    return base, [offset - base for offset in offsets] if base else offsets


def _lists(arrow_type: pa.ListType, *, key: bool) -> Decoder:
    element = _decoder(arrow_type.value_type, key=key)

    def decode(column: pa.Array) -> list[Any]:
        if not len(column):
            return []
        base, offsets = _ranges(column)
        flat = element(column.values.slice(base, offsets[-1]))
        lists: list[Any] = [flat[start:end] for start, end in pairwise(offsets)]
        if key:
            lists = [tuple(part) for part in lists]
        return _masked(column, lists)

    return decode


def _maps(arrow_type: pa.MapType) -> Decoder:
    keys_of = _decoder(arrow_type.key_type, key=True)
    values_of = _decoder(arrow_type.item_type, key=False)

    def decode(column: pa.Array) -> list[Any]:
        if not len(column):
            return []
        base, offsets = _ranges(column)
        keys = keys_of(column.keys.slice(base, offsets[-1]))
        values = values_of(column.items.slice(base, offsets[-1]))
        pairs = list(zip(keys, values, strict=True))
        return _masked(column, [dict(pairs[start:end]) for start, end in pairwise(offsets)])

    return decode
