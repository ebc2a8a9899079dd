"""The rows of each case as Parquet files, the same for every engine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.rivals.cases import GROUPS, Case
from benchmarks.workload import PARTITIONS

Ids = npt.NDArray[np.int64]
COUNTRIES = ("DE", "FR", "IT", "US", "PL")
# Each is several groups of rows, so that engines that divide files by those can.
_ROW_GROUP = 100_000
_LENGTH = 8


def _texts(ids: Ids) -> dict[str, pa.Array]:
    return {"s": pa.array([f"hello world {i}" for i in ids])}


def _sentences(ids: Ids) -> dict[str, pa.Array]:
    return {"s": pa.array([f"alpha{i} beta gamma{i % 7} delta" for i in ids])}


def _parcels(ids: Ids) -> dict[str, pa.Array]:
    countries = pa.array(COUNTRIES).take(pa.array(ids % len(COUNTRIES)))
    return {
        "country": countries,
        "weight": pa.array(ids % 41),
        "express": pa.array(ids % 3 == 0),
    }


def _arrays(ids: Ids) -> dict[str, pa.Array]:
    """Sums of quarters, and eighths of those: exact in whatever order they are added up."""
    values = (ids % 100)[:, None] + np.arange(_LENGTH) * 0.25
    offsets = np.arange(len(ids) + 1, dtype=np.int32) * _LENGTH
    return {"v": pa.ListArray.from_arrays(pa.array(offsets), pa.array(values.ravel()))}


def _weighted(ids: Ids) -> dict[str, pa.Array]:
    return {
        "k": pa.array(ids % GROUPS),
        "v": pa.array((ids % 997) * 0.25),
        "w": pa.array((ids % 13) * 0.5 + 0.5),
    }


_COLUMNS: dict[str, Callable[[Ids], dict[str, pa.Array]]] = {
    "product": lambda ids: {"a": pa.array(ids), "b": pa.array(ids % 1000)},
    "text": _texts,
    "ordinary": _parcels,
    "array": _arrays,
    "table": _sentences,
    "aggregate": _weighted,
}


def write_rows(case: Case, rows: int, folder: Path) -> None:
    """As many files as there are partitions, of equal length."""
    folder.mkdir(parents=True)
    for part, ids in enumerate(np.array_split(np.arange(rows, dtype=np.int64), PARTITIONS)):
        table = pa.table(_COLUMNS[case.name](ids))
        pq.write_table(table, folder / f"part-{part}.parquet", row_group_size=_ROW_GROUP)
