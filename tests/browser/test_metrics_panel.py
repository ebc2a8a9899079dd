"""The charts of bundles as a reader uses them: live, by mouse and keyboard, two queries at once."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

HOSTILE = "<img src=x onerror=window.hurt=1>"
FUNCTIONS = f"""\
import time
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "50")
class Slowly(nu.ScalarFunction):
    def open(self, context):
        group = context.get_metric_group()
        self.seen = group.counter("seen")
        self.sizes = group.histogram("{HOSTILE}")
        self.last = group.gauge("last")
        self.rate = group.meter("rate")
    def eval(self, text: str) -> int:
        time.sleep(0.002 if text != "row 130" else 0.2)
        self.seen.inc()
        self.sizes.update(len(text) * (1 + hash(text) % 9))
        self.last.set(len(text))
        self.rate.mark_event()
        return len(text)
session.register_function("slowly", nu.udf(Slowly()))
def fails(text: str) -> int:
    return int(text)
session.register_function("fails", nu.udf(fails, on_error="null"))
def run(rows, start="row "):
    text = f"concat('{{start}}', id)"
    session.sql(f"SELECT sum(slowly({{text}})) FROM range(0, {{rows}}, 1, 2)").collect()
run(300)
run(200, "{HOSTILE}")
session.sql("SELECT sum(fails('{HOSTILE}')) FROM range(3)").collect()
run(400)"""


@pytest.fixture(scope="module")
def cell(notebook: Notebook) -> int:
    notebook.run(FUNCTIONS)
    return notebook.run("session.metrics()")


@pytest.fixture
def panel(notebook: Notebook, cell: int) -> Locator:
    found = notebook.output(cell).locator(".nu-metrics")
    expect(found).to_be_visible()
    return found


def test_charts_of_the_latest_query(notebook: Notebook, cell: int, panel: Locator) -> None:
    expect(panel.locator("canvas")).to_have_count(3)
    totals = panel.get_by_role("region", name="Totals by function")
    expect(totals).to_contain_text(re.compile(r"slowly v1\s*400"))
    expect(totals).to_contain_text("exact")
    notebook.shot("metrics", cell)


def test_a_chart_is_read_by_keyboard_and_as_a_table(panel: Locator) -> None:
    chart = panel.get_by_role("img", name=re.compile(r"^Rows a second over .*slowly v1 up to"))
    chart.focus()
    chart.press("ArrowRight")
    figure = panel.locator("figure").first
    expect(figure.locator(".nu-figure-value").first).to_have_text(re.compile(r"\d"))
    figure.get_by_text("Rows a second as a table").focus()
    figure.get_by_text("Rows a second as a table").press("Enter")
    table = figure.get_by_role("region", name="Rows a second, table")
    expect(table.get_by_role("columnheader", name="slowly v1")).to_be_visible()
    expect(table.get_by_role("row").nth(1)).to_contain_text(re.compile(r"ms|s"))
    figure.get_by_text("Rows a second as a table").click()


def test_the_rows_of_the_slowest_bundle_are_a_click_away(
    notebook: Notebook, cell: int, panel: Locator
) -> None:
    slow = panel.get_by_role("region", name="Slowest bundles")
    slow.get_by_role("button", name="rows").first.press("Enter")
    expect(slow).to_contain_text("rows, as the functions got them")
    expect(slow).to_contain_text("'row ")
    expect(slow).to_contain_text(re.compile(r"rows \d+ to \d+ of it"))
    slow.get_by_role("button", name="Capture a test of slowly").click()
    expect(
        slow.get_by_text(re.compile(r"test_slowly.py: \d tests? of slowly, green"))
    ).to_be_visible(timeout=60_000)
    notebook.shot("metrics-captured", cell)
    slow.get_by_role("button", name="rows", expanded=True).click()


def test_user_metrics_with_a_histogram(panel: Locator) -> None:
    metrics = panel.get_by_role("region", name="User metrics")
    for said in ("seen", "last", "rate", "400", "gauge", "meter", HOSTILE):
        expect(metrics).to_contain_text(said)
    expect(metrics.get_by_role("img", name=f"Histogram of {HOSTILE}")).to_be_visible()


def test_lines_by_worker_and_of_one_function(panel: Locator) -> None:
    panel.get_by_role("button", name="by worker").press("Enter")
    expect(panel.locator("figure").first).to_contain_text(re.compile(r"worker \d+"))
    panel.get_by_role("button", name="by function").click()
    panel.get_by_role("combobox", name="Function").select_option("slowly v1")
    expect(panel.locator("figure").first).to_contain_text("slowly v1")
    panel.get_by_role("combobox", name="Function").select_option("")


def test_two_queries_side_by_side(notebook: Notebook, cell: int, panel: Locator) -> None:
    other = panel.get_by_role("combobox", name="Compare with")
    # The one that failed on its rows stands between this one and the one before.
    names = other.locator("option").all_inner_texts()
    at = next(n for n, name in enumerate(names) if "slowly · 200 rows" in name)
    other.select_option(index=at)
    compared = panel.get_by_role("region", name=re.compile("compared with"))
    expect(compared.get_by_role("row", name=re.compile("^slowly rows 400 200"))).to_contain_text(
        "+100.0 %"
    )
    expect(panel.locator("figure").first).to_contain_text(re.compile(r"slowly v1 \(query \d+\)"))
    notebook.shot("metrics-compared", cell)
    other.select_option("")


def test_failed_calls_with_what_they_were_given(panel: Locator) -> None:
    query = panel.get_by_role("combobox", name="Query")
    names = query.locator("option").all_inner_texts()
    query.select_option(index=next(n for n, name in enumerate(names) if "fails" in name))
    failed = panel.get_by_role("region", name="Failed calls")
    expect(failed).to_contain_text(f"text = '{HOSTILE}'")
    query.select_option("")


def test_nothing_of_it_is_executed(notebook: Notebook, panel: Locator) -> None:
    expect(panel.locator("img[src]")).to_have_count(0)
    assert notebook.page.evaluate("() => window.hurt") is None


def test_no_serious_fault_of_accessibility(notebook: Notebook, panel: Locator) -> None:
    for dark in (False, True):
        notebook.dark(dark)
        assert notebook.serious(".nu-metrics") == []
    notebook.shot("metrics-dark")
    notebook.dark(False)


def test_narrow(notebook: Notebook, cell: int, panel: Locator) -> None:
    with notebook.narrow(520):
        expect(panel.locator("canvas").first).to_be_visible()
        wide = panel.evaluate("element => element.scrollWidth - element.clientWidth")
        assert wide <= 1
        notebook.shot("metrics-narrow", cell)


def test_it_moves_while_a_cell_runs(notebook: Notebook, panel: Locator) -> None:
    running = notebook.add("run(3000)")
    notebook.start(running)
    totals = panel.get_by_role("region", name="Totals by function")
    rows = totals.get_by_role("row").nth(1).get_by_role("cell").first
    seen = set()
    expect(rows).not_to_have_text("400")
    charts = panel.locator(".nu-charts")
    heights = {charts.evaluate("element => element.clientHeight")}
    for _ in range(3):
        before = rows.inner_text()
        seen.add(before)
        heights.add(charts.evaluate("element => element.clientHeight"))
        expect(rows).not_to_have_text(before)
    assert len(seen) == 3
    assert notebook.cells.nth(running).locator(".jp-InputPrompt").inner_text() == "[*]:"
    assert len(heights) == 1
    notebook.finish(running)


def test_the_static_twin_takes_its_place(notebook: Notebook, cell: int, panel: Locator) -> None:
    notebook.run("session.metrics()")
    expect(panel).to_have_count(0)
    said = notebook.text(cell)
    for part in ("slowly v1", "slowest bundles", "█", "seen"):
        assert part in said
    assert notebook.page.evaluate("() => window.hurt") is None
