"""Functions and methods of whole numbers, as Java."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_int, number
from notebook_udf.compile.java.writing.terms import INT, NONE, KnownValue, NotCompiled, Term, Value

Given = tuple[Value, ...]


def whole(code: Code, value: Value, what: str) -> str:
    """A value that has to be a whole number, as an object."""
    term = number(code, value)
    if term.kinds != INT:
        raise NotCompiled(f"{what} of what is no whole number")
    return code.object(term)


def _int(code: Code, java: str) -> Term:
    """An int of any size, from an object of Java's."""
    return code.set(INT, code.integers.of_object(java))


def modular_power(code: Code, given: Given) -> Value:
    """``pow(base, exponent, modulus)``."""
    if "none" in code.term(given[-1]).kinds:
        # Without one it is another function, which may give a float.
        raise NotCompiled("pow with a modulus that may be None")
    return _int(code, f"PyWhole.power({', '.join(whole(code, each, 'pow') for each in given)})")


def _of_all(name: str, method: str, neutral: int) -> Callable[[Code, Given], Value]:
    """What a method makes of two, of all that are given."""

    def write(code: Code, given: Given) -> Value:
        if not given:
            return KnownValue(neutral)
        terms = [whole(code, each, name) for each in given]
        # Of one alone it is the number without its sign.
        others = terms[1:] or [f"Long.valueOf({neutral}L)"]
        return _int(
            code, reduce(lambda one, other: f"PyWhole.{method}({one}, {other})", others, terms[0])
        )

    return write


def _of(name: str, method: str, count: int = 1) -> Callable[[Code, Given], Value]:
    def write(code: Code, given: Given) -> Value:
        if len(given) != count:
            raise NotCompiled(f"a call of {name} that does not fit it")
        terms = ", ".join(whole(code, each, name) for each in given)
        return _int(code, f"PyWhole.{method}({terms})")

    return write


def _arrangements(code: Code, given: Given) -> Value:
    """``math.perm(n, k=None)``."""
    if not 1 <= len(given) <= 2:
        raise NotCompiled("a call of perm that does not fit it")
    of = whole(code, given[0], "perm")
    many = as_int(code, code.term(given[1])) if len(given) == 2 else Term(NONE, "null")
    if not many.kinds <= INT | NONE:
        raise NotCompiled("perm of what is no whole number")
    return _int(code, f"PyWhole.arrangements({of}, {code.object(many)})")


# By the identity of the function.
_FUNCTIONS: dict[int, Callable[[Code, Given], Value]] = {
    id(math.gcd): _of_all("gcd", "commonDivisor", 0),
    id(math.lcm): _of_all("lcm", "commonMultiple", 1),
    id(math.factorial): _of("factorial", "factorial"),
    id(math.isqrt): _of("isqrt", "root"),
    id(math.comb): _of("comb", "choices", 2),
    id(math.perm): _arrangements,
}


def is_function(function: Any) -> bool:
    """Whether it is one of ``math`` that is of whole numbers."""
    return id(function) in _FUNCTIONS


def called(code: Code, function: Any, given: Given, names: Sequence[str]) -> Value:
    """A call of one of them; none of their arguments has a name."""
    if names:
        raise NotCompiled(f"{function.__name__} with {names[0]}=")
    return _FUNCTIONS[id(function)](code, given)


_METHODS = {"bit_length": "bitLength", "bit_count": "bitCount"}


def method(code: Code, owner: Term, name: str, given: Sequence[Value]) -> Value:
    """A method of a whole number."""
    if given or not hasattr(int, name):
        raise NotCompiled(f"a call of {name} that does not fit it")
    if name == "is_integer":
        return KnownValue(True)
    if name not in _METHODS:
        raise NotCompiled(f"the method {name} of a whole number")
    java = f"PyWhole.{_METHODS[name]}({code.object(as_int(code, owner))})"
    return code.set(INT, code.integers.of_long(java))
