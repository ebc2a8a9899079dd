"""Errors in queries outside of a notebook: silent loggers, a note below a traceback, the end."""

from __future__ import annotations

import io
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import (
    AnalysisException,
    ArithmeticException,
    NumberFormatException,
    ParseException,
    PySparkException,
)
from pyspark.logger import PySparkLogger
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf.kernel import spark_loggers

ROOT = Path(nu.__file__).resolve().parents[1]

# What each of these does wrong is told by a card, on every way that leads to Spark.
_BEGIN = """
import contextlib, io, logging, sys
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import functions as F
import notebook_udf as nu
from notebook_udf.widgets.card import card_html

NAMES = ("SQLQueryContextLogger", "DataFrameQueryContextLogger")

def begin():
    global session, spark, rows
    session = nu.session(workers=1)
    spark = session.spark
    rows = spark.range(3)
    rows.createOrReplaceTempView("numbers")
    session.register_function("shout", nu.udf(lambda s: s, result_type="string"))

def mistakes():
    for wrong in (
        lambda: session.sql("SELECT shoot(id) FROM numbers"),
        lambda: session.sql("SELECT shout(idd) FROM numbers"),
        lambda: session.sql("SELECT shout(id) FROM numbers WHERE shout(idd) > 'a' OR id > 1"),
        lambda: spark.sql("SELECT uper('a')"),
        lambda: spark.sql("SELECT 1/0").collect(),
        lambda: rows.select("idd"),
        lambda: rows.filter("idd > 1"),
        lambda: rows.select(F.col("id") + F.array(F.lit(1))),
        lambda: rows.withColumn("x", F.expr("uper(id)")),
    ):
        try:
            wrong()
        except PySparkException:
            continue
        raise AssertionError("no mistake")
"""


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", _BEGIN + code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.thorough
def test_the_loggers_are_silent_on_every_way_and_pysparks_again_afterwards() -> None:
    ran = run(
        """
begin()
mistakes()
session.stop()
for logger in map(PySparkLogger.getLogger, NAMES):
    (handler,) = logger.handlers
    assert not logger.filters and not handler.filters and not logger.disabled
    assert logger.level == logging.WARNING
print("silent so far", file=sys.stderr)
PySparkLogger.getLogger(NAMES[0]).error("heard again")
"""
    )
    assert ran.returncode == 0, ran.stderr
    silent, _, after = ran.stderr.partition("silent so far")
    assert "QueryContextLogger" not in silent
    assert "Traceback" not in silent
    assert after.count("heard again") == 1


@pytest.mark.thorough
def test_loggers_that_were_there_are_left_as_they_were() -> None:
    ran = run(
        """
def state():
    return [
        (logger.level, logger.disabled, logger.propagate, logger.filters[:], logger.handlers[:],
         [(handler.level, handler.filters[:], handler.stream) for handler in logger.handlers])
        for logger in map(PySparkLogger.getLogger, NAMES)
    ]
for name in NAMES:
    PySparkLogger.getLogger(name).propagate = False
before = state()
begin()
mistakes()
assert [each[:3] for each in state()] == [each[:3] for each in before]
session.stop()
assert state() == before
"""
    )
    assert ran.returncode == 0, ran.stderr
    assert "QueryContextLogger" not in ran.stderr


@pytest.mark.thorough
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_handler_of_the_users_gets_each_error_once(when: str) -> None:
    add = """
heard = io.StringIO()
for name in NAMES:
    PySparkLogger.getLogger(name).addHandler(logging.StreamHandler(heard))
"""
    ran = run(
        (add + "begin()\n" if when == "before" else "begin()\n" + add)
        + """
mistakes()
lines = heard.getvalue().splitlines()
assert len(lines) == 9, lines
assert ["QueryContextLogger" in line for line in lines] == [True] * 9
assert sum("SQLQueryContextLogger" in line for line in lines) == 7, lines
session.stop()
"""
    )
    assert ran.returncode == 0, ran.stderr
    assert "QueryContextLogger" not in ran.stderr


@pytest.mark.thorough
def test_a_handler_that_took_the_place_of_pysparks_stays() -> None:
    ran = run(
        """
heard = io.StringIO()
logger = PySparkLogger.getLogger(NAMES[0])
logger.handlers[:] = [logging.StreamHandler(heard)]
begin()
with contextlib.suppress(PySparkException):
    spark.sql("SELECT uper('a')")
assert "UNRESOLVED_ROUTINE" in heard.getvalue()
session.stop()
assert logger.handlers[0].stream is heard
"""
    )
    assert ran.returncode == 0, ran.stderr
    assert "QueryContextLogger" not in ran.stderr


