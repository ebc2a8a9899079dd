"""Aggregates that Spark adds up answer as those whose rows go through Python."""

from __future__ import annotations

import math
import os
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import udaf

TYPES = {"i": "int", "l": "bigint", "x": "double", "y": "double"}
LONG = (1 << 63) - 1
VALUES = {
    "i": st.integers(-5, 5) | st.sampled_from([-(1 << 31), (1 << 31) - 1]),
    "l": st.integers(-5, 5) | st.sampled_from([-LONG - 1, LONG]),
    "x": st.integers(-8, 8).map(lambda n: n / 4) | st.sampled_from([math.inf, math.nan]),
    "y": st.sampled_from([-2.0, 0.0, 0.5, 4.0]),
}


class Total(nu.AggregateFunction):
    """A list of a float and a whole number."""

    def create_accumulator(self) -> Any:
        return [0.0, 0]

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += value
        accumulator[1] += 1

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: Any) -> Any:
        return f"{accumulator[0]!r} of {accumulator[1]!r}"

    def get_result_type(self) -> str:
        return "string"


class Whole(Total):
    """Whole numbers of any size."""

    def create_accumulator(self) -> Any:
        return [7, 0]


class Present(Total):
    def accumulate(self, accumulator: Any, value: Any) -> None:
        if value is None:
            accumulator[1] += 1
        else:
            accumulator[0] -= value * 2 - 1


class Quotient(Total):
    def accumulate(self, accumulator: Any, value: Any, divisor: Any) -> None:
        accumulator[0] += value / divisor
        accumulator[1] += 3


class Counted(Total):
    def accumulate(self, accumulator: Any, *values: Any) -> None:
        accumulator[1] = accumulator[1] + 1


class Sliding(Total):
    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator[0] -= value
        accumulator[1] -= 1


class Product(Total):
    """Products of whole numbers, which may be more than 64 bits hold."""

    def create_accumulator(self) -> Any:
        return {"total": 7, "float": 0.5}

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        product = value * weight
        accumulator["total"] += product - 1
        accumulator["float"] += product

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator["total"] += other["total"]
            accumulator["float"] += other["float"]

    def get_value(self, accumulator: Any) -> Any:
        return f"{accumulator['total']!r} and {accumulator['float']!r}"


class ProductOfWorkers(Product):
    """Its values have no Java, so that Spark's own sums of limbs go to a worker."""

    def get_value(self, accumulator: Any) -> Any:
        return super().get_value(accumulator) if os.getpid() else None


class WholeOfWorkers(Whole):
    def get_value(self, accumulator: Any) -> Any:
        return super().get_value(accumulator) if os.getpid() else None


class Chosen(Total):
    def accumulate(self, accumulator: Any, value: Any, other: Any) -> None:
        if value is None:
            return
        if value > other and other != 0.5:
            accumulator[0] += value
        elif not other or value == 3:
            accumulator[0] -= other or 2
        else:
            accumulator[1] += 1


class Unequal(Total):
    def accumulate(self, accumulator: Any, value: Any, other: Any) -> None:
        if value != other:
            accumulator[1] += 1


CALLS = [
    (Product, "{f}(l, l)"), (Product, "{f}(i, l)"), (Product, "{f}(l, i)"),
    (Product, "{f}(i, i) FILTER (WHERE y > 0)"), (Product, "{f}(l, l) FILTER (WHERE y > 0)"),
    (ProductOfWorkers, "{f}(l, l)"), (WholeOfWorkers, "{f}(l)"),
    (Chosen, "{f}(x, y)"), (Chosen, "{f}(y, x)"),
    (Chosen, "{f}(i, y)"), (Chosen, "{f}(l, i)"), (Chosen, "{f}(l, l)"), (Chosen, "{f}(x, i)"),
    (Unequal, "{f}(x, y)"), (Unequal, "{f}(i, l)"), (Unequal, "{f}(x, x)"), (Unequal, "{f}(y, i)"),
    (Total, "{f}(x)"), (Total, "{f}(i)"), (Total, "{f}(x * y)"), (Whole, "{f}(l)"),
    (Whole, "{f}(l) FILTER (WHERE y > 0)"), (Whole, "{f}(i)"),
    (Present, "{f}(x)"), (Present, "{f}(i)"), (Quotient, "{f}(x, y)"),
    (Quotient, "{f}(i, y)"), (Quotient, "{f}(y, i)"), (Counted, "{f}(x, i)"),
    (Counted, "{f}()"), (Total, "{f}(x) FILTER (WHERE y > 0)"),
    (Quotient, "{f}(x, y) FILTER (WHERE y <> 0)"),
]  # fmt: skip


