"""Types as text: reads and writes Spark's DDL without a JVM, and reads Flink's.

Covers the whole grammar of data types that a function can use, and the bare column list
(``a INT, b STRING``) that stands for a struct. Of Flink's grammar it covers what Spark's refuses: a
text that is valid in both (``TIMESTAMP``) has Spark's meaning. Which types functions can use, and
Python annotations, are left to ``notebook_udf.types``.

The grammar is written out here because a general SQL parser reads these texts more
freely than Spark does (``timestamp without time zone`` as an instant, ``int int`` as INT), and
a type read differently from Spark is a wrong answer later.
"""

from __future__ import annotations

import re
from typing import NoReturn

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
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
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VariantType,
)

from notebook_udf.datatypes import interval
from notebook_udf.errors import TypeDeclarationError
from notebook_udf.sanitize import backquoted

_PLAIN: dict[str, type[DataType]] = {
    "boolean": BooleanType,
    "tinyint": ByteType,
    "byte": ByteType,
    "smallint": ShortType,
    "short": ShortType,
    "int": IntegerType,
    "integer": IntegerType,
    "bigint": LongType,
    "long": LongType,
    "float": FloatType,
    "real": FloatType,
    "double": DoubleType,
    "date": DateType,
    "variant": VariantType,
    "void": NullType,
    "bytes": BinaryType,
    "null": NullType,
}
_DECIMAL = {"decimal", "dec", "numeric"}
_SIZED_TEXT = {"char", "character", "varchar"}
_SIZED_BYTES = {"binary", "varbinary"}
_TIMESTAMPS = {"timestamp", "timestamp_ltz", "timestamp_ntz"}
# Flink's types that nothing here can hold, and why.
_REFUSED = {
    "multiset": "Spark has no multiset; MAP<value, INT>, from a value to how often it is there, "
    "holds the same",
    "raw": "RAW is a class of Java's, of which a Python function sees nothing; convert it before",
}
_TYPE_WORDS = {
    *_PLAIN,
    *_DECIMAL,
    *_SIZED_TEXT,
    *_SIZED_BYTES,
    *_TIMESTAMPS,
    *_REFUSED,
    *("string", "time", "interval", "array", "map", "struct", "row"),
}
# Other systems' names of Spark's types; suggested, never accepted, since Spark refuses them too.
_ELSEWHERE = {
    "bool": "BOOLEAN",
    "datetime": "TIMESTAMP or TIMESTAMP_NTZ",
    "float32": "FLOAT",
    "float64": "DOUBLE",
    "int16": "SMALLINT",
    "int32": "INT",
    "int64": "BIGINT",
    "int8": "TINYINT",
    "json": "VARIANT or STRING",
    "list": "ARRAY<...>",
    "number": "DECIMAL(p, s) or DOUBLE",
    "str": "STRING",
    "text": "STRING",
    "timestamptz": "TIMESTAMP",
    "uuid": "STRING",
}
_TOKEN = re.compile(
    r"""(?:\s|--[^\n]*(?:\n|$))*
    (?:(?P<quoted>`(?:[^`]|``)*`)
      |(?P<string>'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*")
      |(?P<word>[A-Za-z0-9_]+)
      |(?P<mark>[<>(),:])
      |(?P<end>$)
      |(?P<other>\S))""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|[0-3][0-7]{2}|.)", re.DOTALL)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "0": "\0", "Z": "\x1a"}
_HOW = (
    "Give it as DDL such as 'BIGINT', 'ARRAY<STRING>' or 'a INT, b STRING', as DataTypes.BIGINT(), "
    "or as a Spark DataType."
)


class _Unreadable(Exception):
    """Why parsing failed; never leaves this module."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def parse(text: str, *, what: str) -> DataType:
    """Parses a type, or a column list as a struct.

    Lengths are read and dropped: Spark's functions have none. NOT NULL behind the whole is dropped
    too, since any function may return NULL. TIMESTAMP with a precision is Flink's, which has no
    zone; without one it is Spark's, which is an instant.

    Raises
    ------
    TypeDeclarationError
        If the text is not a type of Spark or Flink, or one that no function can use (INTERVAL
        alone).

    Notes
    -----
    The semantics are those of ``DataType.fromDDL``, which needs a running Spark, and for texts
    that it refuses those of Flink's data types.
    """
    as_type, as_columns = _Reader(text, what), _Reader(text, what)
    try:
        return as_type.whole_type()
    except _Unreadable as failure:
        reason = failure.reason
    try:
        return as_columns.whole_columns()
    except _Unreadable as failure:
        if as_columns.looks_like_columns():
            reason = failure.reason
    raise TypeDeclarationError(f"{what}: {text!r} is not a type: {reason}. {_HOW}")


class _Reader:
    def __init__(self, text: str, what: str) -> None:
        self._what = what
        self._at = 0
        self._tokens = [
            (match.lastgroup or "", match.group(match.lastgroup or 0))
            for match in _TOKEN.finditer(text)
        ]

    def whole_type(self) -> DataType:
        found, _ = self._type()
        self._end()
        return found

    def whole_columns(self) -> DataType:
        found = self._fields()
        self._end()
        return found

    def looks_like_columns(self) -> bool:
        """Whether the text begins like a column list rather than a type."""
        (first, name), (second, text) = [*self._tokens, ("end", "")][:2]
        known = name.lower() in _TYPE_WORDS
        return first == "quoted" or text == ":" or (second == "word" and not known)

    def _fail(self, reason: str) -> NoReturn:
        raise _Unreadable(reason)

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "")

    def _end(self) -> None:
        kind, text = self._peek()
        if kind != "end":
            self._fail(f"{text!r} is unexpected where it should end")

    def _accept(self, *words: str) -> bool:
        """Consumes these words or marks, in any letter case, if all of them come next."""
        ahead = self._tokens[self._at : self._at + len(words)]
        if [text.lower() for kind, text in ahead if kind in ("word", "mark")] != list(words):
            return False
        self._at += len(words)
        return True

    def _expect(self, mark: str) -> None:
        if not self._accept(mark):
            _, text = self._peek()
            self._fail(f"{mark!r} is missing" + (f" before {text!r}" if text else " at the end"))

    def _numbers(self, most: int) -> list[int]:
        if not self._accept("("):
            return []
        found: list[int] = []
        while True:
            kind, text = self._peek()
            if kind != "word" or not text.isdigit() or len(found) == most:
                self._fail(f"{text!r} is not the number expected in the brackets")
            found.append(int(text))
            self._at += 1
            if not self._accept(","):
                self._expect(")")
                return found

    def _type(self) -> tuple[DataType, bool]:
        """A type, and whether its values may be NULL."""
        found, nullable = self._named(), self._nullable()
        while self._accept("array"):
            found, nullable = ArrayType(found, nullable), self._nullable()
        if self._accept("multiset"):
            self._fail(_REFUSED["multiset"])
        return found, nullable

    def _nullable(self) -> bool:
        if self._accept("not", "null"):
            return False
        self._accept("null")
        return True

    def _named(self) -> DataType:
        kind, text = self._peek()
        if kind != "word":
            self._fail(f"a type is expected instead of {text!r}" if text else "a type is missing")
        name = text.lower()
        self._at += 1
        if name in _PLAIN:
            if name == "double":
                self._accept("precision")
            return _PLAIN[name]()
        if name in _DECIMAL:
            return self._decimal()
        if name == "string":
            return self._collated()
        if name in _SIZED_TEXT | _SIZED_BYTES:
            return self._sized(name)
        if name in _TIMESTAMPS:
            return self._timestamp(name)
        if name == "time":
            return self._time()
        if name == "interval":
            return self._interval()
        if name == "array":
            return self._array()
        if name == "map":
            return self._map()
        if name in ("struct", "row"):
            return self._struct(name)
        self._at -= 1
        instead = f"; Spark calls it {_ELSEWHERE[name]}" if name in _ELSEWHERE else ""
        self._fail(_REFUSED.get(name, f"Spark has no type {text!r}{instead}"))

    def _array(self) -> DataType:
        self._expect("<")
        element, contains_null = self._type()
        self._expect(">")
        return ArrayType(element, contains_null)

    def _map(self) -> DataType:
        self._expect("<")
        key, _ = self._type()
        self._expect(",")
        value, contains_null = self._type()
        self._expect(">")
        return MapType(key, value, contains_null)

    def _struct(self, name: str) -> DataType:
        closing = ")" if name == "row" and self._accept("(") else ">"
        if closing == ">":
            self._expect("<")
        fields = StructType([]) if self._peek()[1] == closing else self._fields()
        self._expect(closing)
        return fields

    def _sized(self, name: str) -> DataType:
        varying = name in ("varchar", "varbinary") or self._accept("varying")
        length = self._numbers(1)
        if name in _SIZED_BYTES:
            if varying and not length:
                self._fail("VARBINARY needs a length, as in VARBINARY(10), or use BYTES")
            return BinaryType()
        if not length:
            self._fail(f"{name.upper()} needs a length, as in {name.upper()}(10), or use STRING")
        return StringType()

    def _decimal(self) -> DataType:
        given = self._numbers(2)
        precision = given[0] if given else 10
        scale = given[1] if len(given) == 2 else 0
        if not 1 <= precision <= 38 or scale > precision:
            self._fail(
                f"DECIMAL({precision},{scale}) does not exist: precision is 1 to 38, "
                "scale at most the precision"
            )
        return DecimalType(precision, scale)

    def _collated(self) -> DataType:
        if not self._accept("collate"):
            return StringType()
        kind, text = self._peek()
        if kind != "word":
            self._fail("COLLATE needs the name of a collation")
        self._at += 1
        return StringType(text.upper())

    def _time(self) -> DataType:
        precision = (*self._numbers(1), 6)[0]
        if precision > 9:
            self._fail(f"TIME({precision}) does not exist: precision is 0 to 9")
        self._accept("without", "time", "zone")
        return TimeType(precision)

    def _timestamp(self, name: str) -> DataType:
        with_precision = self._digits_of_second()
        if name != "timestamp":
            return TimestampType() if name == "timestamp_ltz" else TimestampNTZType()
        if self._accept("without", "time", "zone"):
            return TimestampNTZType()
        if self._accept("with", "local", "time", "zone"):
            return TimestampType()
        if self._accept("with", "time", "zone"):
            self._fail(
                "no timestamp keeps a zone of its own; TIMESTAMP WITH LOCAL TIME ZONE is an instant"
            )
        return TimestampNTZType() if with_precision else TimestampType()

    def _digits_of_second(self) -> bool:
        """Reads a precision of seconds; returns whether there is one."""
        given = self._numbers(1)
        if given and given[0] > 6:
            self._fail(f"a precision of {given[0]} is too much: Spark keeps microseconds, 6 digits")
        return bool(given)

    def _interval(self) -> DataType:
        kind, start = self._peek()
        if kind != "word":
            self._fail(
                "INTERVAL alone mixes months with days and no function can use it; "
                "write INTERVAL YEAR TO MONTH or INTERVAL DAY TO SECOND"
            )
        self._at += 1
        self._resolution(start)
        end = None
        if self._accept("to"):
            end = self._peek()[1] or "nothing"
            self._at += 1
            self._resolution(end)
        try:
            return interval(start, end, what=self._what)
        except TypeDeclarationError:
            self._fail(
                f"there is no INTERVAL {start.upper()}" + (f" TO {end.upper()}" if end else "")
            )

    def _resolution(self, unit: str) -> None:
        """Reads and drops a unit's precision, which Flink lets one choose and Spark fixes."""
        if unit.lower() == "second":
            self._digits_of_second()
        else:
            self._numbers(1)

    def _fields(self) -> StructType:
        fields = [self._field()]
        while self._accept(","):
            fields.append(self._field())
        return StructType(fields)

    def _field(self) -> StructField:
        kind, text = self._peek()
        if kind == "quoted":
            name = text[1:-1].replace("``", "`")
        elif kind == "word":
            name = text
        else:
            self._fail(
                f"a field's name is expected instead of {text!r}; names with other than letters, "
                "digits and _ stand in `back quotes`"
            )
        self._at += 1
        self._accept(":")
        data_type, nullable = self._type()
        commented = self._accept("comment") or self._peek()[0] == "string"
        metadata = {"comment": self._string()} if commented else None
        return StructField(name, data_type, nullable, metadata)

    def _string(self) -> str:
        kind, text = self._peek()
        if kind != "string":
            self._fail("COMMENT needs a text in quotes")
        self._at += 1
        return _ESCAPE.sub(_unescaped, text[1:-1].replace(text[0] * 2, text[0]))


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if len(code) == 5:
        return chr(int(code[1:], 16))
    if len(code) == 3:
        return chr(int(code, 8))
    if code in "%_":
        return "\\" + code
    return _CONTROL.get(code, code)