@pytest.mark.thorough
def test_a_level_of_the_users_is_heard() -> None:
    ran = run(
        """
begin()
PySparkLogger.getLogger(NAMES[0]).setLevel(logging.INFO)
with contextlib.suppress(PySparkException):
    spark.sql("SELECT uper('a')")
with contextlib.suppress(PySparkException):
    rows.select("idd")
session.stop()
assert PySparkLogger.getLogger(NAMES[0]).level == logging.INFO
"""
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr.count('"logger": "SQLQueryContextLogger"') == 1
    assert "DataFrameQueryContextLogger" not in ran.stderr


def test_a_script_ends_with_the_nearest_name() -> None:
    ran = run(
        """
begin()
session.sql("SELECT shoot(id) FROM numbers")
"""
    )
    assert ran.returncode == 1
    last = ran.stderr.rstrip().splitlines()
    assert last[-1] == "did you mean shout?"
    assert any(line.startswith("pyspark.errors.exceptions.captured.Analysis") for line in last)
    assert "QueryContextLogger" not in ran.stderr


@pytest.mark.thorough
def test_an_error_shown_after_the_session_says_what_it_can() -> None:
    ran = run(
        """
begin()
try:
    session.sql("SELECT shoot(id) FROM numbers")
except nu.QueryError as error:
    caught = error
session.stop()
print(caught.mistake.text)
assert "org.apache.spark.sql" in card_html(caught)
"""
    )
    assert ran.returncode == 0, ran.stderr
    assert "Cannot resolve routine `shoot`" in ran.stdout


def mistake(session: nu.Session, query: str) -> Any:
    with pytest.raises(nu.QueryError) as caught:
        session.sql(query).collect()
    return caught.value.mistake


@pytest.fixture(scope="module", autouse=True)
def registered(session: nu.Session) -> None:
    session.register_function("louder", nu.udf(lambda s: s, result_type="string"))

    class Longest(nu.AggregateFunction):
        def create_accumulator(self) -> list[float]:
            return [0.0]

        def accumulate(self, accumulator: list[float], value: float) -> None:
            accumulator[0] = max(accumulator[0], value)

        def merge(self, accumulator: list[float], others: Any) -> None:
            accumulator[0] = max(accumulator[0], *(other[0] for other in others))

        def get_value(self, accumulator: list[float]) -> float:
            return accumulator[0]

    session.register_function("longest", nu.udaf(Longest, accumulator_type="array<double>"))


@pytest.mark.parametrize(
    ("query", "marked"),
    [
        ("SELECT longest(idd) FROM range(3)", "idd"),
        ("SELECT r.idd, longest(id) FROM range(3) r GROUP BY 1", "r.idd"),
        ("SELECT longest(id) OVER (PARTITION BY idd) FROM range(3)", "idd"),
        ("SELECT longest(id) FROM range(3) WHERE idd > 1 GROUP BY id", "idd"),
        ("SELECT louder(`idd`) FROM range(3)", "`idd`"),
        ("WITH t AS (\n  SELECT longest(id) x FROM range(3))\nSELECT idd\nFROM t", "idd"),
        ("SELECT louder(id)\nFROM range(3)\nWHERE louder(idd) = 'a' OR id > 1", "idd"),
        ("SELECT id FROM range(3) ORDER BY longest(id), idd", "idd"),
        ("SELECT longest(id) + array(1) FROM range(3)", "longest(id) + array(1)"),
        ("SELECT array(1)  +  longest( id ) x FROM range(3)", "array(1)  +  longest( id )"),
        ("SELECT longest(id + array(1)), longest(id) FROM range(3)", "id + array(1)"),
        ("SELECT id FROM range(3) WHERE longest(id) > 1", "longest(id) > 1"),
        ("SELECT longest(id), id FROM range(3) GROUP BY id % 2", "id"),
        ("SELECT longest(id) OVER w FROM range(3)", "w"),
        ("SELECT 1 + id, sum(id) FROM range(3) GROUP BY id % 2", "id"),
    ],
)
def test_a_place_in_a_query_that_was_rewritten(
    session: nu.Session, query: str, marked: str
) -> None:
    place = mistake(session, query).place
    assert place.text == query
    assert place.text[place.start : place.end] == marked


@pytest.mark.parametrize("way", ["session", "spark"])
@pytest.mark.parametrize(
    ("query", "cls", "condition", "state", "fragment"),
    [
        ("SELECT idd FROM range(3)", AnalysisException, "UNRESOLVED_COLUMN", "42703", "idd"),
        ("SELECT louder(a) FROM range(3)", AnalysisException, "UNRESOLVED_COLUMN", "42703", "a"),
        ("SELECT nofun(1)", AnalysisException, "UNRESOLVED_ROUTINE", "42883", "nofun(1)"),
        ("SELECT louder('a'", ParseException, "PARSE_SYNTAX_ERROR", "42601", None),
        ("SELECT 1/0", ArithmeticException, "DIVIDE_BY_ZERO", "22012", "1/0"),
        ("SELECT CAST('a' AS INT)", NumberFormatException, "CAST_INVALID", "22018", "CAST"),
    ],
)
def test_code_that_catches_sparks_errors_holds(
    session: nu.Session,
    way: str,
    query: str,
    cls: type[PySparkException],
    condition: str,
    state: str,
    fragment: str | None,
) -> None:
    run = session.sql if way == "session" else session.spark.sql
    with pytest.raises(cls) as caught:
        run(query).collect()
    error: Any = caught.value
    assert type(error).__name__ == cls.__name__
    assert type(error).__module__ == "pyspark.errors.exceptions.captured"
    assert isinstance(error, (PySparkException, nu.QueryError))
    assert error.getCondition().startswith(condition)
    assert error.getSqlState() == state
    assert str(error).strip().startswith(f"[{condition}")
    assert isinstance(error.getMessageParameters(), dict)
    contexts = error.getQueryContext()
    assert [each.fragment()[: len(fragment or "")] for each in contexts] == (
        [] if fragment is None else [fragment]
    )


def test_an_error_of_a_dataframe_has_its_context(session: nu.Session) -> None:
    with pytest.raises(AnalysisException) as caught:
        session.spark.range(3).select(F.col("id") + F.array(F.lit(1)))
    (context,) = caught.value.getQueryContext()
    assert context.contextType().name == "DataFrame"
    assert isinstance(caught.value, nu.QueryError)


def test_one_who_adds_a_note_keeps_the_nearest_name(session: nu.Session) -> None:
    with pytest.raises(nu.QueryError) as caught:
        session.sql("SELECT loudr(id) FROM range(3)")
    caught.value.add_note("in the second step")
    assert caught.value.__notes__ == ["did you mean louder?", "in the second step"]


def test_the_planners_tries_are_logged_nowhere(session: nu.Session) -> None:
    heard = io.StringIO()
    handler = logging.StreamHandler(heard)
    loggers = [PySparkLogger.getLogger(name) for name in spark_loggers.NAMES]
    for logger in loggers:
        logger.addHandler(handler)
    try:
        for query in (
            "SELECT id % 2, longest(id), sum(id) FROM range(9) GROUP BY 1",
            "SELECT longest(DISTINCT id) OVER (PARTITION BY id % 2) FROM range(9)",
            "SELECT louder('a') FROM range(9) WHERE louder(hex(id)) > '3' OR id > 1",
            "SELECT a.id FROM range(3) a JOIN range(3) b ON louder(concat(a.id, b.id)) > '1'",
        ):
            session.sql(query).collect()
        rows, longest = session.spark.range(9), session.functions["longest"]
        rows.transform(nu.aggregate(by="id", most=longest("id").filter("id > 2"))).collect()
        rows.groupBy("id").agg(longest("id")).collect()
    finally:
        for logger in loggers:
            logger.removeHandler(handler)
    assert not heard.getvalue()


def test_a_place_in_a_query_with_values(session: nu.Session) -> None:
    with pytest.raises(nu.QueryError) as caught:
        session.sql("SELECT louder({it}) FROM range(3)", it=F.col("idd"))
    place = caught.value.mistake.place
    assert place.text[place.start : place.end] == "idd"


@pytest.mark.parametrize(
    ("query", "takes"),
    [
        ("SELECT louder()", "louder(s) takes 1 argument, and is given 0"),
        ("SELECT louder('a', 'b')", "louder(s) takes 1 argument, and is given 2"),
        ("SELECT longest(DISTINCT id, id) FROM range(3)", "and is given 2"),
        ("SELECT id FROM range(3) WHERE EXISTS (SELECT louder(1, 2))", "and is given 2"),
        ("SELECT between_them('a')", "between_them(a, b, c) takes 2 to 3 arguments, and is given"),
        ("SELECT at_least('a')", "at_least(a, b, *more) takes at least 2 arguments, and is"),
    ],
)
def test_the_number_of_arguments(session: nu.Session, query: str, takes: str) -> None:
    def between_them(a: str, b: str, c: str = "") -> str:
        return a + b + c

    def at_least(a: str, b: str, *more: str) -> str:
        return "".join([a, b, *more])

    session.register_function("between_them", between_them)
    session.register_function("at_least", at_least)
    with pytest.raises(nu.PlanningError) as caught:
        session.sql(query).collect()
    assert takes in str(caught.value)
    place = caught.value.place
    assert place is not None
    assert f"{place.text[place.start : place.end]}" in takes + "louder longest"
    for good in (
        "between_them('a', 'b')", "between_them('a', 'b', 'c')", "between_them(b => 'b', a => 'a')",
        "at_least('a', 'b')", "at_least('a', 'b', 'c', 'd')",
    ):  # fmt: skip
        assert session.sql(f"SELECT {good}").first()[0].startswith("a")
