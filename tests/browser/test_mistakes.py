"""Ten ordinary mistakes as a reader sees them: one card below the cell, with the place marked."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser.lab import Notebook
from tests.notebook.ordinary_mistakes import DEFINE, MISTAKES, Mistake

MOST_LINES = 11


@pytest.fixture(scope="module", autouse=True)
def defined(notebook: Notebook) -> None:
    cell = notebook.run(DEFINE)
    assert "Error" not in notebook.text(cell)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_is_one_card(notebook: Notebook, mistake: Mistake) -> None:
    cell = notebook.run(mistake.cell)
    outputs = notebook.output(cell)
    # The card, and the line by which JupyterLab and those that run notebooks see the cell fail.
    expect(outputs).to_have_count(2)
    text = notebook.text(cell)
    lines = [line for line in text.splitlines() if line.strip()]
    assert len(lines) <= MOST_LINES, text
    assert mistake.headline in text
    assert f"{mistake.error}: {mistake.headline}" in text
    mark = outputs.first.locator("pre span")
    expect(mark).to_have_text(mistake.marked)
    expect(mark).to_be_visible()
    assert "org.apache.spark" not in text
    notebook.shot(f"mistake-{re.sub(r'[^a-z]+', '-', mistake.name.lower())}", cell)


def test_sparks_own_account_unfolds(notebook: Notebook) -> None:
    cell = notebook.run(MISTAKES[0].cell)
    fold = notebook.output(cell).first.locator("summary", has_text="Spark's own account")
    fold.click()
    expect(notebook.output(cell).first).to_contain_text("Cannot resolve routine `MyMedain`")
    expect(notebook.output(cell).first).to_contain_text("org.apache.spark.sql")
    assert notebook.serious(".jp-OutputArea-output") == []
    notebook.shot("mistake-unfolded", cell)


def test_in_the_dark_and_in_a_narrow_window(notebook: Notebook) -> None:
    cell = notebook.run(MISTAKES[1].cell)
    notebook.dark()
    notebook.shot("mistake-dark", cell)
    notebook.dark(False)
    with notebook.narrow(480):
        notebook.shot("mistake-narrow", cell)
        mark = notebook.output(cell).first.locator("pre span")
        expect(mark).to_be_visible()
