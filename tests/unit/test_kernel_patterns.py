"""Regular expressions as kernels: what RE2 finds of a pattern is what Python's ``re`` finds."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import DataType, LongType, StringType

from notebook_udf.worker.kernels.program import translate
from notebook_udf.worker.kernels.values import NoKernel
from tests.fuzz.functions import LEFT, answers

PIECES = (
    *("a", "b", "ab", "B", "1", " ", ".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\b", r"\."),
    *("[ab]", "[^a]", "[a-c1]", r"[\d-]", r"[^\w ]", "[]a]", "[[:alpha:]]", "[a&&b]", "^", "$"),
    *(r"\A", r"\Z", r"\B", "{", "}", "a{,2}", r"\x61", r"\t", r"[\]]", "-", "(?i:a)", "(?=a)"),
)
REPEATS = ("", "", "", "?", "*", "+", "{2}", "{1,2}", "{,2}", "{2,}", "*?", "+?", "??", "{1,3}?")
patterns = st.recursive(
    st.sampled_from(PIECES),
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("{}|{}".format, inner, inner),
        st.builds("({}){}".format, inner, st.sampled_from(REPEATS)),
        st.builds("(?:{}){}".format, inner, st.sampled_from(REPEATS)),
        st.builds("(?P<name>{})".format, inner),
    ),
    max_leaves=8,
)
texts = st.lists(st.text("aabbBc1 .-]{&\t\n\u00e9", max_size=6), min_size=1, max_size=8)


def function_of(pattern: re.Pattern[str], how: str) -> Callable[[str], Any]:
    def searched(text: str) -> Any:
        found = pattern.search(text)
        return "" if found is None else "<" + found.group() + ">"

    def matched(text: str) -> Any:
        found = pattern.match(text)
        if not found:
            return ""
        return "<" + found.group(1) + ">"

    def whole(text: str) -> Any:
        return "yes" if pattern.fullmatch(text) else "no"

    def replaced(text: str) -> Any:
        return pattern.sub("<>", text)

    made: dict[str, Callable[[str], Any]] = {
        "searched": searched, "matched": matched, "whole": whole, "replaced": replaced,
    }  # fmt: skip
    return made[how]


@given(patterns, st.sampled_from(["", "(?i)"]), texts)
def test_python_finds_the_same(pattern: str, flags: str, given: list[str]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compiled = re.compile(flags + pattern)
        except re.error:
            return
    for how in ("searched", "matched", "whole", "replaced"):
        function = function_of(compiled, how)
        for text, mine in zip(
            given, answers(function, StringType(), [pa.array(given)]), strict=True
        ):
            assert mine is LEFT or mine == function(text), (compiled, how, text)


LINE = re.compile(r'(?P<host>\S+) - \[([^\]]+)\] "(GET|POST) (?P<url>\S+)" (?P<status>\d{3})')
LINES = ['1.2.3.4 - [now] "GET /a" 200', '::1 - [then] "POST /b?c=d" 503', "broken", ""]


def status(line: str) -> int:
    found = LINE.match(line)
    if found is None:
        return -1
    return int(found["status"]) // 100


def parts(line: str) -> str:
    if found := LINE.fullmatch(line):
        host, _, method, url, _ = found.groups()
        return f"{method} {host}{url}"
    return "none"


def first_two(line: str) -> str:
    host, when = LINE.search(line).group("host", 2)  # type: ignore[union-attr]
    return host + "@" + when


@pytest.mark.parametrize(
    ("function", "result", "left"),
    [(status, LongType(), 0), (parts, StringType(), 0), (first_two, StringType(), 2)],
)
def test_groups(function: Callable[..., Any], result: DataType, left: int) -> None:
    found = answers(function, result, [pa.array(LINES)])
    assert found.count(LEFT) == left
    for line, mine in zip(LINES, found, strict=True):
        assert mine is LEFT or mine == function(line)


def test_a_group_that_may_take_no_part_is_left_to_python() -> None:
    optional = re.compile(r"(a)?b|(c)")

    def second(text: str) -> str:
        if text == "":
            return text
        return str(optional.search(text).group(2))  # type: ignore[union-attr]

    assert answers(second, StringType(), [pa.array(["", "b", ""])]) == ["", LEFT, ""]


def test_it_says_what_in_a_pattern_it_leaves() -> None:
    def ahead(text: str) -> bool:
        return re.search("a(?=b)", text) is not None

    program = translate(lambda text: "yes" if ahead(text) else "no", StringType())
    assert program is not None
    reasons = [each.reason for each in program.outlook([pa.string()]).left]
    assert "assert in a pattern" in reasons
    assert all(isinstance(each, NoKernel) for each in program.outlook([pa.string()]).left)
