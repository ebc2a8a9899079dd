"""Scalar functions through SQL and DataFrames on a real Spark."""

from __future__ import annotations

import datetime as dt
import functools
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import DataTypes, ScalarFunction, udf


def one(session: nu.Session, query: str) -> Any:
    rows = session.sql(query).collect()
    assert len(rows) == 1
    return rows[0][0]


def test_plain_function_from_annotations(session: nu.Session) -> None:
    def add(i: int, j: int) -> int:
        return i + j

    record = session.register_function("add", add)
    assert one(session, "SELECT add(1, 2)") == 3
    frame = session.spark.range(3)
    assert [r[0] for r in frame.select(record("id", F.lit(10))).collect()] == [10, 11, 12]
    assert [r[0] for r in session.spark.sql("SELECT add(id, id) FROM range(3)").collect()] == [
        0,
        2,
        4,
    ]


class SubtractOne(ScalarFunction):
    def eval(self, i: Any) -> Any:
        return i - 1


class Multiply(ScalarFunction):
    def eval(self, x: Any, y: Any) -> Any:
        return x * y

    def is_deterministic(self) -> bool:
        return False


class Adder:
    def __init__(self, by: int) -> None:
        self.by = by

    def __call__(self, i: int) -> int:
        return i + self.by


def test_every_way_to_write_one(session: nu.Session) -> None:
    ways = {
        "way_lambda": udf(lambda i: i + 1, DataTypes.BIGINT(), DataTypes.BIGINT()),
        "way_partial": udf(functools.partial(lambda k, i: k + i, 1), result_type="bigint"),
        "way_callable": udf(Adder(1)),
        "way_class": udf(SubtractOne, DataTypes.BIGINT(), DataTypes.BIGINT()),
        "way_instance": udf(SubtractOne(), DataTypes.BIGINT(), DataTypes.BIGINT()),
    }
    for name, function in ways.items():
        session.register_function(name, function)
        expected = 4 if name in ("way_class", "way_instance") else 6
        assert one(session, f"SELECT {name}(5)") == expected, name


def test_the_design_examples(session: nu.Session) -> None:
    multiply = udf(
        input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()], result_type=DataTypes.BIGINT()
    )(Multiply)
    assert not multiply.deterministic
    session.register_function("multiply", multiply)
    assert one(session, "SELECT multiply(6, 7)") == 42

    @udf(
        input_types=[DataTypes.BIGINT(), DataTypes.BIGINT()],
        result_type=DataTypes.BIGINT(),
        deterministic=False,
    )
    def product(x: Any, y: Any) -> Any:
        return x * y

    session.create_temporary_function("product", product)
    assert one(session, "SELECT product(6, 7)") == 42


def test_zero_arguments(session: nu.Session) -> None:
    calls = udf(lambda: 7, result_type="int", deterministic=False)
    session.register_function("seven", calls)
    assert [r[0] for r in session.sql("SELECT seven() FROM range(5000)").collect()] == [7] * 5000


def test_null_in_and_out(session: nu.Session) -> None:
    def none_of(x: int | None) -> int | None:
        return None if x is None or x % 2 else x

    session.register_function("none_of", none_of)
    rows = session.sql("SELECT none_of(x) FROM VALUES (1), (2), (NULL), (4) AS t(x)").collect()
    assert [r[0] for r in rows] == [None, 2, None, 4]


def test_named_arguments(session: nu.Session) -> None:
    def minus(a: int, b: int = 100) -> int:
        return a - b

    session.register_function("minus", minus)
    assert one(session, "SELECT minus(b => 1, a => 10)") == 9
    assert one(session, "SELECT minus(10)") == -90
    assert one(session, "SELECT minus(10, b => 3)") == 7


def test_nested_and_neighbouring_calls_share_one_python_node(session: nu.Session) -> None:
    session.register_function("inc", udf(lambda i: i + 1, "bigint", "bigint"))
    session.register_function(
        "inc_pandas", udf(lambda s: s + 1, result_type="bigint", func_type="pandas")
    )
    frame = session.sql("SELECT inc(inc_pandas(id)), inc(id), inc_pandas(inc(id)) FROM range(3)")
    assert [tuple(r) for r in frame.collect()] == [(2, 1, 2), (3, 2, 3), (4, 3, 4)]
    plan = frame._jdf.queryExecution().executedPlan().toString()
    assert plan.count("ArrowEvalPython") == 1


