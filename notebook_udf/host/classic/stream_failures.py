"""The listener for streaming queries that fail, which the JVM calls."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from pyspark import SparkContext


class StreamFailures:
    """Tells of each streaming query that has failed.

    Parameters
    ----------
    tell
        Called with ``id/runId``.
    """

    def __init__(self, tell: Callable[[str], object]) -> None:
        self._tell = tell
        self._wrapped: Any = None

    @property
    def _jlistener(self) -> Any:
        # PySpark would parse every event in full, those of micro-batches too, and cannot parse the
        # start of a query if its cell's jobs have a tag.
        if self._wrapped is None:
            jvm: Any = SparkContext._jvm
            self._wrapped = jvm.PythonStreamingQueryListenerWrapper(self)
        return self._wrapped

    # What the JVM calls; only ends are listened to.

    def _nothing(self, event: Any) -> None:
        """Ignores the event."""

    onQueryStarted = onQueryProgress = onQueryIdle = _nothing  # noqa: N815

    def onQueryTerminated(self, event: Any) -> None:  # noqa: N802
        """Tells of the query, if it has failed."""
        if event.exception().isDefined():
            self._tell(f"{event.id().toString()}/{event.runId().toString()}")

    class Java:
        implements: ClassVar = ["org.apache.spark.sql.streaming.PythonStreamingQueryListener"]
