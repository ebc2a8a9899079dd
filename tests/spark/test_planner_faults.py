"""A part of the planner that fails on something nobody foresaw costs speed, never the answer."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from sqlglot import exp

import notebook_udf as nu
from notebook_udf import udaf, udf
from notebook_udf.planner.dataframe import grouped_aggregate
from notebook_udf.planner.faults import RefusedRewrite
from notebook_udf.planner.physical import aggregate_from_sums, async_
from notebook_udf.planner.rule import Applied, SelectScope
from notebook_udf.planner.rules.common_subexpression import CommonSubexpression
from notebook_udf.planner.rules.expand_group_by import ExpandGroupBy
from notebook_udf.planner.rules.extract_from_aggregate import ExtractFromAggregate
from notebook_udf.planner.rules.materialize_before_sort import MaterializeBeforeSort
from notebook_udf.planner.rules.push_down_limit import PushDownLimit
from notebook_udf.planner.rules.short_circuit import ShortCircuit
from notebook_udf.planner.rules.two_phase_aggregate import TwoPhaseAggregate
from notebook_udf.planner.rules.window_aggregate import WindowAggregate


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
    session.register_function(
        "fault_next", udf(lambda x: x + 1, result_type="BIGINT", compile=False)
    )

    async def later(x: int) -> int:
        return x + 2

    session.register_function("fault_later", udf(later, result_type="BIGINT"))


def broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("a case that nobody thought of")


RULES: dict[str, tuple[tuple[Any, str], str, list[tuple[Any, ...]]]] = {
    "two_phase_aggregate": (
        (TwoPhaseAggregate, "apply"),
        "SELECT id % 2, fault_total(id) FROM range(4) GROUP BY 1 ORDER BY 1",
        [(0, 2), (1, 4)],
    ),
    "window_aggregate": (
        (WindowAggregate, "apply"),
        "SELECT id, fault_total(id) OVER (ORDER BY id) FROM range(3) ORDER BY id",
        [(0, 0), (1, 1), (2, 3)],
    ),
    "sums": (
        (aggregate_from_sums, "read"),
        "SELECT fault_total(id) FROM range(4)",
        [(6,)],
    ),
    "async calls": (
        (async_, "placed"),
        "SELECT fault_later(id) FROM range(2) ORDER BY 1",
        [(2,), (3,)],
    ),
    "short_circuit": (
        (ShortCircuit, "apply"),
        "SELECT CASE WHEN id > 1 THEN fault_next(id) END FROM range(3) ORDER BY id",
        [(None,), (None,), (3,)],
    ),
    "common_subexpression": (
        (CommonSubexpression, "apply"),
        "SELECT fault_next(id) FROM range(3) WHERE fault_next(id) > 1 ORDER BY id",
        [(2,), (3,)],
    ),
    "expand_group_by": (
        (ExpandGroupBy, "apply"),
        "SELECT fault_next(id) x, count(*) FROM range(2) GROUP BY 1 ORDER BY 1",
        [(1, 1), (2, 1)],
    ),
    "extract_from_aggregate": (
        (ExtractFromAggregate, "apply"),
        "SELECT fault_next(id), count(*) FROM range(3) GROUP BY id HAVING fault_next(id) > 2",
        [(3, 1)],
    ),
    "push_down_limit": (
        (PushDownLimit, "apply"),
        "SELECT fault_later(id) FROM range(9) ORDER BY id LIMIT 2",
        [(2,), (3,)],
    ),
    "materialize_before_sort": (
        (MaterializeBeforeSort, "apply"),
        "SELECT fault_next(id) FROM range(2) ORDER BY id",
        [(1,), (2,)],
    ),
}


@pytest.mark.parametrize("rule", RULES)
def test_a_rule_that_fails_is_skipped_and_said(
    session: nu.Session,
    rule: str,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    (owner, name), query, rows = RULES[rule]
    monkeypatch.setattr(owner, name, broken)
    with caplog.at_level(logging.WARNING, "notebook_udf"):
        assert session.sql(query).collect() == rows
    said = [record for record in caplog.records if record.name.startswith("notebook_udf.planner")]
    assert said
    assert {record.getMessage().split("'")[1] for record in said} == {rule}
    assert all("nobody thought of" in str(record.exc_info) for record in said)


def test_a_rule_that_spark_refuses_is_named(
    session: nu.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nonsense(self: ShortCircuit, scope: SelectScope) -> Applied:
        scope.select.set("expressions", [exp.column("nowhere")])
        return Applied()

    monkeypatch.setattr(ShortCircuit, "apply", nonsense)
    with pytest.warns(RefusedRewrite, match="'short_circuit' made a query that Spark refuses"):
        rows = session.sql("SELECT fault_next(id) FROM range(2)")
    assert rows.columns == ["fault_next(id)"]
    assert rows.collect() == [(1,), (2,)]


def test_a_rule_that_changes_the_type_of_a_column_is_named(
    session: nu.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    def retyped(self: ShortCircuit, scope: SelectScope) -> Applied:
        scope.select.set("expressions", [exp.alias_(exp.Literal.string("x"), "y")])
        return Applied()

    monkeypatch.setattr(ShortCircuit, "apply", retyped)
    with pytest.warns(RefusedRewrite, match="'short_circuit' made .* gives other columns"):
        rows = session.sql("SELECT fault_next(id) FROM range(2)")
    assert rows.collect() == [(1,), (2,)]


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
