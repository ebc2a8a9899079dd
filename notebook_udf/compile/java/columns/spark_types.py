"""Arguments and results of Spark's types, as the Java that takes and gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    DataType,
    DecimalType,
    FloatType,
    MapType,
    StringType,
    StructType,
    TimestampType,
)

from notebook_udf.compile.java.collections import containers
from notebook_udf.compile.java.columns import shapes
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating import iterators
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.times import aware_moments, local_times
from notebook_udf.compile.java.times.aware_moments import STAMP
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code, Constants, ListKinds
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    BYTES,
    DATE,
    DECIMAL,
    FLOAT,
    INT,
    MOMENT,
    NONE,
    PARTS,
    SET,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    array_of,
    quoted,
)

# The kinds of what a column holds; bytes are not held within other values.
_KINDS = {**shapes.KINDS, BinaryType: BYTES}
# What a column of results may hold.
_RESULTS = _KINDS.keys() - {FloatType}
_ENTERS = {
    **{FLOAT: "real", BOOL: "truth", STR: "text", BYTES: "bytes"},
    **{DATE: "entered", MOMENT: "enteredMoment"},
}
_BOXES = {
    INT: "(Object) Long.valueOf({})",
    FLOAT: "(Object) Double.valueOf({})",
    BOOL: "(Object) Boolean.valueOf({})",
}
# A text as Spark holds it, and how many that are known are told apart.
_SPARKS = "org.apache.spark.unsafe.types.UTF8String"
_MOST_KNOWN = 8
# By the type of a column, the method of its shape that takes an argument.
_WAYS: dict[type[DataType], str] = {ArrayType: "list", MapType: "dict", StructType: "row"}
_ACCEPTED = {**shapes.ACCEPTED, MOMENT: MOMENT | STAMP, BYTES: BYTES}


@dataclass(frozen=True)
class JavaParameter:
    """An argument of the function that Spark calls: its place and its type."""

    place: int
    data_type: DataType

    @property
    def name(self) -> str:
        """The name that it has in Java."""
        return f"x{self.place}"

    def kinds(self, lists: ListKinds, *, fast: bool) -> Kinds:
        """The kinds of its values; in code for 64 bits there is no None among them.

        One of another type may be passed on, and tested for None.
        """
        found = DECIMAL if isinstance(self.data_type, DecimalType) else None
        found = found or _KINDS.get(type(self.data_type))
        if shapes.is_nested(self.data_type):
            found = shapes.noted(lists, self.data_type, self.name, nulls=not fast)
        found = found or frozenset({self.data_type.simpleString()})
        return found if fast else found | NONE

    def entered(self, constants: Constants, *, fast: bool) -> str:
        """The argument as Java holds it."""
        kinds = _KINDS.get(type(self.data_type))
        where = f"{self.name}, NAME, {self.place}"
        nulls = "false" if fast else "true"
        if shapes.is_nested(self.data_type):
            shape = _shape(constants, shapes.entering(self.data_type))
            java = f"{shape}.{_WAYS[type(self.data_type)]}({where}, {nulls})"
        elif isinstance(self.data_type, DecimalType):
            digits = f"{self.data_type.precision}, {self.data_type.scale}"
            java = f"PyDecimal.entered({where}, {digits})"
        elif kinds == INT:
            java = f"PyArgument.whole({where}, {shapes.BITS[type(self.data_type)]})"
        elif isinstance(self.data_type, TimestampType):
            java = f"{local_times.zone(constants)}.entered({where})"
        elif kinds is not None:
            owner = "PyDate" if kinds in (DATE, MOMENT) else "PyArgument"
            java = f"{owner}.{_ENTERS[kinds]}({where})"
        else:
            java = self.name
        if fast:
            return java
        box = _BOXES.get(kinds or NONE, "(Object) ({})").format(java)
        return f"({self.name} == null ? null : {box})"


def _shape(constants: Constants, text: str) -> str:
    zone = f", {local_times.zone(constants)}" if shapes.ZONED in text else ""
    return constants.name("PyShape", f'PyShape.of("{text}"{zone})')


def parameters(types: Sequence[DataType]) -> list[JavaParameter]:
    """The arguments of these types."""
    return [JavaParameter(place, each) for place, each in enumerate(types)]


@dataclass
class JavaResult:
    """What is returned, as a column of a type takes it.

    Attributes
    ----------
    fits
        Whether some of what was written may fit.
    """

    data_type: DataType
    fits: bool = False

    def __post_init__(self) -> None:
        if not is_known(self.data_type):
            raise NotCompiled(f"a result of type {self.data_type.simpleString()}")

    def returned(self, code: Code, value: Value) -> list[str]:
        """The statements that return a value; what does not fit is an error of Python's as well."""
        said, java = code.captured(lambda: _whole_column(code, value, self.data_type))
        if java is None:
            return ["throw Raised.RAISED;"]
        self.fits = True
        return [*said, f"return {java};"]


def _whole_column(code: Code, value: Value, data_type: DataType) -> str | None:
    """As ``column``; texts that are known are held as Spark holds them."""
    java = column(code, value, data_type)
    known = choices.texts_of([value]) if isinstance(data_type, StringType) else ()
    halves = any("\ud800" <= letter < "\ue000" for text in known for letter in text)
    if java is None or not known or len(known) > _MOST_KNOWN or halves:
        return java
    made = [code.constant(_SPARKS, f"{_SPARKS}.fromString({quoted(text)})") for text in known]
    if isinstance(value, KnownValue):
        return made[0]
    # A text that is written in a class is one object there.
    given = code.term(value).java
    tests = [
        f"(Object) {given} == {quoted(text)} ? (Object) {held} : "
        for text, held in zip(known, made, strict=True)
    ]
    return f"{''.join(tests)}{java}"


