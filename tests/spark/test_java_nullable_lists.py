"""Rows without a NULL and rows with some: neither takes the class of Java's that the other has."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from typing import Any

import pytest

import notebook_udf as nu

# The names of what folds are those of classes, which are others where this file is.
pytestmark = pytest.mark.drawn

SOLID = "SELECT id AS n, id + 1 AS w FROM range(0, 10, 1, 2)"
HOLEY = "SELECT IF(id % 2 = 0, NULL, id) AS n, id + 1 AS w FROM range(0, 10, 1, 2)"
OTHERS = "SELECT id AS n, IF(id % 5 = 1, NULL, id) AS w FROM range(0, 10, 1, 2)"
# Whichever comes first, and whichever last.
ORDERS = list(permutations([SOLID, HOLEY, OTHERS]))[::2]


class Mean(nu.AggregateFunction):
    """A mean of what is there that is no sum alone: it leaves out what would make it too large."""

    def get_accumulator_type(self) -> str:
        return "struct<total: double, count: bigint>"

    def get_result_type(self) -> str:
        return "double"

    def create_accumulator(self) -> list[Any]:
        return [0.0, 0]

    def accumulate(self, accumulator: list[Any], n: Any) -> None:
        if n is not None and accumulator[0] < 1e9:
            accumulator[0] += n
            accumulator[1] += 1

    def get_value(self, accumulator: list[Any]) -> float | None:
        return accumulator[0] / accumulator[1] if accumulator[1] else None


class Merged(Mean):
    def merge(self, accumulator: list[Any], accumulators: Any) -> None:
        for total, count in accumulators:
            accumulator[0] += total
            accumulator[1] += count


class Weighted(Merged):
    def accumulate(self, accumulator: list[Any], n: Any, w: Any) -> None:  # type: ignore[override]
        if n is not None and w is not None and accumulator[0] < 1e9:
            accumulator[0] += n * w
            accumulator[1] += w


def each_of(ns: Any) -> Iterator[int]:
    for n in ns:
        yield -1 if n is None else n


def mean_of(rows: list[Any]) -> float:
    there = [n for n, _ in rows if n is not None]
    return sum(there) / len(there)


def weighted_of(rows: list[Any]) -> float:
    there = [(n, w) for n, w in rows if n is not None and w is not None]
    return sum(n * w for n, w in there) / sum(w for _, w in there)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("made", [Mean, Merged, Weighted])
def test_aggregates(session: nu.Session, made: type[Mean], order: tuple[str, ...]) -> None:
    session.register_function("mean_of_some", made())
    given = "n, w" if made is Weighted else "n"
    for query in order:
        found = session.sql(f"SELECT mean_of_some({given}) FROM ({query})")
        expected = (weighted_of if made is Weighted else mean_of)(session.sql(query).collect())
        assert found.first()[0] == pytest.approx(expected), query
        plan = found._jdf.queryExecution().executedPlan().toString()
        assert made is Mean or "Python" not in plan


@pytest.mark.parametrize("order", [(SOLID, HOLEY, SOLID), (HOLEY, SOLID, HOLEY)])
def test_table_functions(session: nu.Session, order: tuple[str, ...]) -> None:
    session.register_function("each_of", nu.udtf(each_of, result_types=["bigint"]))
    for query in order:
        rows = session.sql(query).collect()
        lists = f"SELECT array(n, n) AS ns FROM ({query})"
        found = session.sql(f"SELECT sum(f0) FROM ({lists}), LATERAL each_of(ns)")
        assert found.first()[0] == sum(-2 if row.n is None else 2 * row.n for row in rows), query
        assert "Python" not in found._jdf.queryExecution().executedPlan().toString()
