"""Encodes Python results as Arrow columns of exactly the declared type, or refuses them.

Covers lists, maps and structs, a nested column at a time, and finding the first row to blame;
values without parts are in ``primitives``. Nothing is rounded, cut or turned into NULL on the way:
a result that does not fit its type is refused, with the reason. Calling the function, and making an
error with its name and line out of a ``BadResult``, are left to the caller.
"""

from __future__ import annotations

import dataclasses
from array import array
from collections.abc import Callable, Collection
from itertools import chain
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, MapType, Row, StructType

from notebook_udf.annotations import MAY_LACK
from notebook_udf.datatypes import IS_VIEW
from notebook_udf.functions.row import Row as OwnRow
from notebook_udf.types import to_arrow
from notebook_udf.worker.codec.arrays import Places
from notebook_udf.worker.codec.column_encoder import Column, Values, validity
from notebook_udf.worker.codec.primitives import leaf
from notebook_udf.worker.codec.refusal import BadResult, Refused, shortened

__all__ = ["BadResult", "Encoder", "encoder", "taker"]

Encoder: TypeAlias = Callable[[list[Any]], pa.Array]
Take: TypeAlias = Callable[[Any], tuple[Any, ...]]

_NOT_NULL = "it is declared NOT NULL; return a value, or declare it without NOT NULL"


def encoder(data_type: DataType) -> Encoder:
    """An encoder of Python values, one per row, as columns of ``to_arrow(data_type)``.

    Raises
    ------
    BadResult
        By the encoder, for the first row whose value the type cannot hold unchanged. Rounding
        to 32 bits, which FLOAT means, is the one change allowed.
    TypeError
        If there is no conversion to the type.
    """
    column = _column(data_type)

    def encode(values: list[Any]) -> pa.Array:
        try:
            return column(values)
        except BadResult as bad:
            raise _first(column, values, bad) from None

    return encode


def _first(column: Column, values: list[Any], bad: BadResult) -> BadResult:
    # Columns of parts are encoded one after the other: a row before this one may be bad in a
    # part that was not reached yet.
    while True:
        try:
            column(values[: bad.index])
        except BadResult as earlier:
            bad = earlier
        else:
            return bad


def _column(data_type: DataType) -> Column:
    if isinstance(data_type, ArrayType):
        return _lists(data_type)
    if isinstance(data_type, MapType):
        return _maps(data_type)
    if isinstance(data_type, StructType):
        return _structs(data_type)
    return leaf(data_type)


def _layout(sizes: Values) -> Places:
    """The offsets of each row's parts in the flattened column; one more than there are rows."""
    offsets = np.zeros(len(sizes) + 1, dtype=np.int64)
    np.cumsum(sizes, out=offsets[1:])
    if offsets[-1] >= 1 << 31:
        raise OverflowError(
            f"one batch holds {offsets[-1]} elements, more than Arrow counts; lower "
            "spark.sql.execution.arrow.maxRecordsPerBatch"
        )
    return offsets


def _row_of(offsets: Places, place: int) -> tuple[int, int]:
    """The row of an element of the flattened column, and its position there."""
    row = int(np.searchsorted(offsets, place, side="right")) - 1
    return row, place - int(offsets[row])


def _lists(data_type: ArrayType) -> Column:
    arrow = to_arrow(data_type)
    element = _column(data_type.elementType)

    def parts(index: int, value: Any) -> Values:
        if value is None:
            return ()
        if isinstance(value, (list, tuple)):
            return value
        if isinstance(value, array) or (isinstance(value, np.ndarray) and value.ndim):
            found: list[Any] = value.tolist()
            return found
        hint = ""
        if isinstance(value, (str, bytes)):
            hint = "; wrap it as [value], or use list() for its characters"
        elif hasattr(value, "__iter__"):
            hint = "; use list(), or sorted() for a set, whose order is arbitrary"
        raise BadResult(index, value, data_type, "", f"it takes a list or a tuple{hint}")

    def encode(values: Values) -> pa.Array:
        kinds = set(map(type, values))
        plain = kinds <= {list, tuple}
        rows = values if plain else [parts(*pair) for pair in enumerate(values)]
        offsets = _layout(list(map(len, rows)))
        flat = list(chain.from_iterable(rows))
        if not data_type.containsNull:
            _no_nulls(flat, offsets, data_type.elementType)
        try:
            child = element(flat)
        except BadResult as bad:
            row, place = _row_of(offsets, bad.index)
            raise bad.moved(row, f"[{place}]") from None
        bitmap = validity(values) if NoneType in kinds else None
        buffers = [bitmap, pa.py_buffer(offsets.astype(np.int32))]
        return pa.Array.from_buffers(arrow, len(values), buffers, children=[child])

    return encode


