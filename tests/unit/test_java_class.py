"""Which functions have Java, and why others have none."""

from __future__ import annotations

import datetime
import functools
import hashlib
import json
import re
import urllib.parse
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    LongType,
    StringType,
    StructType,
    TimestampNTZType,
)

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

DATE, MOMENT = DateType(), TimestampNTZType()
LONG, DOUBLE, TEXT, BOOLEAN = LongType(), DoubleType(), StringType(), BooleanType()
CODES = {"a": 1, "b": None}
WORD = re.compile(r"\w+")
BERLIN = ZoneInfo("Europe/Berlin")


def counted() -> Callable[[int], int]:
    total = 0

    def add(number: int) -> int:
        nonlocal total
        total += number
        return total

    return add


def shared_later(number: int) -> int:
    read = lambda: number  # noqa: E731
    number = 5
    return int(read())


def kept_generator(number: int) -> int:
    products = (each * number for each in range(3))
    number = 3
    return sum(products)


def shared_once(number: int) -> int:
    factor = number + 1
    times = lambda value: value * factor  # noqa: E731
    return int(times(2) + sum(times(each) for each in range(3)))


def tried(text: str) -> int:
    try:
        return int(text)
    except (ValueError, TypeError):
        return -1
    finally:
        text = ""


def extended(text: str) -> list[int]:
    found = json.loads(text)["a"]
    found += json.loads(text)["b"]
    return list(found)


def own_error(text: str) -> str:
    raise json.JSONDecodeError("none", text, 0)


def itself(number: int) -> int:
    return 1 if number < 2 else number * other(number - 1)


def other(number: int) -> int:
    return itself(number)


