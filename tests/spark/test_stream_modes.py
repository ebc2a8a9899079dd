"""What a stream's query writes when: output modes, session windows, and what stands beside."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from sample_aggregates import CountAggregateFunction, Sum
from streaming import Stream

import notebook_udf as nu
from notebook_udf import udaf

ROWS: list[list[tuple[Any, ...]]] = [
    [("a", 1), ("b", 2), (None, 3)],
    [("a", 4), (None, None), ("c", 5)],
    [("b", 2)],
]


@pytest.fixture(scope="module")
def modes(session: nu.Session) -> nu.Session:
    session.register_function("m_count", udaf(CountAggregateFunction()))
    session.register_function("m_sum", udaf(Sum, result_type="bigint"))
    return session


def ordered(rows: Any) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, rows), key=str)


def test_complete_mode_writes_every_group_each_time(modes: nu.Session, tmp_path: Path) -> None:
    f = modes.functions
    stream = Stream(modes.spark, tmp_path, "k string, v bigint").put(*ROWS)
    aggregated = nu.aggregate(
        by="k",
        n=f["m_count"]("v"),
        once=f["m_count"]("v").distinct(),
        some=f["m_count"]("v").filter(F.col("v") > 1),
    )
    # Sorted, which is for complete mode alone.
    batches = stream.run(stream.rows.transform(aggregated).orderBy("k"), "complete")
    expected = stream.all_rows.transform(aggregated).orderBy("k").collect()
    assert [len(batch) for batch in batches] == [3, 4, 4]
    assert batches[-1] == list(map(tuple, expected))


def test_complete_mode_collects_accumulators_of_functions_that_merge(
    modes: nu.Session, tmp_path: Path
) -> None:
    stream = Stream(modes.spark, tmp_path, "k string, v bigint").put(*ROWS)
    query = (
        "SELECT k, m_sum(v) FILTER (WHERE v > 1) + 1 AS s FROM {source} WHERE v IS NOT NULL "
        "GROUP BY k HAVING m_sum(v) > 1 ORDER BY k"
    )
    writer = modes.sql(query, source=stream.rows).writeStream.format("memory").queryName("sums")
    running = writer.option("checkpointLocation", stream.checkpoint).start(outputMode="complete")
    running.processAllAvailable()
    plan = str(running._jsq.streamingQuery().lastExecution().logical())
    running.stop()
    assert "PartialPass" in plan
    assert "TransformWithState" not in plan
    expected = modes.sql(query, source=stream.all_rows)
    assert modes.spark.table("sums").collect() == expected.collect()


@pytest.mark.parametrize("mode", ["update", "complete"])
def test_beside_built_ins_spark_collects_the_rows(
    modes: nu.Session, tmp_path: Path, mode: str
) -> None:
    f = modes.functions
    stream = Stream(modes.spark, tmp_path, "k string, v bigint").put(*ROWS)
    query = "SELECT k, m_count(v), sum(v), max(v) FROM {source} GROUP BY ROLLUP (k)"
    batches = stream.run(modes.sql(query, source=stream.rows), mode)
    expected = ordered(modes.sql(query, source=stream.all_rows).collect())
    last = ordered(batches[-1])
    assert last == (expected if mode == "complete" else [r for r in expected if r in last])
    assert len(last) == (5 if mode == "complete" else 2)
    both = stream.rows.transform(nu.aggregate(by="k", n=f["m_count"]("v"), most=F.max("v")))
    (tmp_path / "b").mkdir()
    stream.checkpoint = str(tmp_path / "b")
    assert ("b", 2, 2) in stream.run(both, mode)[-1]


# --- session windows -------------------------------------------------------------------------

T0 = dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC)


def at(minutes: int, value: int) -> tuple[dt.datetime, int]:
    return T0 + dt.timedelta(minutes=minutes), value


# Across the hour that Berlin has twice; the last one comes too late.
TIMES = [
    [at(0, 1), at(20, 2), at(5, 3)],
    [at(75, 4), at(50, 5), at(1, 6)],
    [at(140, 7), at(2, 8), at(130, 9)],
    [at(200, 1), at(3, 50)],
]


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("sql", [True, False])
def test_session_windows_move_with_their_rows(
    modes: nu.Session, tmp_path: Path, alone: bool, sql: bool
) -> None:
    stream = Stream(modes.spark, tmp_path, "t timestamp, v bigint").put(*TIMES)
    rows = stream.rows.withWatermark("t", "10 minutes")
    if sql:
        keys = "session_window(t, '40 minutes')" + ("" if alone else ", v < 100")
        query = f"SELECT m_count(v) AS n FROM {{rows}} GROUP BY {keys}"
        assert ordered(modes.sql(query, rows=stream.all_rows).collect())[-1] == (8,)
        found = modes.sql(query, rows=rows)
    else:
        by = [F.session_window("t", "40 minutes"), *([] if alone else [F.col("v") < 100])]
        found = rows.transform(nu.aggregate(by=by, n=modes.functions["m_count"]("v"))).select("n")
    assert [n for batch in stream.run(found, "append") for (n,) in batch] == [7, 2]


def test_session_windows_are_written_when_they_have_ended(
    modes: nu.Session, tmp_path: Path
) -> None:
    stream = Stream(modes.spark, tmp_path, "t timestamp, v bigint").put(*TIMES)
    rows = stream.rows.withWatermark("t", "10 minutes")
    window = F.session_window("t", "40 minutes")
    found = rows.transform(nu.aggregate(by=window, n=modes.functions["m_count"]("v")))
    with pytest.raises(nu.PlanningError, match="use 'append', with a watermark, or 'complete'"):
        stream.run(found, "update")
    assert [len(batch) for batch in stream.run(found, "complete")] == [1, 1, 2, 3]
    changed = nu.aggregate(by=window, change_column="v", n=modes.functions["m_count"]("v"))
    with pytest.raises(nu.PlanningError, match="does not go with session_window"):
        rows.transform(changed)
