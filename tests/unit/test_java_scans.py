"""Which patterns match in one way at most, so that steps that never go back find their matches."""

from __future__ import annotations

import re

import pytest

from notebook_udf.compile.java.patterns.scans import scan_of

LINE = (
    r'^(?P<host>\S+) - - \[(?P<time>[^\]]+)\] "(?P<method>[A-Z]+) (?P<url>\S+) HTTP/[\d.]+" '
    r"(?P<status>\d{3}) (?P<size>\d+|-)$"
)


@pytest.mark.parametrize(
    "pattern",
    [
        *(LINE, r"\d+", r"[^\w\s-]", r"#\w+", r"<[^>]+>", r"(\w+)@(\w+)\.com", r"https?://([^/]+)"),
        *(r"^\d{5}(-\d{4})?$", r"(\d+)\s*(kg|g|lb)", r"\b\w+\b", r"(?:\d{1,3}\.){3}\d{1,3}"),
        *(r"\$?(\d+(?:,\d{3})*(?:\.\d+)?)", "(?i)error", r"^[A-Z]{2}\d{2}[A-Z0-9]{1,30}\Z"),
    ],
)
def test_patterns_with_one_way(pattern: str) -> None:
    assert scan_of(re.compile(pattern)) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        *(r".*?(\d+)", r"(.*)@(.*)", r"^\s+|\s+$", r"(\w+)\1", r"a(?=b)", r"a(?!b)", r"(?<=a)b"),
        *(r"[^@]+@[^@]+\.[a-z]+", r"(a)*b", r"(?:a|ab)c", r"a?ab", r"[^a]+$", r"(?:ab)?a", r"a*\b"),
        *(r"\d+\Bx", "(?m)^a", "(?i:a)b", "(?:a|)b", "(?>a)b"),
    ],
)
def test_patterns_with_several(pattern: str) -> None:
    assert scan_of(re.compile(pattern)) is None


def test_steps_are_told_by_numbers() -> None:
    scan = scan_of(re.compile(r"(ab)?\d{2,}"))
    assert scan is not None
    assert scan.sets == ["a", "0123456789"]
    assert scan.texts == ["ab"]
    assert scan.steps == [10, 0, 12, 1, 1, 4, 1, 3, 0, 5, 1, 0, 2, 1, 2, -1, 0]
