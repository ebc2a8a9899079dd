"""Aggregates whose rows Spark's JVM folds: accumulators there are what they are in Python."""

from __future__ import annotations

import datetime as dt
import math
import random
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import udaf, udtaf
from notebook_udf.compile.java.calls import field_values
from notebook_udf.errors import NotebookUdfError
from tests.spark.folding import Sample
from tests.spark.folding_objects import SAMPLES

# The names of what folds are those of classes, which are others where this file is.
pytestmark = pytest.mark.drawn

# Each example is several queries: to make one that fails smaller takes longer than a test may.
GENERATED = settings(
    max_examples=2,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
# What stands in lists for numbers beyond 64 bits.
MARK = field_values.MARK
ZERO = dt.datetime(2020, 1, 1)
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bigint": st.integers(-3, 99) | st.integers(-(2**63), 2**63 - 1) | st.sampled_from([MARK]),
    "double": st.sampled_from([0.5, 1.0, 2.25, -4.0, 1e3]) | st.floats(-9, 9),
    "string": st.sampled_from(["", "a", "b", "ä", "𝄞", "b c"]),
    "date": st.dates(dt.date(1500, 1, 1), dt.date(2100, 1, 1)),
    "timestamp": st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2100, 1, 1)),
    "timestamp_ntz": st.datetimes(dt.datetime(1, 1, 1)),
    "decimal(10,2)": st.decimals(-9, 99, places=2),
}
QUERIES = (
    "SELECT k, {f} FROM folding GROUP BY k",
    "SELECT {f}, count(*) FROM folding",
    "SELECT k, {f} FILTER (WHERE n % 3 = 0), sum(n) FROM folding GROUP BY k HAVING {f} IS NOT NULL",
)


