"""What a call of Spark raises where Spark itself has not refused it, or cannot be reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

T = TypeVar("T")

# Besides PySparkException, which every kind of session raises.
CALL_FAILURES: tuple[type[Exception], ...] = (Py4JError,)


def answered(question: Callable[[], T]) -> T | None:
    """Spark's answer; None if it has none, or has been stopped since."""
    try:
        return question()
    except (*CALL_FAILURES, PySparkException, AssertionError, AttributeError, OSError):
        return None
