"""Aggregate functions that take a group's columns as a whole: classes, structs, times."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyspark.sql import Window
from pyspark.sql import functions as F
from waiting import awaited

import notebook_udf as nu
from notebook_udf import AggregateFunction, DataTypes, FunctionContext, Row, udaf

ROWS = "VALUES ('a', 1, 2), ('a', 3, 4), ('b', 5, NULL), ('b', NULL, 8), ('c', 7, 1) AS t(k, v, w)"


class MaxAdd(AggregateFunction):
    """The greatest of one column and of the other, added up; as PyFlink's own test has it."""

    def open(self, function_context: FunctionContext) -> None:
        group = function_context.get_metric_group()
        self.groups = group.counter("groups")
        self.zero = int(function_context.get_job_parameter("zero", "0"))

    def create_accumulator(self) -> list[Any]:
        return []

    def accumulate(self, accumulator: list[Any], *columns: Any) -> None:
        self.groups.inc()
        found = self.zero
        for column in columns:
            if isinstance(column, pa.Array):
                found += pc.max(column).as_py() or 0
            else:
                found += column.max() if column.notna().any() else 0
        accumulator.append(found)

    def get_value(self, accumulator: list[Any]) -> float:
        return float(accumulator[0])


@pytest.fixture(params=["pandas", "arrow"])
def max_add(session: nu.Session, request: pytest.FixtureRequest) -> nu.Session:
    session.register_function("max_add", udaf(MaxAdd(), func_type=request.param))
    return session


def rows_of(session: nu.Session, query: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, session.sql(query).collect()), key=repr)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (
            f"SELECT k, max_add(v, w) FROM {ROWS} GROUP BY k",
            [("a", 7.0), ("b", 13.0), ("c", 8.0)],
        ),
        (f"SELECT max_add(v, w), count(*), max(v) FROM {ROWS}", [(15.0, 5, 7)]),
        (
            f"SELECT k, max_add(v, w) FILTER (WHERE v > 1) FROM {ROWS} GROUP BY k",
            [("a", 7.0), ("b", 5.0), ("c", 8.0)],
        ),
        (f"SELECT max_add(DISTINCT v) FROM {ROWS}", [(7.0,)]),
        (
            f"SELECT k, max_add(v) FROM {ROWS} WHERE k < 'c' GROUP BY ROLLUP (k)",
            [("a", 3.0), ("b", 5.0), (None, 5.0)],
        ),
        (
            "SELECT v, max_add(v) OVER (PARTITION BY k ORDER BY v ROWS 1 PRECEDING) "
            f"FROM {ROWS} WHERE v < 5",
            [(1, 1.0), (3, 3.0)],
        ),
        (
            f"SELECT k FROM {ROWS} WHERE v IS NOT NULL GROUP BY k HAVING max_add(v) > 4",
            [("b",), ("c",)],
        ),
    ],
)
def test_a_class_wherever_an_aggregate_may_stand(
    max_add: nu.Session, query: str, expected: list[Any]
) -> None:
    assert rows_of(max_add, query) == expected


def test_a_class_on_columns(max_add: nu.Session) -> None:
    record = max_add.functions["max_add"]
    frame = max_add.spark.sql(f"SELECT * FROM {ROWS}").where("v IS NOT NULL")
    grouped = frame.groupBy("k").agg(record("v").alias("m"), F.sum("v").alias("s")).orderBy("k")
    assert [tuple(row) for row in grouped.collect()] == [
        ("a", 3.0, 4),
        ("b", 5.0, 5),
        ("c", 7.0, 7),
    ]
    same = frame.transform(nu.aggregate(by=["k"], m=record("v"), s=F.sum("v"))).orderBy("k")
    assert same.collect() == grouped.collect()
    window = Window.partitionBy("k")
    over = frame.select("v", record("v").over(window).alias("m"))
    assert sorted(map(tuple, over.collect())) == [(1, 3.0), (3, 3.0), (5, 5.0), (7, 7.0)]


