"""Texts that are made of constants: constants themselves, or one of some.

Patterns, formats and keys are often put together of constants, as ``rf"\\b{word}\\b"`` in a loop
over words. What such an operation gives is asked of Python, for each of the constants.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import Any

from notebook_udf.compile.java.bodies.constant_operands import Operation
from notebook_udf.compile.java.iterating.generated_values import FunctionCalls
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    STR,
    BoundMethod,
    KnownValue,
    Parts,
    Slice,
    Term,
    Value,
)

# What an operation gives for operands that are constants, by its detail.
_Compute = Callable[[Any, Sequence[Any]], Any]

_OPERATORS: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "+=": operator.add,
    "%": operator.mod,
    "%=": operator.mod,
}
_CONVERSIONS: Mapping[str, Callable[[Any], str]] = {"str": str, "repr": repr}
_METHODS = frozenset(
    {"join", "format", "strip", "lstrip", "rstrip", "lower", "upper", "title", "capitalize"}
    | {"replace", "zfill", "removeprefix", "removesuffix"}
)
_PLAIN = (str, int, float, bool, type(None))
# What Python raises for constants that do not fit an operation.
_RAISED = (ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError)
# Longer texts are no patterns.
_LONGEST = 2000


def with_texts(kind: str, operation: Operation) -> Operation:
    """An operation whose result is known as far as its operands are."""
    compute = _COMPUTED[kind]

    def written(run: FunctionCalls, code: Code, given: Sequence[Value], detail: Any) -> Value:
        known = [_constants_of(each) for each in given]
        if any(not each for each in known) or prod(map(len, known)) > choices.MOST:
            return operation(run, code, given, detail)
        texts = _texts(compute, detail, known)
        if len(texts) == 1:
            return KnownValue(texts[0])
        made = operation(run, code, given, detail)
        if texts and isinstance(made, Term) and made.kinds == STR:
            return replace(made, among=texts, computed=True)
        return made

    return written


def _constants_of(value: Value) -> tuple[Any, ...]:
    """The constants that a value may be; none if that is not known."""
    if isinstance(value, KnownValue):
        return (value.value,)
    if isinstance(value, BoundMethod) and value.name in _METHODS:
        return tuple(
            getattr(each, value.name) for each in _constants_of(value.owner) if type(each) is str
        )
    if isinstance(value, Parts) and value.form in ("tuple", "list") and not value.names:
        parts = [each.value for each in value.parts if isinstance(each, KnownValue)]
        whole = parts if value.is_list else tuple(parts)
        return (whole,) if len(parts) == len(value.parts) else ()
    if isinstance(value, Slice):
        limits: list[Any] = [each.value for each in value.limits if isinstance(each, KnownValue)]
        return (slice(*limits),) if len(limits) == len(value.limits) else ()
    return value.among if isinstance(value, Term) and value.kinds == STR else ()


def _texts(compute: _Compute, detail: Any, known: Sequence[tuple[Any, ...]]) -> tuple[str, ...]:
    """What is given for all of the operands; none if that is no text for some."""
    found: dict[str, None] = {}
    for operands in product(*known):
        try:
            made = compute(detail, operands)
        except _RAISED:
            # It is written as what raises in a row.
            return ()
        if type(made) is not str or len(made) > _LONGEST:
            return ()
        found[made] = None
    return tuple(found)


def _binary(how: str, operands: Sequence[Any]) -> Any:
    left, right = operands
    if type(left) is not str or not _is_plain(right) or how not in _OPERATORS:
        return None
    return _OPERATORS[how](left, right)


def _item(_: Any, operands: Sequence[Any]) -> Any:
    whole, index = operands
    return whole[index] if type(whole) is str and type(index) in (int, slice) else None


def _convert(how: str, operands: Sequence[Any]) -> Any:
    (value,) = operands
    return _CONVERSIONS[how](value) if how in _CONVERSIONS and _is_plain(value) else None


def _format(_: Any, operands: Sequence[Any]) -> Any:
    return format(*operands) if all(map(_is_plain, operands)) else None


def _string(_: Any, operands: Sequence[Any]) -> Any:
    return "".join(operands) if all(type(each) is str for each in operands) else None


def _call(names: Any, operands: Sequence[Any]) -> Any:
    function, *given = operands
    if names or not all(map(_is_plain, given)):
        return None
    if function is re.escape or type(getattr(function, "__self__", None)) is str:
        return function(*given)
    return None


def _is_plain(value: Any) -> bool:
    if type(value) in (list, tuple):
        return all(type(each) in _PLAIN for each in value)
    return type(value) in _PLAIN


_COMPUTED: Mapping[str, _Compute] = {
    "binary": _binary,
    "item": _item,
    "convert": _convert,
    "format": _format,
    "string": _string,
    "call": _call,
}
