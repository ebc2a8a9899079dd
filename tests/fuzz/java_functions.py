"""Generated functions by their Java, row by row against Python's answers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Sequence
from typing import Any

from pyspark.sql.types import BooleanType, DateType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.fuzz.functions import RESULTS, comparable, made
from tests.spark.java_calls import Java, answer, in_column

TYPES = (
    *(LongType(), LongType(), DoubleType(), DoubleType(), StringType(), StringType()),
    *(BooleanType(), DateType(), DateType()),
)
# None by which a text is repeated into gigabytes, rather than refused at once.
_NUMBERS = [*range(-4, 13), 255, -(1 << 63), (1 << 63) - 1, 1 << 40, 10**15, -(10**9), None]
_REALS = [0.0, -0.0, 0.125, 2.675, 1.005, 1e15, -3.5, 2.5, 99.99, 1e-7, math.inf, -math.inf]
_REALS += [math.nan, 5e-324, 1.7e308, -1.5, 3.0]
_WORDS = ["", "a", "b", "ab", "abc", "a,b", "b,a,b", "12", "-7", " 4 ", "1_0", "bc", "a b", "Ab"]
_WORDS += ["\u00df", "\U0001f600b", "2024-02-29", "01.12.1999 23:59", "x,1,y", "aaa,bb,c", "1.5"]
_POOLS: tuple[list[Any], ...] = (
    *(_NUMBERS, _NUMBERS, [*_REALS, None], [*_REALS, None], [*_WORDS, None], [*_WORDS, None]),
    [True, False, None],
)


def drawn(chance: random.Random, count: int) -> list[tuple[Any, ...]]:
    """So many rows; columns of dates are made by Spark, which is not asked here."""

    def value(pool: list[Any]) -> Any:
        if pool is _NUMBERS and chance.random() < 0.1:
            return chance.randint(-(1 << 63), (1 << 63) - 1)
        return chance.choice(pool)

    return [(*map(value, _POOLS), None, None) for _ in range(count)]


def check_rows(java: Java, text: str, result: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """How many rows Java answered, if it has Java; fails at an answer that is not Python's."""
    function = made(text)
    try:
        java_class = translate(function, TYPES, RESULTS[result])
    except NotCompiled:
        return 0
    expected_of = in_column(function, RESULTS[result])
    for row, found in zip(rows, java.rows(java_class, rows), strict=True):
        expected = answer(expected_of, row)
        assert type(found) is type(expected), (text, row, found, expected)
        assert comparable(found) == comparable(expected), (text, row, found, expected)
    return len(rows)


def without_halves(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows without half of a surrogate pair, which no column holds."""
    return [row for row in rows if not any(map(_has_half_a_pair, row))]


def _has_half_a_pair(value: Any) -> bool:
    return isinstance(value, str) and any("\ud800" <= letter < "\ue000" for letter in value)
