"""Dates, moments that ``datetime.strptime`` reads, and the spans between them.

Moments are naive. Columns of Spark's TIMESTAMP are left to Python: they depend on a time zone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels.values import (
    Column,
    NoKernel,
    Operand,
    Rows,
    Uniform,
    Value,
    column,
    flags,
)

_DAY = 86_400_000_000
_SPAN = pa.duration("us")
# Microseconds; beyond it sums could leave 64 bits.
_FARTHEST = 1 << 60
# From the first day of year 1 to the last of 9999, and how far a span goes here.
_RANGES = {
    "date": (-719_162, 2_932_896),
    "moment": (-719_162 * _DAY, 2_932_897 * _DAY - 1),
    "span": (-_FARTHEST, _FARTHEST),
}
# What a directive reads if all its digits are there; fewer are for Python to read.
_DIRECTIVES = {
    "%Y": "[0-9]{4}", "%m": "(?:0[1-9]|1[0-2])", "%d": "(?:0[1-9]|[12][0-9]|3[01])",
    "%H": "(?:[01][0-9]|2[0-3])", "%M": "[0-5][0-9]", "%S": "[0-5][0-9]",
}  # fmt: skip
_WIDTHS = {"%Y": 4}
_LITERALS = frozenset("-/.: T")
_PARTS = re.compile(r"%.|[^%]")


_ZEROS = {
    kind: pa.scalar(0, kind)
    for kind in (pa.date32(), pa.timestamp("us"), pa.duration("us"), pa.int64())
}


def _whole(kernel: Callable[..., Any], add: int = 0) -> Callable[[Any], Any]:
    return lambda array: pc.add(kernel(array).cast(pa.int64()), add)


_OF_DATES = {"year": _whole(pc.year), "month": _whole(pc.month), "day": _whole(pc.day)}
ATTRIBUTES: dict[str, dict[str, Callable[[Any], Any]]] = {
    "date": _OF_DATES,
    "moment": {
        **_OF_DATES,
        "hour": _whole(pc.hour),
        "minute": _whole(pc.minute),
        "second": _whole(pc.second),
    },
    "span": {"days": lambda array: pa.array(np.floor_divide(_micros(array), _DAY))},
}
_METHODS: dict[str, Callable[[Any], Any]] = {
    "weekday": _whole(pc.day_of_week),
    "isoweekday": _whole(pc.day_of_week, 1),
}


def attribute(rows: Rows, owner: Column, name: str) -> Column:
    """A part of a date, a moment or a span: one of its ``ATTRIBUTES``."""
    rows.present(owner)
    return column("int", ATTRIBUTES[owner.domain][name](_filled(owner.array)), rows)


def method(rows: Rows, owner: Column, name: str, given: Sequence[Value]) -> Value:
    """A method of a date, a moment or a span, which is not None.

    Raises
    ------
    NoKernel
        If there is none for these arguments.
    """
    if given:
        raise NoKernel(f"a method {name} with arguments")
    if owner.domain in ("date", "moment") and name in _METHODS:
        return column("int", _METHODS[name](owner.array), rows)
    if owner.domain == "moment" and name == "date":
        return column("date", owner.array.cast(pa.date32()), rows)
    if owner.domain == "date" and name == "isoformat":
        return column("str", owner.array.cast(pa.string()), rows)
    if owner.domain == "span" and name == "total_seconds":
        micros = _micros(_filled(owner.array))
        rows.decline(np.abs(micros) > 1 << 53)
        return column("float", pa.array(micros / 1e6), rows)
    raise NoKernel(f"a method {name} of {owner.domain}")


def difference(rows: Rows, left: Operand, right: Operand) -> Column:
    """The span between two dates, or two moments."""
    (domain, a), (_, b) = left, right
    if domain == "date":
        a, b = (each.cast(pa.timestamp("us")) for each in (a, b))
    return column("span", pc.subtract(a, b), rows)


def shifted(rows: Rows, how: str, left: Operand, right: Operand) -> Column:
    """A date, a moment or a span, and a span more or less.

    Raises
    ------
    NoKernel
        If Python has no such sum, or another operation is asked for.
    """
    if how == "+" and left[0] == "span":
        left, right = right, left
    (domain, base), (other, by) = left, right
    if how not in ("+", "-") or other != "span" or domain not in _RANGES:
        raise NoKernel(f"{how} of {domain} and {other}")
    moved = _micros(_filled(by))
    if domain == "date":
        # Of a date whole days only, counted before they are taken away.
        moved = np.floor_divide(moved, _DAY)
    begin = _micros(_filled(base).cast(pa.int32()) if domain == "date" else _filled(base))
    far = np.abs(moved) > _FARTHEST
    found = begin + np.where(far, 0, moved if how == "+" else -moved)
    first, last = _RANGES[domain]
    outside = far | (found < first) | (found > last)
    rows.decline(np.broadcast_to(outside, rows.count))
    kept = pa.array(np.broadcast_to(np.where(outside, 0, found), rows.count))
    if domain == "date":
        return column("date", kept.cast(pa.int32()).cast(pa.date32()), rows)
    return column(domain, kept.cast(pa.timestamp("us") if domain == "moment" else _SPAN), rows)


def strptime(rows: Rows, given: Sequence[Value]) -> Value:
    """``datetime.strptime`` with a constant format of numbers, each with all its digits.

    Raises
    ------
    NoKernel
        If the format has anything else.
    """
    text, form = given if len(given) == 2 else (None, None)
    if not isinstance(text, Column) or text.domain != "str":
        raise NoKernel("strptime of what is no text")
    if not isinstance(form, Uniform) or type(form.value) is not str:
        raise NoKernel("strptime with a format that varies")
    parts = _PARTS.findall(form.value)
    directives = [part for part in parts if part in _DIRECTIVES]
    once = len(set(directives)) == len(directives)
    if not (
        once
        and {"%Y", "%m", "%d"} <= set(directives)
        and all(part in _DIRECTIVES or part in _LITERALS for part in parts)
    ):
        raise NoKernel(f"the format {form.value!r}")
    rows.present(text)
    pattern = "".join(_DIRECTIVES.get(part, re.escape(part)) for part in parts)
    read = pc.match_substring_regex(text.array, f"^{pattern}$")
    place, found = 0, {}
    for part in parts:
        width = _WIDTHS.get(part, 2) if part in _DIRECTIVES else 1
        if part in _DIRECTIVES:
            digits = pc.utf8_slice_codeunits(text.array, place, place + width)
            found[part] = pc.if_else(read, digits, "00").cast(pa.int64())
        place += width
    return column("moment", _moment(rows, read, found), rows)


def _moment(rows: Rows, read: Any, found: dict[str, Any]) -> pa.Array:
    fine = flags(read)
    numbers = {
        part: np.where(fine, each.fill_null(0).to_numpy(zero_copy_only=False), 1)
        for part, each in found.items()
    }
    # From year 1 to 9999, of which NumPy knows the days of each month.
    fine &= numbers["%Y"] > 0
    years = np.where(fine, numbers["%Y"], 1970)
    months = (years - 1970) * 12 + numbers["%m"] - 1
    first = months.astype("datetime64[M]").astype("datetime64[D]")
    last = (months + 1).astype("datetime64[M]").astype("datetime64[D]") - first
    fine &= numbers["%d"] <= last.astype(np.int64)
    rows.decline(~fine)
    seconds = sum(
        numbers[part] * size
        for part, size in (("%H", 3600), ("%M", 60), ("%S", 1))
        if part in numbers
    )
    micros = first.astype(np.int64) + numbers["%d"] - 1
    return pa.array(micros * _DAY + seconds * 1_000_000).cast(pa.timestamp("us"))


def _micros(spans: Any) -> Any:
    numbers = spans.cast(pa.int64())
    if isinstance(numbers, pa.Scalar):
        return np.int64(numbers.as_py())
    return numbers.to_numpy(zero_copy_only=False)


def _filled(array: Any) -> Any:
    """Without NULL, whose rows are left to Python."""
    if isinstance(array, pa.Scalar) or not array.null_count:
        return array
    return array.fill_null(_ZEROS[array.type])
