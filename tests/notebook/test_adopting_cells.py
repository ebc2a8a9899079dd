"""PySpark's own function objects in a notebook: in ``%%udf`` cells, and for ``%udf adopt``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]


@pytest.fixture
def clean(cell: Cell) -> Iterator[Cell]:
    """Runs cells; what it defines and registers is gone after it."""
    assert cell("_before = {*globals()}, {*session.functions}").ok
    yield cell
    done = cell(
        "for _name in {*session.functions} - _before[1]:\n    session.drop_function(_name)\n"
        "for _name in {*globals()} - _before[0]:\n"
        "    _name.startswith('_') or globals().pop(_name, None)\n"
        "for _row in session.spark.sql('SHOW USER FUNCTIONS').collect():\n"
        "    if _row[0].startswith('adopted_'):\n"
        "        session.spark.sql(f'DROP TEMPORARY FUNCTION {_row[0]}')"
    )
    assert done.ok, done.errors


def test_a_cell_with_pysparks_decorator_is_registered(clean: Cell) -> None:
    ran = clean(
        "%%udf --on-error null\nfrom pyspark.sql.functions import udf\n"
        "def helper(x):\n    return x + 1\n"
        "@udf('int', useArrow=True)\ndef adopted_plus(x: str):\n    return helper(x)"
    )
    assert ran.ok, ran.errors
    assert [shown["text/plain"] for shown in ran.displays] == [
        "registered adopted_plus(x) -> int, version 1"
    ]
    checked = clean(
        "assert type(adopted_plus).__name__ == 'RegisteredFunction'\n"
        "assert session.sql('SELECT adopted_plus(1)').first()[0] == 2\n"
        "assert session.functions['adopted_plus'].source.startswith('@udf')\n"
        "assert adopted_plus.definition.options.on_error == 'null'"
    )
    assert checked.ok, checked.errors
    ours = clean(
        "%%udf\nfrom notebook_udf import udf\nfrom pyspark.sql.functions import udtf\n"
        "@udf(result_type='bigint')\ndef adopted_own(x):\n    return x * 2\n"
        "@udtf(returnType='n int')\nclass AdoptedRows:\n    def eval(self, n: int):\n"
        "        yield from ((i,) for i in range(n))"
    )
    assert [shown["text/plain"] for shown in ours.displays] == [
        "registered adopted_own(x) -> bigint, version 1",
        "registered AdoptedRows(n) -> table<n:int>, version 1",
    ]
    assert clean("assert session.sql('SELECT * FROM AdoptedRows(3)').count() == 3").ok
    refused = clean(
        "%%udf --returns int\nfrom pyspark.sql.functions import udf\nf = udf(lambda x: x, 'int')"
    )
    assert "which says its result type itself: leave result_type out" in str(refused.errors)


DEFINED = """
from collections.abc import Iterator
import pandas as pd
from pyspark.sql.functions import pandas_udf, udf

@udf('int', useArrow=True)
def adopted_half(x):
    return x / 2

@pandas_udf('bigint')
def adopted_batches(x: Iterator[pd.Series]) -> Iterator[pd.Series]:
    yield from x

adopted_sql = session.spark.udf.register('adopted_sql', lambda x: x + 1, 'bigint')
def plain(x):
    return str(x)
_ = session.spark.udf.register('adopted_lost', plain, 'string')
del _
"""


def test_what_can_be_adopted_is_listed_and_registered(clean: Cell, running: Kernel) -> None:
    assert clean(DEFINED).ok
    before = clean("sorted(r[0] for r in session.spark.sql('SHOW USER FUNCTIONS').collect())")
    listed = clean("%udf adopt").value
    lines = {line.split()[0]: " ".join(line.split()) for line in listed.splitlines() if line}
    assert lines["adopted_half"] == (
        "adopted_half udf with Arrow scalar (x) -> int "
        "is cast by Spark, as 1.7 for an INT to 1, or fails"
    )
    assert "pandas_udf of an iterator of batches cannot be adopted" in lines["adopted_batches"]
    assert "the columns of a batch" in lines["adopted_batches"]
    assert lines["adopted_sql"].startswith("adopted_sql udf")
    assert "session.register_function('adopted_lost', function, result_type='string')" in listed
    assert "plain" not in lines
    after = clean("sorted(r[0] for r in session.spark.sql('SHOW USER FUNCTIONS').collect())")
    assert after.value == before.value, "it leaves Spark as it was"

    named = clean("%udf adopt adopted_half --coerce")
    assert named.value == "registered adopted_half(x) -> int, version 1"
    checked = clean(
        "assert [r[0] for r in session.sql('SELECT adopted_half(id) FROM range(4)').collect()]"
        " == [0, 0, 1, 1]\n"
        "assert not isinstance(adopted_half, nu.RegisteredFunction)"
    )
    assert checked.ok, checked.errors
    assert "adopted_half" not in clean("%udf adopt").value
    everything = clean("%udf adopt --all").value
    assert "registered adopted_sql(x) -> bigint, version 1" in everything
    assert "not registered: adopted_batches is PySpark's pandas_udf of an iterator" in everything
    assert clean("assert session.sql('SELECT adopted_sql(1)').first()[0] == 2").ok
    assert running.complete("%udf adopt --co") == ["--coerce"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "%udf adopt adopted_hlf",
            "no variable 'adopted_hlf' holds a function object of PySpark's",
        ),
        ("%udf adopt adopted_batches", "which has no equal here"),
        ("%udf adopt adopted_half --all", "%udf adopt takes names, or --all"),
        ("%udf adopt --evrything", "unrecognized arguments: --evrything"),
    ],
)
def test_what_cannot_be_adopted_is_said(clean: Cell, line: str, said: str) -> None:
    assert clean(DEFINED).ok
    assert said in str(clean(line).errors)


def test_a_notebook_without_any_says_so(clean: Cell) -> None:
    # In a namespace of its own: tests of other files leave some in the kernel's.
    ran = clean(
        "from notebook_udf.magics.adopt_magic import adopt\n"
        "print(adopt(session, {'x': 1}, ''))\nprint(adopt(session, {'x': 1}, '--all'))"
    )
    first, *_, last = ran.stream().splitlines()
    assert first == "no variable holds a function object of PySpark's to be adopted"
    assert last == "there is nothing to adopt"


def test_a_cell_with_an_object_is_exported(clean: Cell, tmp_path: Path) -> None:
    assert clean(
        "%%udf --on-error null\nfrom pyspark.sql import functions as F\n"
        "@F.udf('bigint', useArrow=True)\ndef adopted_third(x):\n    return x // 3\n"
        "adopted_named = F.udf(lambda x: x - 1, 'bigint', useArrow=True)"
    ).ok
    ran = clean(f"%udf export -o {tmp_path / 'adopted.py'}")
    assert ran.ok, ran.errors
    text = (tmp_path / "adopted.py").read_text("utf-8")
    assert "@F.udf('bigint', useArrow=True)\ndef adopted_third" in text
    assert "adopted_third is adopted from PySpark" in " ".join(text.split())
    checked = clean(
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import adopted\n"
        "session.drop_function('adopted_third')\nadopted.register(session)\n"
        "assert session.functions['adopted_third'].definition.options.on_error == 'null'\n"
        "assert session.sql('SELECT adopted_third(7), adopted_named(7)').first() == (2, 6)"
    )
    assert checked.ok, checked.errors
