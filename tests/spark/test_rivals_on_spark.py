"""The comparison with other engines, its parts that need nothing installed: few rows, no bars."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import notebook_udf as nu
from benchmarks.rivals.cases import CASES
from benchmarks.rivals.children import BY_NAME
from benchmarks.rivals.comparison import Comparison, compare
from benchmarks.rivals.report import figures
from benchmarks.rivals.rows import write_rows
from benchmarks.rivals.spark import Made

# The comparison is begun by hand, and takes minutes.
pytestmark = pytest.mark.thorough

CHILDREN = [BY_NAME[name] for name in ("spark", "ours", "plain")]
# What there is no such function for, whatever the versions.
ABSENT = {
    ("array", "ours", "kernels"), ("table", "ours", "jvm"), ("table", "ours", "kernels"),
    ("aggregate", "ours", "kernels"), ("aggregate", "spark", "default"),
    ("aggregate", "spark", "pickled"),
}  # fmt: skip


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    """A process for Spark, for ours and for plain Python, with a thousand rows of each case."""
    return compare(0, lambda text: None, children=CHILDREN, turns=1)


def test_the_answers_agree(comparison: Comparison) -> None:
    assert [(cell.way, cell.reason) for cell in comparison.differing] == []
    first, *_ = figures(comparison)
    assert first.cleared
    assert first.value > 3 * len(CASES)


def test_the_table_is_whole(comparison: Comparison) -> None:
    empty = {
        (case, *way): cell.reason
        for (case, way), cell in comparison.cells.items()
        if cell.median is None
    }
    ways = sum(len(child.ways) for child in CHILDREN)
    assert len(comparison.cells) == len(CASES) * ways
    assert all(comparison.cells[case, (child, way)].absent for case, child, way in empty), empty
    assert set(empty) - {("ordinary", "ours", "kernels")} == ABSENT, empty
    assert all(empty.values())


def test_every_cell_with_seconds_is_a_figure(comparison: Comparison) -> None:
    measured = [cell for cell in comparison.cells.values() if cell.median is not None]
    assert len(figures(comparison)) == 1 + len(measured)


def test_spark_calls_the_function_in_every_run(session: nu.Session, tmp_path: Path) -> None:
    """A DataFrame collected twice would read the second time what it shuffled the first."""
    log, rows = tmp_path / "log", tmp_path / "rows"

    def noted(a: int, b: int) -> int:
        with log.open("a") as lines:
            lines.write("called\n")
        return a * b + 1

    # PySpark warns of hints that are no columns, and a warning fails here.
    noted.__annotations__.clear()
    case = replace(CASES["product"], by_row=noted)
    write_rows(case, 100, rows)
    query = Made(session.spark).default(case, str(rows))
    answers = [query(), query()]
    assert answers[0] == answers[1]
    assert len(log.read_text().splitlines()) == 200
