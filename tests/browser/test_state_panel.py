"""A stream's state as a reader looks through it: keys, batches, differences, while it goes on."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

# Each look at an earlier batch is a job of Spark's.
expect.set_options(timeout=45_000)

HOSTILE = "<img src=x onerror=window.hurt=1>"
STREAM = f"""\
import os, tempfile, time
import pyarrow as pa, pyarrow.parquet as pq
class Count(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]
    def accumulate(self, accumulator, value):
        accumulator[0] += 1
    def get_value(self, accumulator):
        return accumulator[0]
count = session.register_function("tally", nu.udaf(Count(), result_type="bigint",
                                                   accumulator_type="array<bigint>"))
folder = tempfile.mkdtemp()
source = folder + "/source"
os.mkdir(source)
files = 0
def put(rows):
    global files
    table = pa.table({{"k": pa.array([r for r in rows], pa.string()),
                      "v": pa.array([1] * len(rows), pa.int64())}})
    pq.write_table(table, folder + "/new")
    os.rename(folder + "/new", source + f"/{{files}}.parquet")
    os.utime(source + f"/{{files}}.parquet", (1_700_000_000 + files,) * 2)
    files += 1
put(["a", "b", None, "{HOSTILE}"])
put(["a"] + [f"key {{n:03}}" for n in range(120)])
rows = spark.readStream.schema("k string, v bigint").option("maxFilesPerTrigger", 1).parquet(source)
query = (rows.transform(nu.aggregate(by="k", n=count("v"))).writeStream.outputMode("update")
         .format("noop").option("checkpointLocation", folder + "/checkpoint").start())
