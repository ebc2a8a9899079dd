"""What is done with one of some constant objects, such as the lists of a constant dict.

Where the answer for each of them is known beforehand, only their places are looked up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from notebook_udf.compile.java.collections import lookups
from notebook_udf.compile.java.objects import enum_classes
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    INT,
    KnownValue,
    OneOf,
    Parts,
    Term,
    Value,
    is_literal,
)


def of_each(code: Code, value: OneOf, write: Callable[[KnownValue], Value]) -> Value:
    """What is written for the constant that a row has.

    Raises
    ------
    NotCompiled
        If it cannot be written for one of them.
    """

    def written(constant: object) -> Value:
        return write(KnownValue(constant))

    captured = [code.captured(lambda each=each: written(each)) for each in value.of]  # type: ignore[misc]
    if not any(statements for statements, _ in captured):
        known = _at_place(code, value, [each for _, each in captured])
        if known is not None:
            return known
    every = [enum_classes.every(each) for _, each in captured]
    if all(every) and any(isinstance(each, OneOf) for _, each in captured):
        return _of_those(code, value, every, written)
    return choices.chosen(code, value, written, "an object")


def _of_those(
    code: Code,
    value: OneOf,
    every: Sequence[tuple[object, ...]],
    write: Callable[[object], Value],
) -> Value:
    """One of all that may stand in the constants."""
    starts = [sum(map(len, every[:at])) for at in range(len(every))]
    found = iter(starts)

    def place(constant: object) -> Term:
        inner, start = write(constant), next(found)
        at = code.integers.as_place(inner.place) if isinstance(inner, OneOf) else "0L"
        return code.set(INT, code.integers.of_long(f"{at} + {start}L"))

    at = code.term(choices.chosen(code, value, place, "an object"))
    those = tuple(each for some in every for each in some)
    found_there = _at_place(code, OneOf(at, those), tuple(map(KnownValue, those)))
    assert found_there is not None
    return found_there


def _at_place(code: Code, value: OneOf, values: Sequence[Value]) -> Value | None:
    """The one of some constants, or of some tuples of them, that stands at a place."""
    first = values[0]
    if isinstance(first, Parts):
        wholes = [each for each in values if isinstance(each, Parts)]
        forms = {(len(each.parts), each.names, each.form) for each in wholes}
        if len(wholes) != len(values) or len(forms) != 1:
            return None
        columns = zip(*[each.parts for each in wholes], strict=True)
        parts = [_at_place(code, value, column) for column in columns]
        known = [each for each in parts if each is not None]
        return replace(first, parts=tuple(known)) if len(known) == len(parts) else None
    constants = [each.value for each in values if isinstance(each, KnownValue)]
    if len(constants) != len(values):
        return None
    if all(map(is_literal, constants)):
        return lookups.looked_up(code, tuple(constants), value.place)
    return OneOf(value.place, tuple(constants))
