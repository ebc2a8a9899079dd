"""Tuples with names, and dataclasses that are no more than their fields, part by part."""

from __future__ import annotations

import dataclasses
import datetime as dt
import dis
import inspect
import types
from abc import ABCMeta
from collections import namedtuple
from dataclasses import replace
from functools import lru_cache
from keyword import iskeyword
from typing import Any, NamedTuple

from pyspark.sql import Row as SparkRow

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    UNSET,
    Form,
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Unset,
    Value,
)
from notebook_udf.functions.row import Row

_ROWS: tuple[Any, ...] = (Row, SparkRow)
# What a dataclass that does something besides has of its own.
_BESIDES = ("__post_init__", "__new__", "__getattribute__", "__getattr__", "__setattr__")


# By the operator, what methods are called that do it: in place with an i before.
OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "**": "pow",
    "&": "and", "|": "or", "^": "xor", "<<": "lshift", ">>": "rshift", "@": "matmul",
}  # fmt: skip


class _Sample(NamedTuple):
    part: int


# What NamedTuples have of their own, by either way of making them or made anew of a pickle, or may
# have.
_OF_NAMED_TUPLES = {
    *("__str__", "__dict__", "__weakref__"),
    *vars(_Sample),
    *vars(namedtuple("_Sample", "part")),
    *(f"__{name}__" for name in OPERATORS.values()),
}

# What a class has whose objects do something when an attribute is set or asked for.
_ATTRIBUTES = (
    *("__getattribute__", "__getattr__", "__setattr__", "__delattr__", "__iter__", "__getitem__"),
    *("__setitem__", "__len__", "__bool__", "__call__"),
)


def is_record(called: Any) -> bool:
    """Whether it is a class of values that are their named parts, and no more."""
    return called in _ROWS or (
        isinstance(called, type) and (is_named_tuple(called) or _is_plain(called))
    )


def positions(called: Any) -> int | None:
    """How many arguments a function or a class takes by their places, if it takes no others and
    always as many."""
    if called is dt.date:
        return 3
    if not (isinstance(called, types.FunctionType) or is_record(called)):
        return None
    parameters = inspect.signature(called, follow_wrapped=False).parameters.values()
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    fixed = all(each.kind in places and each.default is each.empty for each in parameters)
    return len(parameters) if fixed else None


def is_named_tuple(called: type) -> bool:
    """Whether it is a NamedTuple itself, whose fields are no more than its parts, and which says
    for itself how it is written and what operators on its left give, at most: all else is done as
    of tuples."""
    if called.__bases__ != (tuple,) or not hasattr(called, "_fields"):
        return False
    own = {name for name in vars(called) if name.startswith("__") and name.endswith("__")}
    return own <= _OF_NAMED_TUPLES


def post_init(called: Any) -> types.FunctionType | None:
    """What a dataclass does once it is made as dataclasses are by default; None of others."""
    found = vars(called).get("__post_init__") if isinstance(called, type) else None
    known = isinstance(found, types.FunctionType) and _is_plain(called, but="__post_init__")
    return found if known else None


def _is_plain(called: type, but: str = "") -> bool:
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
    allowed = (but, "__setattr__") if frozen else (but,)
    besides = [name for name in _BESIDES if name in own and name not in allowed]
    return written and plain and not hidden and not besides


def plain_attributes(value: Any) -> dict[str, Any] | None:
    """The attributes of an object of a user's class, if it is no more than these: setting one, and
    asking for it, does nothing besides. None of any other object, and of one without."""
    own: Any = type(value)
    if type(own) not in (type, ABCMeta) or own.__module__ == "builtins":
        return None
    classes = reversed(own.__mro__[:-1])
    known = {name: found for each in classes for name, found in vars(each).items()}
    slots = [name for name, found in known.items() if isinstance(found, types.MemberDescriptorType)]
    try:
        attributes = {name: getattr(value, name) for name in slots} | getattr(value, "__dict__", {})
    except AttributeError:
        # A slot without a value.
        return None
    computed = any(
        hasattr(type(known.get(name)), "__set__") for name in attributes if name not in slots
    )
    plain = not computed and not known.keys() & set(_ATTRIBUTES)
    return attributes if attributes and plain else None


def made(
    called: type, given: tuple[Value, ...], names: tuple[str, ...], code: Code | None = None
) -> Parts:
    """What the class makes of these arguments, the last of which have names.

    Without ``code`` no argument is left to a factory.
    """
    if called in _ROWS:
        if names and len(names) != len(given):
            raise NotCompiled("a Row of values with and without names")
        return Parts(given, names, "row")
    form: Form = "tuple" if is_named_tuple(called) else "object"
    if form == "tuple":
        fields: tuple[str, ...] = called._fields  # type: ignore[attr-defined]
        defaults: dict[str, Any] = called._field_defaults  # type: ignore[attr-defined]
    else:
        known = dataclasses.fields(called)
        fields = tuple(each.name for each in known)
        defaults = {e.name: e.default for e in known if e.default is not dataclasses.MISSING}
    found = taken(given, names, fields, fields)
    filled: dict[str, Value] = {name: KnownValue(value) for name, value in defaults.items()}
    if form == "object" and code is not None and found is not None:
        left = [each for each in known if each.name not in found]
        filled |= {each.name: code.new_list() for each in left if each.default_factory is list}
        filled |= {each.name: code.new_dict() for each in left if each.default_factory is dict}
    if found is None or not all(name in found or name in filled for name in fields):
        raise NotCompiled(f"a call of {called.__name__} that does not fit it")
    parts = (found[name] if name in found else filled[name] for name in fields)
    return Parts(tuple(parts), fields, form, called)


