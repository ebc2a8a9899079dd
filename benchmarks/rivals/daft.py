"""Daft's functions of rows (``daft.func``) and of columns (``daft.func.batch``)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import daft
from daft import DataType, col
from daft.functions import length

from benchmarks.rivals.cases import Case
from benchmarks.rivals.serving import Maker, NotThere, Query, serve

_TYPES: dict[str, Callable[[], Any]] = {
    "bigint": DataType.int64, "double": DataType.float64, "string": DataType.string,
}  # fmt: skip


def by_row(case: Case, folder: str) -> Query:
    if case.kind == "aggregate":
        raise NotThere("Daft has no aggregates of rows")
    # A generator function is a table function.
    function = daft.func(case.by_row, return_dtype=_TYPES[case.result]())
    return _answered(case, _rows(folder).select(function(*_columns(case)).alias("r")))


def by_batch(case: Case, folder: str) -> Query:
    function = case.by_arrow
    result = _TYPES[case.result]()
    result = DataType.list(result) if case.kind == "table" else result

    def batch(*columns: Any) -> Any:
        answer = function(*(column.to_arrow() for column in columns))
        return [answer] if case.kind == "aggregate" else answer

    declared = daft.func.batch(return_dtype=result)(batch)
    called = declared(*_columns(case)).alias("r")
    if case.kind == "aggregate":
        return _answered(case, _rows(folder).groupby(col("k")).map_groups(called))
    results = _rows(folder).select(called)
    return _answered(case, results.explode("r") if case.kind == "table" else results)


def _rows(folder: str) -> Any:
    return daft.read_parquet(f"{folder}/*.parquet")


def _columns(case: Case) -> list[Any]:
    return [col(name) for name in case.columns]


def _answered(case: Case, results: Any) -> Query:
    """The same as ``Case.aggregate``, with Daft's own functions."""
    r = col("r")
    sums = [r.count().alias("rows")]
    if case.result == "string":
        sums += [length(r).sum().alias("length"), r.min().alias("least"), r.max().alias("most")]
    else:
        sums.append(r.sum().alias("sum"))

    def run() -> list[Any]:
        # What is collected is kept by its frame: a new one is made for each run.
        return [column[0] for column in results.agg(*sums).to_pydict().values()]

    return run


def open_makers() -> tuple[str, dict[str, Maker]]:
    return f"Daft {daft.__version__}", {"func": by_row, "batch": by_batch}


if __name__ == "__main__":
    serve(open_makers)
