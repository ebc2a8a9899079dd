"""The ways of a reader in a real JupyterLab, by mouse and keyboard: from the README to a result of
one's own, from a ``pandas_udf`` that stands there to seeing it, and out again.

Each way says how many clicks, pastes and seconds it took (``pytest -s`` shows it).
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.lab import ROOT, SECONDS, Notebook, Server

README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(?:python|sql)\n(.+?)^```", README, re.MULTILINE | re.DOTALL)

OWN_FUNCTION = """\
%%udf
def shortened(name: str) -> str:
    return name.split(" ")[0].upper()"""
OWN_QUERY = """\
%%sparksql
SELECT faa, shortened(name) AS short FROM airports ORDER BY faa LIMIT 2"""

PANDAS = """\
import os
import sys
import pandas as pd
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

os.environ["PYSPARK_PYTHON"] = sys.executable
spark = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false").getOrCreate()
rows_of_a_batch = spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")

@F.pandas_udf("double")
def halved(numbers: pd.Series) -> pd.Series:
    print("a batch of", len(numbers))
    return numbers / 2

halves = spark.range(1_000).select(halved("id").alias("half"))"""
QUERY = "halves.agg(F.sum('half')).collect()"
ADOPT = "%load_ext notebook_udf\nimport notebook_udf as nu\nsession = nu.session(spark)"
LEFT = "rows_of_a_batch == spark.conf.get('spark.sql.execution.arrow.maxRecordsPerBatch')"


class Reader:
    """Works in a notebook as a person does, and counts what that takes."""

    def __init__(self, notebook: Notebook) -> None:
        self.notebook = notebook
        self.page = notebook.page
        self.clicks = 0
        self.pastes = 0
        self._cell = -1
        self._began = time.monotonic()

    def begin(self) -> None:
        """Clicks into the empty cell of a new notebook."""
        self.notebook.cells.first.locator(".cm-content").click()
        self.clicks += 1

    def paste(self, code: str) -> int:
        """Pastes a cell into the one at hand, runs it, and goes on to the next one."""
        # As a paste, and not as keys, at each of which the editor would complete brackets.
        self.page.evaluate("code => document.execCommand('insertText', false, code)", code)
        self.page.keyboard.press("Shift+Enter")
        self.pastes += 1
        self._cell += 1
        self.notebook.finish(self._cell)
        return self._cell

    def told(self, way: str) -> None:
        took = time.monotonic() - self._began
        print(f"{way}: {self.clicks} clicks, {self.pastes} cells pasted, {took:.0f} s")


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    made = context.new_page()
    yield made
    made.evaluate("() => window.jupyterapp.serviceManager.sessions.shutdownAll()")
    made.close()


def test_from_the_readme_to_a_result_of_ones_own(server: Server, page: Page) -> None:
    notebook = server.open(page, "first.ipynb", [""])
    reader = Reader(notebook)
    reader.begin()
    for block in BLOCKS:
        shown = reader.paste(block.rstrip("\n"))
    expect(notebook.output(shown).first).to_contain_text("close_to_one", timeout=SECONDS * 1000)
    reader.paste(OWN_FUNCTION)
    shown = reader.paste(OWN_QUERY)
    expect(notebook.output(shown).first).to_contain_text("LANSDOWNE", timeout=SECONDS * 1000)
    reader.told("from the README to a result of one's own")
    notebook.shot("way-first-result")
    assert (reader.clicks, reader.pastes) == (1, 5)


def test_from_a_pandas_udf_to_seeing_it_and_out_again(server: Server, page: Page) -> None:
    notebook = server.open(page, "pandas.ipynb", [""])
    reader = Reader(notebook)
    reader.begin()
    reader.paste(PANDAS)
    before = notebook.text(reader.paste(QUERY))

    seeing = Reader(notebook)
    seeing._cell = reader._cell
    seeing.paste(ADOPT)
    again = seeing.paste(QUERY)
    assert before in notebook.text(again)
    live = notebook.cells.nth(again)
    expect(live).to_contain_text("halved", timeout=SECONDS * 1000)
    page.locator(".jp-SideBar [data-id='notebook-udf-side']").click()
    seeing.clicks += 1
    side = page.locator(".nu-side")
    expect(side.locator("[data-section='Queries']")).to_contain_text("halved")
    # What this Spark has otherwise than one of ours is a click away, not a wall before the rest.
    assert side.locator("[data-section='Notes']").get_attribute("open") is None
    seeing.told("from a pandas_udf to seeing it")
    notebook.shot("way-pandas-udf-seen")
    assert (seeing.clicks, seeing.pastes) == (1, 2)

    leaving = Reader(notebook)
    leaving._cell = seeing._cell
    # The side panel was clicked: back into the last cell.
    notebook.cells.last.locator(".cm-content").click()
    leaving.clicks += 1
    leaving.paste("session.stop()")
    expect(side).to_contain_text("There is no session")
    assert notebook.text(leaving.paste(LEFT)) == "True"
    assert notebook.text(leaving.paste(QUERY)) == before
    leaving.told("from adopting to removing, with a look at what is left")
    notebook.shot("way-out-again")
    assert (leaving.clicks, leaving.pastes) == (1, 3)
