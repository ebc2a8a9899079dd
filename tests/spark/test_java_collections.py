"""Columns of lists, keys of dicts as sets, sums and orders of Decimals, in the JVM as in Python."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import LongType, StringType

TEXT, LONG = StringType(), LongType()
PARTS = re.compile(r"(?P<key>\w+)=(?P<value>\d+)?")


def ngrams(text: str, n: int) -> str:
    words = text.split()
    return "|".join(" ".join(each) for each in zip(*(words[i:] for i in range(n)), strict=False))


def ngrams_of_a_list(text: str, n: int) -> str:
    words = text.split()
    return "|".join("_".join(each) for each in zip(*[words[i:] for i in range(n)], strict=False))


def rows_of(text: str) -> list[list[int]]:
    return [[int(part) for part in row.split()] for row in text.split(";")] if text else []


def turned(text: str) -> str:
    columns = [list(column) for column in zip(*rows_of(text))]  # noqa: B905
    return str(len(columns)) + str(columns[0] if columns else None)


def sums_of_columns(text: str) -> str:
    return str([sum(column) for column in zip(*rows_of(text))])  # noqa: B905


def changed_meanwhile(text: str) -> str:
    rows, seen = rows_of(text), []
    for column in zip(*rows):  # noqa: B905
        seen.append(len(column) + column[0])
        if len(seen) < 3:
            rows[0].append(9)
            rows[-1].append(7)
    return str(seen)


def taken_apart(text: str) -> str:
    pairs = [part.split("=") for part in text.split("&")]
    keys, values = zip(*pairs)  # noqa: B905
    return "|".join(keys) + ":" + "|".join(values)


def differences(text: str, other: str) -> str:
    old = dict(part.split("=") for part in text.split("&") if part.count("=") == 1)
    new = dict(part.split("=") for part in other.split("&") if part.count("=") == 1)
    made = []
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            made.append("-" + key)
        elif old.get(key) != new[key]:
            made.append("+" + key + new[key])
    shared = (
        sorted(old.keys() & new.keys())
        + sorted(old.keys() - {"a"})
        + sorted(old.keys() ^ new.keys())
    )
    return (
        ",".join(made) + str(old.keys() == new.keys()) + str(old.keys() <= {"a", "b"}) + str(shared)
    )


def in_their_order(text: str) -> str:
    once = OrderedDict.fromkeys(word.lower() for word in text.split() if len(word) > 1)
    return " ".join(list(once)) + str(len(once))


def by_varying_names(text: str) -> str:
    found = PARTS.search(text)
    if found is None:
        return "none"
    made = []
    for name in ("key", "value"):
        if found.group(name) is not None:
            made.append(f"{name}:{found[name]}")
    return ",".join(made)


TEXTS = (
    "",
    "a",
    "a=1&b=2",
    "b=3&a=1&c=4",
    "A a bb AB ab bb cc",
    "x y z x",
    "a=&b",
    "a=5&a=6",
    "k=",
)


@pytest.mark.parametrize("function", [ngrams, ngrams_of_a_list])
def test_pieces_of_some_words(java: Java, function: Callable[..., Any]) -> None:
    rows = [(text, n) for text in TEXTS for n in (-1, 0, 1, 2, 3, 9)]
    assert answered_alike(java, function, [TEXT, LONG], TEXT, rows) == len(rows)


@pytest.mark.parametrize("function", [turned, sums_of_columns, changed_meanwhile])
def test_columns_of_lists(java: Java, function: Callable[..., Any]) -> None:
    rows = [(text,) for text in ("", "1 2;3 4", "1;", ";", "5 6 7", "1 2 3;4", "1;2;3", "4;1 2 3")]
    assert answered_alike(java, function, [TEXT], TEXT, rows) == len(rows)


@pytest.mark.parametrize("function", [taken_apart, in_their_order, by_varying_names])
def test_of_a_text(java: Java, function: Callable[..., Any]) -> None:
    answered = answered_alike(java, function, [TEXT], TEXT, [(text,) for text in TEXTS])
    assert answered == (4 if function is taken_apart else len(TEXTS))


def test_keys_as_sets(java: Java) -> None:
    rows = [(one, other) for one in TEXTS for other in TEXTS]
    assert answered_alike(java, differences, [TEXT, TEXT], TEXT, rows) == len(rows)


def total(text: str) -> str:
    return str(sum(Decimal(part) for part in text.split(",")))


def total_from(text: str) -> str:
    found = sum((Decimal(part) for part in text.split(",") if part), Decimal("0.000"))
    return f"{found} {found / 3:.2f}"


def spread(text: str) -> str:
    values = [Decimal(part) for part in text.split(",")]
    return f"{max(values) - min(values)} {max(values)} {min(values, default=None)}"


def in_order(text: str) -> str:
    values = [Decimal(part) for part in text.split(",")]
    backwards = sorted(values, reverse=True)
    return ";".join(str(each) for each in sorted(values) + backwards)


def texts_in_order(text: str) -> str:
    return ";".join(part for _, part in sorted((Decimal(part), part) for part in text.split(",")))


DECIMALS = (
    *(
        "1",
        "1.50,2.25,-3,0.005",
        "2.0,2.00,2",
        "1e3,999",
        "NaN",
        "NaN,1",
        "1,NaN",
        "inf,-inf",
        "inf",
    ),
    *("", "x", "9999999999999999999999999999,0.5,0.5", "-0,0,-0.0", "3,1.0,1,1.00,2"),
)


@pytest.mark.parametrize("function", [total, total_from, spread, in_order, texts_in_order])
def test_of_decimals(java: Java, function: Callable[..., Any]) -> None:
    answered_alike(java, function, [TEXT], TEXT, [(text,) for text in DECIMALS])
