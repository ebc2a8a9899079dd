"""The report of a failed call: function, arguments, and position in the task."""

from __future__ import annotations

import os
import pickle
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from pyspark import cloudpickle

from notebook_udf.errors import FailedRow
from notebook_udf.telemetry.records import OBSERVED, CallFailed
from notebook_udf.worker.runtime.error_kinds import classify
from notebook_udf.worker.runtime.failure import frames_of, message_of, parameter_name, short
from notebook_udf.worker.runtime.progress_file import row_number

if TYPE_CHECKING:
    from notebook_udf.worker.runtime.task import TaskCall

Shown: TypeAlias = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Copy:
    """A call as it is shown, by the names of what it took, and pickled for a replay."""

    shown: Shown
    pickled: bytes


# What methods are called with that take no parameters of the user's.
_ARGUMENTS = {"merge": ("accumulators",), "get_value": ("accumulator",)}
# Arguments larger than this, pickled, are shown but cannot be replayed.
_MOST_PICKLED_BYTES = 1 << 20


def report(
    call: TaskCall,
    error: BaseException,
    arguments: Sequence[Any] | None,
    row: int,
    outcome: str,
    group: Mapping[str, Any] | None,
    method: str,
    attempts: int,
    copy: Copy | None = None,
) -> CallFailed:
    """Reports a failed call to the kernel; returns what is sent.

    Parameters
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
    copy
        What is shown and sent of the call, if that is not what it was called with.
    """
    task = call.task
    bundle, rows = call.bundle or (task.bundle, task.rows)
    parameters = _ARGUMENTS.get(method) or call.known_parameters
    place = row if call.row_of is None else call.row_of(row)
    failed = FailedRow(
        function=call.name,
        version=call.version,
        error_id=uuid.uuid4().hex[:12],
        exception=type(error).__name__,
        message=message_of(error) + (f" (after {attempts} attempts)" if attempts > 1 else ""),
        frames=frames_of(error.__traceback__),
        arguments=copy.shown if copy is not None else named(parameters, arguments or ()),
        row=row_number(place) if arguments is not None else -1,
        rows=rows,
        bundle=bundle,
        partition=task.identity.partition,
        attempt=task.identity.attempt,
        stage=task.identity.stage,
        query=task.identity.query,
        worker=os.getpid(),
        pickled_arguments=copy.pickled if copy is not None else pickled(arguments),
        group=tuple((name, short(value)) for name, value in (group or {}).items()),
        method=method,
        chain=call.chain,
    )
    kind, extra = classify(error, call)
    if copy is not None:
        extra = {**extra, OBSERVED: True}
    return task.report(failed, outcome, error=kind, extra=extra)


def named(parameters: Sequence[str], arguments: Sequence[Any]) -> Shown:
    """The name and the text of each argument."""
    return tuple([(parameter_name(parameters, i), short(v)) for i, v in enumerate(arguments)])


def pickled(arguments: Sequence[Any] | None) -> bytes:
    """Arguments for a replay; b"" if there are none, or they are too large or cannot be pickled."""
    if arguments is None:
        return b""
    try:
        try:
            data = pickle.dumps(tuple(arguments))
        except (pickle.PicklingError, AttributeError):
            # Objects of a class from a notebook: this process knows the class by value only.
            data = cloudpickle.dumps(tuple(arguments))
    except Exception:
        # What cannot be pickled is shown by its repr and cannot be replayed; the kernel says so.
        return b""
    return data if len(data) <= _MOST_PICKLED_BYTES else b""
