"""Rows on which a function has failed in Spark's JVM, from Spark's account of a query.

Java knows that a row raises, and which one. What is raised is found by calling the Python function
with that row here: a function that has Java answers, and does nothing besides.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import re
import struct
import time
import typing
import uuid
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from notebook_udf.compile.java.columns.given_rows import MOST_ROWS
from notebook_udf.errors import DeclarationError, FailedRow, PlanningError
from notebook_udf.functions.row import record_class
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.planner.analysis import arity
from notebook_udf.planner.physical.group_value import GroupValue
from notebook_udf.planner.physical.in_java import gives_rows
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.telemetry.records import IN_JVM, CallFailed, TaskId
from notebook_udf.worker.call.failure_report import pickled
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.runtime.failure import frames_of, message_of, short

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

_ROW = re.compile(r"\[notebook-udf row (F[0-9a-f]{16})((?: [^\s\]]+){6})((?: [^\s\]]+)*)\]")
_COUNTED = re.compile(r"\[notebook-udf arguments (F[0-9a-f]{16}) (\d+)\]")
_ARGUMENT = re.compile(r"\[notebook-udf argument (F[0-9a-f]{16}) (\d+) (\w+)\]")
_SQL_TYPES = {
    "Long": "BIGINT",
    "Integer": "INT",
    "Short": "SMALLINT",
    "Byte": "TINYINT",
    "BigDecimal": "DECIMAL",
    "String": "STRING",
    "Boolean": "BOOLEAN",
    "LocalDateTime": "TIMESTAMP_NTZ",
    "Instant": "TIMESTAMP",
}


class JavaFailures:
    """Finds them; ``record_of`` gives the function of a name that Java has for it, ``shape_of`` the
    records of a process function."""

    def __init__(
        self,
        session: Session,
        record_of: Callable[[str], RegisteredFunction | None],
        shape_of: Callable[[str], RecordShape | None],
    ) -> None:
        self._session = session
        self._record_of = record_of
        self._shape_of = shape_of

    def told(self, text: str) -> CallFailed | DeclarationError | PlanningError | None:
        """The row on which a function has failed by Spark's account of a query, or the error of a
        call that does not fit its function's declaration; None if it tells of neither."""
        counted = _COUNTED.search(text)
        record = self._record_of(counted[1]) if counted is not None else None
        if counted is not None and record is not None:
            try:
                arity.check(record, int(counted[2]))
            except PlanningError as error:
                return error
        row = _ROW.search(text)
        record = self._record_of(row[1]) if row is not None else None
        if row is not None and record is not None:
            shape = self._shape_of(row[1])
            return self._repeated(record, shape, row[2].split(), row[3].split())
        wrong = _ARGUMENT.search(text)
        record = self._record_of(wrong[1]) if wrong is not None else None
        if wrong is None or record is None:
            return None
        parameter = record.definition.parameters[int(wrong[2])]
        given = _SQL_TYPES.get(wrong[3], wrong[3])
        return DeclarationError(
            f"{record.signature} was given a column of type {given} as {parameter}, which does not "
            f"fit it: cast the column, or change the declaration"
        )

    def _repeated(
        self,
        record: RegisteredFunction,
        shape: RecordShape | None,
        task: list[str],
        values: list[str],
    ) -> CallFailed:
        """The failure of a row, as it is when the function is called with the row here."""
        error: BaseException | None = None
        arguments: tuple[Any, ...] = ()
        method = ""
        group: Mapping[str, Any] = {}
        if "x" in values:
            exception, message = "Exception", "it raised for arguments too large to be sent"
        else:
            arguments = tuple(map(decoded, values))
            if shape is not None:
                arguments = (shape.maker(_record_class(record))(*arguments),)
            if isinstance(record, GroupValue):
                error = record.raised(arguments)
                method, arguments, group = record.taken_apart(arguments)
                record = record.aggregate
            error = error or self._raised(
                record, arguments if shape is None else (arguments,), method
            )
            if method and isinstance(error, BadResult):
                # As from a worker: no method has failed, and the message has the value.
                method, arguments = "", ()
            exception, message = type(error).__name__, message_of(error)
        parameters = ("accumulator",) if method == "get_value" else record.definition.parameters
        stage, partition, attempt, task_attempt = (
            int(each) if each != "-" else 0 for each in task[:4]
        )
        query = "" if task[4] == "-" else task[4]
        # Of those that the function was called with in the task until then.
        row = int(task[5]) if task[5] != "#" else 0
        failed = FailedRow(
            function=record.name,
            version=record.version,
            error_id=uuid.uuid4().hex[:12],
            exception=exception,
            message=message,
            frames=frames_of(error.__traceback__) if error is not None else (),
            arguments=tuple(
                (name, short(value)) for name, value in zip(parameters, arguments, strict=False)
            ),
            row=row,
            partition=partition,
            attempt=attempt,
            stage=stage,
            query=query,
            pickled_arguments=pickled(arguments or None),
            group=tuple((name, short(value)) for name, value in group.items()),
            method=method,
        )
        kind = "ResultError" if isinstance(error, BadResult) else "UserFunctionError"
        identity = TaskId(query, stage, partition, attempt, task_attempt)
        return CallFailed(IN_JVM, time.time(), identity, "fail", kind, failed)

    def _raised(
        self, record: RegisteredFunction, arguments: tuple[Any, ...], method: str
    ) -> BaseException:
        """What a function raises, or a ``method`` of an aggregate function."""
        kind = kind_of(self._session, record)
        try:
            made = kind.replay(method, arguments) if method else kind.run(arguments, {})
            kind.encode(made)
        except Exception as error:
            return error
        if gives_rows(record) and len(made) > MOST_ROWS:
            return RuntimeError(
                f"it gives {len(made):,} rows for these values, and Spark's JVM holds no more than "
                f"{MOST_ROWS:,} at once: declare the function with compile=False, so that a worker "
                f"hands them on as they come"
            )
        return RuntimeError(
            "Spark's JVM could not compute this row, and Python can: declare the function with "
            "compile=False, so that it runs in a worker. Please report it with the function and "
            "these values, as a fault of notebook-udf, unless a number in it has millions of digits"
        )


