"""Rows that arrive when they are told to, as files in a folder that a stream reads."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


class Arrivals:
    """A folder to which the rows of a table come, those of one value of a column at a time.

    A stream that reads it takes the rows of one value per micro-batch, in the order in which they
    arrived.

    Parameters
    ----------
    rows
        All rows that may arrive.
    by
        The column whose values ``arrive`` takes.

    Attributes
    ----------
    folder
        A new folder. The files arrive in ``arriving`` below it; the rest is free for checkpoints
        and results.
    """

    def __init__(self, rows: pa.Table, by: str) -> None:
        self.folder = tempfile.mkdtemp(prefix="arrivals-")
        self._rows = rows
        self._by = by
        self._source = os.path.join(self.folder, "arriving")
        os.mkdir(self._source)
        self._count = 0

    def arrive(self, *values: Any) -> None:
        """Lets the rows of these values arrive, a file for each."""
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        for value in values:
            self._count += 1
            name = f"{self._count:05}.parquet"
            path = os.path.join(self.folder, name)
            pq.write_table(self._rows.filter(pc.field(self._by) == value), path)
            # A stream takes the oldest file first: files of the same second would have no order.
            os.utime(path, (self._count, self._count))
            # Spark lists the folder all the while: a file is there whole, with its time, or not.
            os.rename(path, os.path.join(self._source, name))

    def stream(self, spark: SparkSession) -> DataFrame:
        """The stream of what arrives; something must have arrived, for its schema."""
        schema = spark.read.parquet(self._source).schema
        reader = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1)
        return reader.parquet(self._source)
