"""Casts argument columns to the types that a function declares.

Spark passes whatever type a column has. A narrower type is widened to the declared one here, in
Arrow; anything else is an error that names the parameter, instead of a function that is called with
a kind of value it was not written for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from notebook_udf.errors import DeclarationError
from notebook_udf.specs.payload import Header
from notebook_udf.types import ddl, to_arrow


def in_order(named: dict[str, pa.Array], header: Header) -> dict[str, pa.Array]:
    """Arguments given by name, in the order of the parameters.

    Without gaps they then are where they would be if given by position, which is how failed rows
    are named, quarantined and replayed.
    """
    places = {name: place for place, name in enumerate(header.parameters)}
    return dict(sorted(named.items(), key=lambda item: places.get(item[0], len(places))))


def positional(
    function: Callable[..., Any], count: int, names: Sequence[str]
) -> Callable[..., Any]:
    """Wraps a function so that it takes all arguments by position.

    The first ``count`` are passed on by position, those behind them by ``names``.
    """

    def called(*values: Any) -> Any:
        return function(*values[:count], **dict(zip(names, values[count:], strict=True)))

    return called


def fitted(columns: list[pa.Array], header: Header, names: Sequence[str] = ()) -> list[pa.Array]:
    """The columns, each of its declared type where one was declared.

    The last ones are those given by name, if ``names`` are.

    Raises
    ------
    DeclarationError
        If a column's values do not fit the declared type.
    """
    types = header.input_types
    if not types:
        return columns
    fitting = list(columns)
    places = [
        *range(len(columns) - len(names)),
        *(header.parameters.index(n) if n in header.parameters else len(types) for n in names),
    ]
    for i, (column, place) in enumerate(zip(columns, places, strict=True)):
        declared = types[place] if place < len(types) else None
        if declared is None:
            continue
        target = to_arrow(declared)
        if _same(column.type, target):
            continue
        try:
            if not _widens(column.type, target):
                raise ValueError("not a wider type")
            fitting[i] = _cast(column, target)
        except (ValueError, TypeError, NotImplementedError) as error:
            known = place < len(header.parameters)
            name = header.parameters[place] if known else f"argument {place}"
            raise DeclarationError(
                f"{header.name} declares {name} as {ddl(declared)} and was given a column of "
                f"type {column.type} ({error}): cast the column, or change the declaration"
            ) from error
    return fitting


def _cast(column: pa.Array, target: pa.DataType) -> pa.Array:
    if pa.types.is_decimal(column.type) and pa.types.is_floating(target):
        # Arrow's own cast is off by a digit for one in four; by their text they are as in Python.
        return column.cast(pa.string()).cast(target)
    return column.cast(target)


def _same(actual: pa.DataType, target: pa.DataType) -> bool:
    if actual == target or pa.types.is_nested(target):
        # A nested column's own shape is what the function gets; its names carry the meaning.
        return bool(actual == target or actual.id == target.id)
    return bool(pa.types.is_timestamp(actual) and pa.types.is_timestamp(target)) and (
        (actual.tz is None) == (target.tz is None)
    )


def _widens(actual: pa.DataType, target: pa.DataType) -> bool:
    t = pa.types
    if t.is_null(actual):
        return True
    if t.is_integer(target):
        return bool(t.is_integer(actual)) and actual.bit_width <= target.bit_width
    if t.is_floating(target):
        return bool(t.is_integer(actual) or t.is_floating(actual) or t.is_decimal(actual))
    if t.is_decimal(target):
        return bool(t.is_integer(actual) or t.is_decimal(actual))
    if t.is_timestamp(target):
        return bool(t.is_date(actual))
    return False
