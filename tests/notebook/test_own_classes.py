"""Objects of classes that a cell defines, wherever functions keep them or hand them on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]

CLASSES = """
import enum, dataclasses
from typing import NamedTuple

class Colour(enum.Enum):
    RED = 1
    BLUE = 2

class Point(NamedTuple):
    x: int
    y: int

@dataclasses.dataclass(frozen=True)
class Key:
    name: str

class Plain:
    def __init__(self):
        self.seen = []

class Slotted:
    __slots__ = ("count", "last")
    def __init__(self):
        self.count, self.last = 0, None

@dataclasses.dataclass
class Acc:
    total: int = 0
    colour: Colour = Colour.RED
    point: Point = Point(0, 0)
    plain: Plain = dataclasses.field(default_factory=Plain)
    slotted: Slotted = dataclasses.field(default_factory=Slotted)
    view: nu.MapView = dataclasses.field(default_factory=nu.MapView)

class Mean(nu.AggregateFunction):
    def create_accumulator(self):
        return Acc()

    def accumulate(self, acc, value):
        acc.total += value
        acc.colour = Colour.BLUE if acc.colour is Colour.RED else Colour.RED
        acc.point = Point(acc.point.x + 1, value)
        acc.plain.seen.append(value)
        acc.slotted.count += 1
        key = Key(str(value))
        acc.view.put(key, (acc.view.get(key) if key in acc.view else 0) + 1)

    def merge(self, acc, others):
        for other in others:
            for value in other.plain.seen:
                self.accumulate(acc, value)

    def get_value(self, acc):
        assert isinstance(acc, Acc) and isinstance(acc.plain, Plain)
        assert acc.colour is (Colour.BLUE if acc.slotted.count % 2 else Colour.RED)
        assert len(acc.plain.seen) == acc.point.x == acc.slotted.count
        assert sum(acc.view.values()) == acc.slotted.count
        return f"{acc.total} of {acc.slotted.count}, {len(list(acc.view.keys()))} keys"

session.register_function("own_mean", nu.udaf(Mean(), result_type="string"), replace=True)
"""


@pytest.fixture
def own(cell: Cell) -> Cell:
    ran = cell(CLASSES)
    assert ran.ok, ran.errors
    return cell


def printed(cell: Cell, code: str) -> str:
    ran = cell(code)
    assert ran.ok, ran.errors
    return ran.stream().strip()


def test_between_workers(own: Cell) -> None:
    query = "SELECT id % 2, own_mean(id % 5) FROM range(0, 20, 1, 4) GROUP BY 1 ORDER BY 1"
    rows = printed(own, f'print([tuple(r) for r in session.sql("{query}").collect()])')
    assert rows == str([(0, "20 of 10, 5 keys"), (1, "20 of 10, 5 keys")])
    over = "SELECT max(m) FROM (SELECT own_mean(id) OVER (ORDER BY id) AS m FROM range(9))"
    assert "9 of" not in printed(own, f'print(session.sql("{over}").collect())')
    table = """
rows = session.spark.range(0, 20, 1, 4).selectExpr("id % 2 AS k", "id % 5 AS v")
made = rows.transform(nu.aggregate("k", m=session.functions["own_mean"]("v")))
print(sorted(tuple(r) for r in made.collect()))
"""
    assert printed(own, table) == str([(0, "20 of 10, 5 keys"), (1, "20 of 10, 5 keys")])


STREAM = """
import pathlib
folder = pathlib.Path({folder!r})
schema = "k string, v bigint"
(folder / "source").mkdir(exist_ok=True)

def put(name, *rows):
    frame = session.spark.createDataFrame(list(rows), schema)
    frame.coalesce(1).write.mode("append").json(str(folder / "source"))

def begin():
    source = session.spark.readStream.schema(schema).json(str(folder / "source"))
    made = source.transform(nu.aggregate("k", m=session.functions["own_mean"]("v")))
    writer = made.writeStream.foreachBatch(lambda rows, batch: found.extend(rows.collect()))
    writer = writer.outputMode("update").option("checkpointLocation", str(folder / "checkpoint"))
    return writer.start()

