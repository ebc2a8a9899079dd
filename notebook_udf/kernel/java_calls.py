"""Scalar functions that run in Spark's own JVM, and rows on which they raise there.

Java knows that a row raises, and which one. What is raised is found by calling the Python function
with that row here: a function that has Java answers, and does nothing besides.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import pickle
import re
import struct
import time
import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from notebook_udf.compile.java.java_class import JavaClass
from notebook_udf.errors import DeclarationError, FailedRow
from notebook_udf.host.call_failures import CALL_FAILURES
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.recent import Recent
from notebook_udf.planner.physical import scalar
from notebook_udf.telemetry.records import (
    IN_JVM,
    BundleDone,
    BundlesDone,
    CallFailed,
    FunctionTiming,
    TaskEnded,
    TaskId,
    TaskStarted,
)
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.runtime.failure import frames_of, message_of, short

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

_ROW = re.compile(r"\[notebook-udf row (F[0-9a-f]{16})((?: [^\s\]]+){5})((?: [^\s\]]+)*)\]")
_ARGUMENT = re.compile(r"\[notebook-udf argument (F[0-9a-f]{16}) (\d+) (\w+)\]")
# A call on columns is of a class that was written already.
_MOST_CLASSES = 200
_SQL_TYPES = {
    "Long": "BIGINT",
    "Integer": "INT",
    "Short": "SMALLINT",
    "Byte": "TINYINT",
    "BigDecimal": "DECIMAL",
    "String": "STRING",
    "Boolean": "BOOLEAN",
}


class JavaCalls:
    """The hook that has the session's functions in the JVM, by the names of their classes."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._records: dict[str, RegisteredFunction] = {}
        self._classes: Recent[JavaClass] = Recent(_MOST_CLASSES)

    def install(self) -> None:
        """Nothing, until there is a function."""

    def uninstall(self) -> None:
        """Counts no more."""
        if self._records and self._session.host.java is not None:
            self._session.host.java.end()

    def register(self, record: RegisteredFunction, name: str) -> None:
        """Makes a function known to Spark SQL under a name.

        Raises
        ------
        DeclarationError
            If it cannot run in the JVM; says what of it, and on which line.
        """
        functions = self._session.host.java
        if functions is None:
            raise DeclarationError(
                f"{record.name}: compile=True needs a Spark whose JVM this process calls, and this "
                f"one is reached through Spark Connect. Leave compile=True out"
            )
        made = self._classes.get(record.identity, lambda: scalar.java_class(record))
        functions.measure(self._count)
        folder, result_type = self._session.folder / "java", record.definition.result_type
        try:
            functions.register(name, made, result_type, folder)
        except CALL_FAILURES as error:
            said = next((line for line in str(error).splitlines() if "Exception" in line), "")
            raise DeclarationError(
                f"{record.name} cannot run in Spark's JVM (compile=True): its compiler says "
                f"{said}. Without compile=True it runs in a Python worker"
            ) from error
        self._records[made.name] = record

    def failed(self, text: str) -> CallFailed | DeclarationError | None:
        """The row on which a function has failed by Spark's account of a query, or the error of a
        call that does not fit its function's declaration; None if it tells of neither."""
        row = _ROW.search(text)
        record = self._records.get(row[1]) if row is not None else None
        if row is not None and record is not None:
            return self._repeated(record, row[2].split(), row[3].split())
        wrong = _ARGUMENT.search(text)
        record = self._records.get(wrong[1]) if wrong is not None else None
        if wrong is None or record is None:
            return None
        parameter = record.definition.parameters[int(wrong[2])]
        given = _SQL_TYPES.get(wrong[3], wrong[3])
        return DeclarationError(
            f"{record.signature} was given a column of type {given} as {parameter}, which does not "
            f"fit it: cast the column, or change the declaration"
        )

    def _count(self, counted: Sequence[Sequence[str]]) -> None:
        """Adds what functions have counted in a task to the session's metrics."""
        for name, query, *numbers, outcome, description in counted:
            record = self._records.get(name)
            if record is None:
                continue
            stage, partition, attempt, task_attempt, began, rows, spent = map(int, numbers)
            task = TaskId(query, stage, partition, attempt, task_attempt)
            timing = FunctionTiming(record.name, record.version, rows, rows, 0, spent, 0)
            ended = time.time()
            bundle = BundleDone(IN_JVM, ended, task, 0, rows, rows, 0, 0, 0, 0, functions=(timing,))
            apply = self._session.store.apply
            apply(TaskStarted(IN_JVM, began / 1000, task, (record.name,), description))
            for each in BundlesDone.of([bundle]):
                apply(each)
            apply(TaskEnded(IN_JVM, ended, task, outcome, 1, rows, rows, (timing,)))

    def _repeated(
        self, record: RegisteredFunction, task: list[str], values: list[str]
    ) -> CallFailed:
        """The failure of a row, as it is when the function is called with the row here."""
        error: BaseException | None = None
        arguments: tuple[Any, ...] = ()
        if "x" in values:
            exception, message = "Exception", "it raised for arguments too large to be sent"
        else:
            arguments = tuple(map(_decoded, values))
            error = self._raised(record, arguments)
            exception, message = type(error).__name__, message_of(error)
        stage, partition, attempt, task_attempt = (
            int(each) if each != "-" else 0 for each in task[:4]
        )
        query = "" if task[4] == "-" else task[4]
        failed = FailedRow(
            function=record.name,
            version=record.version,
            error_id=uuid.uuid4().hex[:12],
            exception=exception,
            message=message,
            frames=frames_of(error.__traceback__) if error is not None else (),
            arguments=tuple(
                (name, short(value))
                for name, value in zip(record.definition.parameters, arguments, strict=False)
            ),
            row=0,
            partition=partition,
            attempt=attempt,
            stage=stage,
            query=query,
            pickled_arguments=pickle.dumps(arguments) if arguments else b"",
        )
        kind = "ResultError" if isinstance(error, BadResult) else "UserFunctionError"
        identity = TaskId(query, stage, partition, attempt, task_attempt)
        return CallFailed(IN_JVM, time.time(), identity, "fail", kind, failed)

    def _raised(self, record: RegisteredFunction, arguments: tuple[Any, ...]) -> BaseException:
        kind = kind_of(self._session, record)
        try:
            kind.encode(kind.run(arguments, {}))
        except Exception as error:
            return error
        return RuntimeError(
            "it raised in the JVM and answers here: if nothing that it uses was changed since, "
            "this is a fault of notebook-udf; please report it with the function and these values"
        )


def _decoded(text: str) -> Any:
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
    if kind in "lm":
        parts = [_decoded(part) for part in value.split(";")[:-1]]
        return parts if kind == "l" else dict(zip(parts[::2], parts[1::2], strict=True))
    if kind == "f":
        return struct.unpack("<d", struct.pack("<q", int(value)))[0]
    return base64.urlsafe_b64decode(value).decode()
