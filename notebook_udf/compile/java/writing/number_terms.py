"""Values as the numbers that they count as: a bool as an int, an int as a double."""

from __future__ import annotations

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import BOOL, FLOAT, INT, Term, Value


def as_int(code: Code, term: Term) -> Term:
    """A bool as the int that it counts as; any other value as it is."""
    if term.kinds != BOOL:
        return term
    one, zero = code.integers.literal(1).java, code.integers.literal(0).java
    return Term(INT, f"({term.java} ? {one} : {zero})")


def number(code: Code, value: Value) -> Term:
    """A value that has to be a number, a bool as the int that it counts as."""
    return as_int(code, code.present(value))


def as_double(code: Code, term: Term) -> str:
    """A number as a double."""
    if term.kinds == FLOAT:
        return term.java
    if term.kinds == INT and code.integers.bounded:
        return f"(double) {term.java}"
    return f"PyNumber.asDouble({code.object(term)})"


def truncated(code: Code, term: Term) -> Term:
    """A double as an int, without what stands behind its point."""
    if code.integers.bounded:
        return code.set(INT, f"PyNumber.toLong({term.java})")
    return code.set(INT, code.integers.of_object(f"PyNumber.toInt({code.object(term)})"))
