"""Which of Python's regular expressions Java has, and how they are written."""

from __future__ import annotations

import re

import pytest

from notebook_udf.compile.java.patterns import pattern_syntax
from notebook_udf.compile.java.patterns.pattern_starts import first_letters
from notebook_udf.compile.java.patterns.pattern_syntax import (
    is_searched_alike,
    java_patterns,
    template,
)
from notebook_udf.compile.java.writing.terms import NotCompiled

WORD = "[0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ\\x{5f}abcdefghijklmnopqrstuvwxyz]"


@pytest.mark.parametrize(
    ("text", "flags", "java"),
    [
        ("ab.c", 0, "ab[^\\x{a}]c"),
        ("ab.c", re.S, "ab[\\x{0}-\\x{7f}]c"),
        ("k", re.I, "[Kk]"),
        ("ß+|a", re.A, "(?:[^\\x{0}-\\x{10ffff}]+|a)"),
        (r"^\d+$", 0, r"\A[0-9]+(?=\x{a}?\z)"),
        (r"^\d+\Z", re.M, r"(?<![^\x{a}])[0-9]+\z"),
        (r"a$", re.M, r"a(?![^\x{a}])"),
        (r"(?P<x>a)(?:b){2,}?(?P=x)", 0, r"(a)b{2,}?(?:\1)"),
        (r"(?>a+)b?+(?i:c)(?!d)", 0, r"(?>a+)b?+(?:[Cc])(?!d)"),
        (r"\bab\b ", 0, f"(?<!{WORD})ab(?!{WORD})\\x{{20}}"),
        (r"\b ", 0, f"(?=(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))\\x{{20}}"),
        (r"a{0}b", 0, "b"),
        (r"(?is)k(?-i:k.)(?-s:.)", 0, r"[Kk](?:k[\x{0}-\x{7f}])(?:[^\x{a}])"),
        # What has to be so deep as a text is long otherwise.
        (r"(?:,\d+)*$", 0, r"(?:\x{2c}[0-9]+)*+(?=\x{a}?\z)"),
        (r"(,\d+)+;", 0, r"(?:\x{2c}[0-9]+(?=\x{2c}[0-9]+)){0,}+(\x{2c}[0-9]+)\x{3b}"),
    ],
)
def test_texts_of_ascii_have_a_pattern_of_their_own(text: str, flags: int, java: str) -> None:
    assert java_patterns(re.compile(text, flags))[0] == java


def test_other_texts_have_pythons_classes() -> None:
    assert java_patterns(re.compile("k", re.I))[1] == "[[Kk][\u212a]]\U0010ffff{0}"
    assert java_patterns(re.compile("a[^ß]{2,}"))[1] == "a[^ß]{2,}\U0010ffff{0}"
    assert "\u0660-\u0669" in java_patterns(re.compile(r"\d"))[1]
    assert java_patterns(re.compile(r"\d", re.A))[1] == "[0-9]\U0010ffff{0}"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (r"(?i)(a)\1", "without case"),
        (r"(a)(?<=\1)", "looks back"),
        (r"(a)?(?(1)b|c)", "groupref_exists"),
        ("(?:a*)*", "may be empty"),
        ("(a?){3}", "may be empty"),
        ("(?:^a?){2}", "may be empty"),
        ("(?=(a))", "groups in a lookaround"),
        ("(?>(a))", "groups in a lookaround or an atomic group"),
        ("(a)*+", "groups in a possessive repeat"),
        ("(?:(a)b){2,3}", "groups within a repeat"),
        ("(?a:a)", "other classes in a part"),
        ("((a)+b?){2}a", "groups within a repeat"),
        ("((a){2}b?){2}", "groups within"),
        ("((a)b){2,3}", "groups within a repeat"),
        ("((a)b)*", "endless repeat"),
        ("(?:(a)b?)*c", "endless repeat"),
        ("(?:(a|bc)*d)*e", "groups within an endless repeat"),
        ("(?:a?b){0,999}", "too deep"),
        ("[^,]{1,9999}", "too deep"),
        ("a{2000000}", "very many rounds"),
        (r"\w" * 20, "too long"),
        ("\ud800", "surrogate"),
    ],
)
def test_what_java_finds_in_another_way_is_refused(text: str, why: str) -> None:
    with pytest.raises(NotCompiled, match=re.escape(why)):
        java_patterns(re.compile(text))


def test_what_a_later_python_brings_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pattern_syntax, "REPEATS", {})
    with pytest.raises(NotCompiled, match="max_repeat in a regular expression"):
        java_patterns(re.compile("a*"))


def test_a_replacement_is_texts_and_groups() -> None:
    pattern = re.compile("(a)(?P<b>b)")
    assert template(pattern, "") == []
    assert template(pattern, "x") == ["x"]
    assert template(pattern, r"\1\2") == [1, 2]
    assert template(pattern, r"<\g<b>\g<0>\n\\1>") == ["<", 2, 0, "\n\\1>"]
    for wrong in (r"\3", r"\g<c>", r"\q", "\\"):
        with pytest.raises(NotCompiled, match="Python refuses"):
            template(pattern, wrong)
    with pytest.raises(NotCompiled, match="surrogate"):
        template(pattern, "\ud800")


def test_it_is_known_whether_a_match_may_be_empty() -> None:
    alike = ("a", "a+", "(?:a|b)c*", r"(a)\1", "a{2}", "(?=a)b", "[^a]|bc", "(?>a)")
    alike = (*alike, "", r"\b", "(?=a)", "a{0}", "^$", "(?<!^)(?=[A-Z])", "(?m)^|$")
    assert all(is_searched_alike(re.compile(text)) for text in alike)
    perhaps = ("a*", "a|", r"(a?)\1", "(?:a*)+", r"\b.?", "(?=a)b?")
    assert not any(is_searched_alike(re.compile(text)) for text in perhaps)


def test_groups_of_lookarounds_are_left_out_where_nobody_asks() -> None:
    pattern = re.compile(r"\B(?=(\d{3})+(?!\d))(?P<x>a|(b))")
    with pytest.raises(NotCompiled, match="groups in a lookaround"):
        java_patterns(pattern)
    for plain in java_patterns(pattern, grouped=False):
        assert re.findall(r"\((?!\?)", plain) == []
    with pytest.raises(NotCompiled, match="repeats a group"):
        java_patterns(re.compile(r"(?=(a))\1"), grouped=False)


@pytest.mark.parametrize(
    ("text", "flags", "letters"),
    [
        ("#a", 0, "#"),
        (r"\bk\w", re.I, "Kk"),
        (r"(?<=a)(?=b)(?!c)^$x", 0, "x"),
        ("(ab|(?:c)|d*e)f", 0, "acde"),
        ("(?:a{0}b|c?)d", 0, "abcd"),
        ("(?>a|b)", 0, "ab"),
        ("[^\\x20-\\x7f]z", 0, "".join(map(chr, range(32)))),
        ("é", 0, ""),
        ("(?i:a)b", 0, "Aa"),
        ("a*", 0, None),
        ("(?:a|)", 0, None),
        (r"(a)?\1b", 0, None),
        ("(?!b)a", 0, "a"),
        (r"\w", 0, None),
        (".", 0, None),
    ],
)
def test_what_a_match_begins_with(text: str, flags: int, letters: str | None) -> None:
    assert first_letters(re.compile(text, flags)) == letters
