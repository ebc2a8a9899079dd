"""Resolves declared types: the types of functions, in every form of declaring them.

A Spark ``DataType``, a ``DataTypes`` factory, a DDL string or a Python annotation all become one
``pyspark.sql.types.DataType``, and that becomes DDL or an Arrow type. Converting values is left to
``notebook_udf.worker.codec.decode`` and ``notebook_udf.worker.codec.encode``; which parameters a
function has, to its declaration.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    CharType,
    DataType,
    DateType,
    DayTimeIntervalType,
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
    VarcharType,
    VariantType,
    YearMonthIntervalType,
)

from notebook_udf.annotations import MAY_LACK, from_annotation
from notebook_udf.datatypes import IS_VIEW, DataTypes, ListViewType, MapViewType, NotNull
from notebook_udf.ddl import ddl, parse
from notebook_udf.errors import TypeDeclarationError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "DataTypes",
    "NotNull",
    "beside_views",
    "contains_view",
    "contains_year_month",
    "ddl",
    "from_annotation",
    "is_groupable",
    "marks_views",
    "resolve",
    "to_arrow",
    "unmarked",
]

_CARRIED = (
    BinaryType,
    BooleanType,
    ByteType,
    DateType,
    DayTimeIntervalType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    TimestampNTZType,
    TimestampType,
    TimeType,
    VariantType,
    YearMonthIntervalType,
)


def resolve(spec: Any, *, what: str) -> DataType:
    """The Spark type of a declaration.

    Parameters
    ----------
    spec
        A Spark ``DataType``, the result of a ``DataTypes`` method, DDL text, or an annotation.
        NOT NULL at the top is dropped: any function may return NULL.
    what
        What is being declared, for the message: ``"the result of f"``.

    Raises
    ------
    TypeDeclarationError
        If it is missing, unknown, ambiguous, or of a kind that no function can take or return
        (an interval of no family, user-defined types, geometries, maps as keys of maps).
    """
    if isinstance(spec, str):
        return _carried(parse(spec, what=what), what)
    if isinstance(spec, NotNull):
        return _carried(spec.type, what)
    if isinstance(spec, DataType):
        return _carried(spec, what)
    if spec is None or spec is inspect.Parameter.empty:
        raise TypeDeclarationError(
            f"{what} has no type. Annotate it, or give it as DDL such as 'BIGINT', as "
            "DataTypes.BIGINT(), or as a Spark DataType."
        )
    uncalled = isinstance(spec, type) and issubclass(spec, DataType)
    if uncalled or getattr(spec, "__qualname__", "").startswith("DataTypes."):
        raise TypeDeclarationError(
            f"{what} is declared with {spec.__name__} itself. Call it: {spec.__name__}()."
        )
    return _carried(from_annotation(spec, what=what), what)


def _carried(data_type: DataType, what: str) -> DataType:
    """The type as functions use it, CHAR as STRING; refuses types without a conversion."""
    if isinstance(data_type, (CharType, VarcharType)):
        return StringType()
    if isinstance(data_type, ArrayType):
        element = _part(data_type.elementType, data_type.containsNull, what)
        kind = ListViewType if isinstance(data_type, ListViewType) else ArrayType
        return kind(element, data_type.containsNull)
    if isinstance(data_type, MapType):
        key = _part(data_type.keyType, False, what)
        if _contains(key, MapType):
            raise TypeDeclarationError(
                f"{what} has a map in the key of a map, {ddl(key)}, which Spark does not allow. "
                "Use an ARRAY of STRUCT<key, value> there."
            )
        value = _part(data_type.valueType, data_type.valueContainsNull, what)
        made = MapViewType if isinstance(data_type, MapViewType) else MapType
        return made(key, value, data_type.valueContainsNull)
    if isinstance(data_type, StructType):
        return StructType(
            [
                StructField(
                    field.name,
                    _part(field.dataType, field.nullable, what),
                    field.nullable,
                    field.metadata,
                )
                for field in data_type.fields
            ]
        )
    if isinstance(data_type, _CARRIED):
        return data_type
    raise TypeDeclarationError(
        f"{what} is declared as {data_type.simpleString()}, which Python functions cannot take or "
        "return. Convert it in SQL, before or after the function, to a type they can, such as "
        "BINARY, a STRUCT or one of the interval types YEAR TO MONTH and DAY TO SECOND."
    )


def unmarked(data_type: DataType) -> DataType:
    """The type as Spark knows it: without the marks of keys that a dict may lack."""
    if isinstance(data_type, ArrayType):
        element = unmarked(data_type.elementType)
        if element is data_type.elementType:
            return data_type
        return type(data_type)(element, data_type.containsNull)
    if isinstance(data_type, MapType):
        key, value = unmarked(data_type.keyType), unmarked(data_type.valueType)
        if key is data_type.keyType and value is data_type.valueType:
            return data_type
        return type(data_type)(key, value, data_type.valueContainsNull)
    if isinstance(data_type, StructType):
        fields = list(map(_unmarked_field, data_type.fields))
        same = all(a is b for a, b in zip(fields, data_type.fields, strict=True))
        return data_type if same else StructType(fields)
    return data_type


def _unmarked_field(field: StructField) -> StructField:
    inner = unmarked(field.dataType)
    if inner is field.dataType and MAY_LACK not in field.metadata:
        return field
    metadata = {key: value for key, value in field.metadata.items() if key != MAY_LACK}
    return StructField(field.name, inner, field.nullable, metadata)


def _part(data_type: DataType, nullable: bool, what: str) -> DataType:
    if isinstance(data_type, NullType) and not nullable:
        raise TypeDeclarationError(
            f"{what} has a VOID part that may not be NULL (a map's key never may): no value fits. "
            "Declare the type of the values."
        )
    return _carried(data_type, what)


def to_arrow(data_type: DataType) -> pa.DataType:
    """The Arrow type that Spark exchanges with Python workers, with TIMESTAMP in UTC.

    Notes
    -----
    Equal to ``pyspark.sql.pandas.types.to_arrow_type`` but for year-month intervals, which are
    sent as months in an int32: pyarrow has no class for Arrow's interval of months.
    """
    from pyspark.sql.pandas.types import to_arrow_type

    return to_arrow_type(_months_as_int(unmarked(data_type)), timezone="UTC")


def _months_as_int(data_type: DataType) -> DataType:
    if not contains_year_month(data_type):
        return data_type
    if isinstance(data_type, ArrayType):
        return ArrayType(_months_as_int(data_type.elementType), data_type.containsNull)
    if isinstance(data_type, MapType):
        return MapType(
            _months_as_int(data_type.keyType),
            _months_as_int(data_type.valueType),
            data_type.valueContainsNull,
        )
    if isinstance(data_type, StructType):
        return StructType(
            [
                StructField(
                    field.name, _months_as_int(field.dataType), field.nullable, field.metadata
                )
                for field in data_type.fields
            ]
        )
    return IntegerType()


def contains_year_month(data_type: DataType) -> bool:
    """Whether a year-month interval occurs in the type, at any depth."""
    return _contains(data_type, YearMonthIntervalType)


def is_groupable(data_type: DataType) -> bool:
    """Whether Python can hold values of the type as the keys of a hash table."""
    kinds = (MapType, VariantType, YearMonthIntervalType)
    # Under a collation 'a' may equal 'A', and in Python it does not.
    return not any(_contains(data_type, kind) for kind in kinds) and "COLLATE" not in ddl(data_type)


def contains_view(data_type: DataType) -> bool:
    """Whether a ``ListView`` or ``MapView`` occurs in the type, at any depth."""
    return _contains(data_type, ListViewType) or _contains(data_type, MapViewType)


def beside_views(data_type: DataType) -> DataType | None:
    """The type with fields marked ``IS_VIEW`` in place of views; None if there is nothing else."""
    if not contains_view(data_type):
        return data_type
    if not isinstance(data_type, StructType):
        return None
    fields = []
    for field in data_type.fields:
        inner = beside_views(field.dataType)
        if inner is None:
            fields.append(StructField(field.name, NullType(), True, {IS_VIEW: True}))
        else:
            fields.append(StructField(field.name, inner, field.nullable))
    return StructType(fields)


def marks_views(data_type: DataType) -> bool:
    """Whether ``beside_views`` has marked a field of the type."""
    return isinstance(data_type, StructType) and any(
        IS_VIEW in field.metadata or marks_views(field.dataType) for field in data_type.fields
    )


def _contains(data_type: DataType, kind: type[DataType]) -> bool:
    if isinstance(data_type, kind):
        return True
    if isinstance(data_type, ArrayType):
        return _contains(data_type.elementType, kind)
    if isinstance(data_type, MapType):
        return _contains(data_type.keyType, kind) or _contains(data_type.valueType, kind)
    if isinstance(data_type, StructType):
        return any(_contains(field.dataType, kind) for field in data_type.fields)
    return False
