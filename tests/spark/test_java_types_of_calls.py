"""Functions that declare no types of arguments run in the JVM by the types of their calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import udf

Made = Callable[..., Any]


@pytest.fixture
def register(session: nu.Session) -> Iterator[Made]:
    names: list[str] = []

    def made(name: str, function: Any, result: str, **options: Any) -> Any:
        names.append(name)
        declared = udf(function, result_type=result, **options)
        return session.register_function(name, declared)

    yield made
    for name in names:
        session.drop_function(name)


def in_java(frame: DataFrame) -> bool:
    return "EvalPython" not in frame._jdf.queryExecution().executedPlan().toString()


def doubled(x):  # type: ignore[no-untyped-def]
    return x * 2 if x else x


@pytest.mark.parametrize(
    ("given", "result", "expected"),
    [
        ("id", "bigint", [0, 2, 4]),
        ("int(id)", "int", [0, 2, 4]),
        ("id / 2D", "double", [0.0, 1.0, 2.0]),
        ("string(id)", "string", ["00", "11", "22"]),
        ("array(id, id)", "array<bigint>", [[n] * 4 for n in range(3)]),
    ],
)
def test_the_types_are_those_of_the_call(
    session: nu.Session, register: Made, given: str, result: str, expected: list[Any]
) -> None:
    record = register("of_any", doubled, result)
    assert "known of no call yet" in record.explain()
    frame = session.sql(f"-- all of it\n(SELECT of_any({given}) AS v FROM range(3))")
    assert [row.v for row in frame.collect()] == expected
    assert in_java(frame)
    assert "in Spark's JVM where it is called with " in record.explain()


def test_wherever_a_query_calls_it(session: nu.Session, register: Made) -> None:
    register("of_any", doubled, "bigint")
    frame = session.sql("""
        WITH few AS (SELECT id, of_any(id) AS v FROM range(4) WHERE of_any(int(id)) > 0)
        SELECT sum(of_any(v)), (SELECT max(of_any(id)) FROM range(3)),
               max(size(transform(array(1S, 2S), x -> of_any(x))))
        FROM few""")
    assert tuple(frame.collect()[0]) == (24, 4, 2)
    assert in_java(frame)


def test_types_that_have_no_java_run_in_a_worker(session: nu.Session, register: Made) -> None:
    record = register("there", lambda x: 1 if x else 0, "bigint")
    frame = session.sql("SELECT there(INTERVAL '1' DAY) AS v FROM range(2)")
    assert [row.v for row in frame.collect()] == [1, 1]
    assert not in_java(frame)
    assert re.search("not in Spark's JVM where it is called with INTERVAL DAY: ", record.explain())
    # Of other types it was not known until it was called with them.
    session.sql("SELECT there(string(id)) FROM range(2)").collect()
    learned(session, record)
    frame = session.sql("SELECT there(string(id)) AS v FROM range(2)")
    assert [row.v for row in frame.collect()] == [1, 1]
    assert in_java(frame)


def test_one_call_in_a_worker_keeps_a_query_as_it_was_planned(
    session: nu.Session, register: Made
) -> None:
    register("of_any", doubled, "bigint")
    register("hashed", hash_of, "bigint")
    frame = session.sql("SELECT CASE WHEN id > 0 THEN of_any(hashed(id)) END AS v FROM range(3)")
    assert [row.v for row in frame.collect()] == [None, 2, 4]


def test_a_new_version_is_asked_anew(session: nu.Session, register: Made) -> None:
    query = "SELECT of_any(id) AS v FROM range(2)"
    register("of_any", lambda x: x + 1, "bigint")
    assert [row.v for row in session.sql(query).collect()] == [1, 2]
    register("of_any", lambda x: x + 2, "bigint")
    frame = session.sql(query)
    assert [row.v for row in frame.collect()] == [2, 3]
    assert in_java(frame)


def hash_of(x):  # type: ignore[no-untyped-def]
    return hash(x)


def learned(session: nu.Session, record: Any) -> None:
    """Waits for what is learned of a task that ran in a worker."""
    session.java.learn(record)
    if session.java._learning is not None:
        assert session.java._learning.wait(30)


def test_spark_sql_and_columns_find_it_in_the_jvm_the_next_time(
    session: nu.Session, register: Made
) -> None:
    record = register("of_any", doubled, "bigint")
    ids = session.spark.range(3)
    assert [row[0] for row in ids.select(record("id")).collect()] == [0, 2, 4]
    learned(session, record)
    assert session.java.ran(record) == ["BIGINT"]
    for frame in (
        ids.select(record("id")),
        ids.select(F.expr("of_any(id)")),
        session.spark.sql("SELECT of_any(id) FROM range(3)"),
    ):
        assert [row[0] for row in frame.collect()] == [0, 2, 4]
        assert in_java(frame)


def test_names_defaults_and_wrong_counts(session: nu.Session, register: Made) -> None:
    def powered(base, exponent=2):  # type: ignore[no-untyped-def]
        total = 1
        for _ in range(exponent):
            total *= base
        return total

    register("powered", powered, "bigint")
    found = session.sql("SELECT powered(3L, 3L), powered(3L), powered(exponent => 1, base => 5L)")
    assert tuple(found.collect()[0]) == (27, 9, 5)
    with pytest.raises(nu.PlanningError, match="takes 1 to 2 arguments, and is given 3"):
        session.spark.sql("SELECT powered(1, 2, 3)")


def test_its_error_is_that_of_its_row(session: nu.Session, register: Made) -> None:
    register("inverse", lambda x: 10 // x, "bigint")
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as raised:
        session.sql("SELECT inverse(id - 2) FROM range(4)").collect()
    assert raised.value.failed.arguments == (("x", "0"),)


def test_a_part_of_the_types_may_be_declared(session: nu.Session, register: Made) -> None:
    def scaled(x, k: int):  # type: ignore[no-untyped-def]
        return x * k

    record = register("scaled", scaled, "double")
    frame = session.sql("SELECT scaled(id * 0.5D, 3L) AS v FROM range(3)")
    assert [row.v for row in frame.collect()] == [0.0, 1.5, 3.0]
    assert in_java(frame)
    assert session.java.ran(record) == ["DOUBLE, BIGINT"]


def test_a_command_is_run_once(session: nu.Session, register: Made) -> None:
    register("of_any", doubled, "bigint")
    session.spark.sql("DROP TABLE IF EXISTS of_any_rows")
    try:
        session.sql("CREATE TABLE of_any_rows AS SELECT of_any(id) AS v FROM range(3)")
        session.sql("INSERT INTO of_any_rows SELECT of_any(id) FROM range(10, 12)")
        session.sql(
            "WITH r AS (SELECT id FROM range(20, 21)) "
            "INSERT INTO of_any_rows SELECT of_any(id) FROM r"
        )
        rows = session.spark.table("of_any_rows").collect()
        assert sorted(row.v for row in rows) == [0, 2, 4, 20, 22, 40]
    finally:
        session.spark.sql("DROP TABLE of_any_rows")
