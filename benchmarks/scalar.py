"""General scalar functions against Spark's own, and what watching them costs."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import psutil
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.measure import REPEATS, Figure, cost, in_turn, level, ratio
from benchmarks.rival import Rival
from benchmarks.workload import PARTITIONS, ROWS, consume, increment, shout, table
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE

# What is looked for is smaller than what one run differs from the next by.
TURNS = 80
WARM_TURNS = 20
_WARM = 5
# Some are so many that what a query costs once is next to nothing.
_FEWEST, _SOME, _MOST = 1 << 20, 32 << 20, 64 << 20


# How many times as fast as Spark's default udf each of our tiers has to be.
_BARS = {
    ("bigint", "JVM"): 8.0, ("bigint", "Arrow"): 2.3, ("bigint", "rows"): 1.45,
    ("string", "JVM"): 4.0, ("string", "Arrow"): 2.2, ("string", "rows"): 1.35,
}  # fmt: skip
OPTIONS: dict[str, dict[str, Any]] = {
    "JVM": {}, "Arrow": {"compile": False}, "rows": {"compile": False, "vectorise": False},
}  # fmt: skip
FUNCTIONS: dict[str, tuple[str, Callable[..., object], tuple[str, ...]]] = {
    "bigint": ("BIGINT a*b+1", increment, ("a", "b")),
    "string": ("STRING s.upper()[::-1]", shout, ("s",)),
}
TIERS = {
    "JVM": "in Spark's JVM", "Arrow": "as Arrow kernels (compile=False)",
    "rows": "row by row (compile=False, vectorise=False)",
}  # fmt: skip
# What a second worker brings where nothing is ours: no tier can be asked for much more.
_SPARKS_OWN = {"built-in": "an expression of Spark's own", "default": "Spark's default udf"}


def run() -> list[Figure]:
    """Ours by tier with its metrics on, against a Spark as it comes and functions by hand."""
    session = nu.session(workers=PARTITIONS)
    frame = table(session.spark, ROWS)
    cases: dict[str, Callable[[], object]] = {}
    for kind, (_, function, columns) in FUNCTIONS.items():
        for tier, options in OPTIONS.items():
            declared = nu.udf(function, **options)
            ours = session.register_function(f"{kind}_{tier}", declared)
            cases[f"{kind} {tier}"] = partial(consume, frame.select(ours(*columns)))
    with Rival("scalar") as rival:
        for kind in FUNCTIONS:
            for theirs in ("default", "pickled", "arrow"):
                cases[f"{kind} {theirs}"] = rival.case(f"{theirs} {kind}")
        # A query is compiled once more after some runs, and here too.
        t = in_turn(cases, warm=_WARM)
    figures = []
    for kind, (name, _, _) in FUNCTIONS.items():
        for tier, said in TIERS.items():
            mine, default = t[f"{kind} {tier}"], t[f"{kind} default"]
            against = f"{name} {said}, against Spark's default udf"
            figures.append(ratio(against, mine, default, at_least=_BARS[kind, tier]))
        figures.append(
            ratio(
                f"{name} in Spark's JVM, against Spark's pickled udf",
                t[f"{kind} JVM"], t[f"{kind} pickled"],
            )
        )  # fmt: skip
        figures.append(
            level(
                f"{name} as Arrow kernels, against an arrow_udf written by hand",
                t[f"{kind} Arrow"], t[f"{kind} arrow"], at_least=1 / 1.1,
            )
        )  # fmt: skip
    return figures


class _Scaled(NamedTuple):
    seconds: float
    # How many processors it kept busy: Spark's threads, and workers' beside them.
    busy: float


def run_scaling() -> list[Figure]:
    """The cost of a row as rows get more, and what a second worker brings, by tier."""
    one = _scaled(workers=1, counts=(_SOME,))
    two = _scaled(workers=2, counts=(_FEWEST, _SOME, _MOST))
    figures = []
    for tier, said in TIERS.items():
        growth = two[tier, _MOST].seconds / _MOST / (two[tier, _FEWEST].seconds / _FEWEST)
        figures.append(
            Figure(
                f"Cost of a row {said}, among {_MOST >> 20} M against one among 1 M",
                100 * (growth - 1), "%", "≤ 15 %", growth <= 1.15, f"{growth:.2f} times",
            )
        )  # fmt: skip
        figures.append(_gain(one[tier, _SOME], two[tier, _SOME], said, at_least=1.8))
    for own, said in _SPARKS_OWN.items():
        figures.append(_gain(one[own, _SOME], two[own, _SOME], f"by {said}"))
    return figures


def _gain(one: _Scaled, two: _Scaled, said: str, *, at_least: float = 0.0) -> Figure:
    """What a second worker brings; one whose Python runs beside Spark's threads left less idle."""
    processors = os.cpu_count() or 1
    gain = one.seconds / two.seconds
    return Figure(
        f"Two workers against one, {_SOME >> 20} M rows {said}",
        gain,
        "×",
        f"≥ {at_least:g}×" if at_least else "none",
        gain >= at_least,
        f"{one.seconds:.3f} s against {two.seconds:.3f} s, medians of {REPEATS} each; one keeps "
        f"{one.busy:.2f} of {processors} processors busy, two {two.busy:.2f}",
    )


def _scaled(*, workers: int, counts: Sequence[int]) -> dict[tuple[str, int], _Scaled]:
    """How long each tier takes for so many rows, and Spark's own for some."""
    with nu.session(workers=workers) as session:
        cases: dict[tuple[str, int], Callable[[], object]] = {}
        for tier, options in OPTIONS.items():
            ours = session.register_function(f"scaled_{tier}", nu.udf(increment, **options))
            for count in counts:
                rows = session.spark.range(0, count, 1, workers)
                cases[tier, count] = partial(consume, rows.select(ours("id", F.col("id") % 1000)))
        number, other = F.col("id"), F.col("id") % 1000
        own = {"built-in": number * other + 1, "default": F.udf(increment, "bigint")(number, other)}
        for name, column in own.items():
            rows = session.spark.range(0, _SOME, 1, workers)
            cases[name, _SOME] = partial(consume, rows.select(column))
        named = {f"{tier} {count}": case for (tier, count), case in cases.items()}
        t = in_turn(named, REPEATS, warm=2)
        return {
            (tier, count): _Scaled(t[f"{tier} {count}"].median, _busy(case))
            for (tier, count), case in cases.items()
        }


def _busy(case: Callable[[], object]) -> float:
    """How many processors a case keeps busy: those of this process and of all below it."""

    def used() -> float:
        found = 0.0
        for process in [own, *own.children(recursive=True)]:
            with contextlib.suppress(psutil.NoSuchProcess):
                times = process.cpu_times()
                found += times.user + times.system
        return found

    own = psutil.Process()
    before, began = used(), time.perf_counter()
    case()
    return (used() - before) / (time.perf_counter() - began)


def run_telemetry() -> list[Figure]:
    """The same functions with the side channel and without."""
    session = nu.session(workers=PARTITIONS)
    frame = table(session.spark, ROWS)
    rows = nu.udf(increment, **OPTIONS["rows"])
    kernels = nu.udf(increment, **OPTIONS["Arrow"])
    rows_on = session.register_function("rows_on", rows)
    kernels_on = session.register_function("kernels_on", kernels)
    environment = session.spark.sparkContext.environment
    folder = environment.pop(CHANNEL_VARIABLE)
    try:
        # Workers get the environment of the moment their function was planned.
        rows_off = session.register_function("rows_off", rows)
        kernels_off = session.register_function("kernels_off", kernels)
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
             at_most=2),
    ]  # fmt: skip
