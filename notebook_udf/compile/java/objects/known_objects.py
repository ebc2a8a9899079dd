"""What stands in classes, modules and plain objects that a function knows."""

from __future__ import annotations

import sys
import types
from abc import ABCMeta
from typing import Any

from notebook_udf.compile.java.writing.terms import KnownValue, NotCompiled, Value

_ABSENT = object()


def is_object(value: Any) -> bool:
    """Whether it is a class or an object of the user's: what it says of its attributes is true."""
    own = value if isinstance(value, type) else type(value)
    is_theirs = own.__module__.partition(".")[0] in sys.stdlib_module_names
    if is_theirs or type(own) not in (type, ABCMeta):
        return False
    names = [name for each in own.__mro__[:-1] for name in vars(each)]
    plain = not {"__getattr__", "__getattribute__"} & set(names)
    return isinstance(value, type) or (plain and hasattr(value, "__dict__"))


def file_of(value: Any) -> str:
    """Where the class stands that a value is, or is of; "" if it has no file."""
    own = value if isinstance(value, type) else type(value)
    return getattr(sys.modules.get(own.__module__), "__file__", None) or ""


def attribute(owner: Any, name: str) -> Value | None:
    """A constant, or a function without an owner, that a class or an object has; None of methods.

    Raises
    ------
    NotCompiled
        If it has no such attribute, or one that is computed.
    """
    found = _found(owner, name)
    if found is _ABSENT:
        raise NotCompiled(f"{name}, which {getattr(owner, '__name__', type(owner).__name__)} lacks")
    if isinstance(found, staticmethod):
        return KnownValue(found.__func__)
    if isinstance(found, classmethod):
        return None
    if isinstance(found, types.FunctionType):
        return KnownValue(found) if isinstance(owner, type) or name in vars(owner) else None
    if hasattr(type(found), "__get__"):
        raise NotCompiled(f"{name}, which is computed")
    return KnownValue(found)


def method(owner: Any, name: str) -> tuple[types.FunctionType, Any] | None:
    """The function of a method, and its first argument: an object or a class; None of others."""
    own = owner if isinstance(owner, type) else type(owner)
    found = _found(own, name)
    if isinstance(found, classmethod):
        return (found.__func__, own) if isinstance(found.__func__, types.FunctionType) else None
    is_method = isinstance(found, types.FunctionType) and own is not owner
    return (found, owner) if is_method else None


def is_called(value: Any) -> bool:
    """Whether it is an object of the user's, no class, that has ``__call__``."""
    is_plain = not isinstance(value, type) and is_object(value)
    return is_plain and method(value, "__call__") is not None


def computed(owner: Any, name: str) -> types.FunctionType | None:
    """The function of a property of an object; None if it is none."""
    found = _found(type(owner), name)
    own = found.fget if type(found) is property else None
    return own if isinstance(own, types.FunctionType) else None


def _found(owner: Any, name: str) -> Any:
    own = vars(owner) if not isinstance(owner, type) else {}
    if name in own:
        return own[name]
    classes = owner.__mro__ if isinstance(owner, type) else type(owner).__mro__
    return next((vars(each)[name] for each in classes if name in vars(each)), _ABSENT)


def module(name: str) -> types.ModuleType:
    """A module that a function imports: one that has been imported here already.

    Raises
    ------
    NotCompiled
        If it has not: what it does as it is imported is done in a worker.
    """
    found = sys.modules.get(name)
    if found is None:
        raise NotCompiled(f"import {name}, which nothing has imported before")
    return found
