"""Quarantine: rows whose call raised, stored with their error.

One Parquet file per bundle with bad rows, in the session's store, so that they can be read while
the query still runs. A file belongs to one attempt of a task, and an attempt that ends in order
leaves a mark. Of the attempts of one task those of a single one are read, so that a row is there
once, whatever died, ran twice or ran speculatively.
"""

from __future__ import annotations

import itertools
import socket
import time
from collections.abc import Callable, Mapping
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

    from notebook_udf.telemetry.records import TaskId
    from notebook_udf.worker.call.function_call import FunctionCall
    from notebook_udf.worker.runtime.quarantine_store import QuarantineStore
    from notebook_udf.worker.runtime.task import Task

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

_DONE = ".done"


class QuarantineUnreachable(OSError):
    """Rows that would be lost: they are not in the result, and there is nowhere to keep them."""


class Quarantine:
    """Collects the bad rows of one bundle, or of a part of one, if the function asks for it.

    ``bundle`` is its number where it is not the last one: an async function has rows of several in
    flight.
    """

    def __init__(
        self, call: FunctionCall, columns: list[pa.Array], *, bundle: int | None = None
    ) -> None:
        self._call = call
        self._keeps = call.header.options.on_error == "quarantine"
        # Others are not held on to while calls of theirs are in flight.
        self._columns = columns if self._keeps else []
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
        if not self._keeps:
            return
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
        QuarantineUnreachable
            If there is no place for them: a row that is neither in the result nor kept would be
            lost in silence.
        """
        if not self._rows:
            return
        store = self._call.task.runtime.quarantine
        if store is None:
            raise self._unreachable("no session is known here")
        import pyarrow as pa

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
        folder = store.folder_of(self._call.name, self._call.version)
        try:
            store.write(folder, self._file_name(), table)
        except OSError as error:
            raise self._unreachable(f"{store.place}: {error}") from error
        self._call.task.quarantined.add(folder)

    def _unreachable(self, why: str) -> QuarantineUnreachable:
        rows, name = len(self._rows), self._call.name
        first = next(iter(self._rows.values()))["message"]
        return QuarantineUnreachable(
            f"{rows} row{'' if rows == 1 else 's'} on which {name} raised cannot be kept for "
            f"session.errors({name!r}) on {socket.gethostname()}: {why}. To go on without them, "
            f'give {name} on_error="null"; to see the first, "fail"; to keep them, start the '
            f"session with quarantine_path=, a place that all workers reach. They begin with: "
            f"{first:.200}"
        )

    def _type(self, position: int, arrow_type: pa.DataType) -> DataType:
        """The Spark type of an argument, as it was before it was sent to the worker."""
        declared = self._call.header.input_types
        if position < len(declared) and isinstance(declared[position], YearMonthIntervalType):
            return declared[position]
        found = from_arrow_type(arrow_type)
        # Nobody can ask what it was: Spark sends the nanoseconds of any precision.
        return TimeType(6) if isinstance(found, TimeType) else found

    def _file_name(self) -> str:
        number = next(_numbers)
        return f"{_attempt(self._call.task.identity)}-{self._bundle}-{number}.parquet"


def commit(task: Task) -> None:
    """Marks that an attempt ended in order, with all its rows kept.

    Called before Spark is told of the end: an attempt that Spark counts has its mark.
    """
    store = task.runtime.quarantine
    if store is None:
        return
    for folder in task.quarantined:
        store.touch(folder, _mark(_attempt(task.identity)))


def paths_that_count(
    store: QuarantineStore, folder: str, computed: Callable[[int], object]
) -> list[str]:
    """What to read of one version's rows: of each task, the files of one attempt.

    That is the newest that ended in order. While there is none, the newest that has begun: a task
    that runs, one that a LIMIT has ended, one of a query that failed.

    Parameters
    ----------
    store, folder
        Where the version's rows are stored.
    computed
        What a stage computes, by its number: the same for two that Spark gave different numbers,
        because the output of the first was lost with an executor.
    """
    attempts: dict[tuple[str, object, str], dict[int, list[str]]] = {}
    names = store.names(folder)
    stored = [name for name in names if name.endswith(".parquet") and not name.startswith(".")]
    for name in stored:
        task, _, rest = name.partition("_")
        query, stage, partition = task.split(".")
        of_task = attempts.setdefault((query, computed(int(stage)), partition), {})
        of_task.setdefault(int(rest.partition("-")[0]), []).append(name)
    done = {name for name in names if name.endswith(_DONE)}
    chosen: list[str] = []
    for of_task in attempts.values():
        ended = [number for number, (first, *_) in of_task.items() if _mark_of(first) in done]
        chosen += of_task[max(ended or of_task)]
    if len(chosen) == len(stored):
        return [store.path(folder)][: len(stored)]
    return [store.path(folder, name) for name in chosen]


def _attempt(task: TaskId) -> str:
    """Begins the names of an attempt's files: its task, then its number among all attempts."""
    return f"{task.query}.{task.stage}.{task.partition}_{task.task_attempt}"


def _mark(attempt: str) -> str:
    """The file that says that an attempt ended in order; hidden from Spark as it reads."""
    return f".{attempt}{_DONE}"


def _mark_of(stored: str) -> str:
    return _mark(stored.partition("-")[0])


def _unique(name: str, taken: tuple[str, ...]) -> str:
    return f"{name}_argument" if name in taken else name
