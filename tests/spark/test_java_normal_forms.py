"""``unicodedata`` in the JVM, next to Python's: every character, and many together."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, answered_alike, wrong_rows
from pyspark.sql.types import LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG = StringType(), LongType()


def stripped(s: Any) -> Any:
    return "".join(c for c in unicodedata.normalize("NFD", s) if not unicodedata.combining(c))


def without_marks(s: Any) -> Any:
    apart = unicodedata.normalize("NFD", s)
    return "".join([c for c in apart if unicodedata.category(c) != "Mn"])


def in_ascii(s: Any) -> Any:
    return unicodedata.normalize("NFKD", s).encode("ascii", "ignore").decode()


FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda s: unicodedata.normalize("NFC", s),
    lambda s: unicodedata.normalize("NFD", s),
    lambda s: unicodedata.normalize("NFKC", s),
    lambda s: unicodedata.normalize("NFKD", s),
    stripped,
    without_marks,
    in_ascii,
]
CHARACTERS = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
NAMES = (None, "", "Ada", "José", "Jose\u0301", "Ångström Ñandú", "ﬁne", "½", "Łódź", "한국", "ͅά")


def changing() -> list[str]:
    """Characters that a form changes, and those that combine."""
    return [
        c
        for c in CHARACTERS
        if unicodedata.combining(c)
        or unicodedata.normalize("NFKD", c) != c
        or "\u1100" <= c < "\u1200"
    ]


@pytest.mark.timeout(240)
@pytest.mark.parametrize("function", FUNCTIONS)
def test_many_together(java: Java, function: Callable[[Any], Any]) -> None:
    chance = random.Random(5)
    most = changing()
    marks = [c for c in most if unicodedata.combining(c)]
    few = [*"aeéÅøÜ가각각", "\u0301", "\u0323", "\u0345", "\u0338", "\u05b0", "\u09be", "\u0fb5"]

    def text() -> str:
        among = chance.choice((most, few, marks + few, few + few + CHARACTERS[:500]))
        return "".join(chance.choice(among) for _ in range(chance.randrange(1, 9)))

    texts = [*NAMES, *(text() for _ in range(6000))]
    # What is alone, and what stands before and behind what combines.
    texts += [c + "\u0301" + c for c in most]
    assert wrong_rows(java, function, TEXT, texts) == []


@pytest.mark.timeout(240)
def test_every_character(java: Java) -> None:
    size = 4096
    texts = ["".join(CHARACTERS[at : at + size]) for at in range(0, len(CHARACTERS), size)]

    def told(s: Any) -> Any:
        return "".join(f"{unicodedata.category(c)}{unicodedata.combining(c)}" for c in s)

    assert wrong_rows(java, told, TEXT, texts) == []
    for function in FUNCTIONS[:4]:
        assert wrong_rows(java, function, TEXT, texts) == []


def test_what_is_no_letter(java: Java) -> None:
    def kind(s: Any) -> Any:
        try:
            return unicodedata.combining(s)
        except TypeError:
            return -1

    rows = [(each,) for each in (None, "", "a", "ab", "\u0301", "😀", "😀a")]
    assert answered_alike(java, kind, [TEXT], LONG, rows) == len(rows)


@pytest.mark.parametrize(
    "function",
    [
        lambda s: unicodedata.normalize("nfc", s),
        lambda s: unicodedata.normalize(s, s),
        lambda s: unicodedata.normalize("NFC"),
        lambda s: unicodedata.category(s, s),
        lambda s: unicodedata.name(s),
    ],
)
def test_what_has_no_java(function: Callable[..., Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [TEXT], TEXT)
