"""General scalar functions against Spark's own, and what watching them costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import notebook_udf as nu
from benchmarks.measure import Figure, cost, in_turn, ratio
from benchmarks.rival import Rival
from benchmarks.workload import PARTITIONS, ROWS, consume, increment, shout, table
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE

# What is looked for is smaller than what one run differs from the next by.
TURNS = 80
WARM_TURNS = 20


def run() -> list[Figure]:
    """Ours with its metrics on, against a Spark as it comes."""
    session = nu.session(workers=PARTITIONS)
    frame = table(session.spark, ROWS)
    numbers = session.register_function("increment", increment)
    rows = session.register_function("increment_rows", increment, vectorise=False)
    strings = session.register_function("shout", shout)
    cases: dict[str, Callable[[], object]] = {
        "ours bigint": lambda: consume(frame.select(numbers("a", "b"))),
        "row by row": lambda: consume(frame.select(rows("a", "b"))),
        "ours string": lambda: consume(frame.select(strings("s"))),
    }
    with Rival("scalar") as rival:
        for name in ("default bigint", "pickled bigint", "default string", "pickled string"):
            cases[name] = rival.case(name)
        t = in_turn(cases)
    return [
        ratio("BIGINT a*b+1, against Spark's default udf", t["ours bigint"], t["default bigint"],
              at_least=1.35),
        ratio("BIGINT a*b+1, against Spark's pickled udf", t["ours bigint"], t["pickled bigint"],
              at_least=1.35),
        ratio("the same row by row (vectorise=False), against Spark's default udf",
              t["row by row"], t["default bigint"]),
        ratio("STRING s.upper()[::-1], against Spark's default udf", t["ours string"],
              t["default string"], at_least=1.25),
        ratio("STRING s.upper()[::-1], against Spark's pickled udf", t["ours string"],
              t["pickled string"], at_least=1.25),
    ]  # fmt: skip


def run_telemetry() -> list[Figure]:
    """The same functions with the side channel and without."""
    session = nu.session(workers=PARTITIONS)
    frame = table(session.spark, ROWS)
    rows_on = session.register_function("rows_on", increment, vectorise=False)
    kernels_on = session.register_function("kernels_on", increment)
    environment = session.spark.sparkContext.environment
    folder = environment.pop(CHANNEL_VARIABLE)
    try:
        # Workers get the environment of the moment their function was planned.
        rows_off = session.register_function("rows_off", increment, vectorise=False)
        kernels_off = session.register_function("kernels_off", increment)
        for function in (rows_off, kernels_off):
            function("a", "b")
    finally:
        environment[CHANNEL_VARIABLE] = folder
    frames = {
        "rows on": frame.select(rows_on("a", "b")),
        "rows off": frame.select(rows_off("a", "b")),
        "kernels on": frame.select(kernels_on("a", "b")),
        "kernels off": frame.select(kernels_off("a", "b")),
    }
    t = in_turn(
        {name: partial(consume, each) for name, each in frames.items()}, TURNS, warm=WARM_TURNS
    )
    return [
        cost("Cost of telemetry, BIGINT a*b+1 row by row", t["rows on"], t["rows off"], at_most=3),
        cost("Cost of telemetry, BIGINT a*b+1 as kernels", t["kernels on"], t["kernels off"],
             at_most=3),
    ]  # fmt: skip
