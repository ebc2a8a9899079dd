"""A kind of function that the package has never heard of, from its cell to an exported module.

All of it is in ``tests/sixth_kind``, and the one entry made here.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from cells import in_a_cell
from sixth_kind.memoized_kind import MemoizedKind

import notebook_udf as nu
from notebook_udf.export.files import export
from notebook_udf.functions.entry_point import Found, choose
from notebook_udf.kernel.kinds import KINDS
from notebook_udf.magics.defining import function_options, register
from notebook_udf.magics.exporting import cells
from notebook_udf.magics.magic_options import UDF_CELL
from tests.waiting import awaited

CELL = "def letters(word: str) -> int:\n    return len(word)\n"
CLASS = (
    "from sixth_kind.memoized_function import MemoizedFunction\n\n"
    "class Squared(MemoizedFunction):\n"
    "    def open(self, context):\n"
    "        self.calls = context.get_metric_group().counter('calls')\n\n"
    "    def eval(self, x: int) -> int:\n"
    "        self.calls.inc()\n"
    "        return x * x\n"
)


@pytest.fixture(autouse=True)
def sixth(session: nu.Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The entry, for the length of a test."""
    name = MemoizedKind.traits.name
    monkeypatch.setitem(KINDS, name, MemoizedKind)
    yield
    for record in [r for r in session.functions.values() if r.kind == name]:
        session.drop_function(record.name)


def from_cell(session: nu.Session, line: str, cell: str, name: str) -> nu.RegisteredFunction:
    """What ``%%udf line`` does with a cell that defines ``name``."""
    arguments = UDF_CELL.parse(line)
    found = Found(functions={name: in_a_cell(cell)[name]})
    (choice,) = choose(found, arguments.name)
    return register(session, choice, function_options(arguments), replace=False).record


def counted(session: nu.Session, function: str) -> Counter[str]:
    """The function's own counters, of all queries together."""
    counts: Counter[str] = Counter()
    for metric in session.metrics().user_metrics:
        if metric.function == function:
            counts[metric.name] += metric.value
    return counts


def test_a_line_names_it_and_spark_calls_it(session: nu.Session) -> None:
    record = from_cell(session, "letters --kind memoized", CELL, "letters")
    assert repr(record).startswith("<memoized function letters(word string) -> bigint, version 1")
    assert record.eval("four") == 4
    assert record.explain().endswith("runs once for equal arguments")
    rows = session.spark.createDataFrame([("a",), ("bb",)] * 50, "word string").coalesce(1)
    rows.createOrReplaceTempView("words")
    with awaited(session, lambda: counted(session, "letters") == {"memory.hits": 98}):
        assert session.sql("SELECT sum(letters(word)) FROM words").first()[0] == 150
    # On columns, and behind a condition, where it is called in another role.
    assert rows.select(record("word").alias("n")).distinct().count() == 2
    guarded = "SELECT sum(CASE WHEN word > 'b' THEN letters(word) ELSE 0 END) FROM words"
    with awaited(session, lambda: counted(session, "letters") == {"memory.hits": 98 + 98 + 49}):
        assert session.sql(guarded).first()[0] == 100
    assert list(record.try_(rows, 1).to_pandas()["letters"]) == [1]


def test_a_class_is_told_by_its_base(session: nu.Session) -> None:
    record = from_cell(session, "", CLASS, "Squared")
    assert record.kind == "memoized"
    query = "SELECT sum(Squared(id % 3)) FROM range(0, 30, 1, 1)"
    with awaited(session, lambda: counted(session, "Squared") == {"calls": 3, "memory.hits": 27}):
        assert session.sql(query).first()[0] == 50
    with pytest.raises(nu.DeclarationError, match="Squared is a memoized function by its code"):
        session.register_function("other", record.definition, kind="scalar")


def test_it_is_dropped_and_restored_as_spark_knows_it(session: nu.Session) -> None:
    record = from_cell(session, "letters --kind memoized", CELL, "letters")
    session.sql("DROP TEMPORARY FUNCTION letters")
    assert "letters" not in session.functions
    assert record.restore().kind == "memoized"
    assert session.spark.sql("SELECT letters('four')").first()[0] == 4


def test_ways_to_run_it_are_compared(session: nu.Session) -> None:
    from_cell(session, "", CLASS, "Squared")
    rows = session.spark.range(0, 20, 1, 1).selectExpr("id % 3 AS x")
    found = session.bench("Squared", rows, repeats=1, rows=20).to_dict()
    assert [way["way"] for way in found["ways"]] == [
        "as it is (with a memory)",
        "without a memory",
    ]


def test_a_failing_row_is_replayed(session: nu.Session) -> None:
    cell = "def inverse(x: int) -> float:\n    return 1 / x\n"
    from_cell(session, "inverse --kind memoized", cell, "inverse")
    with pytest.raises(nu.UserFunctionError, match="division by zero"):
        session.sql("SELECT inverse(id) FROM range(3)").collect()
    with pytest.raises(ZeroDivisionError):
        session.replay("inverse")


def test_it_is_exported_and_works_there(session: nu.Session, tmp_path: Path) -> None:
    sources = [f"%%udf letters --kind memoized\n{CELL}", f"%%udf squared\n{CLASS}"]
    made = export(
        cells([(source, "") for source in sources]), tmp_path / "made.py", notebook="work.ipynb"
    )
    assert not made.plain
    text = " ".join(made.module.read_text().split())
    assert "letters is a memoized function, squared is a memoized function" in text
    spec = importlib.util.spec_from_file_location("made_of_six", made.module)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # Its code travels by value, which is asked for by the module's name.
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, "made_of_six", module)
        spec.loader.exec_module(module)
        registered = module.register(session)
        assert [each.kind for each in registered.values()] == ["memoized", "memoized"]
        assert session.sql("SELECT squared(letters('four'))").first()[0] == 16
