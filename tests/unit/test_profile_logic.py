"""What stacks say, and what they add up to: folding, the tree, boxes, lines."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.profile.call_tree import MOST_BOXES, boxes, tree_of
from notebook_udf.profile.profile_result import Profile
from notebook_udf.profile.sample_counts import SampleCollector, Stack
from notebook_udf.telemetry.records import StackFrame, StackSamples
from notebook_udf.telemetry.stacks import Paths, Place, folded

PATHS = Paths("/nu/", ("/py/",), ("/py/site-packages/",))
WORKER: list[Place] = [
    ("<frozen runpy>", "_run", 1, 1),
    ("/nu/pool/daemon.py", "main", 1, 1),
    ("/py/site-packages/pyspark/worker.py", "main", 1, 1),
    ("/nu/pool/spark_worker.py", "run", 1, 1),
    ("/py/site-packages/pyspark/worker.py", "process", 1, 1),
]
ROWS: list[Place] = [
    ("/nu/worker/call/function_call.py", "__call__", 1, 1),
    ("/nu/worker/scalar/row_runner.py", "_map", 1, 1),
]


def fold(*rest: Place, own: str = "/home/cell.py") -> list[tuple[str, int]]:
    return [(f.name, f.line) for f in folded([*WORKER, *rest], PATHS, own)]


def test_users_frames_come_first_and_libraries_without_lines() -> None:
    assert fold(
        *ROWS,
        ("/home/cell.py", "f", 7, 5),
        ("/py/json/__init__.py", "dumps", 190, 183),
        ("/home/cell.py", "default", 9, 8),
    ) == [("f", 7), ("dumps", 183), ("default", 9)]


def test_code_of_ours_that_a_user_calls_is_one_frame() -> None:
    metrics: Place = ("/nu/functions/metrics.py", "inc", 3, 1)
    assert fold(*ROWS, ("/home/cell.py", "f", 7, 5), metrics, metrics) == [
        ("f", 7),
        ("notebook-udf", 0),
    ]


@pytest.mark.parametrize(
    ("rest", "work"),
    [
        ([*ROWS], "calls"),
        ([("/nu/worker/codec/decode.py", "x", 1, 1), ("/py/datetime.py", "y", 1, 1)], "decode"),
        (
            [
                ("/nu/worker/scalar/vectorized.py", "_leave", 1, 1),
                ("/py/site-packages/pyspark/sql/conversion.py", "convert", 1, 1),
                ("/py/site-packages/pandas/core/frame.py", "y", 1, 1),
            ],
            "encode",
        ),
        ([("/nu/pool/spark_worker.py", "arriving", 1, 1)], "waiting for rows"),
        ([("/nu/worker/process/record_columns.py:generated", "x", 1, 1)], "bookkeeping"),
        ([("/nu/worker/kernels/numeric.py", "arithmetic", 1, 1)], "Arrow kernels"),
    ],
)
def test_without_a_user_it_is_work_of_ours(rest: list[Place], work: str) -> None:
    assert fold(*rest) == [(f"notebook-udf: {work}", 0)]


def test_a_function_of_a_library_is_the_users_where_it_is_the_function() -> None:
    shorten: Place = ("/py/textwrap.py", "shorten", 400, 390)
    assert fold(*ROWS, shorten) == [("notebook-udf: calls", 0)]
    assert fold(*ROWS, shorten, own="/py/textwrap.py") == [("shorten", 400)]
    installed: Place = ("/py/site-packages/geo/near.py", "near", 4, 3)
    assert fold(*ROWS, installed) == [("near", 3)]


def test_what_a_dataclass_writes_itself_is_whose_the_call_is() -> None:
    decoding: Place = ("/nu/worker/codec/decode.py", "x", 1, 1)
    init: Place = ("<string>", "__init__", 4, 1)
    assert fold(decoding, init) == [("notebook-udf: decode", 0)]
    assert fold(decoding, init, ("/home/cell.py", "__post_init__", 9, 8)) == [("__post_init__", 9)]
    assert fold(*ROWS, ("/home/cell.py", "f", 7, 5), init) == [("f", 7), ("__init__", 4)]
    # As is a function that was given to "python -c".
    assert fold(*ROWS, init, own="<string>") == [("__init__", 4)]


def test_the_middle_of_a_deep_recursion_is_left_out() -> None:
    deep: list[Place] = [("/home/cell.py", "f", n, 1) for n in range(1, 501)]
    found = fold(*ROWS, *deep)
    assert len(found) == 81
    assert found[0] == ("f", 1)
    assert found[-1] == ("f", 500)
    assert ("… (420 more)", 0) in found


NAMES = st.sampled_from("abcd")
STACKS = st.lists(
    st.builds(
        lambda function, names, seconds: Stack(
            function, tuple(StackFrame("cell.py", n, ord(n)) for n in names), 1, seconds
        ),
        NAMES,
        st.lists(NAMES, min_size=1, max_size=6),
        st.floats(0.001, 1.0),
    ),
    max_size=30,
)


@given(STACKS)
def test_boxes_stand_below_their_callers_and_beside_each_other(stacks: list[Stack]) -> None:
    found, _ = boxes(tree_of(stacks))
    assert len(found) <= MOST_BOXES
    rows: dict[int, list[tuple[float, float]]] = {}
    for box in found:
        rows.setdefault(box.depth, []).append((box.left, box.left + box.width))
    for depth, row in rows.items():
        row.sort()
        assert all(end <= begin + 1e-9 for (_, end), (begin, _) in pairwise(row))
        for left, right in row if depth else ():
            assert any(a - 1e-9 <= left and right <= b + 1e-9 for a, b in rows[depth - 1])


@given(STACKS)
def test_what_lines_take_adds_up(stacks: list[Stack]) -> None:
    profile = Profile(tuple(stacks), 1.0)
    assert sum(line.seconds for line in profile.lines) == pytest.approx(profile.busy)
    assert all(line.seconds <= line.total + 1e-9 for line in profile.lines)
    assert sum(f.seconds for f in profile.functions) == pytest.approx(profile.busy)
    assert all(each.user == pytest.approx(each.seconds) for each in profile.functions)


def test_records_of_other_profiles_and_functions_are_not_counted() -> None:
    def record(profile: str, last: bool = False) -> StackSamples:
        frames = (StackFrame("a.py", "f", 1), StackFrame("", "notebook-udf: waiting for rows", 0))
        return StackSamples(
            1, 2.0, profile, "3", ("f", "g"), frames,
            ((0,), (0,), (1,)), (0, 1, 0), (2, 3, 4), (10**9, 10**9, 10**9), 5, last,
        )  # fmt: skip

    collector = SampleCollector("mine", "F")
    for each in (record("mine"), record("other"), record("mine", last=True)):
        collector.add(each)
    busy, waits = sorted(collector.stacks(), key=lambda stack: stack.waits)
    assert (busy.function, busy.samples, busy.seconds) == ("f", 4, 2.0)
    assert waits.waits
    assert (collector.dropped, collector.queries, collector.ended) == (10, {"3"}, {1})
    profile = Profile(collector.stacks(), 1.0)
    assert (profile.busy, profile.waited, profile.samples) == (2.0, 2.0, 4)
