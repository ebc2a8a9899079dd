"""py4j's connections to the JVM of a classic session: one for each thread."""

from __future__ import annotations

from types import FrameType
from typing import Any

from pyspark.sql import SparkSession

_MODULES = ("py4j.clientserver", "py4j.java_gateway")


class ClassicConnection:
    """See ``SparkConnection``."""

    def __init__(self, spark: SparkSession) -> None:
        self._context: Any = spark.sparkContext

    def is_awaited(self, frame: FrameType | None) -> bool:
        """See ``SparkConnection``."""
        while frame is not None:
            if frame.f_code.co_name == "send_command" and frame.f_globals["__name__"] in _MODULES:
                return True
            frame = frame.f_back
        return False

    def renew(self) -> None:
        """See ``SparkConnection``."""
        client = self._context._gateway._gateway_client
        connection = client.get_thread_connection()
        # py4j keeps connections that wait for no answer in this queue, and no other.
        if connection is not None and connection not in client.deque:
            connection.close()
