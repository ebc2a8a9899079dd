"""Declaring types: ``DataTypes``, DDL, annotations, and their Arrow side, without Spark."""

from __future__ import annotations

import collections
import contextlib
import datetime as dt
import re
import subprocess
import sys
import typing
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple, NewType, NotRequired, Optional, TypedDict

import numpy as np
import pyarrow as pa
import pytest
from flink_types import BOTH, FLINKS
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as sp
from pyspark.sql.pandas.types import to_arrow_type

from notebook_udf.annotations import MAY_LACK
from notebook_udf.datatypes import Field
from notebook_udf.errors import TypeDeclarationError
from notebook_udf.types import (
    DataTypes,
    NotNull,
    contains_year_month,
    ddl,
    from_annotation,
    resolve,
    to_arrow,
)

WHAT = "the result of f"
DAY_TIME = sp.DayTimeIntervalType


def typed(spec: Any) -> sp.DataType:
    return resolve(spec, what=WHAT)


def refusal(spec: Any) -> str:
    with pytest.raises(TypeDeclarationError) as caught:
        resolve(spec, what=WHAT)
    message = str(caught.value)
    assert WHAT in message
    return message


def struct(*fields: tuple[Any, ...]) -> sp.StructType:
    return sp.StructType([sp.StructField(*field) for field in fields])


# --- DataTypes -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (DataTypes.NULL(), sp.NullType()),
        (DataTypes.BOOLEAN(), sp.BooleanType()),
        (DataTypes.TINYINT(), sp.ByteType()),
        (DataTypes.SMALLINT(), sp.ShortType()),
        (DataTypes.INT(), sp.IntegerType()),
        (DataTypes.BIGINT(), sp.LongType()),
        (DataTypes.FLOAT(), sp.FloatType()),
        (DataTypes.DOUBLE(), sp.DoubleType()),
        (DataTypes.DECIMAL(38, 18), sp.DecimalType(38, 18)),
        (DataTypes.STRING(), sp.StringType()),
        (DataTypes.CHAR(3), sp.StringType()),
        (DataTypes.VARCHAR(3), sp.StringType()),
        (DataTypes.BYTES(), sp.BinaryType()),
        (DataTypes.BINARY(3), sp.BinaryType()),
        (DataTypes.VARBINARY(3), sp.BinaryType()),
        (DataTypes.DATE(), sp.DateType()),
        (DataTypes.TIME(), sp.TimeType(6)),
        (DataTypes.TIME(0), sp.TimeType(0)),
        (DataTypes.TIMESTAMP(), sp.TimestampNTZType()),
        (DataTypes.TIMESTAMP(3), sp.TimestampNTZType()),
        (DataTypes.TIMESTAMP_LTZ(), sp.TimestampType()),
        (DataTypes.TIMESTAMP_WITH_LOCAL_TIME_ZONE(6), sp.TimestampType()),
        (DataTypes.INTERVAL(DataTypes.DAY(), DataTypes.SECOND()), DAY_TIME(0, 3)),
        (DataTypes.INTERVAL(DataTypes.HOUR(), DataTypes.MINUTE()), DAY_TIME(1, 2)),
        (DataTypes.INTERVAL(DataTypes.YEAR()), sp.YearMonthIntervalType(0, 0)),
        (
            DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.MONTH()),
            sp.YearMonthIntervalType(0, 1),
        ),
        (DataTypes.ARRAY(DataTypes.INT()), sp.ArrayType(sp.IntegerType())),
        (DataTypes.MULTISET(DataTypes.DATE()), sp.MapType(sp.DateType(), sp.IntegerType())),
        (
            DataTypes.MAP(DataTypes.STRING(), DataTypes.INT()),
            sp.MapType(sp.StringType(), sp.IntegerType()),
        ),
        (
            DataTypes.ROW([DataTypes.INT(), DataTypes.STRING(nullable=False)]),
            struct(("f0", sp.IntegerType()), ("f1", sp.StringType(), False)),
        ),
        (
            DataTypes.ROW([DataTypes.FIELD("a", DataTypes.INT(), "how many")]),
            struct(("a", sp.IntegerType(), True, {"comment": "how many"})),
        ),
        (DataTypes.ROW(), sp.StructType([])),
        (DataTypes.VARIANT(), sp.VariantType()),
    ],
)
def test_the_factory_answers_sparks_types(made: Any, expected: sp.DataType) -> None:
    assert made == expected
    assert typed(made) == expected
    # What the factory makes, every other step can use.
    assert isinstance(to_arrow(made), pa.DataType)
    assert ddl(made)


