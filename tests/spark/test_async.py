"""Async scalar functions: in flight, in order, once per row, where SQL may call them."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from service import Asks, Service
from waiting import awaited

import notebook_udf as nu
from notebook_udf import AsyncScalarFunction, FunctionContext, udf

PATIENCE = 30.0


@pytest.fixture
def service() -> Iterator[Service]:
    made = Service()
    yield made
    made.stop()


@pytest.fixture
def conf(session: nu.Session) -> Iterator[Callable[[str, str], None]]:
    """Sets confs, and takes them back."""
    keys = []

    def put(key: str, value: str) -> None:
        keys.append(key)
        session.spark.conf.set(key, value)

    yield put
    for key in keys:
        session.spark.conf.unset(key)


class Journal:
    """Async functions that keep a journal of their arguments."""

    def __init__(self, session: nu.Session, path: Path) -> None:
        self.session = session
        self._path = path

    def function(self, name: str, body: Callable[..., Any], result: str, **options: Any) -> Any:
        path = str(self._path)

        async def noted(*x: Any) -> Any:
            with open(path, "a") as file:
                file.write(f"{name}({','.join(map(str, x))})\n")
            await asyncio.sleep(0.001)
            return body(*x)

        return self.session.register_function(name, udf(noted, result_type=result, **options))

    def run(self, query: Any) -> list[Any]:
        self._path.write_text("")
        rows = self.session.sql(query) if isinstance(query, str) else query
        return [row[0] if len(row) == 1 else tuple(row) for row in rows.collect()]

    @property
    def calls(self) -> list[str]:
        return sorted(self._path.read_text().split())


def each(name: str, *arguments: Any) -> list[str]:
    return sorted(f"{name}({x})" for x in arguments)


@pytest.fixture(scope="module")
def journal(session: nu.Session, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Journal]:
    made = Journal(session, tmp_path_factory.mktemp("journal") / "calls")
    made.function("looked", lambda x: None if x is None else x * 10, "bigint")
    made.function("rated", lambda x: None if x is None else x + 1, "bigint")
    made.function("pair", lambda x: (x, f"n{x}"), "struct<id: bigint, name: string>")
    session.register_function("plus", udf(lambda x: x + 1, result_type="bigint"))
    frame = session.spark.range(0, 10, 1, 2).selectExpr("id AS k", "if(id % 3 = 0, NULL, id) AS n")
    frame.createOrReplaceTempView("places")
    yield made
    session.spark.catalog.dropTempView("places")


# Order and identity --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("capacity", "rows"), [(1, 300), (2, 600), (10, 2_500), (100, 12_000), (1_000, 50_000)]
)
def test_every_row_gets_its_own_value_in_its_place(
    session: nu.Session, capacity: int, rows: int
) -> None:
    async def same(x: int) -> int:
        if x % 3:
            await asyncio.sleep((x * 7919 % 13) * 1e-4)
        return x

    session.register_function("same", same, buffer_capacity=capacity)
    found = session.sql(f"SELECT id, same(id) FROM range(0, {rows}, 1, 2)").collect()
    assert [row[0] for row in found] == list(range(rows))
    assert all(a == b for a, b in found)


def test_many_rows(session: nu.Session) -> None:
    async def same(x: int) -> int:
        if not x % 50:
            await asyncio.sleep((x % 7) * 1e-4)
        return x

    session.register_function("same", same, buffer_capacity=500)
    # The number of a row is given before the call: a result that moved would show.
    found = session.sql(
        "SELECT count(*), count_if(y <> id), sum(y) FROM "
        "(SELECT id, same(id) AS y FROM range(0, 200000, 1, 2))"
    ).collect()
    assert [tuple(row) for row in found] == [(200_000, 0, 19_999_900_000)]


def test_unordered_rows_are_the_same_rows(session: nu.Session) -> None:
    async def uneven(x: int) -> int:
        await asyncio.sleep(0.2 if x == 0 else 0.0)
        return -x

    record = session.register_function("uneven", uneven, output_mode="ALLOW_UNORDERED")
    rows = session.spark.range(0, 3_000, 1, 1).withColumn("name", F.col("id").cast("string"))
    found = rows.transform(nu.map_async(y=record("id"))).collect()
    assert sorted(found) == [(i, str(i), -i) for i in range(3_000)]
    assert found[0] != (0, "0", 0)
    # In a query the order is kept.
    ordered = [row[0] for row in session.sql("SELECT uneven(id) FROM range(0, 99, 1, 1)").collect()]
    assert ordered == [-i for i in range(99)]
    assert "keep their order" in record.explain()


def test_empty_partitions_and_nulls(session: nu.Session, journal: Journal) -> None:
    assert journal.run("SELECT looked(id) FROM range(0, 0, 1, 3)") == []
    assert journal.run("SELECT looked(id) FROM range(0, 1, 1, 3)") == [0]
    assert journal.run("SELECT looked(n) FROM places WHERE k < 2 ORDER BY k") == [None, 10]
    assert journal.calls == each("looked", None, 1)


# In flight -----------------------------------------------------------------------------------


def test_no_more_calls_are_in_flight_than_allowed(session: nu.Session, service: Service) -> None:
    service.delay = 0.02
    session.register_function("asks", Asks(service.url), buffer_capacity=7)
    found = session.sql("SELECT asks(id) FROM range(0, 140, 1, 1)").collect()
    assert [row[0] for row in found] == list(range(140))
    assert service.peak == 7
    assert set(service.asked.values()) == {1}


def test_calls_cross_the_borders_of_bundles(session: nu.Session, service: Service) -> None:
    service.delay = 0.05
    session.register_function("asks", Asks(service.url), buffer_capacity=20)
    rows = session.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "5")
    try:
        session.sql("SELECT asks(id) FROM range(0, 40, 1, 1)").collect()
    finally:
        session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
    assert service.peak == 20


def test_two_functions_in_one_projection_are_in_flight_together(
    session: nu.Session, service: Service
) -> None:
    service.delay = 0.05
    for name in ("one", "two"):
        session.register_function(name, Asks(service.url), buffer_capacity=5)
    found = session.sql("SELECT one(id), two(id + 100) FROM range(0, 20, 1, 1)").collect()
    assert [tuple(row) for row in found] == [(i, i + 100) for i in range(20)]
    assert service.peak == 10


def test_a_limit_stops_what_is_in_flight(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, _: 0.0 if x < 5 else 3600.0
    record = session.register_function("asks", Asks(service.url))
    rows = session.spark.range(0, 100, 1, 1).transform(nu.map_async(y=record("id")))
    assert [row.y for row in rows.limit(3).collect()] == [0, 1, 2]
    service.wait_for(lambda s: s.now == 0)
    assert sum(service.asked.values()) <= 15 + 5


def test_a_cancelled_query_stops_what_is_in_flight(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, _: 3600.0
    session.register_function("asks", Asks(service.url))
    failed: list[BaseException] = []

    def run() -> None:
        try:
            session.sql("SELECT asks(id) FROM range(0, 100, 1, 1)").collect()
        except Exception as error:
            failed.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    service.wait_for(lambda s: s.now == 10)
    session.spark.sparkContext.cancelAllJobs()
    thread.join(PATIENCE)
    assert failed
    service.wait_for(lambda s: s.now == 0)


def test_input_is_not_read_far_ahead(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, _: 0.0 if x < 10 else 3600.0
    session.register_function("asks", Asks(service.url))
    rows = session.spark.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "20")
    try:
        frame = session.sql("SELECT asks(id) FROM range(0, 200000, 1, 1)")
        failed: list[BaseException] = []

        def run() -> None:
            try:
                frame.collect()
            except Exception as error:
                failed.append(error)

        thread = threading.Thread(target=run)
        thread.start()
        service.wait_for(lambda s: s.now == 10)
        session.spark.sparkContext.cancelAllJobs()
        thread.join(PATIENCE)
    finally:
        session.spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", str(rows))
    # Ten were answered, ten are in flight, and of what follows a bundle or two were read.
    assert len(service.asked) == 20
    runs = session.host.runs
    assert runs is not None
    query = str(runs.newest())
    assert session.store.wait_settled(query, PATIENCE)
    read = sum(bundle.rows_in for bundle in session.metrics(query).bundles)
    assert 20 <= read <= 80


# Where it may stand --------------------------------------------------------------------------

PLACES = {
    "select": ("SELECT k, looked(k) FROM places", "SELECT k, k * 10 FROM places"),
    "where": ("SELECT k FROM places WHERE looked(k) > 40", "SELECT k FROM places WHERE k > 4"),
    "join condition": (
        "SELECT a.k, b.k FROM places a JOIN places b ON looked(a.k) = b.k * 5",
        "SELECT a.k, b.k FROM places a JOIN places b ON a.k * 10 = b.k * 5",
    ),
    "left join": (
        "SELECT a.k, b.k FROM places a LEFT JOIN places b ON looked(a.k) = b.k",
        "SELECT a.k, b.k FROM places a LEFT JOIN places b ON a.k * 10 = b.k",
    ),
    "both sides": (
        "SELECT a.k, b.k FROM places a JOIN places b ON looked(a.k) = looked(b.k) + 10",
        "SELECT a.k, b.k FROM places a JOIN places b ON a.k = b.k + 1",
    ),
    "case": (
        "SELECT k, CASE WHEN k > 5 THEN looked(k) ELSE rated(k) END FROM places",
        "SELECT k, CASE WHEN k > 5 THEN k * 10 ELSE k + 1 END FROM places",
    ),
    "nested": ("SELECT rated(looked(k)) FROM places", "SELECT k * 10 + 1 FROM places"),
    "nested in itself": ("SELECT looked(looked(k)) FROM places", "SELECT k * 100 FROM places"),
    "two of them": (
        "SELECT looked(k), rated(n), looked(rated(k)) FROM places",
        "SELECT k * 10, n + 1, (k + 1) * 10 FROM places",
    ),
    "beside sync": ("SELECT plus(k), looked(k) FROM places", "SELECT k + 1, k * 10 FROM places"),
    "around sync": ("SELECT looked(plus(k)) FROM places", "SELECT (k + 1) * 10 FROM places"),
    "within sync": ("SELECT plus(looked(k)) FROM places", "SELECT k * 10 + 1 FROM places"),
    "grouped": (
        "SELECT rated(k % 3), count(*) FROM places GROUP BY rated(k % 3)",
        "SELECT k % 3 + 1, count(*) FROM places GROUP BY k % 3 + 1",
    ),
    "having": (
        "SELECT k % 3 FROM places GROUP BY k % 3 HAVING looked(k % 3) > 5",
        "SELECT k % 3 FROM places GROUP BY k % 3 HAVING k % 3 > 0",
    ),
    "over aggregates": (
        "SELECT looked(sum(k)), sum(looked(k)) FROM places",
        "SELECT sum(k) * 10, sum(k * 10) FROM places",
    ),
    "order by": (
        "SELECT k FROM places ORDER BY looked(-k)",
        "SELECT k FROM places ORDER BY -k",
    ),
    "field": ("SELECT pair(k).name FROM places", "SELECT concat('n', k) FROM places"),
    "field filtered": (
        "SELECT k FROM places WHERE pair(k).id > 4",
        "SELECT k FROM places WHERE k > 4",
    ),
    "field as input": (
        "SELECT looked(s.v) FROM (SELECT named_struct('v', k) AS s FROM places)",
        "SELECT k * 10 FROM places",
    ),
    "concatenated": (
        "SELECT concat(looked(k), '-', n) FROM places",
        "SELECT concat(k * 10, '-', n) FROM places",
    ),
    "union": (
        "SELECT looked(k) FROM places UNION ALL SELECT rated(k) FROM places",
        "SELECT k * 10 FROM places UNION ALL SELECT k + 1 FROM places",
    ),
    "window": (
        "SELECT k, sum(looked(k)) OVER (ORDER BY k) FROM places",
        "SELECT k, sum(k * 10) OVER (ORDER BY k) FROM places",
    ),
    "with": (
        "WITH t AS (SELECT looked(k) AS y FROM places) SELECT y, rated(y) FROM t",
        "SELECT k * 10, k * 10 + 1 FROM places",
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_it_may_stand_where_a_scalar_may(journal: Journal, place: str) -> None:
    query, plain = PLACES[place]
    spark = journal.session.spark
    wanted = journal.run(spark.sql(plain))
    for frame in (journal.session.sql(query), spark.sql(query)):
        found = journal.run(frame)
        if place == "order by":
            assert found == wanted
        assert sorted(found, key=repr) == sorted(wanted, key=repr)


def test_in_a_lambda(journal: Journal) -> None:
    found = journal.run(
        "SELECT transform(xs, x -> if(x > 1, looked(x), x)) FROM VALUES "
        "(array(1L, 2L, 3L)), (array()), (NULL), (array(4L)) AS t(xs)"
    )
    assert found == [[1, 20, 30], [], None, [40]]
    assert journal.calls == each("looked", 2, 3, 4)


def test_on_columns(journal: Journal) -> None:
    looked, rated = journal.session.functions["looked"], journal.session.functions["rated"]
    places = journal.session.spark.table("places")
    frame = places.select(rated(looked("k")).alias("y"), "k").where("k < 3").where("y > 1")
    assert sorted(journal.run(frame)) == [(11, 1), (21, 2)]
    named = places.transform(nu.map_async(y=looked("k"), z=rated(looked("k")))).where("k < 2")
    assert journal.run(named) == [(0, None, 0, 1), (1, 1, 10, 11)]
    replaced = places.select("k").transform(nu.map_async(k=looked("k"))).where("k = 20")
    assert journal.run(replaced) == [20]
    assert journal.calls == each("looked", *range(10))


def test_a_condition_on_a_column_makes_no_second_call(journal: Journal) -> None:
    looked = journal.session.functions["looked"]
    places = journal.session.spark.table("places")
    frame = places.withColumn("y", looked("n")).where("y > 10 AND k < 6").drop("n")
    assert sorted(journal.run(frame)) == [(2, 20), (4, 40), (5, 50)]
    assert journal.calls == each("looked", None, None, 1, 2, 4, 5)
    joined = places.select("k", looked("k")).join(
        frame.select("y"), F.col("looked(k)") == F.col("y")
    )
    assert sorted(journal.run(joined)) == [(2, 20, 20), (4, 40, 40), (5, 50, 50)]
    assert len(journal.calls) == 16


def test_arguments_by_name(session: nu.Session) -> None:
    async def less(a: int, b: int, c: int = 0) -> int:
        return a - b - c

    record = session.register_function("less", less)
    assert session.sql("SELECT less(b => 1, a => id) FROM range(2)").collect() == [(-1,), (0,)]
    assert session.spark.range(2).select(record("id", b=F.lit(1))).collect() == [(-1,), (0,)]
    with pytest.raises(nu.PlanningError, match="by name"):
        session.sql("SELECT less(id, c => 1) FROM range(2)")


# Split rules: the plan, and the calls that are made ------------------------------------------

EVERY = range(10)
SPLIT = {
    "condition": (
        "SELECT k FROM places WHERE looked(k) > 50 AND k > 3",
        each("looked", 4, 5, 6, 7, 8, 9),
        1,
    ),
    "condition and projection": (
        "SELECT looked(k) FROM places WHERE looked(k) > 50 AND k > 3",
        each("looked", 4, 5, 6, 7, 8, 9),
        1,
    ),
    "other calls around it": (
        "SELECT concat(looked(k), upper('x')), k + 1 FROM places",
        each("looked", *EVERY),
        1,
    ),
    "field of the result": ("SELECT pair(k).name, pair(k).id FROM places", each("pair", *EVERY), 1),
    "field in a condition": (
        "SELECT pair(k).name FROM places WHERE pair(k).id > 3 AND k < 8",
        each("pair", *range(8)),
        1,
    ),
    "field as input": (
        "SELECT looked(s.v) FROM (SELECT named_struct('v', k) AS s FROM places)",
        each("looked", *EVERY),
        1,
    ),
    "condition pushed below": (
        "SELECT y FROM (SELECT looked(k) AS y, k FROM places) WHERE k > 6",
        each("looked", 7, 8, 9),
        1,
    ),
    "condition on its column": (
        "SELECT * FROM (SELECT looked(k) AS y FROM places) WHERE y > 30",
        each("looked", *EVERY),
        1,
    ),
    "both conditions": (
        "SELECT * FROM (SELECT looked(k) AS y, k FROM places) WHERE y > 30 AND k < 6",
        each("looked", *range(6)),
        1,
    ),
    "nested": (
        "SELECT rated(looked(k)) FROM places WHERE k < 2",
        # Spark chains them: the one hands its results to the other in one node.
        each("looked", 0, 1) + each("rated", 0, 10),
        1,
    ),
    "several": (
        "SELECT looked(k), rated(k), looked(k) + 1 FROM places WHERE k < 2",
        each("looked", 0, 1) + each("rated", 0, 1),
        1,
    ),
    "in aggregates": (
        "SELECT k % 2, sum(looked(k)), max(rated(k)) FROM places WHERE k < 3 GROUP BY k % 2",
        each("looked", 0, 1, 2) + each("rated", 0, 1, 2),
        1,
    ),
    "grouped by and aggregated": (
        "SELECT looked(k % 2), max(rated(k)) FROM places WHERE k < 3 GROUP BY looked(k % 2)",
        each("looked", 0, 0, 1) + each("rated", 0, 1, 2),
        1,
    ),
    "having and selected": (
        "SELECT looked(k % 2), count(*) FROM places GROUP BY k % 2 HAVING looked(k % 2) > 5",
        each("looked", 0, 1),
        1,
    ),
    "ordered by": (
        "SELECT looked(k) FROM places WHERE k < 4 ORDER BY looked(k)",
        each("looked", *range(4)),
        1,
    ),
    "sorted": ("SELECT looked(k) FROM places ORDER BY k", each("looked", *EVERY), 1),
    "the first ones": (
        "SELECT *, looked(k) FROM places ORDER BY k DESC LIMIT 2",
        each("looked", 8, 9),
        1,
    ),
    "the first ones by what stands beside it": (
        "SELECT looked(k) AS y, -k AS k FROM places WHERE rated(k) > 2 ORDER BY k, 2 "
        "LIMIT 2 OFFSET 1",
        each("rated", *EVERY) + each("looked", 7, 8),
        2,
    ),
    "the first ones, reached": (
        "SELECT CASE WHEN k > 8 THEN looked(k) END FROM places ORDER BY k DESC LIMIT 3",
        each("looked", 9),
        1,
    ),
    "the first ones by a result": (
        "SELECT k, looked(k) AS y FROM places ORDER BY y DESC LIMIT 2",
        each("looked", *EVERY),
        1,
    ),
    "the first ones, numbered": (
        "SELECT looked(k), row_number() OVER (ORDER BY -k) FROM places ORDER BY k LIMIT 2",
        each("looked", *EVERY),
        1,
    ),
    "the first ones of what is called in WHERE": (
        "SELECT looked(k) FROM places WHERE looked(k) > 50 ORDER BY k LIMIT 2",
        each("looked", *EVERY),
        1,
    ),
    "a sorted union": (
        "SELECT looked(k) AS y FROM places UNION ALL SELECT k FROM places ORDER BY y",
        each("looked", *EVERY),
        1,
    ),
    "one condition after the other": (
        "SELECT k FROM places WHERE looked(k) > 50 AND rated(k) > 8",
        each("looked", *EVERY) + each("rated", 6, 7, 8, 9),
        2,
    ),
}


@pytest.mark.parametrize("rule", SPLIT)
def test_split_rules(journal: Journal, rule: str) -> None:
    query, calls, nodes = SPLIT[rule]
    frame = journal.session.sql(query)
    found = journal.run(frame)
    assert journal.calls == sorted(calls)
    plan = frame._jdf.queryExecution().sparkPlan().toString()
    assert plan.count("ArrowEvalPython") == nodes, plan
    # As it is, Spark gives the same rows, by more calls.
    plain = journal.run(journal.session.spark.sql(query))
    assert sorted(found, key=repr) == sorted(plain, key=repr)
    assert "ORDER BY k" not in query or found == plain


# Options -------------------------------------------------------------------------------------


def test_conf_comes_before_the_declaration(
    session: nu.Session, service: Service, conf: Callable[[str, str], None]
) -> None:
    service.delay = 0.02
    query = "SELECT asks(id) FROM range(0, 24, 1, 1)"
    record = session.register_function("asks", Asks(service.url), buffer_capacity=3)

    def peak() -> int:
        service.peak = 0
        session.sql(query).collect()
        return service.peak

    assert peak() == 3
    conf("udf.exec.async-scalar.system.asks.buffer-capacity", "5")
    assert peak() == 5
    conf("udf.exec.async-scalar.spark_catalog.default.asks.buffer-capacity", "8")
    assert peak() == 8
    assert "up to 8 calls" in record.explain()
    service.peak = 0
    # Plain spark.sql has what was read last, a Column what holds when it is made.
    session.spark.sql(query).collect()
    assert service.peak == 8
    session.spark.conf.unset("udf.exec.async-scalar.spark_catalog.default.asks.buffer-capacity")
    session.spark.sql("SET `udf.exec.async-scalar.system.asks.buffer-capacity`=2")
    service.peak = 0
    session.spark.range(0, 10, 1, 1).select(record("id")).collect()
    assert service.peak == 2


def test_a_conf_that_is_wrong_is_named(
    session: nu.Session, journal: Journal, conf: Callable[[str, str], None]
) -> None:
    conf("udf.exec.async-scalar.system.looked.timeout", "soon")
    with pytest.raises(nu.DeclarationError, match=r"system\.looked\.timeout.*'soon'"):
        session.sql("SELECT looked(k) FROM places")
    session.spark.conf.unset("udf.exec.async-scalar.system.looked.timeout")
    conf("udf.exec.async-scalar.system.looked.capacity", "3")
    with pytest.raises(nu.DeclarationError, match="buffer-capacity"):
        session.sql("SELECT looked(k) FROM places")


def _scope_confs() -> list[str]:
    """Keys for one option, the farthest scope first."""
    scopes = (
        "",
        "system.",
        "spark_catalog.",
        "spark_catalog.default.",
        "system.asks.",
        "spark_catalog.default.asks.",
    )
    return [f"udf.exec.async-scalar.{scope}buffer-capacity" for scope in scopes]


def test_a_nearer_scope_comes_before_a_farther_one(
    session: nu.Session, service: Service, conf: Callable[[str, str], None]
) -> None:
    service.delay = 0.02
    record = session.register_function("asks", Asks(service.url), buffer_capacity=2)
    keys = _scope_confs()
    for number, key in enumerate(keys, 3):
        conf(key, str(number))
        assert f"up to {number} calls" in record.explain(), key
        service.peak = 0
        session.sql("SELECT asks(id) FROM range(0, 20, 1, 1)").collect()
        assert service.peak == number, key
    # The order in which they are set does not count.
    conf(keys[0], "20")
    assert f"up to {number} calls" in record.explain()


def test_scopes_of_other_databases_catalogs_and_functions_say_nothing(
    session: nu.Session, service: Service, conf: Callable[[str, str], None]
) -> None:
    record = session.register_function("asks", Asks(service.url), buffer_capacity=2)
    session.sql("CREATE DATABASE elsewhere")
    try:
        for scope in ("spark_catalog.elsewhere", "spark_catalog.elsewhere.asks", "system.others"):
            conf(f"udf.exec.async-scalar.{scope}.buffer-capacity", "7")
        assert "up to 2 calls" in record.explain()
        session.spark.catalog.setCurrentDatabase("elsewhere")
        assert "up to 7 calls" in record.explain()
    finally:
        session.spark.catalog.setCurrentDatabase("default")
        session.sql("DROP DATABASE elsewhere")


@pytest.mark.parametrize("scope", ["", "spark_catalog.default.", "system.asks."])
def test_options_have_their_newer_names_as_well(
    session: nu.Session, service: Service, conf: Callable[[str, str], None], scope: str
) -> None:
    record = session.register_function(
        "asks", Asks(service.url), max_concurrent_operations=4, retry_delay="20ms"
    )
    assert "up to 4 calls" in record.explain()
    assert "0.02 s" in record.explain()
    conf(f"udf.exec.async-scalar.{scope}max-concurrent-operations", "6")
    conf(f"udf.exec.async-scalar.{scope}retry-delay", "30ms")
    assert "up to 6 calls" in record.explain()
    assert "0.03 s" in record.explain()
    conf(f"udf.exec.async-scalar.{scope}buffer-capacity", "7")
    with pytest.raises(
        nu.DeclarationError, match=r"buffer-capacity and .*max-concurrent-operations"
    ):
        record.explain()


def test_two_names_of_an_option_in_one_declaration_are_refused() -> None:
    async def asks(x: int) -> int:
        return x

    with pytest.raises(nu.DeclarationError, match="retry_delay and fixed_delay"):
        udf(asks, retry_delay="1s", fixed_delay="2s")


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("tmeout", "did you mean timeout"),
        ("spark_catalog.default.bufer-capacity", "did you mean buffer-capacity"),
        ("system.somebody.max-atempts", "did you mean max-attempts"),
        ("sytem.looked.timeout", r"did you mean udf\.exec\.async-scalar\.system\.looked\.timeout"),
        ("looked.timeout", r"write udf\.exec\.async-scalar\.system\.looked\.timeout"),
        (
            "system.default.looked.timeout",
            r"write udf\.exec\.async-scalar\.system\.looked\.timeout",
        ),
    ],
)
def test_a_conf_that_nothing_would_read_is_refused(
    session: nu.Session, journal: Journal, conf: Callable[[str, str], None], key: str, said: str
) -> None:
    conf(f"udf.exec.async-scalar.{key}", "3s")
    with pytest.raises(nu.DeclarationError, match=said) as caught:
        session.sql("SELECT looked(k) FROM places")
    assert f"udf.exec.async-scalar.{key}" in str(caught.value)


def test_equal_arguments_share_a_call_where_that_was_asked_for(
    session: nu.Session, journal: Journal
) -> None:
    query = "SELECT {}(id % 4) FROM range(0, 40, 1, 1)"
    journal.function("each_row", lambda x: x, "bigint")
    assert journal.run(query.format("each_row")) == [i % 4 for i in range(40)]
    assert len(journal.calls) == 40
    journal.function("shared", lambda x: x, "bigint", share_calls=True, buffer_capacity=40)
    assert journal.run(query.format("shared")) == [i % 4 for i in range(40)]
    assert journal.calls == each("shared", 0, 1, 2, 3)


# Life ----------------------------------------------------------------------------------------


class Lives(AsyncScalarFunction):
    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def note(self, what: str) -> None:
        with open(self.path, "a") as file:
            file.write(f"{what} {os.getpid()} {id(asyncio.get_running_loop())}\n")

    async def open(self, function_context: FunctionContext) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        self.note("open")

    async def eval(self, x: int) -> int:
        if x == 0:
            self.note("eval")
        if x < 0:
            raise ValueError(x)
        return x

    async def close(self) -> None:  # type: ignore[override]
        await asyncio.sleep(0)
        self.note("close")


@pytest.mark.parametrize("rows", ["range(0, 80, 1, 8)", "range(-40, 40, 1, 8)"])
def test_opened_once_per_worker_and_closed_at_the_end(
    session: nu.Session, tmp_path: Path, rows: str
) -> None:
    path = tmp_path / "lives"
    session.register_function("lives", Lives(path), retry_strategy="NO_RETRY")
    query = f"SELECT lives(id) FROM {rows}"
    if "-" in rows:
        with pytest.raises(nu.UserFunctionError):
            session.sql(query).collect()
    else:
        session.sql(query).collect()
        # What is kept is closed when the workers turn to another query, or go.
        session.sql("SELECT count(lives(id)) FROM range(0, 8, 1, 8)").collect()
    session.pool.restart()
    deadline = time.monotonic() + PATIENCE
    while True:
        lines = path.read_text().splitlines()
        opened = Counter(line for line in lines if line.startswith("open"))
        closed = Counter(line for line in lines if line.startswith("close"))
        if sum(opened.values()) == sum(closed.values()) or time.monotonic() > deadline:
            break
    assert {line.split()[1:][0] for line in opened} == {line.split()[1:][0] for line in closed}
    assert Counter(line[6:] for line in closed.elements()) == Counter(
        line[5:] for line in opened.elements()
    )
    # One loop per worker: what open() made serves eval() and close().
    assert len({tuple(line.split()[1:]) for line in lines}) == len(
        {line.split()[1] for line in lines}
    )
    if "-" not in rows:
        assert max(opened.values()) <= 2


def test_forms_of_async_functions(session: nu.Session) -> None:
    async def scaled(factor: int, x: int) -> int:
        return factor * x

    class Callable_:  # noqa: N801
        async def __call__(self, x: int) -> int:
            return x + 1

    partial = udf(functools.partial(scaled, 3), result_type="bigint", name="tripled")
    assert partial.kind == "async"
    assert session.register_function("tripled", partial).kind == "async"
    session.register_function("called", Callable_(), kind="async")
    found = session.sql("SELECT tripled(id), called(id) FROM range(1, 2)").collect()
    assert [tuple(row) for row in found] == [(3, 2)]
    with pytest.raises(nu.DeclarationError, match="not of kind scalar"):
        session.register_function("tripled", partial, kind="scalar")


def test_metrics_arrive_while_calls_are_in_flight(session: nu.Session, service: Service) -> None:
    service.answer = lambda x, times: 503 if times == 1 and x == 3 else (0.0 if x < 8 else 1.5)
    session.register_function("gauged", Asks(service.url), buffer_capacity=4)
    seen: list[dict[str, Any]] = []

    def found() -> dict[str, Any]:
        metrics = session.metrics().user_metrics
        return {m.name: m.value for m in metrics if m.function == "gauged"}

    end = session.store.subscribe(lambda record: seen.append(found()))
    try:
        with awaited(session, lambda: found().get("async.call_seconds", {}).get("count") == 12):
            session.sql("SELECT gauged(id) FROM range(0, 12, 1, 1)").collect()
    finally:
        end()
    assert found()["async.retries"] == 1
    assert found()["async.timeouts"] == 0
    assert found()["async.queue_seconds"]["count"] == 12
    assert found()["async.call_seconds"]["max"] >= 1.5
    assert found()["async.in_flight"][1] == 0
    assert 4 in [metrics["async.in_flight"][1] for metrics in seen if "async.in_flight" in metrics]


def test_output_names_its_row(session: nu.Session) -> None:
    async def mutters(x: int) -> int:
        await asyncio.sleep(0.01 * (5 - x))
        print(f"this is {x}")
        return x

    session.register_function("mutters", mutters)
    with awaited(session, lambda: len(list(session.logs(function="mutters"))) == 5):
        session.sql("SELECT mutters(id) FROM range(0, 5, 1, 1)").collect()
    told = {(line.text, line.row) for line in session.logs(function="mutters")}
    assert told == {(f"this is {x}", x + 1) for x in range(5)}


# In the kernel -------------------------------------------------------------------------------


def test_eval_runs_it_here(session: nu.Session, tmp_path: Path) -> None:
    record = session.register_function("lives", Lives(tmp_path / "lives"))
    assert record.eval(3) == 3

    async def in_a_loop() -> Any:
        return record.eval(4)

    assert asyncio.run(in_a_loop()) == 4
    with pytest.raises(ValueError, match="-1"):
        record.eval(-1)
    words = [line.split()[0] for line in (tmp_path / "lives").read_text().splitlines()]
    assert words == ["open", "close"] * 3


def test_functions_call_each_other(session: nu.Session) -> None:
    @udf
    async def inner(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    async def outer(x: int) -> int:
        return sum(await asyncio.gather(inner(x), inner(x + 1)))

    record = session.register_function("outer_one", outer)
    assert record.eval(1) == 5
    assert session.sql("SELECT outer_one(id) FROM range(2)").collect() == [(3,), (5,)]
