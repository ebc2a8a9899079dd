"""Methods of ``str`` that no text is given yet: ``str.lower`` is a value like any function."""

from __future__ import annotations

import types

from notebook_udf.compile.java.writing.terms import BoundMethod, KnownValue, Value


def unbound(owner: Value, name: str) -> KnownValue | None:
    """``str.lower``; None if the owner is not ``str``, or has no such method."""
    if not isinstance(owner, KnownValue) or owner.value is not str:
        return None
    method = getattr(str, name, None)
    return KnownValue(method) if isinstance(method, types.MethodDescriptorType) else None


def as_called(function: Value) -> Value:
    """What is called: such a method by its name, any other function as it is."""
    known = function.value if isinstance(function, KnownValue) else None
    if isinstance(known, types.MethodDescriptorType) and known.__objclass__ is str:
        return BoundMethod(KnownValue(str), known.__name__)
    return function
