"""The Python of a folding: rows folded into accumulators that columns can hold.

An accumulator travels as a row of its slots, in an array of one, or of none where there is no
accumulator yet. What a slot is made of is known from what the function's code was seen to put there
(``compile.java.columns.held_values``); so it is written here how each becomes fields of the row,
and how it is made of them again.
"""

from __future__ import annotations

import collections
import decimal
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
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

from notebook_udf.compile.java.calls import field_values
from notebook_udf.compile.java.columns.held_values import Contents
from notebook_udf.compile.java.objects import named_parts
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
from notebook_udf.functions.accumulator_kind import AccumulatorKind
from notebook_udf.functions.row import Row

_LITERALS = (int, float, bool, str, type(None))
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
# What the source calls, by name.
_USED: dict[str, Any] = {
    function.__name__: function
    for function in (
        field_values.changeable,
        field_values.object_of,
        field_values.in_any_order,
        field_values.is_real,
        field_values.real_part,
        field_values.whole_part,
        field_values.big_part,
        field_values.without_bigs,
        field_values.with_bigs,
        field_values.day_number,
        field_values.day_of,
        field_values.clock_number,
        field_values.clock_of,
        field_values.moment_of,
        field_values.local_moment_of,
        field_values.digits,
        field_values.decimal_of,
    )
}


@dataclass(frozen=True)
class Shape:
    """How a fresh accumulator is written, with its slots in the place of its values.

    Attributes
    ----------
    slots
        What a fresh one has in each.
    written
        Its source; ``{}`` stands for each slot.
    read
        For each slot the source of what an accumulator has there; ``{}`` stands for that.
    names
        Of the slots, none for places without names; None where the one slot is the accumulator.
    used
        What that source uses, by name.
    """

    slots: tuple[Any, ...]
    written: str
    read: tuple[str, ...]
    names: tuple[str, ...] | None = None
    used: dict[str, Any] = field(default_factory=dict)


def shapes_of(fresh: Any) -> Iterator[Shape]:
    """How accumulators like a fresh one may be written, the more special first.

    A list or a dict that holds something may be one of known places, or one that grows.
    """
    kind = type(fresh)
    if kind in (list, dict) and fresh and (kind is list or all(type(k) is str for k in fresh)):
        yield _of_places(fresh)
    if named_parts.has_plain_attributes(fresh):
        names = list(vars(fresh))
        taken = "".join(f", {name}={{}}" for name in names)
        read = tuple(f"{{}}.{name}" for name in names)
        slots, written = tuple(vars(fresh).values()), f"object_of(kind{taken})"
        yield Shape(slots, written, read, tuple(names), {"kind": kind})
    elif kind is Row:
        names = list(fresh.names) if fresh.names else []
        taken = ", ".join([f"{name}={{}}" for name in names] or ["{}"] * len(fresh))
        read = tuple(f"{{}}[{at}]" for at in range(len(fresh)))
        written = f"changeable(Row({taken}))"
        yield Shape(tuple(fresh), written, read, tuple(names), {"Row": Row})
    elif kind is tuple:
        read = tuple(f"{{}}[{at}]" for at in range(len(fresh)))
        yield Shape(fresh, f"({'{}, ' * len(fresh)})", read, ())
    else:
        yield Shape((fresh,), "{}", ("{}",))


def _of_places(fresh: Any) -> Shape:
    """A list or a dict whose places are known."""
    if type(fresh) is list:
        read = tuple(f"{{}}[{at}]" for at in range(len(fresh)))
        return Shape(tuple(fresh), f"changeable([{', '.join(['{}'] * len(fresh))}])", read, ())
    taken = ", ".join(f"{key!r}: {{}}" for key in fresh)
    read = tuple(f"{{}}[{key!r}]" for key in fresh)
    return Shape(tuple(fresh.values()), f"changeable({{{{{taken}}}}})", read, tuple(fresh))


@dataclass(frozen=True)
class Slot:
    """A slot as fields of a row: their types, their source of a value (``{0}``), and the lines that
    set the slot's variable of a row (``state``) from a place on.

    One that ``has_ints`` is a list with ints, some of which may be beyond 64 bits.
    """

    types: tuple[tuple[DataType, bool], ...]
    packed: tuple[str, ...]
    restored: Callable[[str, int], list[str]]
    has_ints: bool = False


@dataclass(frozen=True)
class Folding:
    """The source of a folding, and the type of an accumulator in it."""

    source: str
    used: dict[str, Any]
    state: StructType | None


