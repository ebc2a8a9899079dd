"""The workers as a reader sees them: what they do while a cell runs, and ways to interfere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

WORK = """\
import os, time

@nu.register(memory="700m", on_error="null")
def works(i: int) -> int:
    if i == 3:
        raise ValueError("<img src=x onerror='window.pwned = 1'>")
    return os.getpid()

pids = {r[0] for r in spark.range(0, 20, 1, 2).select(works("id")).collect()} - {None}
session.pool"""
# The cell goes on until the file is there.
BLOCK = """\
mark = {mark!r}

@nu.register
def waits_for_a_file(i: int) -> int:
    while not os.path.exists(mark):
        time.sleep(0.02)
    return i

_ = spark.range(0, 2, 1, 1).select(waits_for_a_file("id")).collect()"""


@pytest.fixture(scope="module")
def cell(notebook: Notebook) -> int:
    return notebook.run(WORK)


@pytest.fixture
def panel(notebook: Notebook, cell: int) -> Locator:
    found = notebook.output(cell).locator(".nu-pool")
    expect(found.locator("tbody tr").first).to_be_attached()
    return found


def test_a_row_for_each_worker(panel: Locator, notebook: Notebook) -> None:
    expect(panel.get_by_text(re.compile(r"workers? alive, up to 2 at once"))).to_be_visible()
    failed = panel.get_by_text("ValueError: <img src=x onerror='window.pwned = 1'>").first
    expect(failed).to_be_visible()
    assert notebook.page.evaluate("() => window.pwned") is None
    processor = panel.locator("td", has_text="in all").first
    expect(processor).to_have_text(re.compile(r"^\d+ % now, \S+ m?s in all$"))
    meter = panel.get_by_role("meter").first
    expect(meter).to_have_attribute("aria-valuetext", re.compile(r"\d.* of "))


def test_while_a_cell_runs(panel: Locator, notebook: Notebook, tmp_path: Path) -> None:
    mark = tmp_path / "go"
    cell = notebook.add(BLOCK.format(mark=str(mark)))
    notebook.start(cell)
    row = panel.locator("tr", has_text="waits_for_a_file")
    expect(row).to_contain_text("busy", timeout=30_000)
    row.get_by_role("button", name="Stack").click()
    stack = panel.get_by_role("region", name=re.compile("Stack of worker"))
    late = panel.get_by_text("A cell is running")
    # The kernel answers from a subshell where its last message of the panel came from one.
    expect(late.or_(stack)).to_be_visible()
    notebook.shot("pool-busy", 1)
    mark.touch()
    notebook.finish(cell)
    expect(stack).to_be_visible()
    expect(late).to_have_count(0)
    panel.get_by_label("Close the stack").click()


def test_the_stack_of_a_worker_by_keyboard(panel: Locator, notebook: Notebook) -> None:
    panel.get_by_role("button", name=re.compile(r"Stack of \d+")).last.press("Enter")
    stack = panel.get_by_role("region", name=re.compile("Stack of worker"))
    expect(stack).to_contain_text("Thread MainThread")
    notebook.shot("pool-stack", 1)
    panel.get_by_label("Close the stack").press("Enter")
    expect(stack).to_have_count(0)


def test_the_log_level_reaches_the_pool(panel: Locator, notebook: Notebook) -> None:
    panel.get_by_label("log level").select_option("WARNING")
    expect(panel.get_by_label("log level")).to_have_value("WARNING")
    assert "WARNING" in notebook.text(notebook.run("session.pool.log_level"))


def test_restarting_asks_first(panel: Locator, notebook: Notebook) -> None:
    row = panel.locator("tr[data-pid]").last
    pid = row.get_attribute("data-pid")
    row.get_by_role("button", name="Restart").click()
    row.get_by_role("button", name="No").click()
    expect(row.get_by_role("button", name="Restart")).to_be_visible()
    row.get_by_role("button", name="Restart").press("Enter")
    row.get_by_role("button", name=f"End worker {pid}").press("Enter")
    expect(panel.locator(f".nu-workers tr[data-pid='{pid}']")).to_have_count(0)
    panel.locator("summary").click()
    gone = panel.get_by_role("region", name="Workers that ended")
    row = gone.get_by_role("row", name=re.compile(f"^{pid} "))
    expect(row).to_contain_text("was restarted")
    notebook.run(WORK.split("\nsession.pool")[0])
    panel.get_by_role("button", name="Restart all").click()
    panel.get_by_role("button", name="End all").click()
    expect(panel.get_by_text("No worker is alive")).to_be_visible(timeout=15_000)
    notebook.run(WORK.split("\nsession.pool")[0])
    expect(panel.locator("tr[data-pid]").first).to_be_visible()


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_serious_for_axe(panel: Locator, notebook: Notebook, dark: bool) -> None:
    notebook.dark(dark)
    assert notebook.serious(".nu-pool") == []
    notebook.shot(f"pool-{'dark' if dark else 'light'}", 1)
    notebook.dark(False)


def test_narrow(panel: Locator, notebook: Notebook) -> None:
    with notebook.narrow(560):
        box = panel.bounding_box()
        assert box
        assert box["width"] < 480
        notebook.shot("pool-narrow", 1)


def test_the_static_twin_says_the_same(panel: Locator, notebook: Notebook, cell: int) -> None:
    notebook.run("session.pool")
    # One instance lives; the former one became a table.
    expect(panel).to_have_count(0)
    twin = notebook.output(cell)
    # The live cell may have left a table of its own, above or below.
    expect(twin.locator("table").filter(has_text="workers alive")).to_be_visible()
    expect(twin.locator("details").filter(has_text="was restarted")).to_have_count(1)
