"""timedeltas in the JVM, next to Python's: made of floats, multiplied, cut, and their parts."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from java_calls import GAVE_UP, RAISED, Java, answer
from pyspark.sql.types import BooleanType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled

TEXT, LONG, DOUBLE, FLAG = StringType(), LongType(), DoubleType(), BooleanType()
CHANCE = random.Random(7)
# In microseconds: to both ends of 64 bits, and around zero.
MICROS = (
    *range(-9, 10), *(CHANCE.randrange(-(10**7), 10**7) for _ in range(40)),
    *(CHANCE.randrange(-(2**63), 2**63) for _ in range(40)), 2**63 - 1, -(2**63), None,
)  # fmt: skip
COUNTS = (
    *range(-12, 13), *(CHANCE.randrange(-(10**6), 10**6) for _ in range(40)),
    *(CHANCE.randrange(-(2**63), 2**63) for _ in range(20)), 2**63 - 1, -(2**63), None,
)  # fmt: skip
REALS = (
    0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 0.25, 1e-6, 5e-7, 1.5e-6, 2.5e-6, -5e-7, 1e-7, 5e-324, 1e300,
    1 / 3, 0.1, 1e16, -1e16, 9.2e18, -9.3e18, 2.0**63, float("nan"), float("inf"), -float("inf"),
    *(CHANCE.uniform(-10, 10) for _ in range(60)), *(CHANCE.uniform(-1e9, 1e9) for _ in range(60)),
    *(CHANCE.randrange(10**7) / 2**CHANCE.randrange(40) for _ in range(60)), None,
)  # fmt: skip


def whole(span: timedelta) -> str:
    return f"{span.days} {span.seconds} {span.microseconds} {span}"


def longest_first(a: int, b: int) -> str:
    one, other = timedelta(minutes=a), timedelta(microseconds=b)
    longer, shorter = (one, other) if abs(one) >= abs(other) else (other, one)
    return whole(longer - shorter) if shorter else whole(-longer)


def retried(n: int, share: float) -> float:
    wait = timedelta(seconds=1)
    for _ in range(min(max(n, 0), 12)):
        wait *= 2
    return (wait * share).total_seconds()


def middle(a: int, b: int) -> str:
    start, end = datetime(2024, 1, 1), datetime(2024, 1, 1) + timedelta(hours=b / 3)
    return (start + (end - start) / 2 + timedelta(milliseconds=a)).isoformat()


def or_nothing(n: int, share: float) -> str | None:
    try:
        return str(timedelta(minutes=n) / share)
    except ZeroDivisionError:
        return None
    except (OverflowError, ValueError) as error:
        return type(error).__name__


CASES: list[tuple[Callable[..., Any], list[Any], Any, tuple[Any, ...]]] = [
    (lambda a, n: whole(timedelta(microseconds=a) * n), [LONG, LONG], TEXT, (MICROS, COUNTS)),
    (lambda a, n: whole(n * timedelta(microseconds=a)), [LONG, LONG], TEXT, (MICROS, COUNTS)),
    (lambda a, n: whole(timedelta(microseconds=a) / n), [LONG, LONG], TEXT, (MICROS, COUNTS)),
    (lambda a, n: whole(timedelta(microseconds=a) // n), [LONG, LONG], TEXT, (MICROS, COUNTS)),
    (lambda a, x: whole(timedelta(microseconds=a) * x), [LONG, DOUBLE], TEXT, (MICROS, REALS)),
    (lambda a, x: whole(x * timedelta(microseconds=a)), [LONG, DOUBLE], TEXT, (MICROS, REALS)),
    (lambda a, x: whole(timedelta(microseconds=a) / x), [LONG, DOUBLE], TEXT, (MICROS, REALS)),
    (lambda a: whole(-timedelta(microseconds=a)), [LONG], TEXT, (MICROS,)),
    (lambda a: whole(abs(timedelta(microseconds=a))), [LONG], TEXT, (MICROS,)),
    (lambda a, n: whole(timedelta(0, a, n)), [LONG, LONG], TEXT, (MICROS, COUNTS)),
    (lambda a: whole(timedelta(microseconds=a * a)), [LONG], TEXT, (MICROS,)),
    (lambda a: bool(timedelta(microseconds=a)), [LONG], FLAG, (MICROS,)),
    (lambda a: 1 if timedelta(microseconds=a) else 2, [LONG], LONG, (MICROS,)),
    (lambda x: whole(timedelta(weeks=x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x: whole(timedelta(x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x: whole(timedelta(hours=x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x: whole(timedelta(minutes=x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x: whole(timedelta(seconds=x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x: whole(timedelta(milliseconds=x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x: whole(timedelta(microseconds=x)), [DOUBLE], TEXT, (REALS,)),
    (lambda x, y: whole(timedelta(x, y, y)), [DOUBLE, DOUBLE], TEXT, (REALS, REALS)),
    (
        lambda x, y: whole(timedelta(microseconds=x, milliseconds=y, weeks=x)),
        [DOUBLE, DOUBLE],
        TEXT,
        (REALS, REALS),
    ),
    (lambda a, x: whole(timedelta(seconds=a, hours=x)), [LONG, DOUBLE], TEXT, (MICROS, REALS)),
    (lambda a, x: whole(timedelta(a > 0, x)), [LONG, DOUBLE], TEXT, (MICROS, REALS)),
    (longest_first, [LONG, LONG], TEXT, (COUNTS, MICROS)),
    (retried, [LONG, DOUBLE], DOUBLE, (COUNTS, REALS)),
    (middle, [LONG, LONG], TEXT, (COUNTS, COUNTS)),
    (or_nothing, [LONG, DOUBLE], TEXT, (COUNTS, REALS)),
]


def is_too_long(function: Callable[..., Any], row: tuple[Any, ...]) -> bool:
    """Whether a span may be more than 64 bits hold: such rows are left to Python."""
    if any(each is not None and abs(each) > 2**31 for each in row):
        return True
    try:
        return bool(re.search(r"\d{8} days", str(function(*row))))
    except ArithmeticError:
        return False


@pytest.mark.parametrize("at", range(len(CASES)))
def test_spans(java: Java, at: int) -> None:
    function, types, result, values = CASES[at]
    chance = random.Random(at)
    asked = [tuple(chance.choice(among) for among in values) for _ in range(2000)]
    if len(types) == 1:
        asked = [(each,) for each in values[0]]
    found = java.rows(translate(function, types, result), asked, tell=True)
    for row, one in zip(asked, found, strict=True):
        expected = answer(function, row)
        left = one == GAVE_UP and (expected == RAISED or is_too_long(function, row))
        assert left or repr(one) == repr(expected), row
    assert sum(one not in (RAISED, GAVE_UP) for one in found) > len(asked) // 4


@pytest.mark.parametrize(
    "function",
    [
        lambda a: timedelta(seconds=a) % 7,
        lambda a: timedelta(seconds=a) * "2",
        lambda a: timedelta(seconds=a) * timedelta(seconds=a),
        lambda a: timedelta(seconds=str(a)),
        lambda a: timedelta(seconds=a, fortnights=a),
    ],
)
def test_what_raises_in_every_row_has_no_java(function: Callable[[Any], Any]) -> None:
    with pytest.raises(NotCompiled):
        translate(function, [LONG], TEXT)
