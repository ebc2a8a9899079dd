"""Splitting text into rows in three spellings, and the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.workload import PARTITIONS

ROWS = 500_000
# Two calls in a row take Spark's own way minutes.
FEW_ROWS = 50_000

ONE = "SELECT a, b, w FROM {table}, LATERAL split_text(s) AS x(w)"
TWO = "SELECT a, b, w, h FROM {table}, LATERAL split_text(s) AS x(w), LATERAL halves(w) AS y(h)"


def split_text(text: str) -> Iterator[str]:
    """Four rows of each text."""
    for word in text.split(" "):  # noqa: UP028
        yield word


def halves(word: str) -> Iterator[str]:
    """Two rows of each word."""
    middle = len(word) // 2
    yield word[:middle]
    yield word[middle:]


class SplitText:
    """The same for Spark's ``udtf``."""

    def eval(self, text: str) -> Iterator[Any]:
        for word in text.split(" "):
            yield (word,)


class Halves:
    """The same for Spark's ``udtf``."""

    def eval(self, word: str) -> Iterator[Any]:
        middle = len(word) // 2
        yield (word[:middle],)
        yield (word[middle:],)


def by_hand(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """``ONE`` for ``mapInArrow``, with Python lists."""
    for batch in batches:
        a: list[int] = []
        b: list[str] = []
        w: list[str] = []
        rows = zip(*(batch.column(name).to_pylist() for name in ("a", "b", "s")), strict=True)
        for number, key, text in rows:
            for word in split_text(text):
                a.append(number)
                b.append(key)
                w.append(word)
        yield pa.RecordBatch.from_pydict({"a": a, "b": b, "w": w})


def texts_table(spark: SparkSession, rows: int) -> DataFrame:
    """A number, a short key and a text of four words; cached."""
    frame = spark.range(0, rows, 1, PARTITIONS).select(
        F.col("id").alias("a"),
        F.concat(F.lit("k"), F.col("id") % 100).alias("b"),
        F.concat(F.lit("alpha"), F.col("id"), F.lit(" beta gamma"), F.col("id") % 7,
                 F.lit(" delta")).alias("s"),
    ).cache()  # fmt: skip
    frame.count()
    return frame