def outcome(session: nu.Session, query: str) -> Any:
    """The rows of a query, or what is said of the row that failed."""
    try:
        return sorted(tuple(row) for row in session.sql(query).collect())
    except nu.UserFunctionError as error:
        return error.failed and error.failed.exception


rows = st.lists(
    st.tuples(st.sampled_from([1, 2, None]), *(st.none() | VALUES[n] for n in TYPES)), max_size=8
)


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(case=st.sampled_from(CALLS), rows=rows, grouping=st.sampled_from(["", " GROUP BY k"]))
def test_sums_of_sparks_are_those_of_python(
    session: nu.Session, case: tuple[type[Total], str], rows: list[tuple[Any, ...]], grouping: str
) -> None:
    function, call = case
    session.register_function("added", udaf(function()))
    session.register_function("walked", udaf(function(), compile=False))
    schema = ", ".join(f"{name} {kind}" for name, kind in {"k": "int", **TYPES}.items())
    # In one partition rows are added in one order, and so rounded alike.
    session.spark.createDataFrame(rows, schema).coalesce(1).createOrReplaceTempView("summands")
    added, walked = (
        outcome(session, f"SELECT {call.format(f=name)} FROM summands{grouping}")
        for name in ("added", "walked")
    )
    assert added == walked


@pytest.mark.parametrize("function", [Product, ProductOfWorkers])
def test_parts_of_large_sums_are_put_together(session: nu.Session, function: type[Product]) -> None:
    session.register_function("added", udaf(function()))
    # Each part overflows 64 bits upwards, or downwards, and 128 where all are of one sign.
    groups = {
        "up": [LONG] * 1000,
        "down": [-LONG - 1] * 1000,
        "both": [each for place in range(500) for each in (LONG, place - 9000)],
    }
    rows = [(name, value) for name, values in groups.items() for value in values]
    frame = session.spark.createDataFrame(rows, "k string, v bigint").repartition(7)
    frame.createOrReplaceTempView("summands")
    found = session.sql(f"SELECT k, added(v, {LONG}L) FROM summands GROUP BY k").collect()
    expected = {name: 7 + sum(each * LONG - 1 for each in v) for name, v in groups.items()}
    assert {k: said.split()[0] for k, said in found} == {k: str(v) for k, v in expected.items()}


def test_no_row_reaches_python(session: nu.Session) -> None:
    session.register_function("added", udaf(Total()))
    frame = session.sql(
        "SELECT id % 3 AS k, added(id / 2D), sum(id), count(DISTINCT id) FILTER (WHERE id > 2) "
        "FROM range(12) GROUP BY ROLLUP (id % 3) ORDER BY k"
    )
    assert [tuple(row) for row in frame.collect()] == [
        (None, "33.0 of 12", 66, 9), (0, "9.0 of 4", 18, 3), (1, "11.0 of 4", 22, 3),
        (2, "13.0 of 4", 26, 3),
    ]  # fmt: skip
    plan = frame._jdf.queryExecution().toString()
    assert "MapInArrow" not in plan
    assert "collect_list" not in plan
    assert "Spark adds up" in session.functions["added"].explain()


