"""Accumulators on their way between workers, group keys, and the table that partitions fill."""

from __future__ import annotations

import collections
import dataclasses
import datetime as dt
import fractions
import math
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql.types import DataType
from sample_aggregates import Sum

import notebook_udf as nu
from notebook_udf import AggregateFunction, ListView, MapView, Row, udaf
from notebook_udf.functions.capture import freeze
from notebook_udf.functions.definition import doorway
from notebook_udf.specs.aggregate_layout import (
    ACCUMULATOR,
    ACCUMULATOR_FIELD,
    PASSED,
    AggregateLayout,
    AggregatePart,
)
from notebook_udf.specs.payload import Header, ship
from notebook_udf.specs.roles import Role
from notebook_udf.types import DataTypes, is_groupable, marks_views, resolve, to_arrow
from notebook_udf.worker.aggregate import hash_aggregate
from notebook_udf.worker.aggregate.accumulator import Accumulation, Codec
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.codec.group_keys import hashable, key_columns, keys_of
from notebook_udf.worker.codec.key_runs import runs_of
from notebook_udf.worker.runtime.failure import FunctionFailed

quick = settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def typed(spec: Any) -> DataType:
    return resolve(spec, what="the test")


# --- Codec -----------------------------------------------------------------------------------


@dataclasses.dataclass
class Extent:
    low: float | None = None
    high: float | None = None
    seen: list[int] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Frozen:
    total: int
    count: int


class Pair(NamedTuple):
    total: int
    rows: int


class Own:
    """A class of the user's, which only pickle knows how to send."""

    def __init__(self, values: list[int]) -> None:
        self.values = values

    def __eq__(self, other: object) -> bool:
        return type(other) is Own and other.values == self.values

    __hash__ = None  # type: ignore[assignment]


