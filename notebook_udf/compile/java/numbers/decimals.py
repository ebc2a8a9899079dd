"""``Decimal`` as Java, by Python's default context."""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    DECIMAL,
    FLOAT,
    INT,
    NONE,
    STR,
    KnownValue,
    NotCompiled,
    Term,
    Value,
    are_both_none,
)

_OPERATORS = {
    "+": "add", "-": "subtract", "*": "multiply", "/": "divide", "//": "floorDivide",
    "%": "remainder",
}  # fmt: skip
# Methods without arguments, as Java's and by what they give.
_ASKED = {
    "is_nan": ("isNaN", BOOL), "is_finite": ("isFinite", BOOL), "is_infinite": ("isInfinite", BOOL),
    "is_signed": ("isSigned", BOOL), "normalize": ("normalize", DECIMAL),
}  # fmt: skip
# What is laid out: other fills, signs and types of formats are Python's.
_FORMAT = re.compile(r"[<>^]?([1-9][0-9]{0,3})?,?(\.[0-9]{1,3}(?=[f%]))?[f%]?")
# What ``sum`` gives: of nothing it is 0.
_SUM = DECIMAL | INT
_ROUNDINGS = ("UP", "DOWN", "CEILING", "FLOOR", "HALF_UP", "HALF_DOWN", "HALF_EVEN")


def is_decimal(*terms: Term) -> bool:
    """Whether one of some values may be a Decimal."""
    return any(term.kinds & DECIMAL for term in terms)


def operand(code: Code, value: Value, otherwise: type[Exception] = TypeError) -> str:
    """A Decimal, or an int as one, for what is computed with it."""
    term = code.present(value, otherwise)
    if term.kinds == DECIMAL:
        return term.java
    if term.kinds in (INT, BOOL):
        return f"PyDecimal.ofInt({code.object(term)})"
    if term.kinds == _SUM:
        return f"PyDecimal.ofSum({code.object(term)})"
    raise NotCompiled("a Decimal and something else")


def arithmetic(code: Code, how: str, left: Value, right: Value) -> Value:
    """A sum, a difference, a product, a quotient or what is left."""
    if how not in _OPERATORS:
        raise NotCompiled(f"{how} of a Decimal")
    if DECIMAL not in [code.term(each).kinds - NONE for each in (left, right)]:
        raise NotCompiled(f"{how} of a sum that may be 0: sum(values, Decimal(0)) is a Decimal")
    pair = f"{operand(code, left)}, {operand(code, right)}"
    return code.set(DECIMAL, f"PyDecimal.{_OPERATORS[how]}({pair})")


def comparison(code: Code, how: str, left: Value, right: Value) -> Value:
    """Which is more, or whether they are equal."""
    if how in ("==", "!="):
        same = _equality(code, code.term(left), code.term(right))
        return code.set(BOOL, same if how == "==" else f"!({same})")
    return code.set(
        BOOL, f"PyDecimal.compare({operand(code, left)}, {operand(code, right)}) {how} 0"
    )


def _equality(code: Code, one: Term, other: Term) -> str:
    if STR in (one.kinds - NONE, other.kinds - NONE):
        return are_both_none(one, other)
    if "none" in one.kinds & other.kinds:
        raise NotCompiled("whether two that may be None are equal")
    present = [f"{term.java} != null" for term in (one, other) if "none" in term.kinds]
    a, b = (
        operand(code, code.integers.narrowed(term, term.kinds - NONE) if present else term)
        for term in (one, other)
    )
    return " && ".join([*present, f"PyDecimal.equal({a}, {b})"])


def power(code: Code, left: Value, right: Value) -> Term:
    """``left ** right`` of a Decimal and an int."""
    other = code.present(right)
    if other.kinds != INT:
        raise NotCompiled("** of a Decimal and of what is no int")
    return code.set(DECIMAL, f"PyDecimal.power({operand(code, left)}, {code.object(other)})")


def changed(code: Code, which: str, value: Value) -> Value:
    """``-value`` (negate) or ``abs(value)`` (absolute)."""
    return code.set(DECIMAL, f"PyDecimal.{which}({operand(code, value)})")


