"""A notebook with every panel in it, saved: small, and readable wherever it is opened."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.lab import SECONDS, Notebook, Server

CELLS = [
    """\
@nu.register
def twice(x: int) -> int:
    print("row", x)
    return 2 * x
frame = session.sql("SELECT id % 3 AS k, sum(twice(id)) AS s FROM range(2000) GROUP BY 1")
_ = frame.collect()""",
    "%%sparksql\nSELECT sum(twice(id)) FROM range(1000)",
    "%udf functions",
    "%udf metrics",
    "%udf pool",
    "%udf logs",
    "session.plan(frame)",
]
LIVE = 4
MOST_BYTES = 1_500_000
# Colours of the left edges of everything below a cell.
_EDGES = """() => [...document.querySelectorAll(".jp-OutputArea-output li")]
  .filter((li) => parseInt(getComputedStyle(li).borderLeftWidth) > 0)
  .map((li) => getComputedStyle(li).borderLeftColor)"""


@pytest.fixture(scope="module")
def saved(notebook: Notebook) -> Path:
    """The notebook's file, written while its panels live."""
    for cell in CELLS:
        notebook.run(cell)
    expect(notebook.page.locator(".jp-OutputArea-output .nu-panel")).to_have_count(LIVE)
    notebook.shot("every-panel")
    notebook.save()
    notebook.page.wait_for_function(
        "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
    )
    return notebook.path


def test_it_is_small(saved: Path, notebook: Notebook) -> None:
    # JupyterLab can be set to save the state of widgets as well, their scripts among it.
    cell = notebook.run(
        "import ipywidgets, json\nlen(json.dumps(ipywidgets.Widget.get_manager_state()))"
    )
    state = int(notebook.text(cell))
    assert state > 100_000
    assert saved.stat().st_size + state < MOST_BYTES


def test_untrusted_it_shows_static_twins(
    saved: Path, server: Server, context: BrowserContext
) -> None:
    book = nbformat.read(saved, 4)
    book.metadata["changed"] = "so that nobody has signed it"
    nbformat.write(book, server.books / "untrusted.ipynb")
    page = context.new_page()
    opened = server.open(page, "untrusted.ipynb")
    assert page.evaluate(
        "() => [...window.jupyterapp.shell.currentWidget.model.cells].some(c => !c.trusted)"
    )
    expect(page.locator(".jp-OutputArea-output .nu-panel")).to_have_count(0)
    shown = "\n".join(page.locator(".jp-OutputArea-output").all_inner_texts())
    for words in ("twice", "HashAggregate", "workers alive", "twice row 500"):
        assert words in shown
    # Those of operators with Python functions, which the sanitiser leaves.
    assert "rgb(25, 118, 210)" in page.evaluate(_EDGES)
    opened.shot("untrusted")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()


def test_converted_it_needs_no_network(
    saved: Path, context: BrowserContext, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "nbconvert", "--to", "html", f"--output-dir={tmp_path}"]
    subprocess.run([*command, str(saved)], check=True, timeout=SECONDS, capture_output=True)
    page = context.new_page()
    context.set_offline(True)
    try:
        page.goto((tmp_path / saved.with_suffix(".html").name).as_uri(), wait_until="commit")
        page.wait_for_selector("body")
        for words in ("HashAggregate", "workers alive", "twice row 500"):
            expect(page.locator("body")).to_contain_text(words)
    finally:
        context.set_offline(False)
        page.close()


def test_notebook_7_shows_panels(server: Server, context: BrowserContext) -> None:
    code = (
        "%load_ext notebook_udf\nimport notebook_udf as nu\nnu.session(workers=1).plan('SELECT 1')"
    )
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    book.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(book, server.books / "seven.ipynb")
    page = context.new_page()
    page.goto(f"{server.url}/notebooks/seven.ipynb?token={server.token}")
    # What is run before the kernel is there is not run: a dialog asks for a kernel instead.
    Notebook(page, server.books / "seven.ipynb").wait_for_kernel()
    page.get_by_role("button", name="Run this cell").click()
    expect(page.locator(".nu-plan .nu-operator").first).to_be_visible(timeout=SECONDS * 1000)
    page.screenshot(path=str(Path("build/screenshots/notebook-7.png")))
    page.goto("about:blank")
    page.close()
    kernels = json.loads(_get(server, "/api/kernels"))
    assert kernels


def _get(server: Server, path: str) -> str:
    import urllib.request

    with urllib.request.urlopen(f"{server.url}{path}?token={server.token}", timeout=10) as answer:
        return str(answer.read().decode())