def folding(
    shape: Shape,
    held: Sequence[Contents] | None,
    given: Sequence[StructField],
    kept: AccumulatorKind,
) -> Folding:
    """The source for a function whose arguments are of these types.

    ``held`` is what the slots have been seen to hold; None where they are looked at for the first
    time, without an accumulator to begin with.

    Raises
    ------
    NotCompiled
        If no column holds what a slot does.
    """
    used = {**_USED, **shape.used, "kept": kept}
    names = [f"slot{at}" for at in range(len(shape.slots))]
    fresh = [line for n, v in zip(names, shape.slots, strict=True) for line in _fresh(n, v, used)]
    slots = None if held is None else list(map(_slot, held, shape.slots))
    restored: list[str] = []
    fields: list[StructField] = []
    packed: list[str] = []
    # Lists of ints, by their fields.
    marked: dict[str, str] = {}
    for name, read, slot in zip(names, shape.read, slots or (), strict=False):
        lines, field = slot.restored(name, len(fields)), f"state[{len(fields)}]"
        for (kind, nullable), source in zip(slot.types, slot.packed, strict=True):
            packed.append(source.format(read.format("accumulator")))
            fields.append(StructField(f"field{len(fields)}", kind, nullable))
        if slot.has_ints:
            marked[field], part = packed[-1], f"part{len(fields)}"
            packed[-1] = part
            lines = [line.replace(field, part) for line in lines]
        restored += lines
    parts = [each for each in packed if each.startswith("part")]
    given_apart = f"state[{len(fields)}]"
    marks, unmarks = list[str](), list[str]()
    if marked:
        fields.append(StructField("bigs", ArrayType(StringType(), False), False))
        packed.append("bigs")
        marks = [f"{', '.join([*parts, 'bigs'])} = without_bigs({', '.join(marked.values())})"]
        unmarks = [f"{', '.join(parts)}, = with_bigs({', '.join([*marked, given_apart])})"]
    row = [f"row[{at}]" for at in range(len(given))] if len(given) > 1 else ["row"]
    row = [_argument(each, source) for each, source in zip(given, row, strict=True)]
    taken = ", ".join(["accumulator", *row])
    lines = [
        "def started(states):",
        *_in(fresh),
        *(["    for state in states[:1]:", *_in(_in([*unmarks, *restored]))] if fields else []),
        f"    return {shape.written.format(*names)}",
        "def accumulated(states, rows):",
        "    accumulator = started(states)",
        *_in(_merging() if fields else []),
        "    for row in rows:",
        f"        answer = function.accumulate({taken})",
        "        accumulator = kept.after('accumulate', accumulator, answer)",
        "    return accumulator",
        *_returning("folded", packed, marks),
        "def last_call(states, rows):",
        "    accumulator = accumulated(states, ())",
        "    for row in rows:",
        "        try:",
        f"            answer = function.accumulate({taken})",
        "            accumulator = kept.after('accumulate', accumulator, answer)",
        "        except Exception:",
        f"            return 'accumulate', ({''.join(f'{each}, ' for each in row)})",
        "    return 'get_value', (accumulator,)",
        *_returning("seen", [each.format("accumulator") for each in shape.read]),
    ]
    return Folding("\n".join(lines), used, StructType(fields) if fields else None)


def _returning(name: str, parts: Sequence[str], before: Sequence[str] = ()) -> list[str]:
    return [
        f"def {name}(states, rows):",
        "    accumulator = accumulated(states, rows)",
        *_in(before),
        f"    return ({''.join(f'{part}, ' for part in parts)})",
    ]


def _merging() -> list[str]:
    return [
        "for state in states[1:]:",
        "    answer = function.merge(accumulator, [started([state])])",
        "    accumulator = kept.after('merge', accumulator, answer)",
    ]


