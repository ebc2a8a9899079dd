"""``container[index]`` and ``container[start:stop:step]``, with places that vary or do not."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels import patterns, ranges
from notebook_udf.worker.kernels.numeric import as_numpy
from notebook_udf.worker.kernels.textual import ascii_only, looked_up, taken
from notebook_udf.worker.kernels.values import (
    Column,
    Domain,
    NoKernel,
    Rows,
    Several,
    Uniform,
    Value,
    column,
    folded,
)

_LARGEST = 1 << 30


def item(rows: Rows, container: Value, index: Value) -> Value:
    """``container[index]``.

    Raises
    ------
    NoKernel
        If there is no kernel for the two.
    """
    place = index.value if isinstance(index, Uniform) else None
    if isinstance(container, Uniform):
        return _of_constant(rows, container.value, index)
    if isinstance(container, Several) and type(place) is int:
        if not -len(container.parts) <= place < len(container.parts):
            raise NoKernel("[] beyond the end")
        return container.parts[place]
    if not isinstance(container, Column) or container.domain not in ("str", "texts", "match"):
        raise NoKernel("[] of this")
    rows.present(container)
    if container.domain == "match":
        return patterns.group(rows, container, [index])
    if container.domain == "str" and type(place) is int and abs(place) <= _LARGEST:
        array = container.array
        rows.decline(pc.less(pc.utf8_length(array), place + 1 if place >= 0 else -place))
        stop = None if place == -1 else place + 1
        return column("str", pc.utf8_slice_codeunits(array, place, stop), rows)
    array, lengths = measured(rows, container)
    found = places(rows, index)
    if found is None:
        raise NoKernel("[] by None")
    first, there = _inside(rows, found, lengths)
    return element(rows, container.domain, array, first, there)


def element(rows: Rows, domain: Domain, array: Any, first: ranges.Places, there: Any) -> Column:
    """A letter of each text or an item of each list, where there is one at its place."""
    if domain == "texts":
        return column("str", ranges.items(array, first, there), rows)
    return column("str", ranges.of_texts(array, first * there, there.astype(np.int64)), rows)


def _inside(rows: Rows, found: Any, lengths: Any) -> tuple[ranges.Places, Any]:
    """Places counted from the front, and which exist; other rows are left to Python."""
    there = (found >= -lengths) & (found < lengths)
    rows.decline(~there)
    return np.where(there, np.where(found < 0, found + lengths, found), 0), there


def _of_constant(rows: Rows, own: Any, index: Value) -> Value:
    if isinstance(index, Uniform):
        return folded("[]", operator.getitem, own, index.value)
    if type(own) is dict:
        return looked_up(rows, own, index, None)
    if type(own) in (list, tuple, str) and isinstance(index, Column) and index.domain == "int":
        rows.present(index)
        first, _ = _inside(rows, as_numpy(index.array), len(own))
        return taken(own, pa.array(first), rows)
    raise NoKernel("[] of this constant")


def sliced(rows: Rows, container: Value, limits: Sequence[Value]) -> Value:
    """``container[start:stop:step]``.

    Raises
    ------
    NoKernel
        If it is of another type than texts and lists of these, or its step varies.
    """
    values = [limit.value if isinstance(limit, Uniform) else limit for limit in limits]
    start, stop, step = [*values, None][:3]
    constant = all(isinstance(limit, Uniform) for limit in limits)
    if constant and isinstance(container, Uniform):
        return folded("a slice", operator.getitem, container.value, slice(start, stop, step))
    if not isinstance(container, Column) or container.domain not in ("str", "texts"):
        raise NoKernel("a slice of this")
    step = 1 if step is None else step
    if type(step) is not int or not 0 < abs(step) <= _LARGEST:
        raise NoKernel("a slice with this step")
    rows.present(container)
    if container.domain == "str" and constant:
        if (start, stop, step) == (None, None, -1):
            return column("str", pc.ascii_reverse(ascii_only(rows, container.array)), rows)
        if step == 1 and all(each is None or _is_near(each) for each in (start, stop)):
            found = pc.utf8_slice_codeunits(container.array, start or 0, stop)
            return column("str", found, rows)
    array, lengths = measured(rows, container)
    ends = [places(rows, limit) for limit in limits[:2]]
    first, counts = ranges.of_slice(lengths, ends[0], ends[1], step)
    if container.domain == "str":
        return column("str", ranges.of_texts(array, first, counts, step), rows)
    return column("texts", ranges.of_lists(array, first, counts, step), rows)


def _is_near(place: Any) -> bool:
    return type(place) is int and abs(place) <= _LARGEST


def measured(rows: Rows, container: Column) -> tuple[Any, ranges.Places]:
    """A column, and the length of each; texts beyond ASCII, and None, are left to Python."""
    if container.domain == "str":
        array = ascii_only(rows, container.array)
        return array, ranges.byte_lengths(array)
    array = container.array
    return array, np.diff(array.offsets.to_numpy()).astype(np.int64)


def places(rows: Rows, value: Value) -> ranges.Places | None:
    """Places row by row; None for a constant None. A None among others is left to Python."""
    if isinstance(value, Uniform):
        if value.value is None:
            return None
        if not _is_near(value.value):
            raise NoKernel("a place that is no number of letters")
        return np.full(rows.count, value.value, np.int64)
    if not isinstance(value, Column) or value.domain != "int":
        raise NoKernel("a place that is no whole number")
    rows.present(value)
    found: ranges.Places = as_numpy(value.array.fill_null(0)).astype(np.int64)
    return found