def test_every_type_of_the_factory_can_be_not_null() -> None:
    arguments: dict[str, tuple[Any, ...]] = collections.defaultdict(
        tuple,
        DECIMAL=(5, 2),
        CHAR=(1,),
        VARCHAR=(1,),
        BINARY=(1,),
        VARBINARY=(1,),
        INTERVAL=(DataTypes.DAY(),),
        ARRAY=(DataTypes.INT(),),
        MULTISET=(DataTypes.INT(),),
        MAP=(DataTypes.INT(), DataTypes.INT()),
    )
    ends = {"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "FIELD", "NULL"}
    # A view is a part of an accumulator, where there is no NULL.
    ends |= {"LIST_VIEW", "MAP_VIEW"}
    for name in (name for name in vars(DataTypes) if name.isupper() and name not in ends):
        make = getattr(DataTypes, name)
        never = make(*arguments[name], nullable=False)
        assert never == NotNull(make(*arguments[name]))
        assert typed(never) == make(*arguments[name])


def test_containers_keep_nullability() -> None:
    never = DataTypes.INT(nullable=False)
    assert DataTypes.ARRAY(never) == sp.ArrayType(sp.IntegerType(), False)
    assert DataTypes.MAP(never, never) == sp.MapType(sp.IntegerType(), sp.IntegerType(), False)
    assert DataTypes.ROW([Field("a", never)]) == struct(("a", sp.IntegerType(), False))


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: DataTypes.DECIMAL(39, 0), "1 to 38"),
        (lambda: DataTypes.DECIMAL(3, 4), "0 to 3"),
        (lambda: DataTypes.TIME(10), "0 to 9"),
        (lambda: DataTypes.TIMESTAMP(9), "0 to 6"),
        (lambda: DataTypes.CHAR(0), "1 to"),
        (lambda: DataTypes.INTERVAL(DataTypes.YEAR(), DataTypes.DAY()), "do not mix"),
        (lambda: DataTypes.INTERVAL(DataTypes.SECOND(), DataTypes.DAY()), "coarser"),
        (lambda: DataTypes.INTERVAL("DAY"), "DataTypes.DAY()"),
        (lambda: DataTypes.ARRAY(DataTypes.INT), "INT()"),
        (lambda: DataTypes.ARRAY("INT"), "DataTypes.BIGINT()"),
        (lambda: DataTypes.ROW(DataTypes.INT()), "takes a list"),
        (lambda: DataTypes.FIELD(DataTypes.INT(), "a"), "name first"),
    ],
)
def test_what_spark_lacks_is_refused_by_the_factory(make: Any, said: str) -> None:
    with pytest.raises(TypeDeclarationError, match=re.escape(said)):
        make()


# --- DDL -----------------------------------------------------------------------------------