SHAPES: dict[str, tuple[Any, Any, list[Any]]] = {
    # name: declared type, fresh accumulator, accumulators as they become
    "list": ("array<bigint>", [0], [[3], [], [1, None]]),
    "list of a ROW": ("s bigint, n bigint", [0, 0], [[3, 1], [4, None]]),
    "Row": ("count bigint, seen array<bigint>", Row(count=0, seen=[]), [Row(count=1, seen=[1])]),
    "Row by position": ("a bigint, b bigint", Row(0, 0), [Row(1, 2)]),
    "Row, fields in another order": ("b bigint, a bigint", Row(a=0, b=0), [Row(a=1, b=2)]),
    "Row in a Row": (
        "name string, in struct<n: bigint, deep: struct<m: bigint>>",
        Row(name="", **{"in": Row(n=0, deep=Row(m=0))}),
        [Row(name="a", **{"in": Row(n=1, deep=Row(m=2))})],
    ),
    "dataclass": (
        "low double, high double, seen array<bigint>",
        Extent(),
        [Extent(1.0, None, [1]), Extent()],
    ),
    "dataclass, fields in another order": (
        "seen array<bigint>, high double, low double",
        Extent(),
        [Extent(1.0, 2.0, [1])],
    ),
    "dataclass in a Row": (
        "e struct<low: double, high: double, seen: array<bigint>>",
        Row(e=Extent()),
        [Row(e=Extent(1.0, 2.0, [3])), Row(e=None)],
    ),
    "frozen dataclass": ("total bigint, count bigint", Frozen(0, 0), [Frozen(1, 2)]),
    "dict of a ROW": ("a bigint, b string", {"a": 0, "b": ""}, [{"a": 1, "b": "x"}]),
    "dict of a MAP": ("map<string, bigint>", {}, [{"a": 1}, {}]),
    "Counter": (
        "map<string, bigint>",
        collections.Counter(),
        [collections.Counter("abca"), collections.Counter()],
    ),
    "defaultdict": (
        "map<string, array<bigint>>",
        collections.defaultdict(list),
        [collections.defaultdict(list, {"a": [1]})],
    ),
    "Counter in a Row": (
        "words map<string, bigint>",
        Row(words=collections.Counter()),
        [Row(words=collections.Counter("aab"))],
    ),
    "tuple": ("array<bigint>", (0, 0), [(1, 2)]),
    "tuple of a ROW": ("a bigint, b bigint", (0, 0), [(1, 2)]),
    "NamedTuple": ("total bigint, rows bigint", Pair(0, 0), [Pair(1, 2)]),
    "NamedTuple, fields in another order": ("rows bigint, total bigint", Pair(0, 0), [Pair(1, 2)]),
    "NamedTuple of an ARRAY": ("array<bigint>", Pair(0, 0), [Pair(1, 2)]),
    "set": ("array<bigint>", set(), [{1, 2}, set()]),
    "frozenset": ("array<bigint>", frozenset(), [frozenset({1, 2})]),
    "int": ("bigint", 0, [5, -1]),
    "float": ("double", 0.0, [1.5, -0.0, math.inf]),
    "str": ("string", "", ["a\0😀"]),
    "bytes": ("binary", b"", [b"\xff\0"]),
    "Decimal": ("decimal(10,2)", Decimal(0), [Decimal("1.25")]),
    "datetime": ("timestamp_ntz", dt.datetime.min, [dt.datetime(2020, 1, 1, 1)]),
    "None, later a number": ("bigint", None, [None, 4]),
    "None, later a tuple": ("a bigint, b string", None, [None, (1, "x")]),
    "None, later a list": ("array<bigint>", None, [None, [1]]),
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("declared", [True, False], ids=["declared", "pickled"])
def test_an_accumulator_arrives_as_it_was_sent(shape: str, declared: bool) -> None:
    spec, fresh, accumulators = SHAPES[shape]
    data_type = typed(spec) if declared else None
    codec = Codec(data_type, fresh)
    for sent in ([fresh, *accumulators], accumulators[:1], []):
        column = codec.encode(sent)
        assert column.type == (pa.binary() if data_type is None else to_arrow(data_type))
        arrived = codec.decode(column)
        assert arrived == sent
        for there, here in zip(arrived, sent, strict=True):
            # A row of a plain tuple's is one with names.
            if not shape.startswith(("None", "tuple of a ROW")):
                assert type(there) is type(here)
            if isinstance(here, Row):
                assert list(map(type, there)) == list(map(type, here))


@pytest.mark.parametrize(
    "fresh",
    [
        Own([1]),
        Row(count=0, map=MapView({(1, None): 2}), list=ListView([Own([2])])),
        collections.deque([1], maxlen=3),
        np.zeros(3),
    ],
    ids=lambda fresh: type(fresh).__name__,
)
def test_anything_that_can_be_pickled_arrives(fresh: Any) -> None:
    codec = Codec(None, fresh)
    (arrived,) = codec.decode(codec.encode([fresh]))
    assert type(arrived) is type(fresh)
    assert np.array_equal(arrived, fresh) if isinstance(fresh, np.ndarray) else arrived == fresh


def test_what_was_decoded_can_be_changed_again() -> None:
    fresh = Row(words=collections.Counter(), **{"in": Row(n=0)})
    codec = Codec(typed("words map<string, bigint>, in struct<n: bigint>"), fresh)
    (arrived,) = codec.decode(codec.encode([fresh]))
    arrived["words"]["new"] += 1
    arrived["in"]["n"] += 1
    assert arrived == Row(words=collections.Counter(new=1), **{"in": Row(n=1)})
    assert fresh == Row(words=collections.Counter(), **{"in": Row(n=0)})


def test_a_fresh_accumulator_that_is_not_empty_leaves_nothing_behind() -> None:
    codec = Codec(typed("map<string, bigint>"), collections.Counter(total=0, other=7))
    sent = [collections.Counter(total=1), collections.Counter()]
    assert codec.decode(codec.encode(sent)) == sent


@pytest.mark.parametrize(
    ("spec", "fresh", "wrong", "text"),
    [
        ("array<bigint>", [0], ["a"], "str"),
        ("bigint", 0, 1.5, r"1\.5"),
        ("bigint", 0, 2**63, "BIGINT"),
        ("a bigint, b bigint", Row(a=0, b=0), Row(a=0), "2 fields"),
        ("a bigint, b bigint", {"a": 0, "b": 0}, {"a": 0, "c": 0}, "'b' is missing"),
    ],
)
def test_an_accumulator_that_does_not_fit_its_type(
    spec: str, fresh: Any, wrong: Any, text: str
) -> None:
    with pytest.raises(BadResult, match=text) as caught:
        Codec(typed(spec), fresh).encode([fresh, wrong])
    assert caught.value.index == 1


# --- keys ------------------------------------------------------------------------------------

KEYS: dict[str, st.SearchStrategy[Any]] = {
    "BOOLEAN": st.booleans(),
    "TINYINT": st.integers(-128, 127),
    "SMALLINT": st.integers(-(2**15), 2**15 - 1),
    "INT": st.integers(-(2**31), 2**31 - 1),
    "BIGINT": st.integers(-(2**63), 2**63 - 1) | st.integers(-1, 1),
    "FLOAT": st.floats(width=32) | st.sampled_from([math.nan, -0.0, 0.0]),
    "DOUBLE": st.floats() | st.sampled_from([math.nan, -math.nan, -0.0, 0.0, math.inf]),
    "DECIMAL(7,3)": st.decimals(-9999, 9999, places=3),
    "DECIMAL(38,0)": st.integers(-(10**38) + 1, 10**38 - 1).map(Decimal),
    "STRING": st.text(max_size=3) | st.sampled_from(["", "\0", "a", "A", "e\u0301", "\xe9"]),
    "BINARY": st.binary(max_size=2),
    "DATE": st.dates(),
    "TIMESTAMP": st.datetimes(dt.datetime(1, 1, 3), dt.datetime(9999, 12, 29))
    | st.sampled_from([dt.datetime(2020, 10, 25, 2, 30, fold=f) for f in (0, 1)]),
    "TIMESTAMP_NTZ": st.datetimes(),
    "TIME(6)": st.times(),
    "INTERVAL DAY TO SECOND": st.timedeltas(dt.timedelta(-1000), dt.timedelta(1000)),
    "VOID": st.none(),
}


@pytest.fixture(autouse=True, scope="module")
def berlin() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        # Clocks are put back here: two instants then have the same local time.
        patch.setenv("TZ", "Europe/Berlin")
        time.tzset()
        yield
    time.tzset()


@st.composite
def key_types(draw: st.DrawFn, depth: int = 2) -> tuple[str, st.SearchStrategy[Any]]:
    kind = draw(st.sampled_from(["leaf", "leaf", "array", "struct"] if depth else ["leaf"]))
    if kind == "leaf":
        ddl = draw(st.sampled_from(sorted(KEYS)))
        return ddl, st.none() | KEYS[ddl]
    if kind == "array":
        ddl, values = draw(key_types(depth - 1))
        return f"ARRAY<{ddl}>", st.none() | st.lists(values, max_size=3)
    members = draw(st.lists(key_types(depth - 1), min_size=1, max_size=3))
    fields = ", ".join(f"f{place}: {ddl}" for place, (ddl, _) in enumerate(members))
    return f"STRUCT<{fields}>", st.none() | st.tuples(*(values for _, values in members))


def to_sql(value: Any) -> Any:
    """Something that is equal for two values exactly if GROUP BY takes them for one."""
    if isinstance(value, float):
        return ("nan",) if math.isnan(value) else value + 0.0
    if isinstance(value, dt.datetime):
        return (value, value.fold)
    if isinstance(value, (list, tuple)):
        return tuple(map(to_sql, value))
    return value


@quick
@given(st.data())
def test_keys_group_as_sql_does_and_come_back(data: st.DataObject) -> None:
    ddl, values = data.draw(key_types())
    data_type = typed(ddl)
    assert is_groupable(data_type)
    column = encoder(data_type)(data.draw(st.lists(values, min_size=1, max_size=12)) * 2)
    plain = decoder(column.type)(column)
    found = hashable(column, decoder(column.type))
    groups: dict[Any, list[int]] = {}
    for place, key in enumerate(found):
        groups.setdefault(key, []).append(place)
    expected: dict[Any, list[int]] = {}
    for place, value in enumerate(plain):
        expected.setdefault(to_sql(value), []).append(place)
    assert list(groups.values()) == list(expected.values())
    (back,) = key_columns(list(groups), [column.type])
    assert back.type == column.type
    firsts = [plain[places[0]] for places in groups.values()]
    assert [to_sql(v) for v in decoder(back.type)(back)] == [to_sql(v) for v in firsts]


def test_keys_of_nulls_come_back_whole() -> None:
    kept = pa.list_(pa.field("element", pa.null()))
    (back,) = key_columns([(None, None), (None,)], [kept])
    assert back.type == kept
    assert back.to_pylist() == [[None, None], [None]]


@quick
@given(st.data())
def test_runs_are_neighbours_with_equal_keys(data: st.DataObject) -> None:
    ddl, values = data.draw(key_types())
    drawn = data.draw(st.lists(st.tuples(values, st.integers(1, 3), st.booleans()), max_size=8))
    column = encoder(typed(ddl))([value for value, times, _ in drawn for _ in range(times)])
    beside = pa.array([flag for _, times, flag in drawn for _ in range(times)], pa.bool_())
    for columns in ([column], [column, beside]):
        keys = keys_of([hashable(each, decoder(each.type)) for each in columns], len(column))
        found, start = [], 0
        for key, same in groupby(keys):
            end = start + len(list(same))
            found.append((key, start, end))
            start = end
        assert runs_of(columns, len(column)) == found


def test_a_key_with_a_list_of_nulls_comes_back() -> None:
    kind = pa.struct([("a", pa.int64()), ("b", pa.list_(pa.field("element", pa.null())))])
    (back,) = key_columns([(None, (None, None))], [kind])
    assert back.to_pylist() == [{"a": None, "b": [None, None]}]


def test_several_keys_come_back_as_columns() -> None:
    types = [pa.string(), pa.float64()]
    keys = [("a", math.nan), (None, None)]
    strings, numbers = key_columns(keys, types)
    assert strings.to_pylist() == ["a", None]
    assert numbers.type == pa.float64()
    assert math.isnan(numbers[0].as_py())
    assert numbers[1].as_py() is None
    assert key_columns([(), ()], []) == []


def test_a_local_time_that_was_met_twice_is_two_keys() -> None:
    column = pa.array(
        [dt.datetime(2020, 10, 25, hour, 30) for hour in (0, 1, 0)], pa.timestamp("us", "UTC")
    )
    first, second, again = hashable(column, decoder(column.type))
    assert first == again != second
    assert len({first, second, again}) == 2
    assert repr(second) == "datetime.datetime(2020, 10, 25, 2, 30, fold=1)"
    (back,) = key_columns([first, second], [column.type])
    assert back.equals(column.slice(0, 2))


# --- one function in one task ----------------------------------------------------------------


@pytest.fixture
def inside_worker() -> Iterator[None]:
    with doorway.as_in_worker():
        yield


def call_of(function: Any, role: Role = "partial", **options: Any) -> FunctionCall:
    definition = udaf(function, **options)
    shipment = ship(definition.name, 1, definition, freeze(definition), role=role)
    call = FunctionCall(shipment, in_pass=True)
    assert call.task is not None
    return call


class Returning(Sum):
    """Returns the accumulator that it was given, which does no harm."""

    def accumulate(self, accumulator: Any, value: int) -> Any:
        accumulator[0] += value
        return accumulator


class Replacing(Sum):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        return [accumulator[0] + value]


class Stops(Sum):
    def accumulate(self, accumulator: Any, value: int) -> Any:
        if value == 2:
            raise StopIteration
        accumulator[0] += value

    def get_value(self, accumulator: Any) -> int:
        if accumulator[0] == 99:
            raise StopIteration
        return int(accumulator[0])


class Numbers(AggregateFunction):
    """Accumulates into something that cannot be changed."""

    def __init__(self, fresh: Any = 0, forgets: bool = False) -> None:
        self.fresh = fresh
        self.forgets = forgets

    def create_accumulator(self) -> Any:
        return self.fresh

    def accumulate(self, accumulator: Any, value: int) -> Any:
        return None if self.forgets else accumulator + value

    def get_value(self, accumulator: Any) -> int:
        return int(accumulator)


def keyed(place: int) -> dict[str, Any]:
    return {"k": f"key {place}"}


@pytest.mark.usefixtures("inside_worker")
@pytest.mark.parametrize("function", [Sum, Returning])
def test_an_accumulator_is_changed_in_place(function: Any) -> None:
    accumulation = Accumulation(call_of(function))
    one, two = accumulation.create(), accumulation.create()
    accumulation.take_rows([one, two, one], [[1, 2, 3]], 0, keyed)
    assert (one, two) == ([4], [2])
    assert accumulation.changed("accumulate", one, (5,), 0, keyed) is one
    assert accumulation.changed("merge", one, ([two],), 0, keyed) is one
    assert accumulation.values([one, two], encoder(typed("bigint")), keyed).to_pylist() == [11, 2]


@pytest.mark.usefixtures("inside_worker")
@pytest.mark.parametrize(
    "fresh", [0, 0.0, Decimal(0), fractions.Fraction(0), np.int64(0), True], ids=lambda f: type(f)
)
def test_an_accumulator_that_cannot_be_changed_is_returned(fresh: Any) -> None:
    accumulation = Accumulation(call_of(Numbers(fresh)))
    assert not accumulation.in_place
    assert accumulation.take_row(fresh, (2,), 0, keyed) == fresh + 2
    forgets = Accumulation(call_of(Numbers(fresh, forgets=True)))
    with pytest.raises(FunctionFailed, match=r"Numbers\.accumulate returned None.*return the new"):
        forgets.take_row(fresh, (2,), 0, keyed)


@pytest.mark.usefixtures("inside_worker")
def test_a_frozen_dataclass_is_returned_anew() -> None:
    class Means(Sum):
        def create_accumulator(self) -> Any:
            return Frozen(0, 0)

        def accumulate(self, accumulator: Any, value: int) -> Any:
            return dataclasses.replace(accumulator, total=accumulator.total + value)

    accumulation = Accumulation(call_of(Means))
    assert accumulation.take_row(Frozen(1, 0), (2,), 0, keyed) == Frozen(3, 0)


@pytest.mark.usefixtures("inside_worker")
def test_another_accumulator_than_the_given_one_is_refused() -> None:
    accumulation = Accumulation(call_of(Replacing))
    with pytest.raises(FunctionFailed, match=r"Replacing\.accumulate returned a list of its own"):
        accumulation.take_rows([[0], [0]], [[1, 2]], 0, keyed)
    with pytest.raises(FunctionFailed, match="group k = 'key 0'"):
        accumulation.changed("accumulate", [0], (1,), 0, keyed)


@pytest.mark.usefixtures("inside_worker")
def test_a_stop_iteration_does_not_end_the_rows() -> None:
    # map() would take it for the end of its input, and the rows after it would be lost.
    with pytest.raises(FunctionFailed, match="accumulate raised StopIteration"):
        Accumulation(call_of(Stops)).take_rows([[0]] * 3, [[1, 2, 3]], 0, keyed)
    lenient = Accumulation(call_of(Stops, on_error="null"))
    accumulator = [0]
    lenient.take_rows([accumulator] * 3, [[1, 2, 3]], 0, keyed)
    assert accumulator == [4]
    encode = encoder(typed("bigint"))
    assert lenient.values([[1], [99], [3]], encode, keyed).to_pylist() == [1, None, 3]
    with pytest.raises(FunctionFailed, match="get_value raised StopIteration"):
        Accumulation(call_of(Stops)).values([[99]], encode, keyed)


@pytest.mark.usefixtures("inside_worker")
def test_a_failed_merge_leaves_no_half_result() -> None:
    class Fails(Sum):
        def merge(self, accumulator: Any, accumulators: Any) -> Any:
            raise ValueError("cannot")

    accumulation = Accumulation(call_of(Fails, on_error="null"))
    lost = accumulation.changed("merge", [1], ([[2]],), 0, keyed)
    # What the first partition saw would look like the group's result.
    assert accumulation.values([lost], encoder(typed("bigint")), keyed).to_pylist() == [None]


@pytest.mark.usefixtures("inside_worker")
@pytest.mark.parametrize("on_error", ["fail", "null"])
def test_a_mistake_in_the_code_fails_whatever_is_done_with_rows(on_error: str) -> None:
    accumulation = Accumulation(call_of(Numbers(0, forgets=True), on_error=on_error))
    with pytest.raises(FunctionFailed, match="return the new accumulator"):
        accumulation.take_row(0, (1,), 0, keyed)


@pytest.mark.usefixtures("inside_worker")
def test_create_accumulator_that_fails_later() -> None:
    class Runs(Sum):
        made = 0

        def create_accumulator(self) -> Any:
            type(self).made += 1
            if type(self).made > 1:
                raise OSError("no more")
            return [0]

    accumulation = Accumulation(call_of(Runs, on_error="null"))
    groups = hash_aggregate._Groups(accumulation.create)
    # Without an accumulator there is no group, so that letting the row go would lose the group.
    with pytest.raises(FunctionFailed, match="Runs: OSError: no more") as caught:
        accumulation.take_rows(map(groups.__getitem__, "ab"), [[1, 2]], 0, keyed)
    assert str(caught.value).count("OSError: no more") == 1


# --- the table -------------------------------------------------------------------------------


def batches(rows: list[tuple[Any, ...]], types: list[Any], size: int) -> list[pa.RecordBatch]:
    names = [f"c{place}" for place in range(len(types))]
    columns = [
        pa.array(column, data_type)
        for column, data_type in zip(zip(*rows, strict=True), types, strict=True)
    ]
    whole = pa.RecordBatch.from_arrays(columns, names)
    return [whole.slice(start, size) for start in range(0, len(rows), size)]


def emitted(
    layout: AggregateLayout, calls: list[FunctionCall], given_batches: list[pa.RecordBatch]
) -> list[pa.RecordBatch]:
    table = hash_aggregate._Table(layout, calls, given_batches[0].schema)
    out = [each for batch in given_batches for each in table.add(batch)]
    return [*out, *table.emit()]


def merged(
    out: list[pa.RecordBatch], call: FunctionCall, place: int = 0, key: str = "c0"
) -> dict[Any, list[Any]]:
    """Accumulators by key, in the order in which they left."""
    codec = Accumulation(call).codec
    found: dict[Any, list[Any]] = {}
    for batch in out:
        keys = batch.column(key).to_pylist()
        passed = batch.column(PASSED).to_pylist()
        structs = batch.column(f"{ACCUMULATOR}{place}")
        valid = structs.is_valid().to_pylist()
        accumulators = iter(codec.decode(structs.filter(structs.is_valid()).field(0)))
        assert structs.type.field(0).name == ACCUMULATOR_FIELD
        for name, passes, there in zip(keys, passed, valid, strict=True):
            if passes:
                assert not there
            elif there:
                found.setdefault(name, []).append(next(accumulators))
            else:
                found.setdefault(name, [])
    return found


def totals(rows: list[tuple[Any, ...]]) -> dict[Any, int]:
    model: dict[Any, int] = {}
    for key, value, *_ in rows:
        model[key] = model.get(key, 0) + value
    return model


LONGS = [pa.int64(), pa.int64()]


@pytest.mark.usefixtures("inside_worker")
def test_every_group_leaves_once_where_there_is_room() -> None:
    rows = [(n % 700, n) for n in range(5000)]
    call = call_of(Sum)
    out = emitted(
        AggregateLayout(("k",), 0, (AggregatePart((1,)),)), [call], batches(rows, LONGS, 900)
    )
    found = merged(out, call)
    assert {key: value for key, [[value]] in found.items()} == totals(rows)
    assert list(found) == list(totals(rows))
    assert (call.statistics.rows_in, call.statistics.rows_out) == (5000, 700)


@pytest.mark.usefixtures("inside_worker")
@pytest.mark.parametrize("sorted_rows", [False, True])
def test_a_table_that_has_grown_past_its_bound_is_emptied(
    monkeypatch: pytest.MonkeyPatch, sorted_rows: bool
) -> None:
    grown = iter(range(0, 1 << 30, 1 << 20))
    monkeypatch.setattr(hash_aggregate, "BOUND_BYTES", 2 << 20)
    monkeypatch.setattr(hash_aggregate, "resident_bytes", lambda: next(grown))
    rows = [(n % 100, n) for n in range(5000)]
    if sorted_rows:
        rows.sort()
    call = call_of(Sum)
    layout = AggregateLayout(("k",), 0, (AggregatePart((1,)),), sorted=sorted_rows)
    found = merged(emitted(layout, [call], batches(rows, LONGS, 250)), call)
    assert {key: sum(value for [value] in parts) for key, parts in found.items()} == totals(rows)
    most = max(map(len, found.values()))
    # Sorted rows are those of a function without merge: a group that left in parts is lost.
    assert most == 1 if sorted_rows else most > 1


@pytest.mark.usefixtures("inside_worker")
def test_a_sorted_partition_holds_few_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash_aggregate, "_SLICE_ROWS", 10)
    rows = [(n // 3, n) for n in range(300)]
    call = call_of(Sum)
    layout = AggregateLayout(("k",), 0, (AggregatePart((1,)),), sorted=True)
    given_batches = batches(rows, LONGS, 50)
    table = hash_aggregate._Table(layout, [call], given_batches[0].schema)
    out = []
    for batch in given_batches:
        out += list(table.add(batch))
        assert len(table._groups[0]) <= 10
    out += list(table.emit())
    found = merged(out, call)
    assert {key: value for key, [[value]] in found.items()} == totals(rows)


@pytest.mark.usefixtures("inside_worker")
def test_conditions_leave_rows_out_and_groups_in() -> None:
    rows = [(1, 10, True), (2, 20, False), (1, 5, None), (1, 7, True)]
    call, other = call_of(Sum), call_of(Sum, name="other")
    layout = AggregateLayout(("k",), 0, (AggregatePart((1,), 2), AggregatePart((1,))))
    out = emitted(layout, [call, other], batches(rows, [*LONGS, pa.bool_()], 10))
    assert merged(out, call) == {1: [[17]], 2: []}
    assert merged(out, other, 1) == {1: [[22]], 2: [[20]]}


@pytest.mark.usefixtures("inside_worker")
def test_rows_that_pass_through_have_no_accumulators() -> None:
    rows = [(1, 10, 4), (2, 20, 5), (1, 5, 6)]
    call = call_of(Sum)
    layout = AggregateLayout(("k",), 1, (AggregatePart((2,)),), passes_rows=True)
    out = emitted(layout, [call], batches(rows, [*LONGS, pa.int64()], 2))
    passed = [
        row for batch in out for row in batch.select(["c0", "c1", PASSED]).to_pylist()
    ]  # fmt: skip
    assert [(r["c0"], r["c1"]) for r in passed if r[PASSED]] == [(1, 10), (2, 20), (1, 5)]
    assert [(r["c0"], r["c1"]) for r in passed if not r[PASSED]] == [(1, None), (2, None)]
    assert merged(out, call) == {1: [[10]], 2: [[5]]}


@pytest.mark.usefixtures("inside_worker")
def test_no_keys_is_one_group() -> None:
    call = call_of(Sum)
    out = emitted(
        AggregateLayout((), 0, (AggregatePart((1,)),)), [call], batches([(0, 1), (0, 2)], LONGS, 1)
    )
    (batch,) = out
    assert batch.schema.names == [PASSED, f"{ACCUMULATOR}0"]
    assert batch.num_rows == 1


@quick
@given(
    rows=st.lists(
        st.tuples(
            st.none() | st.sampled_from([math.nan, 0.0, -0.0, 1.0]),
            st.integers(-5, 5),
            st.none() | st.booleans(),
        ),
        min_size=1,
        max_size=60,
    ),
    size=st.integers(1, 60),
    unchangeable=st.booleans(),
    filtered=st.booleans(),
)
def test_a_table_is_a_dict_of_sums(
    rows: list[tuple[Any, ...]], size: int, unchangeable: bool, filtered: bool
) -> None:
    with doorway.as_in_worker():
        function: Callable[[], Any] = Numbers if unchangeable else Sum
        call = call_of(function())
        layout = AggregateLayout(("k",), 0, (AggregatePart((1,), 2 if filtered else None),))
        types = [pa.float64(), pa.int64(), pa.bool_()]
        found = merged(emitted(layout, [call], batches(rows, types, size)), call)
    model: dict[Any, Any] = {}
    for key, value, condition in rows:
        model.setdefault(to_sql(key), None)
        if condition or not filtered:
            model[to_sql(key)] = (model[to_sql(key)] or 0) + value
    answer = {
        to_sql(key): (parts[0] if unchangeable else parts[0][0]) if parts else None
        for key, parts in found.items()
    }
    assert answer == model
    assert all(len(parts) <= 1 for parts in found.values())


def test_views_are_types_of_the_design() -> None:
    declared = DataTypes.ROW(
        [
            DataTypes.FIELD("list", DataTypes.LIST_VIEW(DataTypes.BIGINT())),
            DataTypes.FIELD("map", DataTypes.MAP_VIEW(DataTypes.STRING(), DataTypes.BIGINT())),
        ]
    )
    definition = udaf(Sum, acc_type=declared)
    shipment = ship("sum", 1, definition, b"", role="merge")
    # Views hold anything, so an accumulator with one is pickled whole, and held to what is beside.
    header = Header.from_json(shipment.header)
    assert header.accumulator_type is not None
    assert marks_views(header.accumulator_type)
    assert Codec(header.accumulator_type, None).encode([1]).type == "binary"
    assert nu.ListView([1]) == ListView([1])
