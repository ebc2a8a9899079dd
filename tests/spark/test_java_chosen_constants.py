"""Constants that Java has no values for, where a function chooses one of them: as in Python."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Any

import pytest
from java_calls import Java, answered_alike
from pyspark.sql.types import DataType, LongType, StringType

LONG, TEXT = LongType(), StringType()


class Risk(enum.Enum):
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    @classmethod
    def of(cls, score: int) -> Risk:
        if score < 3:
            return cls.LOW
        return cls.MEDIUM if score < 7 else cls.HIGH


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2

    @classmethod
    def of(cls, n: int) -> Level:
        return cls.HIGH if n > 5 else cls.LOW

    def following(self) -> Level:
        return Level(min(self.value + 1, 2))


class Ease(enum.Enum):
    """Of the same names as another one, with other answers."""

    LOW = "easy"
    HIGH = "hard"

    @property
    def label(self) -> str:
        return "ease " + self.name

    @staticmethod
    def kind() -> str:
        return "an ease"

    def described(self) -> str:
        return f"{self.kind()} {self.label}"


class Haste(enum.Enum):
    LOW = 1
    HIGH = 2

    @property
    def label(self) -> str:
        return "haste " + self.name

    @staticmethod
    def kind() -> str:
        return "a haste"

    def described(self) -> str:
        return f"{self.label} {self.value}"


class Planet(enum.Enum):
    EARTH = (5, 6)
    MARS = (1, 3)

    def __init__(self, mass: int, radius: int) -> None:
        self.mass = mass
        self.radius = radius


DAY, NIGHT = {"a": 15, "b": 20}, {"a": 90}
DIGITS, LETTERS = re.compile(r"(\d+)"), re.compile(r"([a-z]+)")


def louder(text: str) -> str:
    return text.upper()


def lower(text: str) -> str:
    return text.lower()


def by_branches(x: int) -> str:
    risk = Risk.LOW
    if x > 5:
        risk = Risk.HIGH
    elif x < 0:
        risk = Risk.MEDIUM
    return risk.value + risk.name


def or_none(x: int) -> str | None:
    risk = Risk.LOW if x > 0 else None
    return None if risk is None else risk.name


def picked(x: int) -> Risk | None:
    if x > 3:
        return Risk.HIGH
    return Risk.MEDIUM if x > 1 else None


def by_a_helper(x: int) -> str:
    risk = picked(x)
    return Risk.of(x).value + (risk.value if risk else "nothing")


def in_a_loop(x: int) -> str:
    last, steps = None, 0
    for n in range(x % 7):
        steps += 1
        if n % 3 == 2:
            last = Risk.HIGH
        elif n % 2:
            last = Risk.LOW
    return "none" if last is None else last.name + str(steps)


def exchanged(x: int) -> str:
    one, other = Risk.LOW, Risk.HIGH
    for _ in range(x % 4):
        one, other = other, one
    return one.name + other.name


def a_member_twice(x: int) -> str:
    wanted = Risk.LOW if x > 0 else Risk.HIGH
    return str([each == wanted for each in (Risk.LOW, Risk.HIGH, Risk.LOW)])


def a_function(x: int) -> str:
    change = louder if x % 2 else lower
    return change("aB" * (x % 3))


def a_dict(x: int) -> int:
    rates = DAY if x > 0 else NIGHT
    return rates.get("b", 0) * 2 + len(rates) + rates["a"]


def of_displays(x: int) -> int:
    if x > 0:
        rates = {"a": 1, "b": 2}
        found = rates["a"]
    else:
        rates = {"a": 7}
        found = rates["a"] * 2
    return found + rates["a"] + len(rates)


def not_used_behind(x: int) -> int:
    if x > 0:
        rates, names = {"a": 1}, ("x", "y")
        found = rates["a"] + len(names)
    else:
        rates, names = {"b": 3}, ("z",)
        found = rates["b"] - len(names)
    return found


def a_pattern(x: int) -> str:
    found = (DIGITS if x > 0 else LETTERS).search(f"ab{x}")
    return found.group(1) if found else "-"


def the_worst(x: int) -> int:
    worst = Level.LOW
    for n in (x, x - 5, x + 1):
        level = Level.of(n)
        if level > worst:
            worst = level
    return worst.value + Level.of(x) + Level.LOW.following()


def as_numbers(x: int) -> str:
    try:
        level = Level(x)
    except ValueError:
        return "none"
    tests = [level == 2, level > 1, level is Level.HIGH, level != Level.LOW, level in (1, 5)]
    return str(tests) + level.following().name + str({Level.LOW: 5, Level.HIGH: 7}[level])


def as_a_column(x: int) -> str:
    level = Level(1 + x % 2)
    return f"{level == x} {x != level} {level < x} {level + x}"


def of_two_classes(x: int) -> str:
    member = Ease.LOW if x > 0 else Haste.HIGH
    return f"{member.label} {member.kind()} {member.described()} {member.name} {member.value}"


def its_parts(x: int) -> str:
    planet = Planet.MARS if x % 2 else Planet.EARTH
    return f"{planet.name} {planet.radius} {planet.value[0] + planet.mass}"


FUNCTIONS: list[Callable[..., Any]] = [
    by_branches, or_none, by_a_helper, in_a_loop, exchanged, a_member_twice, a_function, a_dict,
    of_displays, not_used_behind, a_pattern,
    the_worst, as_numbers, as_a_column, of_two_classes, its_parts,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_what_is_chosen(java: Java, function: Callable[..., Any]) -> None:
    result: DataType = (
        LONG if function in (a_dict, the_worst, of_displays, not_used_behind) else TEXT
    )
    rows = [(x,) for x in (*range(-4, 13), 100)]
    assert answered_alike(java, function, [LONG], result, rows) == len(rows)
