"""Dropping a function: in the session and in SQL, whichever of the two is asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import Row, SparkSession
from sample_aggregates import Sum

import notebook_udf as nu
from notebook_udf import udaf, udf, udtf


async def awaited(x: int) -> int:
    return x


class Passing(nu.OneInputStreamProcessFunction):
    def process_record(self, record: Row, output: nu.Collector[int], ctx: Any) -> None:
        output.collect(record.id)


KINDS: dict[str, Any] = {
    "scalar": udf(lambda x: x + 1, result_type="bigint"),
    "pandas": udf(lambda x: x + 1, result_type="bigint", func_type="pandas"),
    "async": udf(awaited),
    "table": udtf(lambda x: [(x,), (x,)], result_types=["bigint"]),
    "aggregate": udaf(Sum(), input_types=["bigint"], result_type="bigint"),
    "months": udf(
        lambda m: m + 1,
        input_types=["interval year to month"],
        result_type="interval year to month",
    ),
}

# A query per kind that has Spark told of the function, and of all that planning it needs.
QUERIES = {
    "scalar": "SELECT if(id > 1, {f}(id), 0) FROM range(3)",
    "pandas": "SELECT {f}(id) FROM range(3)",
    "async": "SELECT {f}(id), {f}({f}(id)) FROM range(3)",
    "table": "SELECT t.* FROM range(3), LATERAL {f}(id) AS t",
    "aggregate": "SELECT {f}(id), count(*) FROM range(3)",
    "months": "SELECT CAST({f}(INTERVAL '1' YEAR) AS STRING)",
}

Drop = Callable[[nu.Session, str], object]

# Ways of saying it; the name comes in quotes where it needs them.
WAYS: dict[str, Drop] = {
    "drop_function": lambda session, name: session.drop_function(name),
    "PyFlink's name": lambda session, name: session.drop_temporary_function(name),
    "session.sql": lambda session, name: session.sql(f"DROP TEMPORARY FUNCTION {name}"),
    "spark.sql": lambda session, name: session.spark.sql(f"DROP TEMPORARY FUNCTION {name}"),
    "without TEMPORARY": lambda session, name: session.sql(f"DROP FUNCTION {name}"),
    "IF EXISTS": lambda session, name: session.spark.sql(f"drop function if exists {name};"),
    "TEMP, in quotes": lambda session, name: session.sql(f"DROP TEMP FUNCTION `{name.upper()}`"),
    "qualified": lambda session, name: session.sql(
        f"/* no more */ DROP TEMPORARY FUNCTION system.session.{name} -- done"
    ),
    "by an active session": lambda session, name: SparkSession.active().sql(
        f"DROP TEMPORARY FUNCTION IF EXISTS IDENTIFIER('{name}')"
    ),
}


def known_to_spark(session: nu.Session, name: str) -> list[str]:
    """Every function of the session in Spark whose name holds this one."""
    found = session.spark.sql("SHOW USER FUNCTIONS").collect()
    return [row[0] for row in found if name.lower() in row[0].lower()]


def is_gone(session: nu.Session, name: str) -> bool:
    assert known_to_spark(session, name) == []
    assert name not in session.functions
    assert name not in session.list_user_defined_functions()
    for sql in (session.sql, session.spark.sql):
        with pytest.raises((AnalysisException, nu.PlanningError), match="UNRESOLVED_ROUTINE"):
            sql(f"SELECT {name}(1)")
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_goes_with_its_helpers(session: nu.Session, kind: str) -> None:
    name = f"dropped_{kind}"
    session.register_function(name, KINDS[kind])
    session.register_function(name, KINDS[kind])
    session.sql(QUERIES[kind].format(f=name)).collect()
    assert name in session.list_user_defined_functions()
    assert session.drop_function(name) is True
    assert is_gone(session, name)
    assert session.drop_function(name) is False


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["scalar", "table", "aggregate"])
def test_every_way_of_saying_it(session: nu.Session, way: str, kind: str) -> None:
    name = f"said_{kind}"
    session.register_function(name, KINDS[kind])
    session.sql(QUERIES[kind].format(f=name)).collect()
    WAYS[way](session, name)
    assert is_gone(session, name)


@pytest.mark.parametrize(
    "statement",
    [
        "EXECUTE IMMEDIATE 'DROP TEMPORARY FUNCTION inside_another'",
        "BEGIN DROP TEMPORARY FUNCTION inside_another; END",
    ],
)
def test_a_drop_inside_another_statement(session: nu.Session, statement: str) -> None:
    session.register_function("inside_another", KINDS["scalar"])
    session.register_function("not_inside", KINDS["scalar"])
    session.sql(statement)
    assert is_gone(session, "inside_another")
    assert "not_inside" in session.functions


def test_a_process_function(session: nu.Session) -> None:
    session.register_function("dropped_process", Passing())
    assert session.drop_function("Dropped_Process")
    assert "dropped_process" not in session.functions


def test_functions_fused_in_one_node(session: nu.Session) -> None:
    for name in ("fused_one", "fused_two"):
        session.register_function(name, KINDS["async"])
    before = known_to_spark(session, "_nu_node_")
    session.sql("SELECT fused_one(id) AS a, fused_two(id) AS b FROM range(3)").collect()
    session.drop_function("fused_one")
    assert known_to_spark(session, "_nu_node_") == before
    assert session.sql("SELECT fused_two(id) FROM range(1)").collect() == [(0,)]


# No other test has functions whose names hold one of these.
@pytest.mark.parametrize(
    "name", ["it's gone", "back`gone", "a.gone", "where", "größengone", "two gone"]
)
def test_names_that_need_quotes(session: nu.Session, name: str) -> None:
    quoted = "`" + name.replace("`", "``") + "`"
    session.register_function(name, KINDS["scalar"])
    session.sql(f"DROP TEMPORARY FUNCTION {quoted}")
    assert name not in session.functions
    session.register_function(name, KINDS["aggregate"])
    session.sql(f"SELECT {quoted}(id) FROM range(3)").collect()
    assert session.drop_function(name)
    assert known_to_spark(session, name) == []


def test_what_is_not_there(session: nu.Session) -> None:
    assert session.drop_function("never_was") is False
    with pytest.raises(AnalysisException, match="ROUTINE_NOT_FOUND"):
        session.sql("DROP TEMPORARY FUNCTION never_was")
    session.sql("DROP TEMPORARY FUNCTION IF EXISTS never_was")
    with pytest.raises(AnalysisException, match="FORBIDDEN_OPERATION"):
        session.sql("DROP TEMPORARY FUNCTION upper")
    session.register_function("in_no_database", KINDS["scalar"])
    with pytest.raises(AnalysisException, match="INVALID_TEMP_OBJ_QUALIFIER"):
        session.sql("DROP TEMPORARY FUNCTION default.in_no_database")
    session.sql("SELECT 'DROP TEMPORARY FUNCTION in_no_database'").collect()
    assert "in_no_database" in session.functions


def test_another_session_of_spark_drops_its_own(session: nu.Session) -> None:
    session.register_function("of_this_one", KINDS["scalar"])
    other = session.spark.newSession()
    other.udf.register("of_this_one", lambda x: "other")
    other.sql("DROP TEMPORARY FUNCTION of_this_one")
    assert session.sql("SELECT of_this_one(1)").collect() == [(2,)]


def test_a_name_that_is_used_again(session: nu.Session) -> None:
    first = session.register_function("used_again", KINDS["scalar"])
    held = session.spark.range(1, 2).select(first("id"))
    session.drop_function("used_again")
    assert first.history == ()
    # What was planned, or is called by its variable, does not hang on the name.
    assert held.collect() == [(2,)]
    assert session.spark.range(1, 2).select(first("id")).collect() == [(2,)]
    second = session.register_function("used_again", udf(lambda x: x * 10, result_type="bigint"))
    # Metrics and plans of the one that was dropped are not taken for those of the new one.
    assert second.version == 2
    assert session.sql("SELECT used_again(7)").collect() == [(70,)]
    assert first.restore().version == 3
    assert session.sql("SELECT used_again(7)").collect() == [(8,)]


def test_a_builtin_comes_back(session: nu.Session) -> None:
    order = "spark.sql.functionResolution.sessionOrder"
    before = session.spark.conf.get(order)
    try:
        session.register_function(
            "soundex", udf(lambda s: "mine", result_type="string"), replace=True
        )
        assert session.sql("SELECT soundex('ab')").collect() == [("mine",)]
        session.sql("DROP TEMPORARY FUNCTION soundex")
        assert "soundex" not in session.functions
        assert session.sql("SELECT soundex('ab')").collect() == [("A100",)]
    finally:
        session.spark.conf.set(order, before)


def test_spark_has_its_own_way_back_after_a_stop() -> None:
    # PySpark's method, as its class has it: the session of the tests is wrapped around it.
    assert inspect.unwrap(SparkSession.sql).__module__ == "pyspark.sql.session"
