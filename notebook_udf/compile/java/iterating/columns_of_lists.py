"""``zip(*lists)``: tuples of as many values as there are lists."""

from __future__ import annotations

from collections.abc import Sequence

from notebook_udf.compile.java.iterating.iterators import materialised, of_class
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    LIST,
    NONE,
    PARTS,
    Iteration,
    KnownValue,
    NotCompiled,
    Term,
    Value,
    is_list,
)


def is_zip(function: Value, named: Sequence[Value]) -> bool:
    """Whether it is ``zip`` that is called, with nothing named that makes a difference."""
    plain = all(isinstance(n, KnownValue) and n.value == {"strict": False} for n in named)
    return isinstance(function, KnownValue) and function.value is zip and plain


def columns(code: Code, value: Value) -> Iteration:
    """What ``zip(*value)`` gives."""
    whole = materialised(code, value)
    held = code.lists.of(whole.kinds)
    if not is_list(held - NONE) or held & PARTS:
        raise NotCompiled("a call of so many arguments as a list has")
    code.lists_made += 1
    # Another writing may give the number alone to a list that may be changed.
    tuples = frozenset({f"{LIST}columns {code.name}.{code.lists_made}"})
    code.lists.put(tuples, code.lists.of(held - NONE))
    code.lists.fixed |= tuples

    def taken(java: str) -> str:
        return code.integers.narrowed(Term(frozenset("?"), java), tuples).java

    return of_class(code, "PyColumns", whole.java, tuples, taken)
