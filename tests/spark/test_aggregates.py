"""Aggregate functions in ``session.sql`` and as Columns, on a real Spark."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F
from sample_aggregates import CountAggregateFunction, CountDistinctAggregateFunction
from waiting import awaited

import notebook_udf as nu
from notebook_udf import (
    AggregateFunction,
    DataTypes,
    FunctionContext,
    ListView,
    MapView,
    Row,
    TableAggregateFunction,
    udaf,
    udf,
    udtaf,
)


def rows_of(session: nu.Session, query: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(query).collect()]


def plan_of(frame: DataFrame) -> str:
    return str(frame._jdf.queryExecution().toString())


def in_two_phases(frame: DataFrame) -> bool:
    return "PartialPass" in plan_of(frame)


class Sum(AggregateFunction):
    """With a merge: partitions are aggregated before anything is moved."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int | None) -> None:
        accumulator[0] += value or 0

    def merge(self, accumulator: list[int], accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[0]

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


class SortedSum(Sum):
    """Without a merge: rows are moved and sorted, and groups come one after the other."""

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        pass


class Gather(AggregateFunction):
    """Everything a group has seen, sorted, as text."""

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *values: Any) -> None:
        accumulator.append(values)

    def merge(self, accumulator: list[Any], accumulators: Any) -> None:
        for other in accumulators:
            accumulator.extend(other)

    def get_value(self, accumulator: list[Any]) -> str:
        return " ".join(sorted("/".join(map(str, values)) for values in accumulator))


class SortedGather(Gather):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        pass


@pytest.fixture(scope="module")
def functions(session: nu.Session) -> nu.Session:
    session.register_function("py_sum", udaf(Sum, compile=False))
    session.register_function("sorted_sum", udaf(SortedSum, compile=False))
    session.register_function("gather", udaf(Gather))
    session.register_function("sorted_gather", udaf(SortedGather))
    session.register_function(
        "pandas_mean", udaf(lambda v: v.mean(), result_type="double", func_type="pandas")
    )
    session.register_function(
        "arrow_count", udaf(lambda v: len(v), result_type="bigint", func_type="arrow")
    )
    session.register_function("inc", udf(lambda x: x + 1, "bigint", "bigint"))
    session.spark.range(0, 30, 1, 3).select(
        F.col("id").alias("v"),
        (F.col("id") % 3).alias("k"),
        F.when(F.col("id") % 2 == 0, F.lit("even")).alias("parity"),
    ).createOrReplaceTempView("numbers")
    return session


# --- the design's examples -------------------------------------------------------------------


DESIGN_ROWS = [
    (1, "Hi", "Hello"), (3, "Hi", "hi"), (3, "Hi2", "hi"), (3, "Hi", "hi"), (2, "Hi", "Hello"),
]  # fmt: skip


def test_the_designs_count(session: nu.Session) -> None:
    session.register_function("my_count", CountAggregateFunction())
    rows = session.spark.createDataFrame(DESIGN_ROWS, "a bigint, b string, c string").coalesce(1)
    rows.createOrReplaceTempView("design")
    query = "SELECT my_count(a), c AS b FROM design GROUP BY c ORDER BY b"
    frame = session.sql(query)
    assert frame.columns == ["my_count(a)", "b"]
    assert [tuple(row) for row in frame.collect()] == [(2, "Hello"), (3, "hi")]


def test_the_designs_count_over_several_partitions(session: nu.Session) -> None:
    """Its merge adds a list to a number, and so is not counted on."""
    session.register_function("my_count", CountAggregateFunction())
    rows = session.spark.createDataFrame(DESIGN_ROWS, "a bigint, b string, c string")
    rows.repartition(2).createOrReplaceTempView("design")
    assert rows_of(session, "SELECT my_count(a) FROM design") == [(5,)]


def test_the_designs_decorator(session: nu.Session) -> None:
    int_count_udaf = udaf(
        CountAggregateFunction(),
        result_type=DataTypes.INT(),
        acc_type=DataTypes.ARRAY(DataTypes.INT()),
    )
    session.register_function("int_count", int_count_udaf)
    frame = session.sql("SELECT int_count(id) FROM range(0, 5, 1, 1)")
    assert frame.dtypes == [("int_count(id)", "int")]
    assert frame.collect()[0][0] == 5


def test_the_designs_distinct_count(session: nu.Session) -> None:
    session.register_function("my_distinct", udaf(CountDistinctAggregateFunction))
    rows = session.spark.createDataFrame(DESIGN_ROWS, "a bigint, b string, c string").repartition(4)
    rows.createOrReplaceTempView("design")
    query = "SELECT c, my_distinct(a) FROM design GROUP BY c ORDER BY c"
    assert rows_of(session, query) == [("Hello", 2), ("hi", 1)]


# --- life ------------------------------------------------------------------------------------


