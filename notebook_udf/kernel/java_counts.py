"""What functions count in Spark's JVM, as records of the session's metrics."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from notebook_udf.kernel.java_checks import JavaChecks
from notebook_udf.telemetry.records import (
    IN_JVM,
    BundleDone,
    BundlesDone,
    FunctionTiming,
    TaskEnded,
    TaskId,
    TaskStarted,
)

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session
    from notebook_udf.registry import RegisteredFunction


class JavaCounts:
    """Takes them; ``record_of`` gives the function of a name that Java has for it."""

    def __init__(
        self, session: Session, record_of: Callable[[str], RegisteredFunction | None]
    ) -> None:
        self._session = session
        self._record_of = record_of
        self._checks = JavaChecks(session)

    def take(self, counted: Sequence[Sequence[str]]) -> None:
        """Adds what functions have counted in a task to the session's metrics."""
        for name, *said in counted:
            record = self._record_of(name)
            if record is None:
                continue
            if len(said) == 1:
                self._checks.check_planned(record, name, said[0])
                continue
            query, *numbers, outcome, description, calls = said
            stage, partition, attempt, task_attempt, began, rows, made, spent = map(int, numbers)
            task = TaskId(query, stage, partition, attempt, task_attempt)
            timing = FunctionTiming(record.name, record.version, rows, made, 0, spent, 0)
            ended = time.time()
            bundle = BundleDone(IN_JVM, ended, task, 0, rows, made, 0, 0, 0, 0, functions=(timing,))
            apply = self._session.store.apply
            apply(TaskStarted(IN_JVM, began / 1000, task, (record.name,), description))
            for each in BundlesDone.of([bundle]):
                apply(each)
            if calls and not self._checks.check_task(record, calls, task):
                outcome = "failed"
            apply(TaskEnded(IN_JVM, ended, task, outcome, 1, rows, made, (timing,)))
