"""``%%sparksql``: the table, the line while it runs, several statements, variables."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from notebook_kernel import Ran

Cell = Callable[[str], Ran]


@pytest.fixture
def counted(cell: Cell) -> None:
    ran = cell(
        "%%udf\n"
        "class Counted(nu.ScalarFunction):\n"
        "    def open(self, ctx):\n"
        "        self.seen = ctx.get_metric_group().counter('seen')\n"
        "    def eval(self, x: int) -> int:\n"
        "        self.seen.inc()\n"
        "        if x == 3: print('three <b>')\n"
        "        return x + 1"
    )
    assert ran.ok, ran.errors


@pytest.mark.usefixtures("counted")
def test_one_output_with_rows_and_totals(cell: Cell) -> None:
    ran = cell("%%sparksql\nselect id, Counted(id) as y from range(0, 10, 1, 1)")
    assert ran.ok, ran.errors
    (output,) = ran.outputs
    assert output["type"] == "display_data"
    text, html = output["data"]["text/plain"], output["data"]["text/html"]
    assert text.startswith("id  y\n0   1\n1   2\n")
    assert "10 rows, all shown · " in text
    rows = [line.split() for line in text.splitlines()]
    assert ["Counted", "v1", "10", "1"] in [row[:4] for row in rows]
    assert ["Counted", "seen", "10"] in rows
    assert "1 log line" in text
    assert html.count("<th>function</th>") == 2
    assert "running" not in html


@pytest.mark.usefixtures("counted")
def test_totals_are_those_of_this_run_only(cell: Cell) -> None:
    for rows in (5, 7):
        ran = cell(f"%%sparksql\nselect sum(Counted(id)) as s from range(0, {rows}, 1, 1)")
        text = ran.displays[0]["text/plain"]
        lines = [line.split() for line in text.splitlines() if "Counted" in line]
        assert [line[2] for line in lines] == [str(rows), str(rows)], text


def test_limit_and_name(cell: Cell) -> None:
    ran = cell("%%sparksql few --limit 2\nselect id, null as n from range(5)")
    text = ran.displays[0]["text/plain"]
    assert text.startswith("id  n\n0   NULL\n1   NULL\n\nthe first 2 rows; there are more · ")
    assert cell("assert few.count() == 5").ok
    exact = cell("%%sparksql --limit 5\nselect id from range(5)")
    assert "5 rows, all shown" in exact.displays[0]["text/plain"]
    assert not cell("%%sparksql --limit -1\nselect 1").ok
    assert not cell("%%sparksql 1x\nselect 1").ok


def test_no_live(cell: Cell) -> None:
    ran = cell("%%sparksql --no-live\nselect 1 as one")
    (output,) = ran.outputs
    assert output["display_id"] is None
    assert ran.updates == []
    assert output["data"]["text/plain"].startswith("one\n1\n\n1 row, all shown")


def test_statements_quotes_comments_and_ddl(cell: Cell) -> None:
    ran = cell(
        "%%sparksql\n-- first; a comment\ncreate or replace temp view semi as select 'a;b' as s;\n"
        "/* second; */ select s, '{not_a_place}' as t from semi;\n"
    )
    assert ran.ok, ran.errors
    assert ran.displays[0]["text/plain"].startswith("s    t\na;b  {not_a_place}\n")
    done = cell("%%sparksql\ncreate or replace temp view semi2 as select 1")
    assert done.displays[0]["text/plain"].startswith("done · ")
    nothing = cell("%%sparksql\n-- only a comment\n")
    assert "no SQL statement" in nothing.displays[0]["text/plain"]


def test_variables(cell: Cell) -> None:
    cell(
        'import datetime\nbase = session.spark.range(3)\nlowest, word = 1, "it\'s {x}"\n'
        "day = datetime.date(2020, 2, 3)"
    )
    ran = cell(
        "%%sparksql\nselect id, {word} w, '{word}' q, {day} d from {base} where id >= {lowest}"
    )
    assert ran.ok, ran.errors
    assert ran.displays[0]["text/plain"].splitlines()[1].split() == [
        "1", "it's", "{x}", "{word}", "2020-02-03",
    ]  # fmt: skip
    missing = cell("%%sparksql\nselect {nowhere}")
    assert "{nowhere} stands for a variable" in missing.displays[0]["text/plain"]
    wrong = cell("import os\nget_ipython().run_cell_magic('sparksql', '', 'select {os}')")
    assert "{os} is a module" in wrong.displays[0]["text/plain"]


def test_an_error_ends_the_line_and_fails_the_cell(cell: Cell) -> None:
    ran = cell("%%sparksql\nselect no_such_column from range(1)")
    assert not ran.ok
    assert ran.displays[0]["text/plain"].startswith("failed after ")
    assert ran.errors[0]["ename"] == "AnalysisException"


def test_a_query_spark_cannot_read_fails_in_few_words(cell: Cell) -> None:
    ran = cell("%%sparksql\nSELEKT 1")
    (error,) = ran.errors
    assert error["ename"] == "ParseException"
    assert "Syntax error at SELEKT: did you mean SELECT?" in error["evalue"]
    assert not any("py4j" in line for line in error["traceback"])
    unknown = cell("%%sparksql\nSELECT nothing FROM range(1)")
    assert unknown.errors[0]["ename"] == "AnalysisException"
