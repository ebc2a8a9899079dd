"""``Row``: a row whose fields can be read and changed, as PyFlink's.

PySpark's ``Row`` is a tuple, and an accumulator has to change.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from keyword import iskeyword
from operator import attrgetter
from typing import Any


class Row:
    """Values by position, and by name where they were given names.

    ``Row(1, "a")`` has positions only; ``Row(count=0, seen=MapView())`` has fields ``count`` and
    ``seen``, which are read and set as ``row["count"]``, ``row.count`` or ``row[0]``.

    Raises
    ------
    ValueError
        If some values have names and others have not.

    Notes
    -----
    Sources: PyFlink's [Row][pyflink], and PySpark's [Row][pyspark].

    Examples
    --------
    >>> row = nu.Row(id=1, name="a")
    >>> row.name, row[0], row.as_dict()
    ('a', 1, {'id': 1, 'name': 'a'})
    >>> pair = nu.Row(1, 2)
    >>> pair.set_field_names(["left", "right"])
    >>> pair.right = 3
    >>> pair.names, pair
    (('left', 'right'), Row(left=1, right=3))
    """

    __slots__ = ("_names", "_values")

    _names: tuple[str, ...]
    _values: list[Any]

    def __init__(self, /, *values: Any, **named: Any) -> None:
        if values and named:
            raise ValueError("a Row takes values by position or by name, not both")
        object.__setattr__(self, "_names", tuple(named))
        object.__setattr__(self, "_values", [*values, *named.values()])

    @classmethod
    def of(cls, names: tuple[str, ...], values: list[Any]) -> Row:
        """A row of these fields; keeps ``values`` itself."""
        made = cls()
        object.__setattr__(made, "_names", names)
        object.__setattr__(made, "_values", values)
        return made

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its fields; empty if they have none."""
        return self._names

    def as_dict(self, recursive: bool = False) -> dict[str, Any]:
        """The fields by name; with ``recursive`` those of rows inside it as well.

        Raises
        ------
        ValueError
            If they have no names.
        """
        if not self._names:
            raise ValueError("the fields of this Row have no names")
        values = map(_as_dicts, self._values) if recursive else self._values
        return dict(zip(self._names, values, strict=True))

    def set_field_names(self, field_names: Iterable[str]) -> None:
        """Gives the fields names, in their order.

        Raises
        ------
        ValueError
            If there are more or fewer names than fields.
        """
        names = tuple(field_names)
        if len(names) != len(self._values):
            raise ValueError(f"{self!r} has {len(self._values)} fields, not {len(names)}")
        object.__setattr__(self, "_names", names)

    def __call__(self, *values: Any) -> Row:
        """A row of these values, where this one holds the names: ``Row("id", "name")(1, "a")``.

        Raises
        ------
        ValueError
            If there are more or fewer values than names, or its values are no names.
        """
        names = tuple(self._values)
        if len(values) != len(names) or not all(isinstance(name, str) for name in names):
            raise ValueError(f"{self!r} does not name {len(values)} values")
        return Row.of(names, list(values))

    def _place(self, key: int | str) -> int:
        if isinstance(key, int):
            return key
        try:
            return self._names.index(key)
        except ValueError:
            known = ", ".join(self._names) or "none have names"
            raise KeyError(f"no field {key!r}; there are {known}") from None

    def __getitem__(self, key: int | slice | str) -> Any:
        return self._values[key if isinstance(key, slice) else self._place(key)]

    def __setitem__(self, key: int | str, value: Any) -> None:
        self._values[self._place(key)] = value

    def __getattr__(self, name: str) -> Any:
        # copy and pickle look up dunder names before there are fields.
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            self[name] = value
        except KeyError as error:
            raise AttributeError(error.args[0]) from None

    def __iter__(self) -> Iterator[Any]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, value: object) -> bool:
        return value in self._values

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Row):
            return NotImplemented
        return self._names == other._names and self._values == other._values

    def __hash__(self) -> int:
        return hash((self._names, tuple(self._values)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _remade, (self._names, self._values)

    def __repr__(self) -> str:
        if self._names:
            return f"Row({', '.join(f'{n}={v!r}' for n, v in self.as_dict().items())})"
        return f"Row({', '.join(map(repr, self._values))})"


def _as_dicts(value: Any) -> Any:
    if isinstance(value, Row):
        return value.as_dict(recursive=True) if value.names else value
    if isinstance(value, list):
        return [_as_dicts(part) for part in value]
    if isinstance(value, dict):
        return {key: _as_dicts(part) for key, part in value.items()}
    return value


def _remade(names: tuple[str, ...], values: list[Any]) -> Row:
    # copy.copy() passes the row's own list, which the copy must not share.
    return Row.of(names, list(values))


@functools.lru_cache(maxsize=256)
def record_class(names: tuple[str, ...]) -> type[Row]:
    """The class of rows with these fields, made from their values by position.

    They behave like any ``Row``; a field is read and set in a tenth of the time, because it is a
    slot of the class. A name that cannot be an attribute's, or is a method's, is read by item.
    """
    hidden = "_field"
    while any(name.startswith(hidden) for name in names):
        hidden += "_"
    slots = [
        name if _is_attribute(name) else f"{hidden}{place}" for place, name in enumerate(names)
    ]
    made = type(
        "Row",
        (Row,),
        {
            "__slots__": tuple(slots),
            "__module__": Row.__module__,
            "__init__": _initialiser(slots),
            "__setattr__": object.__setattr__ if list(names) == slots else _set_field,
            "__setitem__": _set_slot,
            "__copy__": _copied,
            "__reduce__": _reduced,
            "_names": names,
            "_slots": tuple(slots),
            "_values": property(_slot_values(slots)),
        },
    )
    return made


def _is_attribute(name: str) -> bool:
    usable = name.isidentifier() and not iskeyword(name)
    return usable and not name.startswith("_") and not hasattr(Row, name)


def _initialiser(slots: list[str]) -> Callable[..., None]:
    """An ``__init__`` that takes the values by position; written out, because a loop is slow."""
    arguments = [f"v{place}" for place in range(len(slots))]
    lines = [f"    self.{slot} = v{place}" for place, slot in enumerate(slots)]
    text = f"def __init__(self, {', '.join([*arguments, '/'])}):\n"
    names: dict[str, Any] = {}
    exec(text + "\n".join(lines), names)
    made: Callable[..., None] = names["__init__"]
    return made


def _slot_values(slots: list[str]) -> Callable[[Any], list[Any]]:
    if len(slots) == 1:
        return lambda self: [getattr(self, slots[0])]
    read = attrgetter(*slots)
    return lambda self: list(read(self))


def _set_field(self: Any, name: str, value: Any) -> None:
    try:
        place = self._names.index(name)
    except ValueError:
        if name in self._slots:
            object.__setattr__(self, name, value)
            return
        known = ", ".join(self._names)
        raise AttributeError(f"no field {name!r}; there are {known}") from None
    object.__setattr__(self, self._slots[place], value)


def _set_slot(self: Any, key: int | str, value: Any) -> None:
    object.__setattr__(self, self._slots[self._place(key)], value)


def _copied(self: Any) -> Any:
    return type(self)(*self._values)


def _reduced(self: Any) -> tuple[Any, ...]:
    return _record, (self._names, self._values)


def _record(names: tuple[str, ...], values: list[Any]) -> Row:
    return record_class(names)(*values)
