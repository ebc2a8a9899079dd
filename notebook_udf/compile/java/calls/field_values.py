"""Values taken apart into what columns hold, and made again: what rows are folded into.

For Python these are functions as they stand; where code is compiled each is an expression.
"""

from __future__ import annotations

import datetime as dt
import decimal
import functools
from collections.abc import Callable
from typing import Any

from notebook_udf.compile.java.collections import set_values
from notebook_udf.compile.java.iterating import iterators
from notebook_udf.compile.java.times import local_times
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DATE,
    DECIMAL,
    FLOAT,
    INT,
    MOMENT,
    NONE,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    array_of,
    displayed_parts,
)

_ZERO, _MICRO = dt.datetime(1970, 1, 1), dt.timedelta(microseconds=1)
_DAY_ZERO = _ZERO.toordinal()
# What stands for an int that no column of 64 bits holds: seldom, as it is looked for then.
MARK = -(1 << 63) + 4057
_LEAST, _MOST = -(1 << 63), (1 << 63) - 1


def changeable(value: Any) -> Any:
    """The value itself, whose parts may be set."""
    return value


def object_of(kind: type, **attributes: Any) -> Any:
    """A new object of a class, with these attributes that may be set."""
    made: Any = object.__new__(kind)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def in_any_order(values: Any) -> list[Any]:
    """What a set holds."""
    return list(values)


def is_real(number: Any) -> bool:
    """Whether a number is a float."""
    return isinstance(number, float)


def real_part(number: Any) -> float:
    """A number if it is a float, otherwise 0.0."""
    return number if isinstance(number, float) else 0.0


def whole_part(number: Any) -> int | None:
    """A number if it is an int of 64 bits, otherwise 0; None of None."""
    if number is None:
        return None
    return number if isinstance(number, int) and _LEAST <= number <= _MOST else 0


def big_part(number: Any) -> str:
    """The digits of an int beyond 64 bits; "" of any other value."""
    if isinstance(number, int) and not _LEAST <= number <= _MOST:
        return str(number)
    return ""


