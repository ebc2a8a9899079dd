"""Group keys in the form of Spark's state, Catalyst's internal values, and the reverse.

A DATE is its days, a TIMESTAMP its microseconds, so that no time zone can blur two keys.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.group_keys import hashable
from notebook_udf.worker.state.client import pickled

_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_MICROSECOND = dt.timedelta(microseconds=1)


def internal(column: pa.Array) -> list[Any]:
    """The values of a key column in their Catalyst form."""
    kind = column.type
    if pa.types.is_struct(kind):
        parts = [internal(column.field(i)) for i in range(kind.num_fields)]
        rows = zip(*parts, strict=True) if parts else iter([()] * len(column))
        there = column.is_valid().to_pylist()
        return [row if valid else None for row, valid in zip(rows, there, strict=True)]
    if pa.types.is_list(kind):
        there = column.is_valid().to_pylist()
        return [internal(column[i].values) if valid else None for i, valid in enumerate(there)]
    if pa.types.is_date(kind):
        return list(column.cast(pa.int32()).to_pylist())
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        return list(column.cast(pa.int64()).to_pylist())
    return list(column.to_pylist())


def keys_at(rows: pa.RecordBatch, places: Sequence[int], width: int) -> list[bytes]:
    """The keys of some rows, pickled as the state has them; its first columns are the keys'."""
    taken = rows.take(pa.array(places, pa.int64()))
    columns = [internal(taken.column(i)) for i in range(width)]
    return [pickled(row) for row in zip(*columns, strict=True)]


def from_internal(rows: Sequence[Sequence[Any]], types: Sequence[pa.DataType]) -> list[list[Any]]:
    """Key columns as ``worker.codec.group_keys`` has them, from rows in their Catalyst form."""
    columns = zip(*rows, strict=True)
    return [
        hashable(_array(list(column), kind), decoder(kind))
        for column, kind in zip(columns, types, strict=True)
    ]


def received(value: Any, kind: pa.DataType) -> Any:
    """A part of a key in its Catalyst form, from what PySpark has made of it."""
    if value is None:
        return None
    if pa.types.is_struct(kind):
        parts = zip(value, kind, strict=True)
        return tuple(received(part, field.type) for part, field in parts)
    if pa.types.is_list(kind):
        return [received(part, kind.value_type) for part in value]
    if isinstance(value, dt.datetime):
        # A TIMESTAMP is in the worker's own zone, without saying so.
        aware = value.replace(tzinfo=dt.UTC) if kind.tz is None else value.astimezone(dt.UTC)
        return (aware - _EPOCH) // _MICROSECOND
    if isinstance(value, dt.date):
        return value.toordinal() - _EPOCH.toordinal()
    if isinstance(value, dt.timedelta):
        return value // _MICROSECOND
    return value


def _array(values: list[Any], kind: pa.DataType) -> pa.Array:
    if pa.types.is_struct(kind):
        mask = pa.array([value is None for value in values])
        parts = [
            _array([None if value is None else value[i] for value in values], kind.field(i).type)
            for i in range(kind.num_fields)
        ]
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)
    if pa.types.is_date(kind):
        return pa.array(values, pa.int32()).cast(kind)
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind) or pa.types.is_duration(kind):
        return pa.array(values, pa.int64()).cast(kind)
    return pa.array(values, kind)
