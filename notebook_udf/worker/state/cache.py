"""Read and write caches in front of a stream's state.

``EntryCache`` caches entries of any keys; the least recently used leave first. Entries in use by an
iterator stay, removals of everything are sent before what was written after them, and what was
written is sent by ``flush``, at the end of a bundle. Semantics: FLIP-139,
"Cache Strategy".
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, Protocol

# A place that holds nothing, where None would be a value.
ABSENT = object()

Place = tuple[bytes, Any]


class Entries(Protocol):
    """The state behind a cache: values by pairs of a grouping key and a key of their own."""

    def read(self, places: Sequence[Place]) -> list[Any]:
        """The value at each key, or ``ABSENT``."""

    def write(self, entries: Iterable[tuple[Place, Any]]) -> None:
        """Sets the value at each key; ``ABSENT`` removes it."""


class EntryCache:
    """A read cache and a write cache of entries, each bounded.

    Parameters
    ----------
    entries
        The state behind.
    reads, writes
        How many entries are kept at most after they were read, and how many written ones wait.
    """

    def __init__(self, entries: Entries, *, reads: int, writes: int) -> None:
        self._entries = entries
        self._most_reads = max(reads, 1)
        self._most_writes = max(writes, 1)
        self._read: OrderedDict[Place, Any] = OrderedDict()
        self._written: OrderedDict[Place, Any] = OrderedDict()
        self._in_use: dict[Place, int] = {}

    def get(self, place: Place) -> Any:
        """The value at a key, or ``ABSENT``."""
        if place in self._written:
            self._written.move_to_end(place)
            return self._written[place]
        if place in self._read:
            self._read.move_to_end(place)
            return self._read[place]
        # Nothing is kept of a read that raised: the next one may fare better.
        (value,) = self._entries.read([place])
        self._read[place] = value
        self._evict()
        return value

    def load(self, places: Sequence[Place]) -> None:
        """Reads keys together that will be read one by one, as many as there is room for."""
        missing = [p for p in places if p not in self._written and p not in self._read]
        missing = missing[: self._most_reads]
        if missing:
            self._read.update(zip(missing, self._entries.read(missing), strict=True))
            self._evict()

    def put(self, place: Place, value: Any) -> None:
        """Sets the value at a key; ``ABSENT`` removes it."""
        self._read.pop(place, None)
        self._written[place] = value
        self._written.move_to_end(place)
        if len(self._written) > self._most_writes:
            self._shed()

    @contextmanager
    def using(self, place: Place) -> Iterator[Any]:
        """The value at a key, which is not evicted until the iterator over it has ended."""
        self._in_use[place] = self._in_use.get(place, 0) + 1
        try:
            yield self.get(place)
        finally:
            self._in_use[place] -= 1
            if not self._in_use[place]:
                del self._in_use[place]

    def flush(self) -> None:
        """Sends what was written, which can then be read without asking."""
        sent = list(self._written.items())
        self._entries.write(sent)
        self._written.clear()
        self._read.update(sent)
        self._evict()

    def forget(self) -> None:
        """Drops the read cache."""
        self._read.clear()

    def __len__(self) -> int:
        return len(self._read) + len(self._written)

    def _shed(self) -> None:
        """Sends what was written longest ago, half of it at once so that sending is worth it."""
        leaving = [place for place in self._written if place not in self._in_use]
        leaving = leaving[: max(len(leaving) // 2, 1)]
        self._entries.write([(place, self._written.pop(place)) for place in leaving])

    def _evict(self) -> None:
        excess = len(self._read) - self._most_reads
        if excess > 0:
            # The one read last has to outlive its own arrival.
            newest = next(reversed(self._read))
            spare = (p for p in self._read if p not in self._in_use and p != newest)
            for place in list(islice(spare, excess)):
                del self._read[place]
