"""The functions' log lines, as far as the kernel keeps them.

Bounded by lines and by memory; lines that are discarded are counted. The full text is in each
worker's log file, which ``notebook_udf.worker`` writes.
"""

from __future__ import annotations

import logging
import sys
from collections import OrderedDict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from notebook_udf.sanitize import cut
from notebook_udf.telemetry.records import LogLine, LogLines
from notebook_udf.telemetry.store.log_blocks import Gap, LineOrigin, Lines, LogBlock, LogEntry

MAX_LINES = 1_000_000
MAX_BYTES = 64 * 1024 * 1024
MAX_LINE = 16 * 1024
BLOCK_LINES = 4_096
BLOCK_BYTES = 1024 * 1024
_MAX_NAME = 256
_MAX_WORKERS = 1_000


@dataclass(frozen=True)
class LogChoice:
    """A filter of log lines; None matches any.

    Attributes
    ----------
    query, function, pid
        Only lines with these values.
    level
        Only lines at least this severe; a level that ``logging`` does not know matches itself only.
    text
        Only lines that contain this text; upper and lower case are equal.
    """

    query: str | None = None
    function: str | None = None
    level: str | None = None
    pid: int | None = None
    text: str | None = None

    def __call__(self, origin: LineOrigin) -> bool:
        """Whether lines of that origin may match; ``text`` is not looked at."""
        return (
            (self.query is None or origin.query == self.query)
            and (self.function is None or origin.function == self.function)
            and (self.pid is None or origin.pid == self.pid)
            and (self.level is None or _as_severe(origin.level, self.level))
        )


_ANY = LogChoice()


@dataclass(frozen=True)
class KeptLogs:
    """A snapshot of the lines that are kept.

    Attributes
    ----------
    blocks
        Full blocks, oldest first.
    tail
        The lines after them.
    first, end
        The number of the oldest line, and that of the next to come. The first line of the session
        is number 0; lines of the first block that are older than ``first`` count as discarded.
    dropped
        The number of missing lines: withheld by workers, or discarded to stay in bounds.
    """

    blocks: tuple[LogBlock, ...]
    tail: Lines
    first: int
    end: int
    dropped: int

    def select(self, choice: LogChoice = _ANY, limit: int | None = None) -> list[LogEntry]:
        """The lines that match, oldest first; with ``limit``, only the last ``limit`` of them."""
        latest_first = (
            lines.entry(at)
            for lines in chain([self.tail], map(LogBlock.unpack, reversed(self.blocks)))
            for at in lines.found(choice, choice.text or "", self.first)
        )
        most = None if limit is None else max(limit, 0)
        return list(islice(latest_first, most))[::-1]

    def entries(self, choice: LogChoice) -> Iterator[LogEntry]:
        """The lines that match, oldest first; only one block is unpacked at a time."""
        for lines in chain(map(LogBlock.unpack, self.blocks), [self.tail]):
            for at in reversed(list(lines.found(choice, choice.text or "", self.first))):
                yield lines.entry(at)

    def count(self, choice: LogChoice) -> int:
        """The number of lines that match."""
        number = sum(1 for _ in self.tail.found(choice, choice.text or "", self.first))
        for block in self.blocks:
            if choice.text or block.start < self.first:
                found = block.unpack().found(choice, choice.text or "", self.first)
                number += sum(1 for _ in found)
            else:
                each = zip(block.origins, block.counts, strict=True)
                number += sum(count for origin, count in each if choice(origin))
        return number


