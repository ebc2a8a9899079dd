"""Values to Arrow and back: ``worker.codec.encode`` and ``worker.codec.decode``, without Spark."""

from __future__ import annotations

import datetime as dt
import math
import pickle
import time
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql.types import DataType, MapType, Row, StructType, VariantVal

from notebook_udf.types import DataTypes, resolve, to_arrow
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder

quick = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def typed(spec: Any) -> DataType:
    return resolve(spec, what="the test")


def round_trip(spec: Any, values: list[Any]) -> list[Any]:
    data_type = typed(spec)
    column = encoder(data_type)(values)
    assert column.type == to_arrow(data_type)
    column.validate(full=True)
    return decoder(column.type)(column)


def refusal(spec: Any, values: list[Any]) -> BadResult:
    with pytest.raises(BadResult) as caught:
        encoder(typed(spec))(values)
    assert str(caught.value)
    return caught.value


@pytest.fixture(params=["UTC", "Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe"])
def zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with monkeypatch.context() as patch:
        patch.setenv("TZ", request.param)
        time.tzset()
        yield request.param
    time.tzset()


# --- any type, any value -------------------------------------------------------------------

span = 2**63 // 10**6 // 86_400 - 1
LEAVES: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    # DDL: (values that fit, one that does not)
    "BOOLEAN": (st.booleans(), 1),
    "TINYINT": (st.integers(-128, 127), 128),
    "SMALLINT": (st.integers(-(2**15), 2**15 - 1), 1.0),
    "INT": (st.integers(-(2**31), 2**31 - 1), -(2**31) - 1),
    "BIGINT": (st.integers(-(2**63), 2**63 - 1), 2**63),
    "FLOAT": (st.floats(width=32, allow_nan=False), 1e39),
    "DOUBLE": (st.floats(allow_nan=False), Decimal(1)),
    "DECIMAL(7,3)": (st.decimals(-9999, 9999, places=3), Decimal("0.0001")),
    "DECIMAL(38,0)": (st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal), 10**38),
    "STRING": (st.text(), b"x"),
    "BINARY": (st.binary(), "x"),
    "DATE": (st.dates(), dt.datetime(2020, 1, 1)),
    "TIMESTAMP": (st.datetimes(), dt.date(2020, 1, 1)),
    "TIMESTAMP_NTZ": (st.datetimes(), dt.datetime(2020, 1, 1, tzinfo=dt.UTC)),
    "TIME(6)": (st.times(), dt.time(1, tzinfo=dt.UTC)),
    "INTERVAL DAY TO SECOND": (
        st.timedeltas(dt.timedelta(-span), dt.timedelta(span)),
        dt.timedelta.max,
    ),
    "INTERVAL YEAR TO MONTH": (st.integers(-(2**31), 2**31 - 1), dt.timedelta(1)),
    "VOID": (st.none(), 0),
}


@st.composite
def typed_values(
    draw: st.DrawFn, depth: int = 3, key: bool = False
) -> tuple[str, st.SearchStrategy[Any], Any]:
    """DDL, the values it holds (None included unless it is a key), and one it does not."""
    kinds = ["leaf"] if key or not depth else ["leaf", "array", "map", "struct"]
    kind = draw(st.sampled_from(kinds))
    if kind == "leaf":
        names = sorted(LEAVES.keys() - ({"VOID", "FLOAT", "DOUBLE"} if key else set()))
        ddl = draw(st.sampled_from(names))
        values, wrong = LEAVES[ddl]
        return ddl, values if key else st.none() | values, wrong
    if kind == "array":
        ddl, values, wrong = draw(typed_values(depth - 1))
        return f"ARRAY<{ddl}>", st.none() | st.lists(values, max_size=4), [None, wrong]
    if kind == "map":
        key_ddl, keys, _ = draw(typed_values(0, True))
        ddl, values, wrong = draw(typed_values(depth - 1))
        made = st.dictionaries(keys, values, max_size=3)
        some_key = draw(keys)
        return f"MAP<{key_ddl}, {ddl}>", st.none() | made, {some_key: wrong}
    members = draw(st.lists(typed_values(depth - 1), min_size=1, max_size=3))
    fields = ", ".join(f"f{place}: {ddl}" for place, (ddl, _, _) in enumerate(members))
    rows = st.tuples(*(values for _, values, _ in members))
    bad = (*(None for _ in members[1:]), members[-1][2])
    return f"STRUCT<{fields}>", st.none() | rows, bad


