"""A part of the planner that fails on something nobody foresaw costs speed, never the answer."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from pyspark.errors import AnalysisException

import notebook_udf as nu
from notebook_udf import udaf, udf
from notebook_udf.planner import promises
from notebook_udf.planner.dataframe import grouped_aggregate
from notebook_udf.planner.physical import aggregate_from_sums, async_
from notebook_udf.planner.rules import two_phase_aggregate, window_aggregate


class Total(nu.AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value

    def merge(self, accumulator: list[int], others: Any) -> None:
        for other in others:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


@pytest.fixture(scope="module", autouse=True)
def functions(session: nu.Session) -> None:
    total = udaf(Total(), result_type="BIGINT", accumulator_type="ARRAY<BIGINT>")
    session.register_function("fault_total", total)
    session.register_function("fault_next", udf(lambda x: x + 1, result_type="BIGINT"))

    async def later(x: int) -> int:
        return x + 2

    session.register_function("fault_later", udf(later, result_type="BIGINT"))


def broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("a case that nobody thought of")


RULES = {
    "two phases": (
        (two_phase_aggregate, "rewritten"),
        "SELECT id % 2, fault_total(id) FROM range(4) GROUP BY 1 ORDER BY 1",
        [(0, 2), (1, 4)],
    ),
    "windows": (
        (window_aggregate, "rewritten"),
        "SELECT id, fault_total(id) OVER (ORDER BY id) FROM range(3) ORDER BY id",
        [(0, 0), (1, 1), (2, 3)],
    ),
    "sums": (
        (aggregate_from_sums, "read"),
        "SELECT fault_total(id) FROM range(4)",
        [(6,)],
    ),
    "promises": (
        (promises, "promised"),
        "SELECT CASE WHEN id > 1 THEN fault_next(id) END FROM range(3) ORDER BY id",
        [(None,), (None,), (3,)],
    ),
    "async calls": (
        (async_, "placed"),
        "SELECT fault_later(id) FROM range(2) ORDER BY 1",
        [(2,), (3,)],
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_fails_is_skipped_and_said(
    session: nu.Session,
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (module, name), query, rows = RULES[rule]
    monkeypatch.setattr(module, name, broken)
    with caplog.at_level(logging.WARNING, "notebook_udf"):
        assert session.sql(query).collect() == rows
    said = [record for record in caplog.records if record.name.startswith("notebook_udf.planner")]
    assert said
    assert {record.getMessage().split("'")[1] for record in said} == {rule}
    assert all("nobody thought of" in str(record.exc_info) for record in said)


def test_what_has_no_other_form_says_whose_fault_it_is(
    session: nu.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grouped_aggregate, "aggregate", broken)
    total = session.functions["fault_total"]
    with pytest.raises(nu.PlanningError, match="a fault of notebook-udf") as caught:
        session.spark.range(3).transform(nu.aggregate(total=total("id")))
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_what_was_foreseen_is_the_error_it_was(session: nu.Session) -> None:
    with pytest.raises(AnalysisException, match="nowhere"):
        session.sql("SELECT fault_total(nowhere) FROM range(3)")
    with pytest.raises(nu.PlanningError, match="given nothing by name"):
        session.sql("SELECT fault_total(nothing => id) FROM range(3)")
