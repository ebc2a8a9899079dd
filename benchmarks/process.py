"""Process functions in a chain against the same steps by hand, and what each attribute gains."""

from __future__ import annotations

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
REPEATS = 3


class Keep(OneInputStreamProcessFunction):
    """Lets the dear orders through."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        if order.price > 10.0:
            output.collect(order)


class Convert(OneInputStreamProcessFunction):
    """Another currency."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        order.price = order.price / 10.0
        output.collect(order)


class Rename(OneInputStreamProcessFunction):
    """Another name."""

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        order.name = order.name.upper()
        output.collect(order)


class Total(OneInputStreamProcessFunction):
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
    rows: DataFrame, *functions: Any, key_by: Any = None, vectorise: bool = True
) -> Callable[[], None]:
    session = nu.session()
    for place, function in enumerate(functions):
        record = session.register_function(
            f"benchmark_{function.__name__}", function, output_type=SCHEMA, vectorise=vectorise
        )
        rows = rows.transform(nu.process(record, key_by=None if place else key_by))
    return lambda: consume(rows)


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
    reused = list(map(_marked(nu.not_cache_record), steps))
    last = _marked(nu.idempotence)(Total)
    late = _marked(nu.no_output_until_end_of_input)(Keep)
    t = in_turn(
        {
            "by hand": lambda: consume(by_hand),
            "kernels": _chain(orders, *steps),
            "chained": _chain(orders, *steps, vectorise=False),
            "reused": _chain(orders, *reused, vectorise=False),
            "late": _chain(orders, late, Convert, Rename, vectorise=False),
            "every": _chain(orders, Total, Convert, Rename, key_by="id"),
            "last": _chain(orders, last, Convert, Rename, key_by="id"),
        },
        REPEATS,
    )
    what = f"Three process functions, {ROWS // 1000:,}k records of three columns"
    return [
        ratio(f"{what}, against three mapInArrow by hand", t["kernels"], t["by hand"], at_least=2),
        ratio(f"{what}, record by record, against by hand", t["chained"], t["by hand"]),
        ratio(f"{what}, @not_cache_record, against by hand", t["reused"], t["by hand"]),
        ratio("@not_cache_record against none", t["reused"], t["chained"]),
        ratio(f"@idempotence against none, {KEYS:,} keys", t["last"], t["every"]),
        ratio("@no_output_until_end_of_input against none", t["late"], t["chained"]),
    ]
