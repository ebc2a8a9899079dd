"""The condition of a LEFT JOIN LATERAL, applied to the rows that ``table_operator`` made.

Each input's rows follow each other, and a marked row of NULLs ends them. Spark has computed the
condition beside them. Pairs that meet it stay, and the marked row stays where none does: neither a
join nor a shuffle is needed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa


class MatchedRows:
    """Filters rows in ``mapInArrow``: the last two columns are the condition and the marks."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        matched = False
        for batch in batches:
            *columns, condition, ended = batch.columns
            last = _true(ended)
            met = _true(condition) & ~last
            ends = np.flatnonzero(last)
            # How many pairs had met the condition when each input ended.
            until = np.cumsum(met)[ends]
            own = np.diff(until, prepend=-int(matched))
            keep = met
            keep[ends] = own == 0
            after = int(ends[-1]) + 1 if len(ends) else 0
            matched = bool(met[after:].any()) or (matched and not len(ends))
            kept = pa.array(keep)
            names = batch.schema.names[:-2]
            yield pa.RecordBatch.from_arrays([column.filter(kept) for column in columns], names)


def _true(column: pa.Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.array(
        column.fill_null(False).to_numpy(zero_copy_only=False), np.bool_
    )
    return found
