"""``ValueState``, ``ListState`` and ``MapState``: what a function remembers of a key.

The interfaces for users' code, and implementations that hold everything in memory.
``worker.state.spilled_views`` has accumulators and their views in a stream's state.
The interfaces, and that a ``ListState`` cannot remove a single element, come from FLIP-139,
"Pyflink State API".
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Generic, TypeVar

from notebook_udf.functions.removable import RemovableIterator
from notebook_udf.functions.views import ListView, MapView

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class State(ABC):
    """Base of all kinds of state."""

    @abstractmethod
    def clear(self) -> None:
        """Removes the current key's contents."""


class ValueState(State, Generic[T]):
    """One value per key.

    Notes
    -----
    Source: [FLIP-139][flip-139], "Pyflink State API".

    Examples
    --------
    >>> COUNT = nu.StateDeclarations.value_state("count", int)
    >>> class Counted(nu.OneInputStreamProcessFunction):
    ...     def uses_states(self):
    ...         return [COUNT]
    ...
    ...     def process_record(self, record: str, output: nu.Collector[int], ctx):
    ...         count = ctx.get_state(COUNT)
    ...         count.update((count.value() or 0) + 1)
    ...         output.collect(count.value())
    ...         if count.value() == 2:
    ...             count.clear()
    >>> counted = session.register_function("counted", Counted)
    >>> counted.eval(["a", "b", "a", "a"], key_by=lambda record: record)
    [1, 1, 2, 1]
    """

    @abstractmethod
    def value(self) -> T | None:
        """The value, or None if none was set."""

    @abstractmethod
    def update(self, value: T) -> None:
        """Sets the value."""


class ListState(State, Generic[T]):
    """A list per key, which can be added to or replaced as a whole.

    Notes
    -----
    Source: [FLIP-139][flip-139], "Pyflink State API".

    Examples
    --------
    >>> WORDS = nu.StateDeclarations.list_state("words", str)
    >>> class Words(nu.OneInputStreamProcessFunction):
    ...     def uses_states(self):
    ...         return [WORDS]
    ...
    ...     def process_record(self, record: str, output: nu.Collector[str], ctx):
    ...         words = ctx.get_state(WORDS)
    ...         if record == "forget":
    ...             words.clear()
    ...         elif record == "shorten":
    ...             words.update(list(words.get())[-1:])
    ...         elif " " in record:
    ...             words.add_all(record.split())
    ...         else:
    ...             words.add(record)
    ...         output.collect(" ".join(words))
    >>> words = session.register_function("words", Words)
    >>> words.eval(["to", "be or", "shorten", "forget"], key_by=lambda record: 1)
    ['to', 'to be or', 'or', '']
    """

    @abstractmethod
    def get(self) -> Iterable[T]:
        """The values, in the order they were added."""

    @abstractmethod
    def add(self, value: T) -> None:
        """Appends a value."""

    @abstractmethod
    def update(self, values: list[T]) -> None:
        """Replaces all values by these."""

    @abstractmethod
    def add_all(self, values: list[T]) -> None:
        """Appends every value of a list."""

    def __iter__(self) -> Iterator[T]:
        return iter(self.get())


class MapState(State, Generic[K, V]):
    """A mapping per key, whose entries are read, put and removed one by one.

    Notes
    -----
    Source: [FLIP-139][flip-139], "Pyflink State API".

    Examples
    --------
    >>> STOCK = nu.StateDeclarations.map_state("stock", str, int)
    >>> class Stock(nu.OneInputStreamProcessFunction):
    ...     def uses_states(self):
    ...         return [STOCK]
    ...
    ...     def process_record(self, record: str, output: nu.Collector[str], ctx):
    ...         stock = ctx.get_state(STOCK)
    ...         if record == "closed":
    ...             stock.clear()
    ...         elif record.startswith("no "):
    ...             stock.remove(record[3:])
    ...         elif stock.contains(record):
    ...             stock.put(record, stock.get(record) + 1)
    ...         else:
    ...             stock.put_all({record: 1})
    ...         kinds = "nothing" if stock.is_empty() else " ".join(sorted(stock.keys()))
    ...         output.collect(f"{kinds}: {sum(stock.values())}")
    >>> stock = session.register_function("stock", Stock)
    >>> stock.eval(["tea", "rum", "tea", "no rum", "closed"], key_by=lambda record: 1)
    ['tea: 1', 'rum tea: 2', 'rum tea: 3', 'tea: 2', 'nothing: 0']
    """

    @abstractmethod
    def get(self, key: K) -> V:
        """The value under a key.

        Raises
        ------
        KeyError
            If there is none; ask with ``contains`` or ``in`` first.
        """

    @abstractmethod
    def put(self, key: K, value: V) -> None:
        """Sets the value under a key."""

    @abstractmethod
    def put_all(self, dict_value: dict[K, V]) -> None:
        """Sets every entry of a dict."""

    @abstractmethod
    def remove(self, key: K) -> None:
        """Removes a key; one that is not there is no error."""

    @abstractmethod
    def contains(self, key: K) -> bool:
        """Whether there is a value under the key."""

    @abstractmethod
    def items(self) -> RemovableIterator[tuple[K, V]]:
        """Keys and values; the iterator's ``remove`` removes the entry it came to last."""

    @abstractmethod
    def keys(self) -> RemovableIterator[K]:
        """The keys, as ``items``."""

    @abstractmethod
    def values(self) -> RemovableIterator[V]:
        """The values, as ``items``."""

    @abstractmethod
    def is_empty(self) -> bool:
        """Whether there is no entry."""

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


class InMemoryValueState(ValueState[T]):
    """A value held in memory."""

    def __init__(self, value: T | None = None) -> None:
        self._value = value

    def value(self) -> T | None:
        return self._value

    def update(self, value: T) -> None:
        self._value = value

    def clear(self) -> None:
        self._value = None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._value!r})"


class InMemoryListState(ListView[T], ListState[T]):
    """A list held in memory."""

    def update(self, values: list[T]) -> None:
        self._values = list(values)


class InMemoryMapState(MapView[K, V], MapState[K, V]):
    """A mapping held in memory."""
