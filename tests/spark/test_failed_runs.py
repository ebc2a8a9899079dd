"""A run that fails: its row has one number wherever it is shown, and its tables have times."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udaf, udf, udtf

ROWS = "range(0, 30, 1, 1)"


def stumble(x: int) -> int:
    print(f"at {x}")
    time.sleep(0.005)
    if x == 9:
        raise ValueError(f"no {x}")
    return x


async def stumble_async(x: int) -> int:
    print(f"at {x}")
    await asyncio.sleep(0.005)
    if x == 9:
        raise ValueError(f"no {x}")
    return x


def stumble_table(x: int) -> Iterator[int]:
    yield stumble(x)


class StumbleSum(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], x: int) -> None:
        accumulator[0] += stumble(x)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]

    def merge(self, accumulator: list[int], accumulators: list[list[int]]) -> None:
        for other in accumulators:
            accumulator[0] += other[0]


class StumbleProcess(nu.OneInputStreamProcessFunction):
    def process_record(self, record: Any, output: nu.Collector[int], ctx: Any) -> None:
        output.collect(stumble(record.id))


KINDS: dict[str, tuple[Any, str]] = {
    "general": (udf(stumble), f"SELECT {{f}}(id) FROM {ROWS}"),
    "async": (udf(stumble_async, buffer_capacity=1), f"SELECT {{f}}(id) FROM {ROWS}"),
    "table": (
        udtf(stumble_table, result_types=["bigint"]),
        f"SELECT t.* FROM {ROWS}, LATERAL {{f}}(id) AS t",
    ),
    "aggregate": (
        udaf(StumbleSum(), ["bigint"], "bigint", accumulator_type="array<bigint>"),
        f"SELECT {{f}}(id) FROM {ROWS}",
    ),
}


def run(session: nu.Session, kind: str, name: str) -> None:
    if kind == "process":
        session.register_function(name, StumbleProcess())
        rows = session.spark.range(0, 30, 1, 1)
        rows.transform(nu.process(session.functions[name])).collect()
    else:
        declared, query = KINDS[kind]
        session.register_function(name, declared)
        session.sql(query.format(f=name)).collect()


@pytest.mark.parametrize("kind", [*KINDS, "process"])
def test_a_row_has_one_number_and_its_run_has_times(session: nu.Session, kind: str) -> None:
    name = f"stumbles_{kind}"
    with pytest.raises(nu.UserFunctionError) as caught:
        run(session, kind, name)
    failed = caught.value.failed
    assert failed is not None
    assert "row 10 of 30 in bundle 1" in str(caught.value)
    assert failed.row == 10
    assert session.store.wait_settled(failed.query, 5)
    metrics = session.metrics(failed.query)
    (data,) = metrics.to_dict()["queries"]
    assert data["failed"][-1]["row"] == 10
    at_it = session.logs(function=name, text="at 9")
    if len(at_it):
        # What an asynchronous function prints stands beside other calls in flight.
        assert {line.row for line in at_it} == {10}
        assert f"{name} row 10: at 9" in repr(session.logs(function=name, text="at 9"))
    assert len(at_it) or kind == "aggregate"
    (total,) = metrics.totals
    # Ten calls of 5 ms, however many of them Spark has seen the results of.
    assert total.user_ns >= 45e6
    assert total.errors == 1
    assert data["functions"][0]["max_ns"] >= 45e6
    (slowest, *_) = metrics.slowest()
    assert slowest.busy_ns >= 45e6
    # Those of asynchronous calls are reported in parts, the last of which has no rows of its own.
    assert slowest.first_row == 1 or kind == "async"
    head, row = repr(metrics).splitlines()[:2]
    column = slice(head.index("user code"), head.index("encode"))
    assert not row[column].startswith("0.0 ms")


def test_rows_that_are_put_aside_have_the_same_numbers(session: nu.Session) -> None:
    session.register_function("set_aside", udf(stumble, on_error="quarantine"))
    session.sql(f"SELECT set_aside(id) FROM {ROWS}").collect()
    (kept,) = session.errors("set_aside").collect()
    assert (kept.x, kept.bundle, kept.row) == (9, 1, 10)
    (line,) = session.logs(function="set_aside", text="at 9")
    assert line.row == 10


def test_a_call_of_the_second_bundle(session: nu.Session) -> None:
    conf = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = session.spark.conf.get(conf)
    session.spark.conf.set(conf, "6")
    try:
        session.register_function("in_second", udf(stumble))
        with pytest.raises(nu.UserFunctionError, match="row 4 of 6 in bundle 2") as caught:
            session.sql(f"SELECT in_second(id) FROM {ROWS}").collect()
    finally:
        session.spark.conf.set(conf, before)
    assert caught.value.failed is not None
    query = caught.value.failed.query
    assert session.store.wait_settled(query, 5)
    slow = {s.bundle.bundle: s.first_row for s in session.metrics(query).slowest()}
    assert slow == {1: 1, 2: 7}


def test_a_difference_that_a_bench_finds(session: nu.Session) -> None:
    session.register_function("as_is", udf(lambda x: x, ["bigint"], "bigint", vectorise=False))
    session.register_function("but_one", udf(lambda x: -1 if x == 9 else x, ["bigint"], "bigint"))
    rows = session.spark.range(0, 10, 1, 1).withColumnRenamed("id", "x")
    found = session.bench("as_is", rows, against="but_one", repeats=1, rows=30)
    (said,) = found.to_dict()["differences"]
    way = next(way for way in found.ways if way.name == "but_one")
    assert way.different is not None
    assert f"row {way.different.first} (x = 9) gives -1" in said
