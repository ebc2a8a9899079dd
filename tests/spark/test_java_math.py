"""Functions of ``math`` and powers in the JVM: Python's answers, to the last bit."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.compile.java.java_class import JavaClass, translate
from notebook_udf.compile.java.numbers import libm
from tests.fuzz.functions import comparable
from tests.spark.java_calls import Java, answer

NUMBERS = (
    st.floats()
    | st.floats(-20, 20)
    | st.sampled_from(
        [0.0, -0.0, 1.0, -1.0, 2.0, 0.5, math.inf, -math.inf, math.nan, 710.0, 1e-310]
    )
)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def great_circle(a: float, b: float, c: float, d: float) -> float:
    a, b, c, d = map(math.radians, (a, b, c, d))
    h = math.sin((c - a) / 2) ** 2 + math.cos(a) * math.cos(c) * math.sin((d - b) / 2) ** 2
    return 2 * 6371 * math.asin(math.sqrt(h))


def deviation(values: list[float]) -> float | None:
    if len(values) < 2:
        return None
    mean = sum(values) / len(values)
    return (sum((value - mean) ** 2 for value in values) / (len(values) - 1)) ** 0.5


def caught(x: float, y: float) -> str:
    try:
        return str(math.pow(x, y) + math.log(x, y) + x**y)
    except ValueError:
        return "domain"
    except OverflowError:
        return "range"
    except ZeroDivisionError:
        return "zero"


def squared(x: float) -> float:
    return x**2 + x**3 - pow(x, -1) + 2**x


def angle(x: float, y: float) -> float:
    return math.degrees(math.atan2(y, x)) % 360.0


def of_ints(n: int) -> float:
    return math.log(n) + math.log2(n) + math.log10(n) + n**0.5 + n**-2 + math.exp(n / 1000)


@pytest.mark.parametrize("name", libm.NAMES)
def test_java_calls_the_machines_library(session: nu.Session, name: str) -> None:
    functions = session.host.java
    assert functions is not None
    assert functions.has_libm(name) == hasattr(math, name)


def translated(function: Callable[..., Any], **types: Any) -> JavaClass:
    declared = udf(function, **types)
    return translate(function, declared.input_types, declared.result_type)  # type: ignore[arg-type]


def compared(
    java: Java,
    function: Callable[..., Any],
    rows: list[tuple[Any, ...]],
    made: JavaClass | None = None,
) -> None:
    made = made or translated(function)
    for row, found in zip(rows, java.rows(made, rows), strict=True):
        expected = answer(function, row)
        assert comparable(found) == comparable(expected), (row, found, expected)


@pytest.mark.timeout(240)
@pytest.mark.parametrize(
    "name", [name for name in libm.NAMES if hasattr(math, name)], ids=lambda name: name
)
def test_each_answers_and_raises_as_python(java: Java, name: str) -> None:
    own, count = getattr(math, name), 2 if name in libm.PAIRS else 1
    function: Callable[..., Any] = (lambda x, y: own(x, y)) if count == 2 else lambda x: own(x)
    made = translated(function, input_types=["double"] * count, result_type="double")
    assert made.libm == {name}

    @settings(max_examples=20, deadline=None)
    @given(st.lists(st.tuples(*[NUMBERS] * count), min_size=40, max_size=40))
    def check(rows: list[tuple[float, ...]]) -> None:
        compared(java, function, rows, made)

    check()


@pytest.mark.timeout(240)
@settings(max_examples=8, deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS), min_size=90, max_size=90))
@example(
    [(-8.0, 1 / 3, 0.0, -1.0), (2.0, 1024.0, 1.0, 1.0), (5e-324, 1.0, -3.0, 3.0), (5.8e-161,) * 4]
)
def test_functions_of_them(java: Java, rows: list[tuple[float, ...]]) -> None:
    for function, count in ((sigmoid, 1), (squared, 1), (angle, 2), (caught, 2), (great_circle, 4)):
        compared(java, function, [row[:count] for row in rows])


@settings(max_examples=8, deadline=None)
@given(st.lists(st.lists(NUMBERS, max_size=4), min_size=50, max_size=50))
def test_of_lists(java: Java, rows: list[list[float]]) -> None:
    compared(java, deviation, [(row,) for row in rows])


@settings(max_examples=8, deadline=None)
@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 900), min_size=50, max_size=50))
def test_of_ints(java: Java, numbers: list[int]) -> None:
    compared(java, of_ints, [(number,) for number in numbers])


def test_in_a_query(session: nu.Session) -> None:
    session.register_function("in_java_sigmoid", udf(sigmoid))
    try:
        frame = session.sql("SELECT in_java_sigmoid(id / 7D) AS s FROM range(50)")
        assert [row.s for row in frame.collect()] == [sigmoid(n / 7) for n in range(50)]
        assert "Python" not in frame._jdf.queryExecution().executedPlan().toString()
    finally:
        session.drop_function("in_java_sigmoid")


def powers(x: float) -> list[float]:
    return [x**2, abs(x) ** 0.5]


def test_squares_and_roots_are_those_of_the_library(java: Java) -> None:
    """Where the library's own rounding cannot matter they are not asked of it."""
    chance = random.Random(4)
    rows = [
        (chance.choice((chance.gauss(0, 1), chance.randrange(-99_999, 99_999) / 100, hundred)),)
        for hundred in [
            chance.gauss(0, 1) * 10.0 ** chance.randrange(-160, 150) for _ in range(4000)
        ]
    ]
    compared(java, powers, [*rows, (0.0,), (-0.0,), (5e-324,), (1e-160,), (math.inf,), (1e160,)])


def rounded(x: float, digits: int) -> float:
    return round(x, digits)


def test_numbers_beside_a_half_are_rounded_as_in_python(java: Java) -> None:
    chance = random.Random(5)
    rows = []
    for _ in range(4000):
        digits = chance.randrange(16)
        half = (2 * chance.randrange(10 ** chance.randrange(1, 9)) + 1) / 2 / 10.0**digits
        beside = chance.choice((half, math.nextafter(half, 0), math.nextafter(half, math.inf)))
        rows.append((chance.choice((1, -1)) * chance.choice((beside, half + 2.0**40)), digits))
    edges = [2.0**52 - 0.5, 2.0**52 - 1, 2.0**52, 2.0**53 + 2, 0.5, 1.5, 2.5, 0.125, 1e300, 5e-324]
    compared(
        java,
        rounded,
        [*rows, *((x * sign, n) for x in edges for n in (0, 2, 15) for sign in (1, -1))],
    )
