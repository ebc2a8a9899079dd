"""Attributes of values, of classes and of modules, as Java."""

from __future__ import annotations

import datetime as dt
import types
from collections.abc import Sequence
from typing import Any, TypeGuard

from notebook_udf.compile.java.bodies import function_calls
from notebook_udf.compile.java.calls import type_tests
from notebook_udf.compile.java.collections import (
    changeable_records,
    constant_choices,
    containers,
)
from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.iterating.generated_values import FunctionCalls
from notebook_udf.compile.java.objects import known_objects, named_parts
from notebook_udf.compile.java.standard_library import posix_paths, url_parts, uuids
from notebook_udf.compile.java.texts.unbound_methods import unbound
from notebook_udf.compile.java.times import date_values
from notebook_udf.compile.java.times.date_values import is_temporal
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code, RecordKinds
from notebook_udf.compile.java.writing.terms import (
    EXCEPTION,
    BoundMethod,
    KnownValue,
    NotCompiled,
    OneOf,
    Parts,
    Term,
    TypeOf,
    Value,
)

# Classes that have constants of their own, and which.
_TIMES: tuple[Any, ...] = (dt.date, dt.datetime, dt.time, dt.timezone)
_OF_TIMES = ("min", "max", "utc")


def attribute(run: FunctionCalls, code: Code, given: Sequence[Value], name: str) -> Value:
    """``owner.name``: a value, or a method until it is called."""
    (owner,) = given
    if isinstance(owner, KnownValue) and isinstance(owner.value, types.ModuleType):
        if not hasattr(owner.value, name):
            raise NotCompiled(f"{name}, which {owner.value.__name__} has not")
        code.constants.files.add(getattr(owner.value, "__file__", None) or "")
        return KnownValue(getattr(owner.value, name))
    of_enum = function_calls.of_enum(run, code, owner, name)
    if of_enum is not None:
        return of_enum
    if (method_of_texts := unbound(owner, name)) is not None:
        return method_of_texts
    if isinstance(owner, TypeOf) and name in ("__name__", "__qualname__"):
        return type_tests.name_of(code, owner, name)
    if name == "__class__" and isinstance(owner, Term) and owner.kinds == EXCEPTION:
        return TypeOf(owner)
    if name in _OF_TIMES and _is_time(owner) and hasattr(owner.value, name):
        return KnownValue(getattr(owner.value, name))
    if isinstance(owner, OneOf):
        return _of_objects(run, code, owner, name)
    if _is_field(owner, name):
        return KnownValue(getattr(owner.value, name))
    if isinstance(owner, KnownValue) and known_objects.is_object(owner.value):
        code.constants.files.add(known_objects.file_of(owner.value))
        known = known_objects.attribute(owner.value, name)
        return BoundMethod(owner, name) if known is None else known
    if isinstance(owner, KnownValue) and isinstance(owner.value, (dt.date, dt.timedelta)):
        if name == "time":
            return BoundMethod(owner, name)
        owner = code.term(owner)
    if isinstance(owner, Term):
        # Python asks for a method before it evaluates what the method is called with.
        owner = code.present(owner, AttributeError)
    if isinstance(owner, Term) and is_temporal(owner):
        found = date_values.attribute(code, owner, name)
        if found is not None:
            return found
    changeable = changeable_records.known(code, owner)
    if changeable is not None and isinstance(owner, Term):
        return _of_changeable(run, code, owner, changeable, name)
    owner = code.opened(owner, AttributeError)
    method = named_parts.function_of(owner, name)
    if method is not None and method[1]:
        return run.function(method[0], (owner,), ())
    if isinstance(owner, Parts) and owner.form == "dict":
        owner = containers.of_parts(code, owner)
    if isinstance(owner, Parts) and name in owner.names:
        return named_parts.part(owner, name)
    if isinstance(owner, Parts) and (own := named_parts.of_class(owner.of, name)) is not None:
        return own
    found = url_parts.attribute(code, owner, name) or posix_paths.attribute(code, owner, name)
    found = found or uuids.attribute(code, owner, name)
    if found is not None:
        return found
    if isinstance(owner, Term) and json_values.is_part(owner):
        owner = json_values.with_attribute(code, owner, name)
    return BoundMethod(owner, name)


def _of_changeable(
    run: FunctionCalls, code: Code, owner: Term, found: RecordKinds, name: str
) -> Value:
    """An attribute of an object whose parts may be set, or a method of it."""
    method = changeable_records.function_of(code, owner, name)
    if method is not None and method[1]:
        return run.function(method[0], (owner,), ())
    made = changeable_records.part(code, owner, name) or named_parts.of_class(found.of, name)
    return BoundMethod(owner, name) if made is None else made


def _of_objects(run: FunctionCalls, code: Code, owner: OneOf, name: str) -> Value:
    """An attribute of the constant object that a row has, or a method of it."""
    owner = choices.present(code, owner, AttributeError)
    # Only looked at: what it takes is written where it is asked for.
    _, found = code.captured(
        lambda: [attribute(run, code, (KnownValue(each),), name) for each in owner.of]
    )
    if any(isinstance(each, BoundMethod) for each in found):
        return BoundMethod(owner, name)
    return constant_choices.of_each(code, owner, lambda each: attribute(run, code, (each,), name))


def _is_time(value: Value) -> TypeGuard[KnownValue]:
    # By identity: what an array is equal to is no yes and no no.
    return isinstance(value, KnownValue) and any(value.value is each for each in _TIMES)


def _is_field(owner: Value, name: str) -> TypeGuard[KnownValue]:
    """Whether it is a field of a constant NamedTuple."""
    known = owner.value if isinstance(owner, KnownValue) else None
    return named_parts.is_named_tuple(type(known)) and name in getattr(known, "_fields", ())
