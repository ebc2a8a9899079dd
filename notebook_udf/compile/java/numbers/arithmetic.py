"""Arithmetic and comparisons, as Java."""

from __future__ import annotations

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.numbers import decimals
from notebook_udf.compile.java.times import date_values, spans
from notebook_udf.compile.java.times.date_values import is_temporal
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_double, as_int
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    BYTES,
    DATE,
    DECIMAL,
    DICT,
    FLOAT,
    INT,
    LIST,
    MATCH,
    MOMENT,
    NONE,
    NUMBERS,
    QUEUE,
    RECORD,
    SCALARS,
    SET,
    SPAN,
    STR,
    Kinds,
    KnownValue,
    NotCompiled,
    OneOf,
    Term,
    Value,
    is_record,
)

_METHODS = {
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "//": "floorDivide",
    "%": "modulo",
}
_EXACT = {"+": "addExact", "-": "subtractExact", "*": "multiplyExact"}
_BITS = ("&", "|", "^")
_SHIFTS = {"<<": "shiftLeft", ">>": "shiftRight"}
# By the operator: the method that tells it, and whether its sides change places.
_ORDERS = {
    "<": ("less", False),
    "<=": ("lessOrEqual", False),
    ">": ("less", True),
    ">=": ("lessOrEqual", True),
}


def arithmetic(code: Code, how: str, left: Value, right: Value) -> Value:
    """``left how right`` of two values."""
    if how in _BITS or how in _SHIFTS:
        return _bits(code, how, left, right)
    if how not in _METHODS:
        raise NotCompiled(f"{how} here")
    one, other = code.term(left), code.term(right)
    if is_temporal(one, other):
        return date_values.arithmetic(code, how, one, other)
    if decimals.is_decimal(one, other):
        return decimals.arithmetic(code, how, one, other)
    one, other, of_lists = json_values.arithmetic(code, how, one, other)
    _scalar(one, other, also=BYTES if how == "+" else frozenset())
    if how == "%" and "str" in one.kinds:
        raise NotCompiled("% of a text")
    found = frozenset(
        kind for a in one.kinds for b in other.kinds for kind in [_result(how, a, b)] if kind
    )
    if of_lists:
        return code.set_from(found | json_values.LISTS, of_lists)
    one, other = as_int(code, one), as_int(code, other)
    if one.kinds == other.kinds == STR and how == "+":
        return code.set(STR, f"{one.java}.concat({other.java})")
    if one.kinds in (INT, FLOAT) and other.kinds in (INT, FLOAT):
        return _of_numbers(code, how, one, other)
    java = f"PyNumber.{_METHODS[how]}({code.object(one)}, {code.object(other)})"
    if how == "/":
        return code.set(FLOAT, java)
    return code.set_from(found, java)


def _result(how: str, a: str, b: str) -> str:
    """The kind of a result; "" where Python raises."""
    numbers = a in NUMBERS and b in NUMBERS
    if numbers:
        return "float" if how == "/" or "float" in (a, b) else "int"
    if how == "+" and a == b and a in STR | BYTES:
        return a
    whole = ("int", "bool")
    repeated = (a == "str" and b in whole) or (b == "str" and a in whole)
    return "str" if how == "*" and repeated else ""


def _of_numbers(code: Code, how: str, one: Term, other: Term) -> Term:
    if one.kinds == other.kinds == INT:
        exact = how in _EXACT and code.integers.bounded
        method = f"Math.{_EXACT[how]}" if exact else f"PyNumber.{_METHODS[how]}"
        return code.set(FLOAT if how == "/" else INT, f"{method}({one.java}, {other.java})")
    a, b = as_double(code, one), as_double(code, other)
    if how in _EXACT:
        return code.set(FLOAT, f"{a} {how} {b}")
    return code.set(FLOAT, f"PyNumber.{_METHODS[how]}({a}, {b})")


