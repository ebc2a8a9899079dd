"""What lists, dicts and rows of columns hold, for ``PyShape`` of Java's."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from notebook_udf.compile.java.documents.json_values import DICTS, LISTS, PART
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code, ListKinds, RecordKinds
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    DECIMAL,
    DICT,
    FLOAT,
    INT,
    KEYS,
    LIST,
    MOMENT,
    NONE,
    RECORD,
    STR,
    Form,
    Kinds,
    NotCompiled,
    is_list,
    is_record,
)

# The kinds of what columns hold, and the bits of those of whole numbers.
KINDS: dict[type[DataType], Kinds] = {
    LongType: INT,
    IntegerType: INT,
    ShortType: INT,
    ByteType: INT,
    DoubleType: FLOAT,
    FloatType: FLOAT,
    BooleanType: BOOL,
    StringType: STR,
    DateType: DATE,
    TimestampNTZType: MOMENT,
    TimestampType: MOMENT,
}
BITS: dict[type[DataType], int] = {LongType: 64, IntegerType: 32, ShortType: 16, ByteType: 8}
# What Python's values fit a column, by the kinds of what it holds.
ACCEPTED = {
    INT: INT | BOOL,
    FLOAT: FLOAT | INT | BOOL,
    BOOL: BOOL,
    STR: STR,
    DATE: DATE,
    MOMENT: MOMENT,
}
_LETTERS = {INT: "i", FLOAT: "f", BOOL: "b", STR: "s", DATE: "y", MOMENT: "n"}
# Of a time that depends on the time zone.
ZONED = "t"
_NESTED = (ArrayType, MapType, StructType)


def is_nested(data_type: DataType) -> bool:
    """Whether values of a column of this type hold others."""
    return isinstance(data_type, _NESTED)


def entering(data_type: DataType) -> str:
    """The shape of an argument."""
    if isinstance(data_type, ArrayType):
        return f"l({entering(data_type.elementType)})"
    if isinstance(data_type, MapType):
        return f"m({entering(data_type.keyType)},{entering(data_type.valueType)})"
    if isinstance(data_type, StructType):
        parts = (f"{at}:{entering(each.dataType)}" for at, each in enumerate(data_type.fields))
        return f"r({','.join(parts)})"
    if isinstance(data_type, DecimalType):
        return f"d{data_type.precision}.{data_type.scale}"
    if isinstance(data_type, TimestampType):
        return ZONED
    return f"{_LETTERS.get(KINDS.get(type(data_type), NONE), 'o')}{BITS.get(type(data_type), '')}"


def noted(lists: ListKinds, data_type: DataType, place: str, *, nulls: bool) -> Kinds:
    """The kinds of an argument; what it holds is noted under ``place``.

    Without ``nulls`` nothing in it is None.
    """

    def part(held: DataType, name: str, nullable: bool) -> Kinds:
        kinds = noted(lists, held, f"{place}.{name}", nulls=nulls)
        return kinds | NONE if nullable and nulls else kinds

    if isinstance(data_type, ArrayType):
        found = frozenset({f"{LIST}{place}"})
        lists.note(found, part(data_type.elementType, "e", data_type.containsNull))
        return found
    if isinstance(data_type, MapType):
        found = frozenset({f"{DICT}{place}"})
        lists.note(found, part(data_type.valueType, "v", data_type.valueContainsNull))
        keys = frozenset({f"{DICT}{place}{KEYS}"})
        lists.note(keys, part(data_type.keyType, "k", nullable=False))
        return found
    if isinstance(data_type, StructType):
        fields = data_type.fields
        kinds = (part(each.dataType, str(at), each.nullable) for at, each in enumerate(fields))
        row = RecordKinds(tuple(kinds), tuple(data_type.names), "row")
        lists.records[f"{RECORD}{place}"] = row
        return frozenset({f"{RECORD}{place}"})
    if isinstance(data_type, DecimalType):
        return DECIMAL
    other = frozenset({f"{data_type.simpleString()} within another value"})
    return KINDS.get(type(data_type), other)


def places_of(form: Form, own: Sequence[str], count: int, names: Sequence[str]) -> list[int] | None:
    """Which of so many parts is each field of a row; None if they do not fit it.

    Parts with the names of the fields are placed by these, others as they stand.
    """
    if sorted(own) == sorted(names) and len(set(names)) == len(names):
        return [own.index(name) for name in names]
    return list(range(count)) if count == len(names) and form not in ("object", "dict") else None


def is_known(data_type: DataType) -> bool:
    """Whether results of this type, or in parts of it, have a shape."""
    if isinstance(data_type, ArrayType):
        return is_known(data_type.elementType)
    if isinstance(data_type, MapType):
        return is_known(data_type.keyType) and is_known(data_type.valueType)
    if isinstance(data_type, StructType):
        return bool(data_type.fields) and all(is_known(each.dataType) for each in data_type.fields)
    return isinstance(data_type, DecimalType) or (
        type(data_type) in KINDS and not isinstance(data_type, FloatType)
    )


def leaving(code: Code, kinds: Kinds, data_type: DataType) -> str | None:
    """The shape of a result of these kinds; None if none of its values fit.

    What does not fit though others do is an error of Java's, as it is of Python's.
    """
    present = kinds - NONE
    if isinstance(data_type, ArrayType):
        return _list(code, present, data_type)
    if isinstance(data_type, MapType):
        return _dict(code, present, data_type)
    if isinstance(data_type, StructType):
        return _row(code, present, data_type)
    if isinstance(data_type, DecimalType):
        if present - DECIMAL - INT - BOOL:
            raise NotCompiled("what may be no DECIMAL in a result")
        return entering(data_type)
    wanted = KINDS[type(data_type)]
    if wanted in (DATE, MOMENT) and present - wanted:
        raise NotCompiled(f"what may be no {min(wanted)} in a result")
    fits = not present or present & ACCEPTED[wanted]
    return entering(data_type) if fits else None


def _list(code: Code, kinds: Kinds, data_type: ArrayType) -> str | None:
    own = frozenset(kind for kind in kinds if kind.startswith(LIST))
    if kinds - own - PART:
        raise NotCompiled("what may be no list in a result")
    if kinds and not own:
        return None
    held = code.lists.of(own)
    if "none" in held and not data_type.containsNull:
        raise NotCompiled("a list with None in it for this type")
    inner = leaving(code, held, data_type.elementType)
    return None if inner is None else f"l({inner})"


def _dict(code: Code, kinds: Kinds, data_type: MapType) -> str | None:
    own = frozenset(kind for kind in kinds if kind.startswith(DICT))
    if kinds - own - PART - LISTS - DICTS:
        raise NotCompiled("what may be no dict in a result")
    if kinds and not own:
        return None
    held = code.lists.of(own)
    if "none" in held and not data_type.valueContainsNull:
        raise NotCompiled("a dict with None in it for this type")
    keys = leaving(
        code, code.lists.of(frozenset(f"{each}{KEYS}" for each in own)), data_type.keyType
    )
    values = leaving(code, held, data_type.valueType)
    return None if keys is None or values is None else f"m({keys},{values})"


def _row(code: Code, kinds: Kinds, data_type: StructType) -> str | None:
    fields, names = data_type.fields, data_type.names
    if not kinds:
        return entering(data_type)
    if is_list(kinds):
        # As many as there are fields, or Java raises as Python does.
        known = RecordKinds((code.lists.of(kinds),) * len(fields))
    elif is_record(kinds):
        known = code.lists.of_records(kinds)
        named_parts.check_row(known.of)
    else:
        raise NotCompiled("what may be no tuple in a result")
    places = places_of(known.form, known.names, len(known.parts), names)
    if places is None:
        return None
    made = []
    for at, each in zip(places, fields, strict=True):
        if "none" in known.parts[at] and not each.nullable:
            raise NotCompiled(f"None for {each.name}, which is NOT NULL")
        part = leaving(code, known.parts[at], each.dataType)
        if part is None:
            return None
        made.append(f"{at}:{part}")
    return f"r({','.join(made)})"
