"""``hashlib``, of texts: from ``encode`` to ``hexdigest``."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.java.code import Code
from notebook_udf.compile.java.terms import (
    BYTES,
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
_DIGEST = "digest of "


def encoded(code: Code, text: str, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``text.encode(...)`` as UTF-8."""
    said = [each.value for each in given if isinstance(each, KnownValue)]
    if names or len(said) != len(given) or said not in ([], ["utf-8"], ["utf8"], ["UTF-8"]):
        raise NotCompiled("encode as anything but UTF-8")
    return code.set(BYTES, f"PyHash.encoded({text})")


def is_algorithm(function: Any) -> bool:
    """Whether it is a function of ``hashlib``."""
    return id(function) in _ALGORITHMS


def hashed(code: Code, function: Any, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``hashlib.md5(bytes)`` and its like."""
    if names == ("usedforsecurity",):
        given = given[:-1]
    elif names:
        raise NotCompiled(f"a hash with {names[0]}=")
    if len(given) != 1 or code.present(given[0]).kinds != BYTES:
        raise NotCompiled("a hash of what is no text as bytes")
    kind = frozenset({f"{_DIGEST}{_ALGORITHMS[id(function)]}"})
    return Term(kind, code.present(given[0]).java)


def is_hash(term: Term) -> bool:
    """Whether a value is what ``hashed`` gave."""
    return any(kind.startswith(_DIGEST) for kind in term.kinds)


def hexdigest(code: Code, term: Term, name: str, given: Sequence[Value]) -> Value:
    """``hash.hexdigest()``."""
    if name != "hexdigest" or given or len(term.kinds) != 1:
        raise NotCompiled(f"the method {name} of a hash")
    how = min(term.kinds).removeprefix(_DIGEST)
    return code.set(STR, f'PyHash.hexdigest((byte[]) {term.java}, "{how}")')
