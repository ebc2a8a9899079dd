"""``difflib`` of texts in the JVM, next to Python's."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable
from difflib import SequenceMatcher, get_close_matches
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import ArrayType, BooleanType, DataType, DoubleType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, DOUBLE, FLAG, TEXTS = StringType(), DoubleType(), BooleanType(), ArrayType(StringType())
CITIES = ("Berlin", "Bern", "Bremen", "Dublin", "Lublin", "Malmö", "München", "Münster", "")
WORDS = (
    *("", "a", "b", "ab", "ba", "abc", "abcd", "bcd", "private Thread currentThread;", "ppel"),
    *("private volatile Thread currentThread;", "Ada Lovelace", "ada lovelace", "Lovelace, Ada"),
    *("Berlin", "Bärlin", "bremn", "Munchen", "Müncen", "Dubln", "😀a😀b", "a😀", "é", None),
)


def texts(chance: random.Random, count: int) -> list[str]:
    """Of few letters, so that much is alike; some so long that popular letters are left out."""
    made = []
    for _ in range(count):
        letters = chance.choice(("ab", "abc", "abcdefgh ", "aé😀b", "x" * 30 + "yz"))
        size = chance.choice((3, 8, 20, 60, 199, 200, 230, 420))
        made.append("".join(chance.choice(letters) for _ in range(size)))
    return made


def alike(a: str, b: str) -> bool:
    matcher = difflib.SequenceMatcher(a=a.lower(), b=b.lower())
    return (
        matcher.real_quick_ratio() > 0.5 and matcher.quick_ratio() > 0.5 and matcher.ratio() > 0.6
    )


def in_percent(a: str, b: str) -> str:
    return f"{SequenceMatcher(None, a, b).ratio():.1%}"


def nearest(a: str) -> str | None:
    found = get_close_matches(a, CITIES, n=1, cutoff=0.5)
    return found[0] if found else None


FUNCTIONS: list[tuple[Callable[..., Any], int, DataType]] = [
    (lambda a, b: SequenceMatcher(None, a, b).ratio(), 2, DOUBLE),
    (lambda a, b: SequenceMatcher(None, a, b, autojunk=False).ratio(), 2, DOUBLE),
    (lambda a, b: SequenceMatcher(None, a, b, False).quick_ratio(), 2, DOUBLE),
    (lambda a, b: SequenceMatcher(b=a, a=b).real_quick_ratio(), 2, DOUBLE),
    (lambda a: SequenceMatcher(None, "private Thread", a).ratio(), 1, DOUBLE),
    (alike, 2, FLAG),
    (in_percent, 2, TEXT),
    (nearest, 1, TEXT),
    (lambda a: get_close_matches(a, CITIES), 1, TEXTS),
    (lambda a, b: get_close_matches(a, b.split(), 2, 0), 2, TEXTS),
    (lambda a: ",".join(get_close_matches(a, ["ab", "ba", "ab", "abc", "b"], n=10**9)), 1, TEXT),
]


@pytest.mark.parametrize("at", range(len(FUNCTIONS)))
def test_as_much_is_alike_as_in_python(java: Java, at: int) -> None:
    function, count, result = FUNCTIONS[at]
    chance = random.Random(at)
    among = [*WORDS, *texts(chance, 40)]
    rows = [tuple(chance.choice(among) for _ in range(count)) for _ in range(700)]
    rows += [tuple(chance.choice(WORDS) for _ in range(count)) for _ in range(300)]
    assert answered_alike(java, function, [TEXT] * count, result, rows) > 500


def beside_try(a: str, b: str) -> float:
    try:
        return SequenceMatcher(None, a, b).ratio()
    except TypeError:
        return -1.0


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda a, b: SequenceMatcher(lambda c: c == " ", a, b).ratio(), "that has junk"),
        (lambda a, b: SequenceMatcher(None, a.split(), b.split()).ratio(), "anything but texts"),
        (lambda a, b: SequenceMatcher(None, a).ratio(), "whose texts come later"),
        (lambda a, b: SequenceMatcher(None, a, b).find_longest_match().size, "find_longest_match"),
        (lambda a, b: len(get_close_matches(a, [b], n=0)), "what raises in every row"),
        (lambda a, b: len(get_close_matches(a, [b, 1])), "among what is no text"),
        (beside_try, "what may be None, beside try"),
    ],
)
def test_what_has_no_java(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(NotCompiled, match=why):
        translate(function, [TEXT, TEXT], DOUBLE)
