"""A weighted mean in four spellings, and the rows it is taken over."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.workload import PARTITIONS

ROWS = 2_000_000

# Columns to group by, and how many groups each makes.
GROUPS = {"few": 1_000, "many": 200_000}
# A value and its weight, by their type.
COLUMNS = {"BIGINT": "n, m", "DOUBLE": "v, w"}
WINDOW_ROWS = 200_000
FRAMES = (1_000, 10_000)


class WeightedMean(nu.AggregateFunction):
    """A row at a time."""

    def create_accumulator(self) -> list[float]:
        return [0.0, 0.0]

    def accumulate(self, accumulator: list[float], value: float, weight: float) -> None:
        accumulator[0] += value * weight
        accumulator[1] += weight

    def retract(self, accumulator: list[float], value: float, weight: float) -> None:
        accumulator[0] -= value * weight
        accumulator[1] -= weight

    def merge(self, accumulator: list[float], accumulators: list[list[float]]) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] += other[1]

    def get_value(self, accumulator: list[float]) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None

    def get_accumulator_type(self) -> str:
        return "array<double>"


def arrow_mean() -> Any:
    """Spark's Arrow grouped aggregate."""
    from pyspark.sql.functions import arrow_udf

    def mean(v: pa.Array, w: pa.Array) -> float:
        weight = pc.sum(w).as_py()
        return float(pc.sum(pc.multiply(v, w)).as_py() / weight)

    return arrow_udf(mean, "double")


def pandas_mean() -> Any:
    """Spark's pandas grouped aggregate."""
    from pyspark.sql.functions import pandas_udf

    def mean(v: pd.Series, w: pd.Series) -> float:
        return float((v * w).sum() / w.sum())

    return pandas_udf(mean, "double")


def groups_table(spark: SparkSession, rows: int = ROWS) -> DataFrame:
    """Keys of few, many and single groups, a value and its weight as DOUBLE and BIGINT; cached."""
    keys = [(F.col("id") % count).alias(name) for name, count in GROUPS.items()]
    frame = spark.range(0, rows, 1, PARTITIONS).select(
        *keys,
        F.col("id").alias("single"),
        (F.rand(1) * 100).alias("v"),
        F.rand(2).alias("w"),
        (F.rand(3) * 1000).cast("bigint").alias("n"),
        (F.rand(4) * 100).cast("bigint").alias("m"),
    )
    frame = frame.cache()
    frame.count()
    return frame


def window_table(spark: SparkSession) -> DataFrame:
    """Rows in 20 partitions, in an order; cached."""
    frame = spark.range(0, WINDOW_ROWS, 1, PARTITIONS).select(
        (F.col("id") % 20).alias("p"),
        F.col("id").alias("o"),
        (F.rand(1) * 100).alias("v"),
        F.rand(2).alias("w"),
    )
    frame = frame.cache()
    frame.count()
    return frame
