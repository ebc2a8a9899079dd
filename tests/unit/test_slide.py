"""Frames of window partitions, and the accumulator that follows them, against a plain model."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf.functions.capture import freeze
from notebook_udf.functions.definition import doorway
from notebook_udf.specs.payload import ship
from notebook_udf.specs.window_layout import WindowFrame
from notebook_udf.telemetry.records import TaskId
from notebook_udf.worker.aggregate.accumulator import Accumulation
from notebook_udf.worker.aggregate.frame_check import FrameCheck
from notebook_udf.worker.aggregate.sliding_frame import Slide
from notebook_udf.worker.aggregate.window_frame import range_bounds, rows_bounds
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.runtime.failure import FunctionFailed
from notebook_udf.worker.runtime.task import Task
from notebook_udf.worker.runtime.worker_process import Runtime


class Listed(nu.AggregateFunction):
    """The frame's values, in the order they came."""

    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int) -> None:
        if value == 13:
            raise ValueError("unlucky")
        accumulator.append(value)

    def retract(self, accumulator: list[int], value: int) -> None:
        assert accumulator[0] == value
        del accumulator[0]

    def get_value(self, accumulator: list[int]) -> list[int]:
        return accumulator


class WithoutRetract(Listed):
    def retract(self, accumulator: list[int], value: int) -> None:
        pass


class Total(nu.AggregateFunction):
    """A number, which has to be returned again."""

    def create_accumulator(self) -> int:
        return 0

    def accumulate(self, accumulator: int, value: int) -> int:
        return accumulator + value

    def retract(self, accumulator: int, value: int) -> int:
        return accumulator - value

    def get_value(self, accumulator: int) -> int:
        return accumulator


def accumulation(function: nu.AggregateFunction, result: str, **options: Any) -> Accumulation:
    definition = nu.udaf(function, result_type=result, **options)
    call = FunctionCall(ship("f", 1, definition, freeze(definition), role="window"), in_pass=True)
    call.open(Task(TaskId("", 0, 0, 0, 0), [call], Runtime(), job_parameters={}))
    return Accumulation(call)


def slide(
    function: nu.AggregateFunction,
    values: list[int],
    frame: WindowFrame,
    *,
    result: str = "array<bigint>",
    skipped: list[bool] | None = None,
    **options: Any,
) -> list[Any]:
    retracts = type(function).retract is not WithoutRetract.retract
    accumulated = accumulation(function, result, **options)
    declared = accumulated.call.header.accumulator_type
    check = None if declared is None else FrameCheck(accumulated, declared, lambda _: {})
    made = Slide(
        accumulated,
        [values],
        skipped,
        lambda _: {},
        retracts,
        copies=True,
        check=check,
    )
    found = made.run(*rows_bounds(frame, len(values)), first=0)
    if check is not None:
        check.finish()
    return found


def covered(frame: WindowFrame, row: int, size: int) -> range:
    """The rows of a ROWS frame, by definition."""
    first = 0 if frame.start is None else row + frame.start
    last = size - 1 if frame.end is None else row + frame.end
    return range(max(first, 0), min(last, size - 1) + 1)


@pytest.fixture(autouse=True, scope="module")
def inside_worker() -> Iterator[None]:
    with doorway.as_in_worker():
        yield


@pytest.mark.parametrize("start", [-2, -40, None])
def test_more_rows_than_are_taken_at_once(start: int | None) -> None:
    values, frame = list(range(14, 714)), WindowFrame("rows", start, 0)
    wanted = [[values[at] for at in covered(frame, row, 700)] for row in range(700)]
    assert slide(Listed(), values, frame, acc_type="array<bigint>") == wanted
    totals = slide(Total(), values, frame, result="bigint", acc_type="bigint")
    assert totals == list(map(sum, wanted))


distances = st.none() | st.integers(-25, 25)
frames = st.builds(lambda a, b: WindowFrame("rows", a, b), distances, distances)
rows = st.lists(st.integers(14, 99), max_size=60)


@given(rows, frames, st.sampled_from([Listed, WithoutRetract]))
def test_values_are_those_of_the_frames_rows(
    values: list[int], frame: WindowFrame, function: Callable[[], nu.AggregateFunction]
) -> None:
    expected = [[values[i] for i in covered(frame, row, len(values))] for row in range(len(values))]
    assert slide(function(), values, frame) == expected


@given(rows, frames)
def test_accumulators_that_are_returned_anew(values: list[int], frame: WindowFrame) -> None:
    expected = [
        sum(values[i] for i in covered(frame, row, len(values))) for row in range(len(values))
    ]
    assert slide(Total(), values, frame, result="bigint") == expected


@given(st.lists(st.tuples(st.integers(14, 99), st.booleans()), max_size=40), frames)
def test_rows_that_do_not_meet_the_condition(
    rows: list[tuple[int, bool]], frame: WindowFrame
) -> None:
    values, skipped = [v for v, _ in rows], [s for _, s in rows]
    expected = [
        [values[i] for i in covered(frame, row, len(rows)) if not skipped[i]]
        for row in range(len(rows))
    ]
    assert slide(Listed(), values, frame, skipped=skipped) == expected


@pytest.mark.parametrize("bad", [5, 30, 59])
def test_a_row_that_fails_is_let_go_where_the_function_says_so(bad: int) -> None:
    values = list(range(100, 160))
    values[bad] = 13
    frame = WindowFrame("rows", -4, 0)
    expected = [
        [values[i] for i in covered(frame, row, 60) if values[i] != 13] for row in range(60)
    ]
    assert slide(Listed(), values, frame, on_error="null") == expected
    with pytest.raises(FunctionFailed, match=f"(?s)unlucky.*with value = 13.*row {bad + 1} of"):
        slide(Listed(), values, frame)


values_of_order = st.lists(st.none() | st.integers(0, 12), min_size=1, max_size=25)


@given(values_of_order, st.integers(0, 4), st.integers(-2, 4), st.booleans(), st.booleans())
def test_ranges_by_value(
    order: list[int | None], before: int, after: int, descending: bool, nulls_first: bool
) -> None:
    present = sorted((v for v in order if v is not None), reverse=descending)
    nulls = [None] * order.count(None)
    ordered = [*nulls, *present] if nulls_first else [*present, *nulls]
    sign = -1 if descending else 1
    frame = WindowFrame("range", 0, 0, 0, 0, descending)
    lows = [None if v is None else v - sign * before for v in ordered]
    highs = [None if v is None else v + sign * after for v in ordered]
    low, high = range_bounds(frame, ordered, lows, highs)
    for row, value in enumerate(ordered):
        if value is None:
            expected = [i for i, other in enumerate(ordered) if other is None]
        else:
            expected = [
                i
                for i, other in enumerate(ordered)
                if other is not None and -before <= sign * (other - value) <= after
            ]
        assert list(range(low[row], high[row])) == expected


def test_peers_share_a_frame_and_one_nan_equals_another() -> None:
    nan = float("nan")
    low, high = range_bounds(WindowFrame("range", None, 0), [1.0, 1.0, 2.0, nan, nan], None, None)
    assert low.tolist() == [0] * 5
    assert high.tolist() == [2, 2, 3, 5, 5]
