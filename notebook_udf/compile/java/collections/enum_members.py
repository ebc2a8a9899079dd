"""What is done with members of an ``Enum``: found by names or values, compared, asked for those."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.collections.lookups import looked_up, place_of
from notebook_udf.compile.java.objects import enum_classes, known_objects
from notebook_udf.compile.java.objects.enum_classes import ATTRIBUTES, every, is_class, is_member
from notebook_udf.compile.java.writing import choices
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BOOL,
    SCALARS,
    BoundMethod,
    KnownValue,
    NotCompiled,
    OneOf,
    Term,
    Value,
)


def attribute(owner: KnownValue, name: str) -> Value:
    """``Class.MEMBER``, the name or the value of a member, or a method of either.

    Raises
    ------
    NotCompiled
        If it has no such attribute, or one that is computed.
    """
    known = owner.value
    if not is_class(known):
        kept = ATTRIBUTES.get(name, name)
        if kept in vars(known):
            return KnownValue(vars(known)[kept])
    elif name == "__members__":
        return KnownValue(dict(known.__members__))
    elif name in known.__members__:
        return KnownValue(known.__members__[name])
    return known_objects.attribute(known, name) or BoundMethod(owner, name)


def by_member(code: Code, container: Any, member: Value) -> Value | None:
    """``container[member]`` of a constant; None if it is no member that is looked for."""
    if not is_member(member) or not isinstance(container, dict):
        return None
    if not all(each in container for each in every(member)):
        raise NotCompiled("a member of an Enum that a dict may not have")
    return choices.chosen(code, member, lambda each: KnownValue(container[each]), "a member")


def is_one_of(code: Code, member: Value, container: Any) -> str | bool | None:
    """``member in container`` of a constant; None if it is no member that is looked for."""
    if not is_member(member) or not isinstance(container, (tuple, list, set, frozenset, dict)):
        return None
    tests = [compared(code, "==", member, KnownValue(each)) for each in container]
    written = [code.term(each).java for each in tests if each is not None]
    if len(written) != len(tests):
        raise NotCompiled("a member of an Enum among what are none")
    return " || ".join(written) or False


def by_name(code: Code, known: type[enum.Enum], name: Value) -> Value:
    """``Class[name]``."""
    names = known.__members__
    return looked_up(code, dict(names), name)


def by_value(code: Code, known: type[enum.Enum], given: Sequence[Value]) -> Value:
    """``Class(value)``."""
    if len(given) != 1:
        raise NotCompiled(f"a call of {known.__name__} with anything but a value")
    members = list(known)
    values = tuple(each.value for each in members)
    if not all(type(each) in (int, str) for each in values):
        raise NotCompiled(f"{known.__name__}, whose values are neither numbers nor texts")
    place = place_of(code, values, given[0])
    return choices.of_places(place, tuple(map(KnownValue, members)))


def plain(code: Code, value: Value) -> Value:
    """A member that is a number or a text as that, also one of some; any other value as it is."""
    members = value.of if isinstance(value, OneOf) else ()
    if members and all(isinstance(each, (int, str)) and is_class(type(each)) for each in members):
        return choices.chosen(code, value, lambda each: KnownValue(each._value_), "a member")
    return enum_classes.plain(value)


def compared(code: Code, how: str, left: Value, right: Value) -> Value | None:
    """Whether two values are the same member; None if that is asked of other values."""
    if how not in ("==", "!=", "is", "is not") or not (is_member(left) or is_member(right)):
        return None
    same = how in ("==", "is")
    member, other = (left, right) if is_member(left) else (right, left)
    if not is_member(other):
        # A member is equal to nothing else, but for None all are asked by their kinds.
        if isinstance(other, Term) and other.kinds <= SCALARS:
            return KnownValue(not same)
        raise NotCompiled("a member of an Enum beside what is none")
    if isinstance(member, KnownValue) and isinstance(other, KnownValue):
        return KnownValue((member.value is other.value) == same)
    if isinstance(member, KnownValue):
        member, other = other, member
    if isinstance(other, OneOf):

        def with_one(known: Any) -> Value:
            found = compared(code, how, member, KnownValue(known))
            assert found is not None
            return found

        return choices.chosen(code, other, with_one, "a member")
    assert isinstance(member, OneOf)
    assert isinstance(other, KnownValue)
    found = code.one_of_places(member, [each is other.value for each in member.of])
    if isinstance(found, bool):
        return KnownValue(found == same)
    return code.set(BOOL, found if same else f"!{found}")
