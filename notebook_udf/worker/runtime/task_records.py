"""Records that leave with the end of a task, where the channel does not reach the kernel.

Spark brings what a task adds to an accumulator to the driver when the task has succeeded. So a
worker that the kernel has not answered keeps copies of what it sends; what a task has kept leaves
by the accumulator with its end, and nothing more is queued for the channel, on which it could come
a second time.
"""

from __future__ import annotations

import os
import threading
import time

from pyspark.accumulators import _deserialize_accumulator

from notebook_udf.telemetry.wire import connection_name

# The number of the session's accumulator; without it records leave on the channel alone.
ACCUMULATOR_VARIABLE = "NOTEBOOK_UDF_ACCUMULATOR"
# How long a worker waits for the kernel's answer, from its start, at the end of its first task.
_PATIENCE_SECONDS = 2.0
# A job with thousands of tasks brings as much for each, and Spark limits the sum.
_MOST_BYTES = 64 << 10

Frames = list[bytes]


class _Concatenated:
    """The ``AccumulatorParam`` of lists."""

    def zero(self, value: list[Frames]) -> list[Frames]:
        """No records."""
        return []

    def addInPlace(self, value1: list[Frames], value2: list[Frames]) -> list[Frames]:  # noqa: N802
        """The records of both."""
        value1.extend(value2)
        return value1


class TaskRecords:
    """The records of a worker that the kernel has not answered yet, or will not.

    Parameters
    ----------
    accumulator
        Its number in the driver.

    Attributes
    ----------
    alone
        Whether records leave this way only. It stays so, even if the kernel answers later.
    lost
        How many did not fit.
    """

    def __init__(self, accumulator: int) -> None:
        self.alone = False
        self.lost = 0
        self._accumulator = accumulator
        self._lock = threading.Lock()
        self._answered = threading.Event()
        self._until = time.monotonic() + _PATIENCE_SECONDS
        self._kept: list[Frames] = []
        self._bytes = 0

    @classmethod
    def from_environment(cls) -> TaskRecords | None:
        """Those of this worker; None where the session has no accumulator."""
        number = os.environ.get(ACCUMULATOR_VARIABLE)
        return cls(int(number)) if number else None

    def keep(self, frames: Frames) -> bool:
        """Keeps a record, from any thread; False if it leaves on the channel as well."""
        size = sum(map(len, frames))
        with self._lock:
            if self._answered.is_set():
                return False
            if self._bytes + size > _MOST_BYTES:
                self.lost += 1
            else:
                self._bytes += size
                self._kept.append(frames)
            return self.alone

    def answered(self) -> bool:
        """Takes note of the kernel's answer; whether records leave on the channel from now on."""
        with self._lock:
            if not self.alone:
                # What did not fit here has left on the channel as well.
                self._answered.set()
                self._kept.clear()
                self.lost = 0
        return not self.alone

    def leave(self) -> None:
        """Hands what was kept to the task that ends, unless the kernel answers before long."""
        if not self.alone and self._answered.wait(max(0.0, self._until - time.monotonic())):
            return
        with self._lock:
            if self._answered.is_set():
                return
            self.alone = True
            kept, self._kept, self._bytes = self._kept, [], 0
        if not kept:
            return
        # A process id alone does not say whose records they are.
        kept.insert(0, [connection_name()])
        _deserialize_accumulator(self._accumulator, [], _Concatenated()).add(kept)