def _or_none(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function, which gives None of None as well."""

    @functools.wraps(function)
    def of(value: Any) -> Any:
        return None if value is None else function(value)

    return of


@_or_none
def day_number(day: dt.date) -> int:
    """The days since 1970 of a date."""
    return day.toordinal() - _DAY_ZERO


@_or_none
def day_of(number: int) -> dt.date:
    """The date of ``day_number``."""
    return dt.date.fromordinal(number + _DAY_ZERO)


@_or_none
def clock_number(moment: dt.datetime) -> int:
    """A datetime as a number: twice the microseconds since 1970 as its clock shows them, and one
    more where that has shown them before."""
    return 2 * ((moment - _ZERO) // _MICRO) + moment.fold


@_or_none
def clock_of(number: int) -> dt.datetime:
    """The datetime of ``clock_number``."""
    return (_ZERO + number // 2 * _MICRO).replace(fold=number % 2)


@_or_none
def moment_of(number: int) -> dt.datetime:
    """What a clock without a time zone shows so many microseconds after 1970 began."""
    return _ZERO + number * _MICRO


@_or_none
def local_moment_of(number: int) -> dt.datetime:
    """What the clock here shows so many microseconds after 1970 began in Greenwich."""
    second, micros = divmod(number, 1_000_000)
    return dt.datetime.fromtimestamp(second).replace(microsecond=micros)


@_or_none
def digits(number: decimal.Decimal) -> str:
    """A Decimal as the text that it is made of again."""
    return str(number)


@_or_none
def decimal_of(text: str) -> decimal.Decimal:
    """The Decimal of ``digits``."""
    return decimal.Decimal(text)


def without_bigs(*parts: Any) -> tuple[Any, ...]:
    """Lists in which ints beyond 64 bits are ``MARK``, and then the digits of these in a list; of
    an int that is the mark itself as well."""
    found: list[str] = []

    def without(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            made = [without(each) for each in value]
            return made if isinstance(value, list) else tuple(made)
        if type(value) is not int or (_LEAST <= value <= _MOST and value != MARK):
            return value
        found.append(str(value))
        return MARK

    return (*map(without, parts), found)


def with_bigs(*parts: Any) -> tuple[Any, ...]:
    """The lists of ``without_bigs``, with the ints again; the last are the digits."""
    *lists, bigs = parts
    digits = iter(bigs)

    def within(value: Any) -> Any:
        if isinstance(value, (list, tuple)):
            made = [within(each) for each in value]
            return made if isinstance(value, list) else tuple(made)
        return int(next(digits)) if type(value) is int and value == MARK else value

    return tuple(map(within, lists))


_NUMBERS: dict[Any, tuple[Kinds, str]] = {
    is_real: (BOOL, "({} instanceof Double)"),
    real_part: (FLOAT, "PyField.real({})"),
    big_part: (STR, "PyField.big({})"),
}

# By the kinds of what is given, the kinds of what these give, and their Java.
_CONVERTED: dict[Any, tuple[Kinds, Kinds, str]] = {
    day_number: (DATE, INT, "{}.toEpochDay()"),
    day_of: (INT, DATE, "PyField.day({})"),
    clock_number: (MOMENT, INT, "PyField.clock({})"),
    clock_of: (INT, MOMENT, "PyField.ofClock({})"),
    moment_of: (INT, MOMENT, "PyField.moment({})"),
    local_moment_of: (INT, MOMENT, "PyField.instant({})"),
    digits: (DECIMAL, STR, "PyDecimal.text({})"),
    decimal_of: (STR, DECIMAL, "PyDecimal.ofText({})"),
}
_OTHERS = (changeable, object_of, in_any_order, whole_part, without_bigs, with_bigs, *_CONVERTED)


def is_function(function: Any) -> bool:
    """Whether it is one of these."""
    return any(function is each for each in (*_OTHERS, *_NUMBERS))


def called(code: Code, function: Any, given: tuple[Value, ...], names: tuple[str, ...]) -> Value:
    """The call of one of them, with the names of the last arguments."""
    value, *attributes = given
    if function is object_of:
        assert isinstance(value, KnownValue)
        return code.record(Parts(tuple(attributes), names, "object", value.value))
    if function is changeable:
        return _changeable(code, value)
    if function is without_bigs:
        return _without_bigs(code, given)
    if function is with_bigs:
        return _with_bigs(code, given)
    term = code.term(value)
    if function is in_any_order:
        return set_values.elements(code, term)
    if function is whole_part:
        return _whole_part(code, term)
    if function in _CONVERTED:
        return _converted(code, function, term)
    if not code.integers.bounded or term.kinds not in (INT, FLOAT):
        kinds, java = _NUMBERS[function]
        return code.set(kinds, java.format(f"((Object) {code.object(term)})"))
    # In code for 64 bits it is known without a look.
    found: dict[Any, tuple[Kinds, str]] = {
        is_real: (BOOL, str(term.kinds == FLOAT).lower()),
        real_part: (FLOAT, term.java if term.kinds == FLOAT else "0.0"),
        big_part: (STR, '""'),
    }
    return Term(*found[function])


def _without_bigs(code: Code, given: tuple[Value, ...]) -> Value:
    terms = [iterators.materialised(code, each) for each in given]
    bigs = code.new_list()
    code.lists.put(bigs.kinds, STR)
    # In code for 64 bits none is beyond them, and one that is the mark is left to the other.
    found = "null" if code.integers.bounded else bigs.java
    for term in terms:
        code.say(f"PyField.mark({term.java}, {found});")
    return Parts((*terms, bigs))


def _with_bigs(code: Code, given: tuple[Value, ...]) -> Value:
    *terms, bigs = [code.term(each) for each in given]
    code.say(f"if (!{bigs.java}.isEmpty()) {{")
    if code.integers.bounded:
        code.say("throw GaveUp.GAVE_UP;")
    else:
        lists = array_of(term.java for term in terms)
        code.say(f"PyField.unmark({lists}, {bigs.java});")
    code.say("}")
    return Parts(tuple(terms))


def _changeable(code: Code, value: Value) -> Value:
    if isinstance(value, Term) and code.empties.get(value.java) == {}:
        # It is no part of a document.
        return code.new_dict()
    value = displayed_parts(value)
    return code.record(value) if isinstance(value, Parts) and value.form != "tuple" else value


def _converted(code: Code, function: Any, term: Term) -> Value:
    """What one of these gives, None of None."""
    taken, kinds, java = _CONVERTED[function]
    if term.kinds - NONE != taken:
        raise NotCompiled(f"what may be no {min(taken)}, as one")
    one = code.integers.narrowed(term, taken) if "none" in term.kinds else term
    made = java.format(code.integers.as_count(one) if taken == INT else one.java)
    if function is local_moment_of:
        made = f"{local_times.zone(code.constants)}.entered({made}, NAME, 0)"
    found = Term(kinds, code.integers.of_long(made) if kinds == INT else made)
    if one is term:
        return code.set(kinds, found.java)
    return code.set(kinds | NONE, f"{term.java} == null ? null : (Object) {code.object(found)}")


def _whole_part(code: Code, term: Term) -> Value:
    if code.integers.bounded and term.kinds == INT:
        return term
    none = term.kinds & NONE
    return code.set_from(INT | none, f"PyField.whole((Object) {code.object(term)})")
