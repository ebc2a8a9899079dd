"""Generated functions in the JVM: each row's answer is Python's, and what raises there raises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql.types import BooleanType, DateType, DoubleType, LongType, StringType

import notebook_udf as nu
from notebook_udf.compile.java.java_class import translate
from notebook_udf.compile.java.terms import NotCompiled
from notebook_udf.worker.codec.encode import encoder
from tests.fuzz.functions import RESULTS, comparable, functions, made, rows
from tests.spark.java_calls import Java, answer

TYPES = (
    *(LongType(), LongType(), DoubleType(), DoubleType(), StringType(), StringType()),
    *(BooleanType(), DateType(), DateType()),
)


@pytest.fixture(scope="module")
def java(session: nu.Session) -> Java:
    return Java(session.spark._jvm)


def in_column(function: Any, result: str) -> Callable[..., Any]:
    """What Python answers, as a column of the type holds it."""
    encode = encoder(RESULTS[result])
    return lambda *row: encode([function(*row)]).to_pylist()[0]  # type: ignore[attr-defined]


def has_half_a_pair(value: Any) -> bool:
    return isinstance(value, str) and any("\ud800" <= letter < "\ue000" for letter in value)


@pytest.mark.timeout(240)
def test_every_row_is_answered_as_in_python(java: Java) -> None:
    answered = 0

    @settings(max_examples=150, deadline=None)
    @given(functions(more=True), st.lists(rows, min_size=2, max_size=3))
    def check(drawn: tuple[str, str], groups: list[list[tuple[Any, ...]]]) -> None:
        nonlocal answered
        text, result = drawn
        function = made(text)
        try:
            java_class = translate(function, TYPES, RESULTS[result])
        except NotCompiled:
            return
        # Columns of dates are made by Spark, which is not asked here.
        asked = [(*row[:7], None, None) for group in groups for row in group]
        asked = [row for row in asked if not any(map(has_half_a_pair, row))]
        for row, found in zip(asked, java.rows(java_class, asked), strict=True):
            expected = answer(in_column(function, result), row)
            assert type(found) is type(expected), (text, row, found, expected)
            assert comparable(found) == comparable(expected), (text, row, found, expected)
            answered += 1

    check()
    assert answered > 200
