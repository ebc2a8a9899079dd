"""Class methods, static methods, and what members of an Enum do, in the JVM as in Python."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import DataType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

LONG, TEXT, REAL = LongType(), StringType(), DoubleType()


class Base:
    RATE = 2

    @classmethod
    def times(cls, x: int) -> int:
        return cls.RATE * x

    @classmethod
    def twice(cls, x: int) -> int:
        return cls.times(x) * 2

    @staticmethod
    def half(x: int) -> int:
        return x // 2


class Child(Base):
    RATE = 5


class Point(NamedTuple):
    x: int
    y: int

    @classmethod
    def parsed(cls, text: str) -> Point:
        x, y = text.split(",")
        return cls(int(x), int(y))

    @property
    def distance(self) -> int:
        return abs(self.x) + abs(self.y)


@dataclass
class Sized:
    size: int

    @classmethod
    def of(cls, text: str) -> Sized:
        return cls(len(text))

    @staticmethod
    def least() -> int:
        return 2


class Leaving:
    """Takes no more of what it is given than it needs."""

    @classmethod
    def fromkeys(cls, values: Iterator[int]) -> int:
        return next(values)

    @classmethod
    def join(cls, values: Iterator[int]) -> int:
        for each in values:
            return each
        return -1


class Risk(enum.Enum):
    LOW = "low"
    HIGH = "high"

    @property
    def label(self) -> str:
        return self.value.title() + self.name

    def described(self, n: int) -> str:
        return f"{self.name}:{self.label}:{n}"

    @staticmethod
    def weight(x: int) -> int:
        return x * 3


class Planet(enum.Enum):
    EARTH = (5.0, 6.0)
    MARS = (0.6, 3.3)

    def __init__(self, mass: float, radius: float) -> None:
        self.mass = mass
        self.radius = radius

    @property
    def gravity(self) -> float:
        return self.mass / self.radius / self.radius

    def weight(self, kilograms: float) -> float:
        return kilograms * self.gravity


def of_classes(text: str) -> int:
    return Base.twice(len(text)) + Child.twice(len(text)) + Child.half(7) + Base.half(len(text))


def of_a_tuple(text: str) -> int:
    return Point.parsed(text).distance


def of_an_object(text: str) -> int:
    return Sized.of(text).size + Sized.least()


def of_a_member(text: str) -> str:
    return Risk(text).described(Risk.weight(len(text))) + Risk.LOW.label


def of_its_attributes(text: str) -> float:
    return Planet[text].weight(len(text)) + Planet.MARS.mass + Planet[text].radius


TEXTS = ("low", "high", "EARTH", "MARS", "1,-2", "x", "")
CASES: list[tuple[Callable[..., Any], DataType, int]] = [
    (of_classes, LONG, 7),
    (of_a_tuple, LONG, 1),
    (of_an_object, LONG, 7),
    (of_a_member, TEXT, 2),
    (of_its_attributes, REAL, 2),
]


@pytest.mark.parametrize(
    ("function", "result", "answered"), CASES, ids=[each[0].__name__ for each in CASES]
)
def test_answers(java: Java, function: Any, result: DataType, answered: int) -> None:
    assert answered_alike(java, function, [TEXT], result, [(t,) for t in TEXTS]) == answered


def first_of_keys(text: str) -> int:
    return Leaving.fromkeys(10 // (2 - n) for n in range(len(text), 5))


def first_of_joined(text: str) -> int:
    return Leaving.join(10 // (2 - n) for n in range(len(text), 5))


@pytest.mark.parametrize("function", [first_of_keys, first_of_joined])
def test_a_generator_for_what_may_leave_some_stays_in_python(function: Any) -> None:
    with pytest.raises(NotCompiled, match="a generator here"):
        translate(function, [TEXT], LONG)
