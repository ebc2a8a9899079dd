"""Where functions may stand in queries over streams: each place answers as it does over a table.

What Spark itself has no streams for is refused, by it or in words of ours.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from sample_aggregates import CountAggregateFunction, Sum
from streaming import Stream

import notebook_udf as nu
from notebook_udf import udaf, udf, udtf

ROWS: list[list[tuple[Any, ...]]] = [
    [("a", 1), ("b", 2), (None, 3)],
    [("a", 4), ("c", 5), ("b", 2)],
]


async def slow(v: int) -> int:
    await asyncio.sleep(0)
    return v + 100


def twice(v: int) -> Iterator[int]:
    yield v
    yield v * 2


@pytest.fixture(scope="module")
def places(session: nu.Session) -> nu.Session:
    session.register_function("p_next", udf(lambda v: v + 1, result_type="bigint"))
    session.register_function("p_fails", udf(lambda v: 1 // (v - 1), result_type="bigint"))
    close = udf(lambda a, b: abs(a - b) <= 1, result_type="boolean", compile=False)
    session.register_function("p_close", close)
    session.register_function("p_twice", udtf(twice, result_types="w bigint"))
    session.register_function("p_slow", udf(slow, result_type="bigint"))
    session.register_function("p_count", udaf(CountAggregateFunction()))
    session.register_function("p_sum", udaf(Sum, result_type="bigint"))
    session.register_function(
        "p_mean",
        udaf(lambda v: float(v.mean()), result_type="double", func_type="pandas"),
    )
    few = [(2, "two"), (5, "five")]
    session.spark.createDataFrame(few, "w bigint, name string").createOrReplaceTempView("p_table")
    return session


# Rows of a stream are as they were; of groups the last ones written count.
ROW_BY_ROW = {
    "SELECT, WHERE": "SELECT k, p_next(v) FROM {r} WHERE p_next(v) > 2",
    "CASE": "SELECT CASE WHEN v = 1 THEN 0 ELSE p_fails(v) END FROM {r}",
    "one call selected and filtered on": "SELECT * FROM (SELECT p_next(v) n FROM {r}) WHERE n > 2",
    "a key of a join": "SELECT k, name FROM {r} JOIN p_table ON p_next(v) = w",
    "both sides of a join": "SELECT k, name FROM {r} JOIN p_table ON p_close(v, w)",
    "a lambda": "SELECT transform(array(v, 2), x -> p_next(x)) FROM {r}",
    "lateral": "SELECT k, w FROM {r}, LATERAL p_twice(p_next(v)) WHERE w > 3",
    "left lateral": "SELECT k, w FROM {r} LEFT JOIN LATERAL p_twice(v) ON w > 4",
    "two laterals": "SELECT a.w, b.w FROM {r}, LATERAL p_twice(v) a, LATERAL p_twice(a.w) b",
    "LATERAL VIEW": "SELECT k, w FROM {r} LATERAL VIEW p_twice(v) t AS w",
    "async": "SELECT p_slow(v), p_next(p_slow(v)) FROM {r} WHERE p_slow(v) > 101",
}
GROUPS = {
    "scalar in GROUP BY and HAVING": (
        "SELECT p_next(v) AS n, p_count(k) FROM {r} GROUP BY p_next(v) HAVING p_count(k) > 0"
    ),
    "FILTER, DISTINCT": (
        "SELECT k, p_count(v) FILTER (WHERE v > 1), p_count(DISTINCT v) FROM {r} GROUP BY k"
    ),
    "of scalars": "SELECT k, p_next(p_sum(p_next(v))) FROM {r} GROUP BY k",
    "beside built-ins": "SELECT k, p_count(v), sum(v), max(v) FROM {r} GROUP BY k",
    "vectorised": "SELECT k, p_mean(v) FROM {r} GROUP BY k",
    "general and vectorised": "SELECT k, p_count(v), p_mean(v) FROM {r} GROUP BY k",
    "ROLLUP": "SELECT k, p_count(v) FROM {r} GROUP BY ROLLUP (k)",
    "GROUPING SETS": "SELECT k, v, p_count(v) FROM {r} GROUP BY GROUPING SETS ((k), (v), ())",
    "of lateral rows": "SELECT k, p_sum(w) FROM {r}, LATERAL p_twice(v) GROUP BY k",
}
REFUSED = {
    "OVER": (
        "SELECT p_count(v) OVER (PARTITION BY k ORDER BY v) FROM {r}",
        "not supported.*streaming",
    ),
    "PIVOT": (
        "SELECT * FROM (SELECT k, v FROM {r}) PIVOT (p_count(v) FOR k IN ('a', 'b'))",
        "streaming|stateful",
    ),
    "both sides of a left join": (
        "SELECT k, name FROM {r} LEFT JOIN p_table ON p_close(v, w)",
        "LEFT OUTER JOIN",
    ),
}


def answered(places: nu.Session, stream: Stream, query: str, mode: str) -> Any:
    found = places.sql(query, r=stream.rows)
    return stream.run(found, mode)


def expected(places: nu.Session, stream: Stream, query: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, places.sql(query, r=stream.all_rows).collect()), key=str)


@pytest.mark.parametrize("query", ROW_BY_ROW.values(), ids=ROW_BY_ROW.keys())
def test_rows_are_those_of_a_table(places: nu.Session, tmp_path: Path, query: str) -> None:
    stream = Stream(places.spark, tmp_path, "k string, v bigint").put(*ROWS)
    batches = answered(places, stream, query, "append")
    found = sorted((row for batch in batches for row in batch), key=str)
    assert found == expected(places, stream, query)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("query", GROUPS.values(), ids=GROUPS.keys())
def test_groups_are_those_of_a_table(places: nu.Session, tmp_path: Path, query: str) -> None:
    stream = Stream(places.spark, tmp_path, "k string, v bigint").put(*ROWS)
    batches = answered(places, stream, query, "complete")
    assert sorted(batches[-1], key=str) == expected(places, stream, query)
    (tmp_path / "again").mkdir()
    stream.checkpoint = str(tmp_path / "again")
    updates = [row for batch in answered(places, stream, query, "update") for row in batch]
    assert set(updates) >= set(expected(places, stream, query))


@pytest.mark.parametrize(("query", "said"), REFUSED.values(), ids=REFUSED.keys())
def test_what_spark_has_no_streams_for_is_refused(
    places: nu.Session, tmp_path: Path, query: str, said: str
) -> None:
    stream = Stream(places.spark, tmp_path, "k string, v bigint").put(*ROWS)
    with pytest.raises(PySparkException, match=f"(?s){said}"):
        answered(places, stream, query, "append")