@quick
@given(st.data())
def test_what_is_encoded_is_decoded_unchanged(data: st.DataObject) -> None:
    ddl, values, _ = data.draw(typed_values())
    given_values = data.draw(st.lists(values, max_size=8))
    assert round_trip(ddl, given_values) == given_values


@quick
@given(st.data())
def test_a_slice_of_a_column_decodes_to_the_slice_of_its_values(data: st.DataObject) -> None:
    ddl, values, _ = data.draw(typed_values())
    given_values = data.draw(st.lists(values, min_size=1, max_size=8))
    start = data.draw(st.integers(0, len(given_values)))
    size = data.draw(st.integers(0, len(given_values)))
    column = encoder(typed(ddl))(given_values).slice(start, size)
    assert decoder(column.type)(column) == given_values[start : start + size]


@quick
@given(st.data())
def test_the_first_wrong_value_is_named_by_its_row(data: st.DataObject) -> None:
    ddl, values, wrong = data.draw(typed_values())
    before = data.draw(st.lists(values, max_size=5))
    after = data.draw(st.lists(values | st.just(wrong), max_size=5))
    assert refusal(ddl, [*before, wrong, *after]).index == len(before)


@quick
@given(st.data())
def test_a_leaf_refuses_every_other_leafs_values_or_keeps_them(data: st.DataObject) -> None:
    ddl = data.draw(st.sampled_from(sorted(LEAVES)))
    other = data.draw(st.sampled_from(sorted(LEAVES)))
    given_values = data.draw(st.lists(LEAVES[other][0], min_size=1, max_size=4))
    try:
        kept = round_trip(ddl, given_values)
    except BadResult:
        return
    if ddl == "FLOAT":
        given_values = [v if v is None else float(np.float32(v)) for v in given_values]
    assert kept == given_values


# --- rules, type by type -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ddl", "value", "kept"),
    [
        ("BIGINT", True, 1),
        ("INT", np.int64(7), 7),
        ("BIGINT", np.uint8(7), 7),
        ("DOUBLE", 3, 3.0),
        ("DOUBLE", 2**60, float(2**60)),
        ("DOUBLE", np.float32(0.5), 0.5),
        ("DOUBLE", math.inf, math.inf),
        ("FLOAT", 0.1, float(np.float32(0.1))),
        ("FLOAT", -math.inf, -math.inf),
        ("BOOLEAN", np.bool_(True), True),
        ("STRING", np.str_("é"), "é"),
        ("BINARY", bytearray(b"x"), b"x"),
        ("BINARY", memoryview(b"xyz")[::2], b"xz"),
        ("DECIMAL(5,2)", 3, Decimal("3.00")),
        ("DECIMAL(5,2)", Decimal("1.5000"), Decimal("1.50")),
        ("DECIMAL(5,2)", Decimal("1E+2"), Decimal("100.00")),
        ("DATE", dt.date.min, dt.date.min),
        ("TIME(3)", dt.time(1, 2, 3, 4000), dt.time(1, 2, 3, 4000)),
        ("INTERVAL DAY", dt.timedelta(days=2), dt.timedelta(days=2)),
        ("INTERVAL YEAR", 24, 24),
        ("ARRAY<INT>", (1, 2), [1, 2]),
        ("ARRAY<INT>", array("h", [1, 2]), [1, 2]),
        ("ARRAY<DOUBLE>", np.array([1.5, 2]), [1.5, 2.0]),
        ("ARRAY<ARRAY<BIGINT>>", np.array([[1], [2]]), [[1], [2]]),
        ("TIMESTAMP_NTZ", pd.Timestamp("2020-01-02"), dt.datetime(2020, 1, 2)),
        ("STRUCT<>", (), Row()),
    ],
)
def test_what_is_accepted(ddl: str, value: Any, kept: Any) -> None:
    assert round_trip(ddl, [value, None]) == [kept, None]
    assert round_trip(ddl, [value]) == [kept]


