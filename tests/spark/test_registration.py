"""Names, versions, and what a function may take along to a worker."""

from __future__ import annotations

import functools
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from cells import in_a_cell
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import ScalarFunction, registry, udf


def one(session: nu.Session, query: str) -> Any:
    rows = session.sql(query).collect()
    assert len(rows) == 1
    return rows[0][0]


# --- versions --------------------------------------------------------------------------------


def test_registering_again_takes_effect_in_the_next_query(session: nu.Session) -> None:
    cell = in_a_cell("RATE = 2\ndef rate(x: int) -> int:\n    return x * RATE\n")
    first = session.register_function("rate", cell["rate"])
    held = session.spark.range(1, 2).select(first("id"))
    assert one(session, "SELECT rate(10)") == 20
    cell["RATE"] = 3
    # Only registering takes effect: a query never sees half of a cell that runs.
    assert one(session, "SELECT rate(10)") == 20
    second = session.register_function("rate", cell["rate"])
    assert one(session, "SELECT rate(10)") == 30
    assert session.spark.sql("SELECT rate(10)").collect()[0][0] == 30
    assert session.spark.range(1, 2).select(second("id")).collect()[0][0] == 3
    assert session.spark.range(1, 2).select(F.call_function("rate", "id")).collect()[0][0] == 3
    assert held.collect()[0][0] == 2
    assert first.hash != second.hash


def test_another_body_and_other_types_take_effect(session: nu.Session) -> None:
    session.register_function("turns", udf(lambda x: x + 1, result_type="bigint"))
    assert one(session, "SELECT turns(1)") == 2
    session.register_function("turns", udf(lambda x: f"<{x}>", result_type="string"))
    assert one(session, "SELECT turns(1)") == "<1>"
    session.register_function("TURNS", udf(lambda x, y: x * y, result_type="bigint"))
    assert one(session, "SELECT turns(6, 7)") == 42
    assert [r.version for r in session.functions["Turns"].history] == [1, 2, 3]


def test_history_and_restore(session: nu.Session) -> None:
    cell = in_a_cell("K = 1\ndef aged(x: int) -> int:\n    return x + K\n")
    records = []
    for k in (1, 2, 3):
        cell["K"] = k
        records.append(session.register_function("aged", cell["aged"]))
    assert [r.version for r in records[-1].history] == [1, 2, 3]
    assert records[0].history == records[-1].history
    assert "return x + K" in records[0].source
    assert len({r.hash for r in records}) == 3
    assert one(session, "SELECT aged(10)") == 13
    restored = records[0].restore()
    assert (restored.version, restored.hash) == (4, records[0].hash)
    assert one(session, "SELECT aged(10)") == 11
    assert session.functions["aged"] is restored
    assert [r.version for r in restored.history] == [1, 2, 3, 4]
    with pytest.raises(AttributeError):
        restored.name = "other"  # type: ignore[misc]