def test_a_class_has_its_life_and_runs_here(max_add: nu.Session) -> None:
    name = f"counts_{max_add.functions['max_add'].definition.func_type}"
    max_add.register_function(name, max_add.functions["max_add"])

    def counted() -> list[float]:
        return [m.value for m in max_add.metrics().user_metrics if m.function == name]

    with awaited(max_add, lambda: counted() == [3]):
        rows_of(max_add, f"SELECT k, {name}(v) FROM {ROWS} GROUP BY k")
    record = max_add.functions["max_add"]
    as_columns = pd.Series if record.definition.func_type == "pandas" else pa.array
    assert record.eval(as_columns([1, 2]), as_columns([3, 4])) == 6.0
    assert "takes a whole group's columns" in record.explain()


class Raises(MaxAdd):
    def accumulate(self, accumulator: list[Any], column: Any) -> None:  # type: ignore[override]
        if len(column) == 2:
            raise ValueError("a pair")
        accumulator.append(float(len(column)))


class Answers(MaxAdd):
    def accumulate(self, accumulator: list[Any], column: Any) -> Any:  # type: ignore[override]
        return [len(column)]


@pytest.mark.parametrize("func_type", ["pandas", "arrow"])
def test_a_class_that_fails(session: nu.Session, func_type: str) -> None:
    session.register_function("broken", udaf(Raises, func_type=func_type))
    query = f"SELECT k, broken(v) FROM {ROWS} GROUP BY k"
    with pytest.raises(nu.UserFunctionError, match="broken: ValueError: a pair") as caught:
        session.sql(query).collect()
    assert caught.value.failed is not None
    assert caught.value.failed.frames[0].name == "accumulate"
    with pytest.raises(ValueError, match="a pair"):
        session.replay("broken")
    session.register_function("broken", udaf(Raises, func_type=func_type, on_error="null"))
    assert rows_of(session, query) == [("a", None), ("b", None), ("c", 1.0)]
    session.register_function("broken", udaf(Answers, func_type=func_type))
    with pytest.raises(nu.DeclarationError, match=r"Answers\.accumulate returned a list"):
        session.sql(query).collect()


class Number(MaxAdd):
    def create_accumulator(self) -> Any:
        return 0

    def accumulate(self, accumulator: int, column: Any) -> Any:  # type: ignore[override]
        return accumulator + len(column)

    def get_value(self, accumulator: int) -> float:  # type: ignore[override]
        return float(accumulator)


class Forgets(Number):
    def accumulate(self, accumulator: int, column: Any) -> Any:  # type: ignore[override]
        accumulator += len(column)


def test_an_accumulator_that_cannot_change_is_returned(session: nu.Session) -> None:
    query = f"SELECT k, number(v) FROM {ROWS} GROUP BY k"
    session.register_function("number", udaf(Number, func_type="arrow"))
    assert rows_of(session, query) == [("a", 2.0), ("b", 2.0), ("c", 1.0)]
    session.register_function("number", udaf(Forgets, func_type="arrow"))
    with pytest.raises(nu.DeclarationError, match=r"Forgets\.accumulate returned None, and an int"):
        session.sql(query).collect()


def test_results_of_several_values(session: nu.Session) -> None:
    pair = DataTypes.ROW(
        [DataTypes.FIELD("low", DataTypes.INT()), DataTypes.FIELD("mean", DataTypes.DOUBLE())]
    )

    @udaf(result_type=pair, func_type="pandas")
    def low_and_mean(v: Any) -> Any:
        return Row(int(v.min()), v.mean())

    session.register_function("low_and_mean", low_and_mean)
    query = f"SELECT k, p.* FROM (SELECT k, low_and_mean(v) AS p FROM {ROWS} GROUP BY k)"
    assert rows_of(session, query) == [("a", 1, 2.0), ("b", 5, 5.0), ("c", 7, 7.0)]


