"""The slots of accumulators as fields of a row, and as the source of Python that makes them.

What a slot is made of is known from what a function's code was seen to put there.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from notebook_udf.compile.java.columns.held_values import Contents
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    DECIMAL,
    FLOAT,
    INT,
    MOMENT,
    NONE,
    STR,
    Kinds,
    NotCompiled,
)

_TYPES: dict[Kinds, DataType] = {
    INT: LongType(),
    FLOAT: DoubleType(),
    BOOL: BooleanType(),
    STR: StringType(),
}
# The types of what a row holds for arguments that are times, and what makes these of them.
_OF_TIMES: dict[type[DataType], tuple[DataType, str]] = {
    DateType: (IntegerType(), "day_of"),
    TimestampType: (LongType(), "local_moment_of"),
    TimestampNTZType: (LongType(), "moment_of"),
}
# What other single values are in a column: its type, what makes that of them, and them again.
_PACKED: dict[Kinds, tuple[DataType, str, str]] = {
    DATE: (LongType(), "day_number", "day_of"),
    MOMENT: (LongType(), "clock_number", "clock_of"),
    DECIMAL: (StringType(), "digits", "decimal_of"),
}


@dataclass(frozen=True)
class Slot:
    """A slot as fields of a row: their types, their source of a value (``{0}``), and the lines that
    set the slot's variable, of its name and the sources of the fields.

    One that ``has_ints`` is a list with ints, some of which may be beyond 64 bits.
    """

    types: tuple[tuple[DataType, bool], ...]
    packed: tuple[str, ...]
    restored: Callable[[str, Sequence[str]], list[str]]
    has_ints: bool = False


def as_numbers(kind: DataType) -> DataType:
    """The type of what a row holds for an argument of a type: Spark's own numbers of times."""
    return _OF_TIMES[type(kind)][0] if type(kind) in _OF_TIMES else kind


def argument(given: StructField, source: str) -> str:
    """The source of an argument, of what a row holds."""
    if type(given.dataType) not in _OF_TIMES:
        return source
    return f"{_OF_TIMES[type(given.dataType)][1]}({source})"


def slot_of(held: Contents, fresh: Any) -> Slot:
    """How a slot travels that has a value like a fresh one's first."""
    nullable = bool(held.kinds & NONE)
    present = held.kinds - NONE
    if held.holds:
        return _slot_of_several(held, fresh)
    if not present:
        # None, whatever was accumulated.
        return Slot((), (), lambda name, given: [f"{name} = None"])
    if present == INT:
        return Slot(
            ((LongType(), nullable), (StringType(), False)),
            ("whole_part({0})", "big_part({0})"),
            lambda name, given: [f"{name} = int({given[1]}) if {given[1]} else {given[0]}"],
        )
    if present == INT | FLOAT:
        return Slot(
            ((BooleanType(), False), (DoubleType(), False), (LongType(), nullable),
             (StringType(), False)),
            ("is_real({0})", "real_part({0})", "whole_part({0})", "big_part({0})"),
            lambda name, given: [
                f"if {given[0]}:",
                f"    {name} = {given[1]}",
                f"elif {given[3]}:",
                f"    {name} = int({given[3]})",
                "else:",
                f"    {name} = {given[2]}",
            ],
        )  # fmt: skip
    return Slot(
        ((_type(held), nullable),),
        (_packed(held, "{0}"),),
        lambda name, given: [f"{name} = {_again(held, given[0])}"],
    )


def _slot_of_several(held: Contents, fresh: Any) -> Slot:
    """A slot that is a list, a set, a dict or a tuple."""
    if held.kinds & NONE:
        raise NotCompiled("an accumulator with what may be None or hold several values")
    clears = type(fresh) in (list, dict, deque) and bool(fresh)
    if held.holds == "parts":
        # In a list of one, as ints beyond 64 bits are looked for in lists.
        return Slot(
            ((ArrayType(_type(held), False), False),),
            (f"[{_packed(held, '{0}')}]",),
            lambda name, given: [f"{name} = {_again(held, f'{given[0]}[0]')}"],
            _has_ints(held),
        )
    return Slot(
        ((_type(held), False),),
        (_packed(held, "list({0})" if type(fresh) is deque else "{0}"),),
        lambda name, given: _refilled(held, name, given[0], clears=clears),
        _has_ints(held),
    )


