"""Markup is safe by construction, and nobody but ``render`` writes any."""

from __future__ import annotations

import ast
import io
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import notebook_udf
from notebook_udf.render.display import Block, Displayed, Paragraph
from notebook_udf.render.format import counted, nanoseconds, number, percent, seconds, size
from notebook_udf.render.markup import (
    Child,
    data_script,
    details,
    div,
    li,
    markup,
    page,
    pre,
    script,
    span,
    summary,
    ul,
)
from notebook_udf.render.tables import Table
from notebook_udf.sanitize import one_line, plain

PACKAGE = Path(notebook_udf.__file__).parent
TEXTS = st.text() | st.sampled_from(
    ["<b>", "</div>", "&amp;", '" onclick="x', "'>", "<!--", "]]>", "<script>x</script>"]
)


class Seen(HTMLParser):
    """What a browser makes of a text: elements with their attributes, and texts."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.other: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attributes)))

    def handle_data(self, text: str) -> None:
        self.texts.append(text)

    def handle_comment(self, text: str) -> None:
        self.other.append(text)

    handle_decl = unknown_decl = handle_pi = handle_comment


@given(TEXTS)
def test_a_text_is_a_text_wherever_it_stands(text: str) -> None:
    shown = div(text, [span(text, title=text, aria_label=text)], style=("color:red", text))
    seen = Seen(markup(shown))
    text = plain(text)
    inside = {"title": text, "aria-label": text}
    assert seen.elements == [("div", {"style": f"color:red;{text}"}), ("span", inside)]
    assert "".join(seen.texts) == text * 2
    assert not seen.other


@given(st.lists(TEXTS, min_size=1))
def test_parts_stand_in_order_however_they_are_nested(texts: list[str]) -> None:
    nested: list[Child] = [[None, texts[:1]], (span(text) for text in texts[1:])]
    assert "".join(Seen(markup(nested)).texts) == "".join(map(plain, texts))


@given(TEXTS, TEXTS)
def test_tables_hold_texts_in_every_form(cell: str, head: str) -> None:
    table = Table((head, "b"), [(cell, "x")], head)
    seen = Seen(markup(table.html))
    names = ["table", *(["caption"] if head else []), "thead", "tr", "th", "th", "tbody", "tr"]
    assert [name for name, _ in seen.elements] == [*names, "td", "td"]
    assert "".join(seen.texts) == f"{plain(head)}{plain(head)}b{plain(cell)}x"
    assert one_line(cell) in table.text


@given(TEXTS)
def test_a_script_does_not_end_before_its_end(text: str) -> None:
    seen = Seen(page(text, script(text), data_script(text), div("after")))
    assert [name for name, _ in seen.elements][-4:] == ["body", "script", "script", "div"]
    assert "".join(seen.texts).endswith("after")
    assert "<!--" not in markup(script(text), data_script(text))


class Both(Displayed):
    def _blocks(self) -> list[Block]:
        return [Paragraph("[bold]a[/bold] <i>", pre), Table(("head",), [("[red]cell",)])]


def test_an_object_says_once_what_every_form_shows() -> None:
    assert repr(Both()) == "[bold]a[/bold] <i>\nhead\n[red]cell"
    assert Both()._repr_html_() == (
        "<pre>[bold]a[/bold] &lt;i&gt;</pre><table><thead><tr><th>head</th></tr></thead>"
        "<tbody><tr><td>[red]cell</td></tr></tbody></table>"
    )
    console = Console(file=io.StringIO(), width=60)
    console.print(Both())
    assert isinstance(console.file, io.StringIO)
    for text in ("[bold]a[/bold] <i>", "head", "[red]cell"):
        assert text in console.file.getvalue()


def test_attributes_are_written_as_html_has_them() -> None:
    fold = details(summary("more", class_="nu-more"), ul(map(li, "ab")), open=None, tabindex=0)
    assert markup(fold) == (
        '<details tabindex="0"><summary class="nu-more">more</summary>'
        "<ul><li>a</li><li>b</li></ul></details>"
    )


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (counted(1, "row"), "1 row"),
        (counted(2_000.4, "row"), "2,000 rows"),
        (number(0.0125), "0.0125"),
        (number(1234.5), "1,234"),
        (seconds(0.01234), "12.3 ms"),
        (seconds(1.254), "1.25 s"),
        (seconds(200), "3 min 20 s"),
        (nanoseconds(1_500_000_000), "1.50 s"),
        (percent(0.123), "12 %"),
        (percent(0.1234, 1), "12.3 %"),
        (size(512), "512 B"),
        (size(1536), "1.5 KiB"),
        (size(3 << 50), "3,072.0 TiB"),
    ],
)
def test_figures_are_short_and_have_units(written: str, expected: str) -> None:
    assert written == expected


# Spark writes this one between the lines of a batch's description, and it is read.
READ = {("telemetry/query_names.py", "<br/>")}
TAGS = re.compile(
    r"</?(?:a|b|body|br|button|caption|code|dd|details|div|dl|dt|em|g|h[1-6]|head|hr|html|i|img|"
    r"input|label|li|link|main|meta|ol|p|path|pre|rect|script|section|small|span|strong|style|sub|"
    r"summary|sup|svg|table|tbody|td|text|tfoot|th|thead|title|tr|u|ul)(?=[\s/>]|$)|<!doctype"
)


def literals(tree: ast.AST) -> Iterator[ast.Constant]:
    """The texts in a module, docstrings aside."""
    prose = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node


def test_nobody_else_writes_markup() -> None:
    found = []
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).as_posix()
        if name.startswith("render/"):
            continue
        tree = ast.parse(path.read_text("utf-8"))
        if "html" in {m.module for m in ast.walk(tree) if isinstance(m, ast.ImportFrom)}:
            found.append(f"{name} escapes texts itself")
        for literal in literals(tree):
            if TAGS.search(str(literal.value)) and (name, literal.value) not in READ:
                found.append(f"{name}:{literal.lineno} writes {literal.value!r}")
    assert not found, "describe it with notebook_udf.render.markup:\n" + "\n".join(found)
