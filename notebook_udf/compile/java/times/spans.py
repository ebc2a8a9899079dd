"""The spans between dates and datetimes, which are timedeltas, as Java."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from functools import reduce

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int, number
from notebook_udf.compile.java.writing.terms import (
    FLOAT,
    INT,
    SPAN,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

# The units of a timedelta in microseconds, in the order in which Python adds them up.
_UNITS = {
    "microseconds": 1,
    "milliseconds": 1_000,
    "seconds": 1_000_000,
    "minutes": 60_000_000,
    "hours": 3_600_000_000,
    "days": 86_400_000_000,
    "weeks": 7 * 86_400_000_000,
}
_METHODS = {"*": "times", "/": "part", "//": "wholePart"}
_PLACES = ("days", "seconds", "microseconds", "milliseconds", "minutes", "hours", "weeks")


def made(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``timedelta`` of whole numbers and floats of its units."""
    found = taken(given, names, _PLACES, _PLACES)
    if found is None:
        raise NotCompiled("a call of timedelta that does not fit it")
    constants = {name: each.value for name, each in found.items() if isinstance(each, KnownValue)}
    if len(constants) == len(found):
        try:
            return KnownValue(dt.timedelta(**constants))
        except (TypeError, ValueError, OverflowError):
            raise NotCompiled("what raises in every row") from None
    terms = {name: number(code, found[name]) for name in _UNITS if name in found}
    floats = {name: term for name, term in terms.items() if term.kinds == FLOAT}
    whole = [
        f"PySpan.{'times' if len(terms) == 1 else 'of'}({_count(code, term)}, {_UNITS[name]}L)"
        for name, term in terms.items()
        if name not in floats
    ]
    total = reduce(lambda sum, each: f"PySpan.plus({sum}, {each})", whole) if whole else "0L"
    if not floats:
        return code.set(SPAN, total)
    counts = ", ".join(term.java for term in floats.values())
    units = ", ".join(f"{_UNITS[name]}L" for name in floats)
    return code.set(SPAN, f"PySpan.of({total}, new double[] {{{counts}}}, new long[] {{{units}}})")


def arithmetic(code: Code, how: str, one: Term, other: Term) -> Value | None:
    """What is made of two spans, or of a span and a number; None where neither is a span."""
    if one.kinds == other.kinds == SPAN:
        return _of_two(code, how, one.java, other.java)
    span, by = (other, one) if other.kinds == SPAN and how == "*" else (one, other)
    method = _METHODS.get(how)
    by = as_int(code, by)
    if span.kinds != SPAN or method is None or by.kinds not in (INT, FLOAT):
        return None
    if by.kinds == FLOAT and how == "//":
        raise NotCompiled("what raises in every row")
    count = _count(code, by) if by.kinds == INT else by.java
    return code.set(SPAN, f"PySpan.{method}({span.java}, {count})")


def _of_two(code: Code, how: str, a: str, b: str) -> Value:
    match how:
        case "+":
            return code.set(SPAN, f"PySpan.plus({a}, {b})")
        case "-":
            return code.set(SPAN, f"PySpan.minus({a}, {b})")
        case "/":
            return code.set(FLOAT, f"PyNumber.divide({a}, {b})")
        case "//":
            return code.set(INT, code.integers.of_long(f"PyNumber.floorDivide({a}, {b})"))
        case "%":
            return code.set(SPAN, f"PyNumber.modulo({a}, {b})")
    raise NotCompiled(f"{how} of two spans")


def changed(code: Code, method: str, value: Value) -> Value:
    """``-value`` (negate) or ``abs(value)`` (absolute)."""
    return code.set(SPAN, f"PySpan.{method}({code.present(value).java})")


def _count(code: Code, term: Term) -> str:
    if term.kinds != INT:
        raise NotCompiled("a span of what is no number")
    return term.java if code.integers.bounded else f"PySpan.count({term.java})"
