"""Arithmetic and comparisons of columns: Python's answer, or the row is left to Python."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.kernels import moments
from notebook_udf.worker.kernels.values import (
    Column,
    Domain,
    NoKernel,
    Operand,
    Rows,
    Uniform,
    Value,
    column,
    folded,
    operand,
)

_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_INTEGER: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "+": (pc.add_checked, pc.add),
    "-": (pc.subtract_checked, pc.subtract),
    "*": (pc.multiply_checked, pc.multiply),
}
_FLOAT: dict[str, Callable[..., Any]] = {"+": pc.add, "-": pc.subtract, "*": pc.multiply}
_FLOORED: dict[str, Callable[..., Any]] = {"//": np.floor_divide, "%": np.remainder}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "==": pc.equal,
    "!=": pc.not_equal,
}
# How often a text is repeated at most.
_MOST_TIMES = 1000
# Of all texts of a bundle together.
_MOST_LETTERS = 1 << 26
# Below 2**63 by more than a double rounds.
SAFE = 9.2e18
_EXACT = 1 << 53


def arithmetic(rows: Rows, how: str, left: Value, right: Value) -> Value:
    """``left how right`` for arithmetic operators.

    Raises
    ------
    NoKernel
        If there are none for the operator and these types.
    """
    if isinstance(left, Uniform) and isinstance(right, Uniform):
        if how not in _PYTHON:
            raise NoKernel(f"{how} here")
        return folded(how, _PYTHON[how], left.value, right.value)
    (one, a), (two, b) = operand(left), operand(right)
    rows.present(left)
    rows.present(right)
    if how == "-" and one == two and one in ("date", "moment"):
        return moments.difference(rows, (one, a), (two, b))
    if "span" in (one, two):
        return moments.shifted(rows, how, (one, a), (two, b))
    if one == two == "str" and how == "+":
        return column("str", pc.binary_join_element_wise(a, b, ""), rows)
    if (one, two) in (("str", "int"), ("int", "str")) and how == "*":
        text, times = (a, b) if one == "str" else (b, a)
        rows.decline(pc.greater(times, _MOST_TIMES))
        few = pc.min_element_wise(pc.max_element_wise(times, 0), _MOST_TIMES)
        # Also of rows that do not get here.
        if (pc.sum(pc.multiply(pc.binary_length(text), few)).as_py() or 0) > _MOST_LETTERS:
            raise NoKernel("texts so often that they are too long together")
        return column("str", pc.binary_repeat(text, few), rows)
    if one not in ("int", "float") or two not in ("int", "float"):
        raise NoKernel(f"{how} of {one} and {two}")
    if how == "/":
        return column("float", _divided(rows, (one, a), (two, b)), rows)
    if how == "**":
        return _power(rows, (one, a), right)
    if one == two == "int":
        return column("int", _integers(rows, how, a, b), rows)
    return column("float", _floats(rows, how, as_float(one, a), as_float(two, b)), rows)


def as_float(domain: Domain, value: Any) -> Any:
    """A number as the nearest double, as Python makes one of an int beside a float."""
    return value if domain == "float" else value.cast(pa.float64(), safe=False)


def as_numpy(value: Any) -> Any:
    """Numbers for NumPy; where there are none they are 1, and nobody asks."""
    if isinstance(value, pa.Scalar):
        return value.as_py()
    return (
        value.fill_null(1).to_numpy(zero_copy_only=False) if value.null_count else value.to_numpy()
    )


def exact_doubles(rows: Rows, value: Any) -> Any:
    """Whole numbers as the doubles that they are; rows of others are left to Python."""
    found = as_float("int", value)
    rows.decline(pc.greater(pc.abs(found), float(_EXACT)))
    return found


def _integers(rows: Rows, how: str, a: Any, b: Any) -> Any:
    if how in _FLOORED:
        above, below = as_numpy(a), as_numpy(b)
        return _floored(
            rows, how, above, below, (below == 0) | ((below == -1) & (above == -(1 << 63)))
        )
    if how not in _INTEGER:
        raise NoKernel(f"{how} of int and int")
    checked, wrapping = _INTEGER[how]
    try:
        return checked(a, b)
    except pa.ArrowInvalid:
        estimate = _FLOAT[how](as_float("int", a), as_float("int", b))
        rows.decline(pc.greater(pc.abs(estimate), SAFE))
        return wrapping(a, b)


def _floats(rows: Rows, how: str, a: Any, b: Any) -> Any:
    if how in _FLOAT:
        return _FLOAT[how](a, b)
    if how not in _FLOORED:
        raise NoKernel(f"{how} of float and float")
    above, below = as_numpy(a), as_numpy(b)
    finite = np.isfinite(above) & np.isfinite(below)
    return _floored(rows, how, above, below, ~finite | (below == 0))


def _floored(rows: Rows, how: str, above: Any, below: Any, unsafe: Any) -> Any:
    """``//`` and ``%``, but for the rows that are not safe."""
    if np.any(unsafe):
        rows.decline(np.broadcast_to(unsafe, rows.count))
        below = np.where(unsafe, 1, below)
    with np.errstate(all="ignore"):
        return pa.array(_FLOORED[how](above, below))


