"""Functions made by PySpark's own API, in a session that changes nothing: what is seen of them."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from py4j.protocol import Py4JJavaError
from pyspark.errors import PythonException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import LongType

import notebook_udf as nu
from tests.waiting import awaited, happens

ROWS = 3_000
GROUPS = 7
# The value that the functions here cannot take.
BAD = 777

Query = Callable[[DataFrame], DataFrame]


def refused(value: int) -> int:
    if value == BAD:
        raise ValueError(f"no {value}")
    return value + 1


def refusing(frame: Any) -> Any:
    for value in frame["id"].to_pylist() if isinstance(frame, pa.Table) else frame["id"]:
        refused(value)
    return frame


def series(x: pd.Series) -> pd.Series:
    return x.map(refused)


def series_of(xs: Iterator[pd.Series]) -> Iterator[pd.Series]:
    for x in xs:
        yield x.map(refused)


def arrays(x: pa.Array) -> pa.Array:
    return pa.array([refused(value) for value in x.to_pylist()], pa.int64())


def arrays_of(xs: Iterator[pa.Array]) -> Iterator[pa.Array]:
    return map(arrays, xs)


def total(x: pd.Series) -> int:
    return int(x.map(refused).sum())


def arrow_total(x: pa.Array) -> int:
    return int(pc.sum(arrays(x)).as_py())


def total_of(xs: Iterator[pd.Series]) -> int:
    return sum(int(x.map(refused).sum()) for x in xs)


def arrow_total_of(xs: Iterator[pa.Array]) -> int:
    return sum(arrow_total(x) for x in xs)


def of_group(frame: Any) -> Any:
    return refusing(frame)


def of_key_and_group(_key: Any, frame: Any) -> Any:
    return refusing(frame)


def of_two_groups(left: Any, _right: Any) -> Any:
    return refusing(left)


def of_parts(frames: Iterator[Any]) -> Iterator[Any]:
    return map(refusing, frames)


def of_batches(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        refusing(pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch)
        yield batch


class Doubled:
    def eval(self, x: int) -> Iterator[tuple[int]]:
        yield (refused(x),)
        yield (x,)


def udf(function: Callable[..., Any], **options: Any) -> Callable[..., Column]:
    with warnings.catch_warnings():
        # It looks for hints of pandas and Arrow.
        warnings.simplefilter("ignore")
        return F.udf(function, LongType(), **options)


def scalar(function: Callable[..., Column]) -> Query:
    return lambda rows: rows.select(function("id"))


def grouped(function: Callable[..., Column]) -> Query:
    return lambda rows: rows.groupBy("k").agg(function("id"))


def over(function: Callable[..., Column]) -> Query:
    from pyspark.sql import Window

    return lambda rows: rows.select(function("id").over(Window.partitionBy("k")))


def lateral(rows: DataFrame, *, arrow: bool) -> DataFrame:
    made = F.udtf(Doubled, returnType="y bigint", useArrow=arrow)
    rows.sparkSession.udtf.register("doubled", made)
    rows.createOrReplaceTempView("observed_rows")
    return rows.sparkSession.sql("SELECT y FROM observed_rows, LATERAL doubled(id)")


# By the name that it is seen under: how it is called; the number of results for a row, or for a
# group (0).
KINDS: dict[str, tuple[str, Query, int]] = {
    "udf": ("refused", lambda r: r.select(udf(refused)("id")), 1),
    "pickled udf": ("refused", lambda r: r.select(udf(refused, useArrow=False)("id")), 1),
    "pandas_udf": ("series", scalar(F.pandas_udf(series, LongType())), 1),
    "pandas_udf of an iterator": ("series_of", scalar(F.pandas_udf(series_of, LongType())), 1),
    "arrow_udf": ("arrays", scalar(F.arrow_udf(arrays, LongType())), 1),
    "arrow_udf of an iterator": ("arrays_of", scalar(F.arrow_udf(arrays_of, LongType())), 1),
    "pandas aggregate": ("total", grouped(F.pandas_udf(total, LongType())), 0),
    "arrow aggregate": ("arrow_total", grouped(F.arrow_udf(arrow_total, LongType())), 0),
    "pandas aggregate of an iterator": ("total_of", grouped(F.pandas_udf(total_of, LongType())), 0),
    "arrow aggregate of an iterator": (
        "arrow_total_of", grouped(F.arrow_udf(arrow_total_of, LongType())), 0
    ),
    "pandas window": ("total", over(F.pandas_udf(total, LongType())), 1),
    "arrow window": ("arrow_total", over(F.arrow_udf(arrow_total, LongType())), 1),
    "applyInPandas": (
        "of_group", lambda r: r.groupBy("k").applyInPandas(of_group, r.schema), 1
    ),
    "applyInPandas with its key": (
        "of_key_and_group", lambda r: r.groupBy("k").applyInPandas(of_key_and_group, r.schema), 1
    ),
    "applyInArrow": ("of_group", lambda r: r.groupBy("k").applyInArrow(of_group, r.schema), 1),
    "cogrouped": (
        "of_two_groups",
        lambda r: r.groupBy("k").cogroup(r.groupBy("k")).applyInPandas(of_two_groups, r.schema),
        1,
    ),
    "mapInPandas": ("of_batches", lambda r: r.mapInPandas(of_batches, r.schema), 1),
    "mapInArrow": ("of_batches", lambda r: r.mapInArrow(of_batches, r.schema), 1),
    "udtf": ("Doubled", lambda r: lateral(r, arrow=True), 2),
    "pickled udtf": ("Doubled", lambda r: lateral(r, arrow=False), 2),
}  # fmt: skip


@pytest.fixture
def rows(session: nu.Session) -> DataFrame:
    return session.spark.range(0, ROWS, 1, 2).selectExpr("id", f"id % {GROUPS} AS k")


@contextmanager
def one_query(session: nu.Session) -> Iterator[list[Any]]:
    """Fills the list with the sums of the query that is run in the block, over its tasks."""
    before, totals = set(session.metrics().queries), []

    def new() -> list[str]:
        return [query for query in session.metrics().queries if query not in before]

    with awaited(session, lambda: bool(new())):
        yield totals
    (query,) = new()
    assert session.store.wait_settled(query, 30)
    totals += session.store.totals(query)


@pytest.mark.parametrize("kind", KINDS)
def test_metrics_are_what_was_run(session: nu.Session, rows: DataFrame, kind: str) -> None:
    name, query, results = KINDS[kind]
    good = rows.where(f"id <> {BAD}")
    with one_query(session) as totals:
        count = len(query(good).collect())
    (found,) = totals
    assert (found.function, found.version, found.errors) == (name, 0, 0)
    sides = 2 if kind == "cogrouped" else 1
    assert found.rows_in == sides * (ROWS - 1)
    assert count == (results * (ROWS - 1) or GROUPS)
    if kind != "pickled udtf":
        assert found.rows_out == count
    assert found.bundles >= 1
    assert found.user_ns > 0


@pytest.mark.parametrize("kind", KINDS)
def test_an_error_is_sparks_and_has_a_card_and_a_replay(
    session: nu.Session, rows: DataFrame, kind: str
) -> None:
    name, query, _ = KINDS[kind]
    with pytest.raises(PythonException) as caught:
        query(rows).collect()
    session.observe(False)
    try:
        with pytest.raises(PythonException) as unwatched:
            query(rows).collect()
    finally:
        session.observe(True)
    assert type(caught.value) is type(unwatched.value)
    assert str(caught.value) == str(unwatched.value)
    assert not hasattr(unwatched.value, "_nu_card")
    shown = "\n".join(caught.value._render_traceback_())
    assert f"{name}: ValueError: no {BAD}" in shown
    assert re.search(rf"\b(value|x)( in refused)? += {BAD}$", shown, re.MULTILINE)
    assert 'raise ValueError(f"no {value}")' in shown
    with pytest.raises(ValueError, match=f"no {BAD}"):
        session.replay(name)


def test_the_row_of_a_batch_is_told(session: nu.Session, rows: DataFrame) -> None:
    with pytest.raises(PythonException):
        rows.coalesce(1).select(udf(refused)("id")).collect()
    failed = session.store.failures("refused")[-1].failed
    assert (failed.row, failed.rows, failed.bundle) == (BAD + 1, ROWS, 1)


def test_functions_of_one_node_are_told_apart(session: nu.Session, rows: DataFrame) -> None:
    def first(x: int) -> int:
        return x

    def second(x: int) -> int:
        return refused(x)

    both = rows.select(udf(first)("id"), udf(second)("k"))
    with one_query(session) as totals:
        both.collect()
    found = {each.function: each.rows_in for each in totals}
    assert found == {"first": ROWS, "second": ROWS}
    with pytest.raises(PythonException) as caught:
        rows.select(udf(first)("id"), udf(second)("id")).collect()
    assert caught.value._nu_card.failed.function == "second"


def test_what_is_not_observed_is_not_seen(session: nu.Session, rows: DataFrame) -> None:
    # What is seen comes in order: it is one query.
    with one_query(session) as totals:
        session.observe(False)
        try:
            rows.select(udf(lambda x: x)("id")).collect()
        finally:
            session.observe(True)
        rows.select(udf(refused)("k")).collect()
    assert [each.function for each in totals] == ["refused"]


def test_what_a_function_prints_belongs_to_it(session: nu.Session, rows: DataFrame) -> None:
    def chatty(x: pd.Series) -> pd.Series:
        print(f"first of {len(x)}")
        return x

    rows.coalesce(1).select(F.pandas_udf(chatty, LongType())("id")).collect()  # type: ignore[call-overload]
    happens(lambda: bool(list(session.logs(function="chatty"))))
    line = list(session.logs(function="chatty"))[-1]
    assert (line.text, line.function, line.bundle) == (f"first of {ROWS}", "chatty", 1)


def test_costs_stand_in_the_plan(session: nu.Session, rows: DataFrame) -> None:
    query = rows.select(F.pandas_udf(series, LongType())("k"))
    with one_query(session):
        query.collect()
    costs = [cost for node in session.plan(query).plan.root.walk() for cost in node.costs]
    assert [(cost.name, cost.version, cost.rows_in) for cost in costs] == [("series", 0, ROWS)]


def test_costs_of_a_registered_name_stand_in_the_plan(session: nu.Session, rows: DataFrame) -> None:
    # The name is not sent to workers, which know it as a lambda.
    session.spark.udf.register("by_another_name", lambda x: x + 1, "bigint")
    rows.createOrReplaceTempView("rows_of_names")
    query = session.spark.sql("SELECT by_another_name(id) FROM rows_of_names")
    with one_query(session):
        query.collect()
    costs = [cost for node in session.plan(query).plan.root.walk() for cost in node.costs]
    assert [(cost.name, cost.rows_in) for cost in costs] == [("by_another_name", ROWS)]


def test_the_plan_advises_on_what_is_slow(session: nu.Session) -> None:
    slow = udf(lambda x: sum(x % n for n in range(1, 400)))
    query = session.spark.range(0, 100_000, 1, 2).select(slow("id"))
    with one_query(session):
        query.collect()
    (advice,) = session.plan(query).plan.advice
    assert advice.rule == "slow-by-sparks-own"
    assert "for each of 100,000 rows" in advice.cost


def test_a_stream(session: nu.Session, rows: DataFrame, tmp_path: Path) -> None:
    rows.write.parquet(str(tmp_path / "in"))
    stream = session.spark.readStream.schema(rows.schema).parquet(str(tmp_path / "in"))
    with one_query(session) as totals:
        _to_its_end(
            stream.where(f"id <> {BAD}")
            .select(udf(refused)("id"))
            .writeStream.format("noop")
            .option("checkpointLocation", str(tmp_path / "checkpoint"))
            .trigger(availableNow=True)
        )
    assert [each.rows_in for each in totals] == [ROWS - 1]


def _to_its_end(stream: Any) -> None:
    assert stream.start().awaitTermination(60)


@pytest.mark.parametrize("on", [True, False])
def test_beside_a_function_of_the_session(session: nu.Session, rows: DataFrame, on: bool) -> None:
    ours = session.register_function(
        "beside", nu.udf(lambda x: x, result_type="bigint", func_type="arrow")
    )
    both = rows.coalesce(1).select(ours("id"), F.arrow_udf(arrays, LongType())("id"))
    session.observe(on)
    try:
        with one_query(session) as totals:
            found = both.where("id < 5").collect()
        assert [tuple(row) for row in found] == [(x, x + 1) for x in range(5)]
        seen = {each.function: (each.rows_in, each.rows_out, each.errors) for each in totals}
        assert seen == {"beside": (5, 5, 0)} | ({"arrays": (5, 5, 0)} if on else {})
        # Whose error it is, is not mistaken.
        with pytest.raises(PythonException) as caught:
            both.collect()
        assert f"ValueError: no {BAD}" in str(caught.value)
        assert "notebook_udf" not in str(caught.value)
        assert hasattr(caught.value, "_nu_card") == on
        if on:
            assert caught.value._nu_card.failed.function == "arrays"
            with pytest.raises(ValueError, match=f"no {BAD}"):
                session.replay("arrays")
    finally:
        session.observe(True)


def test_a_task_that_is_cut_off_has_not_failed(session: nu.Session, rows: DataFrame) -> None:
    def waits_or_fails(x: pd.Series) -> pd.Series:
        if BAD in set(x):
            raise ValueError(f"no {BAD}")
        return x

    waiting = F.pandas_udf(waits_or_fails, LongType())  # type: ignore[call-overload]
    many = session.spark.range(0, 400_000, 1, 2).select(waiting("id"), udf(refused)("id"))
    for _ in range(5):
        with pytest.raises(PythonException):
            # Both are at it when one fails, and Spark hangs up on the other.
            many.collect()
    named = {each.failed.function: each.failed.message for each in session.store.failures()}
    assert named["waits_or_fails"] == f"no {BAD}"
    assert {each.failed.exception for each in session.store.failures("refused")} <= {"ValueError"}


def test_a_worker_that_is_lost_is_told_by_sparks_own_exception(
    session: nu.Session, rows: DataFrame
) -> None:
    def exits(x: pd.Series) -> pd.Series:
        os._exit(3)

    lost = rows.coalesce(1).select(F.pandas_udf(exits, LongType())("id"))  # type: ignore[call-overload]
    with pytest.raises(Py4JJavaError) as caught:
        lost.collect()
    session.observe(False)
    try:
        with pytest.raises(Py4JJavaError) as unwatched:
            lost.collect()
    finally:
        session.observe(True)
    assert isinstance(caught.value, nu.WorkerLost)
    assert (caught.value.exit_code, caught.value.function) == (3, "exits")
    texts = [re.sub(r"\d+", "N", str(each.value)).splitlines() for each in (caught, unwatched)]
    assert texts[0][:3] == texts[1][:3]
    assert "exited with code 3 while it ran exits" in "\n".join(caught.value._render_traceback_())
