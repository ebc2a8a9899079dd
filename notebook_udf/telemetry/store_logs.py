"""The lines that functions wrote, as far as they are kept in the kernel.

Bounded by lines and by memory; what is let go is counted, never silently gone. The full text is
in each worker's log file, which is the business of ``notebook_udf.worker``.
"""

from __future__ import annotations

import logging
import sys
from collections import deque
from dataclasses import dataclass

from notebook_udf.telemetry.records import LogLine, LogLines

MAX_LINES = 50_000
MAX_BYTES = 64 * 1024 * 1024
MAX_LINE = 16 * 1024
_MAX_NAME = 256


@dataclass(frozen=True)
class LogEntry:
    """A line of a worker; ``cut`` counts the characters that ``text`` had to lose.

    ``row`` is -1 outside of a call, ``sequence`` counts the lines of one worker.
    """

    pid: int
    query: str
    sequence: int
    time: float
    level: str
    source: str
    function: str
    bundle: int
    row: int
    text: str
    cut: int = 0


class Logs:
    """The last lines of all workers, in the order they arrived. Not thread-safe by itself.

    Attributes
    ----------
    dropped
        Lines that are missing here: withheld by workers, or let go to stay in bounds.
    """

    def __init__(self, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self.clear()

    def clear(self) -> None:
        """Forgets every line, and what was dropped."""
        self._entries: deque[LogEntry] = deque()
        self._bytes = 0
        self.dropped = 0

    def add(self, record: LogLines) -> None:
        """Takes a batch of lines."""
        self.dropped += max(0, record.dropped)
        for line in record.lines:
            entry = _entry(record.pid, record.query, line)
            self._entries.append(entry)
            self._bytes += sys.getsizeof(entry.text)
        while len(self._entries) > self._max_lines or self._bytes > self._max_bytes:
            self._bytes -= sys.getsizeof(self._entries.popleft().text)
            self.dropped += 1

    def select(
        self,
        query: str | None = None,
        function: str | None = None,
        level: str | None = None,
        pid: int | None = None,
        limit: int | None = None,
    ) -> list[LogEntry]:
        """The lines that fit, oldest first; with ``limit``, the last that many of them."""
        found: list[LogEntry] = []
        for entry in reversed(self._entries):
            if limit is not None and len(found) >= limit:
                break
            if (
                (query is None or entry.query == query)
                and (function is None or entry.function == function)
                and (pid is None or entry.pid == pid)
                and (level is None or _as_severe(entry.level, level))
            ):
                found.append(entry)
        return found[::-1]


def _entry(pid: int, query: str, line: LogLine) -> LogEntry:
    text, cut = line.text, max(0, len(line.text) - MAX_LINE)
    if cut:
        text = f"{text[:MAX_LINE]}… ({cut:,} more characters)"
    return LogEntry(
        pid=pid,
        query=query[:_MAX_NAME],
        sequence=line.sequence,
        time=line.time,
        level=line.level[:_MAX_NAME],
        source=line.source[:_MAX_NAME],
        function=line.function[:_MAX_NAME],
        bundle=line.bundle,
        row=line.row,
        text=text,
        cut=cut,
    )


def _as_severe(level: str, least: str) -> bool:
    levels = logging.getLevelNamesMapping()
    if level.upper() in levels and least.upper() in levels:
        return levels[level.upper()] >= levels[least.upper()]
    return level == least


__all__ = ["MAX_BYTES", "MAX_LINE", "MAX_LINES", "LogEntry", "Logs"]
