"""Reading state back: ``session.state`` over a query's checkpoint."""

from __future__ import annotations

import datetime as dt
import threading
import time
from pathlib import Path

import pytest
from pyspark.sql import functions as F
from sample_aggregates import (
    CountAggregateFunction,
    CountDistinctAggregateFunction,
    RetractingSum,
    Sum,
)
from streaming import Stream, with_conf

import notebook_udf as nu
from notebook_udf import AggregateFunction, udaf
from notebook_udf.launch.confs import CHANGELOG_CONF
from notebook_udf.state import StateReader

MANY = range(1500)


class FloatCount(CountAggregateFunction):
    """The same name, with another kind of accumulator."""

    def get_accumulator_type(self):  # type: ignore[no-untyped-def]
        return nu.DataTypes.ARRAY(nu.DataTypes.DOUBLE())


@pytest.fixture(scope="module")
def counted(session: nu.Session, tmp_path_factory: pytest.TempPathFactory) -> Stream:
    """A query of three batches: ``a`` has a few values, ``b`` outgrows its accumulator."""
    count = session.register_function("counted", udaf(CountAggregateFunction()))
    distinct = session.register_function("differing", udaf(CountDistinctAggregateFunction()))
    total = session.register_function("added", udaf(Sum, result_type="bigint"))
    stream = Stream(session.spark, tmp_path_factory.mktemp("state"), "k string, v bigint")
    stream.put(
        [("a", 1), ("a", 2), (None, 3)],
        [("b", value) for value in MANY],
        [("a", 2), ("b", 7)],
    )
    stream.run(
        stream.rows.transform(nu.aggregate(by="k", n=count("v"), d=distinct("v"), s=total("v")))
    )
    return stream


@pytest.fixture(scope="module")
def state(session: nu.Session, counted: Stream) -> StateReader:
    return session.state(counted.checkpoint)


def test_functions_and_variables_are_listed(state: StateReader) -> None:
    assert state.functions == ("counted", "differing", "added")
    assert state.variables["accumulators"] == "ValueState"
    assert state.variables["views"] == "MapState"
    shown = repr(state)
    for part in ("differing", "STRUCT<count: BIGINT", "pickled", "key: k STRING", "batches 0 to"):
        assert part in shown
    assert "<table>" in state._repr_html_()


def test_accumulators_are_read_in_their_own_terms(state: StateReader) -> None:
    assert {row.k: row.accumulator for row in state.read("counted").collect()} == {
        "a": [3], "b": [1501], None: [1],
    }  # fmt: skip
    # A view is shown alike, within its accumulator or in entries of its own.
    found = {row.k: row.accumulator for row in state.read("differing").collect()}
    assert found["a"].asDict() == {"count": 2, "map": {1: 1, 2: 2}}
    assert found["b"].asDict() == {"count": 1500, "map": {v: 2 if v == 7 else 1 for v in MANY}}
    assert {row.k: row.accumulator for row in state.read("added").collect()} == {
        "a": "[5]", "b": f"[{sum(MANY) + 7}]", None: "[3]",
    }  # fmt: skip
    assert state.read("views").count() > 5


def test_earlier_batches_their_differences_and_a_keys_history(state: StateReader) -> None:
    first, final = state.batches
    assert [tuple(r) for r in state.read("added", first).orderBy("k").collect()] == [
        (None, "[3]"), ("a", "[3]"),
    ]  # fmt: skip
    changed = state.diff(first, final).where("function = 'added'").orderBy("k").collect()
    assert [tuple(row)[1:] for row in changed] == [
        ("a", "[3]", "[5]"), ("b", None, f"[{sum(MANY) + 7}]"),
    ]  # fmt: skip
    history = state.history("a").where("function = 'added'").collect()
    assert [row.accumulator for row in history][:: len(history) - 1] == ["[3]", "[5]"]


@pytest.mark.parametrize("key", ["a", "b", None, "missing"])
def test_a_history_is_what_each_batch_shows(state: StateReader, key: str | None) -> None:
    first, final = state.batches
    assert [tuple(row) for row in state.history(key).collect()] == [
        (batch, *row)
        for batch in range(first, final + 1)
        for row in state.find(key, batch).orderBy("function").collect()
    ]


