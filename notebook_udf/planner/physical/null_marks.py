"""NULLs among values that Spark gathers: it leaves them out, and Python has a None for each.

A struct around each value would keep them, and takes an object for each row. So a value that is
seldom met stands for NULL, its mark. Beside the list of values goes a list of booleans, one for
each mark among them: whether it stands for NULL, or for itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql.types import (
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
)

_BITS: dict[type[DataType], int] = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
# A power of two and a half of it: a FLOAT and a DOUBLE are this number to the last bit.
_FRACTION = -1.5 * 2.0**-126
_TEXT = "\N{NULL}NULL"


@dataclass(frozen=True)
class NullMark:
    """What stands for NULL.

    Attributes
    ----------
    value
        The value, as Python has it.
    sql
        The same in SQL.
    """

    value: int | float | str
    sql: str


def mark_of(kind: DataType) -> NullMark | None:
    """The mark among values of a type; None where there is none."""
    bits = _BITS.get(type(kind))
    if bits is not None:
        least = -(1 << bits - 1)
        # The least number of 64 bits is no literal in SQL.
        return NullMark(least, f"CAST('{least}' AS {kind.simpleString()})")
    if isinstance(kind, FloatType | DoubleType):
        return NullMark(_FRACTION, f"CAST({_FRACTION!r}D AS {kind.simpleString()})")
    if kind == StringType():
        return NullMark(_TEXT, f"concat(chr(0), '{_TEXT[1:]}')")
    return None


def marked(value: str, mark: NullMark) -> tuple[str, str]:
    """What is gathered of a value in SQL: itself or the mark, and whether that stands for NULL."""
    return (
        f"coalesce({value}, {mark.sql})",
        f"CASE WHEN {value} IS NULL THEN true WHEN {value} = {mark.sql} THEN false END",
    )
