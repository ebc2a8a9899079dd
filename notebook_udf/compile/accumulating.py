"""What is known of an accumulator, and of a method that changes it, before its code is read."""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from types import CodeType, FunctionType
from typing import Any

from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import Key, Slot

_UNUSUAL = (
    inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


def plain_code(method: Any) -> CodeType | None:
    """The code of a method, if it is one of Python's and takes plain arguments."""
    function = getattr(method, "__func__", None)
    if not isinstance(function, FunctionType):
        return None
    code = function.__code__
    if code.co_kwonlyargcount or code.co_flags & _UNUSUAL or code.co_argcount < 2:
        return None
    return None if function.__closure__ or function.__defaults__ else code


def takes(method: Any) -> tuple[int, bool]:
    """How many arguments a method names beside the accumulator, and whether more may follow."""
    code = method.__func__.__code__
    return code.co_argcount - 2, bool(code.co_flags & inspect.CO_VARARGS)


def slots_of(fresh: Any) -> dict[Slot, Any]:
    """The slots of a fresh accumulator; none if changing it could do more than it seems."""
    if type(fresh) in (int, float):
        return {None: fresh}
    if type(fresh) is list or type(fresh) is Row:
        found: dict[Slot, Any] = dict(enumerate(fresh))
        if type(fresh) is Row and fresh.names:
            found.update(zip(fresh.names, fresh, strict=True))
        return found
    if type(fresh) is dict:
        return {
            Key(name): value
            for name, value in fresh.items()
            if type(name) is str and name.isidentifier()
        }
    if is_dataclass(fresh) and type(fresh).__setattr__ is object.__setattr__:
        names = [each.name for each in fields(fresh)]
        return {name: getattr(fresh, name) for name in names if not _computed(type(fresh), name)}
    return {}


def _computed(cls: type, name: str) -> bool:
    return isinstance(inspect.getattr_static(cls, name, None), property)
