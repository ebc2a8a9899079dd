"""Which error of the tree a failure in a worker is, for the kernel to raise."""

from __future__ import annotations

import signal
import sys
import traceback
from typing import TYPE_CHECKING, Any

from notebook_udf.worker.encode import BadResult
from notebook_udf.worker.limits import peak_bytes

if TYPE_CHECKING:
    from notebook_udf.worker.scalar import ScalarCall


class CallTimedOut(BaseException):
    """Raised in the main thread when a call has used up its time.

    Not an Exception, so that a function's own ``except Exception`` does not swallow it.
    """


class WorkerStopped(SystemExit):
    """Raised in the main thread when the daemon tells the worker to go.

    A SystemExit, which Spark's worker ends on; told apart from one a function raises.
    """


def classify(error: BaseException, call: ScalarCall) -> tuple[str, dict[str, Any]]:
    """The class name in ``notebook_udf.errors``, and that class's own attributes."""
    if isinstance(error, CallTimedOut):
        return "FunctionTimeout", {"timeout": call.timeout, "stack": str(error)}
    if isinstance(error, MemoryError):
        limit = call.task.runtime.limit.current
        return "WorkerOutOfMemory", {"limit": limit, "peak": peak_bytes()}
    if isinstance(error, BadResult):
        return "ResultError", {}
    return "UserFunctionError", {}


def stacks() -> str:
    """Every thread's Python stack, as text."""
    import threading

    names = {thread.ident: thread.name for thread in threading.enumerate()}
    parts = []
    for ident, frame in sys._current_frames().items():
        stack = "".join(traceback.format_stack(frame))
        parts.append(f"Thread {names.get(ident, ident)}:\n{stack}")
    return "\n".join(parts)


TIMEOUT_SIGNAL = signal.SIGUSR2
