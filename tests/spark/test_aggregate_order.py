"""Aggregates whose value depends on the order of their rows, over rows that have one.

Spark promises an aggregate no order, but its own ``collect_list`` keeps that of an ORDER BY below
it, and so do functions wherever they run: another place is no other answer.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest
from pyspark.sql import DataFrame, Row
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import udaf

COUNT = 20_000


class Listed(nu.AggregateFunction):
    """The values, as they come."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], x: int) -> None:
        accumulator.append(x)

    def get_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


class Merged(Listed):
    """With a merge: rows are not brought together first."""

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            accumulator.extend(other)


class Latest(nu.AggregateFunction):
    """The last value, which no list of Spark's gathers."""

    def create_accumulator(self) -> dict[str, Any]:
        return {"x": None}

    def accumulate(self, accumulator: dict[str, Any], x: int) -> None:
        if x is not None:
            accumulator["x"] = x

    def get_value(self, accumulator: dict[str, Any]) -> int:
        return accumulator["x"]


def whole(x: pd.Series) -> list[int]:
    return list(x)


FUNCTIONS = {
    "gathered": udaf(Listed(), result_type="array<bigint>"),
    "in_worker": udaf(Listed(), result_type="array<bigint>", compile=False),
    "merged": udaf(Merged(), result_type="array<bigint>", compile=False),
    "in_pandas": udaf(whole, result_type="array<bigint>", func_type="pandas"),
}
GIVEN = {
    "ORDER BY": "SELECT * FROM shuffled ORDER BY x",
    "ORDER BY DESC": "SELECT k, s, -x AS x FROM (SELECT * FROM shuffled ORDER BY x DESC)",
    "with a filter": "SELECT * FROM (SELECT * FROM shuffled ORDER BY x) WHERE x % 7 < 5",
    "SORT BY": "SELECT * FROM shuffled DISTRIBUTE BY k, s SORT BY x",
    "coalesced": "SELECT /*+ COALESCE(1) */ * FROM (SELECT * FROM shuffled ORDER BY x)",
    "LIMIT": f"SELECT * FROM shuffled ORDER BY x LIMIT {COUNT // 2}",
}


@pytest.fixture(scope="module", autouse=True)
def shuffled(session: nu.Session) -> DataFrame:
    for name, function in FUNCTIONS.items():
        session.register_function(name, function)
    rows = session.spark.range(0, COUNT, 1, 4).selectExpr(
        "id % 3 AS k", "IF(id % 2 = 0, 'even', 'odd') AS s", f"id * 7919 % {COUNT} AS x"
    )
    rows.createOrReplaceTempView("shuffled")
    return rows


def in_order(rows: list[Row], groups: int, each: int) -> None:
    assert len(rows) == groups
    for row in rows:
        assert len(row.v) >= each
        assert row.v == sorted(row.v)


@pytest.mark.parametrize("given", GIVEN)
@pytest.mark.parametrize("name", ["collect_list", *FUNCTIONS])
def test_a_group_has_its_rows_in_their_order(session: nu.Session, name: str, given: str) -> None:
    query = f"SELECT k, s, {name}(x) AS v FROM ({GIVEN[given]}) GROUP BY k, s"
    in_order(session.sql(query).collect(), 6, COUNT // 15)


@pytest.mark.parametrize("given", [each for each in GIVEN if each != "SORT BY"])
@pytest.mark.parametrize("name", ["collect_list", *FUNCTIONS])
def test_so_have_all_rows(session: nu.Session, name: str, given: str) -> None:
    rows = session.sql(f"SELECT {name}(x) AS v FROM ({GIVEN[given]})").collect()
    in_order(rows, 1, COUNT // 2)


@pytest.mark.parametrize("name", ["collect_list", "in_worker"])
def test_so_has_a_window_without_an_order(session: nu.Session, name: str) -> None:
    ordered = GIVEN["ORDER BY"]
    rows = session.sql(f"SELECT k, {name}(x) OVER (PARTITION BY k) AS v FROM ({ordered} LIMIT 300)")
    in_order(rows.collect(), 300, 90)


@pytest.mark.parametrize("name", ["collect_list", *FUNCTIONS])
def test_so_have_groups_beside_that_of_null(session: nu.Session, name: str) -> None:
    """Spark sorts by a column alone as no other: NULLs change places with rows before them."""
    rows = "SELECT IF(id % 3 = 2, NULL, id % 50) AS k, id AS x FROM range(0, 2000, 1, 1)"
    found = session.sql(f"SELECT k, {name}(x) AS v FROM ({rows}) GROUP BY k").collect()
    in_order(found, 51, 10)
    assert {tuple(row.v) for row in found if row.k is None} == {tuple(range(2, 2000, 3))}


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS)
def test_so_have_dataframes(shuffled: DataFrame, function: Any) -> None:
    ordered = shuffled.orderBy("x")
    grouped = nu.aggregate([F.col("k")], v=function(F.col("x")))
    in_order(ordered.transform(grouped).collect(), 3, COUNT // 4)
    in_order(ordered.transform(nu.aggregate([], v=function(F.col("x")))).collect(), 1, COUNT)


@pytest.mark.parametrize("compile_", [True, False])
def test_the_last_value_is_that_of_the_last_row(session: nu.Session, compile_: bool) -> None:
    session.register_function("latest", udaf(Latest(), result_type="bigint", compile=compile_))
    query = f"SELECT k, latest(x) AS v, max(x) AS m FROM ({GIVEN['ORDER BY']}) GROUP BY k"
    for row in session.sql(query).collect():
        assert row.v == row.m


def test_a_columns_notes_and_nulls_stay_as_they_are(session: nu.Session) -> None:
    query = "SELECT window(t, '1 hour') AS w, in_worker(x) AS v FROM moments GROUP BY 1"
    moments = session.spark.range(20).selectExpr("timestamp_seconds(id * 600) AS t", "id AS x")
    moments.createOrReplaceTempView("moments")
    rows = session.sql(f"SELECT window_time(w) AS at, v FROM ({query}) ORDER BY at").collect()
    assert [row.v for row in rows] == [list(range(at, min(at + 6, 20))) for at in range(0, 20, 6)]
