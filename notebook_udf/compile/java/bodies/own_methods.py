"""What operators, built-in functions and texts ask of an object of a user's class, as Java.

They are calls of its methods. A NamedTuple or a dataclass that says nothing of how it is written
is written as Python does.
"""

from __future__ import annotations

import dataclasses
import types
from collections import namedtuple
from functools import partial, reduce
from typing import Any

from notebook_udf.compile.java.collections import changeable_records
from notebook_udf.compile.java.iterating.generated_values import FunctionCalls
from notebook_udf.compile.java.numbers.arithmetic import arithmetic, comparison, condition
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.texts import text_methods
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    INT,
    STR,
    KnownValue,
    NotCompiled,
    Parts,
    Value,
)

_COMPARED = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
# Built-in functions, by the method that each calls.
_CALLED: dict[Any, str] = {len: "__len__", abs: "__abs__"}
# What all NamedTuples have.
_REPR_OF_TUPLES = namedtuple("_REPR_OF_TUPLES", "part").__repr__.__code__


def by_operator(
    run: FunctionCalls, code: Code, how: str, left: Value, right: Value
) -> Value | None:
    """``left how right`` by a method of the left one's class; None if it has none for that."""
    name = named_parts.OPERATORS.get(how.removesuffix("="))
    if name is None:
        return None
    for each in (f"i{name}", name) if how.endswith("=") else (name,):
        found = _asked(run, code, f"__{each}__", left, right)
        if found is not None:
            return found
    return None


def compared(run: FunctionCalls, code: Code, how: str, left: Value, right: Value) -> Value | None:
    """``left how right`` by a method that the left one's class has for it; None if it has none.

    As Python does it where both are of one class, or the right one is of none of the user's.
    """
    name = _COMPARED.get(how)
    left, right = changeable_records.opened(code, left), changeable_records.opened(code, right)
    own, other = (_class_of(code, each) for each in (left, right))
    if name is None or own is None:
        return None
    given = f"__{name}__"
    if how == "!=" and _function(code, left, given) is None:
        found = compared(run, code, "==", left, right)
        return None if found is None else code.set(BOOL, f"!({condition(code, found)})")
    if _function(code, left, given) is None:
        return None
    if other not in (None, own):
        raise NotCompiled(f"{how} of two classes")
    return _asked(run, code, given, left, right)


def fields_of(code: Code, how: str, one: Value, other: Value) -> tuple[Value, Value] | None:
    """The tuples that two objects of a dataclass are compared by.

    None of any others, and where the class compares in a way of its own.
    """
    own = _class_of(code, one)
    if own is None or how not in _COMPARED or own is not _class_of(code, other):
        return None
    # Which class makes the answer to != of that to ==.
    name = "eq" if how in ("==", "!=") else _COMPARED[how]
    if not _is_generated(getattr(own, f"__{name}__")) or (how == "!=" and "__ne__" in vars(own)):
        return None
    names = [each.name for each in dataclasses.fields(own) if each.compare]
    wholes = [code.opened(each) for each in (one, other)]
    found = [
        Parts(tuple(each.parts[each.names.index(name)] for name in names))
        for each in wholes
        if isinstance(each, Parts) and set(names) <= set(each.names)
    ]
    return (found[0], found[1]) if len(found) == len(wholes) else None


def called(run: FunctionCalls, code: Code, function: Any, given: tuple[Value, ...]) -> Value | None:
    """What a built-in function gives of such an object; None of any other value."""
    if function is format and len(given) in (1, 2):
        return formatted(run, code, *(*given, KnownValue(""))[:2])
    if len(given) != 1:
        return None
    if function is str or function is repr:
        return text(run, code, given[0], "repr" if function is repr else "str")
    name = _CALLED.get(function) if isinstance(function, types.BuiltinFunctionType) else None
    found = None if name is None else _asked(run, code, name, given[0])
    if found is None or function is not len:
        return found
    size = code.present(found)
    if size.kinds != INT:
        raise NotCompiled("a __len__ that gives no whole number")
    is_negative = condition(code, comparison(code, "<", size, KnownValue(0)))
    code.say(f"if ({is_negative}) {raising(ValueError)}")
    return size


