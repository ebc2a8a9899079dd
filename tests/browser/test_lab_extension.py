"""JupyterLab's side panel, status item, marks on cells, tabs, commands: in a browser."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

FARE = """\
%%udf
def fare(miles: float) -> float:
    return 2.5 + 1.75 * miles"""

# Workers take a while to start on a machine that is busy.
SLOW = 30_000


@pytest.fixture(scope="module")
def side(notebook: Notebook) -> Locator:
    notebook.page.keyboard.press("Control+Alt+u")
    shown = notebook.page.locator(".nu-side")
    expect(shown).to_be_visible()
    return shown


@pytest.fixture(scope="module")
def fare(notebook: Notebook, side: Locator) -> int:
    """The cell that registers a function."""
    return notebook.run(FARE)


def section(side: Locator, title: str) -> Locator:
    return side.locator(f"[data-section='{title}']")


def rewrite(notebook: Notebook, cell: int, source: str) -> None:
    """Changes the text of a cell as typing does."""
    notebook.page.evaluate(
        "([cell, source]) => [...window.jupyterapp.shell.currentWidget.content.widgets]"
        ".filter(each => each.model.type === 'code')[cell].model.sharedModel.setSource(source)",
        [cell, source],
    )


def test_a_function_is_shown_with_its_source(notebook: Notebook, side: Locator, fare: int) -> None:
    functions = section(side, "Functions")
    shown = functions.locator("summary").filter(has_text="fare")
    expect(shown).to_contain_text("scalar, version 1")
    shown.click()
    expect(functions.get_by_text("fare(miles double) -> double")).to_be_visible()
    expect(functions.locator("pre")).to_contain_text("return 2.5 + 1.75 * miles")
    notebook.shot("lab-side")


def test_a_cell_says_how_it_stands_and_registers(notebook: Notebook, fare: int) -> None:
    mark = notebook.cells.nth(fare).locator(".nu-mark")
    expect(mark).to_contain_text("scalar")
    expect(mark).to_contain_text("registered as fare, version 1")
    rewrite(notebook, fare, FARE.replace("2.5", "3.0"))
    expect(mark).to_contain_text("changed since fare, version 1")
    notebook.shot("lab-mark-changed", fare)
    mark.get_by_role("button", name="Register").click()
    expect(mark).to_contain_text("registered as fare, version 2")
    rewrite(notebook, fare, FARE.replace("miles\n", "miles\n").replace("2.5", "undefined_name["))
    mark.get_by_role("button", name="Register").focus()
    notebook.page.keyboard.press("Enter")
    expect(mark).to_contain_text("failed: SyntaxError")
    notebook.shot("lab-mark-failed", fare)
    rewrite(notebook, fare, FARE)
    expect(mark).to_contain_text("changed since it failed")
    # With the shortcut.
    notebook.cells.nth(fare).locator(".jp-InputPrompt").click()
    notebook.page.keyboard.press("Control+Alt+Enter")
    expect(mark).to_contain_text("registered as fare, version 3")


def test_another_cell_replaces_the_function(notebook: Notebook, fare: int) -> None:
    other = notebook.run(FARE + "  # elsewhere")
    expect(notebook.cells.nth(fare).locator(".nu-mark")).to_contain_text(
        "replaced since: fare is at version 4"
    )
    rewrite(notebook, other, "1 + 1")
    expect(notebook.cells.nth(other).locator(".nu-mark")).to_have_count(0)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("class Total(AggregateFunction):\n    pass", "aggregate"),
        ("def words(line: str):\n    for word in line.split():\n        yield word", "table"),
        ("async def ask(x: str) -> str:\n    return x", "async"),
        ("class Mean:\n    def accumulate(self, acc, x: int):\n        pass", "aggregate"),
        ("class Ask:\n    async def eval(self, x: str) -> str:\n        return x", "async"),
        (
            "class Count:\n    def process_record(self, record, output, ctx):\n        pass",
            "process",
        ),
    ],
)
def test_a_cell_that_has_not_run_says_its_kind(notebook: Notebook, code: str, kind: str) -> None:
    mark = notebook.cells.nth(notebook.add(f"%%udf\n{code}")).locator(".nu-mark")
    expect(mark).to_contain_text(kind)
    expect(mark).to_contain_text("not registered")


def test_workers_and_queries(notebook: Notebook, side: Locator, fare: int) -> None:
    notebook.run("spark.range(2000).selectExpr('sum(fare(id))').collect()")
    done = section(side, "Queries").locator("li").first
    expect(done).to_contain_text("done", timeout=SLOW)
    expect(done).to_contain_text("fare, 2,000 rows")
    status = notebook.page.locator(".nu-status")
    expect(status).to_have_text(re.compile(r"udf: \d workers? · [\d.]+ MiB · [\d. k]+ rows/s"))
    workers = section(side, "Workers")
    worker = workers.locator("li").first
    pid = worker.get_attribute("data-pid")
    expect(worker).to_contain_text("rows")
    worker.get_by_role("button", name=f"Restart worker {pid}").click()
    expect(workers.locator(f"[data-pid='{pid}']")).to_have_count(0, timeout=SLOW)


def test_a_query_is_seen_and_cancelled_while_its_cell_blocks(
    notebook: Notebook, side: Locator
) -> None:
    notebook.run(
        "%%udf\ndef slow(x: int) -> int:\n    import time\n    time.sleep(0.05)\n    return x\n"
        # What a rate is told from: bundles that are done.
        "spark.conf.set('spark.sql.execution.arrow.maxRecordsPerBatch', '20')"
    )
    cell = notebook.add("spark.range(100000).selectExpr('sum(slow(id))').collect()")
    notebook.start(cell)
    running = section(side, "Queries").locator("li[data-state='running']")
    expect(running).to_have_count(1, timeout=SLOW)
    # The rate lives on while the cell blocks.
    expect(notebook.page.locator(".nu-status")).not_to_contain_text("· 0 rows/s", timeout=SLOW)
    # So do the marks, while what is below the cell changes all the time.
    mark = notebook.cells.nth(cell - 1).locator(".nu-mark")
    expect(mark).to_contain_text("registered as slow", timeout=SLOW)
    notebook.shot("lab-running")
    running.get_by_role("button", name="Cancel").click()
    notebook.finish(cell)
    assert "KeyboardInterrupt" in notebook.text(cell)
    expect(running).to_have_count(0)
    expect(section(side, "Queries").locator("li").first).to_have_attribute(
        "data-state", "cancelled"
    )


def test_a_query_of_no_cell_is_cancelled(notebook: Notebook, side: Locator) -> None:
    notebook.run(
        "import threading\n"
        "def work():\n"
        "    try:\n"
        "        spark.range(100000).selectExpr('sum(slow(id))').collect()\n"
        "    except Exception as error:\n"
        "        print('ended with', type(error).__name__)\n"
        "thread = threading.Thread(target=work); thread.start()"
    )
    running = section(side, "Queries").locator("li[data-state='running']")
    expect(running).to_have_count(1, timeout=SLOW)
    running.get_by_role("button", name="Cancel").click()
    expect(running).to_have_count(0, timeout=SLOW)
    joined = notebook.run("thread.join(30); thread.is_alive()")
    assert "False" in notebook.text(joined)


STREAM = """\
query = (spark.readStream.format("rate").option("rowsPerSecond", 50).load()
    .selectExpr("fare(value) AS fare").writeStream.format("memory").queryName("rides{n}")
    .option("checkpointLocation", "rides{n}").start())"""


@pytest.mark.parametrize(("how", "n"), [("Drain", 1), ("Suspend", 2), ("Cancel", 3)])
def test_a_stream_is_ended(notebook: Notebook, side: Locator, fare: int, how: str, n: int) -> None:
    notebook.run(STREAM.format(n=n))
    # While a cell blocks the kernel.
    blocking = notebook.add("query.awaitTermination(60), query.isActive")
    notebook.start(blocking)
    stream = section(side, "Streaming queries").locator("li").filter(has_text=f"rides{n}")
    expect(stream).to_contain_text("rows/s", timeout=SLOW)
    notebook.shot(f"lab-stream-{how.lower()}")
    stream.get_by_role("button", name=f"{how} rides{n}").click()
    expect(stream).to_have_attribute("data-state", "ended", timeout=SLOW)
    notebook.finish(blocking)
    assert "(True, False)" in notebook.text(blocking)


HOSTILE = '<img src=x onerror="window.harmed = 1"><script>window.harmed = 1</script>'


def test_hostile_texts_are_text(notebook: Notebook, side: Locator) -> None:
    notebook.run(
        "import pyspark.sql.functions as F\n"
        f"text = {HOSTILE!r} + '\\x00\\x1b[31m\\ud800' + 'x' * 100_000\n"
        f"name = {HOSTILE!r}\n"
        "def shout(x: int) -> int:\n"
        "    print(text)\n"
        "    return x\n"
        "session.register_function(name, nu.udf(shout))\n"
        "spark.range(1).select(session.functions[name]('id')).collect()"
    )
    log = section(side, "Log")
    expect(log.get_by_role("log")).to_contain_text("<script>window.harmed", timeout=SLOW)
    expect(log.get_by_role("log")).to_contain_text("more characters")
    expect(section(side, "Functions").get_by_text(HOSTILE).first).to_be_visible()
    expect(side.locator("img, script")).to_have_count(0)
    assert notebook.page.evaluate("() => window.harmed") is None
    notebook.shot("lab-hostile")


@pytest.mark.parametrize("dark", [False, True])
def test_nothing_serious_for_axe(notebook: Notebook, side: Locator, dark: bool) -> None:
    notebook.dark(dark)
    assert notebook.serious(".nu-side") == []
    assert notebook.serious(".nu-status") == []
    assert notebook.serious(".nu-mark") == []
    notebook.shot(f"lab-{'dark' if dark else 'light'}")
    notebook.dark(False)


@pytest.mark.parametrize(
    ("command", "title", "shown"),
    [
        ("Logs", "Logs", ".nu-logs"),
        ("Workers", "Workers", ".nu-pool"),
        ("Plan…", "Plan", ".nu-plan"),
        ("State…", "State", ".nu-state"),
    ],
)
def test_a_tab_beside_the_notebook(
    notebook: Notebook, side: Locator, command: str, title: str, shown: str
) -> None:
    page = notebook.page
    if title == "State":
        notebook.run(COUNTS)
    side.get_by_role("button", name=command, exact=True).click()
    answer = {"Plan": "SELECT fare(id) AS fare FROM range(10)", "State": "counts"}.get(title)
    if answer:
        page.locator(".jp-Dialog input").fill(answer)
        page.keyboard.press("Enter")
    tab = page.locator(f".nu-tab {shown}")
    expect(tab).to_be_visible(timeout=SLOW)
    if title == "State":
        expect(tab.get_by_text("largest").first).to_be_visible(timeout=SLOW)
    notebook.shot(f"lab-tab-{title.lower()}")
    close_tab(notebook)
    expect(tab).to_have_count(0)
    if title == "State":
        # Its batches would be among the running queries that a later test counts.
        notebook.run("counts.stop()")


def close_tab(notebook: Notebook) -> None:
    """Closes our tab, whichever is in front, and goes back to the notebook."""
    notebook.page.evaluate(
        "() => { for (const each of [...window.jupyterapp.shell.widgets('main')])"
        " if (each.node.matches('.nu-tab') || each.node.querySelector('.nu-tab')) each.close(); }"
    )
    notebook.page.evaluate(
        "path => window.jupyterapp.commands.execute('docmanager:open', {path})", notebook.path.name
    )


COUNTS = """\
class Largest(nu.AggregateFunction):
    def create_accumulator(self):
        return [0]
    def accumulate(self, acc, value: int):
        acc[0] = max(acc[0], value)
    def get_value(self, acc) -> int:
        return acc[0]
