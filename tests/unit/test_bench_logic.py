"""Comparing results row by row, taking turns, and finding out how many rows to take."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.bench.interleave import in_turn, next_sample
from notebook_udf.bench.result_diff import difference

VALUES = st.one_of(st.none(), st.floats(), st.just(0.5))


def column(values: list[Any], kind: pa.DataType | None = None) -> pa.Table:
    return pa.table({"result": pa.array(values, kind)})


def same(one: float | None, other: float | None) -> bool:
    if one is None or other is None:
        return one is other
    return one == other or (math.isnan(one) and math.isnan(other))


@given(st.lists(st.tuples(VALUES, VALUES), max_size=40))
def test_differences_are_those_of_python(pairs: list[tuple[float | None, float | None]]) -> None:
    found = difference(
        column([a for a, _ in pairs], pa.float64()), column([b for _, b in pairs], pa.float64())
    )
    apart = [at for at, (a, b) in enumerate(pairs) if not same(a, b)]
    assert (found is None) == (not apart)
    if found is not None:
        assert (found.rows, found.first) == (len(apart), apart[0] + 1)


def test_the_last_digits_of_floats_are_told_from_other_values() -> None:
    found = difference(column([1.0, 2.0]), column([1.0, 2.0 * (1 + 1e-12)]))
    assert found is not None
    assert found.nearly
    for expected, other in (
        ([1.0, 2.0], [1.0, 2.1]),
        ([1.0, 2.0], [1.0, None]),
        ([1.0, math.inf], [1.0, 2.0]),
        ([1, 2], [1, 3]),
        ([[1.0], [2.0]], [[1.0], [2.0, 3.0]]),
        (["a", "b"], ["a", "c"]),
    ):
        found = difference(column(expected), column(other))
        assert found is not None
        assert not found.nearly
        assert (found.first, found.expected, found.found) == (2, expected[1], other[1])


def test_results_of_other_lengths_differ() -> None:
    found = difference(column([1, 2, 3]), column([1, 2]))
    assert found is not None
    assert (found.rows, found.first, found.found, found.nearly) == (1, 3, "no row", False)


def test_values_in_lists_and_maps() -> None:
    kind = pa.list_(pa.struct({"x": pa.float64()}))
    one, other = column([[{"x": math.nan}]], kind), column([[{"x": math.nan}]], kind)
    assert difference(one, other) is None
    found = difference(one, column([[{"x": None}]], kind))
    assert found is not None
    assert found.rows == 1


def test_no_case_always_follows_the_same_one() -> None:
    order: list[tuple[str, int]] = []
    seconds = in_turn(
        {"a": lambda: 1.0, "b": lambda: 2.0, "c": lambda: None},
        2,
        before=lambda name, turn: order.append((name, turn)),
    )
    assert [name for name, _ in order] == [*"abc", *"cba", *"abc"]
    assert seconds["a"] == (1.0, 1.0)
    assert len(seconds["c"]) == 2


@given(st.floats(1e-7, 1e-3), st.floats(0, 0.4))
def test_a_sample_is_found_that_takes_about_as_long_as_wanted(row: float, start: float) -> None:
    rows, most = 2_000, 2_000_000
    for _ in range(20):
        more = next_sample(rows, start + rows * row, target=1.0, most=most)
        if more == rows:
            break
        assert rows < more <= most
        rows = more
    else:
        pytest.fail("no end to it")
    assert rows == most or rows == 2_000 or 0.5 <= start + rows * row <= 1.5
