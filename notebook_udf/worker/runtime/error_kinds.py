"""Classifies a failure in a worker: which class of the error tree the kernel raises for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from notebook_udf.errors import NotebookUdfError
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.runtime.memory_limit import peak_bytes
from notebook_udf.worker.runtime.timeout import CallTimedOut

if TYPE_CHECKING:
    from notebook_udf.worker.runtime.task import TaskCall


# Not about the row's values, so no other row would fare better.
FATAL = (CallTimedOut, MemoryError, SystemExit, KeyboardInterrupt, GeneratorExit)


class WorkerStopped(SystemExit):
    """Raised in the main thread when the daemon tells the worker to end.

    A SystemExit, which ends Spark's worker; a class of its own, to tell it from one that a function
    raises.
    """


def classify(error: BaseException, call: TaskCall) -> tuple[str, dict[str, Any]]:
    """The name of a class in ``notebook_udf.errors``, and that class's own attributes."""
    if isinstance(error, CallTimedOut):
        return "FunctionTimeout", {"timeout": call.time_limit, "stack": str(error)}
    if isinstance(error, MemoryError):
        most = call.task.runtime.limit.current
        return "WorkerOutOfMemory", {"limit": most, "peak": peak_bytes()}
    if isinstance(error, BadResult):
        return "ResultError", {}
    if isinstance(error, NotebookUdfError):
        return type(error).__name__, {}
    return "UserFunctionError", {}
