"""PySpark's own function objects, registered as they are: answers are those of the objects."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from pyspark.sql import types as t
from pyspark.util import PythonEvalType

import notebook_udf as nu
from notebook_udf.functions.spark_results import converter
from notebook_udf.samples import load_flights


@pytest.fixture(scope="module")
def flights(session: nu.Session) -> Any:
    rows = load_flights(session)["flights"]
    return session.spark.createDataFrame(rows.take(1200), rows.schema).coalesce(1)


def haul(miles: str, delay: Any) -> Any:
    # The annotation is wrong, and Spark does not look at it.
    return None if delay is None else f"{'short' if miles < 800 else 'long'} {delay:.1f}"


def doubled(x: pd.Series) -> pd.Series:
    return x * 2


def halved(x: pa.Array) -> pa.Array:
    return pc.divide(pc.cast(x, pa.float64()), 2.0)


SCALAR: dict[str, Callable[[], tuple[Any, tuple[str, ...]]]] = {
    "udf": lambda: (F.udf(haul, "string", useArrow=False), ("distance", "dep_delay")),
    "arrow": lambda: (F.udf(haul, "string", useArrow=True), ("distance", "dep_delay")),
    "pandas_udf": lambda: (F.pandas_udf(doubled, "double"), ("dep_delay",)),
    "arrow_udf": lambda: (F.arrow_udf(halved, "double"), ("distance",)),
    "lambda": lambda: (F.udf(lambda carrier: carrier[::-1], useArrow=False), ("carrier",)),
    "rows": lambda: (
        F.udf(lambda a, b: (b, [a, a]), "a string, b array<bigint>", useArrow=True),
        ("distance", "carrier"),
    ),
}


@pytest.mark.parametrize("make", SCALAR.values(), ids=SCALAR)
@pytest.mark.parametrize("coerce", [False, True])
def test_a_scalar_object_answers_as_in_spark(
    session: nu.Session, flights: Any, make: Callable[[], Any], coerce: bool
) -> None:
    given, columns = make()
    record = session.register_function("adopted_scalar", given, coerce=coerce)
    rows = flights.select(given(*columns).alias("before"), record(*columns).alias("after"))
    before, after = zip(*rows.collect(), strict=True)
    assert len(before) > 1000
    assert repr(after) == repr(before)
    if not coerce:
        flights.createOrReplaceTempView("adopted_flights")
        query = f"SELECT adopted_scalar({', '.join(columns)}) AS x FROM adopted_flights LIMIT 50"
        assert [row.x for row in session.sql(query).collect()]


def weighted(delay: pd.Series, distance: pd.Series) -> float:
    return float((delay * distance).sum() / distance.sum())


def longest(distance: pa.Array) -> int:
    return int(pc.max(distance).as_py())


@pytest.mark.parametrize("coerce", [False, True])
def test_an_object_of_groups_becomes_an_aggregate(
    session: nu.Session, flights: Any, coerce: bool
) -> None:
    objects = {
        "adopted_weighted": F.pandas_udf(weighted, "double"),
        "adopted_longest": F.arrow_udf(longest, "bigint"),
    }
    for name, made in objects.items():
        assert session.register_function(name, made, coerce=coerce).kind == "aggregate"
    known = flights.dropna(subset=["dep_delay"])
    known.createOrReplaceTempView("adopted_known")
    before = known.groupBy("carrier").agg(objects["adopted_weighted"]("dep_delay", "distance"))
    more = known.groupBy("carrier").agg(objects["adopted_longest"]("distance"))
    after = session.sql(
        "SELECT carrier, adopted_weighted(dep_delay, distance), adopted_longest(distance), "
        "count(*) FROM adopted_known GROUP BY carrier"
    ).collect()
    assert {row[0]: pytest.approx(row[1]) for row in before.collect()} == {
        row[0]: row[1] for row in after
    }
    assert dict(map(tuple, more.collect())) == {row[0]: row[2] for row in after}
    session.spark.catalog.dropTempView("adopted_known")


class Spelled:
    """Its rows are of all the forms that Spark takes."""

    def __init__(self) -> None:
        self.sign = "-"

    def eval(self, text: str, times: int = 1) -> Any:
        if text is None:
            return None
        rows: list[Any] = [(word, len(word)) for word in text.split()] * times
        rows += [[self.sign, None], {"n": 3, "word": "three"}, None]
        return tuple(rows)


class Listed:
    def eval(self, x: int) -> Iterator[Any]:
        yield ([x, x],)
        yield [[]]


class BareLists:
    def eval(self, x: int) -> Iterator[Any]:
        yield ([x, x],)
        yield []


@pytest.mark.parametrize("coerce", [False, True])
@pytest.mark.parametrize("arrow", [False, True])
def test_a_udtf_becomes_a_table_function(session: nu.Session, arrow: bool, coerce: bool) -> None:
    spark = session.spark
    rows = spark.createDataFrame([("one two", 1), (None, 1), ("", 0)], "text string, k int")
    rows.createOrReplaceTempView("adopted_texts")
    query = "SELECT k, word, n FROM adopted_texts, LATERAL {}(text, 2)"
    made = F.udtf(Spelled, returnType="word string, n int", useArrow=arrow)
    spark.udtf.register("spelled_before", made)
    before = spark.sql(query.format("spelled_before")).collect()
    record = session.register_function("adopted_spelled", made, coerce=coerce)
    assert record.definition.parameters == ("text", "times")
    for after in (session.sql, spark.sql):
        found = after(query.format("adopted_spelled")).collect()
        assert sorted(found, key=repr) == sorted(before, key=repr)
    listed = F.udtf(
        # What is no tuple is a row to Spark, and with Arrow the value of the only column.
        BareLists if arrow else Listed,
        returnType="xs array<bigint>",
        useArrow=arrow,
    )
    session.register_function("adopted_listed", listed, coerce=coerce)
    assert (
        session.spark.sql("SELECT * FROM adopted_listed(4)").collect() == listed(F.lit(4)).collect()
    )
    spark.catalog.dropTempView("adopted_texts")


def test_nu_register_and_spark_udf_register(session: nu.Session) -> None:
    made = F.udf(lambda x: x + 1, "bigint", useArrow=True)
    made.__name__ = "other"
    assert nu.register(made).name == "lambda"
    assert nu.register(F.udf(longest, "bigint", useArrow=True), coerce=True).name == "longest"
    registered = session.spark.udf.register("adopted_before", lambda x: x * 3, "bigint")
    record = nu.register(registered)
    assert record.name == "adopted_before"
    # The name is ours now, and Spark's too.
    assert session.sql("SELECT adopted_before(4)").first()[0] == 12
    assert session.spark.sql("SELECT adopted_before(4)").first()[0] == 12
    assert record.eval(5) == 15


def test_a_wrong_result_is_an_error_and_that_is_said_once(session: nu.Session) -> None:
    given = F.udf(lambda x: x / 2, "int", useArrow=True)
    record = session.register_function("adopted_wrong", given)
    assert [row[0] for row in session.spark.range(3).select(given("id")).collect()] == [0, 0, 1]
    with pytest.raises(nu.ResultError, match=r"returned 0\.5 .*which INT cannot hold"):
        session.spark.range(1, 3, 1, 1).select(record("id")).collect()
    record = session.register_function("adopted_wrong", given, coerce=True)
    assert [row[0] for row in session.spark.range(3).select(record("id")).collect()] == [0, 0, 1]
    session.register_function("adopted_more", given)
    (note,) = [note for note in session.notes if note.startswith("functions adopted from PySpark")]
    assert "coerce=True converts it as Spark does" in note


def test_a_setting_that_changes_sparks_conversions_refuses_coerce(session: nu.Session) -> None:
    name = "spark.sql.execution.pandas.convertToArrowArraySafely"
    before = session.spark.conf.get(name)
    session.spark.conf.set(name, "false")
    try:
        with pytest.raises(nu.DeclarationError, match=f"{name}=true, and it is false here"):
            session.register_function("adopted_f", F.udf(doubled, "int"), coerce=True)
    finally:
        session.spark.conf.set(name, before)


# --- Spark's conversions ---------------------------------------------------------------------

DAY, MOMENT = dt.date(2020, 1, 2), dt.datetime(2020, 7, 2, 3, 4, 5, 6)
VALUES: dict[str, list[Any]] = {
    "float": [1.7, -1.7, 0.0, 3.0, 1e300, math.inf, math.nan, 0.1],
    "int": [0, 1, -3, 300, 70_000, 2**31, 2**53 + 1, -(2**63), 2**63],
    "str": ["1", "x", " 2", "1.5", "2020-01-02", "true", "", "é"],
    "bool": [True, False],
    "decimal": [Decimal("1.25"), Decimal("1.35"), Decimal("-0"), Decimal("123456789"),
                Decimal("1E+2"), Decimal("0E-9")],
    "date": [DAY],
    "datetime": [MOMENT],
    "bytes": [b"ab", bytearray(b"c")],
    "list": [[1, 2], [], [1.5, None]],
    "tuple": [(1, 2)],
    "dict": [{"a": 1}, {}],
}  # fmt: skip
# Of these values it is not known here what Spark makes, or Spark has no answer either.
LEFT: dict[str, set[str]] = {
    "string": {"float", "date", "datetime", "bytes", "list", "tuple", "dict"},
    "decimal(5,1)": {"decimal"},
    "date": {*VALUES} - {"date", "datetime"},
    "timestamp": {*VALUES} - {"datetime"},
    "timestamp_ntz": {*VALUES} - {"datetime"},
    "array<int>": {"bytes"},
    "array<string>": {"bytes", "list"},
    "struct<a:int,b:string>": {*VALUES} - {"tuple", "dict"},
    **{each: set() for each in ("boolean", "tinyint", "smallint", "int", "bigint")},
    **{each: set() for each in ("float", "double", "binary", "map<string,int>")},
}


def shown(value: Any) -> str:
    if isinstance(value, dt.datetime) and value.tzinfo is not None:
        # Spark's client gives local times.
        value = value.astimezone().replace(tzinfo=None)
    if isinstance(value, t.Row):
        value = tuple(value)
    return repr(value)


@pytest.mark.drawn
@pytest.mark.parametrize("data_type", LEFT)
def test_each_class_of_values_has_sparks_answer_for_each_type(
    session: nu.Session, data_type: str
) -> None:
    made = F.udf(lambda i: values[i], data_type, useArrow=False)
    convert = converter(PythonEvalType.SQL_BATCHED_UDF, made.returnType)
    values: list[Any] = [None]
    ours, left = [shown(None)], set()
    for name, each in VALUES.items():
        for value in each:
            try:
                found = shown(convert(value))
            except (TypeError, ValueError, AttributeError):
                left.add(name)
            else:
                values.append(value)
                ours.append(found)
    rows = session.spark.range(0, len(values), 1, 1).select(made("id")).collect()
    assert ours == [shown(row[0]) for row in rows], values
    assert left == LEFT[data_type]


PAIRS = {
    "int": st.floats(-1e6, 1e6) | st.none(),
    "double": st.integers(-(2**40), 2**40),
    "string": st.integers() | st.booleans() | st.text("ab1é'\" ", max_size=4),
    "boolean": st.integers(-2, 2),
    "bigint": st.integers(0, 999).map(str),
    "date": st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2100, 1, 1)),
    "timestamp": st.datetimes(dt.datetime(1950, 1, 1), dt.datetime(2100, 1, 1)),
    "decimal(9,3)": st.decimals(-99_999, 99_999, places=5),
    "array<smallint>": st.lists(st.integers(-(2**15), 2**15 - 1), max_size=3),
}
COUNT = 12


@pytest.mark.timeout(300)
@pytest.mark.parametrize("arrow", [False, True], ids=["pickled", "arrow"])
@settings(max_examples=4, suppress_health_check=[*HealthCheck])
@given(data=st.data())
def test_any_values_are_converted_as_by_spark(
    session: nu.Session, arrow: bool, data: st.DataObject
) -> None:
    columns = []
    for number, (data_type, strategy) in enumerate(PAIRS.items()):
        values = data.draw(st.lists(strategy, min_size=COUNT, max_size=COUNT), label=data_type)
        made = F.udf(lambda i, values=values: values[i], data_type, useArrow=arrow)
        record = session.register_function(f"adopted_pair_{number}", made, coerce=True)
        columns += [made("id").alias(f"spark_{number}"), record("id").alias(f"ours_{number}")]
    for row in session.spark.range(0, COUNT, 1, 1).select(*columns).collect():
        assert list(map(shown, row[1::2])) == list(map(shown, row[::2]))


COLUMNS = (
    ("bigint", ["1", "2", None]),
    ("double", [1, 2]),
    ("string", [1, 2]),
    ("date", [MOMENT, DAY]),
    ("int", [1.7]),
)


@pytest.mark.timeout(300)
@pytest.mark.filterwarnings("ignore:.*preferred to specify type hints")
@pytest.mark.parametrize("of", ["series", "group", "arrow group"])
def test_columns_are_converted_as_by_spark(session: nu.Session, of: str) -> None:
    refused = []
    for data_type, values in COLUMNS:
        made = made_of_columns(of, data_type, values)
        record = session.register_function("adopted_columns", made, coerce=True)
        ids = session.spark.range(0, len(values), 1, 1)
        answers = []
        for each in (made, record):
            rows = ids.select(each("id")) if of == "series" else ids.groupBy("id").agg(each("id"))
            try:
                answers.append(sorted(repr(row[-1]) for row in rows.collect()))
            except (PySparkException, nu.UserFunctionError):
                answers.append(["error"])
        assert answers[0] == answers[1], (data_type, values)
        refused += [data_type] if answers[0] == ["error"] else []
    assert len(refused) < len(COLUMNS) - 1, refused


def made_of_columns(of: str, data_type: str, values: Sequence[Any]) -> Any:
    def series(ids: pd.Series) -> pd.Series:
        return pd.Series([values[i] for i in ids])

    def group(ids: pd.Series) -> Any:
        return values[int(ids.max())]

    def arrow_group(ids: pa.Array) -> Any:
        return values[pc.max(ids).as_py()]

    if of == "series":
        return F.pandas_udf(series, data_type, PythonEvalType.SQL_SCALAR_PANDAS_UDF)
    if of == "group":
        return F.pandas_udf(group, data_type, PythonEvalType.SQL_GROUPED_AGG_PANDAS_UDF)
    return F.arrow_udf(arrow_group, data_type, PythonEvalType.SQL_GROUPED_AGG_ARROW_UDF)
