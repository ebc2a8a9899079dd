"""``html.unescape`` of texts, as Java: its tables are those of the Python that runs."""

from __future__ import annotations

import html
from collections.abc import Sequence
from functools import lru_cache
from html.entities import html5
from typing import Any

from notebook_udf.compile.java.documents import json_values
from notebook_udf.compile.java.writing.code import Code
from notebook_udf.compile.java.writing.terms import STR, NotCompiled, Value, quoted

# Numbers that may stand for another character or for none: of control characters, and of what is
# no character in any version of Unicode.
_NUMBERS = (
    *range(0x100),
    *range(0xFDD0, 0xFDF0),
    *(plane + last for plane in range(0, 0x110000, 0x10000) for last in (0xFFFE, 0xFFFF)),
)
_NOTHING = "\uffff"

_JAVA = """package notebookudf;

/** What PyHtml knows of references. */
final class PyHtmlTables {
    private PyHtmlTables() {
    }

    static String names() {
        return @NAMES@;
    }

    static String numbers() {
        return @NUMBERS@;
    }
}
"""


def is_unescape(function: Any) -> bool:
    """Whether it is ``html.unescape``."""
    return function is html.unescape


def unescaped(code: Code, given: Sequence[Value], names: Sequence[str]) -> Value:
    """``html.unescape(text)``."""
    if len(given) != 1 or tuple(names) not in ((), ("s",)):
        raise NotCompiled("a call of unescape that does not fit it")
    text = code.present(json_values.as_text(code, given[0]))
    if text.kinds != STR:
        raise NotCompiled("unescape of what is no text")
    return code.set(STR, f"PyHtml.unescaped({text.java})")


@lru_cache(maxsize=1)
def source() -> str:
    """The Java class ``PyHtmlTables``."""
    names = "".join(f"{name}\0{text}\0" for name, text in html5.items())
    said = ((chr(number), html.unescape(f"&#{number};")) for number in _NUMBERS)
    numbers = "".join(c + (text or _NOTHING) for c, text in said if text != c)
    return _JAVA.replace("@NAMES@", quoted(names)).replace("@NUMBERS@", quoted(numbers))
