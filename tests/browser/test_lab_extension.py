"""JupyterLab's side panel, status item, marks on cells, commands: in a browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import Notebook

FARE = """\
%%udf
def fare(miles: float) -> float:
    return 2.5 + 1.75 * miles"""


@pytest.fixture(scope="module")
def side(notebook: Notebook) -> Locator:
    notebook.page.evaluate("() => window.jupyterapp.commands.execute('notebook-udf:panel')")
    return notebook.page.locator(".nu-side")


def section(side: Locator, title: str) -> Locator:
    return side.locator(f"[data-section='{title}']")


def test_a_function_is_shown_with_its_source(notebook: Notebook, side: Locator) -> None:
    notebook.run(FARE)
    functions = section(side, "Functions")
    shown = functions.locator("summary").filter(has_text="fare")
    expect(shown).to_contain_text("scalar, version 1")
    shown.click()
    expect(functions.get_by_text("fare(miles DOUBLE) -> DOUBLE")).to_be_visible()
    expect(functions.locator("pre")).to_contain_text("return 2.5 + 1.75 * miles")
    notebook.shot("lab-side")
