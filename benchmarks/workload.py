"""The rows and functions every scalar benchmark shares."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

ROWS = 4_000_000
PARTITIONS = 2


def increment(a: int, b: int) -> int:
    """BIGINT in and out."""
    return a * b + 1


def shout(s: str) -> str:
    """STRING in and out."""
    return s.upper()[::-1]


def increment_columns(a: pa.Array, b: pa.Array) -> pa.Array:
    """The same of columns, which raises where 64 bits do not do."""
    return pc.add_checked(pc.multiply_checked(a, b), 1)


def shout_column(s: pa.Array) -> pa.Array:
    """The same of a column."""
    return pc.utf8_reverse(pc.utf8_upper(s))


def table(spark: SparkSession, rows: int) -> DataFrame:
    """Two numbers and a string of 11 to 18 characters, cached."""
    frame = spark.range(0, rows, 1, PARTITIONS).select(
        F.col("id").alias("a"),
        (F.col("id") % 1000).alias("b"),
        F.concat(F.lit("hello world "), F.col("id")).alias("s"),
    )
    frame = frame.cache()
    frame.count()
    return frame


def consume(frame: Any) -> None:
    """Computes every row and keeps none."""
    frame.write.format("noop").mode("overwrite").save()
