"""Dates, naive datetimes, and the spans between them, as Java."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.times import aware_moments, spans, time_formats
from notebook_udf.compile.java.times.aware_moments import STAMP, is_stamp
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    FLOAT,
    INT,
    MOMENT,
    NONE,
    SCALARS,
    SPAN,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    are_both_none,
)

TEMPORAL: Kinds = DATE | MOMENT | SPAN | STAMP
_OF_DATES = {"year": "getYear()", "month": "getMonthValue()", "day": "getDayOfMonth()"}
# Kinds of which no value equals one of another.
_APART = DATE | MOMENT | SPAN | SCALARS

_ATTRIBUTES: dict[Kinds, dict[str, str]] = {
    DATE: {name: f"(long) {{0}}.{java}" for name, java in _OF_DATES.items()},
    MOMENT: {
        **{name: f"(long) {{0}}.{java}" for name, java in _OF_DATES.items()},
        "hour": "(long) {0}.getHour()",
        "minute": "(long) {0}.getMinute()",
        "second": "(long) {0}.getSecond()",
        "microsecond": "(long) ({0}.getNano() / 1000)",
    },
    SPAN: {
        "days": "PySpan.days({0})",
        "seconds": "PySpan.seconds({0})",
        "microseconds": "PySpan.micros({0})",
    },
}
# What a method without arguments gives.
_METHODS: dict[Kinds, dict[str, tuple[Kinds, str]]] = {
    DATE: {
        "weekday": (INT, "PyDate.weekday({0})"),
        "isoweekday": (INT, "PyDate.weekday({0}) + 1L"),
        "toordinal": (INT, "PyDate.toOrdinal({0})"),
        "isoformat": (STR, "PyDate.text({0})"),
    },
    MOMENT: {
        "weekday": (INT, "PyDate.weekday({0}.toLocalDate())"),
        "isoweekday": (INT, "PyDate.weekday({0}.toLocalDate()) + 1L"),
        "toordinal": (INT, "PyDate.toOrdinal({0}.toLocalDate())"),
        "isoformat": (STR, "PyDate.text({0}, 'T')"),
        "date": (DATE, "{0}.toLocalDate()"),
    },
    SPAN: {"total_seconds": (FLOAT, "PySpan.totalSeconds({0})")},
}
# By the name of what isoformat ends with, how Java calls it.
_UP_TO = {"hours": 0, "minutes": 1, "seconds": 2, "milliseconds": 3, "microseconds": 6}


def is_temporal(*terms: Term) -> bool:
    """Whether one of some values may be a date, a datetime or a span."""
    return any(term.kinds & TEMPORAL for term in terms)


def _whole(code: Code, kinds: Kinds, java: str) -> Term:
    return code.set(kinds, code.integers.of_long(java) if kinds == INT else java)


def _of_one_kind(code: Code, value: Value, otherwise: type[Exception] = TypeError) -> Term:
    term = code.present(value, otherwise)
    if term.kinds not in (DATE, MOMENT, SPAN, STAMP):
        raise NotCompiled("a date or something else")
    return term


def attribute(code: Code, owner: Value, name: str) -> Value | None:
    """An attribute; None if it is a method."""
    term = code.term(owner)
    if is_stamp(term) and name in _ATTRIBUTES[MOMENT]:
        owner = aware_moments.shown(code, code.present(term, AttributeError))
    kinds = code.term(owner).kinds - NONE
    java = _ATTRIBUTES.get(kinds, {}).get(name)
    if java is None:
        return None
    return _whole(code, INT, java.format(_of_one_kind(code, owner, AttributeError).java))


def method(
    code: Code, owner: Value, name: str, given: Sequence[Value], names: Sequence[str] = ()
) -> Value:
    """What a method gives, with the names of the last arguments."""
    term = _of_one_kind(code, owner, AttributeError)
    if name == "timestamp" and not given and term.kinds in (MOMENT, STAMP):
        return aware_moments.timestamp(code, term)
    if name == "isoformat" and given and term.kinds in (MOMENT, STAMP):
        return _iso_format(code, term, given, names)
    if name == "astimezone" and tuple(names) in ((), ("tz",)) and term.kinds in (MOMENT, STAMP):
        return aware_moments.moved(code, term, given)
    if name == "replace" and tuple(names) == ("tzinfo",) and term.kinds in (MOMENT, STAMP):
        offset = aware_moments.offset_of(given[-1]) if len(given) == 1 else None
        if offset is not None:
            return aware_moments.at(code, term, offset)
    if is_stamp(term):
        if name == "isoformat" and not given:
            return aware_moments.text(code, term, "T")
        if name == "replace" and tuple(names) != ("tzinfo",):
            changed = _replaced(code, aware_moments.shown(code, term), given, names)
            return aware_moments.like(code, changed, term)
        # What is left has no use for an offset, or asks for one that is no part of a format.
        term = aware_moments.shown(code, term)
    drops = name == "replace" and tuple(names) == ("tzinfo",) and aware_moments.is_none(given)
    if drops and term.kinds == MOMENT:
        return term
    if name == "replace" and term.kinds in (DATE, MOMENT):
        return _replaced(code, term, given, names)
    if names:
        raise NotCompiled(f"{name} with {names[0]}=")
    if name in ("strftime", "__format__") and len(given) == 1:
        empty_is_str = name == "__format__"

        def written(how: object) -> Value:
            if not isinstance(how, str):
                raise NotCompiled("a time's format that is no text")
            return formatted(code, term, how, empty_is_str=empty_is_str)

        return choices.chosen(code, given[0], written, "a time's format")
    if name == "isocalendar" and not given and term.kinds in (DATE, MOMENT):
        return _iso_calendar(code, term)
    known = _METHODS[term.kinds].get(name)
    if known is None or given:
        raise NotCompiled(f"the method {name} of a {min(term.kinds)}")
    return _whole(code, known[0], known[1].format(term.java))


def combined(code: Code, given: Sequence[Value]) -> Term:
    """``datetime.combine(date, time)`` of a time that is known."""
    time = given[1].value if len(given) == 2 and isinstance(given[1], KnownValue) else None
    if not isinstance(time, dt.time) or time.tzinfo is not None or time.fold:
        raise NotCompiled("combine with a time that varies, or has a zone")
    date = code.present(given[0])
    if date.kinds != DATE:
        raise NotCompiled("combine of what is no date")
    at = f"{time.hour}, {time.minute}, {time.second}, {time.microsecond * 1000}"
    return code.set(MOMENT, f"{date.java}.atTime({at})")


def _iso_format(code: Code, term: Term, given: Sequence[Value], names: Sequence[str]) -> Term:
    """``isoformat(sep, timespec)``, of which both are known."""
    places = ("sep", "timespec")[: len(given) - len(names)]
    asked = {
        name: each.value
        for name, each in zip((*places, *names), given, strict=True)
        if isinstance(each, KnownValue)
    }
    between, up_to = asked.get("sep", "T"), asked.get("timespec", "auto")
    short = isinstance(between, str) and len(between) == 1 and between.isascii()
    if len(asked) != len(given) or not short or up_to not in ("auto", *_UP_TO):
        raise NotCompiled("isoformat with what is not known, or is none of its own")
    own = "PyDate" if term.kinds == MOMENT else "PyAware"
    limit = "" if up_to == "auto" else f", {_UP_TO[up_to]}"
    return code.set(STR, f"{own}.text({term.java}, (char) {ord(between)}{limit})")


def arithmetic(code: Code, how: str, left: Value, right: Value) -> Value:
    """A sum or a difference, or of spans more than that."""
    one, other = code.present(left), code.present(right)
    of_spans = spans.arithmetic(code, how, one, other)
    if of_spans is not None:
        return of_spans
    if is_stamp(one) or is_stamp(other):
        return aware_moments.arithmetic(code, how, one, other)
    kinds = (min(one.kinds), min(other.kinds)) if len(one.kinds) == len(other.kinds) == 1 else ()
    a, b = one.java, other.java
    match (how, *kinds):
        case ("-", "date", "date") | ("-", "moment", "moment"):
            return code.set(SPAN, f"PyDate.between({a}, {b})")
        case ("+", "date", "span"):
            return code.set(DATE, f"PyDate.plusDays({a}, PySpan.days({b}))")
        case ("+", "span", "date"):
            return code.set(DATE, f"PyDate.plusDays({b}, PySpan.days({a}))")
        case ("-", "date", "span"):
            # Python negates the span's days, which are rounded down.
            return code.set(DATE, f"PyDate.plusDays({a}, -PySpan.days({b}))")
        case ("+", "moment", "span"):
            return code.set(MOMENT, f"PyDate.plus({a}, {b})")
        case ("+", "span", "moment"):
            return code.set(MOMENT, f"PyDate.plus({b}, {a})")
        case ("-", "moment", "span"):
            return code.set(MOMENT, f"PyDate.plus({a}, PySpan.negate({b}))")
    raise NotCompiled(f"{how} of these")


def comparison(code: Code, how: str, left: Value, right: Value) -> Value:
    """Which is earlier or shorter, or whether they are equal."""
    if how in ("==", "!="):
        one, other = code.term(left), code.term(right)
        if aware_moments.are_moments(one, other):
            return aware_moments.comparison(code, how, one, other)
        a, b = one.kinds - NONE, other.kinds - NONE
        if len(a) == len(b) == 1 and a != b and a | b <= _APART:
            same = are_both_none(one, other)
            return code.set(BOOL, same if how == "==" else f"!({same})")
        if a != b or a not in (DATE, MOMENT, SPAN):
            raise NotCompiled("whether a date equals something else")
        return _equality(code, how, one, other)
    else:
        one, other = code.present(left), code.present(right)
        if aware_moments.are_moments(one, other):
            return aware_moments.comparison(code, how, one, other)
    if one.kinds != other.kinds or one.kinds not in (DATE, MOMENT, SPAN):
        raise NotCompiled("the order of a date and something else")
    return code.set(BOOL, _compared(how, one, other))


def _equality(code: Code, how: str, one: Term, other: Term) -> Term:
    """Whether two are equal, of which each may be None."""
    kinds = one.kinds - NONE
    same = _compared("==", *(code.integers.narrowed(each, kinds) for each in (one, other)))
    missing = [f"{each.java} == null" for each in (one, other) if "none" in each.kinds]
    if len(missing) == 2:
        same = f"({' || '.join(missing)} ? {' && '.join(missing)} : {same})"
    elif missing:
        same = f"(!({missing[0]}) && {same})"
    return code.set(BOOL, same if how == "==" else f"!({same})")


def _compared(how: str, one: Term, other: Term) -> str:
    if one.kinds == SPAN:
        return f"{one.java} {how} {other.java}"
    order = "PyDate.order({0}, {1})" if one.kinds == MOMENT else "{0}.compareTo({1})"
    return f"{order.format(one.java, other.java)} {how} 0"


def _replaced(code: Code, term: Term, given: Sequence[Value], names: Sequence[str]) -> Term:
    """``replace``: the same value, some of its parts excepted."""
    known = tuple(_ATTRIBUTES[term.kinds])
    found = taken(given, names, known, known)
    if found is None:
        raise NotCompiled("replace with what a date or a naive datetime has not")
    parts = [found.get(name) or attribute(code, term, name) for name in known]
    made = "moment" if term.kinds == MOMENT else "date"
    numbers = _numbers(code, [part for part in parts if part is not None], len(known))
    java = f"PyDate.{made}({', '.join(numbers)})"
    if term.kinds == MOMENT:
        java = f"PyDate.foldedLike({java}, {term.java})"
    return code.set(term.kinds, java)


def _iso_calendar(code: Code, term: Term) -> Parts:
    date = term.java if term.kinds == DATE else f"{term.java}.toLocalDate()"
    year, week, weekday = (
        _whole(code, INT, f"(long) {date}.get(java.time.temporal.{field})")
        for field in (
            "IsoFields.WEEK_BASED_YEAR",
            "IsoFields.WEEK_OF_WEEK_BASED_YEAR",
            "ChronoField.DAY_OF_WEEK",
        )
    )
    return Parts((year, week, weekday), ("year", "week", "weekday"))


def formatted(code: Code, term: Term, how: str, *, empty_is_str: bool = True) -> Term:
    """``format`` of a date or a datetime, or ``strftime``, which has no text for no format."""
    if not how and empty_is_str:
        return text(code, term)
    if is_stamp(term):
        term = aware_moments.shown(code, code.present(term))
    if term.kinds - NONE not in (DATE, MOMENT):
        raise NotCompiled("the format of a span, or of what may be no date")
    # None has no format but the empty one.
    return time_formats.formatted(code, code.present(term), how)


def text(code: Code, term: Term) -> Term:
    """``str`` of a date, a datetime or a span."""
    if is_stamp(term):
        return aware_moments.text(code, term, " ")
    kinds = term.kinds - NONE
    if kinds in (DATE, MOMENT):
        java = code.integers.narrowed(term, kinds).java
        said = f"PyDate.text({java})" if kinds == DATE else f"PyDate.text({java}, ' ')"
        return code.set(
            STR, said if kinds == term.kinds else f'{term.java} == null ? "None" : {said}'
        )
    if term.kinds == SPAN:
        return code.set(STR, f"PySpan.text({term.java})")
    raise NotCompiled("what may be no date or no span, in a text")


def _numbers(code: Code, values: Sequence[Value], count: int) -> list[str]:
    written = []
    for value in values:
        term = code.present(value)
        if term.kinds != INT:
            raise NotCompiled("a date of what are no whole numbers")
        written.append(code.integers.as_place(term))
    return [*written, *["0L"] * (count - len(written))]


def _placed(
    given: Sequence[Value], names: Sequence[str], known: Sequence[str], least: int
) -> list[Value]:
    """The numbers of a call, 0 where there are none."""
    found = _fitting(given, names, known, least)
    return [found.get(name, KnownValue(0)) for name in known]


def _fitting(
    given: Sequence[Value], names: Sequence[str], known: Sequence[str], least: int
) -> dict[str, Value]:
    found = taken(given, names, known, known)
    if found is None or not all(name in found for name in known[:least]):
        raise NotCompiled("a call of date or datetime that does not fit it")
    return found


def made_date(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``date(year, month, day)``."""
    parts = _placed(given, names, ("year", "month", "day"), 3)
    return code.set(DATE, f"PyDate.date({', '.join(_numbers(code, parts, 3))})")


def made_moment(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``datetime(year, month, day, hour, minute, second, microsecond, tzinfo)``."""
    known = ("year", "month", "day", "hour", "minute", "second", "microsecond")
    found = _fitting(given, names, (*known, "tzinfo"), 3)
    parts = [found.get(name, KnownValue(0)) for name in known]
    made = code.set(MOMENT, f"PyDate.moment({', '.join(_numbers(code, parts, 7))})")
    offset = aware_moments.asked_offset(found.get("tzinfo"), "a datetime")
    return made if offset is None else aware_moments.at(code, made, offset)


CONSTRUCTORS: dict[object, Callable[[Code, Sequence[Value], Sequence[str]], Value]] = {
    dt.date: made_date,
    dt.datetime: made_moment,
    dt.timedelta: spans.made,
}
