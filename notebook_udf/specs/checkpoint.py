"""What the pickles in checkpoints name: this module's path and the names in it are for ever.

A view that is small is pickled whole. Of a large one the pickle holds where its entries are, and
``loading`` says to whom they belong. Keys and distinct rows hold the two classes at the end, which
equal where SQL says so.
"""

from __future__ import annotations

import datetime as dt
from typing import Any, Protocol

from notebook_udf.functions.views import ListView, MapView


class Loading(Protocol):
    """What puts large views together again, while one key's pickle is loaded."""

    def kept_map(self, identifier: str, size: int, entries: int) -> MapView[Any, Any]:
        """A map of so many values, in so many entries."""

    def kept_list(self, identifier: str, size: int, entries: int) -> ListView[Any]:
        """A list of so many values, in so many entries."""


# The last one counts.
loading: list[Loading] = []


def map_view(entries: dict[Any, Any]) -> MapView[Any, Any]:
    """A map that was kept whole."""
    view: MapView[Any, Any] = MapView.__new__(MapView)
    view._entries = entries
    return view


def list_view(values: list[Any]) -> ListView[Any]:
    """A list that was kept whole."""
    view: ListView[Any] = ListView.__new__(ListView)
    view._values = values
    return view


def kept_map(identifier: str, size: int, entries: int) -> MapView[Any, Any]:
    """A map that is kept in entries."""
    return loading[-1].kept_map(identifier, size, entries)


def kept_list(identifier: str, size: int, entries: int) -> ListView[Any]:
    """A list that is kept in entries."""
    return loading[-1].kept_list(identifier, size, entries)


class ViewAsValue:
    """A view that is the value of a ``ValueState``, and not the whole of another state."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __repr__(self) -> str:
        return repr(self.value)


class LastingNaN(float):
    """A NaN that equals every other of its class, so that it does after pickling as well."""

    def __eq__(self, other: object) -> bool:
        return type(other) is LastingNaN

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return 0


class SecondLocalTime(dt.datetime):
    """A local time that the clocks showed for the second time; to ``datetime`` both are equal."""

    def __eq__(self, other: object) -> bool:
        return type(other) is SecondLocalTime and super().__eq__(other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((1, super().__hash__()))

    def __repr__(self) -> str:
        return repr(dt.datetime(*self.timetuple()[:6], self.microsecond, fold=1))
