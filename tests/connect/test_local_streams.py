"""Streams through Spark Connect: what functions keep, and what is refused or said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from sample_aggregates import CountDistinctAggregateFunction
from streaming import Stream

import notebook_udf as nu
from notebook_udf import StateDeclarations, udaf, udf

SEEN = StateDeclarations.value_state("seen", int)


class Numbered(nu.OneInputStreamProcessFunction):
    """Numbers the rows of each key."""

    def uses_states(self) -> list[object]:
        return [SEEN]

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        seen = ctx.get_state(SEEN)
        seen.update((seen.value() or 0) + 1)
        output.collect((record.k, seen.value()))


@pytest.fixture(scope="module")
def session(local: nu.Session) -> nu.Session:
    local.register_function("differing", udaf(CountDistinctAggregateFunction()))
    local.register_function("inverse", udf(lambda a: 1 // a, ["bigint"], "bigint"))
    local.register_function("plus", udf(lambda a: a + 1, ["bigint"], "bigint"))
    return local


@pytest.fixture
def stream(session: nu.Session, tmp_path: Path) -> Iterator[Stream]:
    yield Stream(session.spark, tmp_path, "k string, v bigint, t timestamp")
    for query in session.spark.streams.active:
        query.stop()


def started(frame: DataFrame, stream: Stream, name: str, mode: str = "append") -> Any:
    writer = frame.writeStream.outputMode(mode).format("memory").queryName(name)
    return writer.option("checkpointLocation", stream.checkpoint).start()


def written(session: nu.Session, name: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.spark.table(name).collect()]


def counted(session: nu.Session, stream: Stream) -> DataFrame:
    return stream.rows.transform(nu.aggregate(by="k", d=session.functions["differing"]("v")))


def test_scalar_functions_and_a_drain_that_loses_nothing(
    session: nu.Session, stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.put([("a", 1, None)], [("a", 2, None)])
    query = started(stream.rows.select(session.functions["plus"]("v")), stream, "plain")
    session.drain(query)
    assert written(session, "plain") == [(2,), (3,)]
    assert not capsys.readouterr().err


def test_aggregates_keep_state_from_run_to_run(session: nu.Session, stream: Stream) -> None:
    def run() -> Any:
        writer = counted(session, stream).writeStream.outputMode("update").format("noop")
        query = writer.option("checkpointLocation", stream.checkpoint).start()
        query.processAllAvailable()
        return query

    def kept(query: Any) -> dict[str, int]:
        state = session.state(query)
        assert state.functions == ("differing",)
        return {row["k"]: row["accumulator"]["count"] for row in state.read("differing").collect()}

    stream.put([("a", 1, None), ("a", 2, None), ("b", 1, None)])
    query = run()
    session.suspend(query)
    assert not query.isActive
    before = kept(query)
    stream.put([("a", 2, None), ("a", 3, None)])
    query = run()
    after = kept(query)
    assert before.keys() == after.keys() == {"a", "b"}
    assert (before["a"], after["a"], after["b"]) == (2, 3, 1)
    session.cancel(query)
    assert not query.isActive


def test_a_checkpoint_of_something_else_is_refused(session: nu.Session, stream: Stream) -> None:
    stream.put([("a", 1, None)])
    query = started(counted(session, stream), stream, "kept", "update")
    query.processAllAvailable()
    query.stop()
    other = stream.rows.transform(nu.process(Numbered, key_by="k", output_type="k string, n int"))
    with pytest.raises(nu.SessionError, match="keeps something else"):
        started(other, stream, "other", "update")


@pytest.mark.parametrize("way", ["columns", "sql", "view"])
def test_complete_mode_is_refused(session: nu.Session, stream: Stream, way: str) -> None:
    stream.put([("a", 1, None)])
    query = "SELECT k, differing(v) FROM {rows} GROUP BY k"
    if way == "columns":
        frame = counted(session, stream)
    elif way == "sql":
        frame = session.sql(query, rows=stream.rows)
    else:
        session.sql(query, rows=stream.rows).createOrReplaceTempView("of_theirs")
        frame = session.spark.table("of_theirs")
    with pytest.raises(nu.SessionError, match=r"outputMode\('complete'\).*a classic session"):
        started(frame, stream, "everything", "complete")


def test_windows_end_by_one_watermark(session: nu.Session, stream: Stream) -> None:
    def at(seconds: int) -> Any:
        import datetime as dt

        return dt.datetime(2026, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=seconds)

    stream.put([("a", 1, at(0)), ("a", 2, at(5)), ("a", 1, at(6))], [("a", 1, at(100))])
    window = F.window("t", "10 seconds").alias("w")
    function = session.functions["differing"]
    marked = stream.rows.withWatermark("t", "1 second")
    query = started(marked.transform(nu.aggregate(by=[window], d=function("v"))), stream, "windows")
    query.processAllAvailable()
    assert [row[1] for row in written(session, "windows")] == [2]


def test_process_functions_keep_state_and_a_drain_says_what_it_lacks(
    session: nu.Session, stream: Stream, capsys: pytest.CaptureFixture[str]
) -> None:
    stream.put([("a", 1, None)], [("a", 2, None), ("b", 1, None)])
    numbered = nu.process(Numbered, key_by="k", output_type="k string, n int")
    query = started(stream.rows.transform(numbered), stream, "numbered")
    session.drain(query)
    assert sorted(written(session, "numbered")) == [("a", 1), ("a", 2), ("b", 1)]
    said = capsys.readouterr().err
    assert "not told end_input" in said
    session.drain(query)
    assert not capsys.readouterr().err
    assert [note for note in session.notes if "end_input" in note]


def test_watermarks_before_and_behind_state_are_refused(
    session: nu.Session, stream: Stream
) -> None:
    numbered = nu.process(Numbered, key_by="k", output_type="k string, n int")
    made = stream.rows.withWatermark("t", "1 second").transform(numbered)
    made = made.withColumn("u", F.timestamp_seconds("n")).withWatermark("u", "1 second")
    with pytest.raises(nu.SessionError, match="several watermarks"):
        started(made.groupBy(F.window("u", "1 second")).count(), stream, "never")


def test_a_failed_call_ends_the_stream_with_its_error(session: nu.Session, stream: Stream) -> None:
    stream.put([("a", 0, None)])
    query = started(stream.rows.select(session.functions["inverse"]("v")), stream, "failing")
    with pytest.raises(nu.UserFunctionError, match="a = 0"):
        query.processAllAvailable()


def test_a_query_without_a_known_checkpoint_is_asked_for_its_path(
    session: nu.Session, stream: Stream
) -> None:
    stream.put([("a", 1, None)])
    query = stream.rows.writeStream.format("noop").start()
    with pytest.raises(nu.SessionError, match="checkpointLocation"):
        session.state(query)
    query.stop()


def test_sparks_own_counts_go_with_changes(session: nu.Session, stream: Stream) -> None:
    stream.put([("+I", 1, None), ("+I", 2, None)], [("-D", 1, None)])
    function = session.functions["differing"]
    changes = nu.aggregate(by=[], change_column="k", d=function("v"), n=F.count("*"))
    query = started(stream.rows.transform(changes), stream, "changes", "update")
    query.processAllAvailable()
    found = {(row["d"], row["n"]) for row in session.spark.table("changes").collect()}
    assert found == {(2, 2), (1, 1)}
