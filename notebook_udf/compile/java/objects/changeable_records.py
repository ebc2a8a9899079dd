"""Objects whose parts a function sets: of a dataclass, or lists and dicts of a few known places.

Each is one object of Java's, so that a change is seen by whatever name it is known, as in Python.
"""

from __future__ import annotations

from notebook_udf.compile.java.objects import named_parts
from notebook_udf.compile.java.writing.code import Code, RecordKinds
from notebook_udf.compile.java.writing.terms import (
    KnownValue,
    NotCompiled,
    Parts,
    Term,
    Value,
)


def known(code: Code, owner: Value) -> RecordKinds | None:
    """What is known of an object whose parts may be set; None of any other value."""
    return code.lists.changeable(owner.kinds) if isinstance(owner, Term) else None


def as_parts(found: RecordKinds) -> Parts:
    """Such an object as what its class is looked up by; its parts are none that Java has."""
    return Parts((), found.names, found.form, found.of)


def part(code: Code, owner: Term, name: str) -> Value | None:
    """The attribute of this name, as it is now; None if no part has the name."""
    found = known(code, owner)
    if found is None or found.form not in ("object", "row") or name not in found.names:
        return None
    return code.part_now(owner, found.names.index(name))


def item(code: Code, owner: Value, key: Value) -> Value | None:
    """``owner[key]`` as it is now; None if it is of no such object, or for a slice."""
    found = known(code, owner)
    if found is None or not isinstance(key, KnownValue):
        return None
    assert isinstance(owner, Term)
    return code.part_now(owner, _place(found, key))


def set_attribute(code: Code, owner: Value, name: str, value: Value) -> None:
    """``owner.name = value``."""
    if isinstance(owner, KnownValue):
        raise NotCompiled(f"{name}, which is set in an object that other rows see")
    found = known(code, owner)
    if found is None or found.form not in ("object", "row") or name not in found.names:
        raise NotCompiled(f"{name}, which is set in what is not known to have it")
    assert isinstance(owner, Term)
    _set(code, owner, found.names.index(name), value)


def set_item(code: Code, owner: Term, key: Value, value: Value) -> bool:
    """``owner[key] = value``; whether it is of such an object."""
    found = known(code, owner)
    if found is None:
        return False
    _set(code, owner, _place(found, key), value)
    return True


def _set(code: Code, owner: Term, at: int, value: Value) -> None:
    term = code.whole(value, f"{min(owner.kinds).partition('@')[2]}.{at}")
    code.lists.put_part(owner.kinds, at, term.kinds)
    code.say(f"{owner.java}[{at}] = {code.object(term)};")


def _place(found: RecordKinds, key: Value) -> int:
    """Which of its parts an item is."""
    index = key.value if isinstance(key, KnownValue) else None
    if found.form in ("row", "dict") and isinstance(index, str) and index in found.names:
        return found.names.index(index)
    named_parts.check_places(as_parts(found))
    if type(index) is not int or not -len(found.parts) <= index < len(found.parts):
        raise NotCompiled("a part that is not known beforehand")
    return index % len(found.parts)