largest = session.register_function("largest", Largest)
numbers = spark.readStream.format("rate").load().withColumn("k", F.col("value") % 3)
counts = (numbers.transform(nu.aggregate(by="k", largest=largest("value")))
    .writeStream.outputMode("update").format("noop").queryName("counts")
    .option("checkpointLocation", "counts").start())
counts.processAllAvailable()"""


def test_a_tab_says_that_it_waits_for_a_cell(notebook: Notebook, side: Locator) -> None:
    gate = notebook.path.parent / "gate"
    cell = notebook.add(f"import os\nwhile not os.path.exists({str(gate)!r}): pass")
    notebook.start(cell)
    side.get_by_role("button", name="Logs", exact=True).click()
    waits = notebook.page.locator(".nu-tab-waits")
    expect(waits).to_have_text("Waits until the running cell has ended …")
    gate.touch()
    expect(waits).to_have_count(0, timeout=SLOW)
    expect(notebook.page.locator(".nu-tab .nu-logs")).to_be_visible()
    close_tab(notebook)


def test_a_narrow_window(notebook: Notebook, side: Locator) -> None:
    with notebook.narrow(620):
        assert side.evaluate("node => node.scrollWidth <= node.clientWidth")
        notebook.shot("lab-narrow")


def test_the_palette_has_every_command(notebook: Notebook, fare: int) -> None:
    page = notebook.page
    notebook.cells.nth(fare).locator(".jp-InputPrompt").click()
    page.keyboard.press("Control+Shift+c")
    page.locator(".lm-CommandPalette-input").fill("notebook-udf")
    found = page.locator(".lm-CommandPalette-item")
    for label in (
        "Show Functions, Workers and Queries", "Cancel the Running Query", "Plan of a Query",
        "Logs", "State of a Streaming Query", "Restart All Workers", "notebook-udf Tutorials",
        "Register the Function of This Cell",
    ):  # fmt: skip
        expect(found.filter(has_text=label).first).to_be_visible()
    page.keyboard.press("Escape")


def test_language_servers_get_the_code_of_cells(notebook: Notebook) -> None:
    found = notebook.page.evaluate(
        "() => { const id = '@jupyterlab/lsp-extension:code-extractor-manager';"
        " const manager = window.jupyterapp.pluginRegistry._plugins.get(id).service;"
        " return ['%%udf --on-error null\\ndef f(x):\\n  return x', '%%sparksql\\nSELECT 1', 'x']"
        ".map(code => manager.getExtractors('code', 'python')"
        ".filter(each => each.hasForeignCode(code, 'code'))"
        ".map(each => [each.language, each.extractForeignCode(code)[0]])); }"
    )
    (udf,), (sql,), none = found
    assert udf[0] == "python"
    assert udf[1]["foreignCode"] == "def f(x):\n  return x"
    assert udf[1]["range"] == {"start": {"line": 1, "column": 0}, "end": {"line": 2, "column": 10}}
    assert sql[0] == "sql"
    assert sql[1]["foreignCode"] == "SELECT 1"
    assert none == []


def test_the_panel_comes_back_after_a_reload(notebook: Notebook, side: Locator) -> None:
    cell = notebook.add("spark.range(600).selectExpr('sum(slow(id))').collect()")
    notebook.save()
    notebook.start(cell)
    notebook.page.reload()
    # Its cell goes on, and nobody could tell the kernel that the page was reloaded.
    running = section(side, "Queries").locator("li[data-state='running']")
    expect(running).to_have_count(1, timeout=SLOW)
    notebook.shot("lab-reloaded")
    expect(section(side, "Functions")).to_contain_text("fare", timeout=SLOW)
    expect(running).to_have_count(0, timeout=SLOW)
    mark = notebook.cells.nth(1).locator(".nu-mark")
    expect(mark).to_contain_text(re.compile("registered as fare|replaced since"))
