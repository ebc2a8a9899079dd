"""The states of process functions as values of a stream's state, and the reverse.

A small list or mapping is stored whole, a large one in entries of its own: ``spilled_views`` does
that, which knows both as views. Here states become views and views become states; the objects that
a function holds stay the same, and only their content is exchanged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, MutableMapping
from typing import Any

from notebook_udf.functions.process_states import Contents, StateDeclaration
from notebook_udf.functions.views import ListView, MapView
from notebook_udf.specs.checkpoint import ViewAsValue
from notebook_udf.worker.state.spilled_views import KeptListView, KeptMapView


def packed(declared: Iterable[StateDeclaration], contents: Contents) -> dict[str, Any]:
    """The content of states, by name, with views for lists and mappings."""
    return {each.name: _packed(part) for each, part in zip(declared, contents, strict=True)}


def unpacked(declared: Iterable[StateDeclaration], found: dict[str, Any]) -> Contents:
    """The content of states, from what ``packed`` made of it."""
    return [_unpacked(found[each.name]) for each in declared]


def is_empty(contents: Contents) -> bool:
    """Whether states are all empty, so that nothing is stored for their key."""
    parts = (part for content in contents for part in content.values())
    return all(part is None or (isinstance(part, _SIZED) and not len(part)) for part in parts)


def _packed(content: dict[str, Any]) -> Any:
    ((kind, value),) = content.items()
    if kind == "_value":
        return ViewAsValue(value) if isinstance(value, (ListView, MapView)) else value
    if isinstance(value, (_Entries, _Values)):
        return value.view
    view: Any = MapView.__new__(MapView) if kind == "_entries" else ListView.__new__(ListView)
    view.__dict__ = content
    return view


def _unpacked(value: Any) -> dict[str, Any]:
    if isinstance(value, KeptMapView):
        return {"_entries": _Entries(value)}
    if isinstance(value, KeptListView):
        return {"_values": _Values(value)}
    if isinstance(value, (ListView, MapView)):
        return value.__dict__
    return {"_value": value.value if isinstance(value, ViewAsValue) else value}


class _Entries(MutableMapping[Any, Any]):
    """The entries of a spilled mapping, with the interface of the dict of one in memory."""

    def __init__(self, view: KeptMapView) -> None:
        self.view = view

    def __getitem__(self, key: Any) -> Any:
        return self.view.get(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self.view.put(key, value)

    def __delitem__(self, key: Any) -> None:
        self.view.remove(key)

    def __contains__(self, key: Any) -> bool:
        return self.view.contains(key)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.view.keys())

    def __len__(self) -> int:
        return self.view.size

    def clear(self) -> None:
        self.view.clear()

    def __repr__(self) -> str:
        return f"{{of {len(self):,} entries}}"


class _Values:
    """The values of a spilled list, with the interface of the list of one in memory."""

    def __init__(self, view: KeptListView) -> None:
        self.view = view

    def __iter__(self) -> Iterator[Any]:
        return iter(self.view.get())

    def __len__(self) -> int:
        return self.view.size

    def append(self, value: Any) -> None:
        """Adds a value."""
        self.view.add(value)

    def extend(self, values: Iterable[Any]) -> None:
        """Adds values."""
        self.view.add_all(list(values))

    def clear(self) -> None:
        """Removes all values."""
        self.view.clear()

    def __repr__(self) -> str:
        return f"[of {len(self):,} values]"


_SIZED = (dict, list, _Entries, _Values)
