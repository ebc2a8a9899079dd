"""Which kind of function a class is: by its base class, or by its methods.

A class with the methods of a kind and without its base class is derived from it here, so that all
other code has to do with derived classes only. ``declare`` declares them.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Collection, Iterable
from typing import Any

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.base import (
    AggregateFunction,
    AsyncScalarFunction,
    ScalarFunction,
    TableAggregateFunction,
    TableFunction,
    UserDefinedFunction,
    WithGracefulShutdown,
)
from notebook_udf.functions.hints import yields
from notebook_udf.functions.kind_traits import KindTraits
from notebook_udf.functions.process import OneInputStreamProcessFunction, keep_attributes

_ACCUMULATING = ("create_accumulator", "accumulate")
_RESULTS = ("get_value", "emit_value")
_METHODS = (*_ACCUMULATING, *_RESULTS, "eval", "process_record")
_GRACEFUL = ("prepare_to_shutdown", "shutdown")
# Spark's own table functions have these beside ``eval``.
_OF_SPARKS = ("analyze", "cleanup", "terminate")


def has_methods_of_a_kind(names: Collection[str]) -> bool:
    """Whether a class with methods of these names is a function, whatever it derives from.

    A callable's ``eval`` does not count, because models have an ``eval`` of their own.
    """
    return (
        "process_record" in names
        or ("eval" in names and "__call__" not in names)
        or (set(_ACCUMULATING) <= set(names) and any(each in names for each in _RESULTS))
    )


def is_function_class(cls: type) -> bool:
    """Whether a class is a function: it derives from a base class, or has the methods of one."""
    return issubclass(cls, UserDefinedFunction) or has_methods_of_a_kind(_methods(cls))


def kind_of_class(f: Any) -> KindTraits | None:
    """The kind of a class or instance; None if it is not that of a function.

    Raises
    ------
    DeclarationError
        If its methods are those of two kinds.
    """
    cls = f if isinstance(f, type) else type(f)
    declared = _declared_kind(cls)
    if declared is not None:
        return declared
    names = _methods(cls)
    if not has_methods_of_a_kind(names):
        return None
    return _base(cls, names, ScalarFunction).function_kind


def derived(f: Any, plain: type[UserDefinedFunction] = ScalarFunction) -> Any:
    """A class or instance, derived from the base class whose methods it has if it is not.

    Anything else is returned as it is; of an instance a copy is made. ``plain`` is the base of a
    class whose ``eval`` is a plain def, which may return a value or a list of rows.

    Raises
    ------
    DeclarationError
        If its methods are those of two kinds, or it has others that only Spark would call.
    """
    cls = f if isinstance(f, type) else type(f)
    if _declared_kind(cls) is not None:
        return f
    names = _methods(cls)
    if not has_methods_of_a_kind(names):
        return f
    base = _base(cls, names, plain)
    if base is TableFunction:
        _refuse_foreign(cls)
    made = _derived(cls, base)
    return made if isinstance(f, type) else _copied(f, made)


def lacks(cls: type) -> str:
    """What a class lacks to be an aggregate function, in words; "" if it does not look like one."""
    names = _methods(cls)
    if not any(each in names for each in (*_ACCUMULATING, *_RESULTS)):
        return ""
    missing = [each for each in _ACCUMULATING if each not in names]
    if not any(each in names for each in _RESULTS):
        missing.append("get_value")
    return f"{cls.__name__} has no {' and no '.join(missing)}" if missing else ""


def _declared_kind(cls: type) -> KindTraits | None:
    return cls.function_kind if issubclass(cls, UserDefinedFunction) else None


def _methods(cls: type) -> set[str]:
    names = {name for name in _METHODS if callable(getattr(cls, name, None))}
    # Every class can be called; only a method makes its instances callable.
    return names | {"__call__" for each in cls.__mro__ if "__call__" in vars(each)}


def _base(
    cls: type, names: set[str], plain: type[UserDefinedFunction]
) -> type[UserDefinedFunction]:
    if "process_record" in names:
        return OneInputStreamProcessFunction
    if "accumulate" in names:
        if names.issuperset(_RESULTS):
            raise DeclarationError(
                f"{cls.__name__} has get_value and emit_value: derive it from AggregateFunction, "
                f"which gives one value per group, or from TableAggregateFunction"
            )
        return AggregateFunction if "get_value" in names else TableAggregateFunction
    method: Any = cls.eval  # type: ignore[attr-defined]
    if inspect.iscoroutinefunction(inspect.unwrap(method)):
        return AsyncScalarFunction
    if inspect.isasyncgenfunction(method) or yields(method):
        return TableFunction
    return plain


def _refuse_foreign(cls: type) -> None:
    foreign = next((name for name in _OF_SPARKS if callable(getattr(cls, name, None))), None)
    if foreign is not None:
        raise DeclarationError(
            f"{cls.__name__}.{foreign} is called for table functions of Spark's own only: "
            f"register the class with spark.udtf.register, or write it without {foreign}"
        )


def _derived(cls: type, base: type[UserDefinedFunction]) -> type:
    bases: list[type] = [cls, base]
    if all(callable(getattr(cls, name, None)) for name in _GRACEFUL):
        bases.insert(1, WithGracefulShutdown)
    names = {"__module__": cls.__module__, "__qualname__": cls.__qualname__, "__doc__": cls.__doc__}
    bases = _without_repeats(bases)
    try:
        made = types.new_class(cls.__name__, tuple(bases), {}, lambda space: space.update(names))
    except TypeError as error:
        raise DeclarationError(
            f"{cls.__name__} has the methods of {base.__name__} and cannot be derived from it "
            f"({error}): derive the class from it"
        ) from error
    keep_attributes(cls, made)
    return made


def _without_repeats(bases: Iterable[type]) -> list[type]:
    """The bases, except those that the first derives from already."""
    first, *others = bases
    return [first, *(each for each in others if not issubclass(first, each))]


def _copied(instance: Any, cls: type) -> Any:
    """An instance of another class with the attributes of an instance."""
    made: Any
    try:
        made = object.__new__(cls)
    except TypeError as error:
        raise DeclarationError(
            f"{cls.__name__} has the methods of a function, and an instance of it cannot be "
            f"copied ({error}): derive the class from its base class"
        ) from error
    for each in type(instance).__mro__:
        for name, slot in vars(each).items():
            if inspect.ismemberdescriptor(slot) and hasattr(instance, name):
                slot.__set__(made, slot.__get__(instance))
    made.__dict__.update(getattr(instance, "__dict__", {}))
    return made
