"""What operators, built-in functions and texts ask of objects of the user's classes, in the JVM."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import BooleanType, DataType, LongType, StringType

LONG, TEXT, TRUTH = LongType(), StringType(), BooleanType()
NUMBERS = [(0,), (1,), (2,), (5,), (-3,), (None,)]

Pair = namedtuple("Pair", "a b")


@dataclass
class Money:
    amount: int
    currency: str = "EUR"

    def add(self, other: Money) -> Money:
        return Money(self.amount + other.amount, self.currency)

    def __str__(self) -> str:
        return f"{self.amount / 100:.2f} {self.currency}"


@dataclass
class Item:
    number: int
    name: str = "it's"
    hidden: int = field(default=3, repr=False, compare=False)


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0


class Range(NamedTuple):
    low: int
    high: float = 1.5

    def __str__(self) -> str:
        return f"<{self.low}>"


class Length:
    """Says itself what is asked of it."""

    def __init__(self, metres: int) -> None:
        self.metres = metres

    def __len__(self) -> int:
        return self.metres

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Length) and self.metres == other.metres

    def __lt__(self, other: Length) -> bool:
        return self.metres < other.metres

    def __getitem__(self, at: int) -> int:
        return self.metres + at

    def __repr__(self) -> str:
        return "Length " + str(self.metres)

    def __abs__(self) -> Length:
        return Length(abs(self.metres))

    def __format__(self, how: str) -> str:
        return f"{self.metres}:{how}"


class Words:
    """A list of its own, which grows."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, word: str) -> None:
        self.found.append(word)

    def __len__(self) -> int:
        return len(self.found)

    def __str__(self) -> str:
        return "+".join(self.found)


def own_text(n: int) -> str:
    return f"{Money(n)} or {Money(n).add(Money(50))!s}"


def text_of_a_dataclass(n: int) -> str:
    return f"{Item(n)} {Money(n)!r} {Item(n, 'q')!s}" + repr(Item(Item(n)))  # type: ignore[arg-type]


def text_of_a_named_tuple(n: int) -> str:
    return f"{Pair(n, 'z')}|{Range(n)}|{Range(n)!r}"


def own_length(n: int) -> int:
    return len(Length(n))


def own_order(n: int) -> str:
    one, other = Length(n), Length(2)
    return f"{one == other}{one != other}{one < other}"


def own_item(n: int) -> int:
    return Length(n)[3]


def own_format(n: int) -> str:
    return str(abs(Length(n))) + f"{Length(n):>5}{Length(n)}" + format(Length(n), "x")


def order_of_dataclasses(n: int) -> str:
    one, other = Version(n, 1), Version(2)
    return f"{one < other}{one >= other}{one == Version(5, 1)}{one != Version(5, 1)}"


def fields_that_are_not_compared(n: int) -> bool:
    return Item(n, "a", n) == Item(5, "a", 0)


def texts_in_a_loop(n: int) -> str:
    every = [Money(n), Money(2)]
    return ";".join(str(each) for each in every) + ",".join(map(str, every))


def one_that_grows(n: int) -> str:
    words = Words()
    for at in range(n):
        words.add("ab"[at % 2])
    return f"{words} {len(words)}"


CASES: list[tuple[Callable[[int], Any], DataType]] = [
    (own_text, TEXT),
    (text_of_a_dataclass, TEXT),
    (text_of_a_named_tuple, TEXT),
    (own_length, LONG),
    (own_order, TEXT),
    (own_item, LONG),
    (own_format, TEXT),
    (order_of_dataclasses, TEXT),
    (fields_that_are_not_compared, TRUTH),
    (texts_in_a_loop, TEXT),
    (one_that_grows, TEXT),
]


@pytest.mark.parametrize(("function", "result"), CASES, ids=[each[0].__name__ for each in CASES])
def test_answers(java: Java, function: Callable[[int], Any], result: DataType) -> None:
    assert answered_alike(java, function, [LONG], result, NUMBERS) > 2