def _in(lines: Sequence[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def _fresh(name: str, value: Any, used: dict[str, Any]) -> list[str]:
    """The lines that give a slot's variable what a fresh accumulator has."""
    kind = type(value)
    if kind in _LITERALS:
        return [f"{name} = {_literal(value)}"]
    if kind is decimal.Decimal and value.is_finite():
        used["Decimal"] = decimal.Decimal
        return [f"{name} = Decimal('{value}')"]
    if kind is list and all(type(each) in _LITERALS for each in value):
        return [f"{name} = []", *(f"{name}.append({_literal(each)})" for each in value)]
    if kind is dict and all(type(each) in _LITERALS for pair in value.items() for each in pair):
        puts = (f"{name}[{_literal(k)}] = {_literal(v)}" for k, v in value.items())
        return [f"{name} = changeable({{}})", *puts]
    if kind is set and not value:
        return [f"{name} = set()"]
    if kind is collections.Counter and not value:
        used["Counter"] = collections.Counter
        return [f"{name} = Counter()"]
    if kind is collections.defaultdict and not value:
        factory = value.default_factory
        if factory in (int, float, str, list):
            used["defaultdict"] = collections.defaultdict
            return [f"{name} = defaultdict({factory.__name__})"]
    raise NotCompiled(f"an accumulator with a {kind.__name__} like {value!r:.40} in it")


def _literal(value: Any) -> str:
    if type(value) is float and not math.isfinite(value):
        return f"float('{value}')"
    return repr(value)


def is_held(declared: DataType | None, shape: Shape, held: Sequence[Contents]) -> bool:
    """Whether a declared type holds any accumulator, just as it is.

    What it would make something else of, or refuse, is Python's to tell of.
    """
    if declared is None:
        return True
    if shape.names is None:
        return _holds(declared, held[0])
    if not isinstance(declared, StructType) or len(declared.fields) != len(held):
        return False
    names = list(shape.names) or declared.names
    if sorted(names) != sorted(declared.names):
        return False
    fields = [declared[name] for name in names]
    return all(
        _holds(each.dataType, slot) and (each.nullable or not slot.kinds & NONE)
        for each, slot in zip(fields, held, strict=True)
    )


def _holds(declared: DataType, held: Contents) -> bool:
    if held.holds in ("list", "set"):
        if not isinstance(declared, ArrayType):
            return False
        may_be_none = bool(held.parts[0].kinds & NONE)
        return _holds(declared.elementType, held.parts[0]) and (
            declared.containsNull or not may_be_none
        )
    if held.holds == "dict":
        if not isinstance(declared, MapType):
            return False
        key, value = held.parts
        may_be_none = bool(value.kinds & NONE)
        return (
            not key.kinds & NONE
            and _holds(declared.keyType, key)
            and _holds(declared.valueType, value)
            and (declared.valueContainsNull or not may_be_none)
        )
    present = held.kinds - NONE
    # A number that is wider than 64 bits does not fit; a row is made another class of.
    return not held.holds and (not present or _TYPES.get(present) == declared)


def as_numbers(kind: DataType) -> DataType:
    """The type of what a row holds for an argument of a type: Spark's own numbers of times."""
    return _OF_TIMES[type(kind)][0] if type(kind) in _OF_TIMES else kind


def _argument(given: StructField, source: str) -> str:
    """The source of an argument, of what a row holds."""
    if type(given.dataType) not in _OF_TIMES:
        return source
    return f"{_OF_TIMES[type(given.dataType)][1]}({source})"


def _slot(held: Contents, fresh: Any) -> Slot:
    """How a slot travels that has a value like a fresh one's first."""
    nullable = bool(held.kinds & NONE)
    present = held.kinds - NONE
    if held.holds:
        return _slot_of_several(held, fresh)
    if not present:
        # None, whatever was accumulated.
        return Slot((), (), lambda name, at: [f"{name} = None"])
    if present == INT:
        return Slot(
            ((LongType(), nullable), (StringType(), False)),
            ("whole_part({0})", "big_part({0})"),
            lambda name, at: [f"{name} = int(state[{at + 1}]) if state[{at + 1}] else state[{at}]"],
        )
    if present == INT | FLOAT:
        return Slot(
            ((BooleanType(), False), (DoubleType(), False), (LongType(), nullable),
             (StringType(), False)),
            ("is_real({0})", "real_part({0})", "whole_part({0})", "big_part({0})"),
            lambda name, at: [
                f"if state[{at}]:",
                f"    {name} = state[{at + 1}]",
                f"elif state[{at + 3}]:",
                f"    {name} = int(state[{at + 3}])",
                "else:",
                f"    {name} = state[{at + 2}]",
            ],
        )  # fmt: skip
    return Slot(
        ((_type(held), nullable),),
        (_packed(held, "{0}"),),
        lambda name, at: [f"{name} = {_again(held, f'state[{at}]')}"],
    )


def _slot_of_several(held: Contents, fresh: Any) -> Slot:
    """A slot that is a list, a set, a dict or a tuple."""
    if held.kinds & NONE:
        raise NotCompiled("an accumulator with what may be None or hold several values")
    clears = type(fresh) in (list, dict) and bool(fresh)
    return Slot(
        ((_type(held), False),),
        (_packed(held, "{0}"),),
        lambda name, at: _refilled(held, name, f"state[{at}]", clears=clears),
        held.holds != "parts" and _has_ints(held),
    )


def _has_ints(held: Contents) -> bool:
    return "int" in held.kinds or any(map(_has_ints, held.parts))


def _refilled(held: Contents, name: str, given: str, *, clears: bool) -> list[str]:
    """The lines that put what a column holds into a list, set or dict, or make a tuple."""
    if held.holds == "parts":
        return [f"{name} = {_again(held, given)}"]
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
