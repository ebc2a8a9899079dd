"""``uuid.uuid3``, ``uuid5`` and ``UUID`` of texts, as Java: what they give is held as its text."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import STR, UUID, KnownValue, NotCompiled, Term, Value

# By the identity of the function: Java's name of the algorithm, and the version that it makes.
_NAMED = {id(uuid.uuid3): ("MD5", 3), id(uuid.uuid5): ("SHA-1", 5)}


def is_function(function: Any) -> bool:
    """Whether it is one of these."""
    return function is uuid.UUID or id(function) in _NAMED


def called(code: Code, function: Any, given: Sequence[Value], names: Sequence[str]) -> Value:
    """The call of one of them."""
    if names or len(given) != (1 if function is uuid.UUID else 2):
        raise NotCompiled(f"a call of {function.__name__} with these arguments")
    text = code.present(given[-1])
    if text.kinds != STR:
        raise NotCompiled(f"{function.__name__} of what is no text")
    if function is uuid.UUID:
        return code.set(UUID, f"PyUuid.of({text.java})")
    namespace = given[0].value if isinstance(given[0], KnownValue) else None
    if type(namespace) is not uuid.UUID:
        raise NotCompiled(f"{function.__name__} of a namespace that varies")
    algorithm, version = _NAMED[id(function)]
    of = code.constant("byte[]", f'PyUuid.bytes("{namespace.hex}")')
    return code.set(UUID, f'PyUuid.named("{algorithm}", {version}, {of}, {text.java})')


def attribute(code: Code, owner: Value, name: str) -> Value | None:
    """``hex`` or ``urn``; None if it is no such attribute."""
    if not isinstance(owner, Term) or owner.kinds != UUID:
        return None
    if name == "hex":
        return code.set(STR, f'{owner.java}.replace("-", "")')
    return code.set(STR, f'"urn:uuid:".concat({owner.java})') if name == "urn" else None