def test_a_history_leaves_out_when_a_key_was_forgotten(
    session: nu.Session, counted: Stream, tmp_path: Path
) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint, change string")
    stream.put(
        [("a", 1, "+I")], [("a", 1, "-D"), ("b", 2, "+I")], [("b", 3, "+I")], [("a", 4, "+I")]
    )
    total = session.register_function("both", udaf(RetractingSum, result_type="bigint"))("v")
    stream.run(stream.rows.transform(nu.aggregate("k", change_column="change", total=total)))
    history = session.state(stream.checkpoint).history("a").collect()
    assert [(row.batch, row.accumulator) for row in history] == [(0, "[1]"), (3, "[4]")]


def test_a_history_needs_what_each_batch_has_changed(
    session: nu.Session, counted: Stream, tmp_path: Path
) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)], [("a", 2)])
    rows = stream.rows.transform(nu.aggregate(by="k", total=session.functions["added"]("v")))
    with with_conf(session.spark, {CHANGELOG_CONF: "false"}):
        stream.run(rows)
    with pytest.raises(nu.SessionError, match=r"the query ran without .*changelogCheckpointing"):
        session.state(stream.checkpoint).history("a")


def test_everything_as_python_objects(state: StateReader) -> None:
    found = state.to_dict()
    assert found["counted"]["a"] == [3]
    assert found["differing"]["b"]["map"][7] == 2
    assert found["added"][None] == [3]


def test_what_is_not_there_is_named(
    session: nu.Session, state: StateReader, tmp_path: Path
) -> None:
    with pytest.raises(KeyError, match=r"there are: counted, differing, added, .*accumulators"):
        state.read("missing")
    with pytest.raises(ValueError, match="it takes: k"):
        state.history(("a", "b"))
    with pytest.raises(nu.SessionError, match=r"keeps no state|no checkpoint"):
        session.state(str(tmp_path))
    with pytest.raises(nu.SessionError, match="neither a streaming query nor the path"):
        session.state(42)


def test_state_is_read_while_the_query_runs(
    session: nu.Session, counted: Stream, tmp_path: Path
) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    rows = stream.rows.transform(nu.aggregate(by="k", n=session.functions["counted"]("v")))
    query = rows.writeStream.outputMode("update").format("noop").start()
    try:
        query.processAllAvailable()
        assert session.state(query).to_dict() == {"counted": {"a": [1]}}
    finally:
        query.stop()


def test_one_key_is_found_by_its_value(state: StateReader) -> None:
    found = {row.function: row.accumulator for row in state.find(None).collect()}
    assert (found["counted"], found["added"]) == ("[1]", "[3]")
    assert state.find("missing").count() == 0
    first, _ = state.batches
    assert {row.accumulator for row in state.find("a", first).collect()} >= {"[2]", "[3]"}
    assert [r.k for r in state.read("added", where=F.col("k") > "a").collect()] == ["b"]


def test_timers_say_when_windows_end(
    session: nu.Session, state: StateReader, tmp_path: Path
) -> None:
    start = dt.datetime(2024, 10, 27, 0, 30, tzinfo=dt.UTC)
    stream = Stream(session.spark, tmp_path, "t timestamp, v bigint").put([(start, 1)])
    rows = stream.rows.withWatermark("t", "10 minutes")
    window = F.window("t", "1 hour")
    stream.run(rows.transform(nu.aggregate(by=window, n=session.functions["counted"]("v"))))
    (timer,) = session.state(stream.checkpoint).timers().collect()
    assert timer.expires == timer.window.end
    assert timer.expires.timestamp() == start.timestamp() + 1800
    assert state.timers().columns == ["k", "expires"]
    assert state.timers().count() == 0


def test_what_was_not_touched_for_its_time_to_live_is_forgotten(
    session: nu.Session, counted: Stream, tmp_path: Path
) -> None:
    count = session.functions["counted"]
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1), ("b", 2)])
    session.spark.conf.set("udf.state.ttl", "1s")
    try:
        rows = stream.rows.transform(nu.aggregate(by="k", n=count("v")))
    finally:
        session.spark.conf.unset("udf.state.ttl")
    assert sorted(stream.run(rows)[0]) == [("a", 1), ("b", 1)]
    assert session.state(stream.checkpoint).variables["accumulators"] == "ValueState"
    stored = session.spark.read.format("statestore").option("stateVarName", "accumulators")
    ends = max(row.value.ttlExpirationMs for row in stored.load(stream.checkpoint).collect())
    while (left := ends / 1000 - time.time()) >= 0:
        time.sleep(left + 0.001)
    # Counted again, as if it had never been there.
    assert stream.put([("a", 5)]).run(rows) == [[("a", 1)]]
    assert session.state(stream.checkpoint).to_dict() == {"counted": {"a": [1]}}


