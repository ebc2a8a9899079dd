"""The connection of this process to Spark, while a call waits for an answer or was interrupted."""

from __future__ import annotations

from types import FrameType
from typing import Protocol


class SparkConnection(Protocol):
    """The way on which this process calls Spark."""

    def waiting(self, frame: FrameType | None) -> FrameType | None:
        """The call, above this frame, that waits for an answer: an exception raised in it at once
        would tear the connection down. None if there is none."""

    def renew(self) -> None:
        """Closes this thread's connection if an answer is still pending on it.

        The next call opens another. On the old one, that call would read the answer to the
        interrupted one.
        """