def made(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``Decimal(value)``."""
    if names or len(given) != 1:
        raise NotCompiled("a Decimal of these arguments")
    if isinstance(given[0], KnownValue):
        try:
            return KnownValue(decimal.Decimal(given[0].value))
        except (decimal.InvalidOperation, TypeError, ValueError):
            raise NotCompiled("what raises in every row") from None
    term = code.present(given[0])
    if term.kinds in (DECIMAL, INT, BOOL):
        return code.set(DECIMAL, operand(code, term))
    how = {FLOAT: "ofDouble", STR: "ofText"}.get(term.kinds)
    if how is None:
        raise NotCompiled("a Decimal of this")
    return code.set(DECIMAL, f"PyDecimal.{how}({term.java})")


def method(
    code: Code, owner: Value, name: str, given: Sequence[Value], names: Sequence[str]
) -> Value:
    """``quantize``, ``to_integral_value`` and those without arguments."""
    owner = code.present(owner, AttributeError)
    if owner.kinds == _SUM:
        # An int, which is the sum of nothing, has none of them.
        code.say(f"if (!({owner.java} instanceof PyDecimal)) {raising(AttributeError)}")
        owner = code.integers.narrowed(owner, DECIMAL)
    if owner.kinds != DECIMAL:
        raise NotCompiled(f"the method {name} of a Decimal or something else")
    if name in _ASKED and not given:
        java, kinds = _ASKED[name]
        return code.set(kinds, f"PyDecimal.{java}({owner.java})")
    least = 1 if name == "quantize" else 0
    rounding: Any = decimal.ROUND_HALF_EVEN
    if names == ("rounding",) or (not names and len(given) == least + 1):
        said = given[-1]
        rounding = said.value if isinstance(said, KnownValue) else None
        given, names = given[:-1], ()
    if name not in ("quantize", "to_integral_value") or names or len(given) != least:
        raise NotCompiled(f"the method {name} of a Decimal, with these arguments")
    if rounding not in [f"ROUND_{each}" for each in _ROUNDINGS]:
        raise NotCompiled(f"{name} with rounding={rounding!r}")
    how = f"java.math.RoundingMode.{rounding.removeprefix('ROUND_')}"
    if not least:
        return code.set(DECIMAL, f"PyDecimal.integral({owner.java}, {how})")
    return code.set(DECIMAL, f"PyDecimal.quantize({owner.java}, {operand(code, given[0])}, {how})")


def as_int(code: Code, term: Term, *, nearest: bool) -> Value:
    """``int(value)``, or ``round(value)``."""
    java = f"PyDecimal.toInt({operand(code, term)}, {'true' if nearest else 'false'})"
    return code.set(INT, code.integers.of_object(java))


def as_float(code: Code, term: Term) -> Value:
    """``float(value)``."""
    return code.set(FLOAT, f"PyDecimal.toDouble({operand(code, term)})")


def rounded(code: Code, term: Term, digits: Value) -> Value:
    """``round(value, digits)``."""
    places = code.present(digits)
    if places.kinds != INT:
        raise NotCompiled("round of a Decimal to what is no whole number")
    at = code.integers.as_place(places)
    return code.set(DECIMAL, f"PyDecimal.round({operand(code, term)}, {at})")


def text(code: Code, term: Term, how: str) -> Value:
    """``format(value, how)``: as it is, or with so many digits after the point."""
    if not how and term.kinds == DECIMAL:
        return code.set(STR, f"PyDecimal.text({term.java})")
    if not how and term.kinds == DECIMAL | NONE:
        java = code.integers.narrowed(term, DECIMAL).java
        return code.set(STR, f'{term.java} == null ? "None" : PyDecimal.text({java})')
    if not how and term.kinds == _SUM:
        return code.set(STR, f"PyDecimal.text({operand(code, term)})")
    term = code.present(term)
    if term.kinds != DECIMAL or not _FORMAT.fullmatch(how):
        raise NotCompiled(f"the format {how or 'as it is'} of a Decimal")
    return code.set(STR, f'PyDecimal.format({term.java}, "{how}")')