query.processAllAvailable()"""


@pytest.fixture(scope="module")
def cell(notebook: Notebook) -> int:
    notebook.run(STREAM)
    return notebook.run("%udf state query")


@pytest.fixture
def panel(notebook: Notebook, cell: int) -> Locator:
    found = notebook.output(cell).locator(".nu-state")
    expect(found).to_be_visible()
    return found


def rows(panel: Locator) -> Locator:
    return panel.locator(".nu-rows tbody tr")


def test_the_latest_keys_are_there_without_asking(
    notebook: Notebook, cell: int, panel: Locator
) -> None:
    expect(rows(panel)).to_have_count(50)
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 124")
    expect(panel.get_by_role("button", name="tally")).to_have_attribute("aria-pressed", "true")
    expect(rows(panel).first).to_contain_text("NULL")
    assert notebook.text(cell).count("accumulators") == 1
    notebook.shot("state", cell)


def test_pages_by_keyboard(panel: Locator) -> None:
    panel.get_by_role("button", name="Next page").press("Enter")
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("51–100 of 124")
    panel.get_by_role("button", name="Next page").press("Enter")
    expect(rows(panel)).to_have_count(24)
    expect(panel.get_by_role("button", name="Next page")).to_be_disabled()
    panel.get_by_role("button", name="Previous page").click()
    panel.get_by_role("button", name="Previous page").click()
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 124")


def test_keys_are_searched(panel: Locator) -> None:
    search = panel.get_by_role("searchbox")
    search.fill("KEY 11")
    expect(rows(panel)).to_have_count(10)
    search.fill("no such key")
    expect(panel).to_contain_text("No key holds no such key.")
    search.fill("")
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 124")


def test_an_earlier_batch(panel: Locator) -> None:
    slider = panel.get_by_role("slider", name="Batch", exact=True)
    slider.focus()
    slider.press("Home")
    expect(rows(panel)).to_have_count(4)
    expect(panel.get_by_role("heading", name=re.compile("tally after batch 0"))).to_be_visible()
    panel.get_by_label("latest").check()
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 124")


def test_two_batches_differ(notebook: Notebook, cell: int, panel: Locator) -> None:
    panel.get_by_label("compare", exact=True).check()
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 121")
    changed = panel.locator("tr.nu-changed")
    expect(changed).to_have_count(1)
    expect(changed).to_contain_text(re.compile(r"~ changed\s*a\s*\[1\]\s*\[2\]"))
    expect(panel.locator("tr.nu-added").first).to_contain_text("+ added")
    notebook.shot("state-diff", cell)
    panel.get_by_label("compare", exact=True).uncheck()
    expect(panel.locator("tr.nu-changed")).to_have_count(0)


def test_the_history_of_a_key(panel: Locator) -> None:
    panel.get_by_role("button", name="History of a", exact=True).press("Enter")
    history = panel.get_by_role("region", name="History of a", exact=True)
    expect(history.get_by_role("row")).to_have_count(3)
    expect(history.get_by_role("row").nth(1)).to_have_text(re.compile(r"0\s*tally\s*\[1\]"))
    expect(history.get_by_role("row").nth(2)).to_have_text(re.compile(r"1\s*tally\s*\[2\]"))
    panel.get_by_role("button", name="Close").click()


def test_variables_and_timers(panel: Locator) -> None:
    panel.get_by_role("button", name="accumulators").click()
    expect(panel.locator(".nu-rows th", has_text="value.pickled")).to_be_visible()
    expect(rows(panel).first).to_contain_text("bytes)")
    panel.get_by_role("button", name="timers").click()
    expect(panel).to_contain_text("There is nothing.")
    panel.get_by_role("button", name="tally").click()
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 124")


def test_nothing_of_a_key_is_executed(notebook: Notebook, panel: Locator) -> None:
    expect(rows(panel).nth(1)).to_contain_text(HOSTILE)
    expect(panel.locator("img")).to_have_count(0)
    assert notebook.page.evaluate("() => window.hurt") is None


def test_what_cannot_be_read_is_said(panel: Locator, notebook: Notebook) -> None:
    asked = notebook.run(
        "for line in ('state', 'state nowhere', 'state /nowhere/at/all', 'state 42'):\n"
        "    try:\n"
        "        get_ipython().run_line_magic('udf', line)\n"
        "    except nu.NotebookUdfError as error:\n"
        "        print(type(error).__name__, error)"
    )
    text = notebook.text(asked)
    for said in (
        "DeclarationError %udf state takes the variable of a streaming query",
        "DeclarationError there is no variable 'nowhere'",
        "SessionError /nowhere/at/all is no checkpoint with state",
        "SessionError 42 is no checkpoint with state: nothing is there, or its query",
    ):
        assert said in text


def test_no_serious_fault_of_accessibility(notebook: Notebook, cell: int, panel: Locator) -> None:
    for dark in (False, True):
        notebook.dark(dark)
        assert notebook.serious(".nu-state") == []
    notebook.shot("state-dark", cell)
    notebook.dark(False)


def test_narrow(notebook: Notebook, cell: int, panel: Locator) -> None:
    with notebook.narrow(520):
        assert panel.evaluate("element => element.scrollWidth - element.clientWidth") <= 1
        notebook.shot("state-narrow", cell)


def test_new_batches_appear_while_a_cell_runs(notebook: Notebook, panel: Locator) -> None:
    running = notebook.add("put(['new'])\nfor _ in range(600):\n    time.sleep(0.1)")
    notebook.start(running)
    expect(panel.locator(".nu-rows [role=status]")).to_have_text("1–50 of 125", timeout=40_000)
    expect(panel).to_contain_text("batches 0 to 2")
    # What is asked for meanwhile is answered later, and that is said.
    panel.get_by_role("searchbox").fill("new")
    expect(panel.locator(".nu-rows [role=status]")).to_contain_text(
        "a cell that runs is waited for"
    )
    notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.interrupt()"
    )
    expect(rows(panel)).to_have_count(1)


def test_the_static_twin(notebook: Notebook, cell: int, panel: Locator) -> None:
    notebook.run("query.stop()\nsession.state(folder + '/checkpoint')")
    expect(panel).to_have_count(0)
    said = notebook.text(cell)
    for part in ("tally", "accumulators (ValueState)", "20 of 125 keys", HOSTILE):
        assert part in said
    assert notebook.page.evaluate("() => window.hurt") is None
