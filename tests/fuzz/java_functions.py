"""Generated functions by their Java, row by row against Python's answers."""

from __future__ import annotations

import math
import random
import signal
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hypothesis import strategies as st
from pyspark.sql.types import BooleanType, DateType, DoubleType, LongType, StringType

from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.writing.terms import NotCompiled
from tests.fuzz import aliases, containers, flows, values
from tests.fuzz.functions import RESULTS, comparable, made
from tests.fuzz.wide_forms import DAYS, WIDE_COLUMNS, WIDE_POOLS
from tests.spark.java_calls import GAVE_UP, Java, answer, in_column

TYPES = (
    *(LongType(), LongType(), DoubleType(), DoubleType(), StringType(), StringType()),
    *(BooleanType(), DateType(), DateType(), *WIDE_COLUMNS.values()),
)
_MOST_SECONDS = 10
# None by which a text is repeated into gigabytes, rather than refused at once.
_NUMBERS = [*range(-4, 13), 255, -(1 << 63), (1 << 63) - 1, 1 << 40, 10**15, -(10**9), None]
_REALS = [0.0, -0.0, 0.125, 2.675, 1.005, 1e15, -3.5, 2.5, 99.99, 1e-7, math.inf, -math.inf]
_REALS += [math.nan, 5e-324, 1.7e308, -1.5, 3.0]
_WORDS = ["", "a", "b", "ab", "abc", "a,b", "b,a,b", "12", "-7", " 4 ", "1_0", "bc", "a b", "Ab"]
_WORDS += ["\u00df", "\U0001f600b", "2024-02-29", "01.12.1999 23:59", "x,1,y", "aaa,bb,c", "1.5"]
_WORDS += ['{"a": 1}', '{"b": {"c": []}, "a": null}', '[1, "a"]']
_POOLS: tuple[list[Any], ...] = (
    *(_NUMBERS, _NUMBERS, [*_REALS, None], [*_REALS, None], [*_WORDS, None], [*_WORDS, None]),
    [True, False, None],
    *(DAYS, DAYS, *WIDE_POOLS),
)


def drawn(chance: random.Random, count: int) -> list[tuple[Any, ...]]:
    """So many rows of all columns."""

    def value(pool: list[Any]) -> Any:
        if pool is _NUMBERS and chance.random() < 0.1:
            return chance.randint(-(1 << 63), (1 << 63) - 1)
        return chance.choice(pool)

    return [tuple(map(value, _POOLS)) for _ in range(count)]


class TooSlowError(BaseException):
    """No ``Exception``, which generated functions catch."""


@contextmanager
def in_time() -> Iterator[None]:
    """Raises ``TooSlowError`` in what takes longer than ``_MOST_SECONDS``."""

    def stop(*_: object) -> None:
        raise TooSlowError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, _MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def check_rows(java: Java, text: str, result: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """How many rows Java answered, if it has Java; fails at an answer that is not Python's.

    Those on which it gives up it leaves to Python. A function that takes too long in Python is
    left out: a loop may never end, or square a number again and again.
    """
    function = made(text)
    count = function.__code__.co_argcount
    rows = [row[:count] for row in rows]
    try:
        java_class = translate(function, TYPES[:count], RESULTS[result])
    except NotCompiled:
        return 0
    expected_of = in_column(function, RESULTS[result])
    try:
        with in_time():
            every = [answer(expected_of, row) for row in rows]
    except TooSlowError:
        return 0
    answered = 0
    for row, found, expected in zip(
        rows, java.rows(java_class, rows, tell=True), every, strict=True
    ):
        if found == GAVE_UP:
            continue
        answered += 1
        assert type(found) is type(expected), (text, row, found, expected)
        assert comparable(found) == comparable(expected), (text, row, found, expected)
    return answered


# Functions of one whole number, by what they try; each gives a text.
WRITTEN = {"aliases": aliases, "containers": containers, "flows": flows, "values": values}
_GIVEN = [(0,), (1,), (2,), (5,), (-3,), (None,)]


def written(name: str) -> st.SearchStrategy[str]:
    """Functions of a module of ``WRITTEN``, as text."""
    return st.builds(WRITTEN[name].drawn, st.randoms(use_true_random=False))


def check_written(java: Java, name: str, text: str) -> int:
    """How many rows Java answered of such a function; as ``check_rows``."""
    return check_rows(java, WRITTEN[name].NAMESPACE + text, "str", _GIVEN)


def without_halves(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows without half of a surrogate pair, which no column holds."""
    return [row for row in rows if not any(map(_has_half_a_pair, row))]


def _has_half_a_pair(value: Any) -> bool:
    return isinstance(value, str) and any("\ud800" <= letter < "\ue000" for letter in value)
