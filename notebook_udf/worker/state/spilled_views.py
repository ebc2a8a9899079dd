"""State views that are spilled: accumulators are stored whole, their large views in entries.

An accumulator is pickled into one value per key. A ``MapView`` or ``ListView`` in it that has grown
past ``WHOLE`` values is spilled, into entries of some hundred values each, and only its size stays
in the accumulator, until it has shrunk to half of that; the function cannot tell. ``Keeper``
pickles and unpickles accumulators, ``views_of`` rebuilds views from entries for a reader.
"""

from __future__ import annotations

import datetime as dt
import numbers
import os
import pickle
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from notebook_udf.functions.removable import RemovableIterator
from notebook_udf.functions.views import ListView, MapView
from notebook_udf.specs.checkpoint import kept_list, kept_map, list_view, loading, map_view
from notebook_udf.specs.pickling import dumper
from notebook_udf.worker.state.cache import ABSENT, EntryCache, Place

# A view of more values than this is written apart.
WHOLE = 512
# Values per entry, when a view is laid out; twice as many before it is laid out again.
_PER_ENTRY = 256

# What cannot change without being put again.
_CONSTANT = (numbers.Number, str, bytes, type(None), dt.date, dt.time, dt.timedelta)

Name = tuple[str, int]


class Keeper:
    """Pickles accumulators and knows where their large views are.

    Parameters
    ----------
    cache
        The entries of large views, under a grouping key, and an identifier and a number.
    whole
        The size from which a view is written apart.
    """

    def __init__(self, cache: EntryCache, whole: int = WHOLE) -> None:
        self._cache = cache
        self._whole = whole
        self._key = b""
        self._seen: dict[str, int] = {}
        self._dump = dumper(
            {
                MapView: self._reduce_map,
                ListView: self._reduce_list,
                KeptMapView: self._reduce_kept,
                KeptListView: self._reduce_kept,
            }
        )

    def dump(self, key: bytes, value: Any) -> tuple[bytes, dict[str, int]]:
        """Pickles the accumulators of a key; also returns their large views and those' entries."""
        self._key, self._seen = key, {}
        return self._dump(value), self._seen

    def load(self, key: bytes, value: bytes) -> tuple[Any, dict[str, int]]:
        """Unpickles the accumulators of a key; also returns their large views and those'
        entries."""
        views = _KeptViews(self._cache, key)
        return views.load(value), views.seen

    def drop(self, key: bytes, views: Mapping[str, int]) -> None:
        """Removes the entries of views."""
        for identifier, entries in views.items():
            for number in range(entries):
                self._cache.put((key, (identifier, number)), ABSENT)

    def _reduce_map(self, view: MapView[Any, Any]) -> Any:
        if len(view._entries) <= self._whole:
            return map_view, (view._entries,)
        kept = KeptMapView(self._cache, self._key, _identifier(), 0, 0)
        kept.lay_out(view._entries)
        return self._reduce_kept(kept)

    def _reduce_list(self, view: ListView[Any]) -> Any:
        if len(view._values) <= self._whole:
            return list_view, (view._values,)
        kept = KeptListView(self._cache, self._key, _identifier(), 0, 0)
        kept.add_all(view._values)
        return self._reduce_kept(kept)

    def _reduce_kept(self, view: KeptMapView | KeptListView) -> Any:
        if view.size <= self._whole // 2:
            # Half of what it takes to be written apart, lest a view go back and forth.
            values = view.held()
            view.drop()
            return (map_view if isinstance(view, KeptMapView) else list_view), (values,)
        self._seen[view.identifier] = view.entries
        made = kept_map if isinstance(view, KeptMapView) else kept_list
        return made, (view.identifier, view.size, view.entries)


class _Spread:
    """Values that are spilled into entries of the state, by number."""

    def __init__(
        self, cache: EntryCache, key: bytes, identifier: str, size: int, entries: int
    ) -> None:
        self._cache = cache
        self._key = key
        self.identifier = identifier
        self.size = size
        self.entries = entries

    def drop(self) -> None:
        """Removes its entries."""
        for number in range(self.entries):
            self._put(number, ABSENT)

    def _put(self, number: int, part: Any) -> None:
        self._cache.put(self._place(number), part)

    def _place(self, number: int) -> Place:
        return self._key, (self.identifier, number)


