"""gRPC's calls to a Connect server: each is a stream of its own."""

from __future__ import annotations

from types import FrameType


class ConnectConnection:
    """See ``SparkConnection``; an exception in the middle of a call ends that call alone."""

    def waiting(self, frame: FrameType | None) -> FrameType | None:
        """See ``SparkConnection``."""
        return None

    def renew(self) -> None:
        """See ``SparkConnection``."""
