"""Failures of functions made by PySpark's own API: their cards, and their replay.

The exception that is raised is Spark's, with Spark's text. What the worker told of the call goes
with it, for what shows it.
"""

from __future__ import annotations

import inspect
import pickle
import sys
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import SessionError
from notebook_udf.telemetry.records import OBSERVED, CallFailed

if TYPE_CHECKING:
    from notebook_udf.telemetry.store.session_store import Store

# How Spark's text begins, of classic Spark and of Connect: it has no word of the task.
_RAISED = ("org.apache.spark.api.python.PythonException", "[PYTHON_EXCEPTION]")
# A record usually overtakes the JVM's exception.
_PATIENCE_SECONDS = 3.0
_MOST_QUERIES = 100
# As much of a message has to be in Spark's text.
_MOST_CHARACTERS = 200


class ObservedFailures:
    """Finds the failed call that an error of Spark's is about: by what the exception says."""

    def __init__(self, store: Store) -> None:
        self._store = store
        # Queries whose errors were told: an error that says the same is of a later one.
        self._told: deque[str] = deque(maxlen=_MOST_QUERIES)

    def behind(self, text: str) -> CallFailed | None:
        """The failed call behind an error; None if no watched function raised it."""
        if not any(raised in text for raised in _RAISED) or not self._store.workers():
            return None

        def is_it(record: CallFailed) -> bool:
            untold = OBSERVED in record.extra and record.task.query not in self._told
            return untold and _says(record) in text

        found = self._store.wait_last_failure(is_it, _PATIENCE_SECONDS)
        if found is not None:
            self._told.append(found.task.query)
        return found


def _says(record: CallFailed) -> str:
    """What Python's traceback ends with for it."""
    failed = record.failed
    message = failed.message[:_MOST_CHARACTERS]
    return f"{failed.exception}: {message}" if message else failed.exception


@dataclass(frozen=True)
class ObservedCallCopy:
    """A call that failed, as the worker has sent it.

    Attributes
    ----------
    function
        What was given to PySpark.
    arguments, iterators
        What it was called with, and which of them it iterates over: those are lists of what came
        last.
    """

    function: Any
    arguments: list[Any]
    iterators: tuple[int, ...]


def copy_of(record: CallFailed) -> ObservedCallCopy | None:
    """The call that failed; None if it was too large to keep, or could not be pickled."""
    pickled = record.failed.pickled_arguments
    # From the session's own workers, over a channel that only they have the key to.
    return ObservedCallCopy(*pickle.loads(pickled)) if pickled else None


def observed_function(store: Store, name: str) -> Any:
    """The function of PySpark's own API of that name, which has failed, as its module has it now;
    None if none is known."""
    for record in reversed(store.failures(name)):
        if OBSERVED in record.extra and (copy := copy_of(record)) is not None:
            return _as_it_is_now(copy.function)
    return None


def is_changed(function: Any) -> bool:
    """Whether a function that a worker has sent is another one now, under its name."""
    now = _as_it_is_now(function)
    return getattr(now, "__code__", None) != getattr(function, "__code__", None)


def _as_it_is_now(function: Any) -> Any:
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    found = getattr(module, getattr(function, "__qualname__", ""), None)
    # An object of PySpark's holds it.
    found = getattr(found, "func", found)
    return found if inspect.isfunction(found) and inspect.isfunction(function) else function


def replay_observed(record: CallFailed) -> Any:
    """Calls the function with what it failed with; raises what the function raises.

    Raises
    ------
    SessionError
        If it cannot be called here: its arguments, or the function itself, could not be pickled.
    """
    __tracebackhide__ = True
    failed, copy = record.failed, copy_of(record)
    if copy is None:
        raise SessionError(
            f"{failed.function} or its arguments were too large to keep or could not be pickled; "
            f"they looked like {dict(failed.arguments)}"
        )
    arguments = copy.arguments
    for place in copy.iterators:
        arguments[place] = iter(arguments[place])
    if isinstance(copy.function, type):
        return list(copy.function().eval(*arguments))
    result = copy.function(*arguments)
    return list(result) if hasattr(result, "__next__") else result
