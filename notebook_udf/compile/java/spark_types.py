"""Arguments and results of Spark's types, as the Java that takes and gives them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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

from notebook_udf.compile.java import json_values, local_times
from notebook_udf.compile.java.code import Code, Constants, ListKinds
from notebook_udf.compile.java.terms import (
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
    PARTS,
    STR,
    Kinds,
    NotCompiled,
    Parts,
    Term,
    Value,
    array_of,
    is_list,
)
from notebook_udf.local_clock import zone_is_utc

_KINDS: dict[type[DataType], Kinds] = {
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
# What an array or a map may hold, and what a column of results, or a part of one, may.
_ELEMENTS = _KINDS.keys() - {DateType, TimestampNTZType, TimestampType}
_RESULTS = _KINDS.keys() - {FloatType}
_BITS: dict[type[DataType], int] = {LongType: 64, IntegerType: 32, ShortType: 16, ByteType: 8}
_ENTERS = {FLOAT: "real", BOOL: "truth", STR: "text", DATE: "entered", MOMENT: "enteredMoment"}
_BOXES = {
    INT: "(Object) Long.valueOf({})",
    FLOAT: "(Object) Double.valueOf({})",
    BOOL: "(Object) Boolean.valueOf({})",
}
_LETTERS = {INT: "i", FLOAT: "f", BOOL: "b", STR: "s"}
# What Python's values fit a column of a type, by the kinds of what the column holds.
_ACCEPTED = {
    DATE: DATE,
    MOMENT: MOMENT,
    INT: INT | BOOL,
    FLOAT: INT | FLOAT | BOOL,
    BOOL: BOOL,
    STR: STR,
}


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
        if isinstance(self.data_type, ArrayType) and self._is_of_scalars():
            nulls = self.data_type.containsNull and not fast
            found = frozenset({f"{LIST}x{self.place}"})
            lists.note(found, _held(self.data_type.elementType, nulls))
        if isinstance(self.data_type, MapType) and self._is_of_scalars():
            nulls = self.data_type.valueContainsNull and not fast
            found = frozenset({f"{DICT}x{self.place}"})
            lists.note(found, _held(self.data_type.valueType, nulls))
            keys = frozenset({f"{DICT}x{self.place}{KEYS}"})
            lists.note(keys, _held(self.data_type.keyType, False))
        found = found or frozenset({self.data_type.simpleString()})
        return found if fast else found | NONE

    def _is_of_scalars(self) -> bool:
        if isinstance(self.data_type, ArrayType):
            return type(self.data_type.elementType) in _ELEMENTS
        if isinstance(self.data_type, MapType):
            kinds = type(self.data_type.keyType), type(self.data_type.valueType)
            return all(each in _ELEMENTS for each in kinds)
        return False

    def entered(self, constants: Constants, *, fast: bool) -> str:
        """The argument as Java holds it."""
        kinds = _KINDS.get(type(self.data_type))
        where = f"{self.name}, NAME, {self.place}"
        nulls = "false" if fast else "true"
        if isinstance(self.data_type, ArrayType) and self._is_of_scalars():
            java = f"PyArgument.list({where}, {_part(self.data_type.elementType)}, {nulls})"
        elif isinstance(self.data_type, MapType) and self._is_of_scalars():
            parts = f"{_part(self.data_type.keyType)}, {_part(self.data_type.valueType)}"
            java = f"PyArgument.dict({where}, {parts}, {nulls})"
        elif isinstance(self.data_type, DecimalType):
            java = f"PyDecimal.entered({where})"
        elif kinds == INT:
            java = f"PyArgument.whole({where}, {_BITS[type(self.data_type)]})"
        elif isinstance(self.data_type, TimestampType):
            constants.has_zone = True
            zone = constants.name("PyZone", f'new PyZone("{local_times.changes()}")')
            java = f"{zone}.entered({where})"
        elif kinds is not None:
            owner = "PyDate" if kinds in (DATE, MOMENT) else "PyArgument"
            java = f"{owner}.{_ENTERS[kinds]}({where})"
        else:
            java = self.name
        if fast:
            return java
        box = _BOXES.get(kinds or NONE, "(Object) ({})").format(java)
        return f"({self.name} == null ? null : {box})"


def _held(data_type: DataType, nulls: bool) -> Kinds:
    return _KINDS[type(data_type)] | (NONE if nulls else frozenset())


def _part(data_type: DataType) -> str:
    """The kind and the bits of what a list or a dict holds."""
    return f"'{_LETTERS[_KINDS[type(data_type)]]}', {_BITS.get(type(data_type), 0)}"


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
        if not _is_known(self.data_type):
            raise NotCompiled(f"a result of type {self.data_type.simpleString()}")

    def returned(self, code: Code, value: Value) -> list[str]:
        """The statements that return a value; what does not fit is an error of Python's as well."""
        java = _column(code, value, self.data_type)
        if java is None:
            return ["throw Raised.RAISED;"]
        self.fits = True
        return [f"return {java};"]


