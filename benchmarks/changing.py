"""Streams to aggregate, and the same by hand on ``transformWithState``.

By hand is as Spark's own documentation writes it: a state call wherever the function needs one.
"""

from __future__ import annotations

import tempfile
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

import notebook_udf as nu

PROVIDER = (
    "spark.sql.streaming.stateStore.providerClass",
    "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
)
FILES = 2


@dataclass(frozen=True)
class Case:
    """Rows of a stream: how many, of how many keys, and how many values in all."""

    rows: int
    keys: int
    values: int


CASES = {
    "small": Case(400_000, 10_000, 97),
    "large": Case(200_000, 20, 1_000_000),
    "mean": Case(400_000, 10_000, 97),
}


class CountDistinct(nu.AggregateFunction):
    """The design's count of different values, on a ``MapView``."""

    def create_accumulator(self) -> nu.Row:
        return nu.Row(count=0, map=nu.MapView())

    def accumulate(self, accumulator: Any, value: int) -> None:
        view = accumulator["map"]
        if value in view:
            view[value] += 1
        else:
            accumulator["count"] += 1
            view[value] = 1

    def get_value(self, accumulator: Any) -> int:
        return int(accumulator["count"])


class DistinctByHand(StatefulProcessor):  # type: ignore[misc]
    """A ``MapState`` of values and a ``ValueState`` of how many there are."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._seen = handle.getMapState("seen", "v bigint", "n bigint")
        self._count = handle.getValueState("count", "n bigint")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        current = self._count.get()
        count = current[0] if current else 0
        for row in rows:
            value = (row.v,)
            if self._seen.containsKey(value):
                self._seen.updateValue(value, (self._seen.getValue(value)[0] + 1,))
            else:
                count += 1
                self._seen.updateValue(value, (1,))
        self._count.update((count,))
        yield Row(k=key[0], n=count)

    def close(self) -> None:
        pass


class MeanByHand(StatefulProcessor):  # type: ignore[misc]
    """A ``ValueState`` of two sums, changed by each row."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self._sums = handle.getValueState("sums", "s double, w double")

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        total, weight = 0.0, 0.0
        for row in rows:
            total, weight = self._sums.get() or (0.0, 0.0)
            total, weight = total + row.v * row.w, weight + row.w
            self._sums.update((total, weight))
        yield Row(k=key[0], n=total / weight)

    def close(self) -> None:
        pass


def source(spark: SparkSession, case: Case, folder: Path) -> DataFrame:
    """The stream of a case, from files that are written once."""
    path = folder / f"{case.rows}-{case.keys}-{case.values}"
    if not path.exists():
        rows = spark.range(0, case.rows, 1, FILES).select(
            (F.col("id") % case.keys).alias("k"),
            (F.hash("id") % case.values).cast("bigint").alias("v"),
            (F.col("id") % 7 + 1.0).alias("w"),
        )
        rows.write.parquet(str(path))
    reader = spark.readStream.schema("k bigint, v bigint, w double")
    return reader.option("maxFilesPerTrigger", 1).parquet(str(path))


def state_calls(spark: SparkSession, case: Case, folder: Path, name: str) -> float:
    """How often a row waits for the state, by hand: once for each call of the processors above,
    and for each key that they are given."""
    table = spark.read.parquet(str(folder / f"{case.rows}-{case.keys}-{case.values}"))
    files: int = table.groupBy("k", F.col("_metadata.file_path")).count().count()
    if name == "mean":
        return (2 * case.rows + files) / case.rows
    again: int = case.rows - table.select("k", "v").distinct().count()
    return (2 * case.rows + again + 3 * files) / case.rows


def consumed(frame: DataFrame) -> Callable[[], None]:
    """Runs the stream from its beginning to its end and keeps no row."""

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            writer = frame.writeStream.outputMode("update").format("noop")
            writer = writer.option("checkpointLocation", f"{folder}/{uuid.uuid4()}")
            writer.trigger(availableNow=True).start().awaitTermination()

    return run


def stream_by_hand(rows: DataFrame, name: str) -> DataFrame:
    """A case on ``transformWithState``."""
    processor = MeanByHand() if name == "mean" else DistinctByHand()
    kind = "double" if name == "mean" else "bigint"
    grouped = rows.groupBy("k")
    return grouped.transformWithState(processor, f"k bigint, n {kind}", "update", "none")
