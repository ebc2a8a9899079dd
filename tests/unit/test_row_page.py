"""The page on how a row travels names the numbers that the source has."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from notebook_udf.telemetry.metrics_tables import metrics_tables
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.widgets.live import RunState, Split
from notebook_udf.widgets.live_forms import summary_text
from notebook_udf.worker.scalar.row_runner import SLICE_ROWS

PAGE = Path(__file__).resolve().parents[2] / "docs" / "explanation" / "how-a-row-travels.md"


def column(place: int) -> list[str]:
    """A column of the table of numbers, without its head and without the rest of the plan."""
    section = PAGE.read_text("utf-8").partition("\n## Which number shows it\n")[2]
    lines = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("| ")]
    return [line.strip("|").split("|")[place].strip() for line in lines[1:-1]]


def test_totals_are_those_of_the_source() -> None:
    told = [cell.strip("`") for cell in column(1)]
    assert told == [each.name for each in fields(FunctionTotals) if each.name.endswith("_ns")]


def test_the_table_of_metrics_has_these_columns() -> None:
    (table,) = metrics_tables(Store(), None, ())
    told = [cell for cell in column(2) if cell != "not shown"]
    assert [name for name in table.head if name in told] == told
    assert not [name for name in table.head if name.startswith("writ")]


def test_the_live_cell_has_these_parts() -> None:
    report = summary_text(RunState(split=Split(1, 1, 1)))
    for part in set(column(3)):
        assert f"{part} " in report, part


def test_a_slice_is_as_long_as_told() -> None:
    assert f"a *slice* of at most {SLICE_ROWS:,} rows" in PAGE.read_text("utf-8")
