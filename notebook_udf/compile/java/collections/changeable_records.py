"""Objects whose parts a function sets: of a dataclass, or lists and dicts of a few known places.

Each is one object of Java's, so that a change is seen by whatever name it is known, as in Python.
"""

from __future__ import annotations

import types
from collections.abc import Sequence

from notebook_udf.compile.java.collections import lookups
from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code, RecordKinds
from notebook_udf.compile.java.writing.terms import (
    SCALARS,
    KnownValue,
    NotCompiled,
    Parts,
    Slice,
    Term,
    Value,
    displayed_parts,
)


def known(code: Code, owner: Value) -> RecordKinds | None:
    """What is known of an object whose parts may be set; None of any other value."""
    return code.lists.changeable(owner.kinds) if isinstance(owner, Term) else None


def as_parts(found: RecordKinds) -> Parts:
    """Such an object as what its class is looked up by; its parts are none that Java has."""
    return Parts((), found.names, found.form, found.of)


def opened(code: Code, owner: Value) -> Value:
    """An object part by part, if it is never None and its parts are never set; else as it is."""
    may_be_none = isinstance(owner, Term) and "none" in owner.kinds
    return owner if may_be_none or known(code, owner) is not None else code.opened(owner)


def described(code: Code, owner: Value) -> Parts | None:
    """What the class and the form of an object are looked up by; None of what has no parts."""
    found = known(code, owner)
    whole = opened(code, owner) if found is None else as_parts(found)
    return whole if isinstance(whole, Parts) else None


def function_of(code: Code, owner: Value, name: str) -> tuple[types.FunctionType, bool] | None:
    """As ``named_parts.function_of``, of such an object as well."""
    found = known(code, owner)
    return named_parts.function_of(owner if found is None else as_parts(found), name)


def part(code: Code, owner: Term, name: str) -> Value | None:
    """The attribute of this name, as it is now; None if no part has the name."""
    found = known(code, owner)
    if found is None or found.form not in ("object", "row") or name not in found.names:
        return None
    return code.part_now(owner, found.names.index(name))


def item(code: Code, owner: Value, key: Value) -> Value | None:
    """``owner[key]`` as it is now; None if it is of no such object, or for a slice."""
    found = known(code, owner)
    if found is None or isinstance(key, Slice):
        return None
    assert isinstance(owner, Term)
    if isinstance(key, KnownValue):
        return code.part_now(owner, _place(found, key))
    return code.set_from(found.of_any_part, f"{owner.java}[(int) {_place_of(code, found, key)}]")


def set_attribute(code: Code, owner: Value, name: str, value: Value) -> None:
    """``owner.name = value``."""
    if isinstance(owner, KnownValue):
        raise NotCompiled(f"{name}, which is set in an object that other rows see")
    found = known(code, owner)
    if found is None or found.form not in ("object", "row") or name not in found.names:
        raise NotCompiled(f"{name}, which is set in what is not known to have it")
    assert isinstance(owner, Term)
    at = found.names.index(name)
    _set(code, owner, [at], str(at), value)


def set_item(code: Code, owner: Term, key: Value, value: Value) -> bool:
    """``owner[key] = value``; whether it is of such an object."""
    found = known(code, owner)
    if found is None or isinstance(key, Slice):
        return False
    if isinstance(key, KnownValue):
        at = _place(found, key)
        _set(code, owner, [at], str(at), value)
    else:
        place = _place_of(code, found, key)
        _set(code, owner, range(len(found.parts)), f"(int) {place}", value)
    return True


def update(code: Code, owner: Term, others: Sequence[Value]) -> None:
    """``owner.update(other, a=1)`` of a dict of known keys, which stay as they are."""
    changed: list[tuple[str, Value]] = []
    for each in others:
        other = known(code, each)
        if other is not None and other.form == "dict":
            assert isinstance(each, Term)
            # All of them as they are before the first is set: it may be the same dict.
            parts = [code.part_now(each, at) for at in range(len(other.names))]
            changed += zip(other.names, parts, strict=True)
            continue
        whole = displayed_parts(each)
        if not isinstance(whole, Parts) or whole.form != "dict":
            raise NotCompiled("update of a dict of known keys with what is none")
        changed += zip(whole.names, whole.parts, strict=True)
    for name, value in changed:
        set_item(code, owner, KnownValue(name), value)


def _set(code: Code, owner: Term, places: Sequence[int], java: str, value: Value) -> None:
    """Sets the part at one of some places, which Java says."""
    term = code.whole(value, f"{min(owner.kinds).partition('@')[2]}.{places[0]}")
    if len(places) > 1 and not term.kinds <= SCALARS:
        raise NotCompiled("a part that is not known beforehand, set to what is no single value")
    for at in places:
        code.lists.put_part(owner.kinds, at, term.kinds)
    code.say(f"{owner.java}[{java}] = {code.object(term)};")


def _place_of(code: Code, found: RecordKinds, key: Value) -> str:
    """Which of its parts an item is whose key or place varies."""
    places: dict[str, int] | tuple[int, ...] = tuple(range(len(found.parts)))
    if found.form == "dict":
        places = {name: at for at, name in enumerate(found.names)}
    elif found.form != "list":
        raise NotCompiled("a part that is not known beforehand")
    return code.integers.as_place(code.term(lookups.looked_up(code, places, key)))


def _place(found: RecordKinds, key: Value) -> int:
    """Which of its parts an item is."""
    index = key.value if isinstance(key, KnownValue) else None
    if found.form in ("row", "dict") and isinstance(index, str) and index in found.names:
        return found.names.index(index)
    named_parts.check_places(as_parts(found))
    if type(index) is not int or not -len(found.parts) <= index < len(found.parts):
        raise NotCompiled("a part that is not known beforehand")
    return index % len(found.parts)
