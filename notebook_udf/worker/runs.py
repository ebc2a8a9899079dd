"""Runs of rows with equal keys, where rows of one key stand together."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.decode import decoder
from notebook_udf.worker.frames import Places
from notebook_udf.worker.keys import hashable


def run_starts(keys: list[pa.Array], size: int) -> Places:
    """Where runs of equal keys begin among ``size`` rows; the first one begins at 0.

    Keys are equal where Spark's GROUP BY says so: NULL is NULL, and NaN is NaN.
    """
    begins = np.zeros(size, np.bool_)
    begins[:1] = True
    for column in keys:
        begins[1:] |= np.diff(_codes(column)) != 0
    return np.flatnonzero(begins).astype(np.int64, copy=False)


def same_key(keys: list[pa.Array], row: int, others: list[pa.Array], other: int) -> bool:
    """Whether a row of one batch has the key of a row of another."""
    pairs = [
        pa.concat_arrays([column.slice(row, 1), another.slice(other, 1)])
        for column, another in zip(keys, others, strict=True)
    ]
    return len(run_starts(pairs, 2)) == 1


def _codes(column: pa.Array) -> Places:
    """A number per row, the same for the same key."""
    if pa.types.is_nested(column.type):
        codes: dict[Any, int] = {}
        values = hashable(column, decoder(column.type))
        return np.array([codes.setdefault(value, len(codes)) for value in values], np.int64)
    if pa.types.is_floating(column.type):
        # The two zeros are one key.
        column = pc.add(column, pa.scalar(0.0, column.type))
    indices = column.dictionary_encode(null_encoding="encode").indices
    return np.asarray(indices.to_numpy(), np.int64)