def _bits(code: Code, how: str, left: Value, right: Value) -> Term:
    one, other = code.present(left), code.present(right)
    if one.kinds == other.kinds == BOOL and how in _BITS:
        return code.set(BOOL, f"{one.java} {how} {other.java}")
    one, other = as_int(code, one), as_int(code, other)
    if one.kinds != INT or other.kinds != INT:
        raise NotCompiled(f"{how} of anything but whole numbers")
    if how in _SHIFTS:
        return code.set(INT, f"PyWhole.{_SHIFTS[how]}({one.java}, {other.java})")
    if code.integers.bounded:
        return code.set(INT, f"{one.java} {how} {other.java}")
    return code.set(INT, f"PyNumber.bits({one.java}, {other.java}, '{how}')")


def negated(code: Code, value: Value) -> Value:
    """``-value``."""
    return _changed(code, value, "negate", "Math.negateExact({0})", "-{0}")


def absolute(code: Code, value: Value) -> Value:
    """``abs(value)``."""
    within = "{0} < 0L ? Math.negateExact({0}) : {0}"
    return _changed(code, value, "absolute", within, "Math.abs({0})")


def _changed(code: Code, value: Value, method: str, of_long: str, of_double: str) -> Value:
    """What a method of the runtime's gives of a number; Java itself of its own ones."""
    one = as_int(code, json_values.without_containers(code, code.term(value)))
    if decimals.is_decimal(one):
        return decimals.changed(code, method, one)
    if one.kinds - NONE == SPAN:
        return spans.changed(code, method, one)
    _scalar(one)
    if one.kinds == INT and code.integers.bounded:
        return code.set(INT, of_long.format(one.java))
    if one.kinds == FLOAT:
        return code.set(FLOAT, of_double.format(one.java))
    return code.set_from(_as_numbers(one.kinds), f"PyNumber.{method}({code.object(one)})")


def _as_numbers(kinds: Kinds) -> Kinds:
    """Kinds of numbers that these are when they are computed with."""
    return frozenset("int" if kind == "bool" else kind for kind in kinds & NUMBERS)


def comparison(code: Code, how: str, left: Value, right: Value) -> Value:
    """``left how right`` of two values: their order, or whether they are equal."""
    one, other = code.term(left), code.term(right)
    if is_temporal(one, other):
        return date_values.comparison(code, how, one, other)
    if decimals.is_decimal(one, other):
        return decimals.comparison(code, how, one, other)
    one, other = json_values.compared(code, how, left, right)
    _scalar(one, other, also=BYTES)
    if how in ("==", "!="):
        same = _equality(code, one, other)
        return code.set(BOOL, same if how == "==" else f"!({same})")
    one, other = as_int(code, one), as_int(code, other)
    pairs = [(a, b) for a in one.kinds for b in other.kinds]
    if not any({a, b} <= NUMBERS or (a == b and a in STR | BYTES) for a, b in pairs):
        raise NotCompiled("what raises in every row")
    java = _primitive(code, how, one, other)
    if java is None:
        method, swapped = _ORDERS[how]
        a, b = code.object(one), code.object(other)
        java = f"PyNumber.{method}({b}, {a})" if swapped else f"PyNumber.{method}({a}, {b})"
    return code.set(BOOL, java)


def _primitive(code: Code, how: str, one: Term, other: Term) -> str | None:
    """A comparison that Java makes itself; None if it has none."""
    if one.kinds == other.kinds == STR:
        return f"PyText.compare({one.java}, {other.java}) {how} 0"
    kinds = {one.kinds, other.kinds}
    if not kinds <= {INT, FLOAT} or (INT in kinds and not code.integers.bounded):
        return None
    if len(kinds) == 1:
        return f"{one.java} {how} {other.java}"
    a, b = (f"PyNumber.near({x.java})" if x.kinds == INT else x.java for x in (one, other))
    return f"{a} {how} {b}"


