"""Tuples with names, and dataclasses that are no more than their fields, part by part."""

from __future__ import annotations

import dataclasses
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.terms import KnownValue, NotCompiled, Parts, Value

# What a dataclass that does something besides has of its own.
_BESIDES = ("__post_init__", "__new__", "__getattribute__", "__getattr__", "__setattr__")


def is_record(called: Any) -> bool:
    """Whether it is a class of values that are their named parts, and no more."""
    return isinstance(called, type) and (_is_named_tuple(called) or _is_plain(called))


def _is_named_tuple(called: type) -> bool:
    return called.__bases__ == (tuple,) and hasattr(called, "_fields")


def _is_plain(called: type) -> bool:
    """Whether a dataclass is made by what it is given, as dataclasses are by default."""
    if not dataclasses.is_dataclass(called) or called.__bases__ != (object,):
        return False
    own = vars(called)
    fields = dataclasses.fields(called)
    code = getattr(own.get("__init__"), "__code__", None)
    # What dataclass() writes has no file.
    named = tuple(each.name for each in fields)
    written = code is not None and code.co_filename == "<string>" and code.co_varnames[1:] == named
    plain = all(each.init and not each.kw_only for each in fields)
    # A field with a default is an attribute of the class as well, anything else takes its place.
    hidden = any(isinstance(own.get(name), property) for name in named)
    frozen = called.__dataclass_params__.frozen  # type: ignore[attr-defined]
    besides = [name for name in _BESIDES if name in own and not (frozen and name == "__setattr__")]
    return written and plain and not hidden and not besides


def made(called: type, given: tuple[Value, ...], names: tuple[str, ...]) -> Parts:
    """What the class makes of these arguments, the last of which have names."""
    if _is_named_tuple(called):
        fields: tuple[str, ...] = called._fields  # type: ignore[attr-defined]
        defaults: dict[str, Any] = called._field_defaults  # type: ignore[attr-defined]
    else:
        known = dataclasses.fields(called)
        fields = tuple(each.name for each in known)
        defaults = {e.name: e.default for e in known if e.default is not dataclasses.MISSING}
    found = taken(given, names, fields, fields)
    filled = {name: KnownValue(default) for name, default in defaults.items()}
    if found is None or not all(name in found or name in filled for name in fields):
        raise NotCompiled(f"a call of {called.__name__} that does not fit it")
    return Parts(tuple(found[name] if name in found else filled[name] for name in fields), fields)
