"""The progress of a worker, in a file that outlives it.

A worker that dies from a signal cannot say which rows it was working on. It notes them here, in
shared memory, once per slice of a bundle (and once per row when a task is retried), so that the
kernel can name the rows afterwards.
"""

from __future__ import annotations

import mmap
import os
import struct
from pathlib import Path

from notebook_udf.telemetry.records import Position

_LAYOUT = struct.Struct("<Bqqqqq?I200s")
# The first byte of a position, where there is one.
_NOTED = 1
_SIZE = 4096
_TASK = struct.Struct("<d")
_TASK_OFFSET = 2048


def row_number(place: int) -> int:
    """The number under which a row is shown everywhere: its position in the bundle, from 1 on; -1
    if there is none."""
    return place + 1 if place >= 0 else -1


class PositionFile:
    """The progress file, written by the worker that owns it."""

    def __init__(self, path: Path) -> None:
        self._map = _mapped(path)

    def note(self, position: Position) -> None:
        """Overwrites the position."""
        name = position.function.encode()[:200]
        _LAYOUT.pack_into(
            self._map,
            0,
            _NOTED,
            position.task_attempt,
            position.bundle,
            position.first,
            position.last,
            position.rows,
            position.observed,
            len(name),
            name,
        )

    def forget(self) -> None:
        """Says that the worker is at no row of any task."""
        self._map[0] = 0

    def note_task(self, started: float) -> None:
        """Notes when the task began, in seconds of ``time.monotonic``; 0.0 between tasks."""
        _TASK.pack_into(self._map, _TASK_OFFSET, started)

    def close(self) -> None:
        """Unmaps the file."""
        self._map.close()


def _mapped(path: Path) -> mmap.mmap:
    """The memory of a file of zeros; on a disk that has no room for it, memory of no file.

    Its room is taken at once: a page of a mapped file that finds none when it is written to ends
    the process with SIGBUS. Without the file a worker that dies cannot be asked where it was.
    """
    try:
        path.touch(0o600)
        with open(path, "w+b") as file:
            os.posix_fallocate(file.fileno(), 0, _SIZE)
            return mmap.mmap(file.fileno(), _SIZE)
    except OSError:
        return mmap.mmap(-1, _SIZE)


def read_task_start(path: Path) -> float:
    """When a worker's task began, by the clock all processes share; 0.0 if it has none."""
    try:
        data = path.read_bytes()
    except OSError:
        return 0.0
    return float(_TASK.unpack_from(data, _TASK_OFFSET)[0]) if len(data) == _SIZE else 0.0


def read_position(path: Path) -> Position | None:
    """The last position noted in a file; None if there is none."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) < _LAYOUT.size:
        return None
    noted, task, bundle, first, last, rows, observed, length, name = _LAYOUT.unpack_from(data)
    if noted != _NOTED:
        return None
    function = name[:length].decode("utf-8", "replace")
    return Position(task, bundle, first, last, rows, function, observed)
