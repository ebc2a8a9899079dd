"""What the records of process functions are, and how they are made of columns."""

from __future__ import annotations

import dataclasses
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from notebook_udf.functions.row import Row, record_class


@dataclass(frozen=True)
class RecordShape:
    """What a record is.

    Attributes
    ----------
    names
        Of the columns it is made of.
    plain
        Whether it is the value of the one column.
    record
        The pickled class of records; empty for ``Row``.
    """

    names: tuple[str, ...]
    plain: bool = False
    record: bytes = b""

    def cls(self, loads: Callable[[bytes], Any] = pickle.loads) -> Any:
        """The class of records; None if they are plain values."""
        if self.plain:
            return None
        return loads(self.record) if self.record else record_class(self.names)

    def maker(self, known: Any = None) -> Callable[..., Any]:
        """What makes a record of its values, which are given by position; of the class that is
        ``known``, if it is pickled."""
        cls = known if known is not None and self.record else self.cls()
        if cls is None:
            return lambda value: value
        names = self.names
        if issubclass(cls, dict):
            return lambda *values: dict(zip(names, values, strict=True))
        fields = getattr(cls, "__dataclass_fields__", {})
        if any(field.kw_only for field in fields.values()):
            return lambda *values: cls(**dict(zip(names, values, strict=True)))
        constructor: Callable[..., Any] = cls
        return constructor

    def many(self) -> Callable[..., list[Any]]:
        """What makes a list of records of a list of values per column."""
        if self.plain:
            return lambda values: values
        if self.record:
            make = self.maker()
            return lambda *columns: list(map(make, *columns))
        text = f"def many({', '.join(self._values)}):\n    records = []\n"
        text += f"    for {', '.join(self._values)}, in zip({', '.join(self._values)}):\n"
        text += self.construction("record", list(self._values), "        ")
        text += "        records.append(record)\n    return records\n"
        space = {"new": self.cls(), "blank": object.__new__}
        _run(text, space)
        made: Callable[..., list[Any]] = space["many"]
        return made

    @property
    def _values(self) -> list[str]:
        return [f"v{place}" for place in range(len(self.names))]

    def construction(self, name: str, values: list[str], indent: str) -> str:
        """Statements that make a record called ``name`` of variables; written out for rows,
        because calling a class takes longer than all that its ``__init__`` does."""
        if self.plain:
            return f"{indent}{name} = {values[0]}\n"
        if self.record:
            return f"{indent}{name} = new({', '.join(values)})\n"
        lines = [f"{name} = blank(new)"]
        slots = slots_of(self.cls(), self.names) or []
        lines += [f"{name}.{slot} = {v}" for slot, v in zip(slots, values, strict=True)]
        return "".join(f"{indent}{line}\n" for line in lines)


def _run(text: str, space: dict[str, Any]) -> None:
    """Defines what is written out; to a traceback it is a part of this module."""
    exec(compile(text, f"{__file__}:generated", "exec"), space)


def slots_of(cls: Any, names: Sequence[str]) -> list[str] | None:
    """The attributes of a class's instances that hold the values of columns; None if it has
    other ones."""
    if cls is None:
        return None
    own: dict[str, str] = {}
    if issubclass(cls, Row):
        own = dict(zip(vars(cls).get("_names", ()), vars(cls).get("_slots", ()), strict=True))
    elif dataclasses.is_dataclass(cls):
        own = {field.name: field.name for field in dataclasses.fields(cls)}
    same = len(own) == len(names) and all(name in own for name in names)
    return [own[name] for name in names] if same else None