def alike(one: Any, other: Any) -> bool:
    """Whether answers are the same, but for the order in which floats were added."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(alike, one, other))
    return type(one) is type(other) and bool(one == other)


def answers(session: nu.Session, query: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, session.sql(query).collect()), key=repr)


def runs_there(session: nu.Session, query: str) -> bool:
    """Whether a query is planned without a worker."""
    plan = session.sql(query)._jdf.queryExecution().toString()
    return "Python" not in plan and "MapInArrow" not in plan.partition("Physical Plan")[2]


def registered(session: nu.Session, sample: Sample) -> None:
    for name, compiled in (("there", True), ("here", False)):
        session.register_function(name, sample.function(), result_type=sample.result,
                                  compile=compiled)  # fmt: skip


def call(sample: Sample) -> str:
    return f"{{}}({', '.join(f'c{at}' for at in range(len(sample.given)))})"


@pytest.mark.one_in(2)
@GENERATED
@pytest.mark.parametrize("name", SAMPLES)
@given(data=st.data())
def test_what_is_folded_there_is_what_python_folds(
    session: nu.Session, name: str, data: st.DataObject
) -> None:
    sample = SAMPLES[name]
    registered(session, sample)
    columns = [st.none() | VALUES[kind] for kind in sample.given]
    rows = data.draw(st.lists(st.tuples(st.integers(0, 2), *columns), max_size=200))
    partitions = data.draw(st.sampled_from([1, 3])) if sample.any_order else 1
    fields = ", ".join(f"c{at} {kind}" for at, kind in enumerate(sample.given))
    numbered = [(number, *row) for number, row in enumerate(rows)]
    frame = session.spark.createDataFrame(numbered, f"n bigint, k int, {fields}")
    frame.repartitionByRange(partitions, "n").createOrReplaceTempView("folding")
    for query in QUERIES:
        there, here = (
            answers(session, query.format(f=call(sample).format(each)))
            for each in ("there", "here")
        )
        assert alike(there, here)
    assert runs_there(session, QUERIES[0].format(f=call(sample).format("there")))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", SAMPLES)
def test_many_groups_that_spark_sorts(session: nu.Session, name: str) -> None:
    """Spark keeps 128 groups at once by hash, and sorts what comes then."""
    sample, chance = SAMPLES[name], random.Random(name)
    registered(session, sample)

    def value(kind: str) -> Any:
        if chance.random() < 0.05:
            return None
        seconds = dt.timedelta(seconds=chance.randrange(10**9))
        return {
            "bigint": chance.randrange(-9, 100),
            "double": chance.randrange(-99, 99) / 8,
            "string": chance.choice("abcdefg"),
            "date": (ZERO + seconds).date(),
            "timestamp": ZERO + seconds,
            "timestamp_ntz": ZERO + seconds,
            "decimal(10,2)": Decimal(chance.randrange(900)).scaleb(-2),
        }[kind]

    rows = [(chance.randrange(300) if n % 9 else 0, *map(value, sample.given)) for n in range(4000)]
    fields = ", ".join(f"c{at} {kind}" for at, kind in enumerate(sample.given))
    frame = session.spark.createDataFrame(rows, f"k int, {fields}")
    frame = frame.repartition(3) if sample.any_order else frame.coalesce(1)
    frame.localCheckpoint().createOrReplaceTempView("folding")
    query = f"SELECT k, {call(sample)} FROM folding GROUP BY k"
    assert alike(answers(session, query.format("there")), answers(session, query.format("here")))


class Sequence(nu.AggregateFunction):
    """All values but those that are not positive, as they come."""

    def create_accumulator(self) -> Any:
        return [0, []]

    def accumulate(self, acc: Any, value: Any) -> None:
        acc[0] += 1
        if value > 0:
            acc[1].append(value)

    def merge(self, acc: Any, others: Any) -> None:
        for count, values in others:
            acc[0] += count
            acc[1].extend(values)

    def get_value(self, acc: Any) -> Any:
        return acc[1]


@pytest.mark.parametrize("groups", [1, 100, 1000])
def test_rows_in_the_order_that_they_have(session: nu.Session, groups: int) -> None:
    session.register_function("in_sequence", Sequence(), result_type="array<bigint>")
    ordered = f"SELECT id % {groups} AS k, hash(id) % 100000 AS x FROM range(0, 20000, 1, 4)"
    query = f"SELECT k, in_sequence(x) AS v FROM ({ordered} ORDER BY x) GROUP BY k"
    assert runs_there(session, query)
    for _, values in session.sql(query).collect():
        assert values == sorted(values)


@pytest.mark.parametrize("value", [MARK, MARK - 1, 2**63 - 1, -(2**63)])
def test_ints_beyond_64_bits_in_lists(session: nu.Session, value: int) -> None:
    registered(session, SAMPLES["TotalsOfRests"])
    given = f"IF(id % 5 = 0, CAST('{value}' AS BIGINT), id)"
    query = f"SELECT id % 2, {{}}({given}) FROM range(0, 600, 1, 3) GROUP BY 1"
    assert runs_there(session, query.format("there"))
    assert answers(session, query.format("there")) == answers(session, query.format("here"))


def test_one_large_group_of_ever_more_keys(session: nu.Session) -> None:
    registered(session, SAMPLES["Mode"])
    query = "SELECT {}(id % 60000) FROM range(0, 200000, 1, 3)"
    assert answers(session, query.format("there")) == answers(session, query.format("here"))


@pytest.mark.parametrize(
    "query",
    [
        "SELECT {f}(id) FROM range(0)",
        "SELECT id, {f}(id) FROM range(0) GROUP BY id",
        "SELECT id % 3 a, id % 2 b, {f}(id) FROM range(60) GROUP BY ROLLUP (a, b)",
        "SELECT id % 3 a, {f}(id) FROM range(60) GROUP BY GROUPING SETS ((a), ())",
        "SELECT {f}(id) + {f}(id + 1), {f}(-id), {f}(id) FROM range(60)",
        # Groups of one row, three, five, and so on: each of its own size in bytes.
        "SELECT floor(sqrt(id)) k, {f}(id), {f}(-id), {f}(1000 - id) FROM range(900) GROUP BY k",
        "SELECT a, max(v) FROM (SELECT id % 3 a, {f}(id) v FROM range(60) GROUP BY 1) GROUP BY a",
        "SELECT id % 3 AS a, {f}(id) AS v FROM range(60) GROUP BY a ORDER BY v DESC LIMIT 2",
        "SELECT {f}(CAST(id AS INT)), {f}(CAST(id AS TINYINT)), {f}(1), {f}(NULL) FROM range(60)",
        "WITH t AS (SELECT {f}(id) AS v FROM range(60)) SELECT v FROM t UNION ALL SELECT v FROM t",
        "SELECT {f}(DISTINCT id % 7) FROM range(60)",
        "SELECT {f}(id), there(id % 7), here(id % 5) FROM range(60)",
    ],
)
def test_wherever_it_stands(session: nu.Session, query: str) -> None:
    registered(session, SAMPLES["Longest"])
    there, here = (answers(session, query.format(f=name)) for name in ("there", "here"))
    assert there == here


def test_on_a_dataframe(session: nu.Session) -> None:
    registered(session, SAMPLES["Variance"])
    frame = session.spark.range(500).selectExpr("id % 3 AS k", "id * 0.5D AS x")
    there, here = (session.functions[name] for name in ("there", "here"))
    found = frame.transform(
        nu.aggregate(by="k", a=there("x"), b=here("x"), c=there("x").filter("x > 50"))
    )
    for row in found.collect():
        assert alike(row.a, row.b)
        assert row.a > row.c
    alone = frame.transform(nu.aggregate(by="k", a=there("x")))
    assert "Python" not in alone._jdf.queryExecution().toString()
    collected = frame.groupBy("k").agg(there("x").alias("a"), F.count("x"))
    assert alike(*(sorted(row[:2] for row in each.collect()) for each in (alone, collected)))


class TwoLeast(nu.TableAggregateFunction):
    """The two least, a row each."""

    def create_accumulator(self) -> Any:
        return []

    def accumulate(self, acc: Any, value: Any) -> None:
        if value is not None:
            acc.append(value)
            acc.sort()
            del acc[2:]

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            for value in other:
                self.accumulate(acc, value)

    def emit_value(self, acc: Any) -> Any:
        yield from enumerate(acc)


class TwoLeastAtOnce(TwoLeast):
    """The same in a list, in a table of one column."""

    def emit_value(self, acc: Any) -> Any:
        return [value * 2 for value in acc]


@pytest.mark.parametrize(
    ("function", "columns"),
    [(TwoLeast, "place int, value bigint"), (TwoLeastAtOnce, "value bigint")],
)
def test_rows_of_a_table_aggregate(
    session: nu.Session, function: type[TwoLeast], columns: str
) -> None:
    frame = session.spark.range(600).selectExpr("id % 200 AS k", "IF(id < 200, NULL, -id) AS v")
    found = []
    for compiled in (True, False):
        two = session.register_function(
            "two", udtaf(function(), result_type=columns, compile=compiled)
        )
        rows = frame.transform(nu.flat_aggregate(two("v"), by="k"))
        assert ("Python" in rows._jdf.queryExecution().toString()) is not compiled
        found.append(sorted(map(tuple, rows.collect())))
    assert found[0] == found[1]
    assert len(found[0]) == 400


class Fails(nu.AggregateFunction):
    """Raises for what a value and the ones before it are."""

    def create_accumulator(self) -> Any:
        return [0]

    def accumulate(self, acc: Any, value: Any) -> None:
        if value == 7 and acc[0] > 2:
            raise ValueError(f"seven after {acc[0]}")
        acc[0] += 1

    def merge(self, acc: Any, others: Any) -> None:
        for other in others:
            acc[0] += other[0]

    def get_value(self, acc: Any) -> Any:
        return 100 // (acc[0] - 5)


def failure(session: nu.Session, query: str) -> NotebookUdfError:
    with pytest.raises(NotebookUdfError) as caught:
        session.sql(query).collect()
    return caught.value


def test_a_row_that_raises(session: nu.Session) -> None:
    session.register_function("fails", Fails(), result_type="bigint")
    error = failure(session, "SELECT id % 2, fails(id) FROM range(0, 20, 1, 1) GROUP BY 1")
    assert "fails: ValueError: seven after 3" in str(error)
    assert "accumulate" in str(error)
    assert "value = 7" in str(error)


def test_a_group_whose_value_raises(session: nu.Session) -> None:
    session.register_function("fails", Fails(), result_type="bigint")
    query = "SELECT IF(id < 15, 'a', 'b') AS k, fails(-id) FROM range(0, 20, 1, 2) GROUP BY k"
    error = failure(session, query)
    assert "ZeroDivisionError" in str(error)
    assert "'b'" in str(error)


class Another(SAMPLES["TopThree"].function):  # type: ignore[misc]
    """Gives a list of its own where it has to change one."""

    def accumulate(self, acc: Any, value: Any) -> Any:
        return sorted([*acc, value])[:3]


def test_a_method_that_gives_another_accumulator(session: nu.Session) -> None:
    said = []
    for compiled in (True, False):
        session.register_function(
            "another", Another(), result_type="array<bigint>", compile=compiled
        )
        error = failure(session, "SELECT another(id) FROM range(9)")
        said.append(str(error).splitlines()[0])
    assert said[0] == said[1]
    assert "returned a list of its own" in said[0]


@pytest.mark.parametrize(
    ("name", "declared", "there"),
    [
        ("TopThree", "array<bigint>", True),
        ("TopThree", "array<int>", False),
        ("Variance", "count bigint, mean double, squares double", True),
        ("Variance", "mean double, count bigint, squares double", True),
        ("Variance", "count double, mean double, squares double", False),
        ("Mode", "map<bigint, bigint>", False),
        ("Most", "map<string, bigint>", False),
        ("Longest", "bigint", True),
    ],
)
def test_accumulators_of_a_declared_type(
    session: nu.Session, name: str, declared: str, there: bool
) -> None:
    sample = SAMPLES[name]
    session.register_function(
        "declared", udaf(sample.function(), result_type=sample.result, accumulator_type=declared)
    )
    registered(session, sample)
    given = "CAST(id % 9 AS {})".format(*sample.given)
    query = f"SELECT id % 3, {{}}({given}) FROM range(0, 99, 1, 3) GROUP BY 1"
    assert runs_there(session, query.format("declared")) is there
    assert alike(*(answers(session, query.format(each)) for each in ("declared", "here")))


def test_how_it_runs_is_said(session: nu.Session) -> None:
    sample = SAMPLES["TopThree"]
    there = session.register_function("there", udaf(sample.function(), ["bigint"], sample.result))
    assert there.explain().splitlines()[-1] == (
        "in session.sql and nu.aggregate: accumulated and merged in Spark's JVM, its methods "
        "compiled to Java (compile=False turns it off)"
    )
    plan = session.plan("SELECT there(id) FROM range(9)")
    assert "accumulated and merged in Spark's JVM" in str(plan)
    assert "functions=[there(_nu_arg" in str(session.sql("SELECT there(id) FROM range(9)")._jdf
                                            .queryExecution().toString())  # fmt: skip


class Odd(SAMPLES["TopThree"].function):  # type: ignore[misc]
    def accumulate(self, acc: Any, value: Any) -> None:
        acc.append(hash(str(value)))


def test_what_keeps_it_in_workers_is_said(session: nu.Session) -> None:
    odd = session.register_function("odd", udaf(Odd(), ["bigint"], "array<bigint>"))
    said = odd.explain().splitlines()[-1]
    assert said.startswith("accumulated and merged in Python workers, not in Spark's JVM: ")
    assert "hash" in said
    assert "(line " in said


def test_its_rows_are_counted(session: nu.Session) -> None:
    session.register_function("there", SAMPLES["TopThree"].function(), result_type="array<bigint>")
    before = set(session.metrics().queries)
    session.sql("SELECT there(id) FROM range(0, 6400, 1, 2)").collect()
    (query,) = [each for each in session.metrics().queries if each not in before]
    assert session.store.wait_settled(query, 20)
    (total,) = [each for each in session.metrics().totals if each.query == query]
    # All rows, and the group.
    assert total.function == "there"
    assert total.rows_in == 6401
