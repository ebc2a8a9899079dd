"""``re.sub`` by functions, and at places between letters, in the JVM, next to Python's."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, wrong_rows
from pyspark.sql.types import ArrayType, DataType, LongType, StringType

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG = StringType(), LongType()
WORD = re.compile(r"(?P<first>[a-z])(?P<rest>\w*)", re.I)
CODES = {"a": "1", "b": "22", "1": "one"}


def snake(text: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", text).lower()


def thousands(text: str) -> str:
    return re.sub(r"\B(?=(\d{3})+(?!\d))", ",", text)


def capitals(found: re.Match[str]) -> str:
    return found.group("first").upper() + found["rest"].lower()


def titled(text: str) -> str:
    return WORD.sub(capitals, text)


def numbered(text: str) -> str:
    count = len(text)

    return re.sub(r"\w\b|-", lambda m: f"<{m.span()[0]}:{m.end()}:{count}:{m[0]}>", text, count=3)


def coded(text: str) -> str:
    return re.sub("[ab1]", lambda m: CODES[m[0]], text)


def perhaps(text: str) -> str:
    return re.sub(r"(a)|b", lambda m: m.group(1), text)


def raising(text: str) -> str:
    try:
        return re.sub(r"(\d)|x", lambda m: str(10 // int(m.group(1))), text)
    except ZeroDivisionError:
        return "zero"
    except TypeError:
        return "no number"


def branching(found: re.Match[str]) -> str:
    number = int(found.group())
    if number > 100:
        return "many"
    return "" if number == 0 else str(number - 1)


def between(text: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|\b", lambda m: f"[{m.start()}]", text)


def nested(text: str) -> str:
    return re.sub(r"\w+", lambda m: re.sub("[aeiou]", lambda v: v[0].upper(), m[0]) + "!", text)


def by_several(text: str) -> str:
    for pattern in (re.compile("[a-z]+"), re.compile("[0-9]")):
        text = pattern.sub(lambda found: f"<{found.group()}>", text)
    return text


FUNCTIONS: list[tuple[Callable[..., Any], DataType]] = [
    (snake, TEXT),
    (thousands, TEXT),
    (titled, TEXT),
    (numbered, TEXT),
    (coded, TEXT),
    (perhaps, TEXT),
    (raising, TEXT),
    (between, TEXT),
    (nested, TEXT),
    (by_several, TEXT),
    (lambda s: re.sub(r"\d+", lambda m: str(int(m.group()) * 2), s), TEXT),
    (lambda s: re.sub(r"(?=(\d\d)+(?![0-9]))", ":", s), TEXT),
    (lambda s: re.sub(r"(?:[a-z]+ ?)+[0-9]", "<>", s), TEXT),
    (lambda s: re.sub(r"\d+", branching, s, count=2), TEXT),
    (lambda s: re.sub(r"(?<=[a-z])(?=[A-Z])", " ", s, count=1), TEXT),
    (lambda s: re.sub("(?m)^", "> ", s), TEXT),
    (lambda s: re.sub(r"(?=(?P<n>\d))", r"<\g<0>>", s), TEXT),
    (lambda s: re.split(r"(?=[A-Z])", s), ArrayType(TEXT)),
    (lambda s: re.split(r"\b", s, maxsplit=2), ArrayType(TEXT)),
    (lambda s: re.findall(r"$|(?=a)", s), ArrayType(TEXT)),
    (lambda s: len(re.findall(r"\B", s)), LONG),
    (lambda s: re.sub("$", ".", s), TEXT),
    (lambda s: re.sub(r"(?=([0-9]{2})+(?!\d))", ":", s), TEXT),
]


def texts(seed: int, count: int) -> list[Any]:
    chance = random.Random(seed)
    parts = [
        *(
            "CamelCase",
            "HTTPServer",
            "aB",
            "1234567",
            "12",
            "0",
            "101",
            "a",
            "b",
            "x",
            "A",
            "é",
            "É",
        ),
        *("😀", "𐐀", "-", " ", "_", "\n", "٣", "ab1", "Hello world", "ß", "9", "\r\n", "e\u0301"),
    ]
    made: list[Any] = [None, "", "\n", "aBcDe", "1000000", "x1000y2000000", "a😀B", "😀😀"]
    for _ in range(count):
        made.append("".join(chance.choices(parts, k=chance.randint(1, 5))))
    return made


@pytest.mark.parametrize(("function", "result"), FUNCTIONS)
def test_they_are_as_in_python(java: Java, function: Callable[..., Any], result: DataType) -> None:
    assert wrong_rows(java, function, result, texts(3, 900)) == []


def test_substitutions_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_titled", udf(titled))
    try:
        frame = session.sql("SELECT in_java_titled('to ' || id || ' bE') AS t FROM range(9)")
        assert [row.t for row in frame.collect()] == [f"To {n} Be" for n in range(9)]
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_titled")


def test_what_stays_in_python() -> None:
    cases: list[tuple[Callable[..., Any], str]] = [
        (lambda s: re.sub(r"\d*", "-", s), "may be empty"),
        (lambda s: re.sub(r"\d*", lambda m: m[0], s), "may be empty"),
        (lambda s: re.sub("a", lambda m: m.start(), s), "gives no text"),
        (lambda s: re.sub(r"(?=(a))", r"\1", s), "groups in a lookaround"),
        (lambda s: re.sub(r"(?=(\d\d)+(?![0-9]))", r"\1", s), "groups in a"),
        (lambda s: re.sub("a", str.upper, s), "no function|varies"),
    ]
    for function, why in cases:
        with pytest.raises(NotCompiled, match=why):
            translate(function, [TEXT], TEXT)
