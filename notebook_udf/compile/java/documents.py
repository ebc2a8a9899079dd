"""``json.loads`` and the fields of what it gives, as Java.

What a document holds is known row by row only: it is used where every kind of it has one meaning.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.terms import (
    DOCUMENT,
    NONE,
    SCALARS,
    STR,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

# Methods that a text has and something else in a document as well.
_SHARED = ("count", "index", "format", "encode", "join")


def is_loads(function: Any) -> bool:
    """Whether it is ``json.loads``."""
    return function is json.loads


def is_document(value: Value) -> bool:
    """Whether it is a document, or a part of one."""
    return isinstance(value, Term) and value.kinds - NONE == DOCUMENT


def loaded(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``json.loads(text)``."""
    if len(given) != 1 or names:
        raise NotCompiled("json.loads with more than a text")
    text = code.present(given[0])
    if text.kinds != STR:
        raise NotCompiled("json.loads of what is no text")
    return code.set(DOCUMENT | NONE, f"PyJson.parsed({text.java})")


def item(code: Code, whole: Term, index: Value) -> Value:
    """``whole[index]`` of a constant."""
    key = index.value if isinstance(index, KnownValue) else None
    if type(key) not in (str, int):
        raise NotCompiled("an item of a document that varies")
    return code.set(DOCUMENT | NONE, f"PyJson.item({whole.java}, {_written(code, key)})")


def contains(code: Code, value: Value, whole: Term) -> str:
    """``value in whole`` of a text that is known, as an expression."""
    key = value.value if isinstance(value, KnownValue) else None
    if type(key) is not str:
        raise NotCompiled("in a document, of what varies")
    return f"PyJson.contains({whole.java}, {_written(code, key)})"


def _written(code: Code, key: Any) -> str:
    return f"{key}L" if type(key) is int else code.term(KnownValue(key)).java


def got(code: Code, whole: Term, given: Sequence[Value]) -> Value:
    """``whole.get(key)`` or ``whole.get(key, default)``."""
    key = given[0].value if given and isinstance(given[0], KnownValue) else None
    default = code.term(given[1]) if len(given) == 2 else code.term(KnownValue(None))
    if type(key) is not str or len(given) > 2 or not default.kinds <= SCALARS | DOCUMENT:
        raise NotCompiled("get of a document that varies")
    java = f"PyJson.get({whole.java}, {_written(code, key)}, {code.object(default)})"
    return code.set(DOCUMENT | NONE, java)


def text(code: Code, whole: Term, method: str) -> Value:
    """A part of which a method is called that texts alone have."""
    if method in _SHARED or not hasattr(str, method) or hasattr(dict, method):
        raise NotCompiled(f"the method {method} of a document")
    return code.set(STR, f"PyJson.text({whole.java})")


def scalar(code: Code, value: Value) -> Value:
    """A part as what ``int`` and ``float`` take; any other value as it is."""
    if not isinstance(value, Term) or not is_document(value):
        return value
    return code.set(SCALARS - NONE, f"PyJson.scalar({value.java})")
