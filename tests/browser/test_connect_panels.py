"""The panels of a session through Spark Connect, as a reader sees them."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Notebook
from tests.browser.test_live_cell import QUERY, live, rows

BEGIN = """\
%load_ext notebook_udf
import notebook_udf as nu
session = nu.session(remote="local[2]", conf={"spark.sql.shuffle.partitions": "2"})
spark = session.spark"""
DEFINE = """\
import time
@nu.register
def slow(x: int) -> int:
    if x % 50 == 0:
        print("fifty", x)
    if x == -3:
        raise ValueError("no such row")
    time.sleep(0.004)
    return x
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "20")"""

# Workers take a while to start on a machine that is busy.
SLOW = 30_000


@pytest.fixture(scope="module", autouse=True)
def defined(notebook: Notebook) -> None:
    assert "Error" not in notebook.text(notebook.run(DEFINE))


def test_the_live_cell_moves_and_is_cancelled(notebook: Notebook) -> None:
    cell = notebook.add(QUERY.format(1_000_000))
    notebook.start(cell)
    panel = live(notebook, cell)
    expect(panel.locator(".nu-log .nu-code").first).to_contain_text("fifty", timeout=SLOW)
    expect(panel.locator(".nu-stage")).not_to_have_count(0)
    expect(panel.locator(".nu-figures b").first).to_have_text(re.compile(r"\d"))
    first = rows(panel)
    notebook.page.wait_for_function(
        "before => { const rows = document.querySelector('.nu-live .nu-figures b');"
        " return Number(rows.textContent.replaceAll(',', '')) > before + 200; }",
        arg=first,
    )
    notebook.shot("connect-live", cell)
    panel.get_by_role("button", name="Cancel").click()
    notebook.finish(cell, timeout=30)
    assert "KeyboardInterrupt" in notebook.text(cell)
    after = notebook.run("%%sparksql\nselect sum(slow(id)) as s from range(0, 40)")
    expect(notebook.output(after).first).to_contain_text("780")
    notebook.shot("connect-table", after)


def test_an_error_is_a_card_with_the_row(notebook: Notebook) -> None:
    cell = notebook.run("%%sparksql\nselect slow(id - 8) from range(0, 20, 1, 2)")
    text = notebook.text(cell)
    assert "no such row" in text
    assert re.search(r"x\s*=?\s*-3", text), text
    assert "org.apache.spark" not in text
    notebook.shot("connect-card", cell)
    again = notebook.run("session.replay('slow')")
    assert "no such row" in notebook.text(again)


def test_the_pool(notebook: Notebook) -> None:
    # A failed query takes its workers along, so another one starts some.
    notebook.run("session.sql('select slow(id) from range(1, 20)').collect()")
    cell = notebook.run("session.pool")
    panel = notebook.output(cell).locator(".nu-pool")
    expect(panel.locator("tbody tr[data-pid]").first).to_be_visible(timeout=SLOW)
    panel.get_by_role("button", name=re.compile(r"Stack of \d+")).last.press("Enter")
    stack = panel.get_by_role("region", name=re.compile("Stack of worker"))
    expect(stack).to_contain_text("Thread MainThread")
    notebook.shot("connect-pool", cell)


def test_the_log(notebook: Notebook) -> None:
    cell = notebook.run("session.logs()")
    expect(notebook.output(cell)).to_contain_text(re.compile(r"INFO ?fifty \d+"))
    notebook.shot("connect-log", cell)


def test_the_plan(notebook: Notebook) -> None:
    cell = notebook.run("session.plan('select id % 3 k, sum(slow(id)) from range(9) group by 1')")
    panel = notebook.output(cell).locator(".nu-plan")
    function = panel.locator(".nu-operator.nu-python .nu-function").first
    expect(function).to_contain_text("slow")
    assert notebook.serious(".nu-plan") == []
    notebook.shot("connect-plan", cell)
