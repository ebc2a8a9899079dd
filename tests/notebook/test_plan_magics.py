"""``%udf plan`` and ``%%sparksql --plan`` in a real kernel."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from notebook_kernel import Ran

Cell = Callable[[str], Ran]

SPENT = r"longer v\d+: 7 rows in, 7 out"


@pytest.fixture
def longer(cell: Cell) -> None:
    ran = cell("%%udf\ndef longer(x: int) -> str:\n    return f'{x!a}' * 2")
    assert ran.ok, ran.errors


@pytest.mark.usefixtures("longer")
def test_the_plan_of_a_query_that_is_not_run(cell: Cell) -> None:
    for line in ("select longer(id) from range(9)", "'select longer(id) from range(9)'"):
        ran = cell(f"%udf plan {line}")
        assert ran.ok, ran.errors
        (output,) = ran.outputs
        text, html = output["data"]["text/plain"], output["data"]["text/html"]
        assert text.startswith("3 operators · not run\n")
        assert "ArrowEvalPython  longer(id)" in text
        said = " ".join(text.split())
        kept = r"because it does not run in Spark's JVM: .* \(line 3\)"
        assert re.search(rf"longer\(id\): row by row, {kept}", said)
        assert "longer(id)" in html
        assert "<script" not in html


@pytest.mark.usefixtures("longer")
def test_the_plan_of_a_cell_with_what_it_cost(cell: Cell) -> None:
    ran = cell("%%sparksql rows --plan\nselect longer(id) as y from range(0, 7, 1, 1)")
    assert ran.ok, ran.errors
    rows, plan = ran.displays
    assert "7 rows, all shown" in rows["text/plain"]
    assert re.search(SPENT, plan["text/plain"])
    again = cell("%udf plan rows")
    assert re.search(SPENT, again.value)


def test_what_has_no_plan(cell: Cell) -> None:
    for line, said in (
        ("%udf plan", "takes a query"),
        ("%udf plan nowhere", "no variable 'nowhere'"),
        ("%udf plan drop view x", "a command runs when it is planned"),
    ):
        ran = cell(line)
        assert not ran.ok
        assert said in ran.errors[0]["evalue"]