def test_a_row_that_cannot_be_added_is_named(session: nu.Session) -> None:
    session.register_function("added", udaf(Quotient()))
    with pytest.raises(nu.UserFunctionError) as caught:
        session.sql(
            "SELECT k, added(v, d) FROM VALUES ('a', 1D, 2D), ('b', 3D, 0D) AS t(k, v, d) "
            "GROUP BY k"
        ).collect()
    failed = caught.value.failed
    assert failed is not None
    assert (failed.exception, failed.method) == ("ZeroDivisionError", "accumulate")
    assert dict(failed.group) == {"k": "'b'"}
    assert [value for _, value in failed.arguments] == ["3.0", "0.0"]
    assert failed.frames[-1].text == "accumulator[0] += value / divisor"


def test_rows_that_may_be_let_go_are_walked_through(session: nu.Session) -> None:
    session.register_function("added", udaf(Quotient(), on_error="null"))
    query = "SELECT added(v, d) FROM VALUES (1D, 2D), (3D, 0D), (8D, 2D) AS t(v, d)"
    assert session.sql(query).first()[0] == "4.5 of 6"


def test_the_operator_adds_up_as_well(session: nu.Session) -> None:
    added = session.register_function("added", udaf(Total()))
    frame = session.spark.range(10).selectExpr("id % 2 AS k", "id / 4D AS v")
    got = frame.transform(nu.aggregate(by="k", t=added("v").filter(frame.v > 1)))
    assert sorted(map(tuple, got.collect())) == [(0, "3.5 of 2"), (1, "5.25 of 3")]
    plan = got._jdf.queryExecution().toString()
    assert "MapInArrow" not in plan
    assert "collect_list" not in plan


class Weighted(nu.AggregateFunction):
    """A weighted mean, whose products of BIGINT may be more than 64 bits hold."""

    def create_accumulator(self) -> list[Any]:
        return [0, 0]

    def accumulate(self, accumulator: list[Any], value: Any, weight: Any) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def merge(self, accumulator: list[Any], others: Any) -> None:
        for other in others:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: list[Any]) -> float:
        return accumulator[0] / accumulator[1]


def test_explain_says_which_types_take_which_way(session: nu.Session) -> None:
    session.register_function("weighted", udaf(Weighted(), result_type="double"))
    session.spark.range(1, 9).createOrReplaceTempView("weights")
    said = session.functions["weighted"].explain()
    added = next(line for line in said.split("\n") if "Spark adds up" in line)
    for kind in ("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE"):
        query = f"SELECT weighted(CAST(id AS {kind}), CAST(id AS {kind})) FROM weights"
        plan = repr(session.plan(query))
        assert ("added up by Spark" in plan) == (f" {kind}" in added), kind
        if "added up by Spark" not in plan:
            assert "would not be Python's" in " ".join(plan.split())
    assert " BIGINT" in added
    assert "other types" in said


@pytest.mark.parametrize("function", [Sliding, Quotient])
@pytest.mark.parametrize(
    "frame", ["ROWS 70 PRECEDING", "RANGE BETWEEN 9 PRECEDING AND 3 PRECEDING"]
)
def test_frames_that_are_added_up_hold_what_python_would_leave_in_them(
    session: nu.Session, function: type[Total], frame: str
) -> None:
    session.register_function("added", udaf(function()))
    session.register_function("walked", udaf(function(), compile=False))
    arguments = "x, y" if function is Quotient else "x"
    added, walked = (
        outcome(
            session,
            f"SELECT id, {name}({arguments}) FILTER (WHERE id % 7 > 0) OVER (PARTITION BY id % 3 "
            f"ORDER BY id {frame}) AS v FROM (SELECT id, sin(id) AS x, id % 5 - 5.5D AS y "
            "FROM range(0, 900, 1, 2))",
        )
        for name in ("added", "walked")
    )
    assert added == walked
    assert len(added) == 900
    if function is Sliding:
        assert "what enters and leaves is added up" in session.functions["added"].explain()