def _record_class(record: RegisteredFunction) -> Any:
    """The class that a process function annotates its records with."""
    annotated = record.definition.process and record.definition.process.record
    return typing.get_origin(annotated) or annotated


def _parts(text: str) -> list[str]:
    """The texts of what a list, a dict or a row holds, of the one in brackets."""
    parts, depth, start = [], 0, 1
    for at, letter in enumerate(text):
        depth += (letter == "(") - (letter == ")")
        if letter == "," and depth == 1:
            parts.append(text[start:at])
            start = at + 1
    return parts


def decoded(text: str) -> Any:
    """The value of a text that Java makes of an argument or an answer (see ``RowFailed``)."""
    kind, value = text[0], text[1:]
    if kind == "n":
        return None
    if kind == "b":
        return value == "1"
    if kind == "i":
        return int(value)
    if kind == "d":
        return decimal.Decimal(value)
    if kind == "t":
        return datetime.date.fromisoformat(value)
    if kind == "w":
        return datetime.datetime.fromisoformat(value)
    if kind == "z":
        second, micros = map(int, value.split(";"))
        return datetime.datetime.fromtimestamp(second).replace(microsecond=micros)
    if kind in "lmru":
        parts = list(map(decoded, _parts(value)))
        if kind in "lu":
            return parts if kind == "l" else tuple(parts)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        if kind == "m":
            return dict(pairs)
        names, values = zip(*pairs, strict=True)
        return record_class(names)(*values)
    if kind == "f":
        return struct.unpack("<d", struct.pack("<q", int(value)))[0]
    held = base64.urlsafe_b64decode(value)
    return held if kind == "y" else held.decode()
