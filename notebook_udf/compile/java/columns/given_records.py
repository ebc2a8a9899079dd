"""Records that a process function gets, part by part, and the output that it gives others to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import KnownValue, NotCompiled, Parts, Term, Value
from notebook_udf.functions.row import Row


@dataclass(frozen=True)
class RecordForm:
    """What a record is.

    Attributes
    ----------
    names
        Of the columns that it is made of.
    cls
        Its class; None for the bare value of the one column.
    """

    names: tuple[str, ...]
    cls: Any

    def record(self, values: Sequence[Value]) -> Value:
        """A record of the columns' values."""
        if self.cls is None:
            return values[0]
        if issubclass(self.cls, Row):
            return Parts(tuple(values), self.names, "row")
        if issubclass(self.cls, dict):
            return Parts(tuple(values), self.names, "dict")
        if not named_parts.is_record(self.cls):
            raise NotCompiled(f"records of class {self.cls.__name__}")
        return named_parts.made(self.cls, tuple(values), self.names)


class Output:
    """Stands for the output of a process function, and does nothing itself."""

    def collect(self, record: Any) -> None:
        """What is called of it, see ``collects``."""


class Context:
    """Stands for what a process function asks about its state: whatever it is, Java has it not."""


def collects(value: Value, name: str) -> bool:
    """Whether it is the method of an output by which records are collected."""
    return isinstance(value, KnownValue) and isinstance(value.value, Output) and name == "collect"


def with_part(code: Code, record: Value, name: str, value: Value) -> Parts:
    """A record of which one part is another."""
    if isinstance(value, Parts) and value.is_list:
        value = code.whole(value, "")
    if isinstance(value, Term) and code.empties.pop(value.java, None) == {}:
        # One whose keys and values are of any kinds.
        value = code.new_dict()
    known = isinstance(record, Parts) and record.form in ("row", "object")
    if not known or name not in record.names:  # type: ignore[union-attr]
        raise NotCompiled(f"{name}, which is set in what is no record with such a field")
    assert isinstance(record, Parts)
    if not isinstance(value, (Term, KnownValue)):
        raise NotCompiled(f"{name}, which is set to what is no single value")
    if record.form == "row":
        named_parts.part(record, name)
    place = record.names.index(name)
    parts = (*record.parts[:place], value, *record.parts[place + 1 :])
    return replace(record, parts=parts)
