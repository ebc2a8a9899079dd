"""Decodes a checkpoint's pickled accumulators to Python values and Arrow columns.

Runs in workers, over rows of a key, the pickled accumulators and the entries of large views. A
view becomes a dict or list, wherever its entries are stored.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from notebook_udf.functions.row import Row
from notebook_udf.functions.views import ListView, MapView
from notebook_udf.specs.pickling import Unknown, showing_unknown, unpack
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.state.spilled_views import views_of


@dataclass(frozen=True)
class Decoding:
    """A pass over rows of state that decodes their accumulators.

    Attributes
    ----------
    keys
        How many columns of keys there are; ``pickled`` and ``entries`` come after them.
    function
        The position of the function whose accumulators are decoded.
    type
        The type of the results; None for text.
    payload
        The pickled function, whose accumulators may be of its own classes; b"" if there is none.
    """

    keys: int
    function: int
    type: DataType | None
    payload: bytes = field(default=b"", repr=False)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        encode: Callable[[list[Any]], pa.Array] | None = None
        if self.type is not None:
            encode = encoder(without_views(self.type))
        # The classes of its accumulators can be found as long as it exists.
        known = unpack(self.payload) if self.payload else None
        for batch in batches:
            pickled = batch.column(self.keys).to_pylist()
            entries = batch.column(self.keys + 1).to_pylist()
            values = [
                accumulators(blob, parts)[self.function]
                for blob, parts in zip(pickled, entries, strict=True)
            ]
            column = _texts(values) if encode is None else _typed(values, encode)
            yield pa.RecordBatch.from_arrays(
                [*batch.columns[: self.keys], column],
                [*batch.schema.names[: self.keys], "accumulator"],
            )
        del known


def accumulators(pickled: bytes, entries: list[dict[str, Any]] | None) -> list[Any]:
    """The accumulators of a key by function, views as dicts and lists."""
    parts = {(e["view"], e["number"]): e["values"] for e in entries or ()}
    # Views read their entries only when they are shown: until then the entries have to stay.
    with showing_unknown():
        found, _, _ = views_of(parts)(pickled)
        return [shown(value) for value in found]


def shown(value: Any) -> Any:
    """A value with dicts and lists for the views in it."""
    if isinstance(value, MapView):
        return {key: shown(part) for key, part in value.items()}
    if isinstance(value, ListView):
        return [shown(part) for part in value]
    if type(value) in (list, tuple):
        return type(value)(map(shown, value))
    if type(value) is dict:
        return {key: shown(part) for key, part in value.items()}
    if isinstance(value, Row):
        return Row.of(value.names, [shown(part) for part in value])
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        parts = {f.name: shown(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **parts)
    if isinstance(value, Unknown):
        vars(value).update({name: shown(part) for name, part in vars(value).items()})
    return value


def without_views(declared: DataType) -> DataType:
    """An accumulator's type with maps and arrays for its views."""
    if isinstance(declared, ArrayType):
        return ArrayType(without_views(declared.elementType), declared.containsNull)
    if isinstance(declared, MapType):
        value = without_views(declared.valueType)
        return MapType(without_views(declared.keyType), value, declared.valueContainsNull)
    if isinstance(declared, StructType):
        fields = [StructField(f.name, without_views(f.dataType)) for f in declared.fields]
        return StructType(fields)
    return declared


def _texts(values: list[Any]) -> pa.Array:
    return pa.array(list(map(repr, values)), pa.string())


def _typed(values: list[Any], encode: Callable[[list[Any]], pa.Array]) -> pa.Array:
    given = [sorted(v) if isinstance(v, (set, frozenset)) else v for v in values]
    while True:
        try:
            return encode(given)
        except BadResult as error:
            # An accumulator is pickled as it is, and need not fit its declared type.
            given[error.index] = None
