"""``hashlib``: from bytes to ``hexdigest``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BYTES,
    HASH,
    NONE,
    STR,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

# By the identity of the function: Java's name of the algorithm.
_ALGORITHMS: dict[int, str] = {
    id(hashlib.md5): "MD5",
    id(hashlib.sha1): "SHA-1",
    id(hashlib.sha224): "SHA-224",
    id(hashlib.sha256): "SHA-256",
    id(hashlib.sha384): "SHA-384",
    id(hashlib.sha512): "SHA-512",
}


def is_algorithm(function: Any) -> bool:
    """Whether it is a function of ``hashlib``."""
    return id(function) in _ALGORITHMS


def _data(code: Code, value: Value) -> str:
    data = code.present(value)
    if data.kinds != BYTES:
        raise NotCompiled("a hash of what is no text as bytes")
    return data.java


def hashed(code: Code, function: Any, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``hashlib.md5(bytes)`` and its like; without bytes there are none yet."""
    if tuple(names) == ("usedforsecurity",):
        given = given[:-1]
    elif names:
        raise NotCompiled(f"a hash with {names[0]}=")
    if len(given) > 1:
        raise NotCompiled("a hash of so many arguments")
    data = _data(code, given[0]) if given else "new byte[0]"
    return code.set(HASH, f'new PyHash("{_ALGORITHMS[id(function)]}", {data})')


def is_hash(term: Term) -> bool:
    """Whether a value is what ``hashed`` gave, or None."""
    return term.kinds - NONE == HASH


def method(
    code: Code, owner: Term, name: str, given: Sequence[Value], names: Sequence[str]
) -> Value:
    """``hash.update(bytes)``, ``hash.digest()`` or ``hash.hexdigest()``."""
    made = code.present(owner, AttributeError)
    if name == "update" and len(given) == 1 and not names:
        code.say(f"{made.java}.update({_data(code, given[0])});")
        return KnownValue(None)
    if name not in ("digest", "hexdigest") or given:
        raise NotCompiled(f"the method {name} of a hash")
    return code.set(BYTES if name == "digest" else STR, f"{made.java}.{name}()")