class Journal(Sum):
    """Writes a line for each call of its methods; files can be appended to by several workers."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def note(self, what: str) -> None:
        with open(self.path, "a") as file:
            file.write(f"{what} {self.task}\n")

    def open(self, function_context: FunctionContext) -> None:
        self.task = function_context.get_task_name()
        self.task += f" part {function_context.get_index_of_this_subtask()}"
        self.note("open")

    def accumulate(self, accumulator: list[int], value: int | None) -> None:
        self.note("accumulate")
        super().accumulate(accumulator, value)

    def close(self) -> None:
        self.note("close")


def test_open_and_close_stand_around_the_rows_of_a_task(
    session: nu.Session, tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    session.register_function("journal", udaf(Journal(path)))
    assert rows_of(session, "SELECT journal(id) FROM range(0, 12, 1, 4)") == [(66,)]
    by_task: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        what, _, task = line.partition(" ")
        by_task.setdefault(task, []).append(what)
    lives = sorted(by_task.values(), key=len)
    assert lives[-4:] == [["open", "accumulate", "accumulate", "accumulate", "close"]] * 4
    # The task that merges is a life of its own.
    assert lives[:-4] == [["open", "close"]]


class Counts(Sum):
    def open(self, function_context: FunctionContext) -> None:
        self.rows = function_context.get_metric_group().counter("rows")

    def accumulate(self, accumulator: list[int], value: int | None) -> None:
        self.rows.inc()
        if value == 7:
            print("seven is here")
        super().accumulate(accumulator, value)

    def get_value(self, accumulator: list[int]) -> int:
        print("the value is", accumulator[0])
        return accumulator[0]


@pytest.mark.parametrize("grouped", ["", "GROUP BY id % 2"])
def test_metrics_and_lines_arrive(session: nu.Session, grouped: str) -> None:
    name = "counts_rows" + ("_grouped" if grouped else "")
    session.register_function(name, udaf(Counts))

    def found() -> dict[str, Any]:
        return {m.name: m.value for m in session.metrics().user_metrics if m.function == name}

    def told() -> list[str]:
        return [line.text for line in session.logs(function=name)]

    def complete() -> bool:
        return found().get("rows") == 20 and any("the value is" in text for text in told())

    with awaited(session, complete):
        session.sql(f"SELECT {name}(id) FROM range(0, 20, 1, 4) {grouped}").collect()
    assert told().count("seven is here") == 1
    assert len([text for text in told() if "the value is" in text]) == (2 if grouped else 1)


# --- accumulators ----------------------------------------------------------------------------


@dataclasses.dataclass
class Extent:
    low: float | None = None
    high: float | None = None


@dataclasses.dataclass(frozen=True)
class FrozenExtent:
    low: float | None = None
    high: float | None = None


Pair = collections.namedtuple("Pair", ["total", "rows"])


class Own:
    def __init__(self) -> None:
        self.total = 0


def adds(create: Callable[[], Any], add: Callable[[Any, int], Any], value: Any) -> Any:
    """A sum whose accumulators are whatever ``create`` makes."""

    class Made(AggregateFunction):
        def create_accumulator(self) -> Any:
            return create()

        def accumulate(self, accumulator: Any, x: int) -> Any:
            return add(accumulator, x)

        def merge(self, accumulator: Any, accumulators: Any) -> Any:
            for other in accumulators:
                made = add(accumulator, value(other))
                accumulator = accumulator if made is None else made
            return accumulator

        def get_value(self, accumulator: Any) -> int:
            return int(value(accumulator))

    return Made


def put(accumulator: Any, key: Any, value: Any) -> None:
    accumulator[key] = value


def add_to(accumulator: Any, name: str, x: int) -> None:
    setattr(accumulator, name, (getattr(accumulator, name) or 0) + x)


SHAPES: dict[str, tuple[Any, Any, Any, str]] = {
    # name: create, add, value, declared type
    "list": (lambda: [0], lambda a, x: put(a, 0, a[0] + x), lambda a: a[0], "array<bigint>"),
    "Row": (
        lambda: Row(n=0, rest=Row(m=0)),
        lambda a, x: put(a["rest"], "m", a["rest"]["m"] + x),
        lambda a: a["rest"]["m"],
        "n bigint, rest struct<m: bigint>",
    ),
    "dataclass": (
        Extent, lambda a, x: add_to(a, "low", x), lambda a: a.low or 0, "low double, high double",
    ),
    "frozen dataclass": (
        FrozenExtent,
        lambda a, x: FrozenExtent((a.low or 0) + x),
        lambda a: a.low or 0,
        "low double, high double",
    ),
    "dict": (dict, lambda a, x: put(a, "s", a.get("s", 0) + x), lambda a: a.get("s", 0),
             "map<string, bigint>"),
    "Counter": (
        collections.Counter, lambda a, x: put(a, "s", a["s"] + x), lambda a: a["s"],
        "map<string, bigint>",
    ),
    "tuple": (lambda: (0,), lambda a, x: (a[0] + x,), lambda a: a[0], "array<bigint>"),
    "NamedTuple": (
        lambda: Pair(0, 0), lambda a, x: Pair(a.total + x, a.rows + 1), lambda a: a.total,
        "total bigint, rows bigint",
    ),
    "set": (
        lambda: {0}, lambda a, x: (a.add(sum(a) + x), a.difference_update(sorted(a)[:-1]))[1],
        lambda a: sum(a), "array<bigint>",
    ),
    "int": (lambda: 0, lambda a, x: a + x, lambda a: a, "bigint"),
    "Decimal": (lambda: Decimal(0), lambda a, x: a + x, lambda a: a, "decimal(20,0)"),
    "None": (lambda: None, lambda a, x: (a or 0) + x, lambda a: a or 0, "bigint"),
    "None, then a tuple": (
        lambda: None, lambda a, x: (x if a is None else a[0] + x,), lambda a: a[0] if a else 0,
        "s bigint",
    ),
    "custom class": (Own, lambda a, x: add_to(a, "total", x), lambda a: a.total, ""),
    "views": (
        lambda: Row(list=ListView(), map=MapView()),
        lambda a, x: (a["list"].add(x), a["map"].put(x, 1))[1],
        lambda a: sum(a["list"]),
        "list array<bigint>, map map<bigint, bigint>",
    ),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_accumulators_of_every_shape_go_through_a_shuffle(session: nu.Session, shape: str) -> None:
    create, add, value, ddl = SHAPES[shape]
    function = adds(create, add, value)
    declared = None if shape in ("views", "custom class") else ddl
    session.register_function("shaped", udaf(function, accumulator_type=declared))
    session.register_function("shaped_pickled", udaf(function))
    query = (
        "SELECT id % 5, shaped(id), shaped_pickled(id), sum(id) FROM range(0, 200, 1, 4) "
        "GROUP BY id % 5"
    )
    assert in_two_phases(session.sql(query))
    found = rows_of(session, query)
    assert len(found) == 5
    for _, typed, pickled, expected in found:
        assert typed == pickled == expected


# --- plans -----------------------------------------------------------------------------------

QUERIES = [
    "SELECT k, {f}(v) FROM numbers GROUP BY k",
    "SELECT {f}(v) FROM numbers",
    "SELECT {f}(v) FROM numbers WHERE v > 1000",
    "SELECT k, {f}(v) FROM numbers WHERE v > 1000 GROUP BY k",
    "SELECT parity, k, {f}(v), {f}(v + 1) AS other FROM numbers GROUP BY parity, k",
    "SELECT k + 1 AS next, {f}(v) FROM numbers GROUP BY next",
    "SELECT k, {f}(v) FROM numbers GROUP BY 1 HAVING {f}(v) > 140 ORDER BY {f}(v) DESC LIMIT 2",
    "SELECT k, {f}(v) FILTER (WHERE v % 2 = 0), sum(v), count(*) FROM numbers GROUP BY k",
    "SELECT k, {f}(v) FILTER (WHERE v > 1000), count(v) FROM numbers GROUP BY k",
    "SELECT {f}(inc(v)) + 1, inc({f}(v)), max(parity) FROM numbers",
    "SELECT k, sum(s) FROM (SELECT k, parity, {f}(v) AS s FROM numbers GROUP BY ALL) GROUP BY k",
    "SELECT k, max(s) FROM (SELECT k, {f}(v) s FROM numbers GROUP BY k, parity) GROUP BY k",
    "WITH s AS (SELECT k, {f}(v) AS t FROM numbers GROUP BY k) SELECT {f}(t), count(*) FROM s",
    "SELECT {f}(v) FROM numbers UNION ALL SELECT {f}(v + 1) FROM numbers WHERE k = 0",
    "SELECT a.k, {f}(a.v + b.v) FROM numbers a JOIN numbers b ON a.v = b.v GROUP BY a.k",
    "SELECT k, {f}(v) FROM numbers GROUP BY k WITH ROLLUP",
    "SELECT k, parity, {f}(v), sum(v), grouping(k) FROM numbers GROUP BY CUBE (k, parity)",
    "SELECT k, parity, {f}(v) FROM numbers GROUP BY GROUPING SETS ((k), (k, parity), ())",
    "SELECT {f}(DISTINCT k), count(*) FROM numbers",
    "SELECT k, {f}(DISTINCT v % 4) FILTER (WHERE v > 3) FROM numbers GROUP BY k",
    "SELECT v, {f}(v) OVER (PARTITION BY k ORDER BY v ROWS 2 PRECEDING) FROM numbers",
    "SELECT v, {f}(v) OVER (PARTITION BY k) FROM numbers",
    "SELECT * FROM (SELECT k, parity, v FROM numbers) PIVOT ({f}(v) FOR k IN (0, 1, 2))",
    "SELECT k FROM numbers n GROUP BY k HAVING {f}(v) > (SELECT {f}(v) / 3 FROM numbers)",
    "SELECT DISTINCT {f}(v) > 0 FROM numbers GROUP BY k",
    "SELECT CASE WHEN k = 0 THEN 'zero' ELSE 'more' END AS c, {f}(v) FROM numbers GROUP BY c",
    "SELECT {f}(x) FROM numbers LATERAL VIEW explode(array(v, v)) AS x GROUP BY k",
    "SELECT k, (SELECT {f}(v) FROM numbers m WHERE m.k = n.k) FROM numbers n WHERE v < 3",
    "SELECT k, {f}(v) s FROM numbers GROUP BY ALL",
]  # fmt: skip


def sorted_rows(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(rows, key=lambda row: tuple((v is not None, str(v)) for v in row))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize("function", ["py_sum", "sorted_sum"])
def test_wherever_a_built_in_aggregate_may_stand(
    functions: nu.Session, query: str, function: str
) -> None:
    found = rows_of(functions, query.format(f=function))
    # Of no rows a sum is NULL to Spark, and 0 to the function.
    built_in = functions.spark.sql(query.format(f="sum"))
    sums = [name.startswith(("sum(", "inc(")) for name in built_in.columns]
    expected = [
        tuple(
            0 if value is None and is_sum else value
            for value, is_sum in zip(row, sums, strict=True)
        )
        for row in built_in.collect()
    ]
    assert sorted_rows(found) == sorted_rows(expected)


@pytest.mark.parametrize(
    "query",
    [
        "SELECT k, {f}(v) FROM numbers GROUP BY k",
        "SELECT {f}(v), count(*) FROM numbers",
        "SELECT k, {f}(v) FILTER (WHERE v > 3), max(v) FROM numbers GROUP BY k HAVING {f}(v) > 0",
    ],
)
def test_the_plan_taken(functions: nu.Session, query: str) -> None:
    merged = functions.sql(query.format(f="py_sum"))
    plan = plan_of(merged)
    assert plan.count("MapInArrow PartialPass") >= 1
    assert "SortExec" not in plan
    assert "Sort [" not in plan.partition("Physical Plan")[2]
    gathered = functions.sql(query.format(f="sorted_sum"))
    physical = plan_of(gathered).partition("Physical Plan")[2]
    assert "MapInArrow PartialPass" in physical
    below = physical.partition("MapInArrow PartialPass")[2]
    assert "Exchange" in below
    assert ("Sort [" in below) == ("GROUP BY" in query)
    named = {"py_sum": merged.collect(), "sorted_sum": gathered.collect()}
    assert sorted_rows([tuple(r) for r in named["py_sum"]]) == sorted_rows(
        [tuple(r) for r in named["sorted_sum"]]
    )


def test_what_spark_collects_is_not_accumulated_in_two_phases(functions: nu.Session) -> None:
    for query in (
        "SELECT py_sum(DISTINCT v) FROM numbers",
        "SELECT pandas_mean(v) FROM numbers",
    ):
        assert not in_two_phases(functions.sql(query)), query


def test_a_query_without_aggregates_goes_to_spark_as_it_is(functions: nu.Session) -> None:
    frame = functions.sql("SELECT 1L AS one, 'py_sum(v)' AS text -- py_sum(v)")
    assert [tuple(r) for r in frame.collect()] == [(1, "py_sum(v)")]


def test_an_empty_input(functions: nu.Session) -> None:
    for function in ("py_sum", "sorted_sum"):
        assert rows_of(functions, f"SELECT {function}(id) FROM range(0)") == [(0,)]
        assert rows_of(functions, f"SELECT {function}(id) FROM range(0) GROUP BY id") == []
        assert rows_of(functions, f"SELECT count(*), {function}(id) FROM range(0)") == [(0, 0)]
    assert rows_of(functions, "SELECT arrow_count(id) FROM range(0)") == [(0,)]
    query = "SELECT v, py_sum(1) FROM VALUES (1), (2) t(v) WHERE v > 1 GROUP BY v"
    assert rows_of(functions, query) == [(2, 1)]


def test_no_arguments(functions: nu.Session) -> None:
    class Rows(Sum):
        def accumulate(self, accumulator: list[int]) -> None:  # type: ignore[override]
            accumulator[0] += 1

    functions.register_function("py_rows", udaf(Rows))
    assert rows_of(functions, "SELECT py_rows(), count(*) FROM numbers") == [(30, 30)]
    query = "SELECT k, {f} FILTER (WHERE v > 3) FROM numbers GROUP BY k ORDER BY k"
    expected = [tuple(row) for row in functions.spark.sql(query.format(f="count(*)")).collect()]
    assert rows_of(functions, query.format(f="py_rows()")) == expected


def test_named_arguments(functions: nu.Session) -> None:
    class Weighted(Sum):
        def accumulate(  # type: ignore[override]
            self, accumulator: list[int], value: int, weight: int = 1
        ) -> None:
            accumulator[0] += value * weight

    functions.register_function("weighted", udaf(Weighted))
    query = "SELECT weighted(weight => 2, value => v), weighted(v), weighted(v, 3) FROM numbers"
    assert rows_of(functions, query) == [(870, 435, 1305)]


def test_parameters_and_frames_in_a_query(functions: nu.Session) -> None:
    frame = functions.spark.range(10)
    query = "SELECT py_sum(id) FROM {rows} WHERE id < :most"
    assert functions.sql(query, rows=frame, args={"most": 4}).collect()[0][0] == 6


def test_general_and_vectorised_aggregates_in_one_query(functions: nu.Session) -> None:
    query = """
        SELECT k, py_sum(v), sorted_sum(v), pandas_mean(v), arrow_count(v), sum(v), avg(v), count(v)
        FROM numbers GROUP BY k
    """
    for row in rows_of(functions, query):
        general, ordered, mean, count, *built_in = row[1:]
        assert [general, ordered, mean, count] == [built_in[0], *built_in]


def test_vectorised_aggregates_everywhere(functions: nu.Session) -> None:
    queries = [
        "SELECT k, {f}(v) FILTER (WHERE v % 2 = 0) FROM numbers GROUP BY k",
        "SELECT {f}(DISTINCT k) FROM numbers",
        "SELECT v, {f}(v) OVER (PARTITION BY k ORDER BY v ROWS 1 PRECEDING) FROM numbers",
        "SELECT k, parity, {f}(v) FROM numbers GROUP BY ROLLUP (k, parity)",
    ]
    for query in queries:
        expected = [tuple(r) for r in functions.spark.sql(query.format(f="avg")).collect()]
        found = rows_of(functions, query.format(f="pandas_mean"))
        assert sorted_rows(found) == sorted_rows(expected), query


def test_many_groups_and_a_heavy_one(functions: nu.Session) -> None:
    source = "(SELECT IF(id % 2 = 0, 0, id) AS g, id FROM range(0, 60000, 1, 3))"
    for function in ("py_sum", "sorted_sum"):
        query = f"SELECT count(*), sum(a - b) FROM (SELECT g, {function}(id) a, sum(id) b "
        query += f"FROM {source} GROUP BY g)"
        assert rows_of(functions, query) == [(30001, 0)]


def test_a_mix_with_and_without_merge_in_one_select(functions: nu.Session) -> None:
    query = "SELECT k, py_sum(v), sorted_sum(v), sum(v) FROM numbers GROUP BY k"
    for _, one, two, expected in rows_of(functions, query):
        assert one == two == expected


# --- keys ------------------------------------------------------------------------------------

KEYS: dict[str, list[Any]] = {
    "boolean": [True, False],
    "tinyint": [-128, 127],
    "smallint": [-1, 1],
    "int": [2**31 - 1, 0],
    "bigint": [-(2**63), 2**63 - 1],
    "float": [1.5, math.nan],
    "double": [math.inf, math.nan, 0.5],
    "decimal(10,2)": [Decimal("1.25"), Decimal("-0.01")],
    "string": ["", "a", "A", "e\u0301", "\xe9", "\0"],
    "binary": [b"", b"\xff"],
    "date": [dt.date(1, 1, 1), dt.date(9999, 12, 31)],
    # Half past two comes twice that night; without a zone, PySpark takes the one it took last.
    "timestamp": [dt.datetime(2020, 10, 25, 0, 30, tzinfo=dt.UTC), dt.datetime(9999, 12, 30)],
    "timestamp_ntz": [dt.datetime(2020, 3, 29, 2, 30)],
    "time(6)": [dt.time(1, 2, 3, 4)],
    "interval day to second": [dt.timedelta(1, 2, 3)],
    "array<double>": [[], [None], [math.nan, 1.0]],
    "array<timestamp>": [[dt.datetime(2020, 1, 1)], [None], []],
    "struct<a: int, b: array<string>>": [(1, ["x"]), (1, None), (None, None)],
    "map<string, int>": [{"a": 1}, {"b": 2}],
}  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ddl", KEYS)
@pytest.mark.parametrize("function", ["py_sum", "sorted_sum"])
def test_keys_of_every_type(functions: nu.Session, ddl: str, function: str) -> None:
    values = [*KEYS[ddl], None]
    data = [(value, n) for n, value in enumerate(values)] * 3
    frame = functions.spark.createDataFrame(data, f"key {ddl}, n bigint").repartition(3)
    frame.createOrReplaceTempView("keyed")
    query = "SELECT key, {f}(n) AS s, count(*) AS c FROM keyed GROUP BY key"
    found = functions.sql(query.format(f=function))
    expected = functions.spark.sql(query.format(f="sum"))
    assert found.schema["key"].dataType == expected.schema["key"].dataType
    shown = sorted(map(str, found.collect()))
    assert shown == sorted(map(str, expected.collect()))
    assert len(shown) == len(values)


@pytest.mark.parametrize("function", ["py_sum", "sorted_sum"])
def test_zero_and_minus_zero_are_one_key(functions: nu.Session, function: str) -> None:
    data = [(0.0, 1), (-0.0, 2), (math.nan, 4), (-math.nan, 8)]
    frame = functions.spark.createDataFrame(data, "key double, n bigint").repartition(4)
    frame.createOrReplaceTempView("keyed")
    query = f"SELECT CAST(key AS STRING), {function}(n) FROM keyed GROUP BY key ORDER BY 1"
    assert rows_of(functions, query) == [("0.0", 3), ("NaN", 12)]
    query = f"SELECT {function}(n) FROM keyed GROUP BY array(key) ORDER BY 1"
    assert rows_of(functions, query) == [(3,), (12,)]


@pytest.mark.parametrize("function", ["py_sum", "sorted_sum"])
@pytest.mark.parametrize("key", ["at", "array(at)", "named_struct('x', at)"])
def test_an_hour_that_the_clock_shows_twice_is_two_keys(
    functions: nu.Session, function: str, key: str
) -> None:
    # Half past two, before and after clocks are put back: as Python's datetimes they are equal.
    query = (
        f"SELECT {key} AS k, {{f}}(id) AS s, count(*) AS c FROM (SELECT id, "
        f"timestamp_seconds(1603585800 + 3600 * (id % 2)) AS at FROM range(0, 20, 1, 4)) GROUP BY 1"
    )
    found = functions.sql(query.format(f=function)).selectExpr("to_json(struct(*)) AS j").collect()
    expected = functions.spark.sql(query.format(f="sum")).selectExpr("to_json(struct(*)) AS j")
    assert len(found) == 2
    assert sorted(map(str, found)) == sorted(map(str, expected.collect()))


@pytest.mark.parametrize("function", ["py_sum", "sorted_sum"])
def test_keys_with_a_collation(functions: nu.Session, function: str) -> None:
    data = [("a", 1), ("A", 2), ("b", 4)]
    frame = functions.spark.createDataFrame(data, "key string, n bigint").repartition(2)
    frame.createOrReplaceTempView("keyed")
    query = f"SELECT {function}(n) FROM keyed GROUP BY key COLLATE UTF8_LCASE ORDER BY 1"
    assert rows_of(functions, query) == [(3,), (4,)]


@pytest.mark.parametrize("function", ["py_sum", "sorted_sum"])
def test_a_nondeterministic_key_is_computed_once(functions: nu.Session, function: str) -> None:
    query = (
        f"SELECT sum(c) FROM (SELECT floor(rand() * 3), {function}(1) c FROM range(90) GROUP BY 1)"
    )
    assert rows_of(functions, query) == [(90,)]


# --- arguments and results of many types ------------------------------------------------------

VALUES = {
    "boolean": "true",
    "tinyint": "1Y",
    "float": "CAST(1.5 AS FLOAT)",
    "double": "CAST('NaN' AS DOUBLE)",
    "decimal(10,2)": "CAST(1.25 AS DECIMAL(10,2))",
    "string": "'a😀'",
    "binary": "X'FF00'",
    "date": "DATE'2020-01-01'",
    "timestamp": "TIMESTAMP'2020-01-01 01:02:03'",
    "timestamp_ntz": "TIMESTAMP_NTZ'2020-01-01 01:02:03'",
    "interval day to second": "INTERVAL '1 02:03:04' DAY TO SECOND",
    "array<int>": "array(1, NULL)",
    "map<string,int>": "map('a', 1)",
    "struct<a:int,b:string>": "named_struct('a', 1, 'b', CAST(NULL AS STRING))",
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ddl", VALUES)
def test_values_of_every_type_go_in_and_out(session: nu.Session, ddl: str) -> None:
    class Last(AggregateFunction):
        def create_accumulator(self) -> Any:
            return [None]

        def accumulate(self, accumulator: Any, value: Any) -> None:
            accumulator[0] = value

        def merge(self, accumulator: Any, accumulators: Any) -> None:
            for (value,) in accumulators:
                accumulator[0] = value

        def get_value(self, accumulator: Any) -> Any:
            return accumulator[0]

    declared = udaf(Last, input_types=ddl, result_type=ddl, acc_type=f"array<{ddl}>")
    session.register_function("last_one", declared)
    session.register_function("last_pickled", udaf(Last, result_type=ddl))
    query = f"SELECT last_one({VALUES[ddl]}), last_pickled({VALUES[ddl]}), first({VALUES[ddl]}) "
    query += "FROM range(0, 4, 1, 2)"
    ((one, two, expected),) = rows_of(session, query)
    assert str(one) == str(two) == str(expected)


# --- around the query ------------------------------------------------------------------------


def test_registering_again_takes_effect_in_the_next_query(session: nu.Session) -> None:
    class Twice(Sum):
        def get_value(self, accumulator: list[int]) -> int:
            return 2 * accumulator[0]

    session.register_function("changing", udaf(Sum))
    before = session.sql("SELECT changing(id) FROM range(4)")
    assert before.collect()[0][0] == 6
    session.register_function("changing", udaf(Twice))
    assert rows_of(session, "SELECT changing(id) FROM range(4)") == [(12,)]
    # A DataFrame keeps what it was planned with.
    assert before.collect()[0][0] == 6
    assert [record.version for record in session.functions["changing"].history] == [1, 2]


def test_temporary_views(functions: nu.Session) -> None:
    grouped = "SELECT k, py_sum(v) s FROM numbers GROUP BY k"
    functions.sql(f"CREATE OR REPLACE TEMPORARY VIEW sums AS {grouped}")
    assert rows_of(functions, "SELECT py_sum(s), sum(s) FROM sums") == [(435, 435)]
    assert functions.spark.sql("SELECT sum(s) FROM sums").collect()[0][0] == 435
    with pytest.raises(Exception, match="sums"):
        functions.sql(f"CREATE TEMPORARY VIEW sums AS {grouped}")
    # What planning needed is gone again.
    names = [table.name for table in functions.spark.catalog.listTables()]
    assert not [name for name in names if name.startswith("_nu_")]


def test_a_temporary_view_that_names_its_columns(functions: nu.Session) -> None:
    functions.sql(
        "CREATE OR REPLACE TEMP VIEW named (a, b) AS SELECT k, py_sum(v) FROM numbers GROUP BY k"
    )
    assert functions.spark.table("named").columns == ["a", "b"]


def test_tables_and_caches(functions: nu.Session, tmp_path: Path) -> None:
    grouped = "SELECT k, py_sum(v) s FROM numbers GROUP BY k"
    functions.sql(f"CREATE TABLE made USING parquet LOCATION '{tmp_path / 'table'}' AS {grouped}")
    try:
        functions.sql("INSERT INTO made SELECT 9, py_sum(v) FROM numbers")
        assert rows_of(functions, "SELECT sum(s), count(*) FROM made") == [(870, 4)]
    finally:
        functions.spark.sql("DROP TABLE made")
    cached = functions.sql(grouped).cache()
    assert cached.count() == 3
    assert cached.count() == 3
    cached.unpersist()


NAMED = [
    "{f}(v)", "{f}(v) AS s", "{f}(DISTINCT v)", "CAST({f}(v) AS STRING)",
    "K", "k + 1", "-k", "NOT k = 1", "if(k = 1, 'a', 'b')", "SUM(v)", "sum(V)", "COUNT(1)",
    "count(*)", "mod(k, 2)", "log2(k + 1)", "{f}(v) FILTER (WHERE v > 1)", "{f}(v) + 1", "-{f}(v)",
    "coalesce({f}(v), 0)", "nvl({f}(v), 0)", "{f}(v) > 1 AND true", "nvl(k, 0)", "1L",
    "DATE'2020-01-01'", "{f}(DISTINCT v + 1) FILTER (WHERE v > 1 AND k IN (1, 2)) + {f}(v)",
    "{f}(if(v > 1, (v), 0)) FILTER (WHERE true)", "'{f}(v)'", "(SELECT {f}(n.v) FROM numbers n)",
    "sum({f}(v)) OVER (ORDER BY k)", "{f}(v) FILTER (WHERE v > 1 OR 'it''s (' = '') > 1",
]  # fmt: skip


@pytest.mark.parametrize("shown", NAMED)
def test_column_names_are_those_that_spark_would_give(functions: nu.Session, shown: str) -> None:
    query = f"SELECT {shown}, {{f}}(v) AS other FROM numbers GROUP BY k"
    expected = functions.spark.sql(query.format(f="max")).columns
    found = functions.sql(query.format(f="py_sum")).columns
    assert found == [name.replace("max(", "py_sum(") for name in expected]


MEANINGS = [
    r"'it''s'", r"'it\'s'", r'"a ""b"', r"r'\d'", r"'\n'", "'a' 'b'", "TIME'01:02:03'",
    "to_char(1.5, '9.99')", "INTERVAL 2 HOURS 3 MINUTES", "DATE'2020-01-01'", "1.5BD", "X'FF00'",
    "-5 % 3", "5 DIV 2", "1 <=> NULL", "array(1, 2)[0]", "try_cast('a' AS INT)", "5 ^ 3",
    "transform(array(1, 2), x -> x + 1)", "date_sub(DATE'2020-01-01', 1)", "log(10)",
    "'A' COLLATE UTF8_LCASE = 'a'", "parse_json('{\"a\": 1}'):a::int", "IDENTIFIER('abs')(-1)",
]  # fmt: skip


@pytest.mark.parametrize("expression", MEANINGS)
def test_what_stands_beside_a_call_keeps_its_meaning(
    functions: nu.Session, expression: str
) -> None:
    direct = functions.spark.sql(f"SELECT {expression} AS x")
    found = functions.sql(f"SELECT {expression} AS x, py_sum(v) FROM numbers")
    assert found.schema["x"].dataType == direct.schema["x"].dataType
    assert found.collect()[0][0] == direct.collect()[0][0]


@pytest.mark.parametrize(
    "built_in",
    [
        "percentile_cont(0.5) WITHIN GROUP (ORDER BY v)",
        "percentile_approx(v, 0.5)",
        "listagg(CAST(v AS STRING), ',') WITHIN GROUP (ORDER BY v DESC)",
        "first(v) IGNORE NULLS",
        "max_by(v, -v)",
        "count(DISTINCT k, parity)",
        "count_if(v > 3)",
        "bool_or(v > 3) FILTER (WHERE v < 2)",
        "stddev(v)",
        "approx_count_distinct(v)",
        "array_sort(collect_set(k))",
        "mode(k) IS NULL",
    ],
)
def test_built_ins_beside_a_call_are_sparks(functions: nu.Session, built_in: str) -> None:
    source = "FROM (SELECT * FROM numbers WHERE v < 20)"
    direct = functions.spark.sql(f"SELECT {built_in} AS x {source}").collect()
    found = functions.sql(f"SELECT {built_in} AS x, py_sum(v) {source}").collect()
    if "first" in built_in:
        # Any row may be the first.
        assert found[0].x in range(20)
    else:
        assert found[0].x == direct[0].x


def test_explain_shows_the_plan_that_runs(functions: nu.Session) -> None:
    (row,) = functions.sql("EXPLAIN SELECT py_sum(v) FROM numbers").collect()
    assert "Physical Plan" in row[0]
    assert "Error" not in row[0]


def test_a_name_in_another_case_and_quoted(functions: nu.Session) -> None:
    query = "SELECT PY_SUM(v), `py_sum`(v), Py_Sum (V) FROM Numbers"
    assert rows_of(functions, query) == [(435, 435, 435)]


def test_comments_strings_and_quotes_survive(functions: nu.Session) -> None:
    query = r"""
        SELECT /* py_sum( */ gather('it\'s', "a ""b", r'\d', 'tab\t', x) -- the end
        FROM VALUES ('🙂'), (NULL) AS t(x) WHERE coalesce(x, '') LIKE '%'
    """
    direct = functions.spark.sql(
        r"""SELECT concat_ws('/', 'it\'s', "a ""b", r'\d', 'tab\t', '🙂')"""
    ).collect()[0][0]
    found = rows_of(functions, query)[0][0]
    assert found == " ".join(sorted([direct, direct.replace("🙂", "None")]))


# --- as Columns ------------------------------------------------------------------------------


def test_calls_as_columns(functions: nu.Session) -> None:
    frame = functions.spark.table("numbers")
    py_sum, mean = functions.functions["py_sum"], functions.functions["pandas_mean"]
    found = (
        frame.groupBy("k")
        .agg(
            py_sum("v").alias("a"),
            F.sum("v").alias("b"),
            py_sum(F.col("v") + 1).filter(F.col("v") > 5).alias("c"),
            F.sum(F.when(F.col("v") > 5, F.col("v") + 1)).alias("d"),
            py_sum(F.col("v") % 4).distinct().alias("e"),
            F.sum_distinct(F.col("v") % 4).alias("f"),
            mean("v").alias("g"),
            F.avg("v").alias("h"),
        )
        .collect()
    )
    assert len(found) == 3
    for row in found:
        assert row.a == row.b
        assert row.c == row.d
        assert row.e == row.f
        assert row.g == row.h
    assert frame.agg(py_sum("v")).collect()[0][0] == 435
    assert frame.select(py_sum("v")).collect()[0][0] == 435
    assert frame.where("v > 1000").agg(py_sum("v")).collect()[0][0] == 0


@pytest.mark.parametrize("condition", ["v > 5", "`v` > 5 AND k IS NOT NULL", "inc(v) > 6"])
def test_the_condition_of_a_call_is_a_column_or_its_text(
    functions: nu.Session, condition: Any
) -> None:
    frame = functions.spark.table("numbers")
    py_sum = functions.functions["py_sum"]
    call = py_sum("v").filter(condition)
    above = frame.where("v > 5").groupBy("k").agg(F.sum("v").alias("a"))
    wanted = {row.k: row.a for row in above.collect()}
    grouped = frame.groupBy("k").agg(call.alias("a"))
    assert {row.k: row.a for row in grouped.collect()} == wanted
    assert {r.k: r.a for r in frame.transform(nu.aggregate(by="k", a=call)).collect()} == wanted
    window = Window.partitionBy("k")
    for over in (call.over(window), py_sum("v").over(window).filter(condition)):
        assert {(r.k, r.a) for r in frame.select("k", over.alias("a")).collect()} == set(
            wanted.items()
        )
    once = frame.groupBy("k").agg(py_sum(F.lit(1)).distinct().filter(condition).alias("a"))
    assert {row.k: row.a for row in once.collect()} == dict.fromkeys(wanted, 1)


def test_what_is_no_condition_is_refused(functions: nu.Session) -> None:
    call = functions.functions["py_sum"]("v")
    with pytest.raises(nu.PlanningError, match=r"py_sum\(v\)\.filter takes .* not True"):
        call.filter(True)


class TwoLeast(TableAggregateFunction):
    def create_accumulator(self) -> list[int]:
        return []

    def accumulate(self, accumulator: list[int], value: int, factor: int = 1) -> None:
        accumulator[:] = sorted([*accumulator, value * factor])[:2]

    def merge(self, accumulator: list[int], accumulators: Any) -> None:
        for other in accumulators:
            accumulator[:] = sorted([*accumulator, *other])[:2]

    def emit_value(self, accumulator: list[int]) -> Any:
        yield from enumerate(accumulator)


def test_names_of_a_table_aggregates_columns_by_alias(functions: nu.Session) -> None:
    two = functions.register_function(
        "two_least", udtaf(TwoLeast, result_type="place int, value bigint")
    )
    frame = functions.spark.table("numbers")
    named = frame.transform(nu.flat_aggregate(two("v", 10).alias("nth", "least"), by="k"))
    assert named.columns == ["k", "nth", "least"]
    assert sorted(map(tuple, named.collect())) == [
        (k, place, 10 * (k + 3 * place)) for k in range(3) for place in range(2)
    ]
    over = nu.flat_aggregate(two("v").alias("nth", "least"), ["a", "b"], by="k")
    assert frame.transform(over).columns == ["k", "a", "b"]
    with pytest.raises(nu.PlanningError, match="emits 2 columns"):
        nu.flat_aggregate(two("v").alias("nth"), by="k")


@pytest.mark.parametrize("row", [lambda v: v, lambda v: (v,), lambda v: [v], nu.Row])
def test_a_row_of_one_column_may_be_the_value(functions: nu.Session, row: Any) -> None:
    class Least(TwoLeast):
        def emit_value(self, accumulator: list[int]) -> Any:
            return map(row, [*accumulator, None])

    least = functions.register_function("one_each", udtaf(Least, result_type="value bigint"))
    frame = functions.spark.table("numbers")
    found = frame.transform(nu.flat_aggregate(least("v"), by="k"))
    assert {tuple(each) for each in found.collect()} == {
        (k, value) for k in range(3) for value in (k, k + 3, None)
    }
    assert [tuple(each) for each in least.eval([5, 3, 4], [1, 1, 1])] == [(3,), (4,), (None,)]


def test_constants_as_arguments_of_columns(functions: nu.Session) -> None:
    class Weighted(Sum):
        def accumulate(  # type: ignore[override]
            self, accumulator: list[int], value: int, weight: int
        ) -> None:
            accumulator[0] += value * weight

    weighted = functions.register_function("weighted", udaf(Weighted))
    frame = functions.spark.table("numbers")
    assert frame.agg(weighted("v", 2)).first()[0] == 870
    assert frame.agg(weighted(weight=3, value="v")).first()[0] == 1305
    rows = frame.transform(nu.aggregate(by="k", n=weighted(1, 1), total=F.sum(F.lit(1))))
    assert all(row.n == row.total for row in rows.collect())
    with pytest.raises(nu.PlanningError, match=r"weighted was called with 1\.5 for weight"):
        weighted("v", 1.5)


def test_columns_over_windows(functions: nu.Session) -> None:
    frame = functions.spark.table("numbers")
    py_sum = functions.functions["py_sum"]
    window = Window.partitionBy("k").orderBy("v").rowsBetween(-2, 1)
    rows = frame.select(
        "v",
        py_sum("v").over(window).alias("a"),
        F.sum("v").over(window).alias("b"),
        py_sum("v").over(Window.partitionBy("parity")).alias("c"),
        F.sum("v").over(Window.partitionBy("parity")).alias("d"),
    ).collect()
    assert len(rows) == 30
    for row in rows:
        assert (row.a, row.c) == (row.b, row.d)


def test_a_definition_called_without_registering(session: nu.Session) -> None:
    total = udaf(Sum, name="unregistered")
    assert session.spark.range(5).agg(total("id")).collect()[0][0] == 10
    assert session.spark.range(5).agg(total(5)).collect()[0][0] == 25
    with pytest.raises(nu.PlanningError, match=r"unregistered .*object.* BIGINT cannot hold"):
        total(object())


def test_names_of_columns(functions: nu.Session) -> None:
    frame = functions.spark.table("numbers")
    py_sum = functions.functions["py_sum"]
    assert frame.agg(py_sum("v")).columns == ["py_sum(v)"]


def test_on_error_null_leaves_the_row_out(session: nu.Session) -> None:
    class Picky(Sum):
        def accumulate(self, accumulator: list[int], value: int | None) -> None:
            if value is None or value % 3 == 0:
                raise ValueError("not this one")
            accumulator[0] += value

        def get_value(self, accumulator: list[int]) -> int:
            if accumulator[0] > 40:
                raise ValueError("too much")
            return accumulator[0]

    class SortedPicky(Picky):
        def merge(self, accumulator: Any, accumulators: Any) -> None:
            pass

    for cls in (Picky, SortedPicky):
        session.register_function("picky", udaf(cls, on_error="null"))
        assert rows_of(session, "SELECT picky(id) FROM range(10)") == [(27,)]
        # A value that fails is NULL.
        assert rows_of(session, "SELECT picky(id) FROM range(100)") == [(None,)]
        assert rows_of(session, "SELECT picky(DISTINCT id % 6) FROM range(100)") == [(12,)]