def _divided(rows: Rows, left: Operand, right: Operand) -> Any:
    if left[0] == right[0] == "int":
        # They are divided exactly, and rounded once: so are doubles, if these hold them.
        above, below = exact_doubles(rows, left[1]), exact_doubles(rows, right[1])
    else:
        above, below = as_float(*left), as_float(*right)
    rows.decline(pc.equal(below, 0.0))
    return pc.divide(above, below)


def _power(rows: Rows, base: Operand, exponent: Value) -> Value:
    if not isinstance(exponent, Uniform) or type(exponent.value) is not int:
        raise NoKernel("** with another exponent than a constant whole number")
    power = exponent.value
    if base[0] == "int" and 1 <= power <= 4:
        found = base[1]
        for _ in range(power - 1):
            found = _integers(rows, "*", found, base[1])
        return column("int", found, rows)
    if base[0] == "float" and 1 <= power <= 16:
        found = pc.power(base[1], float(power))
        rows.decline(pc.invert(pc.is_finite(found)))
        return column("float", found, rows)
    raise NoKernel(f"** {power} of {base[0]}")


def comparison(rows: Rows, how: str, left: Value, right: Value) -> Value:
    """``left how right`` for the six comparisons.

    Raises
    ------
    NoKernel
        If these types are not compared.
    """
    if isinstance(left, Uniform) and isinstance(right, Uniform):
        return folded(how, _PYTHON[how], left.value, right.value)
    if how in ("==", "!="):
        for some, other in ((left, right), (right, left)):
            if isinstance(other, Uniform) and other.value is None and isinstance(some, Column):
                nulls = some.array.is_null()
                return column("bool", nulls if how == "==" else pc.invert(nulls), rows)
    (one, a), (two, b) = operand(left), operand(right)
    if one != two:
        (one, a), (two, b) = _comparable(rows, (one, a)), _comparable(rows, (two, b))
    if one != two or one in ("texts", "match"):
        raise NoKernel(f"{one} {how} {two}")
    found = _COMPARISONS[how](a, b)
    if how not in ("==", "!="):
        rows.present(left)
        rows.present(right)
    elif found.null_count:
        # None is equal to None alone.
        neither = pc.and_(_missing(a), _missing(b))
        found = pc.fill_null(found, neither if how == "==" else pc.invert(neither))
    return column("bool", found, rows)


def _missing(value: Any) -> Any:
    return value.is_null() if isinstance(value, pa.Array) else pa.scalar(False)


def _comparable(rows: Rows, given: Operand) -> Operand:
    """A whole number as the double that it is; Python compares the two exactly."""
    domain, value = given
    return given if domain != "int" else ("float", exact_doubles(rows, value))


def negated(rows: Rows, value: Value) -> Value:
    """``-value``.

    Raises
    ------
    NoKernel
        If it is no number.
    """
    if isinstance(value, Uniform):
        if type(value.value) not in (int, float):
            raise NoKernel("- of this constant")
        return Uniform(-value.value)
    domain, array = operand(value)
    rows.present(value)
    if domain == "float":
        return column(domain, pc.negate(array), rows)
    if domain != "int":
        raise NoKernel(f"- of {domain}")
    return column(domain, _integers(rows, "-", pa.scalar(0, pa.int64()), array), rows)
