"""Python on Spark that is no call in a query: stateful processors, data sources, RDDs, as seen."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import LongType, StructField, StructType

import notebook_udf as nu
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.telemetry.store.run_store import EARLIER
from tests.waiting import happens

ROWS = 300
BAD = 77


def refused(value: int) -> int:
    if value == BAD:
        raise ValueError(f"no {value}")
    return value + 1


def seen(session: nu.Session, name: str, *, at_least: int) -> FunctionTotals:
    """The sums of a function over its query, when so many rows have come."""

    def newest() -> FunctionTotals | None:
        totals = (each for each in session.store.totals() if each.query != EARLIER)
        found = [each for each in totals if each.function == name]
        return found[-1] if found and found[-1].rows_in >= at_least else None

    happens(lambda: newest() is not None)
    found = newest()
    assert found is not None
    return found


def failed(caught: Any, name: str) -> Any:
    """The failed call that the card of an error tells of; the error itself is Spark's."""
    assert isinstance(caught.value, PySparkException)
    shown = "\n".join(caught.value._render_traceback_())
    assert f"{name}: ValueError: no {BAD}" in shown
    return caught.value._nu_card.failed


# Streams with state --------------------------------------------------------------------------

COUNTS = StructType([StructField("key", LongType()), StructField("count", LongType())])


class CountedFrames(StatefulProcessor):
    def init(self, handle: StatefulProcessorHandle) -> None:
        self.count = handle.getValueState("count", StructType([StructField("n", LongType())]))

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        before = self.count.get()[0] if self.count.exists() else 0
        for frame in rows:
            before += len(frame["id"].map(refused))
        self.count.update((before,))
        yield pd.DataFrame({"key": [key[0]], "count": [before]})

    def close(self) -> None: ...


class CountedRows(CountedFrames):
    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Any]:  # noqa: N802, N803
        for row in rows:
            refused(row.id)
        self.count.update((1,))
        yield Row(key=key[0], count=1)


def counted_with_state(key: Any, frames: Iterator[pd.DataFrame], state: Any) -> Iterator[Any]:
    count = state.get[0] if state.exists else 0
    for frame in frames:
        count += len(frame["id"].map(refused))
    state.update((count,))
    yield pd.DataFrame({"key": [key[0]], "count": [count]})


Grouped = Callable[[Any], DataFrame]
STATEFUL: dict[str, tuple[str, Grouped]] = {
    "transformWithStateInPandas": (
        "CountedFrames",
        lambda groups: groups.transformWithStateInPandas(CountedFrames(), COUNTS, "update", "none"),
    ),
    "transformWithState": (
        "CountedRows",
        lambda groups: groups.transformWithState(CountedRows(), COUNTS, "update", "none"),
    ),
    "applyInPandasWithState": (
        "counted_with_state",
        lambda groups: groups.applyInPandasWithState(
            counted_with_state, COUNTS, StructType([StructField("n", LongType())]), "update",
            "NoTimeout",
        ),
    ),
}  # fmt: skip


