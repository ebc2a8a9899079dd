"""Reading state back: ``session.state`` over a query's checkpoint."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sample_aggregates import CountAggregateFunction, CountDistinctAggregateFunction, Sum
from streaming import Stream

import notebook_udf as nu
from notebook_udf import AggregateFunction, udaf
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


def test_everything_as_python_objects(state: StateReader) -> None:
    found = state.to_dict()
    assert found["counted"]["a"] == [3]
    assert found["differing"]["b"]["map"][7] == 2
    assert found["added"][None] == [3]


def test_what_is_not_there_is_named(
    session: nu.Session, state: StateReader, tmp_path: Path
) -> None:
    with pytest.raises(KeyError, match="there are: counted, differing, added, accumulators"):
        state.read("missing")
    with pytest.raises(ValueError, match="it takes: k"):
        state.history(("a", "b"))
    with pytest.raises(nu.SessionError, match=r"keeps no state|no checkpoint"):
        session.state(str(tmp_path))
    with pytest.raises(nu.SessionError, match="neither a streaming query nor the path"):
        session.state(42)


def test_state_is_read_while_the_query_runs(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    rows = stream.rows.transform(nu.aggregate(by="k", n=session.functions["counted"]("v")))
    query = rows.writeStream.outputMode("update").format("noop").start()
    try:
        query.processAllAvailable()
        assert session.state(query).to_dict() == {"counted": {"a": [1]}}
    finally:
        query.stop()


def test_a_time_to_live_is_spark_s(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    session.spark.conf.set("udf.state.ttl", "1h")
    try:
        rows = stream.rows.transform(nu.aggregate(by="k", n=session.functions["counted"]("v")))
    finally:
        session.spark.conf.unset("udf.state.ttl")
    assert stream.run(rows)[0] == [("a", 1)]
    assert session.state(stream.checkpoint).to_dict() == {"counted": {"a": [1]}}
    (row,) = session.spark.read.format("state-metadata").load(stream.checkpoint).collect()
    variables = json.loads(row.operatorProperties)["stateVariables"]
    assert {v["stateName"] for v in variables if v["ttlEnabled"]} == {"accumulators", "views"}


def test_a_checkpoint_of_another_accumulator_is_refused(
    session: nu.Session, counted: Stream
) -> None:
    other = session.register_function("counted_anew", udaf(FloatCount()))
    functions = session.functions
    rows = counted.rows.transform(
        nu.aggregate(by="k", n=other("v"), d=functions["differing"]("v"), s=functions["added"]("v"))
    )
    counted.put([("a", 1)])
    with pytest.raises(Exception, match=r"(?i)schema") as refused:
        counted.run(rows)
    shown = str(refused.value)
    assert "BIGINT" in shown or "LongType" in shown or "bigint" in shown or "long" in shown
    assert "DOUBLE" in shown or "DoubleType" in shown or "double" in shown


class Unpicklable(AggregateFunction):
    def create_accumulator(self) -> list[object]:
        return []

    def accumulate(self, accumulator: list[object], value: int) -> None:
        accumulator.append(lambda: value)

    def get_value(self, accumulator: list[object]) -> int:
        return len(accumulator)


def test_an_accumulator_that_cannot_be_kept_names_its_function(
    session: nu.Session, tmp_path: Path
) -> None:
    bad = session.register_function("unkept", udaf(Unpicklable, result_type="bigint"))
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    with pytest.raises(Exception, match="the accumulator of unkept for group"):
        stream.run(stream.rows.transform(nu.aggregate(by="k", n=bad("v"))))
