"""What functions are called with and compared with, and constants gone through, as in Python."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

import pytest
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    LongType,
    StringType,
)

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.spark.java_calls import Java, answered_alike

LONG, TEXT = LongType(), StringType()
WHOLES = ArrayType(LONG)


class Colour(NamedTuple):
    r: int
    g: int
    b: int


def of_pieces(s: str) -> str:
    try:
        return date(*map(int, s.split("-"))).isoformat()
    except ValueError:
        return "no date"
    except TypeError:
        return "not three"


def colour(s: str) -> int:
    found = Colour(*(int(s[at : at + 2], 16) for at in (0, 2, 4)))
    return found.r + found.b * 1000


def pair(a: str, b: str) -> str:
    return f"{b}-{a}"


def joined(s: str) -> str:
    try:
        return pair(*s.split("-"))
    except TypeError:
        return "not two"


@pytest.mark.parametrize("function", [of_pieces, colour, joined])
def test_as_many_arguments_as_a_list_has(java: Java, function: Callable[..., Any]) -> None:
    dates = ["2024-02-29", "2023-02-29", "2024-1", "1-2-3-4", "a-b-c", "a-b", ""]
    texts = ["ff8001", "0a0b0c", "x", ""] if function is colour else dates
    result = LONG if function is colour else TEXT
    rows = [(text,) for text in texts]
    answered = answered_alike(java, function, [TEXT], result, rows)
    assert answered == (2 if function is colour else len(rows))


@pytest.mark.parametrize("value", [True, False])
def test_a_flag_that_is_true_or_false(java: Java, value: bool) -> None:
    flags = BooleanType()
    for function in (
        lambda flag: flag is value,
        lambda flag: "other" if flag is not value else "it",
        lambda flag: flag == None,  # noqa: E711
        lambda flag: None != flag,  # noqa: E711, SIM300
    ):
        result = flags if function(None) in (True, False) else TEXT
        rows = [(flag,) for flag in (True, False, None)]
        assert answered_alike(java, function, [flags], result, rows) == 3


@pytest.mark.parametrize(
    ("function", "types", "rows"),
    [
        (lambda d: d == None, [DateType()], [(date(2024, 1, 2),), (None,)]),  # noqa: E711
        (lambda d: d != None, [DecimalType(9, 2)], [(Decimal("1.50"),), (None,)]),  # noqa: E711
        (lambda d: d == "2024-01-02", [DateType()], [(date(2024, 1, 2),), (None,)]),
        (lambda d, s: d == s, [DecimalType(9, 2), TEXT], [(Decimal("1.50"), "1.50"), (None, None)]),
        (lambda d, n: d != n, [DateType(), LONG], [(date(2024, 1, 2), 5), (None, None), (None, 1)]),
    ],
)
def test_nothing_of_another_kind_is_equal(
    java: Java, function: Callable[..., Any], types: list[DataType], rows: list[tuple[Any, ...]]
) -> None:
    assert answered_alike(java, function, types, BooleanType(), rows) == len(rows)


LEVELS = OrderedDict([("FATAL", 50), ("ERROR", 40), ("WARN", 30)])


@pytest.mark.parametrize(
    "function",
    [
        lambda s: next((level for word, level in LEVELS.items() if word in s), 0),
        lambda s: LEVELS.get(s, len(LEVELS)),
        lambda s: sum(LEVELS.values()) + (s in LEVELS) + len(str(LEVELS)),
        lambda s: {**LEVELS}.get(s, 1),
    ],
)
def test_constants_in_their_order(java: Java, function: Callable[..., Any]) -> None:
    rows = [("ERROR",), ("a WARN, no ERROR",), ("",), ("FATAL",)]
    assert answered_alike(java, function, [TEXT], LONG, rows) == len(rows)


BRACKETS = {
    "single": [(Decimal("11600"), Decimal("0.10")), (Decimal("47150"), Decimal("0.12")),
               (None, Decimal("0.32"))],
    "married": [(Decimal("23200"), Decimal("0.10")), (None, Decimal("0.22"))],
}  # fmt: skip
STEPS = {"up": ((1, "one"), (2, "two")), "down": ((-1, "less"),)}


def tax(status: str, income: int) -> str:
    owed, lower = Decimal(0), Decimal(0)
    for upper, rate in BRACKETS.get(status, BRACKETS["single"]):
        top = Decimal(income) if upper is None or income < upper else upper
        owed += (top - lower) * rate
        if upper is None or income <= upper:
            break
        lower = upper
    return f"{owed:.2f}"


def steps(way: str, n: int) -> str:
    named = [f"{name}{step + n}" for step, name in STEPS[way]]
    return ",".join(named) + str(sum(step * n for step, _ in STEPS[way]))


@pytest.mark.parametrize("function", [tax, steps])
def test_one_of_some_lists_of_tuples(java: Java, function: Callable[..., Any]) -> None:
    rows = [
        (text, n)
        for text in ("single", "married", "other", "up", "down")
        for n in (0, 9000, 47150, 250_000)
    ]
    answered = answered_alike(java, function, [TEXT, LONG], TEXT, rows)
    assert answered == (len(rows) if function is tax else 8)


@dataclass(frozen=True)
class Money:
    cents: int

    def __add__(self, other: Money) -> Money:
        return Money(self.cents + other.cents)

    def __mul__(self, times: int) -> Money:
        return Money(self.cents * times)


def spent(v: list[int]) -> int:
    total = Money(1)
    for each in v:
        total = total + Money(each) * 2
    total += Money(5)
    return total.cents


class Step(NamedTuple):
    """One whose + is not that of tuples."""

    x: int
    y: int

    def __add__(self, other: Any) -> Step:
        return Step(self.x + other.x, self.y + other.y)

    def __mul__(self, times: Any) -> Step:
        return Step(self.x * times, self.y * times)


def walked(v: list[int]) -> int:
    place = Step(1, 2)
    for each in v:
        place = place + Step(each, 1) * 2
    place += Step(5, 0)
    return place[0] * 100 + place.y + len(place)


@pytest.mark.parametrize("function", [spent, walked])
def test_operators_of_a_class(java: Java, function: Callable[..., Any]) -> None:
    rows = [([],), ([3],), ([2, 1],), ([4, -7] * 9,)]
    assert answered_alike(java, function, [WHOLES], LONG, rows) == len(rows)


@pytest.mark.parametrize(
    "function",
    [
        lambda v: ((len(v), 2) + Step(1, 1))[2],  # noqa: RUF005
        lambda v: (2 * Step(len(v), 1))[3],
    ],
)
def test_operators_of_tuples_have_no_java(function: Callable[..., Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [WHOLES], LONG)