class Logs:
    """The last lines of all workers, in the order they arrived. Not thread-safe by itself.

    Attributes
    ----------
    dropped
        The number of missing lines: withheld by workers, or discarded to stay in bounds.
    """

    def __init__(self, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._end = 0
        self.clear()

    def clear(self) -> None:
        """Removes all lines and resets ``dropped``."""
        self._blocks: deque[LogBlock] = deque()
        self._block_bytes = 0
        self._first = self._end
        self.dropped = 0
        self._sequences: OrderedDict[int, int] = OrderedDict()
        self._begin([])

    def _begin(self, gaps: list[Gap]) -> None:
        self._codes: dict[LineOrigin, int] = {}
        self._origins: list[LineOrigin] = []
        self._text: list[str] = []
        self._columns: tuple[list[Any], ...] = ([], [], [], [], [], [], self._text)
        self._gaps = gaps
        self._tail = Lines(self._end, self._origins, *self._columns, gaps)
        self._bytes = 0

    def add(self, record: LogLines) -> None:
        """Adds the lines of a record."""
        missing = max(0, record.dropped)
        self.dropped += missing
        for line in record.lines:
            missing -= self._miss(record.pid, line.sequence, missing)
            self._append(record, line)
            if len(self._text) >= BLOCK_LINES or self._bytes >= BLOCK_BYTES:
                self._seal()
        if missing:
            # Withheld after the last line that was sent.
            self._gaps.append(Gap(len(self._text), record.pid, missing))
            self._sequences[record.pid] = self._sequences.get(record.pid, 0) + missing
        self._let_go()

    def _miss(self, pid: int, sequence: int, most: int) -> int:
        """Notes the gap before a worker's line; returns its length, ``most`` at the most."""
        former = self._sequences.pop(pid, None)
        self._sequences[pid] = sequence
        if len(self._sequences) > _MAX_WORKERS:
            self._sequences.popitem(last=False)
        count = min(most, sequence - (former or 0) - 1)
        if count <= 0:
            return 0
        self._gaps.append(Gap(len(self._text), pid, count))
        return count

    def _append(self, record: LogLines, line: LogLine) -> None:
        text, missing = cut(line.text, MAX_LINE), max(0, len(line.text) - MAX_LINE)
        origin = LineOrigin(
            record.pid,
            record.query[:_MAX_NAME],
            line.level[:_MAX_NAME],
            line.source[:_MAX_NAME],
            line.function[:_MAX_NAME],
            record.task_attempt,
        )
        code = self._codes.setdefault(origin, len(self._origins))
        if code == len(self._origins):
            self._origins.append(origin)
            self._bytes += sum(map(sys.getsizeof, origin))
        fields = (code, line.time, line.sequence, line.bundle, line.row, missing, text)
        for column, value in zip(self._columns, fields, strict=True):
            column.append(value)
        self._bytes += sys.getsizeof(text)
        self._end += 1

    def _seal(self) -> None:
        last = len(self._text)
        inside = [gap for gap in self._gaps if gap.at < last]
        after = [gap._replace(at=gap.at - last) for gap in self._gaps if gap.at >= last]
        self._gaps[:] = inside
        block = self._tail.pack()
        self._blocks.append(block)
        self._block_bytes += block.size
        self._begin(after)

    def _let_go(self) -> None:
        first = max(self._first, self._end - self._max_lines)
        while self._blocks and self._block_bytes + self._bytes > self._max_bytes:
            first = max(first, self._blocks[0].end)
            self._block_bytes -= self._blocks.popleft().size
        while self._blocks and self._blocks[0].end <= first:
            self._block_bytes -= self._blocks.popleft().size
        # A line discarded from the tail stays, without its text, until the block is full.
        start = self._tail.start
        at = max(self._first, start)
        while at < self._end and (at < first or self._bytes > self._max_bytes):
            self._bytes -= sys.getsizeof(self._text[at - start])
            self._text[at - start] = ""
            at += 1
        if not self._blocks:
            first = max(first, at)
        self.dropped += first - self._first
        self._first = first

    def kept(self) -> KeptLogs:
        """A snapshot of the lines."""
        tail = self._tail.since(self._tail.start)
        return KeptLogs(tuple(self._blocks), tail, self._first, self._end, self.dropped)


def _as_severe(level: str, least: str) -> bool:
    levels = logging.getLevelNamesMapping()
    if level.upper() in levels and least.upper() in levels:
        return levels[level.upper()] >= levels[least.upper()]
    return level == least