def tried_within(numbers: list[int]) -> int:
    def total():  # type: ignore[no-untyped-def]
        try:
            return sum(None if each == 5 else 100 // each for each in numbers)  # type: ignore[misc]
        except ZeroDivisionError:
            return -1

    return int(total())


def perhaps_late(d: Any) -> Any:
    """A variable, since from Python 3.12 on a branch may return for itself."""
    found = d if d.day < 9 else "late"
    again = found
    return again


ACCEPTED: list[tuple[Callable[..., Any], DataType, DataType]] = [
    (lambda n: n * n + 1, LONG, LONG),
    (lambda n: n / 2 if n else None, LONG, DOUBLE),
    (lambda s: s.upper()[::-1], TEXT, TEXT),
    (lambda s: CODES.get(s, 0), TEXT, LONG),
    (lambda s: [word.title() for word in s.split(",")], TEXT, ArrayType(TEXT)),
    (lambda s: sum(map(int, s.split())), TEXT, LONG),
    (lambda s: WORD.findall(s), TEXT, ArrayType(TEXT)),
    (lambda s: hashlib.sha256(s.encode()).hexdigest(), TEXT, TEXT),
    (lambda v: max(v) - min(v) if v else None, ArrayType(DOUBLE), DOUBLE),
    (lambda x: f"{x:.2f}", DOUBLE, TEXT),
    (lambda v: "-".join(v), ArrayType(TEXT), TEXT),
    (lambda d: round(d * 2, 1), DecimalType(9, 2), DecimalType(10, 1)),
    (lambda d: f"{d:%d.%m.%Y}", DATE, TEXT),
    (lambda d: d.replace(day=1).isocalendar().week, MOMENT, LONG),
    (lambda d: d.replace(hour=d.day), MOMENT, MOMENT),
    (shared_once, LONG, LONG),
    (tried, TEXT, LONG),
    (lambda s: json.loads(s).get("a", {})["b"], TEXT, TEXT),
    (lambda s: [each["a"] for each in json.loads(s)], TEXT, ArrayType(LONG)),
    (lambda s: urllib.parse.urlsplit(s).hostname, TEXT, TEXT),
]


@pytest.mark.parametrize(("function", "given", "result"), ACCEPTED)
def test_it_has_java(function: Callable[..., Any], given: DataType, result: DataType) -> None:
    made = translate(function, [given], result)
    assert made.source.count("private static") >= 3
    assert made == translate(function, [given], result)
    assert made.name != translate(function, [given], result, label="another").name


WEIGHTS = np.array([1, 2])

REFUSED: list[tuple[Callable[..., Any], DataType, DataType, str]] = [
    (counted(), LONG, LONG, "set for another function"),
    (shared_later, LONG, LONG, "number, which changes"),
    (kept_generator, LONG, LONG, "a generator in a variable"),
    (lambda s: sum(n for n, _ in enumerate(int(c) for c in s)), TEXT, LONG, "write a list"),
    (lambda n: n * WEIGHTS.min(), LONG, LONG, "a constant of type ndarray"),
    (itself, LONG, LONG, "other, which calls itself through another one"),
    (tried_within, ArrayType(LONG), LONG, "may hold None, beside try"),
    (lambda x: (-x) ** 2.0j, DOUBLE, DOUBLE, "complex"),
    (lambda v: sum(v, 0.5), ArrayType(DOUBLE), DOUBLE, "sum from a number"),
    (lambda v: [x for x in v if x in v], ArrayType(DOUBLE), ArrayType(DOUBLE), "list of floats"),
    (lambda x: (x, 1) == (x, 1), DOUBLE, BOOLEAN, "comparing tuples"),
    (lambda x: print(x), DOUBLE, DOUBLE, "a call of print"),
    (lambda s: s + "a", TEXT, LONG, "results that are not bigint"),
    (lambda d: d + 1, DecimalType(9, 2), LONG, "results that are not bigint"),
    (lambda n: CODES.update(a=n), LONG, LONG, "update of a dict"),
    (lambda n: f"{n:n}", LONG, TEXT, "the format n"),
    (lambda d: d.strftime("%s"), DATE, TEXT, "%s in a time's format"),
    (lambda d: d.strftime("%-Y"), DATE, TEXT, "%-Y in a time's format"),
    (lambda d: d.strftime("%Y%"), DATE, TEXT, "% in a time's format"),
    (lambda d: d.strftime("\0%Y"), DATE, TEXT, "more than plain letters"),
    (lambda d: d.replace(hour=1), DATE, DATE, "replace with what a date"),
    (lambda d: d.replace(tzinfo=None), DATE, DATE, "replace with what a date"),
    (lambda d: d.replace(tzinfo=datetime.UTC), DATE, DATE, "replace with what a date"),
    (lambda d: d.replace(tzinfo=BERLIN), MOMENT, MOMENT, "replace with what a date"),
    (lambda d: d.astimezone(BERLIN), MOMENT, MOMENT, "a datetime.timezone that is known"),
    (lambda d: d.astimezone(datetime.UTC), DATE, DATE, "the method astimezone of a date"),
    (perhaps_late, DATE, DATE, "what may be no date as a result"),
    (lambda s: WORD.sub(s, "ab"), TEXT, TEXT, "no text and no function, or varies"),
    (lambda s: WORD.sub(lambda m: m.end(), s), TEXT, TEXT, "a function that gives no text"),
    (lambda s: json.loads(s, strict=False)["a"], TEXT, TEXT, "anything but a text"),
    (lambda n: json.loads(n), LONG, TEXT, "json.loads of what is no text"),
    (lambda s: json.loads(s)["a"] == json.loads(s)["b"], TEXT, BOOLEAN, "two parts of documents"),
    (lambda s: json.loads(s)["a"] < json.loads(s)["b"], TEXT, BOOLEAN, "two parts of documents"),
    (lambda s: json.loads(s)["a"] in json.loads(s), TEXT, BOOLEAN, "in a part of a document"),
    (lambda s: json.loads(s).popitem()[0], TEXT, TEXT, "popitem of a dict of a document"),
    (lambda s: json.loads(s).sort(), TEXT, TEXT, "sort of a list of a document"),
    (lambda s: json.loads(s).count("a"), TEXT, LONG, "count of a part"),
    (lambda s: json.loads(s).keys()[0], TEXT, TEXT, "a sequence as a value"),
    (lambda s: json.loads(s)["\ud800"], TEXT, TEXT, "half of a surrogate pair"),
    (lambda s: json.loads(s)["a"], TEXT, DecimalType(9, 2), "a part of a document as a DECIMAL"),
    (lambda s: json.loads(s)["a"], TEXT, DateType(), "what may be no date as a result"),
    (
        lambda s: json.loads(s),
        TEXT,
        StructType().add("a", TEXT),
        "what may be no tuple in a result",
    ),
    (lambda s: round(json.loads(s)["a"]), TEXT, LONG, "round of this"),
    (extended, TEXT, ArrayType(LONG), "+= to what may be a list"),
    (own_error, TEXT, TEXT, "results that are not string"),
    (lambda s: urllib.parse.urlparse(s, "http").path, TEXT, TEXT, "anything but a text"),
    (lambda s: urllib.parse.urlparse(s.encode()).path, TEXT, TEXT, "urlparse of what is no text"),
    (lambda s: urllib.parse.urlparse(s).path.lower(), TEXT, TEXT, "of what is no text"),
    (lambda s: urllib.parse.urlparse(s).geturl(), TEXT, TEXT, "a tuple as a value"),
    (lambda s: urllib.parse.urlparse(json.loads(s)).path, TEXT, TEXT, "urlparse of what is no"),
]


@pytest.mark.parametrize(("function", "given", "result", "why"), REFUSED)
def test_it_has_none(
    function: Callable[..., Any], given: DataType, result: DataType, why: str
) -> None:
    with pytest.raises(NotCompiled, match=re.escape(why)):
        translate(function, [given], result)


def minus(a: int, b: int) -> int:
    return a - b


@functools.wraps(minus)
def turned(b: int, a: int) -> int:
    return a - b


def test_arguments_are_those_of_the_code_itself() -> None:
    ways = [translate(each, [LONG, LONG], LONG).source for each in (minus, turned)]
    read = [re.findall(r"t\d = a(\d);", way)[:2] for way in ways]
    assert read == [["0", "1"], ["1", "0"]]


def test_the_line_is_told() -> None:
    def two(number: int) -> int:
        once = number + 1
        return hash(once)

    with pytest.raises(NotCompiled) as caught:
        translate(two, [LONG], LONG)
    assert caught.value.line == two.__code__.co_firstlineno + 2


def test_texts_of_the_user_are_written_as_they_are() -> None:
    made = translate(lambda s: any(c == 'LEAVE;"\n\\u0041\0' for c in s), [TEXT], BOOLEAN)
    assert r'"LEAVE;\042\012\134u0041\000"' in made.source
