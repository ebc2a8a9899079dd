"""The comparison with other engines: what it makes of answers, and of engines that do not run."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
from rich.console import Console

from benchmarks.results import read, rows_of, written
from benchmarks.rivals import plain, rows
from benchmarks.rivals.cases import CASES, Case
from benchmarks.rivals.children import BY_NAME, CACHE, CannotRun, Child, Running
from benchmarks.rivals.comparison import Cell, Comparison, compare, same
from benchmarks.rivals.report import as_json, as_markdown, figures, show

ROWS = 1_000
WAYS = {("spark", "default"): "Spark udf", ("spark", "pandas"): "Spark pandas_udf",
        ("ours", "jvm"): "notebook-udf, JVM", ("duckdb", "native"): "DuckDB native"}  # fmt: skip


def quiet(_: str) -> None:
    """Tells nobody how far it is."""


@pytest.fixture
def made() -> Comparison:
    """Seconds as if measured: DuckDB is the fastest at texts, and has no aggregates."""
    seconds = {"default": 1.0, "pandas": 0.8, "jvm": 0.25, "native": 0.5}
    cells = {
        (case.name, way): Cell(case, way, [seconds[way[1]]] * 3, [1, 2.0])
        for case in CASES.values()
        for way in WAYS
    }
    cells["text", ("duckdb", "native")].seconds = [0.125] * 3
    for way in (("spark", "default"), ("duckdb", "native")):
        cells["aggregate", way] = Cell(
            CASES["aggregate"], way, reason="has no aggregates in Python", absent=True
        )
    return Comparison(dict.fromkeys(CASES, ROWS), WAYS, {"duckdb": "DuckDB 2"}, cells)


def shown(comparison: Comparison, width: int = 140) -> str:
    console = Console(width=width, record=True, file=io.StringIO())
    show(comparison, console)
    return console.export_text()


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_the_rows_are_as_many_as_asked_and_have_the_parameters(case: Case, tmp_path: Path) -> None:
    rows.write_rows(case, ROWS, tmp_path / case.name)
    answer = plain.by_list(case, str(tmp_path / case.name))()
    expected = {"scalar": ROWS, "table": 4 * ROWS, "aggregate": ROWS}
    assert answer[0] == expected[case.kind]


@pytest.mark.parametrize("name", ["product", "text", "ordinary", "array"])
@pytest.mark.parametrize("form", ["arrow", "pandas"])
def test_each_form_by_hand_gives_what_the_rows_give(name: str, form: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    case = CASES[name]
    rows.write_rows(case, ROWS, tmp_path / name)
    table = pq.read_table(tmp_path / name)
    columns = [table[column].combine_chunks() for column in case.columns]
    function: Callable[..., object] = case.by_arrow
    if form == "pandas":
        function, columns = case.by_pandas, [column.to_pandas() for column in columns]
    lists = [table[column].to_pylist() for column in case.columns]
    assert list(pylist(function(*columns))) == [
        case.by_row(*row) for row in zip(*lists, strict=True)
    ]


def pylist(column: object) -> list[object]:
    listed = getattr(column, "to_pylist", None) or column.tolist  # type: ignore[attr-defined]
    found: list[object] = listed()
    return found


def test_answers_are_equal_but_for_the_order_of_sums() -> None:
    assert same([3, 0.1 + 0.2, "a"], [3, 0.3, "a"])
    assert not same([3, 0.3], [3, 0.300001])
    assert not same([4_000_000_000_001], [4_000_000_000_002])
    assert not same([1], [1, 2])
    assert not same(["a"], [1])


def test_the_table_has_every_function_and_engine_at_any_width(made: Comparison) -> None:
    for width in (80, 200):
        text = " ".join(shown(made, width).split())
        for case in CASES.values():
            assert case.title.split(" ")[0] in text
        assert "8.00×" in text
        assert "DuckDB has no" in text or "has no aggregates in Python" in text


def test_who_wins_is_kept_and_said(made: Comparison) -> None:
    kept = read(written(rows_of("rivals", figures(made), date(2026, 1, 1)), ["rivals"]))
    # All but the two cells that the engines have nothing for, and that answers agree.
    assert len(kept) == 1 + len(CASES) * len(WAYS) - 2
    page = as_markdown(kept)
    assert "| DuckDB native |" in page
    assert "0.125 s<br>8.00 ×" in page
    text = CASES["text"].title
    (line,) = [line for line in page.splitlines() if line.startswith(f"- {text}")]
    assert "DuckDB native (2.00 times as fast)" in line
    assert "none is faster" in page


def test_another_answer_is_an_error_of_the_benchmark(made: Comparison) -> None:
    cell = made.cells["product", ("duckdb", "native")]
    cell.differs, cell.reason = True, "answers [3] instead of [1, 2.0]"
    first, *others = figures(made)
    assert not first.cleared
    assert "answers [3] instead of [1, 2.0]" in first.detail
    assert not any(f"{CASES['product'].title}, " in f.name and "DuckDB" in f.name for f in others)
    assert "differs" in shown(made)


def test_what_cannot_be_installed_has_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CACHE, str(tmp_path))
    # No index is asked for a file that is not there.
    child = Child("plain", {"list": "Nowhere"}, (str(tmp_path / "nothing-1.0-py3-none-any.whl"),))
    with pytest.raises(CannotRun, match="not installed: ERROR"):
        Running(child, quiet)


def test_what_cannot_be_started_has_its_last_words() -> None:
    with pytest.raises(CannotRun, match=r"ended with 1: .*No module named"):
        Running(Child("nobody", {}), quiet)


def test_another_version_has_another_environment() -> None:
    one, other = Child("duckdb", {}, ("duckdb==1",)), Child("duckdb", {}, ("duckdb==2",))
    assert one.environment() != other.environment()
    assert Child("plain", {}).python(quiet) == sys.executable


def test_an_engine_that_does_not_start_leaves_the_others() -> None:
    children = [Child("nobody", {"x": "Nobody"}), BY_NAME["plain"]]
    found = compare(0, quiet, children=children, turns=1)
    for case in CASES.values():
        assert "No module named" in found.cell(case, ("nobody", "x")).reason
        assert found.cell(case, ("plain", "list")).median is not None
    assert not found.differing
    assert len(as_json(found)["cells"]) == 2 * len(CASES)
