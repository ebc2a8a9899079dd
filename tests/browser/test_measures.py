"""``%udf profile`` and ``%udf bench`` in JupyterLab: trusted, not trusted, dark, narrow."""

from __future__ import annotations

import nbformat
import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.lab import Notebook, Server

HOSTILE = "</div><script>window.ran = 1</script><img src=x onerror='window.ran = 1'>"
CODE = f"""\
def spins(x: int) -> int:
    total = x
    for number in range(3000):
        total += number * number
    return total
record = session.register_function({HOSTILE!r}, spins, compile=False)
rows = spark.range(0, 2000, 1, 2)
session.profile(rows.select(record("id").alias("y")))"""


@pytest.fixture(scope="module")
def profiled(notebook: Notebook) -> int:
    return notebook.run(CODE)


def test_a_profile_is_read_and_tabbed_through(notebook: Notebook, profiled: int) -> None:
    # The cell shows its query as well, while it runs.
    output = notebook.output(profiled).last
    expect(output).to_contain_text("total += number * number")
    expect(output).to_contain_text("<script>")
    box = output.locator("[tabindex='0']", has_text="spins, line 4").first
    box.focus()
    expect(box).to_be_focused()
    assert "total += number * number" in (box.get_attribute("title") or "")
    assert notebook.page.evaluate("() => window.ran") is None
    assert notebook.serious(".nu-profile") == []
    notebook.shot("profile", profiled)
    notebook.dark()
    assert notebook.serious(".nu-profile") == []
    notebook.shot("profile-dark", profiled)
    notebook.dark(False)
    with notebook.narrow(400):
        notebook.shot("profile-narrow", profiled)


def test_a_bench_takes_the_place_of_its_progress(notebook: Notebook) -> None:
    notebook.run("session.register_function('spun', spins)")
    cell = notebook.run("%udf bench spun rows --rows 1000 --repeats 2")
    output = notebook.output(cell).filter(has_text="times faster")
    expect(output).to_contain_text("Advice: ")
    assert "run 2 of 2" not in notebook.text(cell)
    notebook.shot("bench", cell)


def test_not_trusted_the_graph_and_the_source_are_there(
    notebook: Notebook, profiled: int, server: Server, context: BrowserContext
) -> None:
    notebook.save()
    notebook.page.wait_for_function(
        "() => !window.jupyterapp.shell.currentWidget.context.model.dirty"
    )
    book = nbformat.read(notebook.path, 4)
    book.metadata["changed"] = "so that nobody has signed it"
    nbformat.write(book, server.books / "profile-untrusted.ipynb")
    page = context.new_page()
    opened = server.open(page, "profile-untrusted.ipynb")
    assert page.evaluate(
        "() => [...window.jupyterapp.shell.currentWidget.model.cells].some(c => !c.trusted)"
    )
    shown = page.locator(".nu-profile").first
    expect(shown).to_contain_text("total += number * number")
    # Boxes stand where they belong: the line is as wide as the share that it has.
    box = shown.locator("div[title*='spins, line 4']").first
    whole = shown.bounding_box()
    part = box.bounding_box()
    assert whole is not None
    assert part is not None
    assert 0.2 * whole["width"] < part["width"] <= whole["width"]
    assert page.evaluate("() => window.ran") is None
    opened.shot("profile-untrusted")
    page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    page.close()