def test_pandas_and_arrow(session: nu.Session) -> None:
    import pyarrow.compute as pc

    session.register_function(
        "up_pandas", udf(lambda s: s.str.upper(), result_type="string", func_type="pandas")
    )
    session.register_function(
        "up_arrow", udf(lambda a: pc.utf8_upper(a), result_type="string", func_type="arrow")
    )
    rows = session.sql(
        "SELECT up_pandas(x), up_arrow(x) FROM VALUES ('a'), (NULL), ('b') AS t(x)"
    ).collect()
    assert [tuple(r) for r in rows] == [("A", "A"), (None, None), ("B", "B")]


def test_vectorised_results_keep_their_values(session: nu.Session) -> None:
    session.register_function(
        "halves", udf(lambda s: s / 2, result_type="bigint", func_type="pandas")
    )
    assert [r[0] for r in session.sql("SELECT halves(id * 2) FROM range(3)").collect()] == [0, 1, 2]
    with pytest.raises(nu.ResultError, match=r"0\.5"):
        session.sql("SELECT halves(id) FROM range(3)").collect()


def test_wrong_length_of_a_vectorised_result(session: nu.Session) -> None:
    session.register_function(
        "shorter", udf(lambda s: s[:1], result_type="bigint", func_type="pandas")
    )
    with pytest.raises(nu.UserFunctionError, match="returned 1"):
        session.sql("SELECT shorter(id) FROM range(10)").collect()


@pytest.mark.parametrize(
    ("declared", "value", "named"),
    [
        ("bigint", 1.7, "1.7"),
        ("int", 2**31, "2147483648"),
        ("tinyint", 200, "200"),
        ("string", 5, "5"),
        ("boolean", 1, "1"),
        ("date", "2020-01-01", "2020-01-01"),
        ("decimal(4,2)", "1", "'1'"),
        ("array<int>", [1, "x"], "'x' at [1]"),
    ],
)
def test_a_result_that_does_not_fit_is_an_error_that_names_it(
    session: nu.Session, declared: str, value: Any, named: str
) -> None:
    session.register_function("misfit", udf(lambda i: value, result_type=declared))
    with pytest.raises(nu.ResultError) as caught:
        session.sql("SELECT misfit(id) FROM range(3)").collect()
    assert named in str(caught.value)
    leaf = declared.removeprefix("array<").rstrip(">")
    assert f"which {leaf} cannot hold" in str(caught.value).lower().replace(", ", ",")


def test_declared_input_types_are_honoured(session: nu.Session) -> None:
    def kind(x: float) -> str:
        return type(x).__name__

    session.register_function("kind", udf(kind, compile=False))
    assert one(session, "SELECT kind(1.5)") == "float"
    assert one(session, "SELECT kind(1)") == "float"
    with pytest.raises(nu.NotebookUdfError, match="kind declares x as DOUBLE"):
        session.sql("SELECT kind('a')").collect()


def test_definition_called_without_registering(session: nu.Session) -> None:
    double = udf(lambda i: 2 * i, "bigint", "bigint", name="double_it")
    assert [r[0] for r in session.spark.range(3).select(double("id")).collect()] == [0, 2, 4]
    assert session.spark.range(1).select(double(5)).collect()[0][0] == 10
    with pytest.raises(nu.PlanningError, match=r"double_it .*object.* BIGINT cannot hold"):
        double(object())


def test_functions_call_each_other(session: nu.Session) -> None:
    @udf(result_type="bigint")
    def inner(i: int) -> int:
        return i + 1

    @udf(result_type="bigint")
    def outer(i: int) -> int:
        return int(inner(i)) * 10

    session.register_function("outer", outer)
    assert one(session, "SELECT outer(1)") == 20


