"""Classes without a base class of ours: their methods say what they are, on every way in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cells import in_a_cell
from pyspark.sql import functions as F
from streaming import Stream, last

import notebook_udf as nu
from notebook_udf import udaf, udf, udtaf, udtf
from notebook_udf.kernel.kinds import declare

PLAIN = """
class Square:
    def __init__(self, power: int = 2):
        self.power = power
    def open(self, function_context):
        self.offset = int(function_context.get_job_parameter("offset", "0"))
    def eval(self, x: int) -> int:
        return x ** self.power + self.offset
"""
SLOTTED = """
class Square:
    __slots__ = ("power", "__hidden")
    def __init__(self, power: int = 2):
        self.power = power
        self.__hidden = 0
    def eval(self, x: int) -> int:
        return x ** self.power + self.__hidden
"""
DATACLASS = """
import dataclasses
@dataclasses.dataclass(frozen=True)
class Square:
    power: int = 2
    def eval(self, x: int) -> int:
        return x ** self.power
"""
INHERITED = """
class Power:
    power = 2
    def eval(self, x: int) -> int:
        return x ** self.power
class Square(Power):
    def __init__(self, power: int = 2):
        self.power = power
"""
STATIC = """
class Square:
    def __init__(self, power: int = 2):
        pass
    @staticmethod
    def eval(x: int) -> int:
        return x * x
"""
HALF_DERIVED = """
from notebook_udf.functions.base import UserDefinedFunction
class Square(UserDefinedFunction):
    def __init__(self, power: int = 2):
        self.power = power
    def eval(self, x: int) -> int:
        return x ** self.power
"""
SCALARS = {
    "plain": PLAIN,
    "slots": SLOTTED,
    "dataclass": DATACLASS,
    "inherited": INHERITED,
    "static": STATIC,
    "half derived": HALF_DERIVED,
}


@pytest.mark.parametrize("source", SCALARS.values(), ids=SCALARS)
@pytest.mark.parametrize("way", ["class", "instance", "udf", "udf of an instance"])
def test_an_eval_makes_a_scalar_function(session: nu.Session, source: str, way: str) -> None:
    cls = in_a_cell(source)["Square"]
    given = cls(2) if "instance" in way else cls
    record = session.register_function("square", udf(given) if "udf" in way else given)
    assert (record.kind, record.definition.name) == ("scalar", "Square")
    assert "eval" in record.source
    assert session.sql("SELECT sum(square(id)) FROM range(4)").first()[0] == 14
    assert record.eval(5) == 25
    # The user's own class and instance stay what they were.
    assert not issubclass(cls, nu.ScalarFunction)
    assert given is cls or type(given) is cls


def test_what_an_instance_holds_comes_along(session: nu.Session) -> None:
    for source in (PLAIN, SLOTTED, DATACLASS, HALF_DERIVED):
        cube = in_a_cell(source)["Square"](3)
        session.register_function("cube", cube)
        assert session.sql("SELECT sum(cube(id)) FROM range(4)").first()[0] == 36


ASYNC = """
import asyncio
class Fetch:
    async def open(self, function_context):
        self.base = 100
    async def eval(self, x: int) -> int:
        await asyncio.sleep(0)
        return self.base + x
    async def close(self):
        self.base = None
"""


def test_an_async_eval_makes_an_async_function(session: nu.Session) -> None:
    cls = in_a_cell(ASYNC)["Fetch"]
    for given in (cls, cls(), udf(cls, buffer_capacity=3)):
        record = session.register_function("fetch", given)
        assert record.kind == "async"
        assert session.sql("SELECT sum(fetch(id)) FROM range(4)").first()[0] == 406
        assert record.eval(1) == 101


YIELDS = """
from collections.abc import Iterator
class Split:
    def eval(self, text: str) -> Iterator[str]:
        yield from text.split()
"""
YIELDS_UNTYPED = """
class Split:
    def eval(self, text):
        for word in text.split():
            yield word,
"""
LISTS = """
from collections.abc import Iterable
class Split:
    def eval(self, text: str) -> Iterable[str]:
        return text.split()
"""
RETURNS = """
class Split:
    def eval(self, text: str):
        return text.split()