# Each reading below was compared with that of Spark's own parser.
READ = {
    "boolean": sp.BooleanType(),
    "tinyint": sp.ByteType(),
    "byte": sp.ByteType(),
    "smallint": sp.ShortType(),
    "short": sp.ShortType(),
    "int": sp.IntegerType(),
    " Integer\n": sp.IntegerType(),
    "BIGINT": sp.LongType(),
    "long": sp.LongType(),
    "float": sp.FloatType(),
    "real": sp.FloatType(),
    "double": sp.DoubleType(),
    "decimal": sp.DecimalType(10, 0),
    "decimal(12)": sp.DecimalType(12, 0),
    "decimal(10,2)": sp.DecimalType(10, 2),
    "numeric(5, 1)": sp.DecimalType(5, 1),
    "dec(4)": sp.DecimalType(4, 0),
    "string": sp.StringType(),
    "string collate utf8_lcase": sp.StringType("UTF8_LCASE"),
    "char(3)": sp.StringType(),
    "character(3)": sp.StringType(),
    "varchar(3)": sp.StringType(),
    "binary": sp.BinaryType(),
    "date": sp.DateType(),
    "timestamp": sp.TimestampType(),
    "timestamp_ltz": sp.TimestampType(),
    "timestamp with local time zone": sp.TimestampType(),
    "timestamp_ntz": sp.TimestampNTZType(),
    "timestamp without time zone": sp.TimestampNTZType(),
    "time": sp.TimeType(6),
    "time(0)": sp.TimeType(0),
    "time(9)": sp.TimeType(9),
    "time without time zone": sp.TimeType(6),
    "interval year": sp.YearMonthIntervalType(0, 0),
    "interval month": sp.YearMonthIntervalType(1, 1),
    "interval year to month": sp.YearMonthIntervalType(0, 1),
    "interval day": DAY_TIME(0, 0),
    "interval day to hour": DAY_TIME(0, 1),
    "interval day to second": DAY_TIME(0, 3),
    "interval hour to minute": DAY_TIME(1, 2),
    "interval second": DAY_TIME(3, 3),
    "variant": sp.VariantType(),
    "void": sp.NullType(),
    "array<array<int>>": sp.ArrayType(sp.ArrayType(sp.IntegerType())),
    "map<string, array<int>>": sp.MapType(sp.StringType(), sp.ArrayType(sp.IntegerType())),
    "struct<>": sp.StructType([]),
    "struct<a: int, b: string NOT NULL COMMENT 'x'>": struct(
        ("a", sp.IntegerType()), ("b", sp.StringType(), False, {"comment": "x"})
    ),
    "struct<a int, `b c`: time(2)>": struct(("a", sp.IntegerType()), ("b c", sp.TimeType(2))),
    "`a``b` int, `a.b` int": struct(("a`b", sp.IntegerType()), ("a.b", sp.IntegerType())),
    "struct<date: date, map: int>": struct(("date", sp.DateType()), ("map", sp.IntegerType())),
    "a INT, b STRING": struct(("a", sp.IntegerType()), ("b", sp.StringType())),
    "a: int": struct(("a", sp.IntegerType())),
    "1a int": struct(("1a", sp.IntegerType())),
    "int int": struct(("int", sp.IntegerType())),
    "interval interval year": struct(("interval", sp.YearMonthIntervalType(0, 0))),
    "a INT COMMENT 'it''s \\n \\u0041 \\101 \\%'": struct(
        ("a", sp.IntegerType(), True, {"comment": "it's \n A A \\%"})
    ),
    'a INT COMMENT "d""q"': struct(("a", sp.IntegerType(), True, {"comment": 'd"q'})),
    "int -- how many": sp.IntegerType(),
}


@pytest.mark.parametrize("text", READ)
def test_ddl_is_read_as_spark_reads_it(text: str) -> None:
    found = typed(text)
    assert found == READ[text]
    assert found.jsonValue() == READ[text].jsonValue()
    assert typed(ddl(found)).jsonValue() == found.jsonValue()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "missing"),
        ("blah", "no type 'blah'"),
        ("text", "STRING"),
        ("bool", "BOOLEAN"),
        ("a blah, b int", "no type 'blah'"),
        ("interval", "YEAR TO MONTH"),
        ("interval month to year", "no INTERVAL MONTH TO YEAR"),
        ("interval year to day", "no INTERVAL YEAR TO DAY"),
        ("array", "'<' is missing"),
        ("array<int", "'>' is missing"),
        ("map<int>", "',' is missing"),
        ("char", "CHAR(10)"),
        ("int[]", "'['"),
        ("int(3)", "'('"),
        ("tinyint unsigned", "'unsigned'"),
        ("decimal(50,2)", "1 to 38"),
        ("decimal(3,5)", "at most the precision"),
        ("decimal(10,-2)", "'-'"),
        ("time(10)", "0 to 9"),
        ("a INT, b", "missing"),
        ("a INT,", "name is expected"),
        ("a INT DEFAULT 3", "'DEFAULT'"),
        ("a INT COMMENT 'x' NOT NULL", "'NOT'"),
        ("a INT COMMENT x", "quotes"),
        ("struct<ünï int>", "back quotes"),
        ("geometry(4326)", "no type 'geometry'"),
    ],
)
def test_ddl_that_spark_refuses_is_refused_with_a_reason(text: str, said: str) -> None:
    message = refusal(text)
    assert repr(text) in message
    assert said in message
    assert "DataTypes.BIGINT()" in message


