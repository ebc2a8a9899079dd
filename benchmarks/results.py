"""RESULTS.md: the figures of each benchmark as they were measured last, and when."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterable, Sequence
from datetime import date
from typing import NamedTuple

import pyspark

from benchmarks.measure import Figure

_HEAD = ("benchmark", "figure", "measured", "bar", "cleared", "detail", "on")


class Row(NamedTuple):
    """A line of the table, as text."""

    benchmark: str
    figure: str
    measured: str
    bar: str
    cleared: str
    detail: str
    on: str


def rows_of(benchmark: str, figures: Iterable[Figure], on: date) -> list[Row]:
    """The lines that the figures of one benchmark make."""
    return [
        Row(
            benchmark,
            figure.name,
            f"{figure.value:.2f} {figure.unit}",
            figure.bar,
            "yes" if figure.cleared else "**no**",
            figure.detail,
            f"{on:%Y-%m-%d}",
        )
        for figure in figures
    ]


def read(text: str) -> list[Row]:
    """The lines of a table that ``written`` wrote."""
    cells = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in text.splitlines()
        if line.startswith("| ")
    ]
    return [Row(*each) for each in cells if tuple(each) != _HEAD]


def written(rows: Sequence[Row], order: Sequence[str]) -> str:
    """RESULTS.md, its benchmarks in that order; those that are not in it any more are left out."""
    table = [f"| {' | '.join(row)} |" for name in order for row in rows if row.benchmark == name]
    return "\n".join(
        [
            "# Measured figures",
            "",
            "Each benchmark's figures as `python -m benchmarks NAME` wrote them last: "
            f"{os.cpu_count()} processors, Python {platform.python_version()}, Spark "
            f"{pyspark.__version__}.",
            "",
            f"| {' | '.join(_HEAD)} |",
            "|---" * len(_HEAD) + "|",
            *table,
            "",
        ]
    )


__all__ = ["Row", "read", "rows_of", "written"]