@pytest.mark.parametrize(
    ("ddl", "value", "hint"),
    [
        ("INT", 1.0, "round()"),
        ("INT", "1", "int()"),
        ("TINYINT", 200, "BIGINT"),
        ("BIGINT", 2**63, "DECIMAL"),
        ("BIGINT", pd.NA, "pandas"),
        pytest.param("BIGINT", 10**5000, "DECIMAL", id="too long to print"),
        ("DOUBLE", Decimal("1.5"), "float()"),
        ("DOUBLE", 2**53 + 1, "no double"),
        pytest.param("DOUBLE", 10**400, "larger", id="larger than any double"),
        ("DOUBLE", "1", "float()"),
        ("DOUBLE", pd.NaT, "pandas"),
        ("FLOAT", 1e300, "DOUBLE"),
        ("BOOLEAN", 0, "bool()"),
        ("STRING", b"a", ".decode()"),
        ("STRING", 1, "str()"),
        pytest.param("STRING", "a\ud800", "UTF-8", id="lone surrogate"),
        ("STRING", float("nan"), "str"),
        ("BINARY", "a", ".encode()"),
        ("DECIMAL(5,2)", Decimal("1.005"), ".quantize"),
        ("DECIMAL(5,2)", Decimal("1000"), "digits"),
        ("DECIMAL(5,2)", 1.5, "Decimal(str(x))"),
        ("DECIMAL(5,2)", Decimal("NaN"), "NaN"),
        ("DATE", dt.datetime(2020, 1, 1), ".date()"),
        ("DATE", "2020-01-01", "fromisoformat"),
        ("TIMESTAMP", dt.date(2020, 1, 1), "combine"),
        ("TIMESTAMP", pd.NaT, "pandas"),
        ("TIMESTAMP", pd.Timestamp(1), "nanoseconds"),
        ("TIMESTAMP_NTZ", dt.datetime(2020, 1, 1, tzinfo=dt.UTC), "tzinfo=None"),
        ("TIME", dt.time(1, tzinfo=dt.UTC), "tzinfo=None"),
        ("TIME(3)", dt.time(1, 0, 0, 1), "TIME(6)"),
        ("INTERVAL DAY TO SECOND", 5, "timedelta()"),
        ("INTERVAL DAY", dt.timedelta(hours=1), "DAY TO SECOND"),
        ("INTERVAL YEAR", 13, "YEAR TO MONTH"),
        ("ARRAY<STRING>", "abc", "[value]"),
        ("ARRAY<INT>", {1}, "list()"),
        ("MAP<STRING, INT>", [("a", 1)], "dict()"),
        ("MAP<STRING, INT>", {None: 1}, "never NULL"),
        ("STRUCT<a: INT, b: INT>", (1,), "2 fields"),
        ("STRUCT<a: INT, b: INT>", {"a": 1}, "'b' is missing"),
        ("STRUCT<a: INT>", {"a": 1, "c": 1}, "no field 'c'"),
        ("STRUCT<a: INT>", 1, "return (1,)"),
        ("VARIANT", {"a": 1}, "VariantVal"),
        ("VOID", 1, "None"),
    ],
)
def test_what_is_refused_and_what_to_do(ddl: str, value: Any, hint: str) -> None:
    bad = refusal(ddl, [None, value, value])
    assert bad.index == 1
    assert hint in str(bad)


def test_a_refusal_is_a_sentence_and_travels() -> None:
    bad = refusal("BIGINT", [1, 1.5])
    assert str(bad).startswith("Result 1 is 1.5 (float), which BIGINT cannot hold: ")
    again = pickle.loads(pickle.dumps(bad))
    assert (again.index, again.value, str(again)) == (1, 1.5, str(bad))