@pytest.mark.parametrize(("text", "expected"), (FLINKS | BOTH).items())
def test_types_are_read_as_flink_writes_them(text: str, expected: sp.DataType) -> None:
    assert typed(text).jsonValue() == expected.jsonValue()
    assert typed(text.lower()).simpleString() == expected.simpleString()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("MULTISET<INT>", "MAP<value, INT>"),
        ("INT MULTISET", "MAP<value, INT>"),
        ("ARRAY<MULTISET<INT>>", "MAP<value, INT>"),
        ("RAW('java.lang.Object', '...')", "class of Java"),
        ("TIMESTAMP(9)", "microseconds"),
        ("TIMESTAMP_LTZ(7)", "microseconds"),
        ("TIMESTAMP(9) WITH LOCAL TIME ZONE", "microseconds"),
        ("INTERVAL DAY TO SECOND(9)", "microseconds"),
        ("TIMESTAMP(3) WITH TIME ZONE", "WITH LOCAL TIME ZONE"),
        ("VARBINARY", "BYTES"),
        ("BINARY VARYING", "BYTES"),
        ("ROW<INT, STRING>", "a type is expected instead of ','"),
        ("ROW(a INT>", "')' is missing"),
        ("INT NOT", "'NOT'"),
    ],
)
def test_types_of_flink_that_spark_lacks_are_refused_with_a_reason(text: str, said: str) -> None:
    assert said in refusal(text)


scalars = st.sampled_from([kept for kept in READ.values() if not isinstance(kept, sp.StructType)])


def can_be_a_key(data_type: sp.DataType) -> bool:
    """Spark refuses VOID there, and a map at any depth."""
    return data_type != sp.NullType() and '"map"' not in data_type.json()


any_type: st.SearchStrategy[sp.DataType] = st.recursive(
    scalars,
    lambda inner: (
        st.builds(sp.ArrayType, inner)
        | st.builds(sp.MapType, scalars.filter(can_be_a_key), inner)
        | st.lists(
            st.builds(
                sp.StructField,
                st.text(max_size=5),
                inner.filter(lambda part: part != sp.NullType()),
                st.booleans(),
                st.none() | st.text(max_size=5).filter(bool).map(lambda text: {"comment": text}),
            ),
            max_size=3,
        ).map(sp.StructType)
    ),
    max_leaves=6,
)


@settings(deadline=None, database=None)
@given(any_type)
def test_written_ddl_is_read_back(data_type: sp.DataType) -> None:
    assert typed(ddl(data_type)).jsonValue() == data_type.jsonValue()


@settings(deadline=None, database=None)
@given(st.text(alphabet="array<int>map(),: `'ab0\\", max_size=30))
def test_any_text_is_a_type_or_a_declaration_error(text: str) -> None:
    with contextlib.suppress(TypeDeclarationError):
        assert isinstance(typed(text), sp.DataType)


# --- annotations ---------------------------------------------------------------------------


class Point(NamedTuple):
    x: int
    label: Optional[str]  # noqa: UP045


@dataclass
class Path:
    points: list[Point]
    owner: Annotated[str, DataTypes.STRING(nullable=False)]


class Options(TypedDict):
    depth: int
    name: NotRequired[str]


@dataclass
class Tree:
    left: Tree | None


@dataclass
class Lost:
    somewhere: Nowhere  # type: ignore[name-defined]  # noqa: F821


Meters = NewType("Meters", float)
POINT = struct(("x", sp.LongType()), ("label", sp.StringType()))


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (int, sp.LongType()),
        (float, sp.DoubleType()),
        (str, sp.StringType()),
        (bool, sp.BooleanType()),
        (bytes, sp.BinaryType()),
        (bytearray, sp.BinaryType()),
        (dt.date, sp.DateType()),
        (dt.datetime, sp.TimestampType()),
        (dt.time, sp.TimeType(6)),
        (dt.timedelta, DAY_TIME(0, 3)),
        (Decimal, sp.DecimalType(38, 18)),
        (type(None), sp.NullType()),
        (list[int], sp.ArrayType(sp.LongType())),
        (list[str | None], sp.ArrayType(sp.StringType())),
        (tuple[int, ...], sp.ArrayType(sp.LongType())),
        (Sequence[float], sp.ArrayType(sp.DoubleType())),
        (dict[str, int], sp.MapType(sp.StringType(), sp.LongType())),
        (Mapping[str, bool], sp.MapType(sp.StringType(), sp.BooleanType())),
        (Optional[int], sp.LongType()),  # noqa: UP045
        (int | None, sp.LongType()),
        (bytes | bytearray, sp.BinaryType()),
        (Literal["a", "b"], sp.StringType()),
        (Meters, sp.DoubleType()),
        (Annotated[int, sp.ByteType()], sp.ByteType()),
        (Annotated[int, "smallint"], sp.ShortType()),
        (Annotated[int, 3], sp.LongType()),
        (list[Annotated[int, DataTypes.INT(False)]], sp.ArrayType(sp.IntegerType(), False)),
        (np.int32, sp.IntegerType()),
        (np.int64, sp.LongType()),
        (np.uint8, sp.ShortType()),
        (np.float32, sp.FloatType()),
        (np.float64, sp.DoubleType()),
        (np.bool_, sp.BooleanType()),
        (np.str_, sp.StringType()),
        (sp.VariantVal, sp.VariantType()),
        (Point, POINT),
        (
            Path,
            struct(("points", sp.ArrayType(POINT)), ("owner", sp.StringType(), False)),
        ),
        (
            Options,
            sp.StructType(
                [
                    sp.StructField("depth", sp.LongType()),
                    sp.StructField("name", sp.StringType(), True, {MAY_LACK: True}),
                ]
            ),
        ),
    ],
)
def test_annotations_stand_for_types(annotation: Any, expected: sp.DataType) -> None:
    assert from_annotation(annotation, what=WHAT) == expected
    assert typed(annotation) == expected


