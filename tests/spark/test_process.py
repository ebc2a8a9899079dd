"""Process functions: records, state, keys, chains and attributes, through ``nu.process``."""

from __future__ import annotations

import contextlib
import copy
import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import notebook_udf as nu
from notebook_udf import Collector, OneInputStreamProcessFunction, StateDeclarations

COUNT = StateDeclarations.value_state("count", int)
NUMBERS = StateDeclarations.list_state("numbers", int)
SEEN = StateDeclarations.map_state("seen", str, int)


@dataclass
class Order:
    price: float


class LargestOrder(OneInputStreamProcessFunction):
    """The design's: keeps the record that it was given and has collected."""

    def __init__(self) -> None:
        self.largest: Any = None

    def process_record(self, order: Order, output: Collector[Order], ctx: Any) -> None:
        if self.largest is None or order.price > self.largest.price:
            self.largest = order
            output.collect(order)


@nu.not_cache_record
class CurrencyConverter(OneInputStreamProcessFunction):
    def process_record(self, order: Order, output: Collector[Order], ctx: Any) -> None:
        order.price = order.price / 10000
        output.collect(order)


@nu.not_cache_record
class OrderInfoEmitter(OneInputStreamProcessFunction):
    def process_record(self, order: Order, output: Collector[str], ctx: Any) -> None:
        output.collect("Largest Order: " + str(order.price))


class Counter(OneInputStreamProcessFunction[nu.Row, int]):
    """The design's, keyed."""

    def process_record(
        self, record: nu.Row, output: Collector[int], ctx: nu.RuntimeContext
    ) -> None:
        state = ctx.get_state(COUNT)
        state.update((state.value() or 0) + 1)
        output.collect(state.value())

    def uses_states(self) -> Any:
        return {COUNT}


class SortPartition(OneInputStreamProcessFunction[int, int]):
    """The design's: collects everything when the input has ended."""

    def process_record(self, record: int, output: Collector[int], ctx: nu.RuntimeContext) -> None:
        ctx.get_state_manager().get_state(NUMBERS).add_all([record])

    def end_input(self, ctx: nu.NonPartitionedContext) -> None:
        numbers = sorted(ctx.get_state_manager().get_state(NUMBERS))

        def emit(collector: Any, context: Any) -> None:
            for number in numbers:
                collector.collect(number)

        ctx.apply_to_all_partitions(emit)

    def uses_states(self) -> Any:
        return {NUMBERS}


def values(frame: DataFrame) -> list[Any]:
    return [row[0] if len(row) == 1 else tuple(row) for row in frame.collect()]


def numbers(session: nu.Session, *given: int) -> DataFrame:
    return session.spark.createDataFrame([(x,) for x in given], "x bigint").coalesce(1)


# --- the design's examples -------------------------------------------------------------------


def test_largest_order_keeps_a_record_that_the_converter_changes(session: nu.Session) -> None:
    prices = [10000.0, 50000.0, 20000.0, 70000.0, 60000.0]
    orders = session.spark.createDataFrame([(p,) for p in prices], "price double").coalesce(1)
    chained = (
        orders.transform(nu.process(LargestOrder()))
        .transform(nu.process(CurrencyConverter))
        .transform(nu.process(OrderInfoEmitter))
    )
    assert values(chained) == [f"Largest Order: {p}" for p in (1.0, 5.0, 7.0)]
    plan = chained._jdf.queryExecution().toString()
    assert plan.count("MapInArrow LargestOrder") == plan.count("MapInArrow")
    assert "LargestOrder -> CurrencyConverter -> OrderInfoEmitter [records reused]" in plan


