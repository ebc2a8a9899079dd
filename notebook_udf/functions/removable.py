"""Iterators over the entries of a map that can remove the entry they came to last.

Semantics: those of PyFlink's map state, whose iterators over keys, values and items do so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from operator import length_hint
from typing import Any, Generic, TypeVar, cast

T = TypeVar("T")


class _Place:
    """An iterator's position: its section of the map, and the rest of that."""

    def __init__(self) -> None:
        self.section: dict[Any, Any] = {}
        self.left: Iterator[Any] = iter(())
        # The section's keys, as soon as something of it was removed.
        self.keys: list[Any] | None = None
        self.removed = -1


# On ``chain``, so that no Python runs for an entry.
class RemovableIterator(chain, Generic[T]):  # type: ignore[type-arg]
    """Iterates over a map; ``remove`` removes the last entry from it."""

    _place: _Place
    _remove: Callable[[Any], None]

    @classmethod
    def over(
        cls,
        sections: Iterable[dict[Any, Any]],
        of: Callable[[dict[Any, Any]], Iterable[T]],
        remove: Callable[[Any], None],
    ) -> RemovableIterator[T]:
        """Iterates over sections of a map, one after the other.

        Parameters
        ----------
        sections
            Parts of the map that have no key in common.
        of
            What is iterated over in a section: its keys, values or items.
        remove
            Removes a key from the map.
        """
        place = _Place()
        made: Any = cls.from_iterable(_parts(sections, of, place))
        made._place, made._remove = place, remove
        return cast("RemovableIterator[T]", made)

    def remove(self) -> None:
        """Removes the entry that was returned last.

        Raises
        ------
        ValueError
            If there is none yet, or it was removed already.
        """
        place = self._place
        if place.keys is None:
            place.keys = list(place.section)
            # The rest is copied first: a dict that shrinks cannot be iterated over.
            place.left = iter(list(place.left))
        last = len(place.keys) - length_hint(place.left) - 1
        if last < 0 or last == place.removed:
            raise ValueError("there is nothing to remove before the next entry was asked for")
        self._remove(place.keys[last])
        place.removed = last


def _parts(
    sections: Iterable[dict[Any, Any]],
    of: Callable[[dict[Any, Any]], Iterable[Any]],
    place: _Place,
) -> Iterator[Iterator[Any]]:
    for section in sections:
        place.section, place.keys, place.removed = section, None, -1
        place.left = iter(of(section))
        yield place.left
        if place.keys is not None:
            yield place.left
