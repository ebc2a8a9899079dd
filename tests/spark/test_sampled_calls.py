"""What functions were called with for the first rows of a slow bundle, as the kernel keeps it."""

from __future__ import annotations

import datetime
import pickle
import time
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import Row

import notebook_udf as nu
from tests import waiting


def slowly(x: int) -> int:
    time.sleep(0.002)
    return x


def named(x: float, text: str | None = None) -> str:
    time.sleep(0.002)
    return f"{x} {text}"


def doubled(x: int) -> Iterator[int]:
    time.sleep(0.002)
    yield from (x, x)


async def awaited(x: int) -> int:
    # Longer than a busy machine keeps the worker's main thread from waiting for it: only what is
    # waited for counts as the bundle's time.
    time.sleep(0.05)
    return x


class Slowest(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], x: int) -> None:
        time.sleep(0.002)
        accumulator.append(x)

    def merge(self, accumulator: list[int], accumulators: Any) -> None:
        for other in accumulators:
            accumulator.extend(other)

    def get_value(self, accumulator: list[int]) -> int:
        return sum(accumulator) - len(accumulator)


class Unmerged(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], x: int) -> None:
        time.sleep(0.002)
        accumulator.append(x)

    def get_value(self, accumulator: list[int]) -> int:
        return sum(accumulator) - len(accumulator)


FUNCTIONS = {
    "sampled_any": lambda value: slowly(len(value)),
    "sampled_slowly": slowly,
    "sampled_named": named,
    "sampled_doubled": doubled,
    "sampled_awaited": awaited,
    "sampled_slowest": Slowest,
    "sampled_unmerged": Unmerged,
}


def sampled(session: nu.Session, name: str, query: str) -> list[tuple[Any, ...]]:
    """The newest sample of a function's calls after a query."""
    function = FUNCTIONS[name]
    options = {"result_type": "bigint"} if name == "sampled_any" else {}
    session.register_function(name, function, **options)
    before = {bundle.task.query for bundle in session.store.bundles()}

    def new() -> list[str]:
        return [b.task.query for b in session.store.bundles() if b.task.query not in before]

    # What a worker says of its bundles may come after its rows.
    with waiting.awaited(session, lambda: bool(new())):
        session.sql(query).collect()
    newest = new()[-1]
    assert session.store.wait_settled(newest, 10)
    sample = session.store.samples(name)[-1]
    assert sample.task.query == newest
    (calls,) = (each for each in sample.calls if each.function == name)
    arguments: list[tuple[Any, ...]] = pickle.loads(calls.pickled)
    return arguments


@pytest.mark.parametrize(
    ("name", "query", "arguments"),
    [
        ("sampled_slowly", "SELECT {f}(id) FROM range(0, 9, 1, 1)", [(n,) for n in range(5)]),
        # Rows that do not reach the call are no calls.
        (
            "sampled_slowly",
            "SELECT CASE WHEN id > 1 THEN {f}(id) END FROM range(0, 4, 1, 1)",
            [(2,), (3,)],
        ),
        ("sampled_slowly", "SELECT transform(array(7L, 8L), x -> {f}(x))", [(7,), (8,)]),
        # A DECIMAL is widened to the declared DOUBLE, and NULL is None.
        ("sampled_named", "SELECT {f}(text => NULL, x => 1.5)", [(1.5, None)]),
        (
            "sampled_doubled",
            "SELECT d.* FROM range(0, 2, 1, 1) AS r(x), LATERAL {f}(x) AS d",
            [(0,), (1,)],
        ),
        ("sampled_awaited", "SELECT {f}(id) FROM range(0, 2, 1, 1)", [(0,), (1,)]),
        # Of a group, and not of its neighbours.
        (
            "sampled_slowest",
            "SELECT id % 2, {f}(id) FROM range(0, 6, 1, 1) GROUP BY 1",
            [(0,), (2,), (4,)],
        ),
        (
            "sampled_unmerged",
            "SELECT {f}(id) FROM range(0, 3, 1, 1)",
            [(0,), (1,), (2,)],
        ),
    ],
)
def test_the_arguments_are_those_of_the_calls(
    session: nu.Session, name: str, query: str, arguments: list[tuple[Any, ...]]
) -> None:
    found = sampled(session, name, query.format(f=name))
    assert found == arguments
    assert [list(map(type, row)) for row in found] == [list(map(type, row)) for row in arguments]


def test_rows_are_rows_and_large_arguments_stay_in_the_worker(session: nu.Session) -> None:
    row = "named_struct('a', id, 'b', array(DATE '2024-02-29'))"
    found = sampled(session, "sampled_any", f"SELECT sampled_any({row}) FROM range(1, 2, 1, 1)")
    assert found == [(Row(a=1, b=[datetime.date(2024, 2, 29)]),)]
    assert found[0][0].asDict().keys() == {"a", "b"}
    # Of five calls as many as there is room for.
    texts = "SELECT sampled_any(repeat('x', 6000)) FROM range(0, 5, 1, 1)"
    assert sampled(session, "sampled_any", texts) == [("x" * 6000,)] * 2
