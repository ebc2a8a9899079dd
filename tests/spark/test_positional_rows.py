"""Accumulators that are rows without names, PyFlink's usual form."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import functions as F
from streaming import Stream

import notebook_udf as nu
from notebook_udf import ListView, MapView, Row, udaf


class Count(nu.AggregateFunction):
    def create_accumulator(self) -> Row:
        return Row(0)

    def accumulate(self, accumulator: Row, value: Any) -> None:
        if value is not None:
            accumulator[0] += 1

    def retract(self, accumulator: Row, value: Any) -> None:
        if value is not None:
            accumulator[0] -= 1

    def merge(self, accumulator: Row, others: Any) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: Row) -> int:
        return accumulator[0]


class Mean(nu.AggregateFunction):
    def create_accumulator(self) -> Row:
        return Row(0, 0)

    def accumulate(self, accumulator: Row, value: int, weight: int) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def merge(self, accumulator: Row, others: Any) -> None:
        for other in others:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: Row) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None


class Joined(nu.AggregateFunction):
    """A view, a map and a text, in places."""

    def create_accumulator(self) -> Row:
        return Row(ListView(), MapView(), "")

    def accumulate(self, accumulator: Row, value: str) -> None:
        accumulator[0].add(value)
        accumulator[1].put(value, 1)
        accumulator[2] += value

    def merge(self, accumulator: Row, others: Any) -> None:
        for other in others:
            for value in other[0]:
                self.accumulate(accumulator, value)

    def get_value(self, accumulator: Row) -> str:
        counted = len(list(accumulator[0])), len(list(accumulator[1].keys()))
        return f"{counted} {''.join(sorted(accumulator[2]))}"


class Both(nu.TableAggregateFunction):
    def create_accumulator(self) -> Row:
        return Row(None, None)

    def accumulate(self, accumulator: Row, value: int) -> None:
        accumulator[0] = value if accumulator[0] is None else min(accumulator[0], value)
        accumulator[1] = value if accumulator[1] is None else max(accumulator[1], value)

    def merge(self, accumulator: Row, others: Any) -> None:
        for other in others:
            for value in other:
                if value is not None:
                    self.accumulate(accumulator, value)

    def emit_value(self, accumulator: Row) -> Iterator[Row]:
        yield Row(accumulator[0])
        yield Row(accumulator[1])


TYPES = [None, "declared"]


@pytest.fixture(scope="module", params=TYPES)
def counted(session: nu.Session, request: pytest.FixtureRequest) -> nu.Session:
    types: dict[str, str | None] = {
        "n": "STRUCT<n: BIGINT>",
        "mean": "STRUCT<total: BIGINT, weight: BIGINT>",
        "joined": "STRUCT<list: ARRAY<STRING>, map: MAP<STRING, BIGINT>, text: STRING>",
        "both": "STRUCT<least: BIGINT, most: BIGINT>",
    }
    if request.param is None:
        types = dict.fromkeys(types)
    register = session.register_function
    register("pos_count", udaf(Count(), result_type="BIGINT", accumulator_type=types["n"]))
    mean = {"result_type": "DOUBLE", "accumulator_type": types["mean"]}
    register("pos_mean", udaf(Mean(), **mean))
    register("pos_walked", udaf(Mean(), **mean, compile=False))
    register("pos_joined", udaf(Joined(), result_type="STRING", accumulator_type=types["joined"]))
    register("pos_both", nu.udtaf(Both(), result_type="x BIGINT", accumulator_type=types["both"]))
    return session


QUERIES = {
    "SELECT pos_count(id) FROM range(10)": [(10,)],
    "SELECT id % 3, pos_count(id), count(*) FROM range(10) GROUP BY 1 ORDER BY 1": [
        (0, 4, 4), (1, 3, 3), (2, 3, 3)
    ],
    "SELECT pos_count(DISTINCT id % 4) FROM range(10)": [(4,)],
    "SELECT pos_count(id) FILTER (WHERE id > 6) FROM range(10)": [(3,)],
    "SELECT id, pos_count(id) OVER (ORDER BY id ROWS 2 PRECEDING) FROM range(4) ORDER BY id": [
        (0, 1), (1, 2), (2, 3), (3, 3)
    ],
    "SELECT pos_mean(id, 2L) FROM range(4)": [(1.5,)],
    "SELECT pos_mean(INT(id), 2) FROM range(4)": [(1.5,)],
    "SELECT pos_mean(id, id), pos_count(id) FROM range(4)": [(14 / 6, 4)],
    "SELECT pos_walked(id, 2L) FROM range(4)": [(1.5,)],
    "SELECT pos_walked(id, id), pos_count(id) FROM range(4)": [(14 / 6, 4)],
    "SELECT id % 2, pos_joined(STRING(id)) FROM range(0, 8, 1, 3) GROUP BY 1 ORDER BY 1": [
        (0, "(4, 4) 0246"), (1, "(4, 4) 1357")
    ],
}  # fmt: skip


@pytest.mark.parametrize("query", QUERIES)
def test_in_sql(counted: nu.Session, query: str) -> None:
    assert counted.sql(query).collect() == QUERIES[query]
    assert "pos_" in repr(counted.plan(query))


def test_on_dataframes_and_explained(counted: nu.Session) -> None:
    rows = counted.spark.range(0, 10, 1, 3).selectExpr("id % 2 AS k", "id")
    function = counted.functions
    totals = rows.transform(
        nu.aggregate("k", n=function["pos_count"]("id"), mean=function["pos_mean"]("id", "id"))
    )
    assert sorted(totals.collect()) == [(0, 5, 120 / 20), (1, 5, 165 / 25)]
    emitted = rows.transform(nu.flat_aggregate(function["pos_both"]("id"), by="k"))
    assert sorted(emitted.collect()) == [(0, 0), (0, 8), (1, 1), (1, 9)]
    for name in ("pos_count", "pos_mean", "pos_joined", "pos_both"):
        assert "accumul" in function[name].explain()


def test_on_a_stream(counted: nu.Session, tmp_path: Any) -> None:
    stream = Stream(counted.spark, tmp_path, "k string, v bigint")
    stream.put([("a", 1), ("b", 2)], [("a", 3)])
    count, joined = counted.functions["pos_count"], counted.functions["pos_joined"]
    calls = nu.aggregate("k", n=count("v"), text=joined(F.col("v").cast("string")))
    first, second = stream.run(stream.rows.transform(calls))
    assert sorted(first) == [("a", 1, "(1, 1) 1"), ("b", 1, "(1, 1) 2")]
    assert second == [("a", 2, "(2, 2) 13")]
