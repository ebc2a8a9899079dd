"""Encodes the rows of a table function as Arrow columns, one for each column it declares.

A row of one column may be the bare value. ``encode`` converts the values; ``generate`` calls the
function and reports to the user.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, TypeAlias

import pyarrow as pa
from pyspark.sql.types import ArrayType, MapType, Row, StructType

from notebook_udf.functions.row import Row as OwnRow
from notebook_udf.worker.codec.encode import BadResult, encoder

# One array per column.
RowsEncoder: TypeAlias = Callable[[list[Any]], list[pa.Array]]


def rows_encoder(columns: StructType) -> RowsEncoder:
    """An encoder of rows as columns.

    Raises
    ------
    BadResult
        By the encoder, for the first row that does not fit; it names the column and the value.
    """
    return _single(columns) if len(columns.fields) == 1 else _several(columns)


def with_bare_values(columns: StructType) -> Callable[[Any], Any] | None:
    """Makes a row of a bare value, and leaves a row as it is; None for rows of several columns.

    What may be a row, as a list is, is one.
    """
    if len(columns.fields) != 1:
        return None
    return lambda value: value if _is_row(type(value)) else (value,)


def _several(columns: StructType) -> RowsEncoder:
    encode = encoder(columns)

    def encoded(rows: list[Any]) -> list[pa.Array]:
        found = encode(rows)
        if found.null_count:
            names = ", ".join(columns.names)
            reason = f"a row has the columns {names}; for a row of NULLs yield a None in each"
            raise BadResult(rows.index(None), None, columns, "", reason)
        return [found.field(place) for place in range(len(columns.fields))]

    return encoded


def _single(columns: StructType) -> RowsEncoder:
    (field,) = columns.fields
    encode, as_rows = encoder(field.dataType), encoder(columns)

    def encoded(rows: list[Any]) -> list[pa.Array]:
        try:
            found = encode(rows)
        except BadResult as bare:
            wrapped = _unwrapped(rows, columns)
            if wrapped is None:
                raise bare.moved(bare.index, f".{field.name}") from None
            return [as_rows(wrapped).field(0)]
        if found.null_count and not field.nullable:
            as_rows([(value,) for value in rows])
        return [found]

    return encoded


def _unwrapped(rows: Sequence[Any], columns: StructType) -> list[Any] | None:
    """The rows, with bare values as rows; None if all of them are bare."""
    (field,) = columns.fields
    ambiguous: tuple[type, ...] = ()
    if isinstance(field.dataType, (ArrayType, StructType)):
        # A tuple or a list may be the value itself, unless it is a row that holds it.
        ambiguous = (list,) if isinstance(field.dataType, ArrayType) else (list, tuple, dict)
    elif isinstance(field.dataType, MapType):
        ambiguous = (dict,)
    kinds = {type(value) for value in rows} - {NoneType, *ambiguous}
    if not any(_is_row(kind) for kind in kinds):
        return None
    return [
        value if _is_row(type(value)) and type(value) not in ambiguous else (value,)
        for value in rows
    ]


def _is_row(kind: type) -> bool:
    rows = (tuple, list, dict, Row, OwnRow)
    return issubclass(kind, rows) or dataclasses.is_dataclass(kind)
