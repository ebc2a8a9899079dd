"""Streams for tests: files written before the query starts, one of them per micro-batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession

Rows = Sequence[tuple[Any, ...]]


class Stream:
    """A folder that rows are put into, and the query's checkpoint beside it."""

    def __init__(self, spark: SparkSession, folder: Path, schema: str) -> None:
        self._spark = spark
        self._schema = spark.createDataFrame([], schema).schema
        self._source = folder / "source"
        self._source.mkdir()
        self.checkpoint = str(folder / "checkpoint")
        self._files = 0

    def put(self, *batches: Rows) -> Stream:
        """Adds micro-batches."""
        from pyspark.sql.pandas.types import to_arrow_schema

        schema = to_arrow_schema(self._schema, timezone="UTC")
        for rows in batches:
            columns = list(zip(*rows, strict=True)) if rows else [[] for _ in schema]
            arrays = [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)]
            path = self._source / f"{self._files}.parquet"
            pq.write_table(pa.Table.from_arrays(arrays, schema=schema), path)
            # Files are taken by their age.
            os.utime(path, (1_700_000_000 + self._files,) * 2)
            self._files += 1
        return self

    @property
    def rows(self) -> DataFrame:
        """The stream."""
        reader = self._spark.readStream.schema(self._schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(str(self._source))

    @property
    def all_rows(self) -> DataFrame:
        """The same rows, as a table."""
        return self._spark.read.schema(self._schema).parquet(str(self._source))

    def run(self, frame: DataFrame, mode: str = "update") -> list[list[tuple[Any, ...]]]:
        """Runs a query over what is there, from its checkpoint on; what each batch brought."""
        found: list[list[tuple[Any, ...]]] = []
        writer = frame.writeStream.outputMode(mode).option("checkpointLocation", self.checkpoint)
        query = (
            writer.foreachBatch(lambda rows, _: found.append([tuple(r) for r in rows.collect()]))
            .trigger(availableNow=True)
            .start()
        )
        query.awaitTermination()
        return found


TIGHT = {
    "state.cache-size": "1",
    "map-state.read-cache-size": "1",
    "map-state.write-cache-size": "1",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "2",
}


@contextmanager
def with_conf(spark: SparkSession, settings: Mapping[str, str]) -> Iterator[None]:
    """Confs within it; ``TIGHT`` are caches of one entry and bundles of two rows."""
    before = {name: spark.conf.get(name, None) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, value)


def last(batches: list[list[tuple[Any, ...]]], keys: int = 1) -> dict[Any, tuple[Any, ...]]:
    """The newest row of each key."""
    return {row[:keys]: row[keys:] for batch in batches for row in batch}
