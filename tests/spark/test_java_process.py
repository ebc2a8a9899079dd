"""Process functions without keys in Spark's JVM: each is called there and in a Python worker, and
has to collect the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pyspark.sql import functions as F
from streaming import Stream

import notebook_udf as nu
from notebook_udf import Collector, OneInputStreamProcessFunction

IN_JAVA = "in Spark's JVM, as a class in Java"
ROWS = """
    VALUES (1, 'a b', 1.5D), (2, '', 2D), (3, NULL, 0.25D), (4, 'ü ß 😀', NULL),
    (NULL, 'x y z', -1D), (2147483647, 'one', 1e300D)
    AS t(id, text, price)
"""

CASES: list[tuple[Any, str, str]] = []


def case(columns: str, output_type: str) -> Any:
    """A process function, the columns that it gets, and what it collects."""

    def add(cls: Any) -> Any:
        CASES.append((cls, columns, output_type))
        return cls

    return add


class Function(OneInputStreamProcessFunction):
    pass


@case("id, text", "id int, word string")
class Words(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        if record.text is None:
            return
        for word in record.text.split():
            output.collect((record.id, word))


@case("*", "id int, text string, price double")
class Filters(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        if record.price is not None and record.price > 1:
            output.collect(record)


@case("*", "id int, text string, price double")
class Changes(Function):
    def __init__(self) -> None:
        self.rate = 1.19

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        if record.price is None:
            record.price = 0.0
        else:
            record.price *= self.rate
        record.text = self.cleaned(record.text)
        output.collect(record)

    def cleaned(self, text: str | None) -> str:
        return (text or "-").upper()


@case("text", "string")
class BareValues(Function):
    def process_record(self, record: str, output: Any, ctx: Any) -> None:
        if record:
            output.collect(record[::-1])
            output.collect(record)


@case("id", "bigint")
class Alias(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        collect = output.collect
        if record.id is not None:
            for i in range(3):
                collect(record.id + i)


@case("id, text", "text string, id int")
class AsDicts(Function):
    def process_record(self, record: dict[str, Any], output: Any, ctx: Any) -> None:
        output.collect({"id": record["id"], "text": record.get("text")})


@dataclass
class Item:
    id: int
    text: str


@case("id, text, price", "id int, text string")
class AsObjects(Function):
    def process_record(self, record: Item, output: Collector[Item], ctx: Any) -> None:
        output.collect(Item(record.id, f"{record.text}!"))
        output.collect(record)


@case("id, text, price", "id int, text string")
class SetsAField(Function):
    def process_record(self, record: Item, output: Collector[Item], ctx: Any) -> None:
        if record.text is not None and "b" in record.text:
            record.text = record.text[:1]
        record.id = 7
        output.collect(record)


class Pair(NamedTuple):
    id: int
    price: float


@case("id, price", "id int, price double")
class AsTuples(Function):
    def process_record(self, record: Pair, output: Any, ctx: Any) -> None:
        key, price = record
        if key is not None and price is not None:
            output.collect(Pair(key, price / 2))


@case("text", "array<string>")
class Lists(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        output.collect([] if record.text is None else record.text.split())


@case("*", "id int, word string")
class FromATry(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        try:
            word = record.text.split()[1]
        except (AttributeError, IndexError):
            word = None
        output.collect(nu.Row(id=record.id, word=word))


def collected(session: nu.Session, function: Any, columns: str) -> list[Any]:
    rows = session.spark.sql(f"SELECT {columns} FROM {ROWS}").coalesce(1)
    return [tuple(row) for row in rows.transform(nu.process(function)).collect()]


def way(session: nu.Session, rows: Any) -> dict[str, str]:
    plan = session.plan(rows).plan
    return {use.name: use.way for node in plan.root.walk() for use in node.functions}


@pytest.mark.parametrize(("cls", "columns", "output_type"), CASES)
def test_java_collects_what_a_worker_collects(
    session: nu.Session, cls: Any, columns: str, output_type: str
) -> None:
    in_java = session.register_function("in_java", cls, output_type=output_type)
    in_worker = session.register_function("in_worker", cls, output_type=output_type, compile=False)
    found = collected(session, in_java, columns)
    assert found == collected(session, in_worker, columns)
    assert found
    rows = session.spark.sql(f"SELECT {columns} FROM {ROWS}")
    made = rows.transform(nu.process(in_java))
    assert way(session, made) == {"in_java": IN_JAVA}
    assert "Spark takes apart the list of rows" in " ".join(repr(session.plan(made)).split())
    assert "without key_by, in Spark's JVM where it is called with" in in_java.explain()


class Largest(Function):
    def __init__(self) -> None:
        self.largest = 0

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        if record.id > self.largest:
            self.largest = record.id
            output.collect(record.id)


class Ending(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        output.collect(record.id)

    def end_input(self, ctx: Any) -> None:
        ctx.apply_to_all_partitions(lambda output, _: output.collect(0))


class Endless(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        for i in range(record.id):
            output.collect(i)


class Counts(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        ctx.get_metric_group().counter("seen").inc()
        output.collect(record.id)


@nu.idempotence
class Last(Function):
    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        output.collect(record.id)


@pytest.mark.parametrize(
    ("cls", "why"),
    [
        (Largest, "which is set in an object that other rows see"),
        (Ending, "it is no plain function"),
        (Endless, "rows from a range of any length"),
        (Counts, "get_metric_group"),
        (Last, "what it collects does not leave record by record"),
    ],
)
def test_what_does_more_than_collect_stays_in_a_worker(
    session: nu.Session, cls: Any, why: str
) -> None:
    record = session.register_function("more", cls, output_type="int")
    rows = session.spark.range(1, 4, 1, 1).select(F.col("id").cast("int"))
    made = rows.transform(nu.process(record))
    assert made.collect()
    assert way(session, made)["more"] != IN_JAVA
    assert why in record.explain()


def test_a_chain_runs_in_java_up_to_the_first_that_does_not(session: nu.Session) -> None:
    words = session.register_function("words", Words, output_type="id int, word string")
    largest = session.register_function("largest", Largest, output_type="int")
    rows = session.spark.sql(f"SELECT id, text FROM {ROWS} WHERE id < 100").coalesce(1)
    split = rows.transform(nu.process(words))
    made = split.transform(nu.process(largest))
    assert [row.value for row in made.collect()] == [1, 4]
    assert way(session, made)["words"] == IN_JAVA
    assert way(session, made)["largest"] != IN_JAVA
    bare = split.select("word").transform(nu.process(BareValues, output_type="string"))
    again = bare.transform(nu.process(BareValues, output_type="string")).collect()
    assert [row.value for row in again][:4] == ["a", "a", "a", "a"]


def test_keys_keep_it_in_a_worker(session: nu.Session) -> None:
    words = session.register_function("words", Words, output_type="id int, word string")
    rows = session.spark.sql(f"SELECT id, text FROM {ROWS}")
    made = rows.transform(nu.process(words, key_by="id"))
    assert len(made.collect()) == 9
    assert way(session, made)["words"] != IN_JAVA


def test_a_record_that_raises_is_told_and_replayed(session: nu.Session) -> None:
    class Divides(Function):
        def process_record(self, record: Any, output: Any, ctx: Any) -> None:
            output.collect(10 // record.id)

    record = session.register_function("divides", Divides, output_type="int")
    rows = session.spark.sql("SELECT * FROM VALUES (2), (0) AS t(id)")
    with pytest.raises(nu.UserFunctionError, match="ZeroDivisionError") as caught:
        rows.transform(nu.process(record)).collect()
    failed = caught.value.failed
    assert failed is not None
    assert failed.arguments == (("record", "Row(id=0)"),)
    assert failed.frames[-1].text == "output.collect(10 // record.id)"
    with pytest.raises(ZeroDivisionError):
        session.replay("divides")


def test_rows_are_counted(session: nu.Session) -> None:
    record = session.register_function("counted_words", Words, output_type="id int, word string")
    collected(session, record, "id, text")
    (total,) = [each for each in session.metrics().totals if each.function == "counted_words"]
    assert (total.rows_in, total.rows_out) == (6, 9)


def test_it_runs_on_streams(session: nu.Session, tmp_path: Path) -> None:
    record = session.register_function("words", Words, output_type="id int, word string")
    stream = Stream(session.spark, tmp_path, "id int, text string")
    stream.put([(1, "a b")], [(2, "c"), (3, None)])
    rows = stream.rows.transform(nu.process(record))
    assert stream.run(rows) == [[(1, "a"), (1, "b")], [(2, "c")]]


def test_what_a_notebook_has_defined_stays_what_it_is(session: nu.Session) -> None:
    @dataclass
    class Order:
        id: int

        def doubled(self) -> int:
            return 2 * self.id

    class Doubles(Function):
        def process_record(self, record: Order, output: Any, ctx: Any) -> None:
            output.collect(Order(10 // record.id).doubled())

    class Tripled(nu.ScalarFunction):
        def eval(self, x: int) -> int:
            return Order(3 * x).doubled()

    own = {kind: dict(vars(kind)) for kind in (Order, Doubles, Tripled)}
    record = session.register_function("doubles", Doubles, output_type="bigint")
    session.register_function("tripled", nu.udf(Tripled(), "bigint", "bigint"))
    rows = session.spark.sql("SELECT * FROM VALUES (2), (5) AS t(id)")
    assert [row.value for row in rows.transform(nu.process(record)).collect()] == [10, 4]
    assert session.sql("SELECT tripled(2) AS y").collect() == [(12,)]
    with pytest.raises(nu.UserFunctionError):
        session.spark.sql("SELECT 0 AS id").transform(nu.process(record)).collect()
    assert {kind: {n: vars(kind)[n] for n in names} for kind, names in own.items()} == own
