"""Process functions in a chain against the same steps by hand, and what each attribute gains."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.workload import PARTITIONS, consume
from notebook_udf import OneInputStreamProcessFunction

ROWS = 500_000
KEYS = 1_000
SCHEMA = "id bigint, price double, name string"
REPEATS = 5


class Keep(OneInputStreamProcessFunction[Any, Any]):
    """Lets the dear orders through."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        if order.price > 10.0:
            output.collect(order)


class Convert(OneInputStreamProcessFunction[Any, Any]):
    """Another currency."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        order.price = order.price / 10.0
        output.collect(order)


class Rename(OneInputStreamProcessFunction[Any, Any]):
    """Another name."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        order.name = order.name.upper()
        output.collect(order)


def _is_dear(order: Any) -> bool:
    return bool(order.price > 10.0)


def _in_dollars(order: Any) -> Any:
    order.price = order.price / 10.0
    return order


def _loud(order: Any) -> Any:
    order.name = order.name.upper()
    return order


class KeepByHelper(OneInputStreamProcessFunction[Any, Any]):
    """As ``Keep``; what the helper does with the record is not seen."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        if _is_dear(order):
            output.collect(order)


class ConvertByHelper(OneInputStreamProcessFunction[Any, Any]):
    """As ``Convert``."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        output.collect(_in_dollars(order))


class RenameByHelper(OneInputStreamProcessFunction[Any, Any]):
    """As ``Rename``."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        output.collect(_loud(order))


class Holding(ConvertByHelper):
    """Holds something from its beginning to its end, and writes down for how long."""

    def __init__(self, path: str) -> None:
        self.path = path

    def open(self, function_context: Any) -> None:
        self.since = time.perf_counter()

    def close(self) -> None:
        with open(self.path, "a") as file:
            file.write(f"{time.perf_counter() - self.since}\n")


class Total(OneInputStreamProcessFunction[Any, Any]):
    """A running total per key."""

    SUM = nu.StateDeclarations.value_state("sum", float)

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        state = ctx.get_state(self.SUM)
        state.update((state.value() or 0.0) + order.price)
        output.collect((order.id, state.value(), order.name))

    def uses_states(self) -> Any:
        return [self.SUM]


def _by_hand(change: Callable[[dict[str, Any]], bool]) -> Callable[[DataFrame], DataFrame]:
    """A step as one writes it with ``mapInArrow``: a list of dicts in, a list of dicts out."""

    def step(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            rows = [row for row in batch.to_pylist() if change(row)]
            yield pa.RecordBatch.from_pylist(rows, schema=batch.schema)

    return lambda rows: rows.mapInArrow(step, SCHEMA)


def _keep(row: dict[str, Any]) -> bool:
    return bool(row["price"] > 10.0)


def _convert(row: dict[str, Any]) -> bool:
    row["price"] = row["price"] / 10.0
    return True


def _rename(row: dict[str, Any]) -> bool:
    row["name"] = row["name"].upper()
    return True


def _chain(
    rows: DataFrame, *functions: Any, key_by: Any = None, **options: Any
) -> Callable[[], None]:
    for place, function in enumerate(functions):
        record = _registered(function, **{"compile": False, **options})
        rows = rows.transform(nu.process(record, key_by=None if place else key_by))
    return lambda: consume(rows)


def _registered(function: Any, **options: Any) -> Any:
    name = f"benchmark_{function.__name__}"
    return nu.session().register_function(name, function, output_type=SCHEMA, **options)


def _held(rows: DataFrame, first: Any) -> float:
    """Seconds that a function behind another one is open, in its longest instance."""
    with tempfile.NamedTemporaryFile("r") as file:
        step = nu.process(_registered(first, compile=False))
        consume(rows.transform(step).transform(nu.process(Holding(file.name), None, SCHEMA)))
        return max(map(float, file.read().split()))


def _marked(*attributes: Any) -> Callable[[type], type]:
    def mark(cls: type) -> type:
        made = type(cls.__name__, (cls,), {})
        for attribute in attributes:
            made = attribute(made)
        return made

    return mark


def run() -> list[Figure]:
    """Three functions over half a million orders."""
    session = nu.session(workers=PARTITIONS, conf={"spark.sql.shuffle.partitions": PARTITIONS})
    price, name = F.rand(1) * 100, F.concat(F.lit("order "), F.col("id"))
    orders = session.spark.range(0, ROWS, 1, PARTITIONS).select(
        (F.col("id") % KEYS).alias("id"), price.alias("price"), name.alias("name")
    )
    orders = orders.cache()
    orders.count()
    by_hand = orders
    for change in (_keep, _convert, _rename):
        by_hand = by_hand.transform(_by_hand(change))
    steps = (Keep, Convert, Rename)
    helped = (KeepByHelper, ConvertByHelper, RenameByHelper)
    reused = list(map(_marked(nu.not_cache_record), helped))
    last = _marked(nu.idempotence)(Total)
    late = _marked(nu.no_output_until_end_of_input)(KeepByHelper)
    t = in_turn(
        {
            "by hand": lambda: consume(by_hand),
            "in Java": _chain(orders, *steps, compile=True),
            "kernels": _chain(orders, *steps),
            "chained": _chain(orders, *steps, vectorise=False),
            "helped": _chain(orders, *helped),
            "reused": _chain(orders, *reused),
            "held": lambda: _held(orders, KeepByHelper),
            "held late": lambda: _held(orders, late),
            "every": _chain(orders, Total, Convert, Rename, key_by="id"),
            "last": _chain(orders, last, Convert, Rename, key_by="id"),
        },
        REPEATS,
    )
    what = f"Three process functions, {ROWS // 1000:,}k records of three columns"
    return [
        ratio(
            f"{what}, in Spark's JVM, against three mapInArrow by hand", t["in Java"], t["by hand"]
        ),
        ratio(f"{what}, as kernels, against by hand", t["kernels"], t["by hand"], at_least=2),
        ratio(f"{what}, record by record, against by hand", t["chained"], t["by hand"]),
        ratio(f"{what}, by helpers, against by hand", t["helped"], t["by hand"]),
        ratio("@not_cache_record against none", t["reused"], t["helped"]),
        ratio(f"@idempotence against none, {KEYS:,} keys", t["last"], t["every"]),
        ratio(
            "@no_output_until_end_of_input against none: how long what follows is held open",
            t["held late"],
            t["held"],
        ),
    ]
