"""What loops go over: letters, words, numbers, constants, and several of these side by side."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from notebook_udf.worker.kernels import parts, ranges
from notebook_udf.worker.kernels.values import (
    Column,
    Domain,
    Iterated,
    NoKernel,
    Rows,
    Several,
    Uniform,
    Value,
    column,
    folded,
)

# Constants that are gone over as they are.
_CONSTANT: tuple[type, ...] = (
    *(tuple, list, str, dict, set, frozenset, range),
    *(type({}.keys()), type({}.values()), type({}.items())),
)
_MOST_CONSTANTS = 10_000


def iterated(rows: Rows, value: Value) -> Iterated:
    """A value as a loop goes over it.

    Raises
    ------
    NoKernel
        If it is of a type without kernels.
    """
    if isinstance(value, Iterated):
        return value
    if isinstance(value, Several):
        return _same(rows, value.parts)
    if isinstance(value, Uniform) and type(value.value) in _CONSTANT:
        if len(value.value) > _MOST_CONSTANTS:
            raise NoKernel("a loop over so much")
        return _same(rows, [Uniform(each) for each in value.value])
    if isinstance(value, Column) and value.domain in ("str", "texts"):
        rows.present(value)
        return _elements(value.domain, *parts.measured(rows, value))
    raise NoKernel("a loop over this")


def _same(rows: Rows, values: Sequence[Value]) -> Iterated:
    return Iterated(np.full(rows.count, len(values)), lambda _, turn: values[turn])


def _elements(domain: Domain, array: Any, counts: ranges.Places) -> Iterated:
    def at(rows: Rows, turn: int) -> Value:
        return parts.element(rows, domain, array, np.full_like(counts, turn), counts > turn)

    return Iterated(counts, at)


def _range(rows: Rows, given: Sequence[Value]) -> Value:
    if all(isinstance(each, Uniform) for each in given):
        return folded("range", range, *(each.value for each in given))  # type: ignore[union-attr]
    limits = [Uniform(0), *given] if len(given) == 1 else given
    start, stop, step = [*limits, Uniform(1)][:3]
    by = step.value if isinstance(step, Uniform) else None
    if type(by) is not int or not 0 < abs(by) < 1 << 20:
        raise NoKernel("a range with this step")
    first, last = (_numbers(rows, each) for each in (start, stop))
    # Beyond it the span of the two could leave 64 bits.
    far = _is_far(first) | _is_far(last)
    rows.decline(far)
    counts = ranges.counted(first, np.where(far, first, last), by)
    return Iterated(counts, lambda r, turn: column("int", pa.array(first + turn * by), r))


def _is_far(numbers: ranges.Places) -> npt.NDArray[np.bool_]:
    # The least number of 64 bits has no size of its own there.
    return (numbers > ranges.FARTHEST) | (numbers < -ranges.FARTHEST)


def _numbers(rows: Rows, value: Value) -> ranges.Places:
    found = parts.places(rows, value)
    if found is None:
        raise NoKernel("a range to None")
    return found


def _enumerate(rows: Rows, given: Sequence[Value]) -> Value:
    begin = given[1].value if len(given) == 2 and isinstance(given[1], Uniform) else 0
    if len(given) > 2 or type(begin) is not int or (len(given) == 2 and given[1] != Uniform(begin)):
        raise NoKernel("enumerate from what varies")
    inner = iterated(rows, given[0])

    def at(rows: Rows, turn: int) -> Value:
        return Several((Uniform(begin + turn), inner.at(rows, turn)))

    return Iterated(inner.counts, at, once=True)


def _zip(rows: Rows, given: Sequence[Value]) -> Value:
    if not given:
        raise NoKernel("zip of nothing")
    inner = [iterated(rows, each) for each in given]
    counts = np.minimum.reduce([each.counts for each in inner])

    def at(rows: Rows, turn: int) -> Value:
        return Several(tuple(each.at(rows, turn) for each in inner))

    return Iterated(counts, at, once=True)


def _reversed(rows: Rows, given: Sequence[Value]) -> Value:
    (value,) = given
    nothing = Uniform(None)
    turned = parts.sliced(rows, value, (nothing, nothing, Uniform(-1)))
    return replace(iterated(rows, turned), once=True)


FUNCTIONS: dict[int, Callable[[Rows, Sequence[Value]], Value]] = {
    id(builtins.range): _range,
    id(builtins.enumerate): _enumerate,
    id(builtins.zip): _zip,
    id(builtins.reversed): _reversed,
}
