"""Texts as bytes and bytes as texts, and the checksums of bytes, as Java."""

from __future__ import annotations

import codecs
import zlib
from collections.abc import Sequence
from typing import Any

from notebook_udf.compile.bindings import taken
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.exceptions import raising
from notebook_udf.compile.java.writing.terms import (
    BYTES,
    INT,
    STR,
    KnownValue,
    NotCompiled,
    Term,
    Value,
)

_NAMES = ("encoding", "errors")
# By Python's name of an encoding: before which letter all have a byte of their own.
_LIMITS = {"ascii": 128, "iso8859-1": 256}
_UTF8 = "utf-8"
_CHECKSUMS = {id(zlib.crc32): "crc32", id(zlib.adler32): "adler32"}


def _asked(given: Sequence[Value], names: Sequence[str], what: str) -> tuple[str, str]:
    """The encoding, as Python calls it, and what is done with errors."""
    placed = taken(given, names, _NAMES, _NAMES)
    if placed is None or not all(isinstance(each, KnownValue) for each in placed.values()):
        raise NotCompiled(f"{what} with these arguments")
    known: dict[str, Any] = {n: e.value for n, e in placed.items() if isinstance(e, KnownValue)}
    encoding, errors = known.get("encoding", _UTF8), known.get("errors", "strict")
    if type(encoding) is not str or errors not in ("strict", "ignore", "replace"):
        raise NotCompiled(f"{what} with these arguments")
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, ValueError):
        name = ""
    if name != _UTF8 and name not in _LIMITS:
        raise NotCompiled(f"{what} as {encoding}")
    return name, errors


def encoded(code: Code, text: str, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``text.encode(encoding, errors)``."""
    name, errors = _asked(given, names, "encode")
    if name == _UTF8:
        # No text has half of a pair, which is all that it has no bytes for.
        return code.set(BYTES, f"PyHash.encoded({text})")
    instead = {"ignore": '""', "replace": '"?"'}.get(errors, "null")
    return code.set(BYTES, f"PyEncoding.encoded({text}, {_LIMITS[name]}, {instead})")


def decoded(code: Code, data: str, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``data.decode(encoding, errors)``."""
    name, errors = _asked(given, names, "decode")
    instead = {"ignore": '""', "replace": '"\\ufffd"'}.get(errors, "null")
    if name == _UTF8:
        return code.set(STR, f"PyUtf8.decoded({data}, {instead})")
    return code.set(STR, f"PyEncoding.decoded({data}, {_LIMITS[name]}, {instead})")


def is_checksum(function: Any) -> bool:
    """Whether it is ``zlib.crc32`` or ``zlib.adler32``."""
    return id(function) in _CHECKSUMS


def checksum(code: Code, function: Any, given: Sequence[Value], names: Sequence[str]) -> Value:
    """A checksum of bytes, from the number that it begins with where none is given."""
    data: Term | None = code.present(given[0]) if len(given) == 1 and not names else None
    if data is None or data.kinds != BYTES:
        raise NotCompiled("a checksum of anything but bytes")
    java = f"PyEncoding.{_CHECKSUMS[id(function)]}({data.java})"
    return code.set(INT, code.integers.of_long(java))


def beside_bytes(code: Code, term: Term) -> Term:
    """A text, or bytes for which Python raises a TypeError here, as a text; others as they are."""
    if term.kinds != STR | BYTES:
        return term
    code.say(f"if (!({term.java} instanceof String)) {raising(TypeError)}")
    return code.integers.narrowed(term, STR)
