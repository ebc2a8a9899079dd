"""The lab's side panel follows the notebook in front, whatever becomes of its kernel."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, expect

from tests.browser.lab import Notebook, Server

SLOW = 60_000
TRIPLED = "%%udf\ndef tripled(x: int) -> int:\n    return 3 * x"
HALVED = "%%udf\ndef halved(x: int) -> float:\n    return x / 2"
LOAD = "%load_ext notebook_udf"


@pytest.fixture(scope="module")
def notebook(server: Server, context: BrowserContext) -> Iterator[Notebook]:
    """A notebook whose kernel knows nothing yet."""
    page = context.new_page()
    opened = server.open(page, "tripled.ipynb", [LOAD, TRIPLED])
    page.evaluate("() => window.jupyterapp.commands.execute('notebook-udf:panel')")
    yield opened
    page.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()


@pytest.fixture(scope="module")
def side(notebook: Notebook) -> Locator:
    return notebook.page.locator(".nu-side")


def enabled(notebook: Notebook, command: str) -> bool:
    found: bool = notebook.page.evaluate(
        "name => window.jupyterapp.commands.isEnabled(name)", f"notebook-udf:{command}"
    )
    return found


def bring(notebook: Notebook, name: str) -> None:
    """Brings a notebook to the front, opening it if it is not."""
    notebook.page.evaluate(
        "path => window.jupyterapp.commands.execute('docmanager:open', {path})", name
    )
    expect(notebook.page.locator(".nu-side strong")).to_have_text(name)


def test_without_a_session_nothing_is_offered(notebook: Notebook, side: Locator) -> None:
    expect(side).to_contain_text("has not loaded notebook-udf")
    expect(notebook.page.locator(".nu-status button")).to_be_hidden()
    mark = notebook.cells.nth(1).locator(".nu-mark")
    expect(mark).to_contain_text("not registered: run %load_ext notebook_udf first")
    expect(mark.get_by_role("button")).to_be_disabled()
    notebook.shot("lab-not-loaded")
    notebook.start(0)
    notebook.finish(0)
    expect(side).to_contain_text("There is no session")
    expect(notebook.page.locator(".nu-status")).to_have_text("udf: no session")
    expect(side.get_by_role("button")).to_have_count(0)
    expect(mark.get_by_role("button")).to_be_enabled()
    for command in ("plan", "logs", "state", "workers", "restart-workers"):
        assert not enabled(notebook, command)
    assert notebook.serious(".nu-side") == []


def test_the_button_of_a_cell_starts_everything(notebook: Notebook, side: Locator) -> None:
    mark = notebook.cells.nth(1).locator(".nu-mark")
    mark.get_by_role("button", name="Register").click()
    expect(mark).to_contain_text("registered as tripled, version 1", timeout=SLOW)
    expect(side.locator("[data-section='Functions']")).to_contain_text("tripled")
    assert enabled(notebook, "logs")


def test_two_notebooks(server: Server, notebook: Notebook, side: Locator) -> None:
    (server.books / "halved.ipynb").write_text(
        (server.books / "tripled.ipynb").read_text().replace("tripled", "halved")
    )
    bring(notebook, "halved.ipynb")
    second = Notebook(notebook.page, server.books / "halved.ipynb")
    second.wait_for_kernel()
    expect(side).to_contain_text("has not loaded notebook-udf")
    second.run(LOAD)
    second.run(HALVED, timeout=60)
    functions = side.locator("[data-section='Functions']")
    expect(functions).to_contain_text("halved")
    expect(functions).not_to_contain_text("tripled")
    bring(notebook, "tripled.ipynb")
    expect(functions).to_contain_text("tripled")
    expect(functions).not_to_contain_text("halved")
    # What happens in the one that is not in front is known when it comes to the front.
    bring(notebook, "halved.ipynb")
    second.run("import notebook_udf as nu\nnu.session().stop()")
    expect(side).to_contain_text("There is no session")
    bring(notebook, "tripled.ipynb")
    expect(functions).to_contain_text("tripled")


def test_the_kernel_is_restarted(notebook: Notebook, side: Locator) -> None:
    notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()"
    )
    mark = notebook.cells.nth(1).locator(".nu-mark")
    expect(side).to_contain_text("has not loaded notebook-udf", timeout=SLOW)
    expect(mark).to_contain_text("not registered")
    notebook.run(f"{LOAD}\nimport notebook_udf as nu\nsession = nu.session(workers=2)", timeout=60)
    mark.get_by_role("button", name="Register").click()
    expect(mark).to_contain_text("registered as tripled, version 1", timeout=SLOW)
    notebook.run("session.spark.range(9).selectExpr('sum(tripled(id))').collect()")
    # Requests reach the new kernel, also while a cell blocks it.
    blocking = notebook.add("while len(session.pool): pass")
    notebook.start(blocking)
    workers = side.locator("[data-section='Workers'] [data-pid]")
    while workers.count():
        pid = workers.first.get_attribute("data-pid")
        workers.first.get_by_role("button").click()
        expect(side.locator(f"[data-pid='{pid}']")).to_have_count(0, timeout=SLOW)
    notebook.finish(blocking)


def test_the_magics_are_taken_back(notebook: Notebook, side: Locator) -> None:
    notebook.run("%unload_ext notebook_udf")
    expect(side).to_contain_text("has not loaded notebook-udf")
    notebook.run(LOAD)
    expect(side.locator("[data-section='Functions']")).to_contain_text("tripled")
    notebook.run("session.stop()")
    expect(side).to_contain_text("There is no session")


def test_the_launcher_opens_the_tutorials(
    server: Server, notebook: Notebook, side: Locator
) -> None:
    page = notebook.page
    page.evaluate("() => window.jupyterapp.commands.execute('launcher:create')")
    card = page.locator(".jp-LauncherCard").filter(has_text="Tutorials")
    expect(card).to_be_visible()
    notebook.shot("lab-launcher")
    card.click()
    expect(page.locator(".nu-side strong")).to_have_text("01-first-function.ipynb", timeout=SLOW)
    copied = sorted(each.name for each in (server.books / "notebook-udf-tutorials").glob("*.ipynb"))
    assert copied[0] == "01-first-function.ipynb"
    assert len(copied) >= 6
    expect(page.locator(".jp-NotebookPanel:not(.lm-mod-hidden) .nu-mark").first).to_be_visible()
    notebook.shot("lab-tutorial")
