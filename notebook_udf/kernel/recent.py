"""What was made lately, by a key; what has not been asked for longest is made again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Recent(Generic[T]):
    """At most ``size`` of them. Not thread-safe by itself."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept: OrderedDict[tuple[Any, ...], T] = OrderedDict()

    def get(self, key: tuple[Any, ...], make: Callable[[], T]) -> T:
        """The one of a key; ``make`` makes it."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        return self.put(key, make())

    def put(self, key: tuple[Any, ...], made: T) -> T:
        """Keeps one that was made, in the place of a former one."""
        self._kept[key] = made
        self._kept.move_to_end(key)
        if len(self._kept) > self._size:
            self._kept.popitem(last=False)
        return made

    def known(self, key: tuple[Any, ...]) -> T | None:
        """The one of a key, if it was made and is kept."""
        return self._kept.get(key)

    def forget(self, chosen: Callable[[tuple[Any, ...]], bool]) -> None:
        """Forgets those whose keys are chosen."""
        for key in [key for key in self._kept if chosen(key)]:
            del self._kept[key]