def item(run: FunctionCalls, code: Code, owner: Value, key: Value) -> Value | None:
    """``owner[key]`` by its class; None of any other value."""
    return _asked(run, code, "__getitem__", owner, key)


def text(run: FunctionCalls, code: Code, value: Value, how: str) -> Value | None:
    """``str(value)`` or ``repr(value)``; None of what is no such object."""
    if _class_of(code, value) is None:
        return None
    for name in ("__repr__",) if how == "repr" else ("__str__", "__repr__"):
        by_default = _by_default(code, value) if name == "__repr__" else None
        if by_default is not None:
            return _written(run, code, value, by_default)
        found = _asked(run, code, name, value)
        if found is None:
            continue
        if code.term(found).kinds != STR:
            raise NotCompiled(f"a {name} that gives no text")
        return found
    return None


def formatted(run: FunctionCalls, code: Code, value: Value, how: Value) -> Value | None:
    """``format(value, how)``; None of what is no such object."""
    if _class_of(code, value) is None:
        return None
    found = _asked(run, code, "__format__", value, how)
    if found is not None:
        if code.term(found).kinds != STR:
            raise NotCompiled("a __format__ that gives no text")
        return found
    is_plain = isinstance(how, KnownValue) and how.value == ""
    return text(run, code, value, "str") if is_plain else None


def _class_of(code: Code, value: Value) -> type | None:
    whole = changeable_records.described(code, value)
    return None if whole is None else whole.of


def _function(code: Code, owner: Value, name: str) -> types.FunctionType | None:
    found = changeable_records.function_of(code, changeable_records.opened(code, owner), name)
    return None if found is None else found[0]


def _asked(run: FunctionCalls, code: Code, name: str, owner: Value, *given: Value) -> Value | None:
    """The call of a method of its class; None if it has none, or is of no class of the user's."""
    function = _function(code, owner, name)
    return (
        None
        if function is None
        else run.function(function, (changeable_records.opened(code, owner), *given), ())
    )


def _by_default(code: Code, value: Value) -> tuple[str, tuple[str, ...]] | None:
    """How Python writes an object whose class says nothing of it: its name, and those of the parts.

    None if the class does say it.
    """
    own = _class_of(code, value)
    assert own is not None
    function = own.__repr__
    if getattr(function, "__code__", None) is _REPR_OF_TUPLES:
        return own.__name__, own._fields  # type: ignore[attr-defined]
    if not dataclasses.is_dataclass(own) or not _is_generated(
        getattr(function, "__wrapped__", None)
    ):
        return None
    return own.__qualname__, tuple(each.name for each in dataclasses.fields(own) if each.repr)


def _is_generated(function: Any) -> bool:
    """Whether ``dataclass()`` has written it."""
    inner = getattr(function, "__code__", None)
    return isinstance(inner, types.CodeType) and inner.co_qualname.startswith("__create_fn__")


def _written(
    run: FunctionCalls, code: Code, value: Value, by_default: tuple[str, tuple[str, ...]]
) -> Value:
    """``Name(first=1, second='a')``."""
    name, shown = by_default
    whole = code.opened(value)
    if not isinstance(whole, Parts) or not set(shown) <= set(whole.names):
        raise NotCompiled(f"an object of {name} in a text")
    add = partial(arithmetic, code, "+")
    made: Value = KnownValue(f"{name}(")
    for at, each in enumerate(shown):
        part = whole.parts[whole.names.index(each)]
        said = text(run, code, part, "repr")
        said = text_methods.represented(code, part) if said is None else said
        made = reduce(add, (KnownValue(f"{', ' if at else ''}{each}="), said), made)
    return add(made, KnownValue(")"))
