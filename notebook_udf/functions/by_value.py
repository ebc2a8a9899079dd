"""Pickles by value what cloudpickle alone cannot: functions wrapped by ``functools``.

A cache, a dispatch table and a cached property belong to their process. The function below them
and their parameters are pickled; the worker makes its own. Of what can be imported from a module
only the name is pickled, as of any function.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import io
import pickle
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

from pyspark import cloudpickle

# What makes a class that is pickled by value.
_MAKERS = (
    cloudpickle.cloudpickle._make_skeleton_class,
    cloudpickle.cloudpickle._make_skeleton_enum,
)
_CACHED = type(functools.lru_cache(len))
_DISPATCHER = functools.singledispatch(len)
# Every function of singledispatch's runs this code, and has these attributes for its table.
_DISPATCHING = _DISPATCHER.__code__  # type: ignore[attr-defined]
_OF_ITS_TABLE = vars(_DISPATCHER).keys() - vars(functools.lru_cache(len)).keys()


def dumps(value: Any) -> bytes:
    """A value pickled with the code of what cannot be imported.

    Raises
    ------
    Exception
        As ``cloudpickle.dumps``, whatever a part of it raises.
    """
    with io.BytesIO() as file:
        _Pickler(file).dump(value)
        return file.getvalue()


def loads(payload: bytes) -> Any:
    """A value as it was when it was pickled, beside the one that it was pickled of.

    ``pickle.loads`` finds the classes again that this process has pickled by value, and sets all
    their attributes to copies: what a notebook has defined would no longer be what it has defined.
    """
    return _Unpickler(io.BytesIO(payload)).load()


def inside(value: Any) -> tuple[Any, ...]:
    """The functions in a wrapper of Python's own; none of any other object."""
    if isinstance(value, (functools.partial, functools.partialmethod, functools.cached_property)):
        return (value.func,)
    if isinstance(value, property):
        return tuple(f for f in (value.fget, value.fset, value.fdel) if f is not None)
    if isinstance(value, (classmethod, staticmethod, _CACHED)):
        return (value.__wrapped__,)
    if isinstance(value, functools.singledispatchmethod):
        return (value.dispatcher,)
    if is_dispatching(value):
        return tuple(value.registry.values())
    return ()


def is_cached(function: Any) -> bool:
    """Whether it is a function under ``functools.lru_cache`` or ``cache``."""
    return isinstance(function, _CACHED)


def is_dispatching(function: Any) -> bool:
    """Whether it is a function under ``functools.singledispatch``."""
    return isinstance(function, FunctionType) and function.__code__ is _DISPATCHING


def has_a_name(obj: Any) -> bool:
    """Whether a worker finds this very object by its module's name and its own; else it is pickled
    by value."""
    name = str(getattr(obj, "__module__", None))
    shipped = cloudpickle.list_registry_pickle_by_value()
    if name == "__main__" or any(f"{name}.".startswith(f"{module}.") for module in shipped):
        return False
    found: Any = sys.modules.get(name)
    for part in str(getattr(obj, "__qualname__", "")).split("."):
        found = getattr(found, part, None)
    return found is obj


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        found = super().find_class(module, name)
        return functools.partial(_made_anew, found) if found in _MAKERS else found


def _made_anew(make: Callable[..., Any], *given: Any) -> Any:
    """A class without the number by which it is found again."""
    *described, _, extra = given
    return make(*described, None, extra)


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    def reducer_override(self, obj: Any) -> Any:
        if obj is dataclasses.MISSING:
            # Whether a field has a default is told by its identity.
            return "MISSING"
        if type(obj) is functools.cached_property:
            # Until Python 3.12 it holds a lock.
            return functools.cached_property, (obj.func,), {"attrname": obj.attrname}
        if is_cached(obj) and not has_a_name(obj):
            given = obj.cache_parameters()
            return _cached, (obj.__wrapped__, given["maxsize"], given["typed"]), vars(obj)
        if is_dispatching(obj) and not has_a_name(obj):
            own = {k: v for k, v in vars(obj).items() if k not in _OF_ITS_TABLE}
            # Its implementations may call it: they are filled in when it is there.
            state = dict(obj.registry), own
            return functools.singledispatch, (obj.__wrapped__,), state, None, None, _fill_in
        reduced = super().reducer_override(obj)
        if isinstance(obj, type) and isinstance(reduced, tuple) and len(reduced) > 2:
            # A class in no module: the first part of its state are its names.
            _leave_slots_out(reduced[2][0])
            slots = vars(obj).get("__slots__")
            if slots and isinstance(reduced[1][3], dict):
                # Else its instances would have a ``__dict__`` there, which no copy of them here
                # could take.
                reduced[1][3]["__slots__"] = slots
        return reduced


def _cached(function: Callable[..., Any], maxsize: int | None, typed: bool) -> Any:
    return functools.lru_cache(maxsize, typed)(function)


def _leave_slots_out(names: dict[str, Any]) -> None:
    """Removes the slots from a class's names: they are made from ``__slots__``. Private ones, whose
    names differ there, would be looked up in a class that does not have them yet."""
    for name in [name for name, value in names.items() if inspect.ismemberdescriptor(value)]:
        del names[name]


def _fill_in(function: Any, state: tuple[dict[type, Any], dict[str, Any]]) -> None:
    implementations, own = state
    for kind, implementation in implementations.items():
        function.register(kind, implementation)
    vars(function).update(own)