"""


@pytest.mark.parametrize(
    ("source", "declared"),
    [
        (YIELDS, lambda f: f),
        (YIELDS, udtf),
        (YIELDS, lambda f: udtf(f())),
        (YIELDS_UNTYPED, lambda f: declare(f, result_type="word string")),
        (LISTS, lambda f: f),
        (RETURNS, lambda f: udtf(f, result_types="string")),
        (RETURNS, lambda f: declare(f, kind="table", result_type="string")),
        (RETURNS, lambda f: declare(f(), result_types="string")),
    ],
)
def test_an_eval_that_yields_makes_a_table_function(
    session: nu.Session, source: str, declared: Callable[[Any], Any]
) -> None:
    record = session.register_function("py_split", declared(in_a_cell(source)["Split"]))
    assert record.kind == "table"
    rows = session.sql("SELECT w.a FROM VALUES ('x y'), ('z') AS t(s), LATERAL py_split(s) AS w(a)")
    assert sorted(row.a for row in rows.collect()) == ["x", "y", "z"]


MEAN = """
class Mean:
    def create_accumulator(self):
        return [0, 0]
    def accumulate(self, acc, x: int):
        acc[0] += x
        acc[1] += 1
    def merge(self, acc, others):
        for other in others:
            acc[0] += other[0]
            acc[1] += other[1]
    def retract(self, acc, x: int):
        acc[0] -= x
        acc[1] -= 1
    def get_value(self, acc) -> float | None:
        return acc[0] / acc[1] if acc[1] else None
"""
WITHOUT_MERGE = MEAN.replace("def merge", "def _merge").replace("def retract", "def _retract")


@pytest.mark.parametrize("source", [MEAN, WITHOUT_MERGE])
@pytest.mark.parametrize("declared", [lambda f: f, lambda f: f(), udaf, lambda f: udaf(f())])
def test_accumulate_makes_an_aggregate_function(
    session: nu.Session, source: str, declared: Callable[[Any], Any]
) -> None:
    record = session.register_function("py_mean", declared(in_a_cell(source)["Mean"]))
    assert record.kind == "aggregate"
    assert record.definition.mergeable == record.definition.retractable == (source is MEAN)
    query = (
        "SELECT id % 2 AS k, py_mean(id) AS m, count(*) AS n FROM range(10) GROUP BY 1 ORDER BY 1"
    )
    assert [tuple(row) for row in session.sql(query).collect()] == [(0, 4.0, 5), (1, 5.0, 5)]
    assert session.spark.range(3).agg(record("id")).first()[0] == 1.0
    frame = "ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW"
    sliding = f"SELECT py_mean(id) OVER ({frame}) FROM range(4)"
    assert [row[0] for row in session.sql(sliding).collect()] == [0.0, 0.5, 1.5, 2.5]
    assert record.eval([1, 2]) == 1.5


def test_an_aggregate_function_of_methods_alone_runs_on_a_stream(
    session: nu.Session, tmp_path: Path
) -> None:
    record = session.register_function("py_mean", in_a_cell(MEAN)["Mean"])
    stream = Stream(session.spark, tmp_path, "k string, v bigint")
    stream.put([("a", 1), ("b", 2)], [("a", 3)])
    rows = stream.rows.transform(nu.aggregate(by="k", m=record("v")))
    assert last(stream.run(rows)) == {("a",): (2.0,), ("b",): (2.0,)}


TOP = """
class Top:
    def create_accumulator(self):
        return []
    def accumulate(self, acc, x: int):
        acc.append(x)
    def emit_value(self, acc):
        yield from ((v,) for v in sorted(acc)[-2:])
"""


@pytest.mark.parametrize("declared", [declare, udtaf])
def test_emit_value_makes_a_table_aggregate(
    session: nu.Session, declared: Callable[..., Any]
) -> None:
    definition = declared(in_a_cell(TOP)["Top"], result_type="v bigint")
    assert definition.kind == "table aggregate"
    top = session.register_function("top", definition)
    made = session.spark.range(5).transform(nu.flat_aggregate(top("id")))
    assert sorted(row.v for row in made.collect()) == [3, 4]


PROCESS = """
import notebook_udf as nu
from notebook_udf import Collector, StateDeclarations
COUNT = StateDeclarations.value_state("count", int)
@nu.idempotence
class Count:
    def uses_states(self):
        return [COUNT]
    def process_record(self, record, output: Collector[int], ctx):
        count = ctx.get_state(COUNT)
        count.update((count.value() or 0) + 1)
        output.collect(count.value())
