"""Whether a streaming query fits the checkpoint that it is about to go on from."""

from __future__ import annotations

import os
from collections.abc import Sequence

from pyspark.sql import SparkSession
from pyspark.sql.types import DataType, StructType

from notebook_udf.errors import SessionError
from notebook_udf.host.streams import KeptGroups
from notebook_udf.specs.state_layout import TYPES
from notebook_udf.state.spark_source import Stored
from notebook_udf.types import ddl


def check_checkpoint(spark: SparkSession, path: str | None, kept: Sequence[KeptGroups]) -> None:
    """Checks that a query keeps the types in state that its checkpoint holds.

    Raises
    ------
    SessionError
        If the types of accumulators or keys differ; the message shows both.
    """
    if path is None or len(kept) != 1 or (os.path.isabs(path) and not os.path.exists(path)):
        return
    try:
        stored = Stored(spark, path)
        if TYPES not in stored.variables:
            return
        before = stored.read(TYPES).schema
    except SessionError:
        # Nothing is kept yet.
        return
    for what, old, new in (
        ("keys", before["key"].dataType, kept[0].keys),
        ("accumulators", _kept(before["value"].dataType), _kept(kept[0].types)),
    ):
        if not _fits(old, new):
            raise SessionError(
                f"the checkpoint {path} was made by a query that keeps something else, and going "
                f"on from it would mix up both\n"
                f"{what} in the checkpoint: {ddl(old)}\n"
                f"{what} of this query:     {ddl(new)}\n"
                f"give this query a checkpointLocation of its own, or make its functions, their "
                f"order and their accumulators what they were"
            )


def _fits(before: StructType, now: StructType) -> bool:
    """Whether both have the same types; functions may have been renamed."""
    if [_shown(f.dataType) for f in before.fields] != [_shown(f.dataType) for f in now.fields]:
        return False
    names = before.names, now.names
    return names[0] == names[1] or set(names[0]) != set(names[1])


def _shown(kind: DataType) -> str:
    return str(kind.simpleString()).lower()


def _kept(types: StructType) -> StructType:
    """The types of the accumulators, and of what else is kept for a group."""
    functions, *others = types.fields
    return StructType([*functions.dataType.fields, *others])