def to_its_end(session: nu.Session, made: Grouped, folder: Path, rows: DataFrame) -> None:
    rows.write.parquet(str(folder / "in"))
    stream = session.spark.readStream.schema(rows.schema).parquet(str(folder / "in"))
    query = (
        made(stream.groupBy("k"))
        .writeStream.format("noop")
        .outputMode("update")
        .option("checkpointLocation", str(folder / "checkpoint"))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(60)


@pytest.fixture
def rocks(session: nu.Session) -> Iterator[None]:
    """The state store that these need, and few partitions of it."""
    confs = {
        "spark.sql.streaming.stateStore.providerClass": "org.apache.spark.sql.execution.streaming."
        "state.RocksDBStateStoreProvider",
        "spark.sql.shuffle.partitions": "2",
    }
    before = {name: session.spark.conf.get(name) for name in confs}
    for name, value in confs.items():
        session.spark.conf.set(name, value)
    yield
    for name, former in before.items():
        session.spark.conf.set(name, str(former))


@pytest.mark.usefixtures("rocks")
@pytest.mark.parametrize("kind", STATEFUL)
def test_a_stream_with_state(session: nu.Session, tmp_path: Path, kind: str) -> None:
    name, made = STATEFUL[kind]
    rows = session.spark.range(ROWS).selectExpr("id", "id % 3 AS k")
    to_its_end(session, made, tmp_path, rows.where(f"id <> {BAD}"))
    found = seen(session, name, at_least=ROWS - 1)
    assert (found.rows_in, found.rows_out, found.errors) == (ROWS - 1, 3, 0)
    assert found.user_ns > 0


@pytest.mark.usefixtures("rocks")
@pytest.mark.parametrize("kind", STATEFUL)
def test_a_stream_with_state_that_fails(session: nu.Session, tmp_path: Path, kind: str) -> None:
    name, made = STATEFUL[kind]
    rows = session.spark.range(ROWS).selectExpr("id", "id % 3 AS k")
    with pytest.raises(Exception, match=f"no {BAD}") as caught:
        to_its_end(session, made, tmp_path, rows)
    call = failed(caught, name)
    assert (call.exception, call.message) == ("ValueError", f"no {BAD}")
    assert dict(call.arguments)["value in refused"] == str(BAD)


# Data sources --------------------------------------------------------------------------------


class NumbersReader(DataSourceReader):
    def __init__(self, end: int) -> None:
        self.end = end

    def partitions(self) -> list[InputPartition]:
        return [InputPartition(0), InputPartition(1)]

    def read(self, partition: InputPartition) -> Iterator[tuple[int]]:
        for n in range(partition.value, self.end, 2):
            refused(n)
            yield (n,)


class NumbersWriter(DataSourceWriter):
    def __init__(self, options: Any) -> None: ...

    def write(self, iterator: Iterator[Row]) -> Any:
        from pyspark.sql.datasource import WriterCommitMessage

        for row in iterator:
            refused(row.id)
        return WriterCommitMessage()


class Numbers(DataSource):
    @classmethod
    def name(cls) -> str:
        return "observed_numbers"

    def schema(self) -> str:
        return "id bigint"

    def reader(self, schema: StructType) -> NumbersReader:
        return NumbersReader(int(self.options["end"]))

    def writer(self, schema: StructType, overwrite: bool) -> NumbersWriter:
        return NumbersWriter(self.options)


@pytest.fixture
def numbers(session: nu.Session) -> SparkSession:
    session.spark.dataSource.register(Numbers)
    return session.spark


def test_a_data_source_that_is_read(session: nu.Session, numbers: SparkSession) -> None:
    rows = numbers.read.format("observed_numbers").option("end", str(BAD)).load()
    assert rows.count() == BAD
    # What comes to it is its partitions.
    found = seen(session, "NumbersReader", at_least=2)
    assert (found.rows_in, found.rows_out, found.errors) == (2, BAD, 0)
    with pytest.raises(Exception, match=f"no {BAD}") as caught:
        numbers.read.format("observed_numbers").option("end", str(ROWS)).load().collect()
    call = failed(caught, "NumbersReader")
    assert (call.exception, call.message) == ("ValueError", f"no {BAD}")
    assert dict(call.arguments)["value in refused"] == str(BAD)


def test_a_data_source_that_is_written(session: nu.Session, numbers: SparkSession) -> None:
    numbers.range(BAD).write.format("observed_numbers").mode("append").save()
    found = seen(session, "NumbersWriter", at_least=BAD)
    assert (found.rows_in, found.errors) == (BAD, 0)
    with pytest.raises(Exception, match=f"no {BAD}") as caught:
        numbers.range(ROWS).write.format("observed_numbers").mode("append").save()
    assert failed(caught, "NumbersWriter").message == f"no {BAD}"


# RDDs ----------------------------------------------------------------------------------------


def is_even(value: int) -> bool:
    return value % 2 == 0


def plus(left: int, right: int) -> int:
    return left + right


def both(value: int) -> tuple[int, int]:
    return value % 5, refused(value)


def test_functions_of_an_rdd(session: nu.Session) -> None:
    context = session.spark.sparkContext
    numbers = context.parallelize(list(range(BAD)), 2)
    assert numbers.map(refused).filter(is_even).collect() == [
        n for n in range(1, BAD + 1) if n % 2 == 0
    ]
    found = seen(session, "refused → is_even", at_least=BAD)
    assert (found.rows_in, found.rows_out, found.errors) == (BAD, BAD // 2, 0)
    assert found.user_ns > 0
    # Jobs of RDDs have no query.
    assert found.query == ""


def test_an_rdd_with_a_shuffle_and_one_of_text(session: nu.Session, tmp_path: Path) -> None:
    context = session.spark.sparkContext
    sums = context.parallelize(list(range(20)), 2).map(both).reduceByKey(plus, 2).collectAsMap()
    assert sums == {k: sum(n + 1 for n in range(k, 20, 5)) for k in range(5)}
    # It adds up before the shuffle, and after it.
    assert seen(session, "both → plus", at_least=20).rows_in == 20
    assert seen(session, "plus", at_least=1).rows_out == 5
    file = tmp_path / "lines.txt"
    file.write_text("1\n2\n3\n")

    # By a name that no other test's function has.
    def one_more_than_a_line(value: int) -> int:
        return value + 1

    assert context.textFile(str(file), 1).map(int).map(one_more_than_a_line).sum() == 9
    # What is not in Python, such as int, is nobody's code.
    assert seen(session, "one_more_than_a_line", at_least=3).rows_in == 3


def test_an_rdd_of_which_few_rows_are_taken(session: nu.Session) -> None:
    def fine(value: int) -> int:
        return value

    assert session.spark.sparkContext.parallelize(list(range(1000)), 1).map(fine).take(3) == [
        0,
        1,
        2,
    ]
    assert seen(session, "fine", at_least=3).errors == 0


def test_an_error_in_an_rdd_is_sparks_and_has_a_card(session: nu.Session) -> None:
    numbers = session.spark.sparkContext.parallelize(range(ROWS), 2).filter(is_even).map(both)
    odd = session.spark.sparkContext.parallelize(range(ROWS), 2).map(both)
    assert numbers.count() == ROWS // 2
    texts = []
    try:
        for on in (True, False):
            session.observe(on)
            with pytest.raises(Exception, match=f"ValueError: no {BAD}") as caught:
                odd.collect()
            texts.append((type(caught.value), without_numbers(str(caught.value))))
            if on:
                call = failed(caught, "both")
    finally:
        session.observe(True)
    assert texts[0] == texts[1]
    assert call.arguments == (("value", str(BAD)), ("value in refused", str(BAD)))
    with pytest.raises(ValueError, match=f"no {BAD}"):
        session.replay("both")


def without_numbers(text: str) -> str:
    """Of stages, tasks and places, which every job has of its own."""
    return re.sub(r"\d+", "N", text)


def test_an_rdd_of_sparks_own_is_not_seen(session: nu.Session) -> None:
    def taken(row: Row) -> int:
        return row.id

    before = {each.function for each in session.store.totals()}
    assert session.spark.sparkContext.parallelize(range(10), 2).count() == 10
    assert session.spark.range(3).rdd.map(taken).collect() == [0, 1, 2]
    seen(session, "taken", at_least=3)
    assert {each.function for each in session.store.totals()} - before == {"taken"}
