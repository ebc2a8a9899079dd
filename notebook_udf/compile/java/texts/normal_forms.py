"""``unicodedata`` of texts, as Java: its tables are those of the Python that runs."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import (
    INT,
    STR,
    KnownValue,
    NotCompiled,
    Value,
    quoted,
)

Form: TypeAlias = Literal["NFC", "NFD", "NFKC", "NFKD"]

_BLOCK = 256
_SURROGATES = range(0xD800, 0xE000)
# Taken apart by a rule.
_SYLLABLES = range(0xAC00, 0xD7A4)
_FORMS = {"NFC": "false, true", "NFD": "false, false", "NFKC": "true, true", "NFKD": "true, false"}

_JAVA = """package notebookudf;

/** What PyNormal knows of characters. */
final class PyNormalTables {
    private PyNormalTables() {
    }

@METHODS@
}
"""
_METHOD = """    static String {name}() {{
        return {text};
    }}"""

Given = Sequence[Value]


def _text(code: Code, value: Value) -> str:
    term = code.present(value)
    if term.kinds != STR:
        raise NotCompiled("unicodedata of what is no text")
    return term.java


def _normalized(code: Code, given: Given) -> Value:
    form = given[0].value if len(given) == 2 and isinstance(given[0], KnownValue) else None
    if type(form) is not str or form not in _FORMS:
        raise NotCompiled("normalize to this form")
    return code.set(STR, f"PyNormal.normalized({_text(code, given[1])}, {_FORMS[form]})")


def _of_letter(name: str) -> Callable[[Code, Given], Value]:
    def write(code: Code, given: Given) -> Value:
        if len(given) != 1:
            raise NotCompiled(f"a call of {name} that does not fit it")
        java = f"PyNormal.{name}({_text(code, given[0])})"
        is_int = name == "combining"
        return code.set(INT if is_int else STR, code.integers.of_long(java) if is_int else java)

    return write


# By the identity of the function.
_FUNCTIONS: dict[int, Callable[[Code, Given], Value]] = {
    id(unicodedata.normalize): _normalized,
    id(unicodedata.combining): _of_letter("combining"),
    id(unicodedata.category): _of_letter("category"),
}


def is_function(function: Any) -> bool:
    """Whether it is one of these functions."""
    return id(function) in _FUNCTIONS


def called(code: Code, function: Any, given: Given, names: Sequence[str]) -> Value:
    """A call of one of these functions."""
    if names:
        raise NotCompiled(f"{function.__name__} with {names[0]}=")
    return _FUNCTIONS[id(function)](code, given)


def _blocks() -> Iterator[str]:
    """All characters that a text may have, by blocks."""
    for start in range(0, 0x110000, _BLOCK):
        if start not in _SURROGATES:
            yield "".join(map(chr, range(start, start + _BLOCK)))


def _apart(form: Form, but: Form | None = None) -> dict[str, str]:
    """What characters are taken apart into; without those for which another form has the same."""
    found = {}
    for block in _blocks():
        if unicodedata.normalize(form, block) != block:
            for c in block:
                parts = unicodedata.normalize(form, c)
                same = but is not None and unicodedata.normalize(but, c) == parts
                if parts != c and not same and ord(c) not in _SYLLABLES:
                    found[c] = parts
    return found


def _pairs(canonical: dict[str, str]) -> Iterator[str]:
    """Two characters and the one that is made of them."""
    for c in canonical:
        parts = unicodedata.decomposition(c).split()
        if len(parts) == 2 and unicodedata.normalize("NFC", c) == c:
            yield "".join(chr(int(part, 16)) for part in parts) + c


def _classes() -> Iterator[str]:
    """Each character that combines with others, and its class as a character."""
    for block in _blocks():
        found = list(map(unicodedata.combining, block))
        if any(found):
            yield from (c + chr(n) for c, n in zip(block, found, strict=True) if n)


def _categories() -> Iterator[str]:
    """The first character of each run of one category, and the category's two letters."""
    last = ""
    for block in _blocks():
        found = list(map(unicodedata.category, block))
        if found == [last] * _BLOCK:
            continue
        for c, category in zip(block, found, strict=True):
            if category != last:
                yield c + category
            last = category


@lru_cache(maxsize=1)
def source() -> str:
    """The Java class ``PyNormalTables``."""
    canonical = _apart("NFD")
    entries = {"canonical": canonical, "compatible": _apart("NFKD", but="NFD")}
    texts = {
        name: "".join(f"{c}{parts}\n" for c, parts in of.items()) for name, of in entries.items()
    }
    texts["classes"] = "".join(_classes())
    texts["pairs"] = "".join(_pairs(canonical))
    texts["categories"] = "".join(_categories())
    methods = (_METHOD.format(name=name, text=quoted(text)) for name, text in texts.items())
    return _JAVA.replace("@METHODS@", "\n\n".join(methods))