class Named(AggregateFunction):
    """An accumulator of which nothing but a fresh one is known."""

    def __init__(self, name: str) -> None:
        self._name = name

    def create_accumulator(self) -> dict[str, int]:
        return {self._name: 0}

    def accumulate(self, accumulator: dict[str, int], value: int) -> None:
        accumulator[self._name] += value

    def get_value(self, accumulator: dict[str, int]) -> int:
        return accumulator[self._name]


@pytest.fixture(scope="module")
def kept(session: nu.Session, tmp_path_factory: pytest.TempPathFactory) -> Stream:
    """A query of two functions."""
    named = session.register_function("named", udaf(Named("total"), result_type="bigint"))
    count = session.register_function("kept_count", udaf(CountAggregateFunction()))
    stream = Stream(session.spark, tmp_path_factory.mktemp("kept"), "k string, v bigint, op string")
    stream.put([("a", 1, "+I")])
    stream.run(stream.rows.transform(nu.aggregate(by="k", t=named("v"), n=count("v"))))
    return stream


@pytest.mark.parametrize(
    ("change", "what", "before", "now"),
    [
        ("type", "accumulators", "kept_count: ARRAY<BIGINT>", "floating: ARRAY<DOUBLE>"),
        ("field", "accumulators", "named: STRUCT<total: BIGINT>", "STRUCT<sum: BIGINT>"),
        ("order", "accumulators", "named: STRUCT<total", "STRUCT<kept_count: ARRAY"),
        ("distinct", "accumulators", "kept_count: ARRAY<BIGINT>>", "seen: ARRAY"),
        ("changes", "accumulators", "kept_count: ARRAY<BIGINT>>", "rows: BIGINT"),
        ("key", "keys", "STRUCT<k: STRING>", "STRUCT<v: BIGINT>"),
    ],
)
def test_a_checkpoint_of_another_query_is_refused_with_both_schemas(
    session: nu.Session, kept: Stream, change: str, what: str, before: str, now: str
) -> None:
    named, count = session.functions["named"], session.functions["kept_count"]
    calls = {"t": named("v"), "n": count("v")}
    if change == "type":
        calls["n"] = session.register_function("floating", udaf(FloatCount()))("v")
    elif change == "field":
        renamed = udaf(Named("sum"), result_type="bigint")
        calls["t"] = session.register_function("named_anew", renamed)("v")
    elif change == "order":
        calls = {"n": count("v"), "t": named("v")}
    elif change == "distinct":
        calls["n"] = count("v").distinct()
    elif change == "changes":
        calls = {"n": count("v")}
    key, column = "v" if change == "key" else "k", "op" if change == "changes" else None
    rows = kept.rows.transform(nu.aggregate(by=key, change_column=column, **calls))
    with pytest.raises(nu.SessionError, match="keeps something else") as refused:
        kept.run(rows)
    shown = str(refused.value)
    stored, wanted = shown.splitlines()[1:3]
    assert stored.startswith(f"{what} in the checkpoint: ")
    assert before in stored
    assert wanted.startswith(f"{what} of this query: ")
    assert now in wanted


def test_a_function_may_be_called_otherwise_than_it_was(session: nu.Session, kept: Stream) -> None:
    renamed = udaf(Named("total"), result_type="bigint")
    total = session.register_function("other_name", renamed)
    rows = kept.rows.transform(
        nu.aggregate(by="k", sum=total("v"), n=session.functions["kept_count"]("v"))
    )
    assert kept.put([("a", 10, "+I")]).run(rows) == [[("a", 11, 2)]]


class Unpicklable(AggregateFunction):
    def create_accumulator(self) -> list[object]:
        return []

    def accumulate(self, accumulator: list[object], value: int) -> None:
        accumulator.append(threading.Lock())

    def get_value(self, accumulator: list[object]) -> int:
        return len(accumulator)


def test_an_accumulator_that_cannot_be_kept_names_its_function(
    session: nu.Session, tmp_path: Path
) -> None:
    bad = session.register_function("unkept", udaf(Unpicklable, result_type="bigint"))
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    with pytest.raises(Exception, match="the accumulator of unkept for group"):
        stream.run(stream.rows.transform(nu.aggregate(by="k", n=bad("v"))))
