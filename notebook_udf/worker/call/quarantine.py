"""Quarantine: rows whose call raised, stored with their error.

One Parquet file per bundle with bad rows, in the session's folder, so that they can be read while
the query still runs. A file belongs to one attempt; the files of an attempt that loses are removed,
so that a row is stored once.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.pandas.types import from_arrow_type
from pyspark.sql.types import (
    DataType,
    StructField,
    StructType,
    TimeType,
    YearMonthIntervalType,
)

from notebook_udf.worker.runtime import failure
from notebook_udf.worker.runtime.progress_file import row_number

if TYPE_CHECKING:
    import pyarrow as pa

    from notebook_udf.worker.call.function_call import FunctionCall

# Where Spark looks for the types that Parquet has no name for: intervals, VARIANT.
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"

# Columns that stand beside the function's own arguments.
ERROR_COLUMNS = (
    "error", "message", "traceback", "query", "stage", "partition", "attempt", "bundle", "row",
    "version", "time",
)  # fmt: skip

# The one more that rows of aggregate functions have: what their group is grouped by.
GROUP_COLUMN = "group"

# Tells apart the files of one bundle, of which an aggregate function has several.
_numbers = itertools.count()


class Quarantine:
    """Collects the bad rows of one bundle, or of a part of one.

    ``bundle`` is its number where it is not the last one: an async function has rows of several in
    flight.
    """

    def __init__(
        self, call: FunctionCall, columns: list[pa.Array], *, bundle: int | None = None
    ) -> None:
        self._call = call
        self._columns = columns
        self._bundle = call.task.bundle if bundle is None else bundle
        self._rows: dict[int, dict[str, Any]] = {}

    def add(
        self,
        place: int,
        error: BaseException,
        *,
        row: int | None = None,
        group: Mapping[str, Any] | None = None,
    ) -> None:
        """Adds the row at a position of the columns; ``row`` is its position in the bundle."""
        task = self._call.task
        row = place if row is None else row
        frames = failure.frames_of(error.__traceback__)
        self._rows[place] = {
            "error": type(error).__name__,
            "message": failure.message_of(error),
            "traceback": "\n".join(
                f"{f.file}, line {f.line}, in {f.name}: {f.text}" for f in frames
            ),
            "query": task.identity.query,
            "stage": task.identity.stage,
            "partition": task.identity.partition,
            "attempt": task.identity.attempt,
            "bundle": self._bundle,
            "row": row_number(row if self._call.row_of is None else self._call.row_of(row)),
            "version": self._call.version,
            "time": time.time(),
            GROUP_COLUMN: ", ".join(f"{n} = {failure.short(v)}" for n, v in (group or {}).items()),
        }

    def write(self) -> None:
        """Writes the rows, if there are any.

        Raises
        ------
        OSError
            If the file cannot be written: a row that is neither in the result nor kept would be
            lost in silence.
        """
        folder = self._call.task.runtime.quarantine
        if not self._rows or folder is None:
            return
        import pyarrow as pa
        import pyarrow.parquet as pq

        order = sorted(self._rows)
        names = self._call.header.parameters
        further = (*ERROR_COLUMNS, GROUP_COLUMN) if self._call.aggregates else ERROR_COLUMNS
        data: dict[str, Any] = {
            _unique(failure.parameter_name(names, i), further): column.take(pa.array(order))
            for i, column in enumerate(self._columns)
        }
        types = [self._type(i, column.type) for i, column in enumerate(self._columns)]
        fields = [StructField(*pair) for pair in zip(data, types, strict=True)]
        for name in further:
            data[name] = [self._rows[place][name] for place in order]
        table = pa.table(data)
        for name in further:
            fields.append(StructField(name, from_arrow_type(table.schema.field(name).type)))
        table = table.replace_schema_metadata({_SPARK_SCHEMA: StructType(fields).json()})
        path = self.folder_of(folder, self._call.name, self._call.version) / self._file_name()
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        hidden = path.with_name(f".{path.name}.{os.getpid()}")
        pq.write_table(table, hidden)
        hidden.rename(path)

    def _type(self, position: int, arrow_type: pa.DataType) -> DataType:
        """The Spark type of an argument, as it was before it was sent to the worker."""
        declared = self._call.header.input_types
        if position < len(declared) and isinstance(declared[position], YearMonthIntervalType):
            return declared[position]
        found = from_arrow_type(arrow_type)
        # Nobody can ask what it was: Spark sends the nanoseconds of any precision.
        return TimeType(6) if isinstance(found, TimeType) else found

    def _file_name(self) -> str:
        task = self._call.task
        return f"{task.identity.task_attempt}-{self._bundle}-{next(_numbers)}.parquet"

    @staticmethod
    def folder_of(quarantine: Path, function: str, version: int) -> Path:
        """The folder with the quarantined rows of one version of a function."""
        return quarantine / function.lower().encode().hex() / str(version)


def discard(quarantine: Path | None, functions: set[str], task_attempt: int) -> None:
    """Removes what an attempt that lost has stored."""
    if quarantine is None:
        return
    for function in functions:
        folder = quarantine / function.lower().encode().hex()
        for path in folder.glob(f"*/{task_attempt}-*.parquet"):
            path.unlink(missing_ok=True)


def _unique(name: str, taken: tuple[str, ...]) -> str:
    return f"{name}_argument" if name in taken else name
