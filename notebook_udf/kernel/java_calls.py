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
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from notebook_udf.compile.java.java_class import JavaClass
from notebook_udf.compile.java.terms import NotCompiled
from notebook_udf.errors import DeclarationError, FailedRow, PlanningError
from notebook_udf.host.java_functions import JavaFunction
from notebook_udf.kernel.java_library import JavaLibrary
from notebook_udf.kernel.kinds import kind_of
from notebook_udf.kernel.recent import Recent
from notebook_udf.plan.functions import AS_JAVA
from notebook_udf.planner.analysis import arity
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
from notebook_udf.worker.runtime.dependencies import Dependency
from notebook_udf.worker.runtime.failure import frames_of, message_of, short

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

_ROW = re.compile(r"\[notebook-udf row (F[0-9a-f]{16})((?: [^\s\]]+){5})((?: [^\s\]]+)*)\]")
_COUNTED = re.compile(r"\[notebook-udf arguments (F[0-9a-f]{16}) (\d+)\]")
_ARGUMENT = re.compile(r"\[notebook-udf argument (F[0-9a-f]{16}) (\d+) (\w+)\]")
# A call on columns is of a class that was written already; what fails is of a late one.
_MOST_CLASSES = 1000
_SQL_TYPES = {
    "Long": "BIGINT",
    "Integer": "INT",
    "Short": "SMALLINT",
    "Byte": "TINYINT",
    "BigDecimal": "DECIMAL",
    "String": "STRING",
    "Boolean": "BOOLEAN",
    "LocalDateTime": "TIMESTAMP_NTZ",
}


