"""``DataTypes``: PyFlink's factory of types, which returns Spark's types.

Covers the names that a PyFlink user writes and what they mean on Spark. ``notebook_udf.types``
reads declarations (DDL, annotation, Spark type), ``notebook_udf.worker`` converts values.

Spark keeps nullability in the container (field, array, map), Flink in the type itself:
``NotNull`` carries it from one to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
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
    VariantType,
    YearMonthIntervalType,
)

from notebook_udf.errors import TypeDeclarationError


@dataclass(frozen=True)
class NotNull:
    """A type whose values are never NULL; accepted by ROW, ARRAY, MAP and ``resolve``."""

    type: DataType


@dataclass(frozen=True)
class Resolution:
    """The unit of one end of an interval type, as made by ``DataTypes.DAY()`` and its like."""

    name: str


@dataclass(frozen=True)
class Field:
    """A named part of a ROW, as made by ``DataTypes.FIELD``."""

    name: str
    type: TypeSpec
    description: str | None = None


TypeSpec: TypeAlias = DataType | NotNull

_YEAR_MONTH = {"YEAR": YearMonthIntervalType.YEAR, "MONTH": YearMonthIntervalType.MONTH}
_DAY_TIME = {
    "DAY": DayTimeIntervalType.DAY,
    "HOUR": DayTimeIntervalType.HOUR,
    "MINUTE": DayTimeIntervalType.MINUTE,
    "SECOND": DayTimeIntervalType.SECOND,
}


class ListViewType(ArrayType):  # type: ignore[misc]
    """The type of a ``ListView`` in an accumulator."""

    def simpleString(self) -> str:  # noqa: N802
        return f"list_view<{self.elementType.simpleString()}>"


class MapViewType(MapType):  # type: ignore[misc]
    """The type of a ``MapView`` in an accumulator."""

    def simpleString(self) -> str:  # noqa: N802
        return f"map_view<{self.keyType.simpleString()},{self.valueType.simpleString()}>"


# In a field's metadata: it holds a state view, which is pickled.
IS_VIEW = "notebook-udf.view"


def unwrap(spec: TypeSpec, *, what: str) -> tuple[DataType, bool]:
    """Split a type from its nullability.

    Raises
    ------
    TypeDeclarationError
        If ``spec`` is not a type; the usual cause is a factory that was not called.
    """
    if isinstance(spec, NotNull):
        return spec.type, False
    if isinstance(spec, DataType):
        return spec, True
    hint = ""
    if callable(spec):
        hint = f" Did you mean {getattr(spec, '__name__', spec)}()?"
    raise TypeDeclarationError(
        f"{what} needs a type, not {spec!r} ({type(spec).__name__}).{hint} "
        "Write for example DataTypes.BIGINT() or DataTypes.STRING()."
    )


def interval(start: str, end: str | None, *, what: str) -> DataType:
    """Spark's interval type between two units; without ``end``, of ``start`` alone.

    Raises
    ------
    TypeDeclarationError
        If the two belong to different families or are in the wrong order.
    """
    upper, lower = start.upper(), (end or start).upper()
    if upper in _YEAR_MONTH and lower in _YEAR_MONTH and _YEAR_MONTH[upper] <= _YEAR_MONTH[lower]:
        return YearMonthIntervalType(_YEAR_MONTH[upper], _YEAR_MONTH[lower])
    if upper in _DAY_TIME and lower in _DAY_TIME and _DAY_TIME[upper] <= _DAY_TIME[lower]:
        return DayTimeIntervalType(_DAY_TIME[upper], _DAY_TIME[lower])
    raise TypeDeclarationError(
        f"{what}: INTERVAL {upper} TO {lower} is not a type. An interval runs from the coarser to "
        "the finer of YEAR, MONTH, or of DAY, HOUR, MINUTE, SECOND; the two families do not mix."
    )


def _declared(data_type: DataType, nullable: bool) -> TypeSpec:
    return data_type if nullable else NotNull(data_type)


def _between(name: str, value: int, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise TypeDeclarationError(
            f"{name} takes a whole number from {low} to {high}, not {value!r}: "
            "Spark has no such type."
        )
    return value


class DataTypes:
    """Types by the names PyFlink's ``DataTypes`` gives them.

    Most methods take PyFlink's ``nullable`` last; ``nullable=False`` returns a ``NotNull``.

    Raises
    ------
    TypeDeclarationError
        From any method whose argument Spark has no type for.

    Notes
    -----
    Source: PyFlink's [DataTypes][pyflink], for names and parameters. The types are Spark's.

    Examples
    --------
    >>> T = nu.DataTypes
    >>> T.ARRAY(T.BIGINT())
    ArrayType(LongType(), True)
    >>> def spelled(*types):
    ...     return ", ".join(each.simpleString() for each in types)
    >>> spelled(T.BOOLEAN(), T.TINYINT(), T.SMALLINT(), T.INT(), T.FLOAT(), T.DOUBLE())
    'boolean, tinyint, smallint, int, float, double'
    >>> spelled(T.DECIMAL(10, 2), T.STRING(), T.CHAR(2), T.VARCHAR(9), T.VARIANT(), T.NULL())
    'decimal(10,2), string, string, string, variant, void'
    >>> spelled(T.BYTES(), T.BINARY(4), T.VARBINARY(4))
    'binary, binary, binary'
    >>> spelled(T.DATE(), T.TIME(), T.TIMESTAMP(), T.TIMESTAMP_LTZ())
    'date, time(6), timestamp_ntz, timestamp'
    >>> T.TIMESTAMP_WITH_LOCAL_TIME_ZONE() == T.TIMESTAMP_LTZ()
    True
    >>> spelled(T.INTERVAL(T.YEAR(), T.MONTH()), T.INTERVAL(T.DAY(), T.SECOND()))
    'interval year to month, interval day to second'
    >>> spelled(T.INTERVAL(T.HOUR(), T.MINUTE()))
    'interval hour to minute'
    >>> spelled(T.MAP(T.STRING(), T.DATE()), T.MULTISET(T.STRING()))
    'map<string,date>, map<string,int>'
    >>> spelled(T.ROW([T.FIELD("id", T.BIGINT()), T.FIELD("name", T.STRING())]))
    'struct<id:bigint,name:string>'
    >>> spelled(T.LIST_VIEW(T.BIGINT()), T.MAP_VIEW(T.STRING(), T.BIGINT()))
    'list_view<bigint>, map_view<string,bigint>'
    """

    @staticmethod
    def NULL() -> DataType:  # noqa: N802
        """The type whose only value is None."""
        return NullType()

    @staticmethod
    def BOOLEAN(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """True or False."""
        return _declared(BooleanType(), nullable)

    @staticmethod
    def TINYINT(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Whole numbers of 8 bits."""
        return _declared(ByteType(), nullable)

    @staticmethod
    def SMALLINT(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Whole numbers of 16 bits."""
        return _declared(ShortType(), nullable)

    @staticmethod
    def INT(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Whole numbers of 32 bits."""
        return _declared(IntegerType(), nullable)

    @staticmethod
    def BIGINT(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Whole numbers of 64 bits."""
        return _declared(LongType(), nullable)

    @staticmethod
    def FLOAT(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Floating point of 32 bits; results are rounded to it."""
        return _declared(FloatType(), nullable)

    @staticmethod
    def DOUBLE(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Floating point of 64 bits, Python's ``float``."""
        return _declared(DoubleType(), nullable)

    @staticmethod
    def DECIMAL(precision: int, scale: int, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Exact numbers of ``precision`` digits (1 to 38), ``scale`` of them after the point."""
        _between("DECIMAL's precision", precision, 1, 38)
        _between("DECIMAL's scale", scale, 0, precision)
        return _declared(DecimalType(precision, scale), nullable)

    @staticmethod
    def STRING(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Text."""
        return _declared(StringType(), nullable)

    @staticmethod
    def CHAR(length: int, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Text; ``length`` is accepted and not enforced, Spark's functions carry no lengths."""
        _between("CHAR's length", length, 1, 2**31 - 1)
        return _declared(StringType(), nullable)

    @staticmethod
    def VARCHAR(length: int, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Text; ``length`` is accepted and not enforced, Spark's functions carry no lengths."""
        _between("VARCHAR's length", length, 1, 2**31 - 1)
        return _declared(StringType(), nullable)

    @staticmethod
    def BYTES(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Bytes."""
        return _declared(BinaryType(), nullable)

    @staticmethod
    def BINARY(length: int, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Bytes; ``length`` is accepted and not enforced, Spark has no such type."""
        _between("BINARY's length", length, 1, 2**31 - 1)
        return _declared(BinaryType(), nullable)

    @staticmethod
    def VARBINARY(length: int, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Bytes; ``length`` is accepted and not enforced, Spark has no such type."""
        _between("VARBINARY's length", length, 1, 2**31 - 1)
        return _declared(BinaryType(), nullable)

    @staticmethod
    def DATE(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Calendar days."""
        return _declared(DateType(), nullable)

    @staticmethod
    def TIME(precision: int = 6, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Time of day with 0 to 9 digits of a second; PyFlink's default is 0, Spark's is 6."""
        return _declared(TimeType(_between("TIME's precision", precision, 0, 9)), nullable)

    @staticmethod
    def TIMESTAMP(precision: int = 6, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Date and time without a zone: Spark's TIMESTAMP_NTZ, always of microseconds."""
        _between("TIMESTAMP's precision", precision, 0, 6)
        return _declared(TimestampNTZType(), nullable)

    @staticmethod
    def TIMESTAMP_LTZ(precision: int = 6, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """An instant: Spark's TIMESTAMP, always of microseconds."""
        _between("TIMESTAMP_LTZ's precision", precision, 0, 6)
        return _declared(TimestampType(), nullable)

    @staticmethod
    def TIMESTAMP_WITH_LOCAL_TIME_ZONE(  # noqa: N802
        precision: int = 6, nullable: bool = True
    ) -> TypeSpec:
        """The long name of ``TIMESTAMP_LTZ``."""
        return DataTypes.TIMESTAMP_LTZ(precision, nullable)

    @staticmethod
    def YEAR() -> Resolution:  # noqa: N802
        """A resolution for ``INTERVAL``."""
        return Resolution("YEAR")

    @staticmethod
    def MONTH() -> Resolution:  # noqa: N802
        """A resolution for ``INTERVAL``."""
        return Resolution("MONTH")

    @staticmethod
    def DAY() -> Resolution:  # noqa: N802
        """A resolution for ``INTERVAL``."""
        return Resolution("DAY")

    @staticmethod
    def HOUR() -> Resolution:  # noqa: N802
        """A resolution for ``INTERVAL``."""
        return Resolution("HOUR")

    @staticmethod
    def MINUTE() -> Resolution:  # noqa: N802
        """A resolution for ``INTERVAL``."""
        return Resolution("MINUTE")

    @staticmethod
    def SECOND() -> Resolution:  # noqa: N802
        """A resolution for ``INTERVAL``."""
        return Resolution("SECOND")

    @staticmethod
    def INTERVAL(  # noqa: N802
        upper: Resolution, lower: Resolution | None = None, nullable: bool = True
    ) -> TypeSpec:
        """A span of months (YEAR, MONTH) or of microseconds (DAY to SECOND)."""
        for end in (upper, lower):
            if end is not None and not isinstance(end, Resolution):
                raise TypeDeclarationError(
                    f"DataTypes.INTERVAL takes resolutions such as DataTypes.DAY(), not {end!r}."
                )
        found = interval(upper.name, lower.name if lower else None, what="DataTypes.INTERVAL")
        return _declared(found, nullable)

    @staticmethod
    def ARRAY(element_type: TypeSpec, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """A list of values of one type."""
        element, contains_null = unwrap(element_type, what="DataTypes.ARRAY")
        return _declared(ArrayType(element, contains_null), nullable)

    @staticmethod
    def MULTISET(element_type: TypeSpec, nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Values with their counts: Spark has no multiset, so a MAP from value to INT."""
        element, _ = unwrap(element_type, what="DataTypes.MULTISET")
        return _declared(MapType(element, IntegerType()), nullable)

    @staticmethod
    def MAP(  # noqa: N802
        key_type: TypeSpec, value_type: TypeSpec, nullable: bool = True
    ) -> TypeSpec:
        """Keys, which are never NULL, and their values."""
        key, _ = unwrap(key_type, what="the key of DataTypes.MAP")
        value, contains_null = unwrap(value_type, what="the value of DataTypes.MAP")
        return _declared(MapType(key, value, contains_null), nullable)

    @staticmethod
    def FIELD(name: str, data_type: TypeSpec, description: str | None = None) -> Field:  # noqa: N802
        """A named part of a ``ROW``."""
        if not isinstance(name, str):
            raise TypeDeclarationError(
                f"DataTypes.FIELD takes the name first, as a string, not {name!r}."
            )
        unwrap(data_type, what=f"field {name!r}")
        return Field(name, data_type, description)

    @staticmethod
    def ROW(  # noqa: N802
        fields: Sequence[Field | TypeSpec] = (), nullable: bool = True
    ) -> TypeSpec:
        """A row of fields, or of bare types, which are then named f0, f1, ..."""
        if isinstance(fields, (Field, DataType, NotNull)):
            raise TypeDeclarationError(
                "DataTypes.ROW takes a list: DataTypes.ROW([DataTypes.FIELD('a', ...)])."
            )
        members = []
        for position, part in enumerate(fields):
            named = part if isinstance(part, Field) else Field(f"f{position}", part)
            data_type, may_be_null = unwrap(named.type, what=f"field {named.name!r}")
            metadata = {"comment": named.description} if named.description else None
            members.append(StructField(named.name, data_type, may_be_null, metadata))
        return _declared(StructType(members), nullable)

    @staticmethod
    def VARIANT(nullable: bool = True) -> TypeSpec:  # noqa: N802
        """Semi-structured values."""
        return _declared(VariantType(), nullable)

    @staticmethod
    def LIST_VIEW(element_type: TypeSpec) -> DataType:  # noqa: N802
        """A ``ListView`` in an accumulator."""
        element, contains_null = unwrap(element_type, what="DataTypes.LIST_VIEW")
        return ListViewType(element, contains_null)

    @staticmethod
    def MAP_VIEW(key_type: TypeSpec, value_type: TypeSpec) -> DataType:  # noqa: N802
        """A ``MapView`` in an accumulator."""
        key, _ = unwrap(key_type, what="the key of DataTypes.MAP_VIEW")
        value, contains_null = unwrap(value_type, what="the value of DataTypes.MAP_VIEW")
        return MapViewType(key, value, contains_null)