def test_eval_runs_here(session: nu.Session) -> None:
    record = session.register_function("half", udf(lambda i: i / 2, result_type="bigint"))
    with pytest.raises(nu.ResultError, match=r"1\.5"):
        record.eval(3)
    record = session.register_function("half", udf(lambda i: i // 2, result_type="bigint"))
    assert record.eval(3) == 1


def test_try_shows_input_beside_output(session: nu.Session) -> None:
    record = session.register_function("shout", udf(lambda s: s.upper(), result_type="string"))
    trial = record.try_("SELECT 'a' AS s UNION ALL SELECT 'b'", n=1)
    assert trial.to_pandas().values.tolist() == [["a", "A"]]
    assert "shout" in repr(trial)
    with pytest.raises(nu.PlanningError, match="name the columns"):
        record.try_("SELECT 1 AS x, 2 AS y")


def test_try_shows_a_query_that_calls_the_function_itself(session: nu.Session) -> None:
    dashed = udf(lambda s, t: s + "-" + t, result_type="string")
    record = session.register_function("dashed", dashed)
    trial = record.try_("SELECT upper(dashed('a', x)) AS u FROM VALUES ('b'), ('c') v(x)", n=1)
    assert trial.to_pandas().to_dict("list") == {"u": ["A-B"]}
    shout = session.register_function("shout", udf(lambda s: s.upper(), result_type="string"))
    assert shout.try_("SELECT shout('a') AS u").to_pandas().to_dict("list") == {"u": ["A"]}
    # Columns of the parameters' names are its arguments, whatever they come from.
    trial = shout.try_("SELECT concat(shout('a'), 'b') AS s")
    assert trial.to_pandas().values.tolist() == [["Ab", "AB"]]


def test_year_month_intervals(session: nu.Session) -> None:
    months = udf(
        lambda m: None if m is None else m + 1,
        input_types="interval year to month",
        result_type="interval year to month",
    )
    record = session.register_function("later", months)
    query = (
        "SELECT CAST(later(x) AS STRING) FROM VALUES (INTERVAL '1-2' YEAR TO MONTH), (NULL) t(x)"
    )
    assert [r[0] for r in session.sql(query).collect()] == [
        "INTERVAL '1-3' YEAR TO MONTH",
        None,
    ]
    frame = session.spark.sql("SELECT INTERVAL '5' MONTH AS x").select(record("x").cast("string"))
    assert frame.collect()[0][0] == "INTERVAL '0-6' YEAR TO MONTH"
    assert later_column_months(session) == 17


def later_column_months(session: nu.Session) -> int:
    query = "SELECT CAST(CAST(later(INTERVAL '1-4' YEAR TO MONTH) AS INTERVAL MONTH) AS INT)"
    return int(one(session, query))


def test_a_function_that_calls_itself(session: nu.Session) -> None:
    namespace: dict[str, Any] = {"nu": nu, "__name__": "__main__"}
    source = "@nu.register\ndef fact(n: int) -> int:\n    return 1 if n < 2 else n * fact(n - 1)\n"
    for _ in range(2):
        exec(compile(source, "<cell>", "exec"), namespace)
        assert one(session, "SELECT fact(5)") == 120
        assert namespace["fact"].eval(4) == 24


# Constants as arguments ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("tinyint", 1),
        ("int", 1),
        ("bigint", 2**40),
        ("float", 0.1),
        ("double", 1),
        ("double", 0.1),
        ("decimal(10,2)", Decimal("1.5")),
        ("decimal(10,2)", 3),
        ("boolean", True),
        ("binary", b"ab"),
        ("date", dt.date(2026, 3, 29)),
        ("timestamp", dt.datetime(2026, 7, 1, 2, 30)),
        ("timestamp_ntz", dt.datetime(2026, 3, 29, 2, 30, 0, 5)),
        ("interval day to second", dt.timedelta(hours=1, microseconds=3)),
        ("array<bigint>", [1, 2]),
        ("int", None),
        ("string", None),
        (None, 7),
        (None, 1.5),
        (None, None),
    ],
)
def test_a_constant_is_the_value_that_the_function_gets(
    session: nu.Session, declared: str | None, value: Any
) -> None:
    def shown(x: Any, y: Any) -> str:
        return f"{x} {y!r}"

    types = None if declared is None else ["bigint", declared]
    record = session.register_function("shown", udf(shown, types, "string"))
    frame = session.spark.range(2)
    expected = float(np.float32(value)) if declared == "float" else value
    if declared is not None and declared.startswith("decimal"):
        expected = Decimal(value).quantize(Decimal("0.01"))
    elif declared == "double":
        expected = float(value)
    for column in (record("id", value), record(y=value, x="id")):
        found = [row[0] for row in frame.select(column).collect()]
        assert found == [f"{n} {expected!r}" for n in range(2)]


def test_constants_in_every_place_of_a_call(session: nu.Session) -> None:
    record = session.register_function("minus", udf(lambda a, b: a - b, ["bigint"] * 2, "bigint"))
    rows = session.spark.range(2)
    row = rows.select(record("id", 1), record(1, "id"), record(5, 3), record(b=1, a="id")).first()
    assert tuple(row) == (-1, 1, 2, -1)
    assert rows.where(record("id", 1) == 0).count() == 1
    assert tuple(rows.select(record(record("id", 1), 1)).first()) == (-2,)


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1.7, "for b, which BIGINT cannot hold: it takes whole numbers"),
        (2**70, "for b, which BIGINT cannot hold"),
        (object(), "for b, which BIGINT cannot hold"),
        ({"a": 1}, "for b, which BIGINT cannot hold"),
    ],
)
def test_a_constant_that_does_not_fit_is_said_at_the_call(
    session: nu.Session, value: Any, said: str
) -> None:
    record = session.register_function("minus", udf(lambda a, b: a - b, ["bigint"] * 2, "bigint"))
    with pytest.raises(nu.PlanningError, match=f"minus was called with .*{said}"):
        record("id", value)
