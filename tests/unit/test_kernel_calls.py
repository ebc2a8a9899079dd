"""Calls within functions that run as kernels: by name, of methods of one's own, of tuples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql.types import DataType, LongType, StringType

from notebook_udf.worker.kernels.program import translate
from tests.fuzz.functions import LEFT, answers

NUMBERS = [-20, -1, 0, 3, 5, 40]
TEXTS = ["", "a", "a=b", "k=v=w", "ü=é", "=", "a b", "xyz"]


def limited(value: int, low: int = 0, high: int = 10, *, step: int = 1) -> int:
    if value < low:
        return low
    return high if value > high else value * step


def extremes(one: int, other: int) -> tuple[int, int]:
    if one < other:
        return one, other
    return other, one


class Tariff:
    base = 3

    def __init__(self, rate: int) -> None:
        self.rate = rate

    def fee(self, miles: int, *, night: bool = False) -> int:
        return self.base + miles * self.rate * (2 if night else 1)

    def eval(self, miles: int) -> int:
        if miles > 4:
            return self.fee(miles, night=True)
        return self.fee(miles)


def by_name(value: int) -> int:
    return limited(high=4, value=value, step=3) + limited(value, 1, step=-1)


def ordered(value: int) -> int:
    low, high = extremes(value, 3)
    return high * 100 - low


def with_own_keyword(value: int, *, plus: int = 5) -> int:
    return value + plus


def named(text: str) -> str:
    key, between, value = text.partition("=")
    if not between:
        return key
    return value + ":" + key


def a_pair(text: str) -> str:
    key, value = text.split("=")
    return value + key


def masked(text: str) -> str:
    at = text.find("=")
    return text[: at + 1] + "*" * 2 + text[at:]


def last_first(text: str) -> str:
    return " ".join(text.split(sep="=")[::-1])


def given_by(text: str) -> str:
    return text.rsplit("=", maxsplit=1)[-1]


@pytest.mark.parametrize(
    ("function", "result", "given", "left"),
    [
        (by_name, LongType(), NUMBERS, 0),
        (ordered, LongType(), NUMBERS, 0),
        (with_own_keyword, LongType(), NUMBERS, 0),
        (Tariff(7).eval, LongType(), NUMBERS, 0),
        (named, StringType(), TEXTS, 0),
        (a_pair, StringType(), TEXTS, 5),
        (masked, StringType(), TEXTS, 1),
        (last_first, StringType(), TEXTS, 0),
        (given_by, StringType(), TEXTS, 0),
    ],
)
def test_it_is_answered_as_python_answers_it(
    function: Callable[..., Any], result: DataType, given: list[Any], left: int
) -> None:
    """``left``: of the rows, those that Python itself has to run: errors, and letters to count."""
    found = answers(function, result, [pa.array(given)])
    for value, mine in zip(given, found, strict=True):
        assert mine is LEFT or mine == function(value)
    assert found.count(LEFT) == left


def test_a_call_that_does_not_fit_is_left_to_python() -> None:
    def wrong(value: int) -> int:
        if value > 4:
            return limited(value, value=value)  # type: ignore[misc]
        return value

    program = translate(wrong, LongType())
    assert program is not None
    answer = program([pa.array(NUMBERS)])
    assert answer is not None
    assert answer.declined is not None
    assert answer.declined.tolist() == [value > 4 for value in NUMBERS]
    assert "does not fit" in program.outlook([pa.int64()]).left[0].reason


def test_a_slice_of_arrow_is_read_from_where_it_begins() -> None:
    program = translate(masked, StringType())
    assert program is not None
    answer = program([pa.array(["no", "never", *TEXTS[2:4], None])[2:]])
    assert answer is not None
    assert answer.result.to_pylist()[:2] == [masked("a=b"), masked("k=v=w")]