@pytest.mark.parametrize(
    ("ddl", "values", "index", "path"),
    [
        ("ARRAY<STRUCT<name: STRING>>", [[], [("a",), None, (1,)]], 1, "[2].name"),
        ("MAP<STRING, ARRAY<INT>>", [{"k": [1]}, None, {"k": [1, "x"]}], 2, "['k'][1]"),
        ("MAP<INT, INT>", [{1: 1}, {"x": 1}], 1, ".key('x')"),
        # The second field is encoded later, but its bad row comes first.
        ("STRUCT<a: INT, b: INT>", [(1, 1), (1, "x"), ("x", 1)], 1, ".b"),
        ("STRUCT<a: STRUCT<b: INT NOT NULL>>", [(None,), ((None,),)], 1, ".a.b"),
    ],
)
def test_a_path_leads_to_the_part(ddl: str, values: list[Any], index: int, path: str) -> None:
    bad = refusal(ddl, values)
    assert (bad.index, bad.path) == (index, path)
    assert path in str(bad)


def test_not_null_parts_are_enforced() -> None:
    never = DataTypes.INT(nullable=False)
    assert refusal(DataTypes.ARRAY(never), [[1], [1, None]]).path == "[1]"
    assert refusal(DataTypes.MAP(DataTypes.STRING(), never), [{"a": None}]).path == "['a']"
    row = DataTypes.ROW([DataTypes.FIELD("a", never)])
    assert round_trip(row, [None, (1,)]) == [None, Row(a=1)]


class Point(NamedTuple):
    y: int
    x: str


@dataclass
class Place:
    y: int
    x: str


@pytest.mark.parametrize(
    "value",
    [
        ("b", 1),
        ["b", 1],
        {"y": 1, "x": "b"},
        Point(1, "b"),
        Place(1, "b"),
        Row(y=1, x="b"),
        Row("b", 1),
        Row(p="b", q=1),
    ],
)
def test_a_struct_is_taken_by_name_where_it_has_names(value: Any) -> None:
    [kept] = round_trip("x STRING, y INT", [value])
    assert (kept.x, kept.y) == ("b", 1)
    assert kept == Row(x="b", y=1)


def test_structs_of_several_classes_share_a_column() -> None:
    values = [("b", 1), None, {"x": "c", "y": 2}, Row(y=3, x="d"), Row(x="e", y=4)]
    kept = round_trip("x STRING, y INT", values)
    assert kept == [("b", 1), None, ("c", 2), ("d", 3), ("e", 4)]


def test_a_struct_may_have_the_same_name_twice() -> None:
    [kept] = round_trip("a INT, a STRING", [(1, "x")])
    assert tuple(kept) == (1, "x")
    assert kept.__fields__ == ["a", "a"]


def test_a_dataclass_with_other_fields_is_refused() -> None:
    assert "'z' is missing" in str(refusal("x STRING, z INT", [Place(1, "b")]))


def test_nan_is_a_number_and_none_is_null() -> None:
    for ddl in ("FLOAT", "DOUBLE"):
        column = encoder(typed(ddl))([math.nan, None, 1, math.inf])
        assert column.null_count == 1
        nan, *rest = decoder(column.type)(column)
        assert math.isnan(nan)
        assert rest == [None, 1.0, math.inf]


def test_variants_keep_their_bytes() -> None:
    variant = VariantVal(b"\x0c\x01", b"\x01\x00\x00")
    kept = round_trip("ARRAY<VARIANT>", [[variant, None], None])
    assert kept[0][0].value == variant.value
    assert kept[0][0].metadata == variant.metadata
    assert (kept[0][1], kept[1]) == (None, None)


def test_an_array_as_a_key_is_a_tuple() -> None:
    data_type = MapType(typed("ARRAY<INT>"), typed("INT"))
    column = encoder(data_type)([{(1, 2): 3}])
    assert decoder(column.type)(column) == [{(1, 2): 3}]


def test_a_null_list_may_cover_anything() -> None:
    offsets = pa.py_buffer(np.array([0, 1, 3, 4], dtype=np.int32))
    valid = pa.py_buffer(bytes([0b101]))
    child = pa.array([1, 2, 3, 4], pa.int64())
    column = pa.Array.from_buffers(pa.list_(pa.int64()), 3, [valid, offsets], children=[child])
    assert decoder(column.type)(column) == [[1], None, [4]]


# --- time zones ----------------------------------------------------------------------------

