"""Datetimes that may have an offset to UTC, as ``datetime.fromisoformat`` gives them, as Java.

Which ones have is known of each row only: Java holds an object of one of two classes. Time zones
other than a number of seconds are left out.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from notebook_udf.compile.java.times import local_times
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    FLOAT,
    MOMENT,
    NONE,
    SPAN,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

STAMP: Kinds = frozenset({"stamp"})


def is_stamp(term: Term) -> bool:
    """Whether a value is one of these, or None."""
    return term.kinds - NONE == STAMP


def are_moments(one: Term, other: Term) -> bool:
    """Whether both are datetimes, and one of them may have an offset."""
    return STAMP in (one.kinds, other.kinds) and {*one.kinds, *other.kinds} <= STAMP | MOMENT


def offset_of(value: Value) -> int | None:
    """By how many microseconds a time zone is off UTC, if it is known and always the same."""
    zone = value.value if isinstance(value, KnownValue) else None
    if type(zone) is not dt.timezone:
        return None
    return zone.utcoffset(None) // dt.timedelta(microseconds=1)


def asked_offset(zone: Value | None, what: str) -> int | None:
    """By how much the zone that a call is given is off UTC; None without one, or of None."""
    if zone is None or is_none((zone,)):
        return None
    offset = offset_of(zone)
    if offset is None:
        raise NotCompiled(f"{what} with a zone that varies, or whose clocks change")
    return offset


def at(code: Code, term: Term, offset: int) -> Term:
    """``replace(tzinfo=zone)``: what is shown, at another offset."""
    return code.set(STAMP, f"PyAware.at({term.java}, {offset}L)")


def moved(code: Code, term: Term, given: Sequence[Value]) -> Term:
    """``astimezone(zone)``."""
    offset = offset_of(given[0]) if len(given) == 1 else None
    if offset is None:
        raise NotCompiled("astimezone of anything but a datetime.timezone that is known")
    zone = local_times.zone(code.constants)
    return code.set(STAMP, f"{zone}.moved({code.object(term)}, {offset}L)")


def is_none(given: Sequence[Value]) -> bool:
    """Whether all that is given is None."""
    return all(isinstance(each, KnownValue) and each.value is None for each in given)


def shown(code: Code, term: Term) -> Term:
    """The same without its offset."""
    return code.set(MOMENT, f"PyAware.shown({code.object(term)})")


def naive(code: Code, term: Term) -> Term:
    """One that must not have an offset, or None."""
    # No variable: what is returned has no statements.
    return Term(term.kinds - STAMP | MOMENT, f"PyAware.naive({code.object(term)})")


def like(code: Code, moment: Term, other: Term) -> Term:
    """A datetime with the offset of another."""
    return code.set(STAMP, f"PyAware.like({moment.java}, {other.java})")


def text(code: Code, term: Term, between: str) -> Term:
    """``isoformat``, or with a space ``str``."""
    said = f"PyAware.text({term.java}, '{between}')"
    missing = f'{term.java} == null ? "None" : ' if "none" in term.kinds else ""
    return code.set(STR, missing + said)


def timestamp(code: Code, term: Term) -> Term:
    """``timestamp()``, of one without an offset as well."""
    zone = local_times.zone(code.constants)
    return code.set(FLOAT, f"{zone}.timestamp({code.object(term)})")


def arithmetic(code: Code, how: str, one: Term, other: Term) -> Value:
    """A sum or a difference, of which one may have an offset."""
    a, b = code.object(one), code.object(other)
    if how == "-" and are_moments(one, other):
        return code.set(SPAN, f"PyAware.between({a}, {b})")
    if how == "+" and (one.kinds, other.kinds) in ((STAMP, SPAN), (SPAN, STAMP)):
        moment, span = (one, other) if one.kinds == STAMP else (other, one)
        return code.set(STAMP, f"PyAware.plus({moment.java}, {span.java})")
    if how == "-" and (one.kinds, other.kinds) == (STAMP, SPAN):
        return code.set(STAMP, f"PyAware.plus({one.java}, PySpan.negate({other.java}))")
    raise NotCompiled(f"{how} of these")


def comparison(code: Code, how: str, one: Term, other: Term) -> Value:
    """Which is earlier, or whether they are equal, of two that may have offsets."""
    a, b = code.object(one), code.object(other)
    if how in ("==", "!="):
        same = f"PyAware.equal({a}, {b})"
        return code.set(BOOL, same if how == "==" else f"!{same}")
    return code.set(BOOL, f"PyAware.between({a}, {b}) {how} 0L")