def _equality(code: Code, one: Term, other: Term) -> str:
    if one.kinds == other.kinds == STR:
        return f"{one.java}.equals({other.java})"
    one, other = as_int(code, one), as_int(code, other)
    java = _primitive(code, "==", one, other)
    return java or f"PyNumber.equal({code.object(one)}, {code.object(other)})"


def chosen(code: Code, which: str, values: tuple[Value, ...]) -> Value:
    """``min`` or ``max`` of several values: the first of those that are equal."""
    found = code.term(values[0])
    for each in values[1:]:
        found = _one_of_two(code, which, found, code.term(each))
    return found


def _one_of_two(code: Code, which: str, one: Term, other: Term) -> Term:
    better = "<" if which == "min" else ">"
    taken = code.term(comparison(code, better, other, one))
    if one.kinds == other.kinds:
        return code.set(one.kinds, f"{taken.java} ? {other.java} : {one.java}")
    kinds = one.kinds | other.kinds
    java = f"{taken.java} ? (Object) {code.object(other)} : (Object) {code.object(one)}"
    return code.set(kinds, java)


def truth(code: Code, value: Value) -> str | bool:
    """Whether a value counts as true: an expression, or the answer for every row."""
    if isinstance(value, KnownValue):
        return bool(value.value)
    if isinstance(value, OneOf):
        return code.one_of_places(value, [bool(each) for each in value.of])
    one = code.term(value)
    held = code.integers.held(one.kinds)
    if one.kinds in (DATE, MOMENT):
        return True
    if one.kinds == SPAN:
        return f"{one.java} != 0L"
    if one.kinds == DECIMAL | NONE:
        present = code.integers.narrowed(one, DECIMAL).java
        return f"({one.java} != null && PyDecimal.truth({present}))"
    if held == "PyDecimal":
        return f"PyDecimal.truth({one.java})"
    if one.kinds - NONE == BYTES:
        there = f"{one.java} != null && " if "none" in one.kinds else ""
        return f"({there}((byte[]) {one.java}).length != 0)"
    others = [
        kind
        for kind in one.kinds - SCALARS - DATE - MOMENT - BYTES
        if not kind.startswith((LIST, QUEUE, DICT, MATCH, RECORD, SET))
    ]
    if others:
        raise NotCompiled(f"whether a {min(others)} is true")
    if one.kinds == NONE:
        return False
    if held == "boolean":
        return one.java
    if held == "long":
        return f"{one.java} != 0L"
    if held == "double":
        return f"{one.java} != 0.0"
    if held == "String":
        return f"{one.java}.length() != 0"
    if held == "PySet":
        return f"{one.java}.size() != 0L"
    if held == "PyMatch":
        return True
    if is_record(one.kinds - NONE):
        known = code.lists.of_records(one.kinds - NONE)
        _check_always_true(known.of)
        if not known.parts and known.form != "object":
            return False
        return f"{one.java} != null" if "none" in one.kinds else True
    if any(kind.startswith(RECORD) for kind in one.kinds):
        raise NotCompiled("whether a tuple or something else is true")
    return f"PyNumber.truth({one.java})"


def _check_always_true(own: type | None) -> None:
    """Refuses objects of a class that says itself whether one is true; a tuple with names holds
    something."""
    if own is None or issubclass(own, tuple):
        return
    if hasattr(own, "__bool__") or hasattr(own, "__len__"):
        raise NotCompiled(f"whether a {own.__name__} is true, which it says itself")


def condition(code: Code, value: Value) -> str:
    """``truth`` as Java, also where it is the same in every row."""
    found = truth(code, value)
    return str(found).lower() if isinstance(found, bool) else found


def _scalar(*terms: Term, also: Kinds = frozenset()) -> None:
    others = frozenset[str]().union(*[term.kinds for term in terms]) - SCALARS - also
    if others:
        found = min(others)
        raise NotCompiled(f"computing with a {found.partition('@')[0]}")
