"""Types by the texts that Flink's SQL has for them, and what they are on Spark."""

from __future__ import annotations

from typing import Any

from pyspark.sql import types as sp


def _struct(*fields: tuple[Any, ...]) -> sp.StructType:
    return sp.StructType([sp.StructField(*field) for field in fields])


# Texts that Spark's DDL does not know.
FLINKS = {
    "TIMESTAMP_NTZ(3)": sp.TimestampNTZType(),
    "BYTES": sp.BinaryType(),
    "BINARY(16)": sp.BinaryType(),
    "VARBINARY(16)": sp.BinaryType(),
    "BINARY VARYING(16)": sp.BinaryType(),
    "CHAR VARYING(3)": sp.StringType(),
    "CHARACTER VARYING(3)": sp.StringType(),
    "DOUBLE PRECISION": sp.DoubleType(),
    "NULL": sp.NullType(),
    "TIMESTAMP(3)": sp.TimestampNTZType(),
    "TIMESTAMP(0) WITHOUT TIME ZONE": sp.TimestampNTZType(),
    "TIMESTAMP(3) WITH LOCAL TIME ZONE": sp.TimestampType(),
    "TIMESTAMP_LTZ(3)": sp.TimestampType(),
    "INTERVAL DAY TO SECOND(3)": sp.DayTimeIntervalType(0, 3),
    "INTERVAL DAY(4) TO SECOND(6)": sp.DayTimeIntervalType(0, 3),
    "INTERVAL SECOND(0)": sp.DayTimeIntervalType(3, 3),
    "INTERVAL YEAR(4) TO MONTH": sp.YearMonthIntervalType(0, 1),
    "INT NOT NULL": sp.IntegerType(),
    "INT NULL": sp.IntegerType(),
    "ARRAY<INT NOT NULL>": sp.ArrayType(sp.IntegerType(), False),
    "MAP<STRING NOT NULL, INT NOT NULL>": sp.MapType(sp.StringType(), sp.IntegerType(), False),
    "INT ARRAY": sp.ArrayType(sp.IntegerType()),
    "INT NOT NULL ARRAY NOT NULL": sp.ArrayType(sp.IntegerType(), False),
    "INT ARRAY ARRAY": sp.ArrayType(sp.ArrayType(sp.IntegerType())),
    "DECIMAL(5, 2) ARRAY": sp.ArrayType(sp.DecimalType(5, 2)),
    "ROW<a INT, b STRING>": _struct(("a", sp.IntegerType()), ("b", sp.StringType())),
    "Row<a BIGINT, b BIGINT>": _struct(("a", sp.LongType()), ("b", sp.LongType())),
    "ROW(a INT NOT NULL, `b c` BYTES)": _struct(
        ("a", sp.IntegerType(), False), ("b c", sp.BinaryType())
    ),
    "ROW<a ROW(b INT ARRAY) NULL>": _struct(("a", _struct(("b", sp.ArrayType(sp.IntegerType()))))),
    "ROW<a INT 'how many', b INT>": _struct(
        ("a", sp.IntegerType(), True, {"comment": "how many"}), ("b", sp.IntegerType())
    ),
    "a INT ARRAY, b DOUBLE PRECISION NOT NULL": _struct(
        ("a", sp.ArrayType(sp.IntegerType())), ("b", sp.DoubleType(), False)
    ),
}

# Texts that both read: Spark's reading holds.
BOTH = {
    "TIMESTAMP_NTZ(6)": sp.TimestampNTZType(),
    "TIME(3) WITHOUT TIME ZONE": sp.TimeType(3),
    "row int": _struct(("row", sp.IntegerType())),
    "bytes int, null int": _struct(("bytes", sp.IntegerType()), ("null", sp.IntegerType())),
    "int array<int>": _struct(("int", sp.ArrayType(sp.IntegerType()))),
}