def _no_nulls(flat: list[Any], offsets: Places, expected: DataType) -> None:
    for place, value in enumerate(flat):
        if value is None:
            row, position = _row_of(offsets, place)
            raise BadResult(row, None, expected, f"[{position}]", _NOT_NULL)


def _maps(data_type: MapType) -> Column:
    arrow = to_arrow(data_type)
    entries = pa.struct([arrow.key_field, arrow.item_field])
    key_column, value_column = _column(data_type.keyType), _column(data_type.valueType)

    def encode(values: Values) -> pa.Array:
        kinds = set(map(type, values))
        rows: Values = values
        if kinds != {dict}:
            for index, value in enumerate(values):
                if value is not None and not isinstance(value, dict):
                    hint = "; use dict()" if isinstance(value, list) else ""
                    raise BadResult(index, value, data_type, "", f"it takes a dict{hint}")
            rows = [{} if value is None else value for value in values]
        offsets = _layout(list(map(len, rows)))
        keys = list(chain.from_iterable(map(dict.keys, rows)))
        items = list(chain.from_iterable(map(dict.values, rows)))
        for place, key in enumerate(keys):
            if key is None:
                row, _ = _row_of(offsets, place)
                raise BadResult(
                    row, None, data_type.keyType, ".key(None)", "a map's key is never NULL"
                )
            if items[place] is None and not data_type.valueContainsNull:
                row, _ = _row_of(offsets, place)
                raise BadResult(row, None, data_type.valueType, f"[{shortened(key)}]", _NOT_NULL)
        try:
            key_child = key_column(keys)
        except BadResult as bad:
            row, _ = _row_of(offsets, bad.index)
            raise bad.moved(row, f".key({shortened(keys[bad.index])})") from None
        try:
            value_child = value_column(items)
        except BadResult as bad:
            row, _ = _row_of(offsets, bad.index)
            raise bad.moved(row, f"[{shortened(keys[bad.index])}]") from None
        pairs = pa.Array.from_buffers(entries, len(keys), [None], children=[key_child, value_child])
        bitmap = validity(values) if NoneType in kinds else None
        buffers = [bitmap, pa.py_buffer(offsets.astype(np.int32))]
        return pa.Array.from_buffers(arrow, len(values), buffers, children=[pairs])

    return encode


def _structs(data_type: StructType) -> Column:
    arrow = to_arrow(data_type)
    names = [field.name for field in data_type.fields]
    columns = [
        _anything if IS_VIEW in field.metadata else _column(field.dataType)
        for field in data_type.fields
    ]
    blank = (None,) * len(names)

    def taken(values: Values) -> list[tuple[Any, ...]]:
        takes: dict[type, Take] = {NoneType: lambda value: blank}
        rows = []
        for index, value in enumerate(values):
            take = takes.get(type(value))
            try:
                if take is None:
                    take = takes[type(value)] = taker(value, names, data_type)
                rows.append(take(value))
            except Refused as refused:
                raise BadResult(index, value, data_type, "", refused.reason) from None
        return rows

    def encode(values: Values) -> pa.Array:
        kinds = set(map(type, values))
        plain = kinds == {tuple} and set(map(len, values)) == {len(names)}
        rows = values if plain else taken(values)
        parts = list(zip(*rows, strict=True)) if rows else [()] * len(names)
        children = []
        for field, column, part in zip(data_type.fields, columns, parts, strict=True):
            if not field.nullable:
                for index, value in enumerate(part):
                    if value is None and values[index] is not None:
                        raise BadResult(index, None, field.dataType, f".{field.name}", _NOT_NULL)
            try:
                children.append(column(part))
            except BadResult as bad:
                raise bad.moved(bad.index, f".{field.name}") from None
        bitmap = validity(values) if NoneType in kinds else None
        return pa.Array.from_buffers(arrow, len(values), [bitmap], children=children)

    return encode


