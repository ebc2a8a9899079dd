"""What a call of Spark raises where Spark itself has not refused it, or cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import TypeVar

from pyspark.errors import PySparkException

T = TypeVar("T")

# Besides PySparkException, which every kind of session raises: Connect's has nothing else.
CALL_FAILURES: tuple[type[Exception], ...] = ()
if find_spec("py4j") is not None:
    from py4j.protocol import Py4JError

    CALL_FAILURES = (Py4JError,)


def answered(question: Callable[[], T]) -> T | None:
    """Spark's answer; None if it has none, or has been stopped since."""
    try:
        return question()
    except (*CALL_FAILURES, PySparkException, AssertionError, AttributeError, OSError):
        return None
