"""Runs a target for a while, after all the values that ever made it fail."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import notebook_udf as nu
from tests.fuzz import aggregates, corpus, queries
from tests.fuzz.functions import COLUMNS, functions
from tests.fuzz.functions import check as check_kernels
from tests.fuzz.java_functions import (
    TooSlowError,
    check_rows,
    check_written,
    drawn,
    in_time,
    without_halves,
    written,
)
from tests.fuzz.row_functions import RowFunctions
from tests.fuzz.targets import TARGETS
from tests.spark.java_calls import Java

# The most of what is tried is rows: a function takes as long to be compiled as thousands of them.
_ROWS_EACH = 3_000
_ROWS_OF_A_QUERY = 20_000


def fuzz(name: str, seconds: float) -> int:
    """Returns how many values were tried; raises what the first that failed raised.

    That value, made small, is added to the corpus.
    """
    target = TARGETS[name]
    return _tried(name, target.values, target.check, seconds, 200)


def fuzz_queries(session: nu.Session, seconds: float) -> int:
    """The same for queries of the session's Spark."""
    queries.prepare(session)
    return _tried("queries", queries.queries(), partial(queries.check, session), seconds, 10)


def fuzz_java(session: nu.Session, seconds: float) -> int:
    """Generated functions by their Java: returns how many rows were answered as in Python."""
    java, chance = Java(session.spark._jvm), random.Random()

    def check(function: tuple[str, str]) -> int:
        return check_rows(java, *function, drawn(chance, _ROWS_EACH))

    return _answered("java", functions(more=3), check, seconds, 50)


def fuzz_written(name: str, session: nu.Session, seconds: float) -> int:
    """Functions of what containers are and do, by their Java: as ``fuzz_java``."""
    check = partial(check_written, Java(session.spark._jvm), name)
    return _answered(name, written(name), check, seconds, 200)


def fuzz_aggregates(session: nu.Session, seconds: float) -> int:
    """Aggregates compiled and in workers: returns how many groups had one value."""
    aggregates.prepare(session)
    made = st.builds(aggregates.drawn, st.randoms(use_true_random=False))
    return _answered("aggregates", made, partial(aggregates.check, session), seconds, 10)


def fuzz_rows(session: nu.Session, seconds: float) -> int:
    """Generated functions row by row in workers: returns how many rows were answered so."""
    by_row = RowFunctions(session, random.Random(), _ROWS_OF_A_QUERY)
    return _answered("rows", functions(more=3), lambda f: by_row.check(*f), seconds, 10)


def fuzz_arrow(seconds: float) -> int:
    """Generated functions as kernels: returns how many rows those answered as Python does."""
    chance = random.Random()

    def check(function: tuple[str, str]) -> int:
        given = without_halves(drawn(chance, _ROWS_EACH))
        with suppress(TooSlowError), in_time():
            return check_kernels(*function, [row[: len(COLUMNS)] for row in given])
        return 0

    return _answered("arrow", functions(more=0), check, seconds, 50)


def _answered(
    name: str,
    values: st.SearchStrategy[Any],
    check: Callable[[Any], int],
    seconds: float,
    examples: int,
) -> int:
    """How much of what is generated was answered, each as often as ``check`` says."""
    answered = 0

    def once(value: Any) -> None:
        nonlocal answered
        answered += check(value)

    _tried(name, values, once, seconds, examples)
    return answered


def _tried(
    name: str,
    values: st.SearchStrategy[Any],
    check: Callable[[Any], None],
    seconds: float,
    examples: int,
) -> int:
    """``examples`` are tried between two looks at the clock."""
    for value in corpus.values(name):
        check(value)
    tried = 0
    last: Any = None
    end = time.monotonic() + seconds

    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(values)
    def once(value: Any) -> None:
        nonlocal tried, last
        tried += 1
        last = value
        check(value)

    try:
        while time.monotonic() < end:
            once()
    except Exception:
        # Hypothesis ends with the smallest that fails.
        corpus.add(name, last)
        raise
    return tried
