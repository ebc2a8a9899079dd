"""Runs of neighbouring rows with equal keys."""

from __future__ import annotations

from itertools import pairwise
from operator import ne
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.codec.arrays import Mask, Places
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.group_keys import hashable, keys_of

# A key, its first row, and the row after its last.
Run: TypeAlias = tuple[Any, int, int]


def runs_of(keys: list[pa.Array], size: int) -> list[Run]:
    """The runs among ``size`` rows, with their keys as ``group_keys`` has them; without key columns
    the key is ``()``.

    Only the first row of each run is decoded.
    """
    starts = run_starts(keys, size)
    if len(starts) < size:
        keys = [column.take(pa.array(starts)) for column in keys]
    columns = [hashable(column, decoder(column.type)) for column in keys]
    ends = [*starts.tolist(), size]
    return [
        (key, start, end)
        for key, (start, end) in zip(keys_of(columns, len(starts)), pairwise(ends), strict=True)
    ]


def run_starts(keys: list[pa.Array], size: int) -> Places:
    """Where runs of equal keys begin among ``size`` rows; the first one begins at 0.

    Keys are equal where Spark's GROUP BY says so: NULL is NULL, and NaN is NaN.
    """
    begins = np.zeros(size, np.bool_)
    begins[:1] = True
    for column in keys:
        begins[1:] |= _changes(column)
    return np.flatnonzero(begins).astype(np.int64, copy=False)


def same_key(keys: list[pa.Array], row: int, others: list[pa.Array], other: int) -> bool:
    """Whether a row of one batch has the key of a row of another."""
    pairs = [
        pa.concat_arrays([column.slice(row, 1), another.slice(other, 1)])
        for column, another in zip(keys, others, strict=True)
    ]
    return len(run_starts(pairs, 2)) == 1


def _changes(column: pa.Array) -> Mask:
    """Which rows, from the second on, have another key than the row before."""
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_null(kind) or pa.types.is_interval(kind):
        values = hashable(column, decoder(kind))
        return np.fromiter(map(ne, values, values[1:]), np.bool_, max(len(values) - 1, 0))
    before, after = column[:-1], column[1:]
    differ = pc.not_equal(before, after)
    if pa.types.is_floating(kind):
        differ = pc.and_not(differ, pc.and_(pc.is_nan(before), pc.is_nan(after)))
    if column.null_count:
        differ = pc.coalesce(differ, pc.xor(before.is_null(), after.is_null()))
    found: Mask = differ.to_numpy(zero_copy_only=False)
    return found
