"""The live cell as a reader uses it: it moves while the cell blocks, and is cancelled."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import BEGIN
from tests.browser.lab import Notebook, Server

HOSTILE = "<img src=x onerror=window.hurt=1><script>window.hurt=2</script>"
DEFINE = f"""\
import time
@nu.register
class slow(nu.ScalarFunction):
    def open(self, ctx):
        group = ctx.get_metric_group()
        self.seen = [group.counter(n) for n in ("seen", "b", "c", "d", {HOSTILE!r})]
    def eval(self, x: int) -> int:
        for counter in self.seen: counter.inc()
        if x % 50 == 0: print("\\x1b[31mred\\x1b[0m", x, {HOSTILE!r})
        time.sleep(0.004)
        return x
spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "20")"""
QUERY = "session.sql('select slow(id) % 3 k, count(*) n from range(0, {}, 1, 8) group by 1').show()"


@pytest.fixture(scope="module", autouse=True)
def defined(notebook: Notebook) -> None:
    notebook.run(DEFINE)


def live(notebook: Notebook, cell: int) -> Locator:
    panel = notebook.cells.nth(cell).locator(".nu-live")
    expect(panel).to_be_visible(timeout=30_000)
    return panel


def height(panel: Locator) -> float:
    box = panel.bounding_box()
    assert box is not None
    return box["height"]


def rows(panel: Locator) -> int:
    return int(panel.locator(".nu-figures b").first.inner_text().replace(",", ""))


def test_it_moves_while_the_cell_blocks(notebook: Notebook) -> None:
    cell = notebook.add(QUERY.format(4000))
    notebook.start(cell)
    panel = live(notebook, cell)
    heights = {height(panel)}
    notebook.page.wait_for_function(
        "() => document.querySelectorAll('.nu-live .nu-log .nu-code').length === 5"
    )
    heights.add(height(panel))
    first = rows(panel)
    expect(panel.locator(".nu-stage")).not_to_have_count(0)
    expect(panel.locator(".nu-metrics")).to_contain_text("seen")
    notebook.page.wait_for_function(
        "before => { const rows = document.querySelector('.nu-live .nu-figures b');"
        " return Number(rows.textContent.replaceAll(',', '')) > before + 200; }",
        arg=first,
    )
    heights.add(height(panel))
    assert len(heights) == 1, heights
    prompt = notebook.cells.nth(cell).locator(".jp-InputPrompt")
    expect(prompt).to_have_text("[*]:")
    notebook.shot("live", cell)
    notebook.dark()
    notebook.shot("live-dark", cell)
    notebook.dark(False)
    # What a function wrote is text, without the terminal's colours.
    expect(panel.locator(".nu-log .nu-code").last).to_contain_text("red ")
    expect(panel.locator(".nu-log .nu-code").last).to_contain_text("<img src=x onerror")
    more = panel.get_by_role("button", name="more")
    more.focus()
    notebook.page.keyboard.press("Enter")
    expect(panel.locator(".nu-values")).to_contain_text(HOSTILE[:20])
    notebook.page.keyboard.press("Enter")
    assert notebook.serious(".nu-live") == []
    notebook.finish(cell)
    expect(notebook.cells.nth(cell).locator(".nu-live")).to_have_count(0)
    text = notebook.text(cell)
    assert "done · " in text
    assert "user code" in text
    assert "slow v1" in text
    assert notebook.page.evaluate("() => window.hurt") is None
    notebook.shot("live-twin", cell)


@pytest.mark.parametrize("way", ["mouse", "keyboard"])
@pytest.mark.parametrize("magic", [False, True], ids=["python", "sparksql"])
def test_cancel_works_while_the_cell_blocks(notebook: Notebook, way: str, magic: bool) -> None:
    query = "%%sparksql\nselect sum(slow(id)) from range(0, 1000000, 1, 8)"
    cell = notebook.add(query if magic else QUERY.format(1_000_000))
    notebook.start(cell)
    button = live(notebook, cell).get_by_role("button", name="Cancel")
    if way == "mouse":
        button.click()
    else:
        # Focused and pressed at once: a busy page may give the focus away in between.
        button.press("Enter")
    notebook.finish(cell, timeout=30)
    text = notebook.text(cell)
    assert "cancelled after" in text
    assert "KeyboardInterrupt" in text
    assert "py4j" not in text
    after = notebook.run("print(session.sql('select 1 + 1 as two').first()[0])")
    assert notebook.text(after).split()[-1] == "2"


def test_a_cancel_that_fails_says_so(notebook: Notebook) -> None:
    page = notebook.page
    page.route("**/interrupt", lambda route: route.fulfill(status=500, body="no"))
    try:
        cell = notebook.add(QUERY.format(3000))
        notebook.start(cell)
        panel = live(notebook, cell)
        panel.get_by_role("button", name="Cancel").click()
        expect(panel.get_by_role("alert")).to_contain_text("not cancelled: the server answered 500")
        expect(panel.get_by_role("button", name="Cancel")).to_be_enabled()
    finally:
        page.unroute("**/interrupt")
    notebook.finish(cell)


def test_narrow(notebook: Notebook) -> None:
    page = notebook.page
    with notebook.narrow(480):
        cell = notebook.add(QUERY.format(4000))
        notebook.start(cell)
        panel = live(notebook, cell)
        page.wait_for_function(
            "() => document.querySelectorAll('.nu-live .nu-log .nu-code').length === 5"
        )
        box = panel.bounding_box()
        assert box is not None
        assert box["width"] <= 420
        notebook.shot("live-narrow", cell)
        wide = "e => [...e.querySelectorAll('*')].filter(x => x.getBoundingClientRect().right >"
        wide += " e.getBoundingClientRect().right + 1).map(x => x.className)"
        assert panel.evaluate(wide) == []
        notebook.finish(cell)


def test_a_kernel_that_is_gone_is_said(notebook: Notebook, server: Server) -> None:
    """As after a restart: what is shown must not look as if it went on."""
    page: Page = notebook.page.context.new_page()
    try:
        other = server.open(page, "restarted.ipynb", [BEGIN, DEFINE, QUERY.format(1_000_000)])
        for cell in (0, 1):
            other.start(cell)
            other.finish(cell)
        other.start(2)
        panel = live(other, 2)
        page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
        )
        gone = panel.get_by_role("alert").filter(has_text="no word from the kernel")
        expect(gone.or_(other.output(2).filter(has_text="running"))).to_be_visible(timeout=20_000)
        # Notebooks beside it are not touched.
        assert notebook.text(notebook.run("print(1 + 1)")).strip() == "2"
        other.wait_for_kernel()
        other.run("print('again')")
    finally:
        page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        page.close()


def test_saved_and_reopened_untrusted(notebook: Notebook, server: Server) -> None:
    cell = notebook.run("%%sparksql\nselect sum(slow(id)) as s from range(0, 400, 1, 2)")
    expect(notebook.output(cell)).to_contain_text("slow v1")
    notebook.save()
    saved = Path(notebook.path).read_text()
    assert "widget-view" not in saved
    assert '"application/vnd.jupyter.widget-state+json"' not in saved
    # Another file with the same outputs has no signature, so it is not trusted.
    (server.books / "untrusted.ipynb").write_text(saved.replace("1 row, all", "one row, all"))
    page: Page = notebook.page.context.new_page()
    try:
        again = server.open(page, "untrusted.ipynb")
        twin = again.output(cell)
        expect(twin).to_contain_text("one row, all shown")
        expect(twin).to_contain_text("slow v1")
        # The parts of the bar keep their colours when the sanitiser has been there.
        parts = twin.locator("div[style*='inline-block']")
        colours = parts.evaluate_all("all => all.map(e => getComputedStyle(e).backgroundColor)")
        assert len(set(colours)) == 3, colours
        assert "rgba(0, 0, 0, 0)" not in colours
        again.shot("live-untrusted", cell)
    finally:
        page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
        page.close()
