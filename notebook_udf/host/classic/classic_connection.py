"""py4j's connections to the JVM of a classic session: one for each thread."""

from __future__ import annotations

from types import FrameType
from typing import Any

from pyspark.sql import SparkSession

_SENDING = "send_command"
_READING = "_load_from_socket"


def _connecting(frame: FrameType | None) -> FrameType | None:
    """PySpark's call that reads rows, if it has no socket yet: it would close it nevertheless."""
    while frame is not None:
        reads = frame.f_code.co_name == _READING and frame.f_globals["__name__"] == "pyspark.util"
        if reads and "sock" not in frame.f_locals:
            return frame
        frame = frame.f_back
    return None


def _is_py4js(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("py4j.")


class ClassicConnection:
    """See ``SparkConnection``."""

    def __init__(self, spark: SparkSession) -> None:
        self._context: Any = spark.sparkContext

    def waiting(self, frame: FrameType | None) -> FrameType | None:
        """See ``SparkConnection``."""
        connecting = _connecting(frame)
        if connecting is not None:
            return connecting
        while frame is not None and not (_is_py4js(frame) and frame.f_code.co_name == _SENDING):
            frame = frame.f_back
        # Its caller in py4j has something to tidy up, too.
        while frame is not None and frame.f_back is not None and _is_py4js(frame.f_back):
            frame = frame.f_back
        return frame

    def renew(self) -> None:
        """See ``SparkConnection``."""
        client = self._context._gateway._gateway_client
        connection = client.get_thread_connection()
        # py4j keeps connections that wait for no answer in this queue, and no other.
        if connection is not None and connection not in client.deque:
            connection.close()