def _is_known(data_type: DataType) -> bool:
    if isinstance(data_type, StructType):
        parts = [type(each.dataType) for each in data_type.fields]
        return bool(parts) and all(part in _RESULTS for part in parts)
    if isinstance(data_type, ArrayType):
        return type(data_type.elementType) in _ELEMENTS & _RESULTS
    return isinstance(data_type, DecimalType) or type(data_type) in _RESULTS


def _column(code: Code, value: Value, data_type: DataType) -> str | None:
    """A value as an object for a column; None if no value of its kinds fits."""
    if isinstance(data_type, StructType):
        return _row(code, value, data_type)
    if isinstance(data_type, ArrayType):
        return _array(code, value, data_type)
    if isinstance(value, Parts):
        return None
    if isinstance(data_type, DecimalType):
        return _decimal(code, code.term(value), data_type)
    term, kinds = code.term(value), _KINDS[type(data_type)]
    if not term.kinds & (_ACCEPTED[kinds] | NONE):
        return None
    if kinds == INT:
        java = term.java if code.integers.held(term.kinds) == "long" else code.object(term)
        return f"PyResult.whole({java}, {_BITS[type(data_type)]})"
    if kinds in (DATE, MOMENT):
        if not term.kinds <= kinds | NONE:
            raise NotCompiled(f"what may be no {min(kinds)} as a result")
        if isinstance(data_type, TimestampType):
            return _instant(code, term)
        return code.object(term)
    how = {FLOAT: "real", STR: "text", BOOL: "truth"}[kinds]
    return f"PyResult.{how}({code.object(term)})"


def _instant(code: Code, term: Term) -> str:
    # Elsewhere it depends on more than what clocks show: they show some times twice.
    if not zone_is_utc():
        raise NotCompiled("a TIMESTAMP as a result in a time zone other than UTC")
    code.constants.has_zone = True
    return f"PyZone.left({code.object(term)})"


def _decimal(code: Code, term: Term, data_type: DecimalType) -> str | None:
    kinds = term.kinds - NONE
    if not kinds:
        return "null"
    if kinds & PARTS:
        raise NotCompiled("a part of a document as a DECIMAL")
    if kinds not in (DECIMAL, INT, BOOL):
        return None
    one = code.integers.narrowed(term, kinds) if "none" in term.kinds else term
    java = one.java if kinds == DECIMAL else f"PyDecimal.ofInt({code.object(one)})"
    fitting = f"PyDecimal.fitting({java}, {data_type.precision}, {data_type.scale})"
    return f"({term.java} == null ? null : {fitting})" if "none" in term.kinds else fitting


def _array(code: Code, value: Value, data_type: ArrayType) -> str | None:
    element = data_type.elementType
    if isinstance(value, Parts):
        made = [_column(code, each, element) for each in value.parts]
        if None in made:
            return None
        return f"PyList.list({array_of(map(str, made))})"
    term = code.term(value)
    if term.kinds == NONE:
        return "null"
    if json_values.is_part(term):
        term = json_values.as_list(code, term)
    held = code.lists.of(term.kinds - NONE)
    if not is_list(term.kinds - NONE) or (held and not held & (_ACCEPTED[_KINDS[type(element)]])):
        return None
    if "none" in held and not data_type.containsNull:
        raise NotCompiled("a list with None in it for this type")
    letter, bits = _LETTERS[_KINDS[type(element)]], _BITS.get(type(element), 0)
    return f"PyResult.list({code.object(term)}, '{letter}', {bits})"


def _row(code: Code, value: Value, data_type: StructType) -> str | None:
    if isinstance(value, Term) and any(kind.startswith(DICT) for kind in value.kinds):
        raise NotCompiled("a dict as a row")
    if isinstance(value, Term):
        return "null" if value.kinds == NONE else None
    if not isinstance(value, Parts) or len(value.parts) != len(data_type.fields):
        return None
    names, own = data_type.names, list(value.names[: len(value.parts)])
    parts = value.parts
    if sorted(own) == sorted(names) and len(set(names)) == len(names):
        # The parts of a tuple with names are placed by these.
        parts = tuple(parts[own.index(name)] for name in names)
    made = []
    for each, field in zip(parts, data_type.fields, strict=True):
        java = _column(code, each, field.dataType)
        if java is None or not field.nullable:
            return None
        made.append(f"(Object) {java}")
    return f"org.apache.spark.sql.RowFactory.create({array_of(made)})"
