"""HTML, safe by construction: an element is made of texts, which are escaped, and of elements.

No text is ever read as markup, and all of its characters are visible. A tag is a function of its
children and its attributes: ``div(name, style=QUIET)``. Children may be nested in lists; None is
left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

from notebook_udf.sanitize import plain

Child: TypeAlias = "Element | str | Iterable[Child] | None"
Attribute: TypeAlias = str | int | tuple[str, ...] | None

# Text that would end the element of a script or a style sheet, or hide its end. It occurs only in
# strings of JavaScript, where the backslash changes nothing.
_ENDS = re.compile(r"<(?=/script|/style|!--)", re.IGNORECASE)


class Element:
    """An element with its contents; ``markup`` writes it."""

    __slots__ = ("_written",)

    def __init__(self, tag: str, inside: str | None, attributes: dict[str, Attribute]) -> None:
        head = "".join(f" {_name(n)}={_quoted(v)}" for n, v in attributes.items() if v is not None)
        self._written = f"<{tag}{head}>" if inside is None else f"<{tag}{head}>{inside}</{tag}>"


class Tag:
    """A tag: makes elements of its name.

    In names of attributes ``_`` becomes ``-``. An attribute that is None is left out; a tuple is
    joined by semicolons, as a style.
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *children: Child, **attributes: Attribute) -> Element:
        return Element(self._name, markup(children), attributes)


def markup(*children: Child) -> str:
    """Texts and elements as HTML."""
    return "".join(map(_child, children))


def _child(child: Child) -> str:
    if child is None:
        return ""
    if isinstance(child, str):
        return escape(plain(child))
    return child._written if isinstance(child, Element) else "".join(map(_child, child))


def _name(name: str) -> str:
    return name.rstrip("_").replace("_", "-")


def _quoted(value: str | int | tuple[str, ...]) -> str:
    text = plain(";".join(value) if isinstance(value, tuple) else str(value))
    return f'"{escape(text)}"'


def page(title: str, *children: Child, style: str = "", policy: str = "") -> str:
    """A standalone page, light or dark as in its reader's settings.

    ``style`` is more of its style sheet, ``policy`` its content security policy, if it has one.
    """
    head = [
        Element("meta", None, {"charset": "utf-8"}),
        Element(
            "meta", None, {"name": "viewport", "content": "width=device-width, initial-scale=1"}
        ),
        Element("meta", None, {"http-equiv": "Content-Security-Policy", "content": policy})
        if policy
        else None,
        Tag("title")(title),
        _verbatim("style", _PAGE_STYLE + style),
    ]
    whole = Tag("html")(Tag("head")(head), Tag("body")(children), lang="en")
    return f"<!doctype html>{markup(whole)}"


def script(code: str, **attributes: Attribute) -> Element:
    """A script element; the code is not escaped, and so has to be this package's own."""
    return _verbatim("script", code, **attributes)


def data_script(json: str, **attributes: Attribute) -> Element:
    """A script element with JSON data for a script."""
    escaped = json.replace("<", "\\u003c")
    return _verbatim("script", escaped, type="application/json", **attributes)


def _verbatim(tag: str, text: str, **attributes: Attribute) -> Element:
    return Element(tag, _ENDS.sub(r"<\\", text), attributes)


_PAGE_STYLE = """
:root { color-scheme: light dark; }
body { margin: 2rem; font-family: system-ui, sans-serif; background: #fff; color: #212121;
  --jp-brand-color1: #1976d2; --jp-warn-color1: #e65100; --jp-border-color1: #bdbdbd; }
table { border-collapse: collapse; }
th, td { text-align: left; padding: 0 .8em 0 0; }
@media (prefers-color-scheme: dark) {
  body { background: #111; color: #e0e0e0;
    --jp-brand-color1: #64b5f6; --jp-warn-color1: #ffb74d; --jp-border-color1: #616161; }
}
"""

a = Tag("a")
b = Tag("b")
caption = Tag("caption")
code = Tag("code")
details = Tag("details")
div = Tag("div")
g = Tag("g")
h1 = Tag("h1")
h2 = Tag("h2")
h3 = Tag("h3")
li = Tag("li")
main = Tag("main")
nav = Tag("nav")
ol = Tag("ol")
p = Tag("p")
path = Tag("path")
pre = Tag("pre")
rect = Tag("rect")
section = Tag("section")
small = Tag("small")
span = Tag("span")
strong = Tag("strong")
summary = Tag("summary")
svg = Tag("svg")
table = Tag("table")
tbody = Tag("tbody")
td = Tag("td")
text = Tag("text")
th = Tag("th")
thead = Tag("thead")
title = Tag("title")
tr = Tag("tr")
ul = Tag("ul")
