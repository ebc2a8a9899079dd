"""When a task stops asking kernels: they leave most rows, or take longer than Python."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pyarrow as pa
from pyspark.sql.types import LongType

from notebook_udf.worker.kernels.program import Program, translate
from notebook_udf.worker.scalar.kernel_choice import KernelChoice


def weighed(text: str) -> int:
    total = 0
    for place, letter in enumerate(text):
        total += (place + 1) * (3 if letter in "aeiou" else 1)
    return total % 97


def program() -> Program:
    made = translate(weighed, LongType())
    assert made is not None
    return made


TEXTS = pa.array([f"the row with the number {i:07}" for i in range(2000)])
FEW = TEXTS.slice(0, 20)


def clock(kernels: int, python: int) -> Callable[[], int]:
    """A clock by which kernels take so many nanoseconds for a row, and Python for what is tried."""
    asked = [0, len(TEXTS) * kernels]
    return itertools.chain(asked, itertools.count(asked[-1], 64 * python)).__next__


def test_python_goes_on_where_it_is_faster() -> None:
    choice = KernelChoice(program(), lambda columns: None, clock(kernels=500, python=400))
    answer = choice.answer([TEXTS])
    assert answer is not None
    assert answer.result.to_pylist() == [weighed(text) for text in TEXTS.to_pylist()]
    assert choice.answer([TEXTS]) is None


def test_kernels_go_on_where_they_are_faster() -> None:
    tried: list[int] = []
    ticks = clock(kernels=500, python=40_000)
    choice = KernelChoice(program(), lambda columns: tried.append(len(columns[0])), ticks)
    for _ in range(3):
        assert choice.answer([TEXTS]) is not None
    # Enough is known after one trial, and it is short.
    assert tried == [64]


def test_few_rows_say_nothing_of_time() -> None:
    choice = KernelChoice(program(), lambda columns: None)
    assert choice.answer([FEW]) is not None
    assert choice.answer([FEW]) is not None


def test_rows_that_are_left_are_not_tried() -> None:
    texts = pa.array([None if i % 3 else text for i, text in enumerate(TEXTS.to_pylist())])
    texts = pa.concat_arrays([TEXTS, texts])
    seen: list[pa.Array] = []
    KernelChoice(program(), lambda columns: seen.extend(columns)).answer([texts])
    assert seen
    assert sum(each.null_count for each in seen) == 0


def test_those_that_leave_most_rows_are_asked_twice() -> None:
    choice = KernelChoice(program(), lambda columns: None)
    nothing = pa.nulls(20, pa.string())
    assert choice.answer([pa.concat_arrays([FEW, nothing, nothing])]) is None
    assert choice.answer([FEW]) is not None
    for _ in range(2):
        assert choice.answer([pa.concat_arrays([FEW, nothing, nothing])]) is None
    assert choice.answer([FEW]) is None


def test_without_columns_there_is_nothing_to_ask() -> None:
    assert KernelChoice(program(), lambda columns: None).answer([]) is None
