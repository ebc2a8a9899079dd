"""Values where ways meet: which variables of Java's hold them, and of what kinds they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.assembly import Edge
from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.terms import (
    Kinds,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
)


def merged(code: Code, name: str, values: Sequence[Value], *, loop: bool) -> Value | None:
    """A variable that holds each of these; None if none can.

    Where a loop begins it is one of its own, since its next value is not known yet.
    """
    first = values[0]
    if all(_same(first, each) for each in values) and not (loop and isinstance(first, Term)):
        return first
    wholes = [each for each in values if isinstance(each, Parts)]
    if len(wholes) == len(values):
        parts = [each.parts for each in wholes]
        if len({(len(each.parts), each.names, each.is_list) for each in wholes}) != 1:
            return None
        each_part = [
            merged(code, f"{name}_{i}", column, loop=loop)
            for i, column in enumerate(zip(*parts, strict=True))
        ]
        if None in each_part:
            return None
        kept = tuple(part for part in each_part if part is not None)
        return Parts(kept, wholes[0].names, wholes[0].is_list)
    try:
        kinds: Kinds = frozenset(k for each in values for k in code.term(each).kinds)
    except NotCompiled:
        return None
    if not name.isidentifier() or not name.isascii():
        return None
    held = code.integers.held(kinds)
    java = f"{name}_{held.rpartition('.')[2]}"
    code.variables[java] = held
    return Term(kinds, java)


def _same(one: Value, other: Value) -> bool:
    if isinstance(one, KnownValue) and isinstance(other, KnownValue):
        a, b = one.value, other.value
        if a is b:
            return True
        if type(a) is not type(b) or type(a) not in (int, str, bool):
            return False
        return bool(a == b)
    return one is other


def kinds_of(entry: Edge) -> list[tuple[Any, Any]]:
    """What is known of all that a block begins with, to tell whether it has changed."""
    return [
        (name, _kind(value))
        for each in (entry.variables, entry.phis)
        for name, value in each.items()
    ]


def _kind(value: Value) -> Any:
    if isinstance(value, Term):
        return value.kinds
    if isinstance(value, Parts):
        return tuple(map(_kind, value.parts))
    if isinstance(value, KnownValue):
        return ("constant", type(value.value), value.value if isinstance(value.value, int) else 0)
    return type(value).__name__