def test_counter_counts_each_key_in_the_order_of_the_input(session: nu.Session) -> None:
    rows = session.spark.range(0, 100, 1, 4).select((F.col("id") % 7).alias("k"), "id")

    class Order(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            state = ctx.get_state(COUNT)
            place = state.value() or 0
            state.update(place + 1)
            output.collect((ctx.get_current_key(), place, record.id))

        def uses_states(self) -> Any:
            return [COUNT]

    found = values(rows.transform(nu.process(Order(), "k", "k bigint, place int, id bigint")))
    assert sorted(found) == sorted((i % 7, i // 7, i) for i in range(100))


def test_sort_partition_collects_when_the_input_has_ended(session: nu.Session) -> None:
    assert values(numbers(session, 3, 1, 2).transform(nu.process(SortPartition))) == [1, 2, 3]
    nothing = numbers(session, 1).where("x > 1")
    assert values(nothing.transform(nu.process(SortPartition))) == []


# --- records ---------------------------------------------------------------------------------


class Pair(NamedTuple):
    name: str
    size: int = 5


def collecting(collect: Callable[[Any], Any], annotation: Any = None) -> Any:
    class Collecting(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            output.collect(collect(record))

    if annotation is not None:
        Collecting.process_record.__annotations__["record"] = annotation
    return Collecting


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        (None, "Row(name='a', size=1)"),
        (nu.Row, "Row(name='a', size=1)"),
        (Pair, "Pair(name='a', size=1)"),
        (dict[str, Any], "{'name': 'a', 'size': 1}"),
    ],
)
def test_records_are_what_the_annotation_says(
    session: nu.Session, annotation: Any, shown: str
) -> None:
    rows = session.spark.createDataFrame([("a", 1)], "name string, size int")
    function = collecting(repr, annotation)
    assert values(rows.transform(nu.process(function, output_type="string"))) == [shown]


class Single(NamedTuple):
    x: int


@pytest.mark.parametrize(
    ("annotation", "shown"),
    [
        (None, "Row(x=1)"),
        (nu.Row, "Row(x=1)"),
        (Any, "Row(x=1)"),
        (object, "Row(x=1)"),
        (Single, "Single(x=1)"),
        (dict[str, int], "{'x': 1}"),
        (int, "1"),
        (int | None, "1"),
        (Annotated[int, "bigint"], "1"),
    ],
)
def test_a_record_of_one_column_is_a_row_unless_it_is_said_to_be_a_value(
    session: nu.Session, annotation: Any, shown: str
) -> None:
    shows = nu.process(collecting(repr, annotation), output_type="string")
    assert values(numbers(session, 1).transform(shows)) == [shown]


def test_a_value_may_be_a_list_or_the_class_may_say_what_it_takes(session: nu.Session) -> None:
    lists = session.spark.createDataFrame([([1, 2],)], "xs array<int>")
    longest = nu.process(collecting(lambda xs: max(xs), list[int]), output_type=int)
    assert values(lists.transform(longest)) == [2]

    class Generic(OneInputStreamProcessFunction[int, int]):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            output.collect(record + 1)

    # An annotation that says nothing does not take back what the class says.
    assert values(numbers(session, 1).transform(nu.process(Generic))) == [2]


@pytest.mark.parametrize("chained", [True, False])
def test_what_was_collected_as_a_value_arrives_as_one(session: nu.Session, chained: bool) -> None:
    kept = {} if chained else {"on_error": "quarantine"}
    twice = session.register_function(
        "twice_each", collecting(lambda x: 2 * x, int), output_type=int, **kept
    )
    made = numbers(session, 3).transform(nu.process(twice))
    for annotation, shown in ((None, "6"), (Any, "6"), (int, "6"), (nu.Row, "Row(value=6)")):
        shows = nu.process(collecting(repr, annotation), output_type="string")
        assert values(made.transform(shows)) == [shown]
    # Rows that have gone through Spark are rows, and so are those with one field.
    shows = nu.process(collecting(repr), output_type="string")
    assert values(made.select("*").transform(shows)) == ["Row(value=6)"]
    single = collecting(lambda x: (x,), int)
    made = numbers(session, 3).transform(nu.process(single, output_type="y int"))
    assert values(made.transform(shows)) == ["Row(y=3)"]


def test_a_value_of_several_columns_is_refused(session: nu.Session) -> None:
    rows = session.spark.createDataFrame([("a", 1)], "name string, size int")
    with pytest.raises(
        nu.PlanningError, match=r"one int, and its input has 2 columns \(name, size\): select one"
    ):
        rows.transform(nu.process(collecting(repr, int), output_type="string"))


def test_a_class_takes_the_columns_it_has_fields_for(session: nu.Session) -> None:
    rows = session.spark.createDataFrame(
        [(1.5, "x", "a")], "other double, ignored string, name string"
    )
    function = nu.process(collecting(repr, Pair), output_type=str)
    assert values(rows.transform(function)) == ["Pair(name='a', size=5)"]
    with pytest.raises(nu.PlanningError, match="'name' is no column of its input; there are x"):
        numbers(session, 1).transform(function)


@pytest.mark.parametrize(
    "collect",
    [
        lambda x: (x, str(x)),
        lambda x: [x, str(x)],
        lambda x: {"name": str(x), "id": x},
        lambda x: nu.Row(name=str(x), id=x),
        lambda x: nu.Row(x, str(x)),
    ],
)
def test_rows_are_collected_in_any_form(session: nu.Session, collect: Any) -> None:
    once = numbers(session, 1, 2).transform(
        nu.process(collecting(collect, int), None, "id int, name string")
    )
    assert once.columns == ["id", "name"]
    assert values(once) == [(1, "1"), (2, "2")]
    again = once.transform(nu.process(collecting(lambda r: r.name * r.id), output_type=str))
    assert values(again) == ["1", "22"]


def test_records_changed_after_they_were_collected_leave_as_they_were(session: nu.Session) -> None:
    class Again(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            output.collect(record)
            record.size += 1
            record.tags.append("later")
            output.collect(record)
            record.size = -1

    rows = session.spark.createDataFrame([(1, ["a"])], "size bigint, tags array<string>")
    found = values(rows.transform(nu.process(Again, output_type=rows.schema)))
    assert found == [(1, ["a"]), (2, ["a", "later"])]

    class Sizes(Again):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            output.collect(record)
            record.size += 1
            output.collect(record)
            record.size = -1

    nu.not_cache_record(Sizes)
    echo = nu.not_cache_record(collecting(lambda record: (record.size, record.name)))
    rows = session.spark.createDataFrame([(1, "n")], "size bigint, name string")
    found = values(
        rows.transform(nu.process(Sizes, output_type=rows.schema)).transform(
            nu.process(echo, output_type=rows.schema)
        )
    )
    assert found == [(1, "n"), (2, "n")]


# --- state and keys --------------------------------------------------------------------------


def test_every_kind_of_state_is_the_keys_own(session: nu.Session) -> None:
    class Kinds(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            # Read once: the same objects show every key's values.
            self.__dict__.setdefault("seen", ctx.get_state(SEEN))
            name = str(record.v)
            if name not in self.seen:
                self.seen[name] = 0
            self.seen[name] += 1
            ctx.get_state(NUMBERS).add(record.v)

        def end_input(self, ctx: Any) -> None:
            def emit(collector: Any, context: Any) -> None:
                key = context.get_current_key()
                seen = sorted(context.get_state(SEEN).items())
                collector.collect((key, str(seen), list(context.get_state(NUMBERS))))

            ctx.apply_to_all_partitions(emit)

        def uses_states(self) -> Any:
            return [SEEN, NUMBERS]

    data = [("a", 1), (None, 2), ("b", 3), ("a", 1), (None, 4)]
    rows = session.spark.createDataFrame(data, "k string, v int").repartition(2)
    out = rows.transform(nu.process(Kinds, "k", "k string, seen string, all array<int>"))
    found = {key: (seen, sorted(every)) for key, seen, every in values(out)}
    assert found == {
        "a": ("[('1', 2)]", [1, 1]),
        "b": ("[('3', 1)]", [3]),
        None: ("[('2', 1), ('4', 1)]", [2, 4]),
    }


def test_keys_are_equal_where_sql_says_so(session: nu.Session) -> None:
    data = [(float("nan"), 1), (float("nan"), 2), (0.0, 3), (1.5, 4)]
    rows = session.spark.createDataFrame(data, "a double, b int")
    once = rows.transform(nu.process(Counter, key_by=["a", F.col("b") % 1]))
    assert sorted(values(once)) == [1, 1, 1, 2]
    with pytest.raises(nu.PlanningError, match="cannot be keyed by"):
        rows.withColumn("m", F.create_map("b", "b")).transform(nu.process(Counter, "m"))


@settings(max_examples=4, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-5, 5)), max_size=30))
def test_running_totals_equal_a_plain_loop(session: nu.Session, data: list[Any]) -> None:
    class Total(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            state = ctx.get_state(COUNT)
            state.update((state.value() or 0) + record.v)
            output.collect((record.k, state.value()))

        def uses_states(self) -> Any:
            return [COUNT]

    totals: dict[int, int] = {}
    expected = []
    for k, v in data:
        totals[k] = totals.get(k, 0) + v
        expected.append((k, totals[k]))
    rows = session.spark.createDataFrame(data, "k int, v int")
    found = values(rows.transform(nu.process(Total, "k", "k int, total bigint")))
    for key in totals:
        assert [r for r in found if r[0] == key] == [r for r in expected if r[0] == key]
    last = values(rows.transform(nu.process(nu.idempotence(Total), "k", "k int, total bigint")))
    # A consumer that keeps the last of each key sees the same.
    assert dict(last) == totals
    assert len(last) == len(totals)


# --- chains ----------------------------------------------------------------------------------


class Double(OneInputStreamProcessFunction[int, int]):
    def process_record(self, record: int, output: Collector[int], ctx: Any) -> None:
        output.collect(record * 2)


class OddTwice(OneInputStreamProcessFunction[int, int]):
    def process_record(self, record: int, output: Collector[int], ctx: Any) -> None:
        for _ in range(record % 3):
            output.collect(record + 1)


class Sum(OneInputStreamProcessFunction[int, int]):
    def process_record(self, record: int, output: Collector[int], ctx: Any) -> None:
        state = ctx.get_state(COUNT)
        state.update((state.value() or 0) + record)

    def end_input(self, ctx: Any) -> None:
        total = ctx.get_state(COUNT).value()
        ctx.apply_to_all_partitions(lambda collector, _: collector.collect(total or 0))

    def uses_states(self) -> Any:
        return [COUNT]


STEPS = [Double, OddTwice, Sum, SortPartition]
ATTRIBUTES = [nu.not_cache_record, nu.no_output_until_end_of_input]


def with_attributes(cls: type, which: list[Any]) -> type:
    made = type(cls.__name__, (cls,), {})
    for attribute in which:
        made = attribute(made)
    return made


@settings(max_examples=6, deadline=None)
@given(
    st.lists(st.integers(-9, 9), max_size=20),
    st.lists(
        st.tuples(st.sampled_from(STEPS), st.lists(st.sampled_from(ATTRIBUTES), max_size=2)),
        min_size=1,
        max_size=4,
    ),
)
def test_chained_or_not_and_with_attributes_or_not_the_results_are_the_same(
    session: nu.Session, data: list[int], steps: list[Any]
) -> None:
    chained = attributed = unchained = numbers(session, *data)
    for step, attributes in steps:
        chained = chained.transform(nu.process(step))
        attributed = attributed.transform(nu.process(with_attributes(step, attributes)))
        unchained = unchained.transform(nu.process(step)).select("*")
    plan = unchained._jdf.queryExecution().analyzed().toString()
    # In workers, and in the JVM.
    assert plan.count("MapInArrow") + plan.count("Generate inline") == len(steps), plan
    assert values(chained) == values(unchained) == values(attributed)


class Fields(NamedTuple):
    a: int
    b: float
    c: str


RECORDS = st.tuples(
    st.integers(-(2**63), 2**63 - 1) | st.none(),
    st.floats(allow_nan=False) | st.integers(-5, 5) | st.none(),
    st.text(st.characters(codec="utf-8"), max_size=3) | st.none(),
)


@settings(max_examples=5, deadline=None)
@given(st.lists(RECORDS, max_size=8), st.sampled_from(["tuple", "dict", "row", "class"]))
def test_records_between_two_functions_are_what_columns_would_make_of_them(
    session: nu.Session, data: list[Any], form: str
) -> None:
    class Gives(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            for each in data:
                made: Any = each
                if form == "dict":
                    made = dict(zip("abc", each, strict=True))
                elif form == "row":
                    made = nu.Row(**dict(zip("abc", each, strict=True)))
                elif form == "class":
                    made = Fields(*each)
                output.collect(made)

    shows = nu.process(collecting(repr), output_type="string")
    given_rows = numbers(session, 1).transform(
        nu.process(Gives, None, "a bigint, b double, c string")
    )
    assert values(given_rows.transform(shows)) == values(given_rows.select("*").transform(shows))


@pytest.mark.parametrize(
    ("output_type", "value", "annotation"),
    [
        ("float", 0.1, float),
        ("decimal(10,2)", Decimal("1.5"), Decimal),
        ("timestamp", dt.datetime(2024, 5, 1, 12), dt.datetime),
        ("array<int>", [1, 2], list[int]),
        ("date", dt.date(2024, 5, 1), dt.date),
        ("binary", b"x", bytes),
        ("boolean", True, bool),
        ("smallint", 7, int | None),
    ],
)
def test_every_type_is_the_same_behind_a_chain(
    session: nu.Session, output_type: str, value: Any, annotation: Any
) -> None:
    first = nu.process(collecting(lambda record, v=value: copy.copy(v)), output_type=output_type)
    shows = nu.process(collecting(repr, annotation), output_type="string")
    rows = numbers(session, 1).transform(first)
    assert values(rows.transform(shows)) == values(rows.select("*").transform(shows))


def test_a_chain_may_branch(session: nu.Session) -> None:
    doubled = numbers(session, 1, 2).transform(nu.process(Double))
    assert values(doubled.transform(nu.process(Double))) == [4, 8]
    assert values(doubled.transform(nu.process(Sum))) == [6]
    assert values(doubled) == [2, 4]


def test_an_unkeyed_function_chains_behind_a_keyed_one(session: nu.Session) -> None:
    rows = session.spark.range(0, 10, 1, 2).select((F.col("id") % 2).alias("k"), "id")
    chain = rows.transform(nu.process(Counter, "k")).transform(nu.process(Double))
    plan = chain._jdf.queryExecution().executedPlan().toString()
    assert plan.count("MapInArrow") == 1
    assert sorted(values(chain)) == sorted([2, 4, 6, 8, 10] * 2)


# --- one shuffle -----------------------------------------------------------------------------


class Twice(OneInputStreamProcessFunction):
    """Collects each record twice, with how many of its key there were."""

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        state = ctx.get_state(COUNT)
        state.update((state.value() or 0) + 1)
        for _ in range(2):
            output.collect((record.k, state.value()))

    def end_input(self, ctx: Any) -> None:
        def emit(collector: Any, context: Any) -> None:
            collector.collect((context.get_current_key(), -1))

        ctx.apply_to_all_partitions(emit)

    def uses_states(self) -> Any:
        return [COUNT]


def test_the_same_keys_are_shuffled_once(session: nu.Session) -> None:
    data = [("a", 1), ("b", 1), (None, 1), ("a", 1), ("c", 1)]
    rows = session.spark.createDataFrame(data, "k string, n bigint")
    for attribute in (lambda cls: cls, nu.idempotence):
        step = nu.process(attribute(type("Twice", (Twice,), {})), "k", "k string, n bigint")
        chained = rows.transform(step).transform(step).transform(step)
        plan = chained._jdf.queryExecution().executedPlan().toString()
        assert plan.count("Exchange hashpartitioning") == plan.count("MapInArrow") == 1
        apart = rows.transform(step).select("*").transform(step).select("*").transform(step)
        for key in ("a", "b", "c", None):
            ours, theirs = ([r[1] for r in values(f) if r[0] == key] for f in (chained, apart))
            # With the attribute a consumer that keeps the last of each key sees the same.
            assert ours[-1] == theirs[-1]
            assert attribute is nu.idempotence or ours == theirs
    other = rows.transform(step).transform(nu.process(Twice, F.upper("k"), "k string, n bigint"))
    assert other._jdf.queryExecution().executedPlan().toString().count("MapInArrow") == 2


def test_another_key_behind_the_same_keys_is_refused(session: nu.Session) -> None:
    rows = session.spark.createDataFrame([("a", 1.0), ("b", float("nan"))], "k string, x double")
    moves = nu.process(collecting(lambda r: (r.k + "!", r.x)), ["k", "x"], rows.schema)
    stays = nu.process(collecting(lambda r: (r.k, r.x)), ["k", "x"], rows.schema)
    assert len(values(rows.transform(stays).transform(stays))) == 2
    with pytest.raises(nu.NotebookUdfError, match="collects a record of another key than its own"):
        rows.transform(moves).transform(stays).collect()
    apart = rows.transform(moves).select("*").transform(stays)
    assert sorted(row[0] for row in values(apart)) == ["a!", "b!"]


# --- attributes ------------------------------------------------------------------------------


def test_what_stands_behind_no_output_is_opened_at_the_end(
    session: nu.Session, tmp_path: Any
) -> None:
    path = str(tmp_path / "journal")

    def note(text: str) -> None:
        with open(path, "a") as file:
            file.write(text + "\n")

    class Noting(OneInputStreamProcessFunction):
        def __init__(self, name: str) -> None:
            self.name = name

        def open(self, function_context: Any) -> None:
            note(f"open {self.name}")

        def process_record(self, record: int, output: Collector[int], ctx: Any) -> None:
            note(f"{self.name} {record}")
            output.collect(record)

        def end_input(self, ctx: Any) -> None:
            note(f"end {self.name}")

        def close(self) -> None:
            note(f"close {self.name}")

    late = type("Late", (Noting,), {})
    nu.no_output_until_end_of_input(late)
    rows = numbers(session, 1, 2)
    for function in (Noting("a"), late("b"), Noting("c")):
        rows = rows.transform(nu.process(function))
    assert "c" not in rows.columns
    assert values(rows) == [1, 2]
    with open(path) as file:
        told = file.read().split("\n")[:-1]
    assert told == [
        "open a", "open b", "a 1", "b 1", "a 2", "b 2", "end a", "end b",
        "open c", "c 1", "c 2", "end c", "close c", "close b", "close a",
    ]  # fmt: skip
    plan = rows._jdf.queryExecution().toString()
    assert "Late [output at the end of the input]" in plan
    assert "Noting [opened at the end of the input]" in plan


def test_no_output_is_refused_on_a_stream(session: nu.Session, tmp_path: Any) -> None:
    rows = session.spark.readStream.schema("x bigint").json(str(tmp_path))
    with pytest.raises(nu.PlanningError, match="Late is declared @no_output_until_end_of_input"):
        rows.transform(nu.process(with_attributes(type("Late", (Double,), {}), [ATTRIBUTES[1]])))


def test_explain_says_what_each_attribute_buys(session: nu.Session) -> None:
    @nu.idempotence
    @nu.not_cache_record
    @nu.no_output_until_end_of_input
    class Everything(Counter):
        pass

    record = session.register_function("everything", Everything)
    text = record.explain()
    for part in (
        "opened only when its input has ended",
        "only the last",
        "without a copy",
        "count (value of bigint)",
    ):
        assert part in text
    assert "without a copy" not in session.register_function("plain", Counter).explain()


def test_the_plan_shows_the_chain_and_what_each_attribute_bought(session: nu.Session) -> None:
    @nu.idempotence
    class Last(Twice):
        pass

    rows = session.spark.createDataFrame([("a", 1)], "k string, n bigint")
    step = nu.process(Last, "k", "k string, n bigint")
    lets = nu.process(with_attributes(collecting(lambda r: r), ATTRIBUTES[:1]), None, rows.schema)
    for function in (step, step, lets, lets):
        rows = rows.transform(function)
    node = session.plan(rows).to_dict()["root"]
    assert node["name"] == "MapInArrow"
    assert [(use["name"], use["role"], use["way"]) for use in node["functions"]] == [
        ("Last", "process", "last output per key"),
        ("Last", "process", "by the same keys, without another shuffle; last output per key"),
        ("Collecting", "process", "in the pass of the function before it"),
        ("Collecting", "process", "in the pass of the function before it; records reused"),
    ]
    assert "Last [last output per key]; Last [by the same keys" in str(session.plan(rows))


def test_attributes_belong_to_the_class_they_stand_on(session: nu.Session) -> None:
    marked = nu.idempotence(type("Marked", (Double,), {}))
    rows = numbers(session, 1, 2, 3)
    assert values(rows.transform(nu.process(marked))) == [6]
    assert values(rows.transform(nu.process(type("Derived", (marked,), {})))) == [2, 4, 6]
    with pytest.raises(nu.DeclarationError, match="stands on a class derived from"):
        nu.idempotence(int)


# --- registered functions --------------------------------------------------------------------


def test_a_registered_function_is_processed_tried_and_evaluated(session: nu.Session) -> None:
    record = session.register_function("doubles", Double)
    assert record.kind == "process"
    assert values(numbers(session, 4).transform(nu.process(session.functions["doubles"]))) == [8]
    assert record.eval([1, 2]) == [2, 4]
    assert list(record.try_(numbers(session, 1, 2)).to_pandas()["value"]) == [2, 4]
    counter = session.register_function("counter", Counter)
    assert counter.eval([1, 2, 3], key_by=lambda x: x % 2) == [1, 1, 2]
    assert session.register_function("sorter", SortPartition, kind="process").eval([2, 1]) == [1, 2]
    text = nu.process(record, output_type="string")
    with pytest.raises(nu.ResultError, match="STRING"):
        numbers(session, 1).transform(text).collect()
    with pytest.raises(nu.PlanningError, match=r"df\.transform\(nu\.process\(doubles\)\)"):
        record("x")


# --- errors ----------------------------------------------------------------------------------


def test_a_record_that_fails_is_shown_with_its_place_in_the_chain(session: nu.Session) -> None:
    def check(record: Any) -> Any:
        if record.v == 3:
            raise ValueError("three")
        return record.v

    class Checks(collecting(check)):  # type: ignore[misc]
        pass

    rows = session.spark.createDataFrame([(1, "a"), (3, "b")], "v bigint, k string").coalesce(1)
    echo = nu.process(collecting(lambda r: (r.v, r.k)), "k", "v bigint, k string")
    last = nu.process(Checks, output_type="bigint")
    with pytest.raises(nu.UserFunctionError) as caught:
        rows.transform(echo).transform(last).collect()
    failed = caught.value.failed
    assert failed is not None
    assert failed.headline == "Checks: ValueError: three"
    assert failed.arguments == (("record", "Row(v=3, k='b')"),)
    assert failed.group == (("k", "'b'"),)
    assert failed.chain == "step 2 of the chain Collecting → Checks"
    assert "step 2 of the chain" in str(caught.value)
    assert [frame.name for frame in failed.frames][-1] == "check"
    session.register_function("Checks", Checks, output_type="bigint")
    with pytest.raises(ValueError, match="three"):
        session.replay("Checks", caught.value)


def test_a_failure_cannot_be_swallowed_by_the_function_before(session: nu.Session) -> None:
    class Swallows(OneInputStreamProcessFunction[int, int]):
        def process_record(self, record: int, output: Any, ctx: Any) -> None:
            with contextlib.suppress(Exception):
                output.collect(record)

    def refuse(record: Any) -> Any:
        raise ValueError("not swallowed")

    chain = numbers(session, 1, 2).transform(nu.process(Swallows))
    with pytest.raises(nu.UserFunctionError, match="not swallowed"):
        chain.transform(nu.process(collecting(refuse), output_type=int)).collect()


@pytest.mark.parametrize("chained", [True, False])
def test_a_value_of_the_wrong_type_is_named(session: nu.Session, chained: bool) -> None:
    wrong = nu.process(collecting(lambda x: f"<{x}>", int), output_type="bigint")
    rows = numbers(session, 5).transform(wrong)
    if chained:
        rows = rows.transform(nu.process(Double))
    with pytest.raises(nu.ResultError, match=r"Collecting returned '<5>' \(str\), which BIGINT"):
        rows.collect()


def test_states_have_to_be_declared_once(session: nu.Session) -> None:
    class Twice(Counter):
        def uses_states(self) -> Any:
            return [COUNT, StateDeclarations.list_state("count", int)]

    with pytest.raises(nu.DeclarationError, match="Twice declares the state 'count' twice"):
        nu.process(Twice)

    class Never(Counter):
        def uses_states(self) -> Any:
            return [NUMBERS]

    with pytest.raises(nu.NotebookUdfError, match="value state 'count' is not declared"):
        session.spark.range(1).transform(nu.process(Never, "id")).collect()

    class Outside(SortPartition):
        pass

    with pytest.raises(nu.NotebookUdfError, match="apply_to_all_partitions"):
        numbers(session, 1).transform(nu.process(Outside, "x")).collect()


def test_what_cannot_be_a_process_function_is_refused(session: nu.Session) -> None:
    class Yields(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> Any:
            yield record

    class Returns(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any, ctx: Any) -> Any:
            return record

    class Short(OneInputStreamProcessFunction):
        def process_record(self, record: Any, output: Any) -> Any:  # type: ignore[override]
            return record

    with pytest.raises(nu.DeclarationError, match=r"output\.collect\(record\) instead"):
        nu.process(Yields, output_type=int)
    with pytest.raises(nu.DeclarationError, match="is called with"):
        nu.process(Short, output_type=int)
    with pytest.raises(nu.DeclarationError, match="the type of what Returns collects is not known"):
        nu.process(Returns)
    with pytest.raises(nu.PlanningError, match="takes a OneInputStreamProcessFunction"):
        nu.process(len)
    with pytest.raises(nu.DeclarationError, match=r"returned Row\(x=1\): give records to"):
        numbers(session, 1).transform(nu.process(Returns, output_type=int)).collect()


def test_a_record_that_takes_too_long_is_stopped(session: nu.Session) -> None:
    def stuck(record: int) -> int:
        while record == 2:
            pass
        return record

    record = session.register_function(
        "stuck", collecting(stuck, int), output_type="bigint", timeout="300ms"
    )
    with pytest.raises(nu.FunctionTimeout) as caught:
        numbers(session, 1, 2).transform(nu.process(record)).collect()
    assert caught.value.function == "stuck"
    assert "pass of its own" in record.explain()


def test_a_failing_record_may_be_let_go_or_kept(session: nu.Session) -> None:
    def invert(record: int) -> float:
        return 1 / record

    for on_error in ("null", "quarantine"):
        name = f"inverts_{on_error}"
        record = session.register_function(
            name, collecting(invert, int), output_type="double", on_error=on_error
        )
        assert values(numbers(session, 1, 0, 2).transform(nu.process(record))) == [1.0, 0.5]
    kept = session.errors("inverts_quarantine").collect()
    assert [(row.record, row.error) for row in kept] == [(0, "ZeroDivisionError")]