found = []
query = begin()
put("one", ("a", 1), ("b", 2))
query.processAllAvailable()
"""


def test_a_class_redefined_while_a_query_runs(own: Cell, tmp_path: Path) -> None:
    ran = own(STREAM.format(folder=str(tmp_path)))
    assert ran.ok, ran.errors
    # The running query keeps the classes that it began with.
    again = CLASSES.replace("total: int = 0", "total: int = 1000")
    more = 'put("two", ("a", 3))\nquery.processAllAvailable()\n'
    shown = "print(sorted(tuple(r) for r in found)); query.stop()"
    ran = own(again)
    assert ran.ok, ran.errors
    both = 'print(session.sql("SELECT own_mean(id) FROM range(0, 4, 1, 2)").collect()[0][0])'
    assert printed(own, both) == "1006 of 4, 4 keys"
    assert printed(own, more + shown) == str(
        [("a", "1 of 1, 1 keys"), ("a", "4 of 2, 2 keys"), ("b", "2 of 1, 1 keys")]
    )
    state = f"print(session.state({str(tmp_path / 'checkpoint')!r}).to_dict())"
    seen = printed(own, state)
    assert "Acc(total=4" in seen
    assert "Colour.BLUE" in seen


@pytest.fixture
def restarted(tmp_path: Path) -> Iterator[Kernel]:
    kernel = Kernel(tmp_path)
    begun = kernel.run(
        "%load_ext notebook_udf\nimport notebook_udf as nu\n"
        "session = nu.session(workers=2)\nsession.live = False"
    )
    assert begun.ok, begun.errors
    yield kernel
    assert kernel.run("session.stop()").ok
    kernel.stop()


def test_a_checkpoint_after_a_restart(own: Cell, restarted: Kernel, tmp_path: Path) -> None:
    first = own(STREAM.format(folder=str(tmp_path)) + "query.stop()")
    assert first.ok, first.errors
    # Nobody has defined the classes here yet: what is kept is shown all the same.
    state = f"print(session.state({str(tmp_path / 'checkpoint')!r}).to_dict())"
    assert "Acc(total=1" in printed(restarted.run, state)
    defined = restarted.run(CLASSES)
    assert defined.ok, defined.errors
    again = STREAM.format(folder=str(tmp_path)).replace('put("one", ("a", 1), ("b", 2))', "")
    code = again + 'put("two", ("a", 3))\nquery.processAllAvailable()\n'
    code += "print(sorted(tuple(r) for r in found)); query.stop()"
    assert printed(restarted.run, code) == str([("a", "4 of 2, 2 keys")])


def test_what_process_functions_keep_and_collect(own: Cell, tmp_path: Path) -> None:
    code = """
@dataclasses.dataclass
class Order:
    number: int
    of: str

@dataclasses.dataclass
class Seen:
    total: int
    last: Order

SEEN = nu.StateDeclarations.value_state("seen", Seen)
ORDERS = nu.StateDeclarations.map_state("orders", str, Order)

class Counting(nu.OneInputStreamProcessFunction):
    def uses_states(self):
        return [SEEN, ORDERS]

    def process_record(self, record, output, ctx):
        orders = ctx.get_state(ORDERS)
        orders[str(record.v)] = Order(record.v, record.k)
        seen = ctx.get_state(SEEN)
        before = seen.value()
        total = record.v + (before.total if before is not None else 0)
        assert before is None or isinstance(before.last, Order)
        seen.update(Seen(total, orders[str(record.v)]))
        assert all(isinstance(order, Order) for order in orders.values())
        output.collect(Order(total, record.k))

class Naming(nu.OneInputStreamProcessFunction):
    def process_record(self, record: Order, output, ctx):
        assert isinstance(record, Order)
        output.collect((f"{record.of}{record.number}",))

schema = "k string, v bigint"
counting, naming = nu.process(Counting(), "k", Order), nu.process(Naming(), (), "name string")
rows = session.spark.createDataFrame([("a", 1), ("a", 2), ("b", 5)], schema).coalesce(1)
print(sorted(r.name for r in rows.transform(counting).transform(naming).collect()))

source, checkpoint, found = {folder!r} + "/source", {folder!r} + "/checkpoint", []
for batch in range(2):
    rows.write.mode("append").json(source)
    stream = session.spark.readStream.schema(schema).json(source)
    made = stream.transform(counting).transform(naming)
    writer = made.writeStream.foreachBatch(lambda rows, batch: found.extend(rows.collect()))
    query = writer.option("checkpointLocation", checkpoint).start()
    query.processAllAvailable()
    query.stop()
print(sorted(r.name for r in found))
""".replace("{folder!r}", repr(str(tmp_path)))
    assert printed(own, code).split("\n") == [
        "['a1', 'a3', 'b5']",
        "['a1', 'a3', 'a4', 'a6', 'b10', 'b5']",
    ]
