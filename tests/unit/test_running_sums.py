"""Frames whose sums numpy adds up hold what stepping from row to row would have left in them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf.functions.capture import freeze
from notebook_udf.functions.definition import doorway
from notebook_udf.planner.physical.aggregate_from_sums import sums_of
from notebook_udf.specs.payload import ship
from notebook_udf.specs.window_layout import WindowFrame, WindowLayout, WindowPart
from notebook_udf.telemetry.records import TaskId
from notebook_udf.worker.aggregate.prefix_sums import RunningSums
from notebook_udf.worker.aggregate.window import WindowPass
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.codec.key_runs import run_starts
from notebook_udf.worker.runtime.failure import FunctionFailed
from notebook_udf.worker.runtime.task import Task
from notebook_udf.worker.runtime.worker_process import Runtime


class Total(nu.AggregateFunction):
    """A float and a whole number; what is shown of them tells -0.0, 0 and 0.0 apart."""

    def create_accumulator(self) -> Any:
        return [0.0, 0, "unused"]

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += value
        accumulator[1] += 1

    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator[0] -= value
        accumulator[1] -= 1

    def get_value(self, accumulator: Any) -> Any:
        return f"{accumulator[0]!r} {accumulator[1]!r}"

    def get_result_type(self) -> str:
        return "string"


class Whole(Total):
    """Begins with whole numbers, whatever is added."""

    def create_accumulator(self) -> Any:
        return [7, 0]


class Growing(Total):
    """Has no retract."""

    retract = nu.AggregateFunction.retract


class Present(Total):
    """Passes over NULL, and takes back otherwise than it took."""

    def accumulate(self, accumulator: Any, value: Any) -> None:
        if value is None:
            accumulator[1] += 1
        else:
            accumulator[0] -= value * 2 - 1
            accumulator[0] += value

    def retract(self, accumulator: Any, value: Any) -> None:
        if value is not None:
            accumulator[0] += value * 3


class Mean(Total):
    """Fails where all its weights have gone."""

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator[0] += 1 / (value + 0.5)
        accumulator[1] += 2

    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator[0] -= 1 / (value + 0.5)
        accumulator[1] -= 2

    def get_value(self, accumulator: Any) -> Any:
        return repr(accumulator[0] / accumulator[1])


class Number(Total):
    """A number that is returned again."""

    def create_accumulator(self) -> Any:
        return 0

    def accumulate(self, accumulator: Any, value: Any) -> Any:
        return accumulator + value

    def retract(self, accumulator: Any, value: Any) -> Any:
        return accumulator - value

    def get_value(self, accumulator: Any) -> Any:
        return repr(accumulator)


@dataclass
class Slots:
    """Attributes in the place of items."""

    total: float = 0.0
    count: int = 0


class Attributes(Total):
    """Keeps a dataclass."""

    def create_accumulator(self) -> Any:
        return Slots()

    def accumulate(self, accumulator: Any, value: Any) -> None:
        accumulator.total += value
        accumulator.count += 1

    def retract(self, accumulator: Any, value: Any) -> None:
        accumulator.total -= value
        accumulator.count -= 1

    def get_value(self, accumulator: Any) -> Any:
        return f"{accumulator.total!r} {accumulator.count!r}"


FUNCTIONS = [Total, Whole, Growing, Present, Mean, Number, Attributes]
COLUMNS = {
    "halves": pa.array([n / 2 for n in range(-3, 4)]),
    "tenths": pa.array([0.1, -0.0, 0.7, 1e16, -1e16, 0.3]),
    "specials": pa.array([1.5, math.inf, math.nan, -math.inf, 2.0]),
    "gaps": pa.array([1.5, None, -0.0, None, 2.0]),
    "ints": pa.array([1, -2, 3], pa.int32()),
    "longs": pa.array([(1 << 63) - 1, -(1 << 63), 5]),
    "spare": pa.array([4, None, 3]),
}
BOUNDS = st.sampled_from([None, -700, -90, -12, -1, 0, 1, 12])


@pytest.fixture(autouse=True)
def inside_worker() -> Iterator[None]:
    with doorway.as_in_worker():
        yield


def passed(function: Any, frame: WindowFrame, rows: pa.RecordBatch, *, condition: bool) -> Any:
    """The results with and without sums, each a list or the message of what was raised."""
    definition = nu.udaf(function())
    found = []
    for sums in (sums_of(definition), None):
        shipment = ship("f", 1, definition, freeze(definition), role="window")
        call = FunctionCall(shipment, in_pass=True)
        call.open(Task(TaskId("", 0, 0, 0, 0), [call], Runtime(), job_parameters={}))
        part = WindowPart((1,), 2 if condition else None, frame, sums)
        layout = WindowLayout((0,), ("k",), (), (part,), ("result",))
        try:
            made = WindowPass(layout, (), [call])(iter([rows.slice(0, 150), rows.slice(150)]))
            found.append([value for batch in made for value in batch["result"].to_pylist()])
        except FunctionFailed as error:
            found.append(str(error).partition("[notebook-udf error")[0])
    return found


@given(
    st.sampled_from(FUNCTIONS),
    st.sampled_from(sorted(COLUMNS)),
    BOUNDS,
    BOUNDS,
    st.integers(0, 1 << 30),
    st.booleans(),
)
def test_sums_over_frames_are_pythons_own(
    function: Any, column: str, start: int | None, end: int | None, seed: int, condition: bool
) -> None:
    if start is not None and end is not None and start > end:
        start, end = end, start
    generator = np.random.default_rng(seed)
    values = COLUMNS[column]
    size = 700
    rows = pa.record_batch(
        {
            "k": pa.array(np.sort(generator.integers(0, 4, size)) // 2),
            "v": values.take(pa.array(generator.integers(0, len(values), size))),
            "c": pa.array(generator.random(size) < 0.7),
        }
    )
    fast, slow = passed(function, WindowFrame("rows", start, end), rows, condition=condition)
    assert fast == slow


def of(function: Any, column: pa.Array) -> RunningSums | None:
    sums = sums_of(nu.udaf(function()))
    assert sums is not None
    return RunningSums.of(sums, [column], len(column), None, function().create_accumulator)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_sums_are_found_in_every_kind_of_function(function: Any) -> None:
    made = of(function, pa.array([1.0, 2.0, 3.0]))
    assert made is not None
    high = np.repeat([1, 2, 3], 67)
    assert made.accumulators(0, np.zeros_like(high), high) is not None


@pytest.mark.parametrize(
    ("function", "column"),
    [
        (Total, pa.array([1.0, None])),
        (Total, pa.array(["a", "b"])),
        (Total, pa.array([True, False])),
        (Whole, pa.array([(1 << 63) - 1, 1])),
        (Mean, pa.array([1.0, -0.5])),
    ],
    ids=["NULL", "a text", "booleans", "more than 64 bits", "divided by zero"],
)
def test_rows_that_only_python_can_add_are_left_to_it(function: Any, column: pa.Array) -> None:
    assert of(function, column) is None


def test_what_retract_does_otherwise_is_no_sum() -> None:
    class Odd(Total):
        def retract(self, accumulator: Any, value: Any) -> None:
            accumulator[0] = max(accumulator[0], value)

    sums = sums_of(nu.udaf(Odd()))
    assert sums is not None
    assert sums.removals is None
    made = of(Odd, pa.array(np.ones(300)))
    assert made is not None
    rows = np.arange(300)
    assert made.accumulators(0, np.zeros_like(rows), rows + 1) is not None
    assert made.accumulators(0, np.maximum(rows - 5, 0), rows + 1) is None


@pytest.mark.parametrize(
    ("column", "starts"),
    [
        (pa.array([1, 1, None, None, 2]), [0, 2, 4]),
        (pa.array([0.0, -0.0, math.nan, math.nan, None]), [0, 2, 4]),
        (pa.array(["a", "a", "", None]), [0, 2, 3]),
        (pa.array([[1], [1], [1, 2], None]), [0, 2, 3]),
        (pa.array([None, None]), [0]),
        (pa.array([], pa.int64()), []),
    ],
)
def test_runs_of_equal_keys(column: pa.Array, starts: list[int]) -> None:
    assert run_starts([column], len(column)).tolist() == starts


def test_keys_of_several_columns_end_with_any_of_them() -> None:
    columns = [pa.array([1, 1, 2, 2]), pa.array(["a", "b", "b", "b"])]
    assert run_starts(columns, 4).tolist() == [0, 1, 2]
    assert run_starts([], 4).tolist() == [0]