def _anything(values: Values) -> pa.Array:
    # A view may load its entries from state when it is looked into.
    return pa.nulls(len(values))


def taker(value: Any, names: list[str], data_type: StructType) -> Take:
    """A getter of the parts of values of this value's class, in the order of the fields."""
    if isinstance(value, dict):
        return _by_key(names, {f.name for f in data_type.fields if MAY_LACK in f.metadata})
    if isinstance(value, Row):
        return _of_rows(names)
    if isinstance(value, OwnRow):
        slots = getattr(value, "_slots", None)
        if slots is not None and value.names == tuple(names):
            return _getter(attrgetter, list(slots))
        return _of_own_rows(names)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return _by_name_or_position(list(value._fields), names)
    if isinstance(value, (tuple, list)):
        return _by_position(names)
    if dataclasses.is_dataclass(value):
        _same_names([field.name for field in dataclasses.fields(value)], names)
        return _getter(attrgetter, names)
    raise Refused(
        "it takes a Row, a tuple, a dict, a NamedTuple or a dataclass with the fields "
        f"{', '.join(names)}" + (f"; return ({shortened(value)},)" if len(names) == 1 else "")
    )


def _getter(kind: Callable[..., Any], keys: list[Any]) -> Take:
    """An ``itemgetter`` or ``attrgetter`` that returns a tuple for any number of keys."""
    if len(keys) > 1:
        found: Take = kind(*keys)
        return found
    singles = [kind(key) for key in keys]
    return lambda value: tuple(single(value) for single in singles)


def _same_names(given: list[Any], names: list[str], optional: Collection[str] = ()) -> None:
    missing = [name for name in names if name not in given and name not in optional]
    unknown = [name for name in given if name not in names]
    if missing:
        raise Refused(f"the field {missing[0]!r} is missing; return None in it for NULL")
    if unknown:
        raise Refused(
            f"there is no field {shortened(unknown[0])}; the fields are {', '.join(names)}"
        )
    if len(set(names)) != len(names):
        raise Refused("two of its fields have the same name; return a tuple, by position")


def _by_key(names: list[str], optional: Collection[str]) -> Take:
    get, wanted = _getter(itemgetter, list(names)), frozenset(names)
    needed = wanted.difference(optional)
    twice = len(wanted) != len(names)

    def take(value: dict[Any, Any]) -> tuple[Any, ...]:
        # A defaultdict would make up what is missing, so its keys are compared first.
        keys = value.keys()
        if keys == wanted and not twice:
            return get(value)
        if twice or not needed <= keys <= wanted:
            _same_names(list(value), names, optional)
        return tuple(map(value.get, names))

    return take


def _by_position(names: list[str]) -> Take:
    width = len(names)

    def take(value: Any) -> tuple[Any, ...]:
        if len(value) != width:
            raise Refused(f"it has {width} fields ({', '.join(names)}), this has {len(value)}")
        return tuple(value)

    return take


def _by_name_or_position(own: list[str], names: list[str]) -> Take:
    by_position = _by_position(names)
    if own == names or len(set(names)) != len(names) or sorted(own) != sorted(names):
        return by_position
    return _getter(itemgetter, [own.index(name) for name in names])


def _of_rows(names: list[str]) -> Take:
    # The names of a Row are its own, not its class's.
    known: dict[tuple[str, ...], Take] = {}
    by_position = _by_position(names)

    def take(value: Any) -> tuple[Any, ...]:
        own = getattr(value, "__fields__", None)
        if own is None or own == names:
            return by_position(value)
        look = known.get(tuple(own))
        if look is None:
            look = known[tuple(own)] = _by_name_or_position(list(own), names)
        return look(value)

    return take


def _of_own_rows(names: list[str]) -> Take:
    known: dict[tuple[str, ...], Take] = {(): _by_position(names)}

    def take(value: OwnRow) -> tuple[Any, ...]:
        look = known.get(value.names)
        if look is None:
            look = known[value.names] = _by_name_or_position(list(value.names), names)
        return look(tuple(value))

    return take
