"""``isinstance``, and ``type(value)`` next to classes, as Java."""

from __future__ import annotations

import datetime as dt
import types
import typing
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from notebook_udf.compile.java.collections import changeable_records
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.writing import exceptions
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    EXCEPTION,
    NONE,
    SCALARS,
    STR,
    KnownValue,
    NotCompiled,
    Parts,
    TypeOf,
    Value,
    quoted,
)

# The classes of values, by their kinds.
_CLASS_OF: dict[str, type] = {
    "int": int, "float": float, "bool": bool, "str": str, "none": type(None), "date": dt.date,
    "moment": dt.datetime, "stamp": dt.datetime, "span": dt.timedelta, "decimal": Decimal,
    "bytes": bytes,
}  # fmt: skip
_CLASS_OF_FORM: dict[str, type] = {"tuple": tuple, "list": list, "dict": dict}
_UNITED = (type, types.UnionType)
# What other metaclasses make may say itself what is an instance of it.
_MODULES = ("builtins", "datetime", "decimal", "numbers", "collections.abc", "collections")


def is_instance(code: Code, given: tuple[Value, ...]) -> Value:
    """``isinstance(value, classes)``."""
    if len(given) != 2:
        raise NotCompiled("isinstance of this")
    asked = tuple(_classes([given[1]]))
    if json_values.is_part(given[0]):
        return json_values.is_of_types(code, code.term(given[0]), asked)
    return _of_classes(code, given[0], lambda own: issubclass(own, asked))


def type_of(code: Code, given: tuple[Value, ...]) -> Value:
    """``type(value)``."""
    if len(given) != 1:
        raise NotCompiled("type of so many arguments")
    return TypeOf(given[0])


def compared(code: Code, how: str, left: Value, right: Value) -> Value | None:
    """``type(value)`` compared with a class, or looked for among some; None of other values."""
    if not isinstance(left, TypeOf) and how not in ("in", "not in"):
        left, right = right, left
    if not isinstance(left, TypeOf):
        return None
    if how not in ("==", "!=", "is", "is not", "in", "not in"):
        raise NotCompiled(f"{how} of types")
    asked = tuple(_classes([right]))
    found = _is_one_of(code, left.of, asked)
    if how in ("==", "is", "in"):
        return found
    if isinstance(found, KnownValue):
        return KnownValue(not found.value)
    return code.set(BOOL, f"!{code.term(found).java}")


def _is_one_of(code: Code, value: Value, asked: Sequence[type]) -> Value:
    """Whether the type of a value is one of some."""
    if json_values.is_part(value):
        return json_values.is_of_types(code, code.term(value), asked, exact=True)
    return _of_classes(code, value, lambda own: any(own is each for each in asked))


def name_of(code: Code, of_type: TypeOf, name: str) -> Value:
    """``type(value).__name__`` or ``__qualname__``; the first also of an exception taken."""
    value = of_type.of
    if isinstance(value, KnownValue):
        return KnownValue(getattr(type(value.value), name))
    term = code.term(value)
    if term.kinds == EXCEPTION:
        if name != "__name__":
            raise NotCompiled(f"{name} of the type of an exception")
        names = ", ".join(map(quoted, exceptions.names()))
        known = code.constant("String[]", f"new String[] {{{names}}}")
        return code.set(STR, f"{term.java}.name({known})")
    if json_values.is_part(term):
        own: Sequence[type] = (str, int, float, bool, type(None), dict, list)
    elif term.kinds <= _CLASS_OF.keys():
        own = [_CLASS_OF[kind] for kind in sorted(term.kinds)]
    else:
        raise NotCompiled("the name of the type of what is no plain value")
    *others, last = own
    java = f'"{last.__name__}"'
    for each in others:
        found = code.term(_is_one_of(code, term, (each,)))
        java = f'{found.java} ? "{each.__name__}" : {java}'
    return code.set(STR, java)


def union(how: str, left: Value, right: Value) -> KnownValue | None:
    """``int | float``; None of other values."""
    known = [each.value for each in (left, right) if isinstance(each, KnownValue)]
    if how != "|" or len(known) != 2 or not isinstance(known[1], type):
        return None
    return KnownValue(known[0] | known[1]) if isinstance(known[0], _UNITED) else None


def _of_classes(code: Code, value: Value, is_one: Callable[[type], bool]) -> Value:
    """Whether the class of a value is one of some."""
    whole = changeable_records.described(code, value)
    own = None if whole is None else whole.of or _CLASS_OF_FORM.get(whole.form)
    if own is not None:
        return KnownValue(is_one(own))
    term = code.term(value)
    if not term.kinds <= _CLASS_OF.keys():
        raise NotCompiled("isinstance of what is of several types, or no plain value")
    accepted = frozenset(kind for kind in term.kinds if is_one(_CLASS_OF[kind]))
    if accepted in (term.kinds, frozenset()):
        return KnownValue(bool(accepted))
    if NONE in (accepted, term.kinds - accepted):
        return code.set(BOOL, f"{term.java} {'==' if accepted == NONE else '!='} null")
    if not term.kinds <= SCALARS:
        raise NotCompiled("isinstance of what is of several types")
    types = [_CLASS_OF[kind] for kind in sorted(accepted)]
    return json_values.is_of_types(code, term, types, exact=True)


def _classes(values: Iterable[Value]) -> Iterable[type]:
    for value in values:
        known: Any = value.value if isinstance(value, KnownValue) else None
        if isinstance(value, TypeOf) and isinstance(value.of, KnownValue):
            known = type(value.of.value)
        if isinstance(value, Parts) and not value.names:
            yield from _classes(value.parts)
        elif isinstance(known, (tuple, list, set, frozenset)):
            yield from _classes(map(KnownValue, known))
        elif isinstance(known, types.UnionType):
            yield from _classes(map(KnownValue, typing.get_args(known)))
        elif isinstance(known, type) and (known.__module__ in _MODULES or type(known) is type):
            yield known
        else:
            raise NotCompiled("isinstance of this type")
