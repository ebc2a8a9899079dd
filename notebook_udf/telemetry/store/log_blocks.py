"""Log lines as columns: a block of some thousand lines in a tenth of the memory of objects.

A full block is packed once, and is sent to a browser as it is kept here. The origin of a line has
few different values in a block, so that a search looks at the block's origins first. Which lines
are kept is up to ``log_store``.
"""

from __future__ import annotations

import re
import struct
import zlib
from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from typing import NamedTuple

# Text of other processes may hold lone surrogates, which UTF-8 proper has no form for.
_SURROGATES = "surrogatepass"
_COLOURS = re.compile(r"\x1b\[[0-9;:]*m")
_MOST_INT = (1 << 31) - 1


@dataclass(frozen=True)
class LogEntry:
    """A worker's log line; ``cut`` counts the characters cut off from ``text``.

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


class LineOrigin(NamedTuple):
    """The fields that many log lines share; ``task_attempt`` is Spark's TID, -1 outside a task."""

    pid: int
    query: str
    level: str
    source: str
    function: str
    task_attempt: int = -1


class Gap(NamedTuple):
    """How many lines of a worker are missing before the line at position ``at`` of its block."""

    at: int
    pid: int
    missing: int


Chosen = Callable[[LineOrigin], bool]


@dataclass(frozen=True)
class Lines:
    """Consecutive log lines, a column for each field; ``start`` is the first one's number."""

    start: int
    origins: Sequence[LineOrigin]
    origin: Sequence[int]
    time: Sequence[float]
    sequence: Sequence[int]
    bundle: Sequence[int]
    row: Sequence[int]
    cut: Sequence[int]
    text: Sequence[str]
    gaps: Sequence[Gap]

    def __len__(self) -> int:
        return len(self.text)

    def since(self, number: int) -> Lines:
        """The lines from that number on."""
        by = max(0, number - self.start)
        return Lines(
            self.start + by,
            tuple(self.origins),
            self.origin[by:],
            self.time[by:],
            self.sequence[by:],
            self.bundle[by:],
            self.row[by:],
            self.cut[by:],
            self.text[by:],
            tuple(gap._replace(at=gap.at - by) for gap in self.gaps if gap.at >= by),
        )

    def entry(self, at: int) -> LogEntry:
        """One line as a ``LogEntry``."""
        pid, query, level, source, function, _ = self.origins[self.origin[at]]
        return LogEntry(
            pid, query, self.sequence[at], self.time[at], level, source, function,
            self.bundle[at], self.row[at], self.text[at], self.cut[at],
        )  # fmt: skip

    def found(self, chosen: Chosen, text: str, first: int) -> Iterator[int]:
        """Indices of the lines that match, last first, down to the line of number ``first``."""
        fitting = {code for code, origin in enumerate(self.origins) if chosen(origin)}
        sought = text.lower()
        for at in range(len(self) - 1, max(0, first - self.start) - 1, -1):
            if self.origin[at] in fitting and (
                not text or sought in without_colours(self.text[at]).lower()
            ):
                yield at

    def pack(self) -> LogBlock:
        """The lines as a packed block."""
        encoded = [each.encode("utf-8", _SURROGATES) for each in self.text]
        shown = (
            array("d", self.time),
            array("I", accumulate(map(len, encoded), initial=0)),
            _int32(self.row),
            _int32(self.bundle),
            array("H", self.origin),
        )
        kept = (_int64(self.sequence), _int64(self.cut))
        return LogBlock(
            self.start,
            len(self),
            tuple(self.origins),
            tuple(Counter(self.origin)[code] for code in range(len(self.origins))),
            tuple(self.gaps),
            # The fastest level: what is written again and again is short at any.
            zlib.compress(b"".join([*(c.tobytes() for c in shown), *encoded]), 1),
            zlib.compress(b"".join(c.tobytes() for c in kept), 1),
        )


@dataclass(frozen=True)
class LogBlock:
    """A packed block of log lines.

    Attributes
    ----------
    start, count
        The number of the first line, and how many there are.
    origins, counts
        The origins of the lines, and the number of lines of each.
    gaps
        Missing lines.
    packed
        Deflated (zlib), little-endian, in this order: times (float64, seconds since the epoch),
        ``count`` + 1 offsets into the text (uint32), rows (int32), bundles (int32), origins
        (uint16), and the text of all lines (UTF-8).
    rest
        Sequence numbers and cuts (int64), deflated likewise.
    """

    start: int
    count: int
    origins: tuple[LineOrigin, ...]
    counts: tuple[int, ...]
    gaps: tuple[Gap, ...]
    packed: bytes = field(repr=False)
    rest: bytes = field(repr=False)

    def __len__(self) -> int:
        return self.count

    @property
    def end(self) -> int:
        """The number of the line after the last."""
        return self.start + self.count

    @property
    def size(self) -> int:
        """Approximate size in memory, in bytes."""
        names = sum(200 + sum(len(name) for name in origin[1:5]) for origin in self.origins)
        return len(self.packed) + len(self.rest) + names + 100 * len(self.gaps)

    def unpack(self) -> Lines:
        """The unpacked lines."""
        data, n = memoryview(zlib.decompress(self.packed)), self.count
        sizes = [8 * n, 4 * (n + 1), 4 * n, 4 * n, 2 * n]
        ends = list(accumulate(sizes))
        columns = [data[end - size : end] for end, size in zip(ends, sizes, strict=True)]
        times, offsets, rows, bundles, origins = columns
        text = bytes(data[ends[-1] :])
        places = offsets.cast("I").tolist()
        kept = memoryview(zlib.decompress(self.rest)).cast("q").tolist()
        return Lines(
            self.start,
            self.origins,
            origins.cast("H").tolist(),
            times.cast("d").tolist(),
            kept[:n],
            bundles.cast("i").tolist(),
            rows.cast("i").tolist(),
            kept[n:],
            [text[a:b].decode("utf-8", _SURROGATES) for a, b in pairwise(places)],
            self.gaps,
        )


def without_colours(text: str) -> str:
    """Removes the escape sequences for terminal colours (ECMA-48, SGR) from a text."""
    return _COLOURS.sub("", text) if "\x1b" in text else text


def _int32(numbers: Sequence[int]) -> array[int]:
    try:
        return array("i", numbers)
    except OverflowError:
        return array("i", [max(-1, min(each, _MOST_INT)) for each in numbers])


def _int64(numbers: Sequence[int]) -> array[int]:
    try:
        return array("q", numbers)
    except OverflowError:
        most = (1 << 63) - 1
        return array("q", [max(-most, min(each, most)) for each in numbers])


# A browser reads the columns as they lie in memory.
assert struct.pack("=I", 1) == struct.pack("<I", 1), "a machine of the other byte order"