class JavaCalls:
    """The hook that has the session's functions in the JVM, by the names of their classes.

    The classes that all of them call come to Spark in the background: until they are there,
    functions run in Python.
    """

    def __init__(self, session: Session, lock: threading.RLock) -> None:
        self._session = session
        self._lock = lock
        self._library: JavaLibrary | None = None
        self._is_there = False
        # Names of functions that are kept from the JVM for a while.
        self._kept: set[str] = set()
        self._records: Recent[RegisteredFunction] = Recent(_MOST_CLASSES)
        self._classes: Recent[JavaClass | NotCompiled] = Recent(_MOST_CLASSES)

    def install(self) -> None:
        """Has what functions count in the JVM added to the session's metrics."""
        if self._session.host.java is not None:
            self._session.host.java.measure(self._count)

    def uninstall(self) -> None:
        """Counts no more."""
        self._is_there = False
        if self._library is not None:
            self._library.cancel()
        if self._session.host.java is not None:
            self._session.host.java.end()

    def start(self) -> None:
        """Begins to bring the classes that functions call, where they can be brought."""
        functions = self._session.host.java
        if functions is not None:
            self._library = JavaLibrary(functions, self._session.folder / "java", self._arrived)
            self._library.start()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until functions can run in the JVM; whether they can."""
        return self._library is not None and self._library.wait(timeout) and self._is_there

    def runs(self, record: RegisteredFunction) -> bool:
        """Whether calls of the function that give each parameter by its place run in the JVM."""
        there = self._is_there and record.name not in self._kept
        return there and self.why_not(record) is None

    @contextmanager
    def in_workers(self, records: Iterable[RegisteredFunction]) -> Iterator[list[str]]:
        """In the block, what is planned calls functions in Python workers; gives the names of those
        that run in the JVM otherwise."""
        moved = [record for record in records if self.runs(record)]
        names = [record.name for record in moved]
        with self._lock:
            self._kept.update(names)
            for record in moved:
                scalar.register(self._session.spark, record, self._session.planned(record))
        try:
            yield names
        finally:
            with self._lock:
                self._kept.difference_update(names)
                for record in moved:
                    if self._session.functions.get(record.name) is record:
                        self._registered(record, record.name)

    def why_not(self, record: RegisteredFunction) -> NotCompiled | None:
        """What keeps the function from running in the JVM; None if nothing of it does."""
        if self._session.host.java is None:
            return NotCompiled("no class can be brought there through Spark Connect")
        made = self._class_of(record)
        if isinstance(made, NotCompiled):
            return made
        failure = self._session.host.java.failure(record.name)
        return NotCompiled(f"its compiler says {failure}; please report this") if failure else None

    def register(self, record: RegisteredFunction, name: str) -> bool:
        """Makes the function known to Spark SQL under a name; whether it runs in the JVM."""
        with self._lock:
            return self._is_there and self._registered(record, name)

    def class_name(self, record: RegisteredFunction) -> str:
        """What Java calls the function; "" for one that does not run there."""
        made = self._class_of(record)
        return made.name if isinstance(made, JavaClass) else ""

    def _arrived(self) -> None:
        """Has the functions run in the JVM that were registered before that was possible."""
        with self._lock:
            for record in list(self._session.functions.values()):
                self._registered(record, record.name)
            self._is_there = True

    def _registered(self, record: RegisteredFunction, name: str) -> bool:
        functions, made = self._session.host.java, self._class_of(record)
        if functions is None or isinstance(made, NotCompiled):
            return False
        definition, in_python = record.definition, self._session.planned(record)
        header = {
            "name": record.name,
            "version": record.version,
            "role": "scalar",
            "func_type": "general",
            "notes": [AS_JAVA],
        }
        takes, returned = (definition.arity[0], len(definition.parameters)), definition.result_type
        function = JavaFunction(record.name, header, made, takes, returned, in_python)
        functions.register(name, function)
        self._records.get((made.name,), lambda: record)
        return True

    def _class_of(self, record: RegisteredFunction) -> JavaClass | NotCompiled:
        with self._lock:
            made = self._classes.get(record.identity, lambda: _translated(record))
        if isinstance(made, NotCompiled):
            return made
        for each in self._session.dependencies:
            if any(_is_of(file, each) for file in made.files):
                # Workers go by what the file says now.
                return NotCompiled(f"it uses {each.name}, which may change")
        return made

    def failed(self, text: str) -> CallFailed | DeclarationError | PlanningError | None:
        """The row on which a function has failed by Spark's account of a query, or the error of a
        call that does not fit its function's declaration; None if it tells of neither."""
        counted = _COUNTED.search(text)
        record = self._records.known((counted[1],)) if counted is not None else None
        if counted is not None and record is not None:
            try:
                arity.check(record, int(counted[2]))
            except PlanningError as error:
                return error
        row = _ROW.search(text)
        record = self._records.known((row[1],)) if row is not None else None
        if row is not None and record is not None:
            return self._repeated(record, row[2].split(), row[3].split())
        wrong = _ARGUMENT.search(text)
        record = self._records.known((wrong[1],)) if wrong is not None else None
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
            record = self._records.known((name,))
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
            "Spark's JVM could not compute this row, and Python can: declare the function with "
            "compile=False, so that it runs in a worker. Please report it with the function and "
            "these values, as a fault of notebook-udf, unless a number in it has millions of digits"
        )


def _is_of(file: str, dependency: Dependency) -> bool:
    places = [Path(each) for each in (dependency.source, dependency.folder) if each]
    return any(Path(file).is_relative_to(place) for place in places)


def _translated(record: RegisteredFunction) -> JavaClass | NotCompiled:
    try:
        return scalar.java_class(record)
    except NotCompiled as why:
        return why
    except Exception as fault:
        # Of ours: the function runs in Python all the same, and explain() tells of it.
        return NotCompiled(
            f"a fault of notebook-udf ({type(fault).__name__}: {fault}); please report it"
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
    if kind == "w":
        return datetime.datetime.fromisoformat(value)
    if kind in "lm":
        parts = [_decoded(part) for part in value.split(";")[:-1]]
        return parts if kind == "l" else dict(zip(parts[::2], parts[1::2], strict=True))
    if kind == "f":
        return struct.unpack("<d", struct.pack("<q", int(value)))[0]
    return base64.urlsafe_b64decode(value).decode()
