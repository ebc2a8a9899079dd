"""``time.gmtime`` and ``time.strftime`` of what it gives, as Java."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.times import date_values
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int
from notebook_udf.compile.java.writing.terms import (
    FLOAT,
    INT,
    MOMENT,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
)

# The first fields of a struct_time, by what they are of a datetime.
_FIELDS = {
    "tm_year": "year",
    "tm_mon": "month",
    "tm_mday": "day",
    "tm_hour": "hour",
    "tm_min": "minute",
    "tm_sec": "second",
}


def is_function(function: Any) -> bool:
    """Whether it is one of the two."""
    return function is time.gmtime or function is time.strftime


def called(code: Code, function: Any, given: tuple[Value, ...], names: Sequence[str]) -> Value:
    """``time.gmtime(seconds)``, or ``time.strftime(format, parts)``."""
    if function is time.gmtime and len(given) == 1 and not names:
        return _parts(code, given[0])
    if function is time.strftime and len(given) == 2 and not names:
        return _formatted(code, *given)
    raise NotCompiled(f"{function.__name__} of the time that it is")


def _parts(code: Code, seconds: Value) -> Parts:
    if code.lists.handled:
        # It knows years that datetime does not.
        raise NotCompiled("gmtime beside try")
    # Of None Python gives this moment, which no row has.
    term = as_int(code, code.present(seconds))
    if term.kinds not in (INT, FLOAT):
        raise NotCompiled("gmtime of this")
    number = code.object(term)
    if term.kinds == FLOAT:
        number = f"PyNumber.toInt(Math.floor({term.java}))"
    moment = code.set(MOMENT, f"PyZone.utcFromTimestamp({number})")
    found = [date_values.attribute(code, moment, name) for name in _FIELDS.values()]
    weekday = date_values.method(code, moment, "weekday", ())
    day = code.set(INT, code.integers.of_long(f"(long) {moment.java}.getDayOfYear()"))
    fields = (*(each for each in found if each is not None), weekday, day, KnownValue(0))
    return Parts(fields, (*_FIELDS, "tm_wday", "tm_yday", "tm_isdst"))


def _formatted(code: Code, how: Value, parts: Value) -> Value:
    known = how.value if isinstance(how, KnownValue) else None
    if not isinstance(known, str) or "%f" in known:
        raise NotCompiled("a time's format that is not known, or has microseconds")
    if not isinstance(parts, Parts) or parts.names[: len(_FIELDS)] != tuple(_FIELDS):
        raise NotCompiled("strftime of what gmtime has not given")
    numbers = [code.integers.as_place(code.term(each)) for each in parts.parts[: len(_FIELDS)]]
    moment: Term = code.set(MOMENT, f"PyDate.moment({', '.join(numbers)}, 0L)")
    return date_values.formatted(code, moment, known, empty_is_str=False)
