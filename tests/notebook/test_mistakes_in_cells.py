"""Ordinary mistakes in a cell: one card of a few lines, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from itertools import pairwise

import pytest
from notebook_kernel import Kernel, Ran
from ordinary_mistakes import DEFINE, MISTAKES, OTHERS, Mistake

Cell = Callable[[str], Ran]

MOST_LINES = 11


@pytest.fixture(scope="module", autouse=True)
def defined(running: Kernel) -> None:
    ran = running.run(f"spark = session.spark\n{DEFINE}")
    assert ran.ok, ran.errors


def marked(text: str) -> str:
    """What is underlined in a text."""
    lines = text.split("\n")
    for line, below in pairwise(lines):
        if re.fullmatch(r" *\^+", below):
            return line[below.index("^") : len(below)]
    return ""


@pytest.mark.parametrize("mistake", [*MISTAKES, *OTHERS], ids=lambda mistake: mistake.name)
def test_a_mistake_is_one_card(cell: Cell, mistake: Mistake) -> None:
    ran = cell(mistake.cell)
    assert not ran.ok
    assert not ran.stream("stderr")
    (error,) = ran.errors
    assert error["ename"] == mistake.error
    assert error["traceback"][0].startswith(f"{mistake.error}: {mistake.headline}")
    *progress, card = ran.displays
    assert all("failed after" in each["text/plain"] for each in progress)
    text = card["text/plain"]
    assert text.startswith(mistake.headline)
    assert marked(text) == mistake.marked
    assert len(text.split("\n")) + len(error["traceback"]) <= MOST_LINES
    assert "\tat " not in text
    html = card["text/html"]
    shown = html.partition("<details")[0]
    if mistake.marked:
        assert re.search(rf">{re.escape(mistake.marked)}<", unescape(shown))
    assert "org.apache.spark" not in shown


ONLY_THESE = """\
for table in spark.catalog.listTables():
    if table.name not in ("airlines", "flights"):
        kind = "VIEW" if table.tableType in ("VIEW", "TEMPORARY") else "TABLE"
        spark.sql(f"DROP {kind} {table.name}")
"""


def test_the_card_says_what_there_is_where_nothing_is_like_it(cell: Cell) -> None:
    # The tables of tests before this one would be too many to be named.
    ran = cell(ONLY_THESE)
    assert ran.ok, ran.errors
    text = cell('session.sql("SELECT shout(x) FROM nowhere")').displays[0]["text/plain"]
    assert "did you mean" not in text
    assert "there are: airlines, flights" in text


def test_the_error_is_sparks_own_for_those_who_catch_it(cell: Cell) -> None:
    ran = cell(
        "from py4j.protocol import Py4JJavaError\n"
        "from pyspark.errors import AnalysisException, PySparkException\n"
        "try: session.sql('SELECT MyMedain(delay) FROM flights')\n"
        "except AnalysisException as error: caught = error\n"
        "assert isinstance(caught, nu.QueryError)\n"
        "assert caught.getCondition() == 'UNRESOLVED_ROUTINE'\n"
        "assert str(caught).startswith('[UNRESOLVED_ROUTINE] Cannot resolve routine `MyMedain`')\n"
        "assert caught.mistake.meant == 'did you mean MyMedian?'\n"
        "try: spark.read.format('parqet').load('/tmp')\n"
        "except Py4JJavaError as error: caught = error\n"
        "assert isinstance(caught, PySparkException)\n"
        "assert caught.getCondition() == 'DATA_SOURCE_NOT_FOUND'\n"
        "assert 'ClassNotFound' in caught.java_exception.getClass().getName()\n"
    )
    assert ran.ok, ran.errors
    assert not ran.outputs


def test_sparks_own_account_is_a_click_away(cell: Cell) -> None:
    html = cell('session.sql("SELECT shout(carier) FROM flights")').displays[0]["text/html"]
    folded = unescape(html.partition("<details")[2])
    assert "Spark's own account" in folded
    assert "[UNRESOLVED_COLUMN.WITH_SUGGESTION]" in folded
    assert "'Project" in folded
    assert "org.apache.spark.sql.AnalysisException" in folded


def test_hostile_names_are_only_text(cell: Cell) -> None:
    html = cell(
        'session.sql("SELECT shout(`<img src=x onerror=alert(1)>\\x1b[31m`) FROM flights")'
    ).displays[0]["text/html"]
    assert "<img" not in html
    assert "\x1b" not in html
    assert "&lt;img src=x onerror=alert(1)&gt;" in html


def test_a_query_of_many_columns_is_cut_around_the_mistake(cell: Cell) -> None:
    ran = cell(
        'spark.sql("SELECT " + ", ".join(f"delay + {i} AS c{i}" for i in range(99))'
        ' + ", uper(carrier) FROM flights")'
    )
    text = ran.displays[0]["text/plain"]
    assert marked(text) == "uper"
    assert max(map(len, text.split("\n"))) < 120
