"""Values as Python source that evaluates to the same values, of the same types."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import keyword
import sys
import zoneinfo
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from pyspark.sql.types import Row

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.row import Row as OwnRow
from notebook_udf.kernel.kinds.call_form import Spell
from notebook_udf.python_calls import quoted


class Literals:
    """Writes values, and the names of their classes, for one module.

    Parameters
    ----------
    spell
        The name in the module of a name in another one, which it then imports.
    bound
        Whether the module itself defines a class of the notebook with a name.
    """

    def __init__(self, spell: Spell, bound: Callable[[str], bool]) -> None:
        self._spell = spell
        self._bound = bound

    def text(self, value: Any) -> str:
        """The source of a value; NaN evaluates to a NaN, sets are in the order of their texts.

        Raises
        ------
        DeclarationError
            If there is no source for values of its type, naming the type.
        """
        write = _WRITERS.get(type(value))
        if write is not None:
            return write(self, value)
        if isinstance(value, Row):
            return self._row(value)
        if isinstance(value, OwnRow):
            return self._own_row(value)
        if isinstance(value, enum.Enum) and value.name in type(value).__members__:
            return f"{self.class_name(type(value))}[{quoted(value.name)}]"
        if isinstance(value, _NUMPY) and not isinstance(value, (np.longdouble, np.timedelta64)):
            name = type(value).__name__
            return f"{self._spell('numpy', None)}.{name}({self.text(value.item())})"
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._fields(self.class_name(type(value)), value._fields, list(value))
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = dataclasses.fields(value)
            if all(field.init for field in fields):
                given = [getattr(value, field.name) for field in fields]
                return self._fields(self.class_name(type(value)), [f.name for f in fields], given)
        raise DeclarationError(f"a {_full_name(type(value))} cannot be written as a literal")

    def class_name(self, cls: type) -> str:
        """The name of a class in the module.

        Raises
        ------
        DeclarationError
            If the module cannot import it, and does not define it either.
        """
        module, name = cls.__module__, cls.__qualname__
        if module == "builtins":
            return name
        if module == "__main__" and self._bound(name):
            return name
        found: Any = sys.modules.get(module)
        outer, _, inner = name.partition(".")
        for part in name.split("."):
            found = getattr(found, part, None)
        if module == "__main__" or found is not cls:
            raise DeclarationError(
                f"{_full_name(cls)} cannot be imported, and is no part of what the function needs"
            )
        return ".".join(filter(None, [self._spell(module, outer), inner]))

    def _many(self, values: Iterable[Any]) -> str:
        return ", ".join(map(self.text, values))

    def _fields(self, cls: str, names: Iterable[str], values: list[Any]) -> str:
        if not names:
            return f"{cls}({self._many(values)})"
        pairs = zip(names, map(self.text, values), strict=True)
        return f"{cls}({', '.join(f'{name}={text}' for name, text in pairs)})"

    def _row(self, value: Row) -> str:
        cls = self._spell("pyspark.sql", "Row")
        names = getattr(value, "__fields__", None)
        if names is None:
            return f"{cls}({self._many(value)})"
        unique = len(set(names)) == len(names)
        if names and unique and all(map(_is_keyword_argument, names)):
            return self._fields(cls, names, list(value))
        return f"{cls}({self._many(names)})({self._many(value)})"

    def _own_row(self, value: OwnRow) -> str:
        cls = self._spell("notebook_udf", "Row")
        if all(map(_is_keyword_argument, value.names)):
            return self._fields(cls, value.names, list(value))
        return f"{cls}.of({self.text(value.names)}, {self.text(list(value))})"

    def _float(self, value: float) -> str:
        return repr(value) if value - value == 0 else f'float("{value!r}")'

    def _text(self, value: str) -> str:
        # What no file can hold, or nobody could see, is escaped.
        seen = all(each.isprintable() or each in "\n\r\t" for each in value)
        return quoted(value) if seen else repr(value)

    def _decimal(self, value: decimal.Decimal) -> str:
        return f'{self._spell("decimal", "Decimal")}("{value}")'

    def _tuple(self, value: tuple[Any, ...]) -> str:
        return f"({self._many(value)},)" if len(value) == 1 else f"({self._many(value)})"

    def _dict(self, value: dict[Any, Any]) -> str:
        pairs = (f"{self.text(key)}: {self.text(each)}" for key, each in value.items())
        return f"{{{', '.join(pairs)}}}"

    def _set(self, value: set[Any]) -> str:
        return f"{{{', '.join(sorted(map(self.text, value)))}}}" if value else "set()"

    def _frozenset(self, value: frozenset[Any]) -> str:
        return f"frozenset({self._set(set(value))})" if value else "frozenset()"

    def _of_datetime(self, value: Any, parts: Iterable[int], **named: Any) -> str:
        given = [*map(repr, parts), *(f"{name}={each}" for name, each in named.items() if each)]
        return f"{self._spell('datetime', None)}.{type(value).__name__}({', '.join(given)})"

    def _date(self, value: datetime.date) -> str:
        return self._of_datetime(value, (value.year, value.month, value.day))

    def _moment(self, value: datetime.datetime) -> str:
        day = (value.year, value.month, value.day)
        return self._of_datetime(value, (*day, *_clock(value)), **self._zoned(value))

    def _time(self, value: datetime.time) -> str:
        return self._of_datetime(value, _clock(value), **self._zoned(value))

    def _zoned(self, value: datetime.datetime | datetime.time) -> dict[str, Any]:
        zone = None if value.tzinfo is None else self.text(value.tzinfo)
        return {"tzinfo": zone, "fold": value.fold}

    def _duration(self, value: datetime.timedelta) -> str:
        parts = {"days": value.days, "seconds": value.seconds, "microseconds": value.microseconds}
        return self._of_datetime(value, (), **parts)

    def _offset(self, value: datetime.timezone) -> str:
        module = self._spell("datetime", None)
        if value is datetime.UTC:
            return f"{module}.timezone.utc"
        return f"{module}.timezone({self._many(value.__getinitargs__())})"  # type: ignore[attr-defined]

    def _zone(self, value: zoneinfo.ZoneInfo) -> str:
        if value.key is None:
            raise DeclarationError("a time zone without a name cannot be written as a literal")
        return f"{self._spell('zoneinfo', 'ZoneInfo')}({quoted(value.key)})"


_WRITERS: dict[type, Callable[[Literals, Any], str]] = {
    type(None): lambda _, value: repr(value),
    bool: lambda _, value: repr(value),
    int: lambda _, value: repr(value) if abs(value) < 10**1000 else hex(value),
    float: Literals._float,
    str: Literals._text,
    bytes: lambda _, value: repr(value),
    bytearray: lambda _, value: repr(value),
    decimal.Decimal: Literals._decimal,
    datetime.date: Literals._date,
    datetime.datetime: Literals._moment,
    datetime.time: Literals._time,
    datetime.timedelta: Literals._duration,
    datetime.timezone: Literals._offset,
    zoneinfo.ZoneInfo: Literals._zone,
    list: lambda self, value: f"[{self._many(value)}]",
    tuple: Literals._tuple,
    dict: Literals._dict,
    set: Literals._set,
    frozenset: Literals._frozenset,
}


def _clock(value: datetime.datetime | datetime.time) -> tuple[int, ...]:
    """Hour and minute, and what is finer if there is something."""
    parts = (value.hour, value.minute, value.second, value.microsecond)
    return parts if parts[3] else parts[: 3 if parts[2] else 2]


_NUMPY = (np.bool_, np.integer, np.floating)


def _is_keyword_argument(name: str) -> bool:
    # PySpark's Row has parameters of its own.
    own = name in ("cls", "self")
    return name.isidentifier() and not keyword.iskeyword(name) and not own


def _full_name(cls: type) -> str:
    return (
        cls.__qualname__ if cls.__module__ == "builtins" else f"{cls.__module__}.{cls.__qualname__}"
    )
