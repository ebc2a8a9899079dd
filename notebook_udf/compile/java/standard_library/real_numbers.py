"""Functions of ``math`` that no C library has, and the methods of floats, as Java."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.collections import set_values
from notebook_udf.compile.java.iterating.iterators import materialised
from notebook_udf.compile.java.numbers import whole_numbers
from notebook_udf.compile.java.numbers.arithmetic import arithmetic
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.number_terms import as_double, number
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    FLOAT,
    INT,
    NONE,
    NUMBERS,
    STR,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
    constant_parts,
    is_list,
)

Given = tuple[Value, ...]
_CLOSE = ("a", "b", "rel_tol", "abs_tol")
_TOLERANCES: dict[str, Value] = {"rel_tol": KnownValue(1e-09), "abs_tol": KnownValue(0.0)}


def _real(code: Code, value: Value, what: str) -> str:
    """A number as a double, which raises before the next one is looked at."""
    term = number(code, value)
    if not term.kinds <= NUMBERS:
        raise NotCompiled(f"{what} of what is no number")
    return code.set(FLOAT, as_double(code, term)).java


def _is_close(code: Code, given: Given, names: Sequence[str]) -> Value:
    placed = taken(given, names, _CLOSE[:2], _CLOSE)
    if placed is None or not {"a", "b"} <= set(placed):
        raise NotCompiled("a call of isclose that does not fit it")
    found = {**_TOLERANCES, **placed}
    reals = ", ".join(_real(code, found[name], "isclose") for name in _CLOSE)
    return code.set(BOOL, f"PyReal.isClose({reals})")


def _exact_sum(code: Code, given: Given, names: Sequence[str]) -> Value:
    if len(given) != 1 or names:
        raise NotCompiled("a call of fsum that does not fit it")
    values = given[0]
    kinds = values.kinds - NONE if isinstance(values, Term) else NONE
    is_there = isinstance(values, Parts) or is_list(kinds)
    if code.lists.handled and not is_there:
        raise NotCompiled("fsum of what is yet to be computed, beside try")
    listed = set_values.summed(code, values)
    if not code.lists.of(listed.kinds) - NONE <= NUMBERS:
        raise NotCompiled("fsum of what are no numbers")
    return code.set(FLOAT, f"PyReal.exactSum({listed.java})")


def _product(code: Code, given: Given, names: Sequence[str]) -> Value:
    if len(given) != 1 + len(names) or tuple(names) not in ((), ("start",)):
        raise NotCompiled("a call of prod that does not fit it")
    start = given[1] if names else KnownValue(1)
    first = number(code, start)
    if first.kinds not in (INT, FLOAT):
        raise NotCompiled("prod from what is no number")
    several = constant_parts(given[0])
    if isinstance(several, Parts) and several.form in ("tuple", "list"):
        # What is missing raises once all before it are multiplied.
        total: Value = first
        for each in several.parts:
            term = number(code, each)
            if not term.kinds <= NUMBERS:
                raise NotCompiled("prod of what are no numbers")
            total = arithmetic(code, "*", total, term)
        return total
    listed = set_values.summed(code, given[0])
    held = code.lists.of(listed.kinds)
    code.lists.check_order(held)
    if held - NONE <= INT | BOOL and first.kinds == INT:
        java = f"PyReal.productOfInts({listed.java}, {code.object(first)})"
        return code.set(INT, code.integers.of_object(java))
    if held - NONE != FLOAT:
        raise NotCompiled("prod of several kinds of numbers")
    java = f"PyReal.productOfDoubles({listed.java}, {as_double(code, first)})"
    if first.kinds == FLOAT:
        return code.set(FLOAT, java)
    # Of none of them it is what it begins with.
    java = (
        f"{listed.java}.isEmpty() ? (Object) {code.object(first)} : (Object) Double.valueOf({java})"
    )
    return code.set(INT | FLOAT, java)


def _steps() -> str:
    """What Java is told of the steps in which this Python computes a distance."""
    if sys.version_info >= (3, 14):
        raise NotCompiled("a distance in this Python")
    return str(sys.version_info < (3, 12)).lower()


def _hypotenuse(code: Code, given: Given, names: Sequence[str]) -> Value:
    if names:
        raise NotCompiled("a call of hypot that does not fit it")
    reals = ", ".join([_real(code, each, "hypot") for each in given])
    return code.set(FLOAT, f"PyNorm.of(new double[] {{{reals}}}, {_steps()})")


def _distance(code: Code, given: Given, names: Sequence[str]) -> Value:
    if len(given) != 2 or names:
        raise NotCompiled("a call of dist that does not fit it")
    points = [_point(code, each) for each in given]
    return code.set(FLOAT, f"PyNorm.distance({', '.join(points)}, {_steps()})")


def _point(code: Code, value: Value) -> str:
    value = constant_parts(value)
    term = code.present(value) if isinstance(value, Term) else None
    sized = isinstance(value, Parts) and value.form in ("tuple", "list")
    if not sized and (term is None or not is_list(term.kinds)):
        raise NotCompiled("dist of what is no tuple and no list")
    listed = materialised(code, term or value)
    if not code.lists.of(listed.kinds) - NONE <= NUMBERS:
        raise NotCompiled("dist of what are no numbers")
    return listed.java


# By the identity of the function.
_FUNCTIONS: dict[int, Callable[[Code, Given, Sequence[str]], Value]] = {
    id(math.isclose): _is_close,
    id(math.fsum): _exact_sum,
    id(math.prod): _product,
    id(math.hypot): _hypotenuse,
    id(math.dist): _distance,
}


def is_function(function: Any) -> bool:
    """Whether it is one of these functions."""
    return id(function) in _FUNCTIONS


def called(code: Code, function: Any, given: Given, names: Sequence[str]) -> Value:
    """A call of one of these functions."""
    return _FUNCTIONS[id(function)](code, given, names)


def of_number(code: Code, owner: Value) -> Term | None:
    """A value that is a number of one kind; None of any other one."""
    known = owner.value if isinstance(owner, KnownValue) else None
    if type(known) in (int, float, bool):
        return code.term(owner)
    is_number = isinstance(owner, Term) and owner.kinds in (INT, FLOAT, BOOL)
    return owner if is_number else None  # type: ignore[return-value]


def method(code: Code, owner: Term, name: str, given: Given, names: Sequence[str]) -> Value:
    """A method of a number."""
    if names:
        raise NotCompiled(f"{name} with {names[0]}=")
    if owner.kinds != FLOAT:
        return whole_numbers.method(code, owner, name, given)
    if given:
        raise NotCompiled(f"a call of {name} that does not fit it")
    if name == "is_integer":
        return code.set(BOOL, f"PyReal.isInteger({owner.java})")
    if name == "hex":
        return code.set(STR, f"PyReal.hex({owner.java})")
    if name == "as_integer_ratio":
        parts = (f"PyReal.{each}({owner.java})" for each in ("numerator", "denominator"))
        return Parts(tuple(code.set(INT, code.integers.of_object(java)) for java in parts))
    raise NotCompiled(f"the method {name} of a float")