"""


@pytest.mark.parametrize("registered", [True, False])
@pytest.mark.parametrize("instance", [True, False])
def test_process_record_makes_a_process_function(
    session: nu.Session, instance: bool, registered: bool
) -> None:
    cls = in_a_cell(PROCESS)["Count"]
    given = cls() if instance else cls
    if registered:
        given = session.register_function("counted", given)
        assert given.definition.process.attributes.names == ("idempotence",)
    rows = session.spark.range(6).select((F.col("id") % 2).alias("k"), "id").coalesce(1)
    made = rows.transform(nu.process(given, key_by="k"))
    # Of each key the last output alone goes on.
    assert sorted(row.value for row in made.collect()) == [3, 3]


GRACEFUL = """
class Told:
    def __init__(self, folder):
        self.folder = folder
    def eval(self, x: int) -> int:
        return x
    def _note(self, word):
        with open(self.folder + "/told", "a") as file:
            file.write(word + " ")
    def prepare_to_shutdown(self):
        self._note("prepare")
    def shutdown(self):
        self._note("shutdown")
    def close(self):
        self._note("close")
"""


def test_the_methods_of_an_orderly_end_are_called(session: nu.Session, tmp_path: Path) -> None:
    session.register_function("told", in_a_cell(GRACEFUL)["Told"](str(tmp_path)))
    session.sql("SELECT told(id) FROM range(0, 3, 1, 1)").collect()
    assert (tmp_path / "told").read_text() == "prepare shutdown close "


def test_a_module_may_hold_the_class(session: nu.Session) -> None:
    session.register_function("in_module", InModule)
    assert session.sql("SELECT in_module(3)").first()[0] == 12


class InModule:
    factor = 4

    def eval(self, x: int) -> int:
        return x * self.factor


class Model:
    """As a model of torch: called, and with an ``eval`` that is something else."""

    def eval(self) -> Model:
        raise AssertionError("that is not what it is registered for")

    def __call__(self, x: int) -> int:
        return x + 1


def test_what_can_be_called_is_called(session: nu.Session) -> None:
    record = session.register_function("model", Model())
    assert session.sql("SELECT model(3)").first()[0] == 4
    assert record.eval(3) == 4
    with pytest.raises(nu.DeclarationError, match="pass an instance that can be called"):
        udf(Model)


REFUSED: dict[str, tuple[str, Callable[..., Any], str]] = {
    "a method is missing": (
        "class F:\n    def create_accumulator(self): ...\n    def accumulate(self, acc, x): ...\n",
        declare, "F has no get_value",
    ),
    "two methods are missing": (
        "class F:\n    def get_value(self, acc): ...\n",
        udaf, "F has no create_accumulator and no accumulate",
    ),
    "two kinds": (
        "class F:\n    def create_accumulator(self): ...\n    def accumulate(self, acc, x): ...\n"
        "    def get_value(self, acc): ...\n    def emit_value(self, acc): ...\n",
        declare, "F has get_value and emit_value: derive",
    ),
    "Spark's own table function": (
        "class F:\n    def eval(self, x: str):\n        yield x\n    def terminate(self): ...\n",
        lambda f: udtf(f, result_types="string"),
        "F.terminate is called for .* spark.udtf.register",
    ),
    "a table function as a scalar one": (
        "class F:\n    def eval(self, x: str):\n        yield x\n",
        lambda f: udf(f, result_type="string"), "F is not a ScalarFunction",
    ),
    "an aggregate as a table function": (
        MEAN.replace("Mean", "F"), udtf, "F does not derive from TableFunction",
    ),
    "an async generator": (
        "class F:\n    async def eval(self, x: str):\n        yield x\n",
        lambda f: declare(f, result_type="string"), "F is async; a table function",
    ),
    "a kind that it is not": (
        MEAN.replace("Mean", "F"), lambda f: declare(f, kind="scalar"), "an aggregate function by",
    ),
    "a metaclass of another make": (
        "class Meta(type): ...\nclass F(metaclass=Meta):\n    def eval(self, x: int) -> int: ...\n",
        declare, "F has the methods of ScalarFunction and cannot be derived .*: derive the class",
    ),
    "a dict that is a function too": (
        "class F(dict):\n    def eval(self, x: int) -> int: ...\n",
        lambda f: declare(f()), "an instance of it cannot be copied",
    ),
    "no method at all": (
        "class F: ...\n", declare, "F has no eval and does not derive from ScalarFunction",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("source", "declared", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_kind_says_what_it_lacks(
    source: str, declared: Callable[..., Any], said: str
) -> None:
    with pytest.raises(nu.DeclarationError, match=said):
        declared(in_a_cell(source)["F"])
