"""Calls that were answered in Spark's JVM, made again in Python: for functions with ``self_check``.

A task tells a share of its calls, with their answers, when it ends; the scheduler goes on when they
are compared, so that a job whose answers are wrong fails before its query has them.
"""

from __future__ import annotations

import logging
import pickle
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from notebook_udf.compile.java.columns.shapes import is_nested
from notebook_udf.errors import FailedRow, SelfCheckFailed
from notebook_udf.functions import by_value
from notebook_udf.kernel.java_failures import decoded
from notebook_udf.kernel.recent import Recent
from notebook_udf.telemetry.records import IN_JVM, CallFailed, TaskId
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.runtime.failure import short
from notebook_udf.worker.scalar.self_check import Expected

if TYPE_CHECKING:
    from notebook_udf.functions.definition import FunctionDefinition
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction

_log = logging.getLogger(__name__)

# The scheduler waits while calls are compared: of a slow function fewer are.
_MOST_SECONDS = 2.0
_MOST_FUNCTIONS = 100


class JavaChecks:
    """Compares them, and has the jobs fail in which an answer differs."""

    def __init__(self, session: Session) -> None:
        self._session = session
        # As they were when they were registered: what they use may have other values now.
        self._expected: Recent[Expected] = Recent(_MOST_FUNCTIONS)

    def check_task(self, record: RegisteredFunction, told: str, task: TaskId) -> bool:
        """Compares the calls of a task; whether all answers are Python's. If not, its job fails."""
        failure = self._compared(record, told, task)
        if failure is None:
            return True
        self._session.store.apply(failure)
        why = _why(failure)
        if not self._failed(task.stage, why):
            note = f"{failure.failed.headline} (its query had ended before that was known)"
            self._session.notes.append(note)
            _log.error("%s", note)
        return False

    def check_planned(self, record: RegisteredFunction, name: str, told: str) -> None:
        """Compares a call of which Spark computes the row while it plans a query."""
        failure = self._compared(record, told, TaskId("", 0, 0, 0, 0))
        functions = self._session.host.java
        if failure is not None and functions is not None:
            self._session.store.apply(failure)
            functions.refuse(name, _why(failure))

    def _failed(self, stage: int, why: str) -> bool:
        functions = self._session.host.java
        try:
            return functions is not None and functions.fail(stage, why)
        except Exception as error:
            # Another Spark, whose scheduler is none that is known.
            _log.error("a job could not be made to fail: %s", error)
            return False

    def _compared(self, record: RegisteredFunction, told: str, task: TaskId) -> CallFailed | None:
        try:
            return self._difference(record, told, task)
        except Exception as fault:
            # It must not leave this thread, which takes what all tasks tell.
            note = (
                f"{record.name}: its calls could not be checked, by a fault of notebook-udf "
                f"({type(fault).__name__}: {fault}); please report it"
            )
            if note not in self._session.notes:
                self._session.notes.append(note)
            _log.exception("%s", note)
            return None

    def _difference(self, record: RegisteredFunction, told: str, task: TaskId) -> CallFailed | None:
        """The first call that was answered otherwise than in Python."""
        until = time.monotonic() + _MOST_SECONDS
        expected = self._expected.get(record.identity, lambda: _expected(record))
        for line in told.splitlines():
            number, answer, *given = line.split(" ")
            arguments = _entered(record.definition, [decoded(each) for each in given])
            error = expected.difference(
                arguments, decoded(answer), "in Spark's JVM", "compile=False"
            )
            if error is not None:
                return _failure(record, error, arguments, int(number), task)
            if time.monotonic() > until:
                break
        return None


def _expected(record: RegisteredFunction) -> Expected:
    definition = replace(record.definition, function=by_value.loads(record.payload))
    return Expected(record.name, definition.call, definition.result_type)


def _entered(definition: FunctionDefinition, values: Sequence[Any]) -> list[Any]:
    """Arguments in the types that are declared, as a worker would get them."""
    types = definition.input_types or ()
    entered = []
    for place, value in enumerate(values):
        declared = types[place] if place < len(types) else None
        # What is in an array, a map or a row, a worker hands over as it is.
        if declared is not None and not is_nested(declared):
            try:
                column = encoder(declared)([value])
                value = decoder(column.type)(column)[0]
            except BadResult:
                # What no worker would be given; Java has its own word on it.
                _log.debug("an argument that does not fit its type: %.80r", value)
        entered.append(value)
    return entered


def _why(failure: CallFailed) -> str:
    """What Spark says, and by which the record of the failure is found."""
    return f"{failure.failed.headline}\n  [notebook-udf error {failure.failed.error_id}]"


def _failure(
    record: RegisteredFunction,
    error: SelfCheckFailed,
    arguments: Sequence[Any],
    row: int,
    task: TaskId,
) -> CallFailed:
    names = record.definition.parameters
    failed = FailedRow(
        function=record.name,
        version=record.version,
        error_id=uuid.uuid4().hex[:12],
        exception=type(error).__name__,
        message=str(error),
        arguments=tuple((n, short(v)) for n, v in zip(names, arguments, strict=False)),
        row=row,
        partition=task.partition,
        attempt=task.attempt,
        stage=task.stage,
        query=task.query,
        pickled_arguments=pickle.dumps(tuple(arguments)),
    )
    return CallFailed(IN_JVM, time.time(), task, "fail", type(error).__name__, failed)
