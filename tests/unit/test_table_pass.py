"""The pass of table functions, without Spark: however its rows are cut, they are the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from notebook_udf import udtf
from notebook_udf.functions.capture import freeze
from notebook_udf.functions.definition import doorway
from notebook_udf.specs.payload import ship
from notebook_udf.specs.table_layout import TableLayout, TableStep
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.table import generate, table_operator
from notebook_udf.worker.table.generate import Explosion
from notebook_udf.worker.table.left_lateral_join import MatchedRows
from notebook_udf.worker.table.table_operator import TablePass

patched = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(autouse=True)
def inside_worker() -> Iterator[None]:
    with doorway.as_in_worker():
        yield


def called(function: Any, rows: int, **options: Any) -> FunctionCall:
    definition = udtf(function, **{"input_types": "bigint", "result_types": "bigint", **options})
    shipment = ship("cut", 1, definition, freeze(definition), role="table")
    call = FunctionCall(shipment, in_pass=True)
    call.task.begin_bundle(rows, 0, 0)
    return call


@patched
@given(
    counts=st.lists(st.integers(0, 7), min_size=1, max_size=12),
    at_once=st.integers(1, 6),
    outer=st.booleans(),
    ends=st.booleans(),
    lenient=st.booleans(),
)
def test_rows_are_the_same_however_they_are_cut(
    monkeypatch: pytest.MonkeyPatch,
    counts: list[int],
    at_once: int,
    outer: bool,
    ends: bool,
    lenient: bool,
) -> None:
    monkeypatch.setattr(generate, "ROWS_OUT", at_once)
    monkeypatch.setattr(generate, "_SLICE_ROWS", 3)
    call = called(lambda n: iter(range(n)), len(counts), on_error="null" if lenient else "fail")
    explosion = Explosion(call, (), outer=outer, ends=ends)
    found = []
    for part in explosion.rows([pa.array(counts)], len(counts), lambda row: row):
        ended = part.ended.to_pylist() if part.ended is not None else [None] * len(part.own)
        found += zip(part.own.tolist(), part.columns[0].to_pylist(), map(bool, ended), strict=True)
        assert lenient or len(part.own) <= at_once + len(counts)
    expected: list[tuple[int, int | None, bool]] = []
    for place, count in enumerate(counts):
        expected += [(place, i, False) for i in range(count)]
        if ends:
            expected.append((place, None, True))
        elif outer and not count:
            expected.append((place, None, False))
    assert found == expected
    assert (call.statistics.rows_in, call.statistics.rows_out) == (len(counts), sum(counts))


@patched
@given(
    counts=st.lists(st.integers(0, 5), min_size=1, max_size=10),
    bad=st.sets(st.integers(0, 9)),
    at_once=st.integers(1, 6),
    how=st.sampled_from(["raise", "value"]),
)
def test_inputs_that_are_let_go_leave_no_rows(
    monkeypatch: pytest.MonkeyPatch, counts: list[int], bad: set[int], at_once: int, how: str
) -> None:
    monkeypatch.setattr(generate, "ROWS_OUT", at_once)

    def rows(place: int) -> Iterator[Any]:
        yield from range(counts[place])
        if place in bad and how == "raise":
            raise ValueError(place)
        if place in bad:
            yield "text"
            yield 1

    call = called(rows, len(counts), on_error="null")
    explosion = Explosion(call, (), outer=False, ends=False)
    places = pa.array(range(len(counts)))
    parts = list(explosion.rows([places], len(counts), lambda row: row))
    found = [pair for p in parts for pair in zip(p.own.tolist(), p.columns[0].to_pylist(),
                                                 strict=True)]  # fmt: skip
    assert found == [(i, n) for i, c in enumerate(counts) if i not in bad for n in range(c)]
    assert call.statistics.errors == len(bad & set(range(len(counts))))


def test_large_columns_that_pass_through_leave_in_small_batches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(table_operator, "_MOST_BYTES", 3_500)
    call = called(lambda n: range(n), 2)
    layout = TableLayout(2, (TableStep((0,)),), (1, 2), ("text", "n"))
    batch = pa.record_batch({"n": pa.array([4, 3]), "text": pa.array(["x" * 1000, "y" * 1000])})
    made = list(TablePass(layout, (), [call])(iter([batch])))
    assert [part.num_rows for part in made] == [3, 3, 1]
    assert [n for part in made for n in part.column("n").to_pylist()] == [0, 1, 2, 3, 0, 1, 2]
    assert made[2].column("text").to_pylist() == ["y" * 1000]


@given(
    runs=st.lists(st.lists(st.none() | st.booleans(), max_size=5), max_size=8),
    seed=st.integers(0, 1000),
)
def test_pairs_that_meet_a_condition_stay_or_one_row_of_nulls(
    runs: list[list[bool | None]], seed: int
) -> None:
    rows: list[tuple[int, int | None, bool | None, bool]] = []
    expected: list[tuple[int, int | None]] = []
    for run, pairs in enumerate(runs):
        rows += [(run, place, met, False) for place, met in enumerate(pairs)]
        rows.append((run, None, None, True))
        kept = [(run, place) for place, met in enumerate(pairs) if met]
        expected += kept or [(run, None)]
    names = ["run", "place", "met", "ended"]
    types = [pa.int64(), pa.int64(), pa.bool_(), pa.bool_()]
    columns = list(zip(*rows, strict=True)) or [()] * 4
    whole = pa.record_batch([pa.array(c, t) for c, t in zip(columns, types, strict=True)], names)
    chance = random.Random(seed)
    cuts = sorted({0, len(rows), *(chance.randrange(len(rows) + 1) for _ in range(4))})
    parts = [whole.slice(a, b - a) for a, b in pairwise(cuts)]
    found = [tuple(row.values()) for part in MatchedRows()(iter(parts)) for row in part.to_pylist()]
    assert found == expected
