"""Process functions on streams: keyed and not, their state, and the end of a stream."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from streaming import Stream

import notebook_udf as nu
from notebook_udf import Collector, OneInputStreamProcessFunction, StateDeclarations

COUNT = StateDeclarations.value_state("count", int)
VALUES = StateDeclarations.list_state("values", int)
SEEN = StateDeclarations.map_state("seen", str, int)
ROWS: list[list[tuple[Any, ...]]] = [
    [("a", 1), ("b", 2), (None, 3), ("a", 1)],
    [("a", 4), ("c", 5), (None, 3)],
    [("b", 2), ("d", 9)],
]


class Running(OneInputStreamProcessFunction):
    """Key, how many records it has had, their sum, how often this value was among them."""

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        count, values, seen = map(ctx.get_state, (COUNT, VALUES, SEEN))
        count.update((count.value() or 0) + 1)
        values.add(record.v)
        name = str(record.v)
        seen[name] = 1 + (seen[name] if seen.contains(name) else 0)
        output.collect((ctx.get_current_key(), count.value(), sum(values), seen[name]))

    def uses_states(self) -> Any:
        return [COUNT, VALUES, SEEN]


SCHEMA = "k string, n bigint, total bigint, times bigint"


def flat(batches: list[list[tuple[Any, ...]]]) -> list[tuple[Any, ...]]:
    return [row for batch in batches for row in batch]


def by_key(rows: list[tuple[Any, ...]]) -> dict[Any, list[tuple[Any, ...]]]:
    found: dict[Any, list[tuple[Any, ...]]] = {}
    for key, *rest in rows:
        found.setdefault(key, []).append(tuple(rest))
    return found


@pytest.mark.parametrize("mode", ["update", "append"])
def test_a_stream_gives_what_a_batch_does_and_goes_on(
    session: nu.Session, tmp_path: Path, mode: str
) -> None:
    running = nu.process(Running, key_by="k", output_type=SCHEMA)
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put(*ROWS)
    rows = stream.rows.transform(running)
    batch = session.spark.createDataFrame(flat(ROWS), "k string, v bigint").transform(running)
    expected = [tuple(row) for row in batch.collect()]
    # Within a key in the order of the input.
    assert by_key(flat(stream.run(rows, mode))) == by_key(expected)
    stream.put([("a", 100), ("e", 0)])
    assert sorted(flat(stream.run(rows, mode))) == [("a", 4, 106, 1), ("e", 1, 0, 1)]


def test_state_is_read_back_in_the_function_s_terms(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put(*ROWS)
    record = session.register_function("running", Running, output_type=SCHEMA)
    stream.run(stream.rows.transform(nu.process(record, "k")))
    state = session.state(stream.checkpoint)
    assert state.functions == ("running",)
    found = {row.k: row[1].asDict() for row in state.read("running").collect()}
    assert found["a"] == {"count": 3, "seen": {"1": 2, "4": 1}, "values": [1, 1, 4]}
    assert found[None] == {"count": 2, "seen": {"3": 2}, "values": [3, 3]}
    assert state.to_dict()["running"]["d"] == {"count": 1, "seen": {"9": 1}, "values": [9]}
    assert [row.k for row in state.diff(1, 2).orderBy("k").collect()] == ["b", "d"]


class Held(OneInputStreamProcessFunction):
    """Keeps its states in attributes, and all values of the stream."""

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        if not hasattr(self, "values"):
            self.values, self.seen = ctx.get_state(VALUES), ctx.get_state(SEEN)
        self.values.add_all([record.v] * 300)
        for number in range(300):
            self.seen[f"{record.v} {number}"] = number
        if record.v == 7:
            self.seen.clear()
            self.values.update([7])
        total = sum(self.values)
        output.collect((record.k, total, len(list(self.seen)), "2 5" in self.seen))

    def uses_states(self) -> Any:
        return [VALUES, SEEN]


@pytest.mark.parametrize("cached", ["1000", "1"])
def test_large_lists_and_mappings_are_the_key_s_own(
    session: nu.Session, tmp_path: Path, cached: str
) -> None:
    names = ("state.cache-size", "map-state.read-cache-size", "map-state.write-cache-size")
    for name in names:
        session.spark.conf.set(name, cached)
    try:
        stream = Stream(session.spark, tmp_path, "k string, v bigint")
        stream.put(*([("a", v), ("b", -v)] for v in (1, 2, 3, 4)), [("a", 7)], [("a", 8)])
        function = nu.process(Held, "k", "k string, total bigint, entries int, known boolean")
        found = by_key(flat(stream.run(stream.rows.transform(function))))
    finally:
        for name in names:
            session.spark.conf.unset(name)
    totals = {"a": [300, 900, 1800, 3000, 7, 2407], "b": [-300, -900, -1800, -3000]}
    assert {key: [row[0] for row in rows] for key, rows in found.items()} == totals
    assert [row[1:] for row in found["a"]] == [
        (300, False), (600, True), (900, True), (1200, True), (0, False), (300, False),
    ]  # fmt: skip


class Sum(OneInputStreamProcessFunction[int, int]):
    """Not keyed: the sum so far, and at the end of the input minus the sum."""

    def process_record(self, record: int, output: Collector[int], ctx: Any) -> None:
        total = ctx.get_state(COUNT)
        total.update((total.value() or 0) + record)
        output.collect(total.value())

    def end_input(self, ctx: Any) -> None:
        total = ctx.get_state(COUNT).value()
        if total is not None:
            ctx.apply_to_all_partitions(lambda collector, _: collector.collect(-total))

    def uses_states(self) -> Any:
        return [COUNT]


class Last(OneInputStreamProcessFunction):
    """Keyed: nothing until the input has ended, then each key with the sum of its values."""

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        ctx.get_state(VALUES).add(record.v)

    def end_input(self, ctx: Any) -> None:
        def emit(collector: Any, context: Any) -> None:
            total = sum(context.get_state(VALUES))
            collector.collect((context.get_current_key(), total))
            # Kept with the last commit.
            context.get_state(VALUES).update([total])

        ctx.apply_to_all_partitions(emit)

    def uses_states(self) -> Any:
        return [VALUES]


class Sink:
    """A running query whose micro-batches are collected."""

    def __init__(self, stream: Stream, rows: Any, mode: str = "append") -> None:
        self.batches: list[list[tuple[Any, ...]]] = []
        writer = rows.writeStream.outputMode(mode)
        writer = writer.option("checkpointLocation", stream.checkpoint).foreachBatch(self._take)
        self.query = writer.start()

    def _take(self, rows: Any, _: int) -> None:
        self.batches.append([tuple(row) for row in rows.collect()])


@pytest.mark.parametrize("mode", ["update", "append"])
def test_a_drain_is_the_end_of_the_input(session: nu.Session, tmp_path: Path, mode: str) -> None:
    last = nu.process(Last, "k", "k string, total bigint")
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put(*ROWS)
    sink = Sink(stream, stream.rows.transform(last), mode)
    session.drain(sink.query)
    assert sink.batches[:-1] == [[], [], []]
    expected = [tuple(row) for row in stream.all_rows.transform(last).collect()]
    assert sorted(sink.batches[-1], key=str) == sorted(expected, key=str)
    kept = session.state(stream.checkpoint).to_dict()["Last"]
    assert {key: found["values"] for key, found in kept.items()} == {
        key: [total] for key, total in expected
    }
    # It can go on all the same, and be drained once more.
    stream.put([("a", 1)])
    again = Sink(stream, stream.rows.transform(last), mode)
    session.drain(again.query)
    assert dict(again.batches[-1]) == {**dict(expected), "a": dict(expected)["a"] + 1}


def test_without_keys_state_belongs_to_a_partition(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "v bigint").put([(1,), (2,)], [(3,)])
    sink = Sink(stream, stream.rows.transform(nu.process(Sum)))
    sink.query.processAllAvailable()
    session.suspend(sink.query)
    assert flat(sink.batches) == [(1,), (3,), (6,)]
    stream.put([(4,)])
    again = Sink(stream, stream.rows.transform(nu.process(Sum)))
    session.drain(again.query)
    assert again.batches == [[(10,)], [(-10,)]]
    (found,) = session.state(stream.checkpoint).to_dict()["Sum"].values()
    assert found == {"count": 10}
    # There is an end of the input as well where nothing has come since the start.
    third = Sink(stream, stream.rows.transform(nu.process(Sum)))
    session.drain(third.query)
    assert third.batches == [[], [(-10,)]]


def test_states_of_keys_and_of_partitions_in_one_chain(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put(*ROWS)

    summing = session.register_function("summing", Sum)

    def chain(rows: Any) -> Any:
        last = nu.process(Last, "k", "k string, total bigint")
        steps = last, nu.process(Second), nu.process(summing)
        for step in steps:
            rows = rows.transform(step)
        return rows

    sink = Sink(stream, chain(stream.rows))
    plan = chain(stream.rows)._jdf.queryExecution().analyzed().toString()
    assert plan.count("TransformWithState") == 1
    session.drain(sink.query)
    ends = [row[0] for row in chain(stream.all_rows).collect() if row[0] < 0]
    assert sum(row[0] for row in sink.batches[-1] if row[0] < 0) == sum(ends)
    state = session.state(stream.checkpoint)
    assert state.functions == ("Last", "summing")
    kept = {row.partition: row.accumulator["count"] for row in state.read("summing").collect()}
    assert sum(kept.values()) == -sum(ends)
    assert state.to_dict()["summing"] == {number: {"count": n} for number, n in kept.items()}
    assert state.to_dict()["Last"]["a"] == {"values": [6]}
    # Of a key there is what functions with keys keep.
    assert [row.function for row in state.history("a").collect()] == ["Last"] * 4
    assert "summing (of a partition)" in repr(state)


class Second(OneInputStreamProcessFunction[nu.Row, int]):
    def process_record(self, record: nu.Row, output: Collector[int], ctx: Any) -> None:
        output.collect(record[1])


# --- any split of the same records -----------------------------------------------------------

SPLITS = st.lists(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", "c", None]), st.integers(-3, 3)), max_size=6
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(SPLITS)
def test_any_split_in_micro_batches_gives_the_same(
    session: nu.Session, tmp_path_factory: pytest.TempPathFactory, batches: Any
) -> None:
    stream = Stream(session.spark, tmp_path_factory.mktemp("split"), "k string, v bigint")
    stream.put(*batches)
    running = nu.process(Running, key_by="k", output_type=SCHEMA)
    model: dict[Any, list[int]] = {}
    expected: dict[Any, list[tuple[int, int, int]]] = {}
    for key, value in flat(batches):
        values = model.setdefault(key, [])
        values.append(value)
        expected.setdefault(key, []).append((len(values), sum(values), values.count(value)))
    assert by_key(flat(stream.run(stream.rows.transform(running)))) == expected
    rows = session.spark.createDataFrame(flat(batches), "k string, v bigint")
    assert by_key([tuple(row) for row in rows.transform(running).collect()]) == expected


# --- what cannot be --------------------------------------------------------------------------


def test_a_checkpoint_of_other_states_is_refused(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "v bigint").put([(1,)])
    stream.run(stream.rows.transform(nu.process(Sum)))
    other = StateDeclarations.value_state("count", "string")
    changed = type("Sum", (Sum,), {"uses_states": lambda self: [other]})
    stream.put([(1,)])
    with pytest.raises(nu.SessionError, match="keeps something else") as refused:
        stream.run(stream.rows.transform(nu.process(changed)))
    shown = str(refused.value).lower()
    assert "string" in shown
    assert "long" in shown or "bigint" in shown


def test_a_state_that_cannot_be_kept_is_named(session: nu.Session, tmp_path: Path) -> None:
    class Unkept(OneInputStreamProcessFunction[nu.Row, int]):
        def process_record(self, record: nu.Row, output: Collector[int], ctx: Any) -> None:
            ctx.get_state(COUNT).update(threading.Lock())

        def uses_states(self) -> Any:
            return [COUNT]

    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    with pytest.raises(Exception, match="the state 'count' of Unkept cannot be kept"):
        stream.run(stream.rows.transform(nu.process(Unkept, "k")))


def test_what_a_stream_cannot_do_is_refused_in_words(session: nu.Session, tmp_path: Path) -> None:
    stream = Stream(session.spark, tmp_path, "k string, v bigint").put([("a", 1)])
    last = nu.process(Last, "k", "k string, total bigint")
    session.spark.conf.set("udf.state.ttl", "1h")
    try:
        with pytest.raises(nu.PlanningError, match=r"Last has an end_input.*unset udf\.state\.ttl"):
            stream.rows.transform(last)
        running = nu.process(Running, key_by="k", output_type=SCHEMA)
        forgetful = stream.rows.transform(running)
    finally:
        session.spark.conf.unset("udf.state.ttl")
    assert flat(stream.run(forgetful)) == [("a", 1, 1, 1)]
    with pytest.raises(nu.PlanningError, match=r"outputMode\('complete'\)"):
        stream.rows.transform(last).writeStream.outputMode("complete").format("noop").start()
    with pytest.raises(nu.PlanningError, match="cannot be keyed by"):
        stream.rows.selectExpr("map(k, v) AS m", "v").transform(nu.process(Second, "m"))
