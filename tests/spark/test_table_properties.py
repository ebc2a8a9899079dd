"""LATERAL against a plain-Python model: inner and left, nested, with and without conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import udtf

Row = tuple[Any, ...]


def spread(value: int | None, name: str | None) -> Iterator[tuple[int | None, str | None]]:
    for i in range((value or 0) % 4):
        yield (None if i == 2 else i + (value or 0)), (name and name * i)


@pytest.fixture(scope="module")
def spreading(session: nu.Session) -> nu.Session:
    session.register_function("spread", spread)
    session.register_function("digits", udtf(lambda n: None if n is None else [*str(n)],
                                             "bigint", "string"))  # fmt: skip
    return session


@dataclass(frozen=True)
class Call:
    """A lateral call: what it is written as, and what it does to a row."""

    left: bool
    condition: str
    view: bool

    def written(self, place: int) -> str:
        arguments = "v, s" if place == 0 else f"a{place - 1}, b{place - 1}"
        columns = f"a{place}, b{place}"
        if self.view:
            outer = "OUTER " if self.left else ""
            return f"LATERAL VIEW {outer}spread({arguments}) l{place} AS {columns}"
        join = "LEFT JOIN" if self.left else "JOIN"
        on = {"": "", "true": " ON TRUE", "some": f" ON a{place} > 1 AND k % 2 = 0"}
        return f"{join} LATERAL spread({arguments}) l{place}({columns}){on[self.condition]}"

    def done(self, row: Row) -> list[Row]:
        made = list(spread(row[-2], row[-1]))
        if self.condition == "some" and not self.view:
            made = [m for m in made if m[0] is not None and m[0] > 1 and row[0] % 2 == 0]
        return [(*row, *m) for m in made] or ([(*row, None, None)] if self.left else [])


calls = st.lists(
    st.builds(Call, st.booleans(), st.sampled_from(["", "true", "some"]), st.just(False)),
    min_size=1,
    max_size=3,
) | st.lists(st.builds(Call, st.booleans(), st.just(""), st.just(True)), min_size=1, max_size=3)
values = st.lists(
    st.tuples(st.none() | st.integers(0, 9), st.none() | st.sampled_from(["", "x", "ü"])),
    max_size=12,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(values=values, chain=calls, partitions=st.integers(1, 3))
def test_lateral_is_what_nested_loops_are(
    spreading: nu.Session, values: list[Row], chain: list[Call], partitions: int
) -> None:
    rows = [(k, *value) for k, value in enumerate(values)]
    frame = spreading.spark.createDataFrame(rows, "k int, v bigint, s string")
    frame.repartition(partitions).createOrReplaceTempView("modelled")
    expected = rows
    for call in chain:
        expected = [made for row in expected for made in call.done(row)]
    written = " ".join(call.written(place) for place, call in enumerate(chain))
    found = spreading.sql(f"SELECT * FROM modelled {written}").collect()
    assert sorted(map(tuple, found), key=repr) == sorted(expected, key=repr)