def test_of_many_versions_the_last_are_kept(
    session: nu.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registry, "MOST_VERSIONS", 3)
    options = {"result_type": "bigint", "on_error": "quarantine"}
    session.register_function("often", udf(lambda x: 1 // (x - 1), **options))
    session.sql("SELECT often(1)").collect()
    (failure,) = session.store.failures("often")
    for divisor in (2, 3, 4):
        session.register_function("often", udf(lambda x, d=divisor: x // d, **options))
        assert one(session, "SELECT often(12)") == 12 // divisor
    assert [r.version for r in session.functions["often"].history] == [2, 3, 4]
    assert session.functions.version("often", 1) is None
    # Rows of versions that are not kept are none the less there, and replay takes no other one.
    assert [row.x for row in session.errors("often").collect()] == [1]
    with pytest.raises(nu.SessionError, match=r"version 1 of often, which failed, is no longer"):
        session.replay("often", failure.failed.error_id)
    session.drop_function("often")
    session.register_function("often", udf(lambda x: x, **options))
    assert session.errors("often").collect() == []


# --- names of Spark's own --------------------------------------------------------------------


def test_the_name_of_a_builtin_is_refused(session: nu.Session) -> None:
    for name in ("upper", "UPPER", "sum", "to_date"):
        with pytest.raises(nu.NameTakenError, match="built-in") as caught:
            session.register_function(name, udf(lambda x: x, result_type="string"))
        assert "replace=True" in str(caught.value)
        assert name not in session.functions
    assert one(session, "SELECT upper('a')") == "A"


@pytest.mark.parametrize("name", ["first", "LAST", "any_value", "struct", "not"])
def test_a_word_of_sparks_sql_cannot_be_replaced(session: nu.Session, name: str) -> None:
    parser = session.spark._jsparkSession.sessionState().sqlParser()
    assert f"'{name}(" not in parser.parsePlan(f"SELECT {name}(5)").toString()
    with pytest.raises(nu.NameTakenError, match="choose another name"):
        session.register_function(name, udf(lambda x: x, result_type="string"), replace=True)
    assert name not in session.functions


def test_a_builtin_can_be_replaced(session: nu.Session) -> None:
    order = "spark.sql.functionResolution.sessionOrder"
    before = session.spark.conf.get(order)
    try:
        record = session.register_function(
            "initcap", udf(lambda s: f"mine: {s}", result_type="string"), replace=True
        )
        assert record.replaces_builtin
        assert one(session, "SELECT initcap('ab cd')") == "mine: ab cd"
        assert one(session, "SELECT system.builtin.initcap('ab cd')") == "Ab Cd"
        frame = session.spark.sql("SELECT 'ab' AS s")
        assert frame.select(record("s")).collect()[0][0] == "mine: ab"
        again = record.restore()
        assert again.replaces_builtin
        assert one(session, "SELECT initcap('x'), upper('x')") == "mine: x"
    finally:
        session.sql("DROP TEMPORARY FUNCTION IF EXISTS initcap")
        session.spark.conf.set(order, before)


# --- what cannot travel ----------------------------------------------------------------------


def _generator() -> Iterator[int]:
    yield 1


@pytest.fixture(params=["SparkSession", "DataFrame", "lock", "socket", "file", "generator"])
def stuck(request: pytest.FixtureRequest, session: nu.Session, tmp_path: Path) -> Iterator[Any]:
    """Something that has no meaning in another process, and the word for it."""
    kind = request.param
    if kind == "SparkSession":
        yield session.spark, "SparkSession"
    elif kind == "DataFrame":
        yield session.spark.range(1), "DataFrame"
    elif kind == "lock":
        yield threading.Lock(), "lock"
    elif kind == "socket":
        with socket.socket() as opened:
            yield opened, "socket"
    elif kind == "file":
        with open(tmp_path / "file", "w") as file:
            yield file, "open file"
    else:
        generator = _generator()
        yield generator, "generator"
        generator.close()


class Holder(ScalarFunction):
    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def eval(self, x: int) -> int:
        return x if self.thing else 0


CELLS: dict[str, tuple[str, str, int]] = {
    # way in: (cell, name in the message, line; 0 where the way in has none)
    "global": ("\ndef f(x):\n    y = x\n    return y if thing else 0\n", "'thing'", 4),
    "closure": (
        "def make(kept):\n    def f(x):\n        return x if kept else 0\n    return f\n"
        "f = make(thing)\n",
        "'kept'",
        3,
    ),
    "default": ("\ndef f(x, d=thing):\n    return x if d else 0\n", "'d'", 2),
    "keyword default": ("\ndef f(x, *, d=thing):\n    return x if d else 0\n", "'d'", 2),
    "partial": (
        "import functools\ndef g(p, x):\n    return x if p else 0\n"
        "f = functools.partial(g, thing)\n",
        "argument",
        0,
    ),
    "partial keyword": (
        "import functools\ndef g(x, p):\n    return x if p else 0\n"
        "f = functools.partial(g, p=thing)\n",
        "'argument p'",
        0,
    ),
    "helper": (
        "def helper(x):\n\n    return x if thing else 0\ndef f(x):\n    return helper(x)\n",
        "'thing'",
        3,
    ),
    "nested helper": (
        "def f(x):\n    def inner(y):\n        return y if thing else 0\n    return inner(x)\n",
        "'thing'",
        3,
    ),
    "comprehension": (
        "def f(x):\n    return [y for y in [x]\n        if thing][0]\n",
        "'thing'",
        3,
    ),
    "in a list": (
        "things = [1, thing]\ndef f(x):\n    return x if things else 0\n",
        "'things'",
        3,
    ),
}


@pytest.mark.parametrize("way", list(CELLS))
def test_a_capture_is_refused_by_name_and_line(
    session: nu.Session, stuck: tuple[Any, str], way: str
) -> None:
    thing, word = stuck
    source, name, line = CELLS[way]
    cell = in_a_cell(source, thing=thing)
    assert isinstance(cell["f"], (FunctionType, functools.partial))
    with pytest.raises(nu.CaptureError) as caught:
        session.register_function("captures", udf(cell["f"], result_type="bigint"))
    message = str(caught.value)
    assert word in message
    assert name in message
    if line:
        assert f"line {line}" in message
    assert "captures" not in session.functions


def test_an_attribute_is_refused_by_name(session: nu.Session, stuck: tuple[Any, str]) -> None:
    thing, word = stuck
    with pytest.raises(nu.CaptureError) as caught:
        session.register_function("captures", udf(Holder(thing), result_type="bigint"))
    assert "self.thing" in str(caught.value)
    assert word in str(caught.value)
    assert "line " in str(caught.value)


def test_what_can_travel_is_let_through(session: nu.Session) -> None:
    cell = in_a_cell(
        "import threading, io\n"
        "TABLE = {i: str(i) for i in range(100)}\n"
        "def helper(x):\n    return TABLE[x]\n"
        "def f(x: int, kept=io.StringIO('a')) -> str:\n"
        "    with threading.Lock():\n        return helper(x) + kept.getvalue()\n"
    )
    session.register_function("travels", cell["f"])
    assert one(session, "SELECT travels(7)") == "7a"


# --- names that need quotes (faults.md, 36) --------------------------------------------------

NAMES = [
    "it's", 'say "hi"', "back`tick", "semi;colon", "two words", "größe", "数", "😀", "select",
    "from", "a.b", "a--b", "/*a*/", "x) FROM y; --", "{braces}", "%s", "back\\slash", "new\nline",
]  # fmt: skip


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _plus_one(flavour: str) -> Callable[..., Any]:
    return udf(lambda x: x + 1, result_type="bigint", func_type=flavour)


@pytest.mark.parametrize("name", NAMES)
def test_any_name_works_as_with_spark(session: nu.Session, name: str) -> None:
    frame = session.spark.range(3).withColumnRenamed("id", name)
    frame.createOrReplaceTempView("odd_names")
    try:
        theirs = session.spark.udf.register("spark " + name, lambda x: x + 1, "bigint")
        expected = frame.select(theirs(F.col(quoted(name)))).collect()
    except Exception:
        # Spark's own refuses the name: then it is enough that ours says so or works.
        expected = [(1,), (2,), (3,)]
    for flavour in ("general", "arrow"):
        if flavour == "arrow":
            import pyarrow.compute as pc

            record = session.register_function(
                name, udf(lambda a: pc.add(a, 1), result_type="bigint", func_type="arrow")
            )
        else:
            record = session.register_function(name, _plus_one("general"))
        assert frame.select(record(F.col(quoted(name)))).collect() == expected
        assert frame.select(record(quoted(name))).collect() == expected
        query = f"SELECT {quoted(name)}({quoted(name)}) AS {quoted(name)} FROM odd_names"
        assert session.sql(query).collect() == expected
        assert session.sql(query).columns == [name]
        assert session.functions[name].eval(1) == 2 if flavour == "general" else True


@pytest.mark.parametrize("name", ["it's", "back`tick", "a.b", "select", "😀 größe"])
def test_odd_names_of_fields_results_and_quarantined_rows(session: nu.Session, name: str) -> None:
    struct = f"struct<{quoted(name)}:bigint>"

    def pack(x: int) -> Any:
        if x == 1:
            raise ValueError("one")
        return {name: x}

    record = session.register_function(name, udf(pack, result_type=struct, on_error="quarantine"))
    rows = session.spark.range(0, 3, 1, 1).select(record("id").alias("r")).collect()
    assert [row.r and row.r[name] for row in rows] == [0, None, 2]
    assert [row.x for row in session.errors(name).collect()] == [1]


def test_year_month_functions_of_odd_names(session: nu.Session) -> None:
    kind = "interval year to month"
    session.register_function("it's `x`;", udf(lambda m: m + 1, kind, kind))
    query = "SELECT CAST(`it's ``x``;`(INTERVAL '1' YEAR) AS STRING)"
    assert one(session, query) == "INTERVAL '1-1' YEAR TO MONTH"
