"""``ListView`` and ``MapView``: the parts of an accumulator that may grow large.

Here they hold their values in memory, as a batch query needs it. The interface, and that
a ``ListView`` cannot remove a single element, come from FLIP-139,
"DataView".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from notebook_udf.functions.removable import RemovableIterator

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class DataView(ABC):
    """Base of the views.

    Notes
    -----
    Source: [FLIP-139][flip-139], "DataView".

    Examples
    --------
    >>> issubclass(nu.ListView, nu.DataView), issubclass(nu.MapView, nu.DataView)
    (True, True)
    >>> view = nu.ListView([1, 2])
    >>> view.clear()
    >>> list(view)
    []
    """

    @abstractmethod
    def clear(self) -> None:
        """Removes everything."""


class ListView(DataView, Generic[T]):
    """A list that values are added to.

    Notes
    -----
    Source: [FLIP-139][flip-139], "DataView".
    It cannot remove a single element.

    Examples
    --------
    >>> values = nu.ListView()
    >>> values.add(1)
    >>> values.add_all([2, 3])
    >>> list(values.get())
    [1, 2, 3]
    >>> values.clear()
    >>> list(values)
    []
    """

    def __init__(self, values: Iterable[T] = ()) -> None:
        self._values: list[T] = list(values)

    def get(self) -> Iterable[T]:
        """The values, in the order they were added."""
        return iter(self._values)

    def add(self, value: T) -> None:
        """Appends a value."""
        self._values.append(value)

    def add_all(self, values: list[T]) -> None:
        """Appends every value of a list."""
        self._values.extend(values)

    def clear(self) -> None:
        """Removes everything."""
        self._values.clear()

    def __iter__(self) -> Iterator[T]:
        return iter(self.get())

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, ListView) and list(self) == list(other)

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._values!r})"


class MapView(DataView, Generic[K, V]):
    """A mapping whose entries are read, put and removed by key.

    Notes
    -----
    Source: [FLIP-139][flip-139], "DataView".

    Examples
    --------
    >>> seen = nu.MapView()
    >>> seen.put("a", 1)
    >>> seen["b"] = 2
    >>> seen.put_all({"c": 3, "d": 4})
    >>> seen.remove("d")
    >>> seen.get("a"), seen.contains("d"), seen.is_empty()
    (1, False, False)
    >>> sorted(seen.keys()), sum(seen.values()), sorted(seen.items())
    (['a', 'b', 'c'], 6, [('a', 1), ('b', 2), ('c', 3)])
    >>> seen.clear()
    >>> list(seen)
    []
    """

    def __init__(self, entries: dict[K, V] | None = None) -> None:
        self._entries: dict[K, V] = dict(entries or {})

    def get(self, key: K) -> V:
        """The value under a key.

        Raises
        ------
        KeyError
            If there is none; ask with ``contains`` or ``in`` first.
        """
        return self._entries[key]

    def put(self, key: K, value: V) -> None:
        """Sets the value under a key."""
        self._entries[key] = value

    def put_all(self, dict_value: dict[K, V]) -> None:
        """Sets every entry of a dict."""
        self._entries.update(dict_value)

    def remove(self, key: K) -> None:
        """Removes a key; one that is not there is no error."""
        self._entries.pop(key, None)

    def contains(self, key: K) -> bool:
        """Whether there is a value under the key."""
        return key in self._entries

    def items(self) -> RemovableIterator[tuple[K, V]]:
        """Keys and values; the iterator's ``remove`` removes the entry it came to last."""
        return self._iterator(dict.items)

    def keys(self) -> RemovableIterator[K]:
        """The keys, as ``items``."""
        return self._iterator(iter)

    def values(self) -> RemovableIterator[V]:
        """The values, as ``items``."""
        return self._iterator(dict.values)

    def is_empty(self) -> bool:
        """Whether there is no entry."""
        return not self._entries

    def clear(self) -> None:
        """Removes everything."""
        self._entries.clear()

    def __getitem__(self, key: K) -> V:
        return self.get(key)

    def __setitem__(self, key: K, value: V) -> None:
        self.put(key, value)

    def __delitem__(self, key: K) -> None:
        self.remove(key)

    def __contains__(self, key: K) -> bool:
        return self.contains(key)

    def __iter__(self) -> Iterator[K]:
        return self.keys()

    def _iterator(self, of: Callable[[Any], Iterable[Any]]) -> RemovableIterator[Any]:
        return RemovableIterator.over([self._entries], of, self.remove)

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, MapView) and dict(self.items()) == dict(other.items())

    def __hash__(self) -> int:
        return hash(frozenset(self.items()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._entries!r})"
