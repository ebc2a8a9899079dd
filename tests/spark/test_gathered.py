"""Aggregates whose values Spark gathers answer as those whose rows go through Python."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import udaf

TYPES = {
    "i": "int", "x": "double", "s": "string", "d": "date", "n": "decimal(9,2)", "t": "timestamp",
}  # fmt: skip
VALUES = {
    "i": st.integers(-3, 3),
    "x": st.sampled_from([0.0, -0.0, 1.5, float("nan"), float("inf")]),
    "s": st.sampled_from(["", "a", "A", "ä", "𝄞"]),
    "d": st.sampled_from([dt.date(1582, 10, 15), dt.date(2026, 1, 1)]),
    "n": st.sampled_from([Decimal("0.00"), Decimal("1.50"), Decimal("-1.50")]),
    "t": st.sampled_from([dt.datetime(2026, 10, 25, 2, 30), dt.datetime(1970, 1, 1)]),
}


class Values(nu.AggregateFunction):
    """Every value, in a list; says what it was in the end."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator.append(value)

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator += other

    def get_value(self, accumulator: Any) -> Any:
        return f"{type(accumulator).__name__} {sorted(map(repr, accumulator))}"

    def get_result_type(self) -> str:
        return "string"


class Present(Values):
    def accumulate(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            accumulator += [value]


class Where(Values):
    def accumulate(self, accumulator: Any, value: Any, other: Any) -> None:
        if other is None:
            return
        accumulator.extend([value])


class Differing(Values):
    def create_accumulator(self) -> Any:
        return set()

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator.add(value)

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        accumulator.update(*accumulators)


@dataclass
class Both:
    values: list[Any] = field(default_factory=list)
    seen: set[Any] = field(default_factory=set)
    begun: int = 7


class OfBoth(Values):
    def create_accumulator(self) -> Any:
        return Both()

    def accumulate(self, accumulator: Any, value: Any, other: Any) -> None:
        accumulator.values.append(value)
        if other is not None:
            accumulator.seen |= {other}

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator.values += other.values
            accumulator.seen |= other.seen

    def get_value(self, accumulator: Any) -> Any:
        values, seen = (sorted(map(repr, x)) for x in (accumulator.values, accumulator.seen))
        return f"{values} {seen} {accumulator.begun}"


CALLS = [
    *((Values, f"{{f}}({name})") for name in TYPES),
    *((Differing, f"{{f}}({name})") for name in TYPES),
    (Present, "{f}(i)"), (Present, "{f}(x)"), (Where, "{f}(s, i)"), (Where, "{f}(x, x)"),
    (OfBoth, "{f}(i, s)"), (OfBoth, "{f}(x, d)"), (OfBoth, "{f}(i, i)"),
    (Values, "{f}(i) FILTER (WHERE i > 0)"), (Where, "{f}(i, x) FILTER (WHERE s < 'b')"),
    (Values, "{f}(i + 1)"), (Values, "{f}(array(i, 2))"), (Values, "{f}(coalesce(i, 1))"),
]  # fmt: skip

rows = st.lists(
    st.tuples(st.sampled_from([1, 2, None]), *(st.none() | VALUES[n] for n in TYPES)), max_size=8
)


def answers(session: nu.Session, query: str) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in session.sql(query).collect()), key=repr)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(case=st.sampled_from(CALLS), rows=rows, grouping=st.sampled_from(["", " GROUP BY k"]))
def test_what_spark_gathers_is_what_python_does(
    session: nu.Session, case: tuple[type[Values], str], rows: list[tuple[Any, ...]], grouping: str
) -> None:
    function, call = case
    session.register_function("gathered", udaf(function()))
    session.register_function("walked", udaf(function(), compile=False))
    schema = ", ".join(f"{name} {kind}" for name, kind in {"k": "int", **TYPES}.items())
    # A set keeps the first of equal values; in one partition both see the same one first.
    session.spark.createDataFrame(rows, schema).coalesce(1).createOrReplaceTempView("gathering")
    gathered, walked = (
        answers(session, f"SELECT {call.format(f=name)} FROM gathering{grouping}")
        for name in ("gathered", "walked")
    )
    assert gathered == walked


