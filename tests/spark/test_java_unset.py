"""Variables that have no value yet on some way to where they are read, in the JVM as in Python."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from pyspark.sql.types import ArrayType, LongType, StringType

import notebook_udf as nu
from tests.spark.java_calls import Java, answered_alike

TEXT, LONG = StringType(), LongType()
NUMBERS = [None, 0, 1, -1, 2, 5, 7, 1000, 1536, 10**9, 10**13, -(2**63), 2**63 - 1]
LISTS: list[list[int | None] | None] = [
    *(None, [], [0], [None], [3, None, 4], [5, 1], [1, 2, 3, None], [None, None]),
    *([random.Random(n).randint(-9, 9) for _ in range(n)] for n in range(1, 9)),
]


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm)


def size(n: int) -> str:
    number = float(n)
    for unit in ("B", "KB", "MB", "GB", "TB"):  # noqa: B007
        if number < 1024:
            break
        number /= 1024
    return f"{number:.1f}{unit}"


def last_of_range(n: int) -> str:
    for i in range(min(n, 40)):
        if i * i > 10:
            break
    return str(i)


def of_one_branch(n: int) -> str:
    if n > 2:
        said = "more"
    elif n == 0:
        said = str(n)
    return said


def two_together(n: int) -> str:
    if n > 2:
        one, other = n, "more"
    elif n < 0:
        one, other = 0, "less"
    return f"{one} {other}"


def taken(n: int) -> str:
    try:
        for i in range(min(n, 40)):
            if i * i > 10:
                break
        return str(i)
    except UnboundLocalError as error:
        return f"{type(error).__name__}: {error}"
    except Exception as error:
        return str(error)


def taken_by_a_wider_class(n: int) -> str:
    try:
        if n > 5:
            found = n
        return str(10 // n + found)
    except NameError:
        return "no name"
    except ZeroDivisionError:
        return "zero"


def passed_on(n: int) -> str:
    try:
        if n > 5:
            found = n
        return str(found)
    except ValueError:
        return "value"


OF_NUMBERS = [
    *(size, last_of_range, of_one_branch, two_together, taken, taken_by_a_wider_class, passed_on)
]


@pytest.mark.parametrize("function", OF_NUMBERS)
def test_of_numbers(java: Java, function: Callable[..., Any]) -> None:
    rows = [(n,) for n in NUMBERS]
    assert answered_alike(java, function, [LONG], TEXT, rows) > 1


def last(xs: list[int]) -> int:
    for x in xs:  # noqa: B007
        pass
    return x


def one_before(xs: list[int]) -> int:
    total = 0
    for i, x in enumerate(xs):
        if i:
            total += 2 * before + x  # noqa: F821
        before = x  # noqa: F841
    return total


def last_even(xs: list[int]) -> int:
    for x in xs:
        if x % 2 == 0:
            found = x
    return found


def last_place(xs: list[int]) -> int:
    for place, x in enumerate(xs):
        if x == 3:
            pair = (place, x)
    return pair[0] * 10 + pair[1]


def set_in_try(xs: list[int]) -> int:
    for x in xs:
        try:
            found = 10 // x
        except ZeroDivisionError:
            continue
    return found


def list_of_one_way(xs: list[int]) -> int:
    if len(xs) > 2:
        kept = [x for x in xs if x]
    kept.append(1)
    return len(kept)


@pytest.mark.parametrize(
    "function", [last, one_before, last_even, last_place, set_in_try, list_of_one_way]
)
def test_of_lists(java: Java, function: Callable[..., Any]) -> None:
    rows = [(xs,) for xs in LISTS]
    assert answered_alike(java, function, [ArrayType(LONG)], LONG, rows) > 1


def test_the_error_is_pythons(session: nu.Session) -> None:
    session.register_function("of_some", nu.udf(of_one_branch, result_type=TEXT))
    assert session.java.wait(60)
    said = "UnboundLocalError: cannot access local variable 'said'"
    with pytest.raises(nu.UserFunctionError, match=said) as caught:
        session.sql("SELECT of_some(CAST(1 AS BIGINT))").collect()
    assert "n = 1" in str(caught.value)
    assert "Spark's JVM" in str(caught.value)
