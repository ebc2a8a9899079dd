"""Async functions against the ideal, and against Spark's threads for functions that block."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.functions import udf as spark_udf

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.rival import Rival
from benchmarks.workload import PARTITIONS, consume

REPEATS = 5
CALLS = 20_000
LATENCY = 0.01
CAPACITY = 100
QUICK_CALLS = 1_000_000
THREADS = 8


def run() -> list[Figure]:
    """Calls that wait, and calls that have their answer at hand."""
    session = nu.session(workers=PARTITIONS)

    async def waits(x: int) -> int:
        await asyncio.sleep(LATENCY)
        return x

    async def quick(x: int) -> int:
        return x + 1

    session.register_function("waits", waits, buffer_capacity=CAPACITY)
    session.register_function("quick", quick, buffer_capacity=CAPACITY)
    cases: dict[str, Callable[[], object]] = {
        "waits": _query(session.sql(f"SELECT waits(id) FROM {_range(CALLS)}")),
        "quick": _query(session.sql(f"SELECT quick(id) FROM {_range(QUICK_CALLS)}")),
    }
    with Rival("async") as rival:
        cases["threads"] = rival.case("threads")
        t = in_turn(cases, REPEATS)
    ideal = CALLS * LATENCY / (CAPACITY * PARTITIONS)
    waits_for, rate = t["waits"].median, QUICK_CALLS / t["quick"].median
    over = waits_for / ideal
    shape = f"{CALLS:,} calls of {LATENCY * 1000:g} ms"
    return [
        Figure(
            f"Async, {shape}, {CAPACITY} in flight in {PARTITIONS} workers, against the ideal",
            over,
            "×",
            "≤ 1.35×",
            over <= 1.35,
            f"{waits_for:.3f} s against {ideal:.3f} s, median of {len(t['waits'].seconds)}",
        ),
        ratio(
            f"Async, {shape}, against Spark's {THREADS} threads",
            t["waits"],
            t["threads"],
            at_least=8.0,
        ),
        Figure(
            "Async, calls that do not wait",
            rate / 1000,
            "thousand/s",
            "≥ 100 thousand/s",
            rate >= 100_000,
            f"{QUICK_CALLS:,} in {t['quick'].median:.3f} s, median of {len(t['quick'].seconds)}",
        ),
    ]


def rival_cases(spark: SparkSession) -> dict[str, Callable[[], object]]:
    """The same wait as a function that blocks, in the threads Spark gives it."""
    spark.conf.set("spark.sql.execution.pythonUDF.arrow.concurrency.level", str(THREADS))

    def blocks(x: int) -> int:
        time.sleep(LATENCY)
        return x

    frame = spark.range(0, CALLS, 1, PARTITIONS)
    return {"threads": _query(frame.select(spark_udf(blocks, "bigint", useArrow=True)("id")))}


def _range(rows: int) -> str:
    return f"range(0, {rows}, 1, {PARTITIONS})"


def _query(frame: DataFrame) -> Callable[[], object]:
    return lambda: consume(frame)