CLOCKS = [
    dt.datetime.min,
    dt.datetime(1, 1, 1, 12),
    dt.datetime(1893, 3, 31, 23, 59, 59),
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2024, 3, 31, 2, 30),
    dt.datetime(2024, 10, 27, 2, 30),
    dt.datetime(2024, 10, 27, 2, 30, fold=1),
    dt.datetime(2024, 4, 7, 1, 45),
    dt.datetime(2024, 4, 7, 1, 45, fold=1),
    dt.datetime(2024, 10, 6, 2, 10),
    dt.datetime(2024, 10, 6, 2, 10, fold=1),
    dt.datetime(2024, 7, 1),
    dt.datetime.max,
]


def instant(value: dt.datetime) -> int:
    return (value.astimezone(dt.UTC) - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(
        microseconds=1
    )


def existed(clock: dt.datetime) -> bool:
    """False in the hour that is left out in spring, which versions of Python read differently."""
    return dt.datetime.fromtimestamp(clock.timestamp()) == clock


def test_naive_timestamps_are_local(zone: str) -> None:
    inner = [clock for clock in CLOCKS if 1 < clock.year < 9999 and existed(clock)]
    clocks = [None, *CLOCKS[:2], *inner, CLOCKS[-1]]
    column = encoder(typed("TIMESTAMP"))(clocks)
    micros = column.cast(pa.int64()).to_pylist()
    assert [None, *map(instant, inner)] == [micros[0], *micros[3:-1]]
    assert decoder(column.type)(column) == clocks


def test_a_clock_time_that_never_was_is_moved_by_the_gap(zone: str) -> None:
    never = [c for c in CLOCKS if 1 < c.year < 9999 and not existed(c)]
    column = encoder(typed("TIMESTAMP"))(never)
    for clock, shown in zip(never, decoder(column.type)(column), strict=True):
        assert abs(shown - clock) in (dt.timedelta(minutes=30), dt.timedelta(hours=1))
        assert existed(shown)


@pytest.mark.parametrize("name", ["Europe/Berlin", "Australia/Lord_Howe", "Africa/Monrovia"])
def test_any_local_time_agrees_with_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", name)
    time.tzset()
    try:

        @quick
        @given(
            st.lists(
                st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 1, 1))
                | st.datetimes(dt.datetime(2024, 3, 30), dt.datetime(2024, 4, 9))
                | st.datetimes(dt.datetime(2024, 10, 5), dt.datetime(2024, 10, 28)),
                max_size=20,
            ),
            st.booleans(),
        )
        def agrees(clocks: list[dt.datetime], fold: bool) -> None:
            clocks = [clock.replace(fold=fold) for clock in clocks]
            clocks = [clock for clock in clocks if existed(clock)]
            column = encoder(typed("TIMESTAMP"))(clocks)
            assert column.cast(pa.int64()).to_pylist() == [instant(clock) for clock in clocks]
            shown = [clock.astimezone(dt.UTC).astimezone() for clock in clocks]
            assert decoder(column.type)(column) == [s.replace(tzinfo=None) for s in shown]

        agrees()
    finally:
        monkeypatch.undo()
        time.tzset()


def test_aware_timestamps_keep_their_instant(zone: str) -> None:
    tokyo = dt.timezone(dt.timedelta(hours=9))
    value = dt.datetime(2024, 7, 1, 12, tzinfo=tokyo)
    column = encoder(typed("TIMESTAMP"))([value, pd.Timestamp(value)])
    assert column.cast(pa.int64()).to_pylist() == [instant(value)] * 2
    assert decoder(column.type)(column) == [value.astimezone().replace(tzinfo=None)] * 2


def test_zoneless_timestamps_do_not_move(zone: str) -> None:
    clocks = [clock.replace(fold=0) for clock in CLOCKS]
    assert round_trip("TIMESTAMP_NTZ", [*clocks, None]) == [*clocks, None]


def test_struct_type_is_what_the_column_says() -> None:
    data_type = typed("a INT NOT NULL COMMENT 'x', b MAP<STRING, INTERVAL YEAR>")
    assert isinstance(data_type, StructType)
    column = encoder(data_type)([(1, {"a": 12})])
    assert column.type.equals(to_arrow(data_type), check_metadata=True)
