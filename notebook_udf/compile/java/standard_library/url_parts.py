"""``urllib.parse.urlparse`` and ``urlsplit`` of texts, as Java."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from urllib import parse

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    BYTES,
    INT,
    NONE,
    STR,
    NotCompiled,
    Parts,
    Value,
    array_of,
    quoted,
)

# By the identity of the function: what Java calls it, and the names of what it gives.
_FUNCTIONS: dict[int, tuple[str, tuple[str, ...]]] = {
    id(parse.urlparse): ("parsed", parse.ParseResult._fields),
    id(parse.urlsplit): ("split", parse.SplitResult._fields),
}
# A name behind those of the parts, which tells them from a tuple of the user's.
_MARK = "<url>"
_OF_NETLOC = {"hostname": STR, "port": INT, "username": STR, "password": STR}


def is_function(function: Any) -> bool:
    """Whether it is one of the two functions."""
    return id(function) in _FUNCTIONS


def called(code: Code, function: Any, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``urlparse(text)`` or ``urlsplit(text)``: of None the parts are bytes without anything."""
    java_name, fields = _FUNCTIONS[id(function)]
    if len(given) != 1 or names:
        raise NotCompiled(f"{function.__name__} with anything but a text")
    text = code.term(given[0])
    if not text.kinds <= STR | NONE:
        raise NotCompiled(f"{function.__name__} of what is no text")
    own = code.constant("PyUrl", _reader())
    made = code.variable("java.util.ArrayList")
    code.say(f"{made} = {own}.{java_name}((String) {text.java});")
    kinds = STR | BYTES if "none" in text.kinds else STR
    parts = (code.set_from(kinds, f"{made}.get({at})") for at in range(len(fields)))
    return Parts(tuple(parts), (*fields, _MARK))


def attribute(code: Code, owner: Value, name: str) -> Value | None:
    """What a URL tells of its netloc; None if it is something else that is asked."""
    if not isinstance(owner, Parts) or _MARK not in owner.names or name not in _OF_NETLOC:
        return None
    if name == "port" and not _reads_digits_only():
        raise NotCompiled("the port of a URL in this Python")
    netloc = code.object(owner.parts[owner.names.index("netloc")])
    return code.set(_OF_NETLOC[name] | NONE, f"PyUrl.{name}({netloc})")


def _raises(url: str, attribute: str = "netloc") -> bool:
    try:
        getattr(parse.urlsplit(url), attribute)
    except ValueError:
        return True
    return False


@lru_cache(maxsize=1)
def _reads_digits_only() -> bool:
    return _raises("//a:+1", "port") and _raises("//a:\u0661", "port")


@lru_cache(maxsize=1)
def _expanding() -> str:
    """Letters of which NFKC makes a delimiter; of several letters together it makes none."""
    letters = map(chr, range(128, sys.maxunicode + 1))
    return "".join(c for c in letters if set("/?#@:") & set(unicodedata.normalize("NFKC", c)))


def _reader() -> str:
    """What reads URLs as this Python does: its releases differ in what they refuse."""
    if sys.version_info >= (3, 14):
        raise NotCompiled("a URL in this Python")
    checked = 2 if _raises("//a[::1]") else 1 if _raises("//[a]") else 0
    flags = [
        parse.urlsplit(" a:b").scheme == "a",
        parse.urlsplit("1a:b").scheme == "",
    ]
    written = [
        quoted(_expanding()),
        array_of(map(quoted, map(str, parse.uses_params))),
        *(str(flag).lower() for flag in flags),
        f"{checked}L",
    ]
    return f"new PyUrl({', '.join(written)})"