@pytest.mark.parametrize(
    ("annotation", "said"),
    [
        (Any, "says nothing"),
        (object, "says nothing"),
        (None, "has no type"),
        (int | str, "several"),
        (int | float, "several"),
        (list, "list[int]"),
        (dict, "dict[str, int]"),
        (tuple, "NamedTuple"),
        (tuple[int, str], "NamedTuple"),
        (set[int], "no sets"),
        (Iterator[int], "table function"),
        (complex, "no type that matches"),
        (np.ndarray, "what it holds"),
        (np.integer, "no type that matches"),
        (np.uint64, "no type that matches"),
        (np.datetime64, "no type that matches"),
        (typing.TypeVar("T"), "no type that matches"),
        (Tree, "contains itself"),
        (Lost, "'Nowhere' is not defined"),
        (collections.namedtuple("Bare", "a"), "no annotation"),
        (list[Any], "says nothing"),
        (3, "no type that matches"),
        ([int], "a value, not a type"),
    ],
)
def test_what_says_no_type_is_refused_with_the_next_step(annotation: Any, said: str) -> None:
    message = refusal(annotation)
    assert said in message
    assert "DDL" in message


def test_a_field_is_named_in_the_message() -> None:
    class Holder(NamedTuple):
        what: Any

    with pytest.raises(TypeDeclarationError, match="field 'what' of Holder, in the result of f"):
        from_annotation(Holder, what=WHAT)


@pytest.mark.parametrize("spec", [sp.LongType, DataTypes.BIGINT])
def test_a_type_that_was_not_called_is_recognised(spec: Any) -> None:
    assert "()" in refusal(spec)


@pytest.mark.parametrize("spec", [sp.CalendarIntervalType(), sp.GeometryType(0)])
def test_types_without_a_conversion_are_refused(spec: sp.DataType) -> None:
    assert "cannot take or return" in refusal(spec)
    assert "cannot take or return" in refusal(sp.ArrayType(spec))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("map<map<int, int>, int>", "map in the key"),
        ("map<struct<a: map<int, int>>, int>", "map in the key"),
        ("map<void, int>", "VOID"),
        ("a void not null", "VOID"),
    ],
)
def test_parts_that_no_value_could_fill_are_refused(text: str, said: str) -> None:
    assert said in refusal(text)


def test_sized_text_becomes_text_at_any_depth() -> None:
    sized = struct(("a", sp.MapType(sp.CharType(3), sp.ArrayType(sp.VarcharType(3)))))
    assert typed(sized) == struct(("a", sp.MapType(sp.StringType(), sp.ArrayType(sp.StringType()))))


# --- Arrow ---------------------------------------------------------------------------------


@settings(deadline=None, database=None)
@given(any_type)
def test_arrow_types_are_sparks_own(data_type: sp.DataType) -> None:
    if contains_year_month(data_type):
        assert "interval" not in str(to_arrow(data_type))
    else:
        expected = to_arrow_type(data_type, timezone="UTC")
        assert to_arrow(data_type).equals(expected, check_metadata=True)


def test_months_travel_as_int32() -> None:
    data_type = typed("a ARRAY<INTERVAL YEAR TO MONTH>, b MAP<STRING, INTERVAL YEAR> NOT NULL")
    without = typed("a ARRAY<INT>, b MAP<STRING, INT> NOT NULL")
    assert contains_year_month(data_type)
    assert not contains_year_month(without)
    assert to_arrow(data_type) == to_arrow(without)


def test_types_are_read_without_arrow_or_a_jvm() -> None:
    code = (
        "import sys; from notebook_udf.types import resolve; resolve('a INT', what=''); "
        "print('pyarrow' in sys.modules, 'pandas' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
