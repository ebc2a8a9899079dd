"""The memory that is left on the machine, while workers run: the daemon's part of it.

A function without a limit that takes more and more is ended by the system, which may choose the
kernel or the JVM in its place. The daemon is earlier: it ends the worker that holds the most.
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection
from pathlib import Path

from notebook_udf.launch import machine
from notebook_udf.telemetry.records import Hogged

# What has to be left for everybody else: a part of the machine's memory, and never less bytes.
_LEFT = 20
_LEAST_LEFT = 256 << 20
# What a core writes to new memory in a second, at most.
_BYTES_A_SECOND = 4 << 30
_SHORTEST, _LONGEST = 0.01, 1.0


class MemoryWatch:
    """Looks how much memory is left, and how soon it has to look again."""

    def __init__(self) -> None:
        self.machine = machine.memory()
        self.floor = max(self.machine // _LEFT, _LEAST_LEFT)
        self._pace = _BYTES_A_SECOND * machine.processors()
        self.seconds = 0.0

    def look(self, workers: Collection[int]) -> tuple[int, Hogged] | None:
        """The worker to end, and why; None if enough is left, or if it is not workers that hold it.

        ``seconds`` then is the time in which no function can take what is left above the floor.
        """
        free = machine.free_memory()
        self.seconds = min(max((free - self.floor) / self._pace, _SHORTEST), _LONGEST)
        if free > self.floor:
            return None
        held = {pid: _own_bytes(pid) for pid in workers}
        if sum(held.values()) < self.floor:
            return None
        pid = max(held, key=lambda pid: held[pid])
        return pid, Hogged(held[pid], free, self.machine)


def _own_bytes(pid: int) -> int:
    """Bytes in RAM that a process shares with no file and, being forked, hardly with its daemon."""
    with contextlib.suppress(OSError, ValueError):
        for line in Path(f"/proc/{pid}/status").read_text("ascii").splitlines():
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) * 1024
    return 0
