"""The Python of a folding: rows folded into accumulators that columns can hold.

An accumulator travels as a row of its slots, in an array of one, or of none where there is no
accumulator yet. How each slot becomes fields of the row, and is made of them again, is
``folding_slots``'s to say.
"""

from __future__ import annotations

import collections
import decimal
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pyspark.sql.types import (
    ArrayType,
    DataType,
    StringType,
    StructField,
    StructType,
)

from notebook_udf.compile.java.calls import field_values
from notebook_udf.compile.java.columns.held_values import Contents
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.terms import (
    NONE,
    NotCompiled,
)
from notebook_udf.functions.accumulator_kind import AccumulatorKind
from notebook_udf.functions.row import Row
from notebook_udf.planner.physical.folding_slots import argument, holds, slot_of

_LITERALS = (int, float, bool, str, type(None))
# Python makes a longer display out of a list, whose places are not known.
_MOST_PLACES = 24
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
    if (
        kind in (list, dict)
        and 0 < len(fresh) <= _MOST_PLACES
        and (kind is list or all(type(k) is str for k in fresh))
    ):
        yield _of_places(fresh)
    attributes = named_parts.plain_attributes(fresh)
    if attributes:
        names = list(attributes)
        taken = "".join(f", {name}={{}}" for name in names)
        read = tuple(f"{{}}.{name}" for name in names)
        slots, written = tuple(attributes.values()), f"object_of(kind{taken})"
        yield Shape(slots, written, read, tuple(names), {"kind": kind})
    elif kind is Row:
        names = list(fresh.names) if fresh.names else []
        taken = ", ".join([f"{name}={{}}" for name in names] or ["{}"] * len(fresh))
        read = tuple(f"{{}}[{at}]" for at in range(len(fresh)))
        written = f"changeable(Row({taken}))"
        yield Shape(tuple(fresh), written, read, tuple(names), {"Row": Row})
    elif named_parts.is_named_tuple(kind):
        read = tuple(f"{{}}[{at}]" for at in range(len(fresh)))
        written = f"kind({', '.join(['{}'] * len(fresh))})"
        yield Shape(tuple(fresh), written, read, kind._fields, {"kind": kind})
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
    keys = [repr(key).replace("{", "{{").replace("}", "}}") for key in fresh]
    taken = ", ".join(f"{key}: {{}}" for key in keys)
    read = tuple(f"{{}}[{key}]" for key in keys)
    return Shape(tuple(fresh.values()), f"changeable({{{{{taken}}}}})", read, tuple(fresh))


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
    slots = None if held is None else list(map(slot_of, held, shape.slots))
    restored: list[str] = []
    fields: list[StructField] = []
    packed: list[str] = []
    # Of lists of ints: their variables, their sources, and those of their fields.
    parts, lists, marked = list[str](), list[str](), list[str]()
    for name, read, slot in zip(names, shape.read, slots, strict=True) if slots else ():
        sources = [each.format(read.format("accumulator")) for each in slot.packed]
        own = [f"state[{len(fields) + at}]" for at in range(len(sources))]
        if slot.has_ints:
            lists += sources
            marked += own
            sources = own = [f"part{len(fields)}"]
            parts += own
        packed += sources
        restored += slot.restored(name, own)
        for kind, nullable in slot.types:
            fields.append(StructField(f"field{len(fields)}", kind, nullable))
    marks, unmarks = list[str](), list[str]()
    if parts:
        marks = [f"{', '.join(parts)}, bigs = without_bigs({', '.join(lists)})"]
        unmarks = [f"{', '.join(parts)}, = with_bigs({', '.join(marked)}, state[{len(fields)}])"]
        packed.append("bigs")
        fields.append(StructField("bigs", ArrayType(StringType(), False), False))
    row = [f"row[{at}]" for at in range(len(given))] if len(given) > 1 else ["row"]
    row = [argument(each, source) for each, source in zip(given, row, strict=True)]
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
    if kind is tuple and all(type(each) in _LITERALS for each in value):
        return [f"{name} = ({''.join(f'{_literal(each)}, ' for each in value)})"]
    if kind is set and not value:
        return [f"{name} = set()"]
    if kind is collections.Counter and not value:
        used["Counter"] = collections.Counter
        return [f"{name} = Counter()"]
    if kind is collections.deque and all(type(each) in _LITERALS for each in value):
        used["deque"] = collections.deque
        most = "" if value.maxlen is None else f"maxlen={value.maxlen}"
        puts = (f"{name}.append({_literal(each)})" for each in value)
        return [f"{name} = deque({most})", *puts]
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
        return holds(declared, held[0])
    if not isinstance(declared, StructType) or len(declared.fields) != len(held):
        return False
    names = list(shape.names) or declared.names
    if sorted(names) != sorted(declared.names):
        return False
    fields = [declared[name] for name in names]
    return all(
        holds(each.dataType, slot) and (each.nullable or not slot.kinds & NONE)
        for each, slot in zip(fields, held, strict=True)
    )
