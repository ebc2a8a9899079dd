"""Loops as kernels: a round for all rows at once, as long as enough of them make another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import DataType, LongType, StringType

from notebook_udf.worker.kernels.program import translate
from tests.fuzz.functions import LEFT, answers

ADDRESSES = ["1.2.3.4", "255.255.255.255", "10.0.0.1", "1.2.3", "0.0.0.0"]
TEXTS = ["", "a", "abca", "key=1&page=22&x=3", "page=7", "zz&page", "a b c"]
NUMBERS = [0, 1, 2, 3, 7, 12, -4]


def as_number(address: str) -> int:
    octets = address.split(".")
    if len(octets) != 4:
        return -1
    number = 0
    for octet in octets:
        number = number * 256 + int(octet)
    return number


def parameter(query: str) -> str | None:
    for pair in query.split("&"):
        name, _, value = pair.partition("=")
        if name == "page":
            return value
    return None


def checksum(text: str) -> int:
    total = 0
    for place, letter in enumerate(text):
        if letter == " ":
            continue
        total += (place + 1) * (3 if letter in "aeiou" else 1)
    return total % 97


def first_power(number: int) -> int:
    power = 1
    while power < number:
        power *= 2
    return power


def triangle(number: int) -> int:
    total = 0
    for outer in range(number):
        for inner in range(outer):
            if inner == 3:
                break
            total += inner
        else:
            total += 100
    return total


def unit_of(number: int) -> str:
    for unit in ("B", "KB", "MB"):
        if number < 4:
            return str(number) + unit
        number = number // 4
    return "many"


def last_letter(text: str) -> str:
    for letter in text:
        found = letter
    return found


def of_any_type(number: int) -> str:
    held: object = None
    for turn in range(40):
        if turn % 3 == number % 3:
            held = turn
            continue
        if turn > number:
            held = "late" if turn % 2 else None
        elif turn == 5:
            held = number * 0.5
    return "nothing" if held is None else f"{held}"


def left_when_it_likes(number: int) -> int:
    for turn in range(100):
        if turn == number * 8:
            return -turn
        if turn % 7 == 6 and turn > number * 9:
            break
    return turn


@pytest.mark.parametrize(
    ("function", "result", "given", "left"),
    [
        (as_number, LongType(), ADDRESSES, 0),
        (parameter, StringType(), TEXTS, 0),
        (checksum, LongType(), TEXTS[:3], 0),
        (first_power, LongType(), NUMBERS, 0),
        (triangle, LongType(), NUMBERS, 0),
        (unit_of, StringType(), NUMBERS, 0),
        (last_letter, StringType(), TEXTS[:3], 1),
        (of_any_type, StringType(), NUMBERS, 0),
        (left_when_it_likes, LongType(), NUMBERS, 0),
    ],
)
def test_each_row_makes_its_own_rounds(
    function: Callable[..., Any], result: DataType, given: list[Any], left: int
) -> None:
    """``left``: of the rows, those in which Python raises."""
    program = translate(function, result)
    assert program is not None
    assert program.outlook([pa.array(given).type]).answers
    found = answers(function, result, [pa.array(given)])
    for value, mine in zip(given, found, strict=True):
        assert mine is LEFT or mine == function(value)
    assert found.count(LEFT) == left


def test_rounds_that_few_rows_make_are_left_to_python() -> None:
    program = translate(first_power, LongType())
    assert program is not None
    answer = program([pa.array([2] * 99 + [1 << 40])])
    assert answer is not None
    assert answer.declined is not None
    assert answer.declined.tolist() == [False] * 99 + [True]


def turns_down(number: int) -> int:
    total = 0
    for turn in range(-1, number, -3):
        total += turn
        if turn < -100:
            break
    return total


def turns_up(number: int) -> int:
    total = 0
    for turn in range(number, 5):
        total += turn
        if turn < -10:
            break
    return total


@pytest.mark.parametrize("function", [turns_down, turns_up])
def test_ranges_to_the_ends_of_64_bits(function: Callable[..., Any]) -> None:
    ends = [-(2**63), -(2**63) + 1, -(2**63) + 2, 2**63 - 1, 2**63 - 2, -(2**62), 2**62]
    for each in ends:
        given = [-5, -3] * 20 + [each]
        found = answers(function, LongType(), [pa.array(given)])
        for value, mine in zip(given, found, strict=True):
            assert mine is LEFT or mine == function(value)
        assert found.count(LEFT) < len(found)


def test_a_loop_that_never_ends_is_left_to_python() -> None:
    def waiting(number: int) -> int:
        while number > 3:
            number = number + 0
        return number

    program = translate(waiting, LongType())
    assert program is not None
    assert program([pa.array([4, 5, 6])]) is None


def test_what_is_over_after_a_loop_is_left_to_python() -> None:
    def gone_over_twice(text: str) -> str:
        if text == "a":
            return text
        letters = reversed(text)
        found = ""
        for letter in letters:
            if letter == "c":
                break
        for letter in letters:
            found += letter
        return found

    program = translate(gone_over_twice, StringType())
    assert program is not None
    (left,) = program.outlook([pa.string()]).left
    assert left.reason == "an iterator that may be gone over twice"
    answer = program([pa.array(["a", "abcd", "a"])])
    assert answer is not None
    assert answer.declined is not None
    assert answer.declined.tolist() == [False, True, False]