def test_no_row_reaches_python(session: nu.Session) -> None:
    session.register_function("gathered", udaf(Differing()))
    frame = session.sql(
        "SELECT id % 2 AS k, gathered(id % 3), sum(id), count(*) FILTER (WHERE id > 2) "
        "FROM range(6) GROUP BY ROLLUP (id % 2) HAVING count(*) > 0 ORDER BY k"
    )
    every = "set ['0', '1', '2']"
    assert [tuple(row) for row in frame.collect()] == [
        (None, every, 15, 3), (0, every, 6, 1), (1, every, 9, 2),
    ]  # fmt: skip
    plan = frame._jdf.queryExecution().toString()
    assert "MapInArrow" not in plan
    assert "collect_set" in plan
    assert "Spark gathers" in session.functions["gathered"].explain()


def test_a_value_that_fails_is_named_with_its_group(session: nu.Session) -> None:
    class Fails(Values):
        def get_value(self, accumulator: Any) -> Any:
            return str(1 // (len(accumulator) - 2))

    session.register_function("gathered", udaf(Fails()))
    query = "SELECT k, gathered(v) FROM VALUES ('a', 1), ('b', 3), ('b', 4) AS t(k, v) GROUP BY k"
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql(query).collect()
    failed = caught.value.failed
    assert failed is not None
    assert (failed.exception, failed.method) == ("ZeroDivisionError", "get_value")
    assert dict(failed.group) == {"k": "'b'"}
    session.register_function("gathered", udaf(Fails(), on_error="null"))
    assert answers(session, query) == [("a", "-1"), ("b", None)]


def test_an_accumulator_that_its_type_cannot_hold_is_refused(session: nu.Session) -> None:
    session.register_function("gathered", udaf(Values(), accumulator_type="array<int>"))
    with pytest.raises(nu.DeclarationError, match="cannot hold"):
        session.sql("SELECT gathered(CAST(id AS STRING)) FROM range(2)").collect()


@pytest.mark.parametrize(
    ("declared", "column", "said", "in_spark"),
    [
        ("double", "INT", "['0.0', '1.0']", True), ("double", "FLOAT", "['0.0', '1.0']", True),
        ("bigint", "TINYINT", "['0', '1']", True), ("double", "BIGINT", "['0.0', '1.0']", False),
    ],
)  # fmt: skip
def test_values_come_as_they_are_declared(
    session: nu.Session, declared: str, column: str, said: str, in_spark: bool
) -> None:
    session.register_function("gathered", udaf(Values(), input_types=[declared]))
    frame = session.sql(f"SELECT gathered(CAST(id AS {column})) FROM range(2)")
    assert frame.first()[0] == f"list {said}"
    assert ("MapInArrow" not in frame._jdf.queryExecution().toString()) == in_spark


def test_a_column_that_does_not_fit_is_refused(session: nu.Session) -> None:
    session.register_function("gathered", udaf(Values(), input_types=["bigint"]))
    with pytest.raises(nu.DeclarationError, match="was given a column"):
        session.sql("SELECT gathered(CAST(id AS STRING)) FROM range(2)").collect()


def test_the_operator_gathers_as_well(session: nu.Session) -> None:
    gathered = session.register_function("gathered", udaf(Values()))
    frame = session.spark.range(4).withColumn("k", F.col("id") % 2)
    grouped = frame.transform(nu.aggregate(by="k", kept=gathered("id")))
    assert sorted(map(tuple, grouped.collect())) == [(0, "list ['0', '2']"), (1, "list ['1', '3']")]
    assert "MapInArrow" not in grouped._jdf.queryExecution().toString()
