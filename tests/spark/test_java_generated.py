"""Generated functions in the JVM: each row's answer is Python's, and what raises there raises."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.functions import functions, rows
from tests.fuzz.java_functions import (
    WRITTEN,
    check_rows,
    check_written,
    drawn,
    without_halves,
    written,
)
from tests.spark.java_calls import Java


@pytest.mark.timeout(240)
def test_every_row_is_answered_as_in_python(java: Java) -> None:
    answered = 0

    @settings(max_examples=150, deadline=None)
    @given(functions(more=1), st.lists(rows, min_size=2, max_size=3))
    def check(function: tuple[str, str], groups: list[list[tuple[Any, ...]]]) -> None:
        nonlocal answered
        asked = [row for group in groups for row in group]
        answered += check_rows(java, *function, without_halves(asked))

    check()
    assert answered > 200


@pytest.mark.timeout(240)
@pytest.mark.parametrize("more", [2, 3])
def test_what_functions_make_and_change_is_as_in_python(java: Java, more: int) -> None:
    answered = 0

    @settings(max_examples=100, deadline=None)
    @given(functions(more=more), st.integers(0, 1 << 30))
    def check(function: tuple[str, str], seed: int) -> None:
        nonlocal answered
        answered += check_rows(java, *function, drawn(random.Random(seed), 20))

    check()
    assert answered > 200


@pytest.mark.timeout(240)
@pytest.mark.parametrize("name", list(WRITTEN))
def test_containers_are_what_they_are_in_python(java: Java, name: str) -> None:
    answered = 0

    @settings(max_examples=500, deadline=None)
    @given(written(name))
    def check(text: str) -> None:
        nonlocal answered
        answered += check_written(java, name, text)

    check()
    assert answered > 400
