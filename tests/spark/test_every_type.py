"""Every Spark type through real functions: what goes in, what they see, what comes out.

The yardstick is Spark itself: ``collect()`` says what a value is in plain Python. Values are
compared by ``repr``, which tells NaN, -0.0 and the class of a number apart.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any

import pyarrow.compute as pc
import pytest
from flink_types import BOTH, FLINKS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, Row, StructType, VariantVal
from strategies import LEAVES, Kind, column, nested

import notebook_udf as nu
from notebook_udf import udf


def examples(count: int) -> settings:
    """One example is one query, of a batch of values."""
    return settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


@pytest.fixture(scope="module", autouse=True)
def with_time_type(session: nu.Session) -> Iterator[None]:
    """Spark 4.3 has the type TIME and asks to be told so."""
    session.spark.conf.set("spark.sql.timeType.enabled", "true")
    yield
    session.spark.conf.unset("spark.sql.timeType.enabled")


def frame_of(session: nu.Session, ddl: str, values: list[Any]) -> DataFrame:
    return session.spark.createDataFrame([(v,) for v in values], f"x {ddl}").coalesce(1)


def identity(session: nu.Session, ddl: str, **options: Any) -> nu.RegisteredFunction:
    return session.register_function("same", udf(lambda x: x, result_type=ddl, **options))


def seen(session: nu.Session) -> nu.RegisteredFunction:
    return session.register_function("seen", udf(shown, result_type="string"))


def shown(value: Any) -> str:
    """``repr`` with sorted dicts: ``collect()`` gives the entries of a map in any order."""
    if isinstance(value, dict):
        return f"{{{', '.join(sorted(f'{shown(k)}: {shown(v)}' for k, v in value.items()))}}}"
    if isinstance(value, Row):
        parts = zip(value.__fields__, value, strict=True)
        return f"Row({', '.join(f'{name}={shown(part)}' for name, part in parts)})"
    if isinstance(value, (list, tuple)):
        return f"{type(value).__name__}({', '.join(map(shown, value))})"
    if isinstance(value, VariantVal):
        # The class of its bytes depends on the way they came.
        return repr((bytes(value.value), bytes(value.metadata), value.toPython()))
    return repr(value)


def assert_kept(frame: DataFrame, same: nu.RegisteredFunction, look: nu.RegisteredFunction) -> None:
    rows = frame.select("x", same("x"), look("x")).collect()
    assert rows
    for value, back, saw in rows:
        assert shown(back) == shown(value)
        assert saw == shown(value)


# --- (a) row by row ---------------------------------------------------------------------


@pytest.mark.one_in(2)
@pytest.mark.parametrize("ddl", list(LEAVES))
def test_a_value_goes_through_unchanged(session: nu.Session, ddl: str) -> None:
    same, look = identity(session, ddl), seen(session)

    @examples(10)
    @given(column(LEAVES[ddl]))
    def check(values: list[Any]) -> None:
        assert_kept(frame_of(session, ddl, values), same, look)

    check()


@examples(15)
@given(nested().flatmap(lambda kind: st.tuples(st.just(kind), column(kind, rows=20))))
def test_values_with_parts_go_through_unchanged(
    session: nu.Session, drawn: tuple[Kind, list[Any]]
) -> None:
    kind, values = drawn
    assert_kept(frame_of(session, kind.ddl, values), identity(session, kind.ddl), seen(session))


@examples(6)
@given(st.lists(st.integers(-62_135_500_000, 253_402_200_000), min_size=20, max_size=40))
def test_instants_keep_their_place_on_the_line(session: nu.Session, seconds: list[int]) -> None:
    # By microseconds and not by datetime, so that hours that a clock shows twice are met.
    twice = [1_603_585_800 + 1_800 * n for n in range(-2, 6)]
    micros = [s * 1_000_000 + 1 for s in [*seconds, *twice]]
    same, look = identity(session, "timestamp"), seen(session)
    frame = frame_of(session, "bigint", micros).select(F.timestamp_micros("x").alias("x"))
    assert_kept(frame, same, look)
    changed = frame.where(~same("x").eqNullSafe(F.col("x")))
    assert changed.count() == 0


@examples(6)
@given(column(Kind("int", st.integers(-(2**31), 2**31 - 1))))
def test_year_month_intervals_are_a_number_of_months(
    session: nu.Session, months: list[int | None]
) -> None:
    kind = "interval year to month"
    session.register_function("same_months", udf(lambda m: m, kind, kind))
    session.register_function("seen_months", udf(lambda m: repr(m), kind, "string"))
    frame_of(session, "int", months).createOrReplaceTempView("months")
    query = (
        "SELECT x, CAST(CAST(same_months(m) AS INTERVAL MONTH) AS INT), seen_months(m) "
        "FROM (SELECT x, make_ym_interval(0, x) AS m FROM months)"
    )
    for value, back, saw in session.sql(query).collect():
        assert back == value
        assert saw == repr(value)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**60), 2**60) | st.text('aé😀"\\\0', max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab", max_size=2), inner),
    max_leaves=8,
)


@examples(8)
@given(st.lists(JSON, min_size=10, max_size=20))
def test_variants(session: nu.Session, documents: list[Any]) -> None:
    import json

    values = [*(json.dumps(d) for d in documents), None]
    shapes = {
        "variant": "parse_json(x)",
        "array<variant>": "array(parse_json(x), NULL)",
        "map<string,variant>": "map('k', parse_json(x))",
        "struct<v:variant,n:int>": "named_struct('v', parse_json(x), 'n', 1)",
    }
    for ddl, shape in shapes.items():
        frame = frame_of(session, "string", values).select(F.expr(shape).alias("x"))
        assert_kept(frame, identity(session, ddl), seen(session))


def _cents(x: Decimal | None) -> Decimal | None:
    if x is None:
        return None
    cents = x.quantize(Decimal("0.01"), ROUND_HALF_EVEN, Context(prec=60))
    # Spark's decimals know no -0.
    return cents or abs(cents)


ORDINARY: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    # name: (type in, type out, function)
    "length": ("string", "int", lambda x: None if x is None else len(x)),
    "upper": ("string", "string", lambda x: None if x is None else x.upper()),
    "reverse": ("string", "string", lambda x: None if x is None else x[::-1]),
    "double_it": ("int", "bigint", lambda x: None if x is None else 2 * x),
    "halve": ("bigint", "double", lambda x: None if x is None else float(x / 2)),
    "is_null": ("double", "boolean", lambda x: x is None),
    "negate": ("double", "double", lambda x: None if x is None else -x),
    "not": ("boolean", "boolean", lambda x: None if x is None else not x),
    "cents": ("decimal(38,18)", "decimal(38,2)", _cents),
    "hex": ("binary", "string", lambda x: None if x is None else x.hex()),
    "tomorrow": (
        "date",
        "date",
        lambda x: x if x in (None, dt.date.max) else x + dt.timedelta(days=1),
    ),
    "weekday": ("timestamp", "string", lambda x: x and f"{x:%A %H:%M:%S.%f}"),
    "minute": ("time(6)", "smallint", lambda x: None if x is None else x.minute),
    "seconds": (
        "interval day to second",
        "decimal(38,6)",
        lambda x: None if x is None else Decimal(x // dt.timedelta(microseconds=1)).scaleb(-6),
    ),
    "sorted": (
        "array<int>",
        "array<int>",
        lambda x: x and sorted(x, key=lambda n: (n is None, n or 0)),
    ),
    "inverted": (
        "map<string,bigint>",
        "map<bigint,string>",
        lambda x: x and {v: k for k, v in sorted(x.items()) if v is not None},
    ),
    "field": ("struct<a:int,b:struct<c:string>>", "string", lambda x: x and x.b and x["b"]["c"]),
    "swapped": (
        "struct<a:int,b:string>",
        "struct<b:string,a:int>",
        lambda x: x and {"a": x.a, "b": x.b},
    ),
}
PARTS: dict[str, Kind] = {
    "array<int>": Kind("", st.lists(st.none() | LEAVES["int"].values, max_size=5)),
    "map<string,bigint>": Kind(
        "", st.dictionaries(LEAVES["string"].values, st.none() | LEAVES["bigint"].values)
    ),
    "struct<a:int,b:struct<c:string>>": Kind(
        "",
        st.tuples(LEAVES["int"].values, st.none() | st.tuples(st.none() | LEAVES["string"].values)),
    ),
    "struct<a:int,b:string>": Kind(
        "", st.tuples(st.none() | LEAVES["int"].values, st.none() | LEAVES["string"].values)
    ),
}


@pytest.mark.parametrize("name", list(ORDINARY))
def test_sql_answers_what_plain_python_answers(session: nu.Session, name: str) -> None:
    given_type, result_type, function = ORDINARY[name]
    record = session.register_function(
        f"ordinary_{name}", udf(function, result_type=result_type, input_types=given_type)
    )
    kind = LEAVES.get(given_type) or PARTS[given_type]

    @examples(3)
    @given(column(kind))
    def check(values: list[Any]) -> None:
        frame = frame_of(session, given_type, values)
        for value, answer in frame.select("x", record("x")).collect():
            expected = function(value)
            if isinstance(answer, tuple):
                assert answer.asDict() == expected
            else:
                assert shown(answer) == shown(expected)

    check()


def test_all_doors_lead_to_the_same_answer(session: nu.Session) -> None:
    values = ["a", "é\0😀", "", None]
    record = session.register_function(
        "shout", udf(lambda x, n: None if x is None else x.upper() * n, result_type="string")
    )
    frame_of(session, "string", values).createOrReplaceTempView("words")
    expected = ["AA", "É\0😀É\0😀", "", None]
    words = session.spark.table("words")
    doors = {
        "session.sql": session.sql("SELECT shout(x, 2) FROM words"),
        "spark.sql": session.spark.sql("SELECT shout(x, 2) FROM words"),
        "column": words.select(record("x", F.lit(2))),
        "column objects": words.select(record(words.x, F.lit(2))),
        "expr": words.select(F.expr("shout(x, 2)")),
        "selectExpr": words.selectExpr("shout(x, 2)"),
        "call_function": words.select(F.call_function("shout", "x", F.lit(2))),
    }
    for door, frame in doors.items():
        assert [row[0] for row in frame.collect()] == expected, door
    assert words.where(record("x", F.lit(1)) == "A").collect() == [("a",)]
    assert [record.eval(value, 2) for value in values] == expected


# --- (b) a bundle at a time ------------------------------------------------------------------

# pandas counts nanoseconds in 64 bits.
_NEAR = st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2260, 1, 1))
# In the hour that clocks show twice a time without zone means the second: PySpark's rule.
_ONCE = _NEAR.filter(lambda t: not (t.month in (9, 10, 11) and t.hour == 2))
VECTORISED = {
    **{
        ddl: LEAVES[ddl]
        for ddl in (
            "boolean", "tinyint", "smallint", "int", "bigint", "float", "double",
            "decimal(38,18)", "decimal(10,2)", "string", "binary", "date",
        )
    },
    "timestamp": Kind("timestamp", _ONCE),
    "timestamp_ntz": Kind("timestamp_ntz", _NEAR),
    "time(6)": LEAVES["time(6)"],
    "array<string>": Kind("", st.lists(st.none() | LEAVES["string"].values, max_size=4)),
    "array<timestamp>": Kind("", st.lists(st.none() | _ONCE, max_size=4)),
    "map<string,date>": Kind(
        "", st.dictionaries(LEAVES["string"].values, LEAVES["date"].values, max_size=3)
    ),
    "struct<a:int,b:string>": Kind(
        "", st.tuples(st.none() | LEAVES["int"].values, st.none() | LEAVES["string"].values)
    ),
}  # fmt: skip


def _missing(value: Any, ddl: str) -> Any:
    """What pandas makes of a value: NaN is its NULL, and a frame has no NULL rows."""
    if isinstance(value, float) and value != value:
        return None
    if value is None and ddl.startswith("struct"):
        return (None, None)
    return value


@pytest.mark.parametrize("ddl", list(VECTORISED))
def test_a_bundle_goes_through_pandas_and_arrow(session: nu.Session, ddl: str) -> None:
    flavours = {
        flavour: session.register_function(
            f"same_{flavour}", udf(lambda x: x, result_type=ddl, func_type=flavour)
        )
        for flavour in ("pandas", "arrow")
    }

    @examples(4)
    @given(column(VECTORISED[ddl]))
    def check(values: list[Any]) -> None:
        frame = frame_of(session, ddl, values)
        rows = frame.select("x", flavours["pandas"]("x"), flavours["arrow"]("x")).collect()
        for value, by_pandas, by_arrow in rows:
            assert shown(by_arrow) == shown(value)
            expected = _missing(value, ddl)
            if ddl.startswith("struct"):
                assert tuple(by_pandas) == tuple(expected)
            else:
                assert shown(by_pandas) == shown(expected)

    check()


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "UTC"])
def test_pandas_shows_timestamps_in_the_zone_of_the_session(session: nu.Session, zone: str) -> None:
    conf = session.spark.conf
    before = conf.get("spark.sql.session.timeZone")
    conf.set("spark.sql.session.timeZone", zone)
    try:
        local = udf(
            lambda s: s.dt.strftime("%Y-%m-%d %H:%M:%S"), result_type="string", func_type="pandas"
        )
        nested = udf(
            lambda df: df.t.dt.strftime("%Y-%m-%d %H:%M:%S"),
            result_type="string",
            func_type="pandas",
        )
        made = udf(
            lambda s: s.map(lambda _: dt.datetime(2020, 7, 1, 12)),
            result_type="timestamp",
            func_type="pandas",
        )
        session.register_function("shown", local)
        session.register_function("shown_nested", nested)
        session.register_function("made", made)
        rows = session.sql(
            "SELECT CAST(t AS STRING), shown(t), shown_nested(named_struct('t', t)), "
            "CAST(made(1) AS STRING) FROM VALUES (TIMESTAMP '2020-07-01 12:34:56'), "
            "(TIMESTAMP '2020-01-31 23:59:59'), (NULL) AS v(t)"
        ).collect()
        for text, saw, saw_nested, noon in rows:
            assert text == saw == saw_nested
            assert noon == "2020-07-01 12:00:00"
    finally:
        conf.set("spark.sql.session.timeZone", before)


def test_a_struct_is_a_data_frame_to_pandas(session: nu.Session) -> None:
    def swap(df: Any) -> Any:
        import pandas as pd

        assert isinstance(df, pd.DataFrame)
        return pd.DataFrame({"b": df["a"] * 2, "c": df["b"].str.upper()})

    session.register_function(
        "swap", udf(swap, result_type="struct<b:bigint,c:string>", func_type="pandas")
    )
    rows = session.sql("SELECT swap(named_struct('a', id, 'b', 'x')) FROM range(3)").collect()
    assert [tuple(row[0]) for row in rows] == [(0, "X"), (2, "X"), (4, "X")]


def test_one_function_three_flavours(session: nu.Session) -> None:
    ways = {
        "general": udf(lambda x: None if x is None else x + 1, result_type="bigint"),
        "pandas": udf(lambda s: s + 1, result_type="bigint", func_type="pandas"),
        "arrow": udf(lambda a: pc.add(a, 1), result_type="bigint", func_type="arrow"),
    }
    frame = frame_of(session, "bigint", [1, -5, 2**52, 0])
    for flavour, way in ways.items():
        record = session.register_function(f"plus_{flavour}", way)
        assert [r[0] for r in frame.select(record("x")).collect()] == [2, -4, 2**52 + 1, 1]
    with_null = frame_of(session, "bigint", [2**62 + 1, None])
    for flavour in ("general", "arrow"):
        rows = with_null.select(session.functions[f"plus_{flavour}"]("x")).collect()
        assert [r[0] for r in rows] == [2**62 + 2, None], flavour


# --- (c) results that do not fit -------------------------------------------------------------

MISFITS: dict[str, tuple[Any, Any, str]] = {
    # type: (a value that fits, one that does not, how the message names it)
    "boolean": (True, 1, "1"),
    "tinyint": (1, 128, "128"),
    "smallint": (1, -32_769, "-32769"),
    "int": (1, 2**31, "2147483648"),
    "bigint": (1, 1.7, "1.7"),
    "float": (1.5, 1e39, "1e+39"),
    "double": (1.5, "1.5", "'1.5'"),
    "decimal(10,2)": (Decimal("1.25"), Decimal("1.255"), "1.255"),
    "decimal(38,0)": (Decimal(1), 10**38, "100000"),
    "string": ("a", b"a", "b'a'"),
    "binary": (b"a", "a", "'a'"),
    "date": (dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), "datetime.datetime(2020, 1, 1"),
    "timestamp": (dt.datetime(2020, 1, 1), "2020-01-01", "'2020-01-01'"),
    "timestamp_ntz": (
        dt.datetime(2020, 1, 1),
        dt.datetime(2020, 1, 1, tzinfo=dt.timezone.utc),  # noqa: UP017
        "datetime.datetime(2020, 1, 1",
    ),
    "time(6)": (dt.time(1), dt.datetime(2020, 1, 1), "datetime.datetime(2020, 1, 1"),
    "interval day to second": (dt.timedelta(1), 1, "1"),
    "array<int>": ([1], [1, "x"], "'x' at [1]"),
    "map<string,int>": ({"a": 1}, {"a": "b"}, "'b' at ['a']"),
    "struct<a:int,b:string>": ((1, "x"), (1,), "(1,)"),
    "struct<a:array<int>>": (([1],), ([1, 2.5],), "2.5 at .a[1]"),
    "array<int not null>": ([1], [1, None], "None at [1]"),
    "variant": (VariantVal.parseJson("1"), {"a": 1}, "{'a': 1}"),
}
_DECLARABLE = {ddl: ddl for ddl in MISFITS}
del _DECLARABLE["array<int not null>"]


def misfit(ddl: str) -> Callable[[Any], Any]:
    """Answers what does not fit for every third row."""
    good, bad, _ = MISFITS[ddl]
    return lambda i: bad if i % 3 == 1 else good


@pytest.mark.parametrize("ddl", list(_DECLARABLE))
def test_a_misfit_is_named_with_its_type(session: nu.Session, ddl: str) -> None:
    named = MISFITS[ddl][2]
    session.register_function("misfit", udf(misfit(ddl), result_type=ddl, compile=False))
    with pytest.raises(nu.ResultError) as caught:
        session.sql("SELECT misfit(id) FROM range(0, 3, 1, 1)").collect()
    message = str(caught.value)
    assert message.startswith("misfit returned ")
    assert named in message
    assert "cannot hold" in message
    failed = caught.value.failed
    assert failed is not None
    assert (failed.row, failed.rows) == (2, 3)
    with pytest.raises(nu.ResultError, match="cannot hold"):
        session.functions["misfit"].eval(1)


def test_on_error_null_empties_just_those_rows(session: nu.Session) -> None:
    records = [
        session.register_function(f"misfit_{n}", udf(misfit(ddl), result_type=ddl, on_error="null"))
        for n, ddl in enumerate(_DECLARABLE)
    ]
    frame = session.spark.range(0, 9, 1, 2)
    rows = frame.select("id", *(record("id") for record in records)).collect()
    assert len(rows) == 9
    for row in rows:
        for ddl, value in zip(_DECLARABLE, row[1:], strict=True):
            assert (value is None) == (row[0] % 3 == 1), ddl


@pytest.mark.parametrize("flavour", ["general", "pandas", "arrow"])
def test_quarantine_keeps_just_those_rows(session: nu.Session, flavour: str) -> None:
    def positive(x: Any, y: Any) -> Any:
        if flavour == "general":
            if x % 10 == 7:
                raise ValueError(f"{x} is no good")
            return x
        for value in x.tolist() if flavour == "pandas" else x.to_pylist():
            if value % 10 == 7:
                raise ValueError(f"{value} is no good")
        return x

    name = f"positive_{flavour}"
    record = session.register_function(
        name, udf(positive, result_type="bigint", func_type=flavour, on_error="quarantine")
    )
    assert session.errors(name).count() == 0
    frame = session.spark.range(0, 100, 1, 3).withColumn("y", F.col("id").cast("string"))
    rows = {row[0]: row[1] for row in frame.select("id", record("id", "y")).collect()}
    assert rows == {i: None if i % 10 == 7 else i for i in range(100)}
    kept = session.errors(name)
    assert kept.schema["x"].dataType.simpleString() == "bigint"
    assert kept.schema["y"].dataType.simpleString() == "string"
    found = kept.orderBy("x").select("x", "y", "error", "message", "version").collect()
    assert [tuple(row) for row in found] == [
        (i, str(i), "ValueError", f"{i} is no good", 1) for i in range(7, 100, 10)
    ]


@pytest.mark.parametrize("flavour", ["pandas", "arrow"])
def test_vectorised_misfits_are_found_one_by_one(session: nu.Session, flavour: str) -> None:
    import pandas as pd
    import pyarrow as pa

    def texts(x: Any) -> Any:
        values = [2**31 if i % 25 == 3 else i for i in x.to_pylist()]
        return pa.array(values)

    def series(x: Any) -> Any:
        return pd.Series([2**31 if i % 25 == 3 else i for i in x])

    function = series if flavour == "pandas" else texts
    frame = session.spark.range(0, 100, 1, 2)
    expected = {i: None if i % 25 == 3 else i for i in range(100)}
    for outcome in ("null", "quarantine"):
        name = f"bisected_{flavour}_{outcome}"
        record = session.register_function(
            name, udf(function, result_type="int", func_type=flavour, on_error=outcome)
        )
        assert dict(map(tuple, frame.select("id", record("id")).collect())) == expected
    kept = session.errors(f"bisected_{flavour}_quarantine").orderBy("x").collect()
    assert [row.x for row in kept] == [3, 28, 53, 78]
    assert all("2147483648" in row.message and "INT" in row.message for row in kept)
    record = session.register_function(
        "bisected", udf(function, result_type="int", func_type=flavour)
    )
    with pytest.raises(nu.ResultError, match="2147483648"):
        frame.select(record("id")).collect()


SQL_CONSTANTS = {
    # SQL: (its type, what the function sees)
    "1Y": ("tinyint", "1"),
    "1S": ("smallint", "1"),
    "1": ("int", "1"),
    "1L": ("bigint", "1"),
    "-9223372036854775808L": ("bigint", "-9223372036854775808"),
    "1.5": ("decimal(2,1)", "Decimal('1.5')"),
    "1.5BD": ("decimal(2,1)", "Decimal('1.5')"),
    "1.5D": ("double", "1.5"),
    "1.5F": ("float", "1.5"),
    "1e3": ("double", "1000.0"),
    "double('NaN')": ("double", "nan"),
    "true": ("boolean", "True"),
    "'x'": ("string", "'x'"),
    "'it''s \\\\ \"q\" 😀'": ("string", None),
    "X'1F'": ("binary", "b'\\x1f'"),
    "DATE'0001-01-01'": ("date", "datetime.date(1, 1, 1)"),
    "TIMESTAMP'2020-07-01 12:00:00.000001'": (
        "timestamp",
        "datetime.datetime(2020, 7, 1, 12, 0, 0, 1)",
    ),
    "TIMESTAMP_NTZ'2020-07-01 12:00:00'": (
        "timestamp_ntz",
        "datetime.datetime(2020, 7, 1, 12, 0)",
    ),
    "TIME'23:59:59.999999'": ("time(6)", "datetime.time(23, 59, 59, 999999)"),
    "INTERVAL '1 02:03:04.000005' DAY TO SECOND": (
        "interval day to second",
        "datetime.timedelta(days=1, seconds=7384, microseconds=5)",
    ),
    "INTERVAL '-3' DAY": ("interval day to second", "datetime.timedelta(days=-3)"),
    "array(1, NULL)": ("array<int>", "list(1, None)"),
    "array()": ("array<int>", "list()"),
    "array(array('a'))": ("array<array<string>>", "list(list('a'))"),
    "map('a', 1, 'b', NULL)": ("map<string,int>", "{'a': 1, 'b': None}"),
    "map()": ("map<string,int>", "{}"),
    "named_struct('a', 1, 'b', named_struct('c', X'00'))": (
        "struct<a:int,b:struct<c:binary>>",
        "Row(a=1, b=Row(c=b'\\x00'))",
    ),
    "parse_json('[1]')": ("variant", None),
    "CAST(NULL AS INT)": ("int", "None"),
    "NULL": ("void", "None"),
}


# --- (d) constants in SQL --------------------------------------------------------------------


@pytest.mark.one_in(2)
@pytest.mark.parametrize("constant", list(SQL_CONSTANTS))
def test_constants_of_every_type(session: nu.Session, constant: str) -> None:
    ddl, expected = SQL_CONSTANTS[constant]
    identity(session, ddl)
    seen(session)
    row = session.sql(f"SELECT {constant}, same({constant}), seen({constant})").collect()[0]
    assert shown(row[1]) == shown(row[0])
    if ddl != "variant":
        assert row[2] == shown(row[0])
        assert row[2] == (expected or row[2])
    # Beside a column, and in the places that Spark folds or moves.
    session.register_function(
        "beside", udf(lambda c, i: [shown(c), str(i)], result_type="array<string>")
    )
    rows = session.sql(f"SELECT beside({constant}, id) FROM range(2) WHERE seen({constant}) <> ''")
    assert [r[0] for r in rows.collect()] == [[row[2], "0"], [row[2], "1"]]


def test_year_month_constants(session: nu.Session) -> None:
    session.register_function(
        "seen_months", udf(lambda m: repr(m), "interval year to month", "string")
    )
    query = "SELECT seen_months(INTERVAL '1-2' YEAR TO MONTH), seen_months(INTERVAL '-3' YEAR)"
    assert tuple(session.sql(query).collect()[0]) == ("14", "-36")


def test_quarantined_arguments_keep_every_type(session: nu.Session) -> None:
    def refuse(*values: Any) -> str:
        raise ValueError(len(values))

    # Of an empty array() or map() Spark says that its parts are VOID.
    untyped = ("NULL", "array()", "map()")
    constants = [constant for constant in SQL_CONSTANTS if constant not in untyped]
    session.register_function("refuse", udf(refuse, result_type="string", on_error="quarantine"))
    asked = session.sql(f"SELECT {', '.join(constants)}")
    assert session.sql(f"SELECT refuse({', '.join(constants)})").collect()[0][0] is None
    kept = session.errors("refuse").select([f"values{i}" for i in range(len(constants))])
    assert [_loose(field.dataType) for field in kept.schema] == [
        _loose(field.dataType) for field in asked.schema
    ]
    assert shown(tuple(kept.collect()[0])) == shown(tuple(asked.collect()[0]))


def _loose(data_type: Any) -> str:
    """The type but for what a column from a file does not say: NOT NULL, units of intervals."""
    text = str(data_type.simpleString())
    if text.startswith("interval day"):
        return "interval day to second"
    return text if not isinstance(data_type, StructType) else text.replace(" not null", "")


def test_arguments_by_name_have_the_types_of_their_parameters(session: nu.Session) -> None:
    def told(a: int, b: str = "b", c: float = 0.5) -> str:
        if a == 1:
            raise ValueError("one")
        return f"{a} {b} {c}"

    session.register_function("told", udf(told, on_error="quarantine"))
    query = "SELECT told(b => 'x', a => 10), told(2, c => 2), told(c => 1, b => 'y', a => 1)"
    assert tuple(session.sql(query).collect()[0]) == ("10 x 0.5", "2 b 2.0", None)
    kept = session.errors("told").collect()
    assert [(row.a, row.b, row.c) for row in kept] == [(1, "y", 1.0)]
    session.register_function("told", told)
    with pytest.raises(nu.UserFunctionError, match="one") as caught:
        session.sql("SELECT told(b => 'x', a => 1)").collect()
    assert caught.value.failed is not None
    assert caught.value.failed.arguments == (("a", "1"), ("b", "'x'"))
    with pytest.raises(ValueError, match="one"):
        session.replay("told")
    minus = udf(lambda a, b: pc.subtract(a, b), ["bigint", "bigint"], "bigint", func_type="arrow")
    session.register_function("minus_arrow", minus)
    assert session.sql("SELECT minus_arrow(b => 1, a => id) FROM range(1)").collect()[0][0] == -1


# Types as Flink writes them ------------------------------------------------------------------


@pytest.mark.parametrize("text", FLINKS)
def test_a_text_of_flinks_means_nothing_else_to_spark(session: nu.Session, text: str) -> None:
    with pytest.raises(PySparkException):
        DataType.fromDDL(text)


@pytest.mark.parametrize("text", BOTH)
def test_a_text_that_both_read_is_read_as_spark_does(session: nu.Session, text: str) -> None:
    assert DataType.fromDDL(text).jsonValue() == BOTH[text].jsonValue()


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("BYTES", "X'00ff'"),
        ("VARBINARY(4)", "X'00ff'"),
        ("TIMESTAMP(3)", "TIMESTAMP_NTZ'2026-03-29 02:30:00.123'"),
        ("TIMESTAMP_LTZ(3)", "TIMESTAMP'2026-03-29 03:30:00.123'"),
        ("TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP'2026-03-29 03:30:00.123'"),
        ("DOUBLE PRECISION", "0.1D"),
        ("INTERVAL DAY TO SECOND(3)", "INTERVAL '1 02:03:04.567' DAY TO SECOND"),
        ("INT NOT NULL", "3"),
        ("ARRAY<INT NOT NULL>", "array(1, 2)"),
        ("INT ARRAY", "array(1, NULL)"),
        (
            "ROW<a INT NOT NULL, b ROW(c STRING ARRAY)>",
            "named_struct('a', 1, 'b', named_struct('c', array('x')))",
        ),
        ("MAP<STRING, ROW<a BYTES>>", "map('k', named_struct('a', X'01'))"),
    ],
)
def test_types_of_flinks_on_both_sides_of_a_function(
    session: nu.Session, text: str, column: str
) -> None:
    declared = udf(lambda x: x, input_types=[text], result_type=text)
    session.register_function("same", declared)
    row = session.sql(f"SELECT {column} AS x, same({column}) AS y").first()
    assert repr(row.x) == repr(row.y)