def _has_ints(held: Contents) -> bool:
    return "int" in held.kinds or any(map(_has_ints, held.parts))


def _refilled(held: Contents, name: str, given: str, *, clears: bool) -> list[str]:
    """The lines that put what a column holds into a list, a set or a dict."""
    # A fresh one may hold something.
    begun = [f"{name}.clear()"] if clears else []
    if held.holds == "dict":
        key, value = held.parts
        put = f"{name}[{_again(key, 'each[0]')}] = {_again(value, 'each[1]')}"
    else:
        how = "add" if held.holds == "set" else "append"
        put = f"{name}.{how}({_again(held.parts[0], 'each')})"
    return [*begun, f"for each in {given}:", f"    {put}"]


def _packed(held: Contents, source: str, depth: int = 0) -> str:
    """The source of what a column holds for a value."""
    if not held.holds:
        to = _PACKED.get(held.kinds - NONE)
        return source if to is None else f"{to[1]}({source})"
    each = f"part{depth}"
    if held.holds == "parts":
        parts = (_packed(p, f"{source}[{at}]", depth) for at, p in enumerate(held.parts))
        return f"({''.join(f'{part}, ' for part in parts)})"
    if held.holds == "dict":
        names = [f"key{depth}", f"value{depth}"]
        packed = [_packed(p, n, depth + 1) for p, n in zip(held.parts, names, strict=True)]
        if packed == names:
            return f"list({source}.items())"
        return f"[({', '.join(packed)}) for {', '.join(names)} in {source}.items()]"
    packed_each = _packed(held.parts[0], each, depth + 1)
    listed = f"in_any_order({source})" if held.holds == "set" else source
    if packed_each == each or (held.parts[0].holds == "parts" and _is_plain(held.parts[0])):
        return listed
    return f"[{packed_each} for {each} in {listed}]"


def _is_plain(held: Contents) -> bool:
    """Whether a column holds the very values of a tuple."""
    return all(not p.holds and p.kinds - NONE not in _PACKED for p in held.parts)


def _again(held: Contents, given: str) -> str:
    """The source of a value, of what a column holds."""
    if not held.holds:
        to = _PACKED.get(held.kinds - NONE)
        return given if to is None else f"{to[2]}({given})"
    if held.holds == "list" and not held.parts[0].holds:
        each = _again(held.parts[0], "inner")
        return f"list({given})" if each == "inner" else f"[{each} for inner in {given}]"
    if held.holds == "parts":
        parts = (_again(each, f"{given}[{at}]") for at, each in enumerate(held.parts))
        return f"({''.join(f'{part}, ' for part in parts)})"
    raise NotCompiled(f"an accumulator with a {held.holds} within other values")


def _type(held: Contents) -> DataType:
    """The type of a column that holds these values."""
    if held.holds in ("list", "set"):
        return ArrayType(_type(held.parts[0]), bool(held.parts[0].kinds & NONE))
    if held.holds == "dict":
        fields = [
            StructField(name, _type(each), bool(each.kinds & NONE))
            for name, each in zip(("key", "value"), held.parts, strict=True)
        ]
        return ArrayType(StructType(fields), False)
    if held.holds == "parts":
        return StructType(
            [
                StructField(f"part{at}", _type(each), bool(each.kinds & NONE))
                for at, each in enumerate(held.parts)
            ]
        )
    present = held.kinds - NONE
    found = _PACKED[present][0] if present in _PACKED else _TYPES.get(present)
    if found is None:
        raise NotCompiled(
            f"an accumulator that keeps what may be {' or '.join(sorted(held.kinds)) or 'nothing'}"
        )
    return found


def holds(declared: DataType, held: Contents) -> bool:
    if held.holds in ("list", "set"):
        if not isinstance(declared, ArrayType):
            return False
        may_be_none = bool(held.parts[0].kinds & NONE)
        return holds(declared.elementType, held.parts[0]) and (
            declared.containsNull or not may_be_none
        )
    if held.holds == "dict":
        if not isinstance(declared, MapType):
            return False
        key, value = held.parts
        may_be_none = bool(value.kinds & NONE)
        return (
            not key.kinds & NONE
            and holds(declared.keyType, key)
            and holds(declared.valueType, value)
            and (declared.valueContainsNull or not may_be_none)
        )
    present = held.kinds - NONE
    # A number that is wider than 64 bits does not fit; a row is made another class of.
    return not held.holds and (not present or _TYPES.get(present) == declared)
