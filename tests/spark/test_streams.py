"""Aggregate functions on streams: what a batch query answers, a stream does."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from sample_aggregates import (
    CountAggregateFunction,
    CountDistinctAggregateFunction,
    RetractingSum,
    Sum,
    Text,
)
from streaming import TIGHT, Stream, last, with_conf

import notebook_udf as nu
from notebook_udf import TableAggregateFunction, udaf, udtaf

Batches = list[list[tuple[Any, ...]]]


class TopTwo(TableAggregateFunction):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[:] = sorted([*accumulator, value], reverse=True)[:2]

    def emit_value(self, accumulator: list[int]) -> Iterator[tuple[int]]:
        yield from zip(accumulator, strict=True)


@pytest.fixture(scope="module")
def streams(session: nu.Session) -> nu.Session:
    session.register_function("s_count", udaf(CountAggregateFunction()))
    session.register_function("s_distinct", udaf(CountDistinctAggregateFunction()))
    session.register_function("s_sum", udaf(Sum, result_type="bigint"))
    session.register_function("s_change", udaf(RetractingSum, result_type="bigint"))
    session.register_function("s_text", udaf(Text, result_type="bigint"))
    return session


ROWS: Batches = [
    [("a", 1), ("b", 2), (None, 3), ("a", 1)],
    [("a", 4), (None, None), ("c", 5), (None, 3)],
    [("b", 2), ("d", 9)],
]


def test_a_stream_answers_as_a_batch(streams: nu.Session, tmp_path: Path) -> None:
    f = streams.functions
    stream = Stream(streams.spark, tmp_path, "k string, v bigint").put(*ROWS)
    aggregated = nu.aggregate(
        by="k",
        n=f["s_count"]("v"),
        distinct=f["s_distinct"](F.coalesce("v", F.lit(0))),
        total=f["s_change"](F.coalesce("v", F.lit(0))),
        once=f["s_sum"](F.coalesce("v", F.lit(0))).distinct(),
        some=f["s_count"]("v").filter(F.col("v") > 3),
        text=f["s_text"]("v"),
    )
    expected = stream.all_rows.transform(aggregated)
    found = stream.rows.transform(aggregated)
    assert found.columns == expected.columns
    batches = stream.run(found)
    assert last(batches) == {(row[0],): tuple(row[1:]) for row in expected.collect()}
    # Only groups that changed are emitted, once each.
    assert sorted(row[0] or "" for row in next(b for b in reversed(batches) if b)) == ["b", "d"]
    # From the checkpoint it goes on.
    stream.put([("a", 100)])
    assert stream.run(found)[0][0][:4] == ("a", 4, 3, 106)


def test_functions_that_merge_are_aggregated_before_rows_move(
    streams: nu.Session, tmp_path: Path
) -> None:
    f = streams.functions
    stream = Stream(streams.spark, tmp_path, "k string, v bigint").put(*ROWS)
    value = F.coalesce("v", F.lit(0))
    aggregated = nu.aggregate(
        by="k", total=f["s_sum"](value).filter(value < 5), text=f["s_text"]("v")
    )
    expected = stream.all_rows.transform(aggregated).collect()
    with with_conf(streams.spark, TIGHT):
        found = stream.rows.transform(aggregated)
        assert "PartialPass" in str(found._jdf.queryExecution().logical())
        batches = stream.run(found)
    assert last(batches) == {(row[0],): tuple(row[1:]) for row in expected}


def test_sql_on_a_stream(streams: nu.Session, tmp_path: Path) -> None:
    stream = Stream(streams.spark, tmp_path, "k string, v bigint").put(*ROWS)
    query = (
        "SELECT upper(k) AS K, s_count(v) + 1 AS n, s_sum(DISTINCT v) FROM {source} "
        "WHERE v IS NOT NULL GROUP BY k HAVING s_count(v) > 1"
    )
    found = streams.sql(query, source=stream.rows)
    expected = streams.sql(query, source=stream.all_rows)
    assert found.columns == expected.columns
    assert "TransformWithState" in str(found._jdf.queryExecution().analyzed())
    assert last(stream.run(found)) == {(r[0],): tuple(r[1:]) for r in expected.collect()}


def test_one_group_of_all_rows(streams: nu.Session, tmp_path: Path) -> None:
    stream = Stream(streams.spark, tmp_path, "k string, v bigint").put(*ROWS)
    found = streams.sql("SELECT s_count(v) AS n FROM {source}", source=stream.rows)
    assert [b[0] for b in stream.run(found) if b] == [(4,), (8,), (10,)]


def test_table_aggregates_give_the_rows_of_groups_that_changed(
    streams: nu.Session, tmp_path: Path
) -> None:
    two = streams.register_function("s_top", udtaf(TopTwo, result_type="value bigint"))
    stream = Stream(streams.spark, tmp_path, "k string, v bigint")
    stream.put([("a", 1), ("b", 2), ("a", 5)], [("a", 3)])
    found = stream.run(stream.rows.transform(nu.flat_aggregate(two("v"), "best", by="k")))
    assert [sorted(batch) for batch in found if batch] == [
        [("a", 1), ("a", 5), ("b", 2)],
        [("a", 3), ("a", 5)],
    ]


# --- event time ------------------------------------------------------------------------------

T0 = dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC)


def at(minutes: int, value: int) -> tuple[dt.datetime, int]:
    return T0 + dt.timedelta(minutes=minutes), value


# Across the hour that Berlin has twice; some rows come late, and the last one too late.
TIMES: Batches = [
    [at(0, 1), at(20, 2), at(5, 3)],
    [at(75, 4), at(50, 5), at(1, 6)],
    [at(140, 7), at(2, 8), at(130, 9)],
    [at(200, 1), at(3, 50)],
]


@pytest.mark.parametrize("mode", ["update", "append"])
def test_windows_end_where_sparks_own_do(streams: nu.Session, tmp_path: Path, mode: str) -> None:
    f = streams.functions
    answers = []
    for name in ("ours", "theirs"):
        folder = tmp_path / name
        folder.mkdir()
        stream = Stream(streams.spark, folder, "t timestamp, v bigint").put(*TIMES)
        rows = stream.rows.withWatermark("t", "10 minutes")
        window = F.window("t", "1 hour", "30 minutes")
        if name == "ours":
            found = rows.transform(
                nu.aggregate(by=window, n=f["s_count"]("v"), total=f["s_sum"]("v"))
            )
        else:
            found = rows.groupBy(window).agg(F.count("v"), F.sum("v"))
        batches = stream.run(found, mode)
        answers.append(
            last(batches) if mode == "update" else sorted(row for b in batches for row in b)
        )
        if name == "ours":
            remembered = streams.state(stream.checkpoint).to_dict()["s_count"]
            # Those that go on; nothing is remembered of the others.
            assert len(remembered) == 2
    assert answers[0] == answers[1]
    assert len(answers[0]) > 3


def test_windows_in_sql(streams: nu.Session, tmp_path: Path) -> None:
    stream = Stream(streams.spark, tmp_path, "t timestamp, v bigint").put(*TIMES)
    query = (
        "SELECT window.start, s_count(v) AS n FROM {source} GROUP BY window(t, '1 hour') "
        "HAVING window.end > '2000-01-01'"
    )
    found = streams.sql(query, source=stream.rows.withWatermark("t", "10 minutes"))
    assert "TransformWithState" in str(found._jdf.queryExecution().analyzed())
    expected = streams.sql(query, source=stream.all_rows).collect()
    wanted = streams.sql(query.replace("s_count", "count"), source=stream.all_rows).collect()
    assert sorted(expected) == sorted(wanted)
    # The window that is still open, and the row that came too late for its own, are missing.
    answered = sorted(row for batch in stream.run(found, "append") for row in batch)
    assert [n for _, n in answered] == [2, 5, 2]
    assert {start for start, _ in answered} < {row.start for row in expected}


# --- what cannot be --------------------------------------------------------------------------


def test_what_a_stream_cannot_do_is_refused_by_name(streams: nu.Session, tmp_path: Path) -> None:
    f = streams.functions
    stream = Stream(streams.spark, tmp_path, "k string, v bigint, op string")
    rows = stream.rows

    def planned(**calls: Any) -> Any:
        return rows.transform(nu.aggregate(by="k", change_column="op", **calls))

    with pytest.raises(nu.PlanningError, match="s_sum has no retract"):
        planned(total=f["s_sum"]("v"))
    with pytest.raises(nu.PlanningError, match=r"'op' does not go with n=max\(v\)"):
        planned(n=F.max("v"))
    with pytest.raises(nu.PlanningError, match="change_column is for streaming"):
        stream.all_rows.transform(nu.aggregate(change_column="op", n=f["s_count"]("v")))
    with pytest.raises(nu.PlanningError, match="cannot be grouped by"):
        rows.transform(nu.aggregate(by=F.create_map("k", "v").alias("m"), n=f["s_count"]("v")))
    for conf, value in (("udf.state.ttl", "soon"), ("state.cache-size", "0")):
        streams.spark.conf.set(conf, value)
        try:
            with pytest.raises(nu.PlanningError, match=f"{conf} is '{value}'"):
                rows.transform(nu.aggregate(by="k", n=f["s_count"]("v")))
        finally:
            streams.spark.conf.unset(conf)
    changed = nu.aggregate(by="k", change_column="op", n=f["s_count"]("v"))
    with pytest.raises(nu.PlanningError, match=r"'complete'.*does not go with change_column"):
        stream.run(rows.transform(changed), "complete")


def test_explain_says_what_becomes_of_a_stream(streams: nu.Session) -> None:
    said = streams.functions["s_sum"].explain()
    assert "on streams: accumulators are kept in Spark's state" in said
    assert "accumulated partition by partition first" in said
    assert "no rows can be taken out again, because it has no retract" in said


def test_append_needs_an_end_and_marks_are_known(streams: nu.Session, tmp_path: Path) -> None:
    f = streams.functions
    stream = Stream(streams.spark, tmp_path, "k string, v bigint, op string")
    stream.put([("a", 1, "+X")])
    counted = stream.rows.transform(nu.aggregate(by="k", n=f["s_count"]("v")))
    with pytest.raises(nu.PlanningError, match="append takes rows that never change"):
        stream.run(counted, "append")
    marked = stream.rows.transform(nu.aggregate(change_column="op", n=f["s_count"]("v")))
    other = Stream(streams.spark, tmp_path_of(tmp_path), "k string")
    stream.checkpoint = other.checkpoint
    with pytest.raises(nu.PlanningError, match="the change column holds '\\+X'"):
        stream.run(marked)


def tmp_path_of(folder: Path) -> Path:
    made = folder / "other"
    made.mkdir()
    return made