# Arguments -----------------------------------------------------------------------------------


def test_a_struct_is_a_data_frame_to_pandas(session: nu.Session) -> None:
    def dot(points: Any) -> float:
        assert isinstance(points, pd.DataFrame)
        assert list(points.columns) == ["x", "y"]
        return float((points["x"] * points["y"]).sum())

    class Dot(MaxAdd):
        def accumulate(self, accumulator: list[Any], points: Any) -> None:  # type: ignore[override]
            accumulator.append(dot(points))

    session.register_function("dot", udaf(dot, result_type="double", func_type="pandas"))
    session.register_function("class_dot", udaf(Dot, func_type="pandas"))
    for name in ("dot", "class_dot"):
        query = f"SELECT k, {name}(struct(v AS x, w AS y)) FROM {ROWS} WHERE v < 6 GROUP BY k"
        assert rows_of(session, query) == [("a", 14.0), ("b", 0.0)]
        empty = f"SELECT {name}(named_struct('x', id, 'y', id)) FROM range(0)"
        assert rows_of(session, empty) == [(0.0,)]
    arrow = udaf(lambda s: pc.sum(s.field("x")), result_type="bigint", func_type="arrow")
    session.register_function("dot", arrow)
    query = f"SELECT k, dot(struct(v AS x)) FROM {ROWS} WHERE v < 6 GROUP BY k"
    assert rows_of(session, query) == [("a", 4), ("b", 5)]


@pytest.fixture
def in_tokyo(session: nu.Session) -> Iterator[nu.Session]:
    conf = session.spark.conf
    before = str(conf.get("spark.sql.session.timeZone"))
    conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    yield session
    conf.set("spark.sql.session.timeZone", before)


def test_times_are_those_of_the_session_as_for_scalars(in_tokyo: nu.Session) -> None:
    def shown(times: Any) -> str:
        return str(times.dt.strftime("%Y-%m-%d %H:%M").iloc[0])

    in_tokyo.register_function("shown", udaf(shown, result_type="string", func_type="pandas"))
    query = "SELECT shown(t), date_format(min(t), 'yyyy-MM-dd HH:mm') FROM VALUES ({}) AS v(t)"
    for literal in ("TIMESTAMP'2026-07-01 12:30:00'", "TIMESTAMP'1850-07-01 12:30:00'"):
        ((seen, expected),) = rows_of(in_tokyo, query.format(literal))
        assert seen == expected
    naive = "SELECT shown(t) FROM VALUES (TIMESTAMP_NTZ'2026-07-01 12:30:00') AS v(t)"
    assert rows_of(in_tokyo, naive) == [("2026-07-01 12:30",)]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ("(1L), (2L)", "int64"),
        ("(1L), (NULL)", "float64"),
        ("(9007199254740993L), (NULL)", "Int64"),
        ("(CAST(1 AS SMALLINT))", "int16"),
        ("(1.5D)", "float64"),
        ("(true)", "bool"),
        ("('a')", "object"),
        ("(X'00')", "object"),
        ("(DATE'2026-01-01')", "object"),
        ("(1.5BD)", "object"),
        ("(array(1))", "object"),
    ],
)
def test_columns_have_the_classes_that_scalars_get(
    session: nu.Session, values: str, dtype: str
) -> None:
    def kinds(v: Any) -> str:
        return str(v.dtype)

    def each(v: Any) -> Any:
        return pd.Series([str(v.dtype)] * len(v))

    session.register_function("kinds", udaf(kinds, result_type="string", func_type="pandas"))
    session.register_function("each", nu.udf(each, result_type="string", func_type="pandas"))
    source = f"(SELECT /*+ COALESCE(1) */ * FROM VALUES {values} AS t(v))"
    assert rows_of(session, f"SELECT kinds(v) FROM {source}") == [(dtype,)]
    assert {row[0] for row in rows_of(session, f"SELECT each(v) FROM {source}")} == {dtype}
