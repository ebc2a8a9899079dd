"""A comparison as a table for the terminal, as JSON, and as figures for the results."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.measure import Figure
from benchmarks.results import Row
from benchmarks.rivals.cases import CASES, Case
from benchmarks.rivals.comparison import Comparison, Way, measured

_COLUMN = 15
_LABEL = 32
_NAME = re.compile(r"(?P<case>.+ rows): (?P<way>.+), against (?P<base>.+)")
_OURS = "notebook-udf"


def show(comparison: Comparison, console: Console) -> None:
    """Functions by engines, in as many parts as the width asks for; then why cells are empty."""
    ways = list(comparison.titles)
    some = max(1, (console.width - _LABEL) // _COLUMN)
    for start in range(0, len(ways), some):
        console.print(_part(comparison, ways[start : start + some]))
    console.print("Each cell: seconds, and times as fast as Spark's default (the first column;")
    console.print("of the aggregate, which Spark has none of by rows, as its pandas_udf).")
    empty = Table("engine", "function", "why there is no figure", title="Not measured")
    for (_, way), cell in comparison.cells.items():
        if cell.median is None:
            empty.add_row(comparison.titles[way], cell.case.title, cell.reason)
    if empty.row_count:
        console.print(empty)
    for name, version in comparison.versions.items():
        console.print(f"{name}: {version}", style="dim", highlight=False)


def _part(comparison: Comparison, ways: Sequence[Way]) -> Table:
    table = Table(show_lines=True)
    table.add_column("function", width=_LABEL - 4)
    for way in ways:
        table.add_column(comparison.titles[way], justify="right", width=_COLUMN - 3)
    for case in CASES.values():
        cells = [_cell(comparison, case, way) for way in ways]
        table.add_row(f"{case.title}\n{comparison.rows[case.name]:,} rows", *cells)
    return table


def _cell(comparison: Comparison, case: Case, way: Way) -> str:
    cell = comparison.cell(case, way)
    if cell.differs:
        return "[red]differs[/red]"
    if cell.median is None:
        return "–" if cell.absent else "failed"
    times = comparison.times(case, way)
    return f"{cell.median:.3f} s" + (f"\n{times:.2f}×" if times else "")


def as_json(comparison: Comparison) -> dict[str, Any]:
    """Everything that was measured, with each turn."""
    return {
        "machine": machine(),
        "versions": dict(comparison.versions),
        "cells": [
            {
                "case": cell.case.name,
                "function": cell.case.title,
                "rows": comparison.rows[cell.case.name],
                "engine": comparison.titles[cell.way],
                "seconds": cell.seconds,
                "median": cell.median,
                "times": comparison.times(cell.case, cell.way),
                "answer": cell.answer,
                "reason": cell.reason,
                "absent": cell.absent,
                "differs": cell.differs,
            }
            for cell in comparison.cells.values()
        ],
    }


def machine() -> str:
    """The processor's name and how many there are."""
    name = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        found = re.search(r"model name\s*:\s*(.+)", info.read_text("utf-8"))
        name = found[1] if found else name
    return f"{name}, {os.cpu_count()} processors"


def figures(comparison: Comparison) -> list[Figure]:
    """Whether the answers agree, and then every engine, whichever is the fastest."""
    answered = [cell for cell in comparison.cells.values() if cell.answer is not None]
    others = [
        f"{comparison.titles[cell.way]}, {cell.case.title}: {cell.reason}"
        for cell in comparison.differing
    ]
    versions = "; ".join(f"{name}: {version}" for name, version in comparison.versions.items())
    agreeing = len(answered) - len(others)
    return [
        Figure(
            "Functions in engines that answer as plain Python does",
            agreeing,
            "cells",
            f"all {len(answered)}",
            not others,
            _safe("; ".join(others) or f"{machine()}; {versions}"),
        ),
        *(
            Figure(
                f"{cell.case.title}, {comparison.rows[cell.case.name]:,} rows: "
                f"{comparison.titles[cell.way]}, against "
                f"{comparison.titles[comparison.base(cell.case)]}",
                times,
                "×",
                "none",
                True,
                f"{seconds:.3f} s, median of {len(cell.seconds)}",
            )
            for cell, seconds, times in measured(comparison)
        ),
    ]


def _safe(text: str) -> str:
    """A bar would begin another cell of the results."""
    return text.replace("|", "/").replace("\n", " ")


def as_markdown(rows: Sequence[Row]) -> str:
    """The figures of a run as they were kept, as a table with engines down and functions across.

    Below it, each engine that was faster than all of ours for a function.
    """
    found = [(match, row) for row in rows if (match := _NAME.fullmatch(row.figure))]
    cases = list(dict.fromkeys(match["case"] for match, _ in found))
    ways = list(dict.fromkeys(match["way"] for match, _ in found))
    cells = {
        (match["case"], match["way"]): f"{row.detail.partition(',')[0]}<br>{row.measured}"
        for match, row in found
    }
    seconds = {
        (match["case"], match["way"]): float(row.detail.partition(" s")[0]) for match, row in found
    }
    lines = [f"| | {' | '.join(cases)} |", "|---" * (len(cases) + 1) + "|"]
    for way in ways:
        of_way = [cells.get((case, way), "–") for case in cases]
        lines.append(f"| {way} | {' | '.join(of_way)} |")
    return "\n".join([*lines, "", *_winners(cases, ways, seconds)])


def _winners(
    cases: Sequence[str], ways: Sequence[str], seconds: dict[tuple[str, str], float]
) -> list[str]:
    said = []
    for case in cases:
        of_case = {way: seconds[case, way] for way in ways if (case, way) in seconds}
        ours = [value for way, value in of_case.items() if way.startswith(_OURS)]
        if not ours:
            continue
        faster = [
            f"{way} ({min(ours) / value:.2f} times as fast)"
            for way, value in sorted(of_case.items(), key=lambda each: each[1])
            if value < min(ours) and not way.startswith(_OURS)
        ]
        if faster:
            said.append(f"- {case}: faster than the fastest of ours: {', '.join(faster)}.")
        else:
            said.append(f"- {case}: none is faster than the fastest of ours.")
    return said
