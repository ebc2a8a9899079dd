"""Reads the rows in a function's quarantine."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.worker.call.quarantine import (
    ERROR_COLUMNS,
    GROUP_COLUMN,
    paths_that_count,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.types import DataType

    from notebook_udf.kernel.notebook_session import Session

_ERROR_SCHEMA = (
    "error STRING, message STRING, traceback STRING, query STRING, stage BIGINT, "
    "`partition` BIGINT, attempt BIGINT, bundle BIGINT, row BIGINT, version BIGINT, time TIMESTAMP"
)


def quarantined(session: Session, record: RegisteredFunction) -> DataFrame:
    """The quarantined rows of all versions of a function: its arguments, then the error's columns.

    Those of aggregate functions have a further column, ``group``: the keys of the row's group.

    Where versions differ in their parameters, a column a version does not have is NULL, and one
    that has another type in each is text.
    """
    frames = []
    store = session.quarantine.store
    computed = functools.cache(lambda stage: session.host.jobs.computed(stage) or stage)
    first = session.functions.first_version(record.name)
    for version in (each for each in store.versions(record.name) if each >= first):
        folder = store.folder_of(record.name, version)
        paths = paths_that_count(store, folder, computed)
        if paths:
            frames.append(session.spark.read.parquet(*paths))
    grouped = record.definition.is_aggregate
    further = (*ERROR_COLUMNS, GROUP_COLUMN) if grouped else ERROR_COLUMNS
    if not frames:
        schema = f"{_ERROR_SCHEMA}, `{GROUP_COLUMN}` STRING" if grouped else _ERROR_SCHEMA
        return session.spark.createDataFrame([], schema)
    frames = _alike(frames)
    result = frames[0]
    for frame in frames[1:]:
        result = result.unionByName(frame, allowMissingColumns=True)
    result = result.withColumn("time", result["time"].cast("timestamp"))
    arguments = [column for column in result.columns if column not in further]
    # Earlier versions may have been of another kind.
    shown = (*arguments, *(column for column in further if column in result.columns))
    return result.select(*(backquoted(c) for c in shown))


def _alike(frames: list[DataFrame]) -> list[DataFrame]:
    """The frames with the same types: columns of one name that have several become text."""
    types: dict[str, set[DataType]] = {}
    for frame in frames:
        for field in frame.schema:
            types.setdefault(field.name, set()).add(field.dataType)
    mixed = [name for name, found in types.items() if len(found) > 1]
    made = []
    for frame in frames:
        texts = {
            name: frame[backquoted(name)].cast("string") for name in mixed if name in frame.columns
        }
        # Spark Connect takes no change of nothing.
        made.append(frame.withColumns(texts) if texts else frame)
    return made
