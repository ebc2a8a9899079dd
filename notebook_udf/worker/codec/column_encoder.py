"""The base of all column encoders: a fast path, a slow path, and how a value is refused.

A column of values without parts has a fast path, which takes all values or declines them, and a
slow one, which converts value by value and names the first that does not fit. A fast path may only
take what it provably keeps unchanged; what it declines is not yet wrong. The encoders themselves
are in ``primitives`` and ``temporal``, those of lists, maps and structs in ``encode``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import NoneType
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from pyspark.sql.types import DataType

from notebook_udf.types import to_arrow
from notebook_udf.worker.codec.refusal import BadResult, Refused

Values: TypeAlias = Sequence[Any]
Column: TypeAlias = Callable[[Values], pa.Array]
Fast: TypeAlias = Callable[[Values], "pa.Array | None"]
Convert: TypeAlias = Callable[[Any], Any]
DECLINED = (pa.ArrowException, ValueError, TypeError, OverflowError)


def validity(values: Values) -> pa.Buffer | None:
    """Arrow's validity bitmap of these values; None if no value is None."""
    present = np.fromiter((value is not None for value in values), np.bool_, len(values))
    return None if present.all() else pa.py_buffer(np.packbits(present, bitorder="little"))


def column(
    data_type: DataType, fast: Fast, convert: Convert, build: Column | None = None
) -> Column:
    arrow = to_arrow(data_type)

    def encode(values: Values) -> pa.Array:
        found = fast(values)
        if found is not None:
            return found
        converted: list[Any] = []
        for index, value in enumerate(values):
            try:
                converted.append(None if value is None else convert(value))
            except Refused as refused:
                raise BadResult(index, value, data_type, "", refused.reason) from None
        made = build(converted) if build else pa.array(converted, arrow)
        if isinstance(made, pa.ChunkedArray):
            raise OverflowError(
                f"one batch holds more than 2 GiB of {data_type.simpleString()}; lower "
                "spark.sql.execution.arrow.maxRecordsPerBatch"
            )
        return made

    return encode


def wrong(value: Any, wanted: str, **hints: str) -> Refused:
    """The refusal of a value of a wrong type; ``hints`` are next steps by the name of its type."""
    name = type(value).__name__
    if name in ("NAType", "NaTType"):
        return Refused("this is pandas' missing value; return None for NULL")
    hint = next(
        (hints[kind.__name__] for kind in type(value).__mro__ if kind.__name__ in hints), ""
    )
    return Refused(f"it takes {wanted}" + (f"; {hint}" if hint else ""))


def of_kind(kind: type, arrow: pa.DataType) -> Fast:
    """A fast path for columns of just this class: Arrow's own conversion need not guess."""
    allowed = {kind, NoneType}

    def fast(values: Values) -> pa.Array | None:
        if not allowed.issuperset(map(type, values)):
            return None
        try:
            found = pa.array(values, arrow)
        except DECLINED:
            return None
        return found if isinstance(found, pa.Array) else None

    return fast
