"""``Row``: a row whose fields can be read and changed, as PyFlink's.

PySpark's ``Row`` is a tuple, and an accumulator has to change.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class Row:
    """Values by position, and by name where they were given names.

    ``Row(1, "a")`` has positions only; ``Row(count=0, seen=MapView())`` has fields ``count`` and
    ``seen``, which are read and set as ``row["count"]``, ``row.count`` or ``row[0]``.

    Raises
    ------
    ValueError
        If some values have names and others have not.
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

    def as_dict(self) -> dict[str, Any]:
        """The fields by name.

        Raises
        ------
        ValueError
            If they have no names.
        """
        if not self._names:
            raise ValueError("the fields of this Row have no names")
        return dict(zip(self._names, self._values, strict=True))

    def _place(self, key: int | str) -> int:
        if isinstance(key, int):
            return key
        try:
            return self._names.index(key)
        except ValueError:
            known = ", ".join(self._names) or "none have names"
            raise KeyError(f"no field {key!r}; there are {known}") from None

    def __getitem__(self, key: int | str) -> Any:
        return self._values[self._place(key)]

    def __setitem__(self, key: int | str, value: Any) -> None:
        self._values[self._place(key)] = value

    def __getattr__(self, name: str) -> Any:
        # Dunder names are asked for by copy and pickle before there are fields.
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


def _remade(names: tuple[str, ...], values: list[Any]) -> Row:
    # copy.copy() hands over the row's own list, which the copy is not to share.
    return Row.of(names, list(values))
