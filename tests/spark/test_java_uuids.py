"""UUIDs of names and of texts in the JVM, next to Python's."""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT = StringType()
SHOP = uuid.UUID("00000000-0000-0000-0000-0000000000ff")


def checked(s: str) -> str | None:
    try:
        return str(uuid.UUID(s))
    except ValueError:
        return None


def keyed(s: str) -> str:
    key = uuid.uuid5(SHOP, s.strip().lower())
    return f"{key}|{key.hex}|{key.urn}"


FUNCTIONS: list[Callable[[str], Any]] = [
    lambda s: str(uuid.uuid5(uuid.NAMESPACE_DNS, s)),
    lambda s: str(uuid.uuid3(uuid.NAMESPACE_URL, s)),
    lambda s: uuid.UUID(s).hex,
    checked,
    keyed,
]


def texts() -> list[str | None]:
    """Names, and texts that are UUIDs or nearly so."""
    chance = random.Random(3)
    made: list[str | None] = [None, "", "python.org", "Ada", "é", "😀", " a\u0000b", "x" * 300]
    for _ in range(300):
        found = str(uuid.UUID(int=chance.getrandbits(chance.choice((128, 100, 8)))))
        found = chance.choice((found, found.upper(), found.replace("-", ""), "{" + found + "}"))
        found = chance.choice((found, f"urn:uuid:{found}", found[:-1], found + "0", found[:9]))
        for _ in range(chance.choice((0, 0, 1, 2))):
            at = chance.randrange(len(found))
            found = found[:at] + chance.choice("g_+- {}\t٣u") + found[at + 1 :]
        made.append(found)
    return made


@pytest.mark.parametrize("function", FUNCTIONS)
def test_they_are_pythons(java: Java, function: Callable[[str], Any]) -> None:
    rows = [(text,) for text in texts()]
    assert answered_alike(java, function, [TEXT], TEXT, rows) > 40


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (lambda s: str(uuid.UUID(hex=s)), "a call of UUID with these arguments"),
        (lambda s: str(uuid.uuid5(uuid.UUID(s), s)), "a namespace that varies"),
        (lambda s: uuid.UUID(s), "results that are not string"),
        (lambda s: str(uuid.UUID(s).version), "as a value"),
        (lambda s: f"{uuid.UUID(s)!r}", "in a text"),
        (lambda s: f"{uuid.UUID(s):>40}", "in a text"),
    ],
)
def test_what_has_no_java(function: Callable[[str], Any], why: str) -> None:
    with pytest.raises(NotCompiled, match=why):
        translate(function, [TEXT], TEXT)