def ddl(data_type: DataType) -> str:
    """Writes a type as DDL that ``parse`` and Spark read back.

    Names are back-quoted where Spark's grammar needs it; NOT NULL and comments of fields are
    kept. NOT NULL of elements of arrays and maps has no DDL and is left out.
    """
    if isinstance(data_type, ArrayType):
        return f"ARRAY<{ddl(data_type.elementType)}>"
    if isinstance(data_type, MapType):
        return f"MAP<{ddl(data_type.keyType)}, {ddl(data_type.valueType)}>"
    if isinstance(data_type, StructType):
        return f"STRUCT<{', '.join(_field_ddl(field) for field in data_type.fields)}>"
    if isinstance(data_type, StringType):
        plain = data_type.simpleString() == "string"
        return "STRING" if plain else f"STRING COLLATE {data_type.collation}"
    if isinstance(data_type, NullType):
        return "VOID"
    return str(data_type.simpleString()).upper()


def _field_ddl(field: StructField) -> str:
    name = field.name
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        name = backquoted(name)
    text = f"{name}: {ddl(field.dataType)}"
    if not field.nullable:
        text += " NOT NULL"
    comment = (field.metadata or {}).get("comment")
    if isinstance(comment, str):
        quoted = comment.replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n")
        text += f" COMMENT '{quoted}'"
    return text
