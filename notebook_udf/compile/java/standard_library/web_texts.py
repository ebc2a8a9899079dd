"""Texts of the web: ``quote`` and ``unquote``, ``base64``, and bytes as texts, as Java."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any
from urllib import parse

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.texts import text_encodings
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BYTES,
    DICT,
    KEYS,
    NONE,
    STR,
    TEXTS,
    Kinds,
    KnownValue,
    NotCompiled,
    Term,
    Value,
    quoted,
)

Given = Sequence[Value]

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-~"
# Methods that bytes have as well, which raise a TypeError for a text there.
_OF_BYTES = (
    *("replace", "split", "rsplit", "find", "rfind", "index", "rindex", "count", "startswith"),
    *("endswith", "strip", "lstrip", "rstrip", "partition", "rpartition", "removeprefix"),
    *("removesuffix", "ljust", "rjust", "center", "zfill"),
)


def _text(code: Code, value: Value, what: str) -> str:
    term = code.present(json_values.as_text(code, value))
    if term.kinds != STR:
        raise NotCompiled(f"{what} of what is no text")
    return term.java


def _bytes(code: Code, value: Value, what: str) -> str:
    term = code.present(value)
    if term.kinds != BYTES:
        raise NotCompiled(f"{what} of what are no bytes")
    return term.java


def _one(given: Given, names: Sequence[str], what: str) -> Value:
    if len(given) != 1 or names:
        raise NotCompiled(f"{what} of so many arguments")
    return given[0]


def _unquoted(plus: bool) -> Callable[[Code, Given, Sequence[str]], Value]:
    def write(code: Code, given: Given, names: Sequence[str]) -> Value:
        text = _text(code, _one(given, names, "unquote"), "unquote")
        return code.set(STR, f"PyUtf8.unquoted({text}, {str(plus).lower()})")

    return write


def _quoted(plus: bool) -> Callable[[Code, Given, Sequence[str]], Value]:
    def write(code: Code, given: Given, names: Sequence[str]) -> Value:
        if tuple(names) not in ((), ("safe",)) or not 1 <= len(given) <= 2:
            raise NotCompiled("quote of so many arguments")
        safe: Any = "" if plus else "/"
        if len(given) == 2:
            safe = given[1].value if isinstance(given[1], KnownValue) else None
        if type(safe) is not str or not safe.isascii():
            raise NotCompiled("quote with safe letters that vary")
        text = _text(code, given[0], "quote")
        own = quoted(_LETTERS + safe)
        return code.set(STR, f"PyUtf8.quoted({text}, {own}, {str(plus).lower()})")

    return write


def _encoded(of_urls: bool) -> Callable[[Code, Given, Sequence[str]], Value]:
    def write(code: Code, given: Given, names: Sequence[str]) -> Value:
        data = _bytes(code, _one(given, names, "b64encode"), "b64encode")
        return code.set(BYTES, f"PyUtf8.base64({data}, {str(of_urls).lower()})")

    return write


def _decoded(of_urls: bool) -> Callable[[Code, Given, Sequence[str]], Value]:
    def write(code: Code, given: Given, names: Sequence[str]) -> Value:
        if not _reads_alike():
            raise NotCompiled("b64decode in this Python")
        data = code.present(json_values.as_text(code, _one(given, names, "b64decode")))
        if data.kinds not in (STR, BYTES):
            raise NotCompiled("b64decode of what is no text and no bytes")
        java = data.java if data.kinds == BYTES else f"PyUtf8.ascii({data.java})"
        return code.set(BYTES, f"PyUtf8.unbase64({java}, {str(of_urls).lower()})")

    return write


_QUERY: Kinds = frozenset({f"{DICT}query"})


def _query(code: Code, given: Given, names: Sequence[str]) -> Value:
    """``parse_qs(text)``: a dict of lists of texts."""
    if tuple(names) not in ((), ("keep_blank_values",)) or not 1 <= len(given) <= 2:
        raise NotCompiled("parse_qs with these arguments")
    blanks = given[1].value if len(given) == 2 and isinstance(given[1], KnownValue) else False
    text = code.term(given[0])
    if type(blanks) is not bool or not text.kinds <= STR | BYTES | NONE or text.kinds == BYTES:
        raise NotCompiled("parse_qs of this")
    if (len(given) == 2 and not isinstance(given[1], KnownValue)) or not _splits_alike():
        raise NotCompiled("parse_qs with these arguments, or in this Python")
    code.lists.note(_QUERY, TEXTS)
    code.lists.note(frozenset(f"{kind}{KEYS}" for kind in _QUERY), STR)
    return code.set(_QUERY, f"PyUtf8.query({code.object(text)}, {str(blanks).lower()})")


@lru_cache(maxsize=1)
def _splits_alike() -> bool:
    nothing: Any = None
    found = parse.parse_qs("a=1;b&&c=%zz+%2B&d&=x&e=&a=2")
    empty = parse.parse_qs(nothing) == {} and parse.parse_qs(b"") == {}
    return empty and found == {"a": ["1;b", "2"], "c": ["%zz +"], "": ["x"]}


# By the identity of the function.
_FUNCTIONS: dict[int, Callable[[Code, Given, Sequence[str]], Value]] = {
    id(parse.unquote): _unquoted(plus=False),
    id(parse.unquote_plus): _unquoted(plus=True),
    id(parse.parse_qs): _query,
    id(parse.quote): _quoted(plus=False),
    id(parse.quote_plus): _quoted(plus=True),
    id(base64.b64encode): _encoded(of_urls=False),
    id(base64.standard_b64encode): _encoded(of_urls=False),
    id(base64.urlsafe_b64encode): _encoded(of_urls=True),
    id(base64.b64decode): _decoded(of_urls=False),
    id(base64.standard_b64decode): _decoded(of_urls=False),
    id(base64.urlsafe_b64decode): _decoded(of_urls=True),
}


def is_function(function: Any) -> bool:
    """Whether it is one of these functions."""
    return id(function) in _FUNCTIONS


def called(code: Code, function: Any, given: Given, names: Sequence[str]) -> Value:
    """A call of one of these functions."""
    return _FUNCTIONS[id(function)](code, given, names)


def _read(text: str) -> bytes | None:
    try:
        return binascii.a2b_base64(text)
    except binascii.Error:
        return None


@lru_cache(maxsize=1)
def _reads_alike() -> bool:
    """Whether this Python passes over the letters that Java passes over."""
    asked = {"YQ==YQ==": b"a", "Y=Q==": b"a", "=YQ==": b"a", "YQ=": None, "Y": None}
    asked |= {"YQ=a=": b"a\x06", "YWI=": b"ab", "YWJj=": b"abc", "-_": b"", "YQ=b": None}
    asked |= {"YW\nJj": b"abc", "Y===": None, "====": b"", "YWJj====YQ==": b"abca"}
    return all(_read(text) == found for text, found in asked.items())


def is_of_bytes(term: Term) -> bool:
    """Whether a value is bytes, or None."""
    return term.kinds - NONE == BYTES


def method(code: Code, owner: Term, name: str, given: Given, names: Sequence[str]) -> Value:
    """A method of bytes: ``decode`` or ``hex``."""
    data = code.present(owner, AttributeError)
    if name == "hex" and not given:
        return code.set(STR, f"PyUtf8.hex({data.java})")
    if name != "decode":
        raise NotCompiled(f"the method {name} of bytes")
    return text_encodings.decoded(code, data.java, given, names)


def as_text(code: Code, owner: Value, name: str, given: Given) -> Value:
    """A text or bytes, whose method raises for bytes, as a text; any other value as it is."""
    if not isinstance(owner, Term) or owner.kinds != STR | BYTES or name not in _OF_BYTES:
        return owner
    if not given or code.term(given[0]).kinds != STR:
        return owner
    return text_encodings.beside_bytes(code, owner)
