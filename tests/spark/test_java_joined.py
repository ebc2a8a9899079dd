"""Texts joined as a generator gives them, and letters looked up, in the JVM as in Python."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, DataType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

LONG, TEXT = LongType(), StringType()
WORDS: tuple[str | None, ...] = (
    *(None, "", "a", "Z", "é", "ß", "\u0131", "😀", "ada lovelace", "one  two\tthree", " a b "),
    *("😀 é", "zip 12345 ok", "123456 12345", "a@b.com x", "foo@bar.org,é", "éx@y.org"),
    *("\x7f\x80 x", "x,y z"),
)
DOCUMENTS = (
    *(None, "no", '["a", "b"]', "[]", '["x"]', '["a", 1]', '[null, "a"]', '["a", {"b": 1}]'),
    *('[1, "\\ud83d\\ude00"]', '["\\u00e9", "b"]'),
)
FIVE = re.compile(r"\b(\d{5})\b")
ADDRESS = re.compile(r"(\w+)@(\w+)\.(com|org)")


def initials(s: str) -> str:
    return "".join(part[0].upper() for part in s.split() if part) or "?"


def within(s: str) -> str:
    return "|".join("".join(c.upper() for c in w if c != "a") for w in s.split())


def in_a_loop(s: str) -> str:
    made = ""
    for part in s.split(","):
        made += "+".join(str(len(w)) for w in part.split()) + ";"
    return made


def with_none(s: str) -> str:
    return "/".join(w if len(w) > 1 else None for w in s.split())  # type: ignore[misc]


def by_none(s: str) -> str:
    try:
        return "-".join(w if len(w) > 1 else None for w in s.split())  # type: ignore[misc]
    except TypeError:
        return "no text"


def raises_later(s: str) -> str:
    # What the generator raises comes before what join thinks of its first value.
    try:
        return "-".join(None if w == "a" else w[3] for w in s.split())  # type: ignore[misc]
    except IndexError:
        return "short"
    except TypeError:
        return "no text"


def of_a_document(s: str) -> str:
    return ",".join(each for each in json.loads(s))


def of_a_document_or_not(s: str) -> str:
    try:
        return ",".join(each for each in json.loads(s))
    except TypeError:
        return "other"
    except ValueError:
        return "bad"


def of_a_generator(s: str) -> str:
    def words() -> Iterator[str]:
        for w in s.split():
            if w != "a":
                yield w[0]

    return ".".join(words())


def ends(s: str) -> str:
    return s[0].lower() + s[-1].upper() + s[len(s) // 2]


def five(s: str) -> str | None:
    found = FIVE.search(s)
    return found.group(1) if found else None


def address(s: str) -> str:
    found = ADDRESS.search(s)
    return "-" if found is None else f"{found.group(1)}:{found[3]}:{found.start()}:{found.end(2)}"


OF_WORDS: list[Callable[[str], Any]] = [
    initials, within, in_a_loop, with_none, by_none, raises_later, of_a_generator, ends, five,
    address,
]  # fmt: skip
CASES: list[tuple[Callable[..., Any], list[DataType], list[tuple[Any, ...]]]] = [
    *((each, [TEXT], [(word,) for word in WORDS]) for each in OF_WORDS),
    *(
        (each, [TEXT], [(document,) for document in DOCUMENTS])
        for each in (of_a_document, of_a_document_or_not)
    ),
    (
        lambda s, t: t.join(w[:2] for w in s.split()),
        [TEXT, TEXT],
        [(word, between) for word in WORDS for between in (None, "", "-", "é", "😀")],
    ),
    (
        lambda v: "-".join(w for w in v if w != "b"),
        [ArrayType(TEXT)],
        [(None,), ([],), (["a"],), (["a", "b", "c"],), ([None, "a"],), (["a", None],)],
    ),
]


@pytest.mark.parametrize(("function", "kinds", "rows"), CASES)
def test_it_is_as_in_python(
    java: Java, function: Callable[..., Any], kinds: list[DataType], rows: list[tuple[Any, ...]]
) -> None:
    assert answered_alike(java, function, kinds, TEXT, rows)


def test_no_list_is_made() -> None:
    assert "ArrayList()" not in translate(initials, [TEXT], TEXT).source


def test_what_is_no_text_is_not_joined() -> None:
    with pytest.raises(NotCompiled, match="anything but texts to join"):
        translate(lambda v: "".join(x for x in v), [ArrayType(LONG)], TEXT)
