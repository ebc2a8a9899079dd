"""Plain Python: a list comprehension over lists that are in memory, in one process."""

from __future__ import annotations

import platform
from collections.abc import Iterable
from typing import Any

import pyarrow.parquet as pq

from benchmarks.rivals.cases import GROUPS, Answer, Case
from benchmarks.rivals.serving import Maker, Query, serve


def by_list(case: Case, folder: str) -> Query:
    """The rows are read once, before the clock runs."""
    table = pq.read_table(folder)
    columns = [table[name].to_pylist() for name in case.columns]
    function = case.by_row
    if case.kind == "aggregate":
        keys = table["k"].to_pylist()
        return lambda: _grouped(keys, *columns)
    if case.kind == "table":
        (texts,) = columns
        return lambda: _digest([row for text in texts for row in function(text)])
    if len(columns) == 1:
        (only,) = columns
        return lambda: _digest([function(value) for value in only])
    return lambda: _digest([function(*row) for row in zip(*columns, strict=True)])


def _grouped(keys: list[int], values: list[float], weights: list[float]) -> Answer:
    totals, sums = [0.0] * GROUPS, [0.0] * GROUPS
    for key, value, weight in zip(keys, values, weights, strict=True):
        totals[key] += value * weight
        sums[key] += weight
    means = [total / weight for total, weight in zip(totals, sums, strict=True) if weight]
    return [len(means), sum(means)]


def _digest(results: list[Any]) -> Answer:
    """The same as ``Case.aggregate``."""
    if isinstance(results[0], str):
        texts: Iterable[str] = results
        return [len(results), sum(map(len, texts)), min(results), max(results)]
    return [len(results), sum(results)]


def open_makers() -> tuple[str, dict[str, Maker]]:
    return f"Python {platform.python_version()}", {"list": by_list}


if __name__ == "__main__":
    serve(open_makers)