def is_known(data_type: DataType) -> bool:
    """Whether a column of this type may take results."""
    if isinstance(data_type, StructType):
        # Days and times may be parts of a tuple that is written there, and nothing else.
        return bool(data_type.fields) and all(is_known(each.dataType) for each in data_type.fields)
    return type(data_type) in _RESULTS or shapes.is_known(data_type)


def column(code: Code, value: Value, data_type: DataType) -> str | None:
    """A value as an object for a column of results; None if no value of its kinds fits."""
    if isinstance(value, Term) and any(kind.startswith(SET) for kind in value.kinds):
        raise NotCompiled("a set as a result, whose order varies")
    found = code.lists.changeable(value.kinds) if isinstance(value, Term) else None
    if found is not None and found.form == "list" and isinstance(data_type, ArrayType):
        value = iterators.materialised(code, value)
    if isinstance(value, Parts) and isinstance(data_type, StructType):
        return row(code, value, data_type)
    if isinstance(value, Parts) and isinstance(data_type, ArrayType):
        return _array(code, value, data_type)
    if isinstance(value, Parts) and value.form == "dict" and isinstance(data_type, MapType):
        value = containers.of_parts(code, value)
    if isinstance(value, Parts):
        return None
    if shapes.is_nested(data_type):
        return whole(code, code.term(value), data_type)
    if isinstance(data_type, DecimalType):
        return _decimal(code, code.term(value), data_type)
    term, kinds = code.term(value), _KINDS[type(data_type)]
    if not term.kinds & (_ACCEPTED[kinds] | NONE):
        return None
    if kinds == INT:
        java = term.java if code.integers.held(term.kinds) == "long" else code.object(term)
        return f"PyResult.whole({java}, {shapes.BITS[type(data_type)]})"
    if kinds in (DATE, MOMENT, BYTES):
        if aware_moments.is_stamp(term) and not isinstance(data_type, TimestampType):
            term = aware_moments.naive(code, term)
        if not term.kinds <= kinds | NONE | STAMP:
            raise NotCompiled(f"what may be no {min(kinds)} as a result")
        if isinstance(data_type, TimestampType):
            return _instant(code, term)
        return code.object(term)
    how = {FLOAT: "real", STR: "text", BOOL: "truth"}[kinds]
    return f"PyResult.{how}({code.object(term)})"


def _instant(code: Code, term: Term) -> str:
    return f"{local_times.zone(code.constants)}.left({code.object(term)})"


def _decimal(code: Code, term: Term, data_type: DecimalType) -> str | None:
    kinds = term.kinds - NONE
    if not kinds:
        return "null"
    if kinds & PARTS:
        raise NotCompiled("a part of a document as a DECIMAL")
    if kinds == DECIMAL | INT:
        return f"{_shape(code.constants, shapes.entering(data_type))}.left({code.object(term)})"
    if kinds not in (DECIMAL, INT, BOOL):
        return None
    one = code.integers.narrowed(term, kinds) if "none" in term.kinds else term
    java = one.java if kinds == DECIMAL else f"PyDecimal.ofInt({code.object(one)})"
    fitting = f"PyDecimal.fitting({java}, {data_type.precision}, {data_type.scale})"
    return f"({term.java} == null ? null : {fitting})" if "none" in term.kinds else fitting


def whole(code: Code, term: Term, data_type: DataType) -> str | None:
    """A list, a dict or a tuple as one object."""
    if term.kinds == NONE:
        return "null"
    if json_values.is_part(term) and isinstance(data_type, ArrayType):
        term = json_values.as_list(code, term)
    if not shapes.is_known(data_type):
        raise NotCompiled(f"a result of type {data_type.simpleString()} of what varies")
    shape = shapes.leaving(code, term.kinds, data_type)
    if shape is None:
        return None
    return f"{_shape(code.constants, shape)}.left({code.object(term)})"


def _array(code: Code, value: Parts, data_type: ArrayType) -> str | None:
    if value.form not in ("list", "tuple"):
        return None
    made = [column(code, each, data_type.elementType) for each in value.parts]
    if None in made:
        return None
    return f"PyList.list({array_of(f'(Object) {each}' for each in made)})"


def _may_be_none(code: Code, value: Value) -> bool:
    return not isinstance(value, Parts) and "none" in code.term(value).kinds


def row(code: Code, value: Parts, data_type: StructType) -> str | None:
    """A tuple as a row of Spark's; None if no value of its kinds fits."""
    named_parts.check_row(value.of)
    count = len(value.parts)
    places = shapes.places_of(value.form, value.names[:count], count, data_type.names)
    if places is None:
        return None
    made = []
    for at, field in zip(places, data_type.fields, strict=True):
        java = column(code, value.parts[at], field.dataType)
        if java is None:
            return None
        if not field.nullable and _may_be_none(code, value.parts[at]):
            raise NotCompiled(f"None for {field.name}, which is NOT NULL")
        made.append(f"(Object) {java}")
    return f"org.apache.spark.sql.RowFactory.create({array_of(made)})"