class KeptMapView(_Spread, MapView[Any, Any]):
    """A map whose entries are spread over entries of the state by a hash of their keys."""

    def lay_out(self, values: dict[Any, Any]) -> None:
        """Replaces everything by these values."""
        before = self.entries
        self.size = len(values)
        self.entries = max(-(-self.size // _PER_ENTRY), 1)
        parts: list[dict[Any, Any]] = [{} for _ in range(self.entries)]
        for key, value in values.items():
            parts[steady_hash(key) % self.entries][key] = value
        for number, part in enumerate(parts):
            self._put(number, part)
        for number in range(self.entries, before):
            self._put(number, ABSENT)

    def get(self, key: Any) -> Any:
        number = steady_hash(key) % self.entries
        part = self._part(number)
        value = part[key]
        if not isinstance(value, _CONSTANT):
            # It may be changed in place, as it can be in a view that is held whole.
            self._put(number, part)
        return value

    def put(self, key: Any, value: Any) -> None:
        number = steady_hash(key) % self.entries
        part = self._part(number)
        if key not in part:
            self.size += 1
        part[key] = value
        self._put(number, part)
        if self.size > 2 * _PER_ENTRY * self.entries:
            self.lay_out(dict(self.items()))

    def put_all(self, dict_value: dict[Any, Any]) -> None:
        for key, value in dict_value.items():
            self.put(key, value)

    def remove(self, key: Any) -> None:
        number = steady_hash(key) % self.entries
        part = self._part(number)
        if key in part:
            del part[key]
            self.size -= 1
            self._put(number, part)

    def contains(self, key: Any) -> bool:
        return key in self._part(steady_hash(key) % self.entries)

    def _iterator(self, of: Callable[[Any], Iterable[Any]]) -> RemovableIterator[Any]:
        return RemovableIterator.over(self._parts(), of, self.remove)

    def _parts(self) -> Iterator[dict[Any, Any]]:
        entries = self.entries
        for number in range(entries):
            with self._cache.using(self._place(number)) as part:
                if part is not ABSENT:
                    if not all(isinstance(value, _CONSTANT) for value in part.values()):
                        self._put(number, part)
                    # A copy, so that entries can be removed on the way.
                    yield dict(part)
            if entries != self.entries:
                raise RuntimeError("the map was changed while it was iterated over")

    def is_empty(self) -> bool:
        return not self.size

    def clear(self) -> None:
        self.lay_out({})

    def held(self) -> dict[Any, Any]:
        """All values, in memory."""
        return dict(self.items())

    def __repr__(self) -> str:
        return f"MapView(of {self.size:,} entries)"

    def _part(self, number: int) -> dict[Any, Any]:
        part = self._cache.get(self._place(number))
        return {} if part is ABSENT else part


class KeptListView(_Spread, ListView[Any]):
    """A spilled list, in pieces of which only the last is read to append to it."""

    def get(self) -> Iterator[Any]:
        for number in range(self.entries):
            with self._cache.using(self._place(number)) as part:
                if part is not ABSENT:
                    if not all(isinstance(value, _CONSTANT) for value in part):
                        self._put(number, part)
                    yield from part

    def add(self, value: Any) -> None:
        if self.size == self.entries * _PER_ENTRY:
            self._put(self.entries, [value])
            self.entries += 1
        else:
            part = self._cache.get(self._place(self.entries - 1))
            part.append(value)
            self._put(self.entries - 1, part)
        self.size += 1

    def add_all(self, values: list[Any]) -> None:
        for value in values:
            self.add(value)

    def clear(self) -> None:
        self.drop()
        self.size = self.entries = 0

    def held(self) -> list[Any]:
        """All values, in memory."""
        return list(self)

    def __repr__(self) -> str:
        return f"ListView(of {self.size:,} values)"


def steady_hash(value: Any) -> int:
    """A hash that is the same in every process, and equal for equal values."""
    if isinstance(value, numbers.Number):
        return hash(value)
    if isinstance(value, str):
        return zlib.crc32(value.encode("utf-8", "surrogatepass"))
    if isinstance(value, (bytes, bytearray)):
        return zlib.crc32(value)
    if value is None:
        return 0
    if isinstance(value, tuple):
        return hash(tuple(map(steady_hash, value)))
    if isinstance(value, frozenset):
        return hash(frozenset(map(steady_hash, value)))
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        return hash(value.timestamp())
    if isinstance(value, (dt.date, dt.time, dt.timedelta)):
        return zlib.crc32(str(value).encode())
    return zlib.crc32(dumper(steady=True)(value))


def views_of(entries: Mapping[Name, bytes]) -> Callable[[bytes], Any]:
    """Unpickles the value of a key, with its large views rebuilt from the key's entries."""

    def load(value: bytes) -> Any:
        return _KeptViews(EntryCache(_Given(entries), reads=1, writes=1), b"").load(value)

    return load


class _Given:
    """The entries of one grouping key, read already."""

    def __init__(self, entries: Mapping[Name, bytes]) -> None:
        self._entries = entries

    def read(self, places: Any) -> list[Any]:
        found = [self._entries.get(name) for _, name in places]
        return [ABSENT if value is None else pickle.loads(value) for value in found]

    def write(self, entries: Any) -> None:
        raise NotImplementedError("what was read back is not written")


def _identifier() -> str:
    return os.urandom(6).hex()


class _KeptViews:
    """Rebuilds the large views of a key from the entries in a cache."""

    def __init__(self, cache: EntryCache, key: bytes) -> None:
        self._cache = cache
        self._key = key
        # How many entries each has.
        self.seen: dict[str, int] = {}

    def load(self, value: bytes) -> Any:
        """What was pickled, with its large views."""
        loading.append(self)
        try:
            return pickle.loads(value)
        finally:
            loading.pop()

    def kept_map(self, identifier: str, size: int, entries: int) -> KeptMapView:
        self.seen[identifier] = entries
        return KeptMapView(self._cache, self._key, identifier, size, entries)

    def kept_list(self, identifier: str, size: int, entries: int) -> KeptListView:
        self.seen[identifier] = entries
        return KeptListView(self._cache, self._key, identifier, size, entries)
