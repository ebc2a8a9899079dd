"""Markup, escapes, NUL, surrogates, ten megabytes in a line: shown as text."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.written import lines_after


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "\x1b[31mred\x1b[0m",
        "nul \x00 in it",
        "lone \ud800 surrogate",
    ],
)
def test_odd_text_arrives_as_text(session: nu.Session, text: str) -> None:
    def writes(i: int) -> int:
        print(text, "| end")
        return i

    lines = lines_after(session, writes, until="| end")
    assert any(line.text == f"{text} | end" for line in lines)
    assert "<script>" not in session.logs()._repr_html_()


def test_a_line_of_ten_megabytes_is_cut_with_a_count(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("a" * 10_000_000)
        return i

    lines = lines_after(session, writes, until="aaaa")
    line = next(line for line in lines if line.text.startswith("aaaa"))
    assert len(line.text) < 20_000
    assert "more characters" in line.text
