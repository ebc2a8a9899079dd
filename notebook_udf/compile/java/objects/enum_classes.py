"""Classes of ``Enum`` whose members are constants, and no more than that."""

from __future__ import annotations

import enum
from typing import Any, TypeGuard

from notebook_udf.compile.java.writing.terms import KnownValue, OneOf, Value

# What members have of their own, by what the class keeps it as.
ATTRIBUTES = {"name": "_name_", "value": "_value_"}
# What a class may say of itself that makes its members something else than constants.
_BESIDES = {"_missing_", "__eq__", "__ne__", "__hash__", "__bool__", "__getattribute__"}


def is_class(value: Any) -> TypeGuard[type[enum.Enum]]:
    """Whether a value is such a class."""
    if type(value) is not enum.EnumMeta or issubclass(value, enum.Flag):
        return False
    own = [each for each in value.__mro__ if each.__module__ not in ("enum", "builtins")]
    plain = not any((_BESIDES | set(ATTRIBUTES)) & set(vars(each)) for each in own)
    return plain and all(issubclass(each, enum.Enum) for each in own)


def is_member(value: Value) -> bool:
    """Whether a value is a member that is known, or one of some."""
    found = every(value)
    return bool(found) and all(is_class(type(each)) for each in found)


def is_enum(value: Any) -> bool:
    """Whether a value is such a class, or a member of one."""
    return is_class(value) or is_class(type(value))


def every(value: Value) -> tuple[Any, ...]:
    """The constants of which a value is one."""
    if isinstance(value, KnownValue):
        return (value.value,)
    return value.of if isinstance(value, OneOf) else ()


def listed(constant: Any) -> Any:
    """The members of a class, as a loop goes through them; any other constant as it is."""
    return tuple(constant) if is_class(constant) else constant


def plain(value: Value) -> Value:
    """A member that is a number or a text as that; any other value as it is."""
    member = value.value if isinstance(value, KnownValue) else None
    if isinstance(member, enum.Enum) and isinstance(member, (int, str)) and is_class(type(member)):
        return KnownValue(member._value_)
    return value
