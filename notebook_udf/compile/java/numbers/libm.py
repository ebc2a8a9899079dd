"""Functions of the machine's C library, which Python's ``math`` calls and Java calls too.

They answer alike to the last digit where both call the same library. A session compares what its
Java says to ``examples`` before a function may use one of them.
"""

from __future__ import annotations

import math
import operator
import random
import struct
from collections.abc import Callable, Sequence
from typing import Any

from notebook_udf.compile.java.numbers.arithmetic import arithmetic
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_double, number
from notebook_udf.compile.java.writing.terms import FLOAT, INT, NUMBERS, NotCompiled, Term, Value

# Those whose result may be too large; the others raise a ValueError then.
_OVERFLOWING = ("cosh", "exp", "exp2", "expm1", "sinh")
_PLAIN = (
    *("sin", "cos", "tan", "asin", "acos", "atan", "tanh", "asinh", "acosh", "atanh"),
    *("log1p", "cbrt", "erf", "erfc"),
)
_LOGARITHMS = ("log", "log2", "log10")
PAIRS = ("atan2", "fmod", "pow")
NAMES = (*_OVERFLOWING, *_PLAIN, *_LOGARITHMS, *PAIRS)
_FUNCTIONS = {getattr(math, name): name for name in NAMES if hasattr(math, name)}

_EXAMPLES = 3000
_SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, 10.0, math.inf, -math.inf, math.nan, 1e-310, 1e308)
_RANGES = ((-1.0, 1.0), (-10.0, 10.0), (0.0, 1000.0), (-1e6, 1e6), (0.0, 1e300), (-1e-300, 1.0))

Given = tuple[Value, ...]


def is_function(function: Any) -> bool:
    """Whether it is one of them."""
    return isinstance(function, type(math.sin)) and function in _FUNCTIONS


def called(code: Code, function: Any, given: Given, names: Sequence[str]) -> Value:
    """A call of one of them."""
    name = _FUNCTIONS[function]
    if names or not given:
        raise NotCompiled(f"a call of {name} that does not fit it")
    if name == "log" and len(given) == 2:
        return arithmetic(code, "/", *(_logarithm(code, name, each) for each in given))
    if len(given) != (2 if name in PAIRS else 1):
        raise NotCompiled(f"a call of {name} that does not fit it")
    if name in _LOGARITHMS:
        return _logarithm(code, name, given[0])
    reals = ", ".join(_real(code, name, each) for each in given)
    field = _field(code, name)
    if name in ("pow", "fmod"):
        return code.set(FLOAT, f"PyLibm.{name}({reals})")
    if name == "atan2":
        return code.set(FLOAT, f"{field}.applyAsDouble({reals})")
    overflows = "true" if name in _OVERFLOWING else "false"
    return code.set(FLOAT, f"PyLibm.of({field}, {reals}, {overflows})")


def power(code: Code, base: Term, exponent: Term) -> Term:
    """``base ** exponent`` of which one is a float, or both count as one."""
    _field(code, "pow")
    return code.set(FLOAT, f"PyLibm.power({as_double(code, base)}, {as_double(code, exponent)})")


def power_of_ints(code: Code, base: Term, exponent: Term) -> str:
    """``base ** exponent`` of ints: an int, or a float where the exponent is negative."""
    _field(code, "pow")
    return f"PyLibm.powerOfInts({code.object(base)}, {code.object(exponent)})"


def _field(code: Code, name: str) -> str:
    code.constants.libm.add(name)
    return f"PyLibm.{name.upper()}"


def _numeric(code: Code, name: str, value: Value) -> Term:
    term = number(code, value)
    if not term.kinds <= NUMBERS:
        raise NotCompiled(f"{name} of what is no number")
    return term


def _real(code: Code, name: str, value: Value) -> str:
    return as_double(code, _numeric(code, name, value))


def _logarithm(code: Code, name: str, value: Value) -> Term:
    term = _numeric(code, name, value)
    if term.kinds == FLOAT or (term.kinds == INT and code.integers.bounded):
        real = as_double(code, term)
    else:
        real = f"PyLibm.ofInt({code.object(term)})"
    return code.set(FLOAT, f"PyLibm.logarithm({_field(code, name)}, {real})")


def examples(name: str) -> bytes:
    """Values for a function, as Java writes doubles."""
    flat = [value for row in _values(name) for value in row]
    return struct.pack(f">{len(flat)}d", *flat)


def agrees(name: str, said: bytes) -> bool:
    """Whether these are Python's answers to ``examples``, in every bit; where it raises, any is."""
    if name == "pow" and _answer(operator.pow, (1e-160, 2.0)) is None:
        # A C library that takes what is nearly nothing for an error.
        return False
    function, rows = getattr(math, name), _values(name)
    found = struct.unpack(f">{len(said) // 8}d", said)[: len(rows)]
    answers = (_answer(function, row) for row in rows)
    return all(
        expected is None or _bits(expected) == _bits(other)
        for expected, other in zip(answers, found, strict=True)
    )


def _bits(value: float) -> bytes:
    return b"nan" if math.isnan(value) else struct.pack("d", value)


def _answer(function: Callable[..., float], row: Sequence[float]) -> float | None:
    try:
        return function(*row)
    except (ValueError, OverflowError):
        return None


def _values(name: str) -> list[tuple[float, ...]]:
    chance, count = random.Random(name), 2 if name in PAIRS else 1

    def value() -> float:
        if chance.random() < 0.1:
            return chance.choice(_SPECIAL)
        return chance.uniform(*chance.choice(_RANGES))

    return [tuple(value() for _ in range(count)) for _ in range(_EXAMPLES)]
