"""The report of a failed call: function, arguments, and position in the task."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import FailedRow
from notebook_udf.worker.runtime import failure
from notebook_udf.worker.runtime.error_kinds import classify

if TYPE_CHECKING:
    from notebook_udf.worker.call.function_call import FunctionCall

# What methods are called with that take no parameters of the user's.
_ARGUMENTS = {"merge": ("accumulators",), "get_value": ("accumulator",)}


@dataclass(frozen=True)
class Failed:
    """A call that failed.

    Attributes
    ----------
    arguments, row
        What it was called with, and for which row; None and -1 where no single row is to blame.
    outcome
        What becomes of the row; ``fail`` ends the task.
    group
        The keys of the group that an aggregate was at.
    method
        Which of its methods was called with the arguments; "" for the only one.
    attempts
        How often it was called.
    """

    error: BaseException
    arguments: list[Any] | None = None
    row: int = -1
    outcome: str = "fail"
    group: Mapping[str, Any] | None = None
    method: str = ""
    attempts: int = 1


def report(call: FunctionCall, failed: Failed) -> FailedRow:
    """Reports a failed call to the kernel."""
    task = call.task
    bundle, rows = call.bundle or (task.bundle, task.rows)
    described = failure.describe(
        failed.error,
        function=call.name,
        version=call.version,
        parameters=_ARGUMENTS.get(failed.method) or call.known_parameters,
        arguments=failed.arguments,
        row=failed.row if call.row_of is None else call.row_of(failed.row),
        rows=rows,
        bundle=bundle,
        task=task.identity,
        worker=os.getpid(),
        group=failed.group,
        method=failed.method,
        chain=call.chain,
        attempts=failed.attempts,
    )
    kind, extra = classify(failed.error, call)
    task.report(described, failed.outcome, error=kind, extra=extra)
    return described
