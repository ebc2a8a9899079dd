"""What a call of Spark raises where Spark itself has not refused it, or cannot be reached."""

from __future__ import annotations

from py4j.protocol import Py4JError

# Besides PySparkException, which every kind of session raises.
CALL_FAILURES: tuple[type[Exception], ...] = (Py4JError,)