def function_of(owner: Value, name: str) -> tuple[types.FunctionType, bool] | None:
    """The function that a class of the user's has for its objects under a name, and whether it is
    called as that is read; None if there is none."""
    if not isinstance(owner, Parts) or owner.of is None or name in owner.names:
        return None
    classes = owner.of.__mro__[:-1]
    found = next((vars(each)[name] for each in classes if name in vars(each)), None)
    if isinstance(found, property) and isinstance(found.fget, types.FunctionType):
        return found.fget, True
    return (found, False) if isinstance(found, types.FunctionType) else None


@lru_cache(maxsize=256)
def sets_attributes(code: types.CodeType) -> bool:
    """Whether code sets an attribute of an object, or code of a function that it makes does."""
    own = any(each.opname == "STORE_ATTR" for each in dis.get_instructions(code))
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return own or any(map(sets_attributes, inner))


@lru_cache(maxsize=256)
def changes_itself(called: type) -> bool:
    """Whether a method of a class, other than the one that makes its objects, sets an attribute."""
    own = (each for parent in called.__mro__[:-1] for each in vars(parent).items())
    return any(
        sets_attributes(method.__code__)
        for name, method in own
        if name != "__init__" and isinstance(method, types.FunctionType)
    )


def replaced(
    owner: Value, name: str, given: tuple[Value, ...], names: tuple[str, ...]
) -> Parts | None:
    """``owner._replace(x=1)`` of a NamedTuple; None if it is no such call."""
    own = owner.of if isinstance(owner, Parts) else None
    if own is None or name != "_replace" or not is_named_tuple(own):
        return None
    assert isinstance(owner, Parts)
    if len(given) != len(names) or not set(names) <= set(owner.names):
        raise NotCompiled("a call of _replace that does not fit it")
    changed = dict(zip(names, given, strict=True))
    parts = zip(owner.names, owner.parts, strict=True)
    return replace(owner, parts=tuple(changed.get(name, part) for name, part in parts))


def copied(code: Code, given: tuple[Value, ...], names: tuple[str, ...]) -> Parts:
    """``dataclasses.replace(owner, x=1)`` of a dataclass that is no more than its fields."""
    owner = code.opened(given[0]) if len(given) == len(names) + 1 else None
    own = owner.of if isinstance(owner, Parts) and owner.form == "object" else None
    if own is None or not _is_plain(own):
        raise NotCompiled("replace of what is no dataclass, or is more than its fields")
    assert isinstance(owner, Parts)
    parts = dict(zip(owner.names, owner.parts, strict=True))
    parts |= dict(zip(names, given[1:], strict=True))
    return made(own, tuple(parts.values()), tuple(parts))


def may_lack(value: Value) -> bool:
    """Whether an attribute may not have been set yet."""
    return isinstance(value, Unset) or (isinstance(value, Term) and bool(value.kinds & UNSET))


def of_class(owner: type | None, name: str) -> KnownValue | None:
    """A constant of an object's class; None if it has none of this name."""
    classes = owner.__mro__[:-1] if owner is not None else ()
    found = next((vars(each)[name] for each in classes if name in vars(each)), None)
    return None if found is None or hasattr(type(found), "__get__") else KnownValue(found)


def part(owner: Parts, name: str) -> Value:
    """The attribute of a tuple or an object that is its part of this name."""
    if owner.form == "row" and (name.startswith("_") or hasattr(Row, name) or iskeyword(name)):
        raise NotCompiled(f"the attribute {name} of a row")
    found = owner.parts[owner.names.index(name)]
    if may_lack(found):
        raise NotCompiled(f"{name}, which may not have been set yet")
    return found


def item(owner: Parts, key: Any) -> Value:
    """``owner[key]``, by a name or a place that is known.

    Raises
    ------
    NotCompiled
        If there is none in any row.
    """
    if owner.form in ("row", "dict") and isinstance(key, str) and key in owner.names:
        return owner.parts[owner.names.index(key)]
    check_places(owner)
    if not isinstance(key, int) or not -len(owner.parts) <= key < len(owner.parts):
        raise NotCompiled("a part that is not known beforehand")
    return owner.parts[key]


def of_places(code: Code, owner: Value, index: Value) -> Value:
    """What ``owner[index]`` is taken of: a tuple as a list, for a place that varies."""
    if not isinstance(owner, Parts) or owner.names or not isinstance(index, Term):
        return owner
    return code.whole(replace(owner, form="list"), "")


def check_row(owner: type | None) -> None:
    """Raises a ``NotCompiled`` for objects that no column of rows takes."""
    if owner is not None and not is_record(owner):
        raise NotCompiled(f"an object of {owner.__name__} as a row")


def gone_through(owner: Parts) -> tuple[Value, ...]:
    """What is gone through in place of it, one by one: of a dict its keys.

    Raises
    ------
    NotCompiled
        For an object, for which Python raises.
    """
    if owner.form == "dict":
        return tuple(map(KnownValue, owner.names))
    check_places(owner)
    return owner.parts


def check_places(owner: Parts) -> None:
    """Raises a ``NotCompiled`` for what has no places: Python raises for its items."""
    if owner.form in ("object", "dict"):
        raise NotCompiled(f"the places of {'a dict' if owner.form == 'dict' else 'a dataclass'}")
