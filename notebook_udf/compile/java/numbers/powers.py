"""``base ** exponent``, as Java."""

from __future__ import annotations

from notebook_udf.compile.java.numbers import decimals, libm
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import number
from notebook_udf.compile.java.writing.terms import (
    FLOAT,
    INT,
    NUMBERS,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

# An int to a higher power is left to the objects.
_MOST_FACTORS = 4


def power(code: Code, left: Value, right: Value) -> Term:
    """``left ** right``: an int is of ints if the exponent is written there."""
    one, other = code.term(left), code.term(right)
    if decimals.is_decimal(one, other):
        return decimals.power(code, left, right)
    # What is missing raises in the order in which Python looks at both.
    one, other = number(code, left), number(code, right)
    if not one.kinds | other.kinds <= NUMBERS:
        raise NotCompiled("** of what is no number")
    written = right.value if isinstance(right, KnownValue) else None
    if FLOAT in (one.kinds, other.kinds):
        return libm.power(code, one, other)
    if one.kinds != INT:
        raise NotCompiled("** of what may be an int or a float")
    if type(written) is not int and other.kinds == INT:
        # Which of the two it is depends on whether the exponent is negative.
        return code.set_from(INT | FLOAT, libm.power_of_ints(code, one, other))
    if type(written) is not int:
        raise NotCompiled("** of an int and of what may be an int or a float")
    return libm.power(code, one, other) if written < 0 else _of_int(code, one, written)


def _of_int(code: Code, one: Term, exponent: int) -> Term:
    if code.integers.bounded and 1 <= exponent <= _MOST_FACTORS:
        made = one
        for _ in range(exponent - 1):
            made = code.set(INT, f"Math.multiplyExact({made.java}, {one.java})")
        return made
    written = code.term(KnownValue(exponent))
    java = f"PyNumber.power({code.object(one)}, {code.object(written)})"
    return code.set(INT, code.integers.of_object(java))
