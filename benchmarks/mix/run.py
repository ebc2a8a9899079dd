"""How fast ordinary functions run, against Spark's default ``udf`` in the same session.

With ``NOTEBOOK_UDF_MIX_SMALL=1`` in the environment few rows are taken, and nothing is written to
the results: whether the answers are those of Spark's, and whether ours is the slower one on the
whole, is seen in five minutes or so. A single function says nothing there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from statistics import geometric_mean
from typing import NamedTuple

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.measure import Figure, Quotient, in_turn
from benchmarks.mix import DEVELOPED, KEPT_APART
from benchmarks.mix.case import Case
from benchmarks.workload import PARTITIONS
from notebook_udf.bench.interleave import next_sample

SMALL = os.environ.get("NOTEBOOK_UDF_MIX_SMALL", "") not in ("", "0")
TURNS = 5
WARM_TURNS = 2
FEW_ROWS = 20_000
LEAST_ROWS = 100_000
MOST_ROWS = 16_000_000
# Of a turn with Spark's default.
SECONDS = 1.0
ROWS_COMPARED = 3_000
# What the halves have to reach in the geometric mean, and each single function.
DEVELOPED_BAR = 5.0
KEPT_APART_BAR = 4.0
LEAST_BAR = 1.0


class Outcome(NamedTuple):
    """What came of one case: ``quotient`` is Spark's time over ours, None where answers differ."""

    name: str
    quotient: Quotient | None
    detail: str


def run() -> list[Figure]:
    """Both halves, then each function."""
    session = nu.session(workers=PARTITIONS)
    # The first case, too, is to run where the others do.
    assert session.java.wait(120)
    developed = [_outcome(session, case) for case in DEVELOPED]
    kept_apart = [_outcome(session, case) for case in KEPT_APART]
    return [
        _agreement([*developed, *kept_apart]),
        *_summary("developed on", developed, DEVELOPED_BAR),
        *_summary("kept apart", kept_apart, KEPT_APART_BAR),
        *(
            Figure(f"{half}: {each.name}", each.quotient.median, "×", "none", True, each.detail)
            for half, outcomes in (("Developed on", developed), ("Kept apart", kept_apart))
            for each in outcomes
            if each.quotient is not None
        ),
    ]


def _outcome(session: nu.Session, case: Case) -> Outcome:
    spark = session.spark
    names = [f"c{i}" for i in range(len(case.columns))]
    declared = nu.udf(case.function, result_type=case.result_type)
    ours = session.register_function(f"mix_{case.name}", declared)(*names)
    default = F.udf(case.function, case.result_type)(*names)

    few = cached_columns(spark, case, ROWS_COMPARED)
    expected, answers = _answers(few, default), _answers(few, ours)
    few.unpersist()
    if expected != answers:
        pairs = zip(expected, answers, strict=True)
        row, (theirs, other) = next((i, p) for i, p in enumerate(pairs) if p[0] != p[1])
        return Outcome(case.name, None, f"row {row}: {other!r} instead of {theirs!r}")

    rows = FEW_ROWS if SMALL else _rows(spark, case, default)
    table = cached_columns(spark, case, rows)
    if _digest(table, default) != _digest(table, ours):
        return Outcome(case.name, None, f"another sum of hashes over {rows:,} rows")
    cases: dict[str, Callable[[], object]] = {
        "default": lambda: _digest(table, default),
        "ours": lambda: _digest(table, ours),
    }
    t = in_turn(cases, TURNS, warm=WARM_TURNS)
    table.unpersist()
    quotient = t["default"].over(t["ours"])
    least, *_, most = quotient.values
    return Outcome(
        case.name,
        quotient,
        f"{t['ours'].median:.3f} s against {t['default'].median:.3f} s for {rows:,} rows; the "
        f"median of {TURNS} turns' quotients, {least:.2f} to {most:.2f}",
    )


def cached_columns(spark: SparkSession, case: Case, rows: int) -> DataFrame:
    """The columns of a case, cached: making them is no part of a turn."""
    columns = [f"{sql} AS c{i}" for i, sql in enumerate(case.columns)]
    frame = spark.range(0, rows, 1, PARTITIONS).selectExpr(*columns).cache()
    frame.count()
    return frame


def _answers(frame: DataFrame, column: Column) -> list[object]:
    return [row[0] for row in frame.select(column).collect()]


def _digest(frame: DataFrame, column: Column) -> object:
    """One number that depends on every result."""
    return frame.select(F.sum(F.hash(column))).collect()[0][0]


def _seconds(frame: DataFrame, column: Column) -> float:
    start = time.perf_counter()
    _digest(frame, column)
    return time.perf_counter() - start


def _rows(spark: SparkSession, case: Case, default: Column) -> int:
    """How many rows take Spark's default about ``SECONDS``, at the best of three tries.

    By a single try, one slow second would leave a case with so few rows that starting the query is
    all that is measured.
    """
    rows = LEAST_ROWS
    while True:
        table = cached_columns(spark, case, rows)
        _digest(table, default)
        seconds = min(_seconds(table, default) for _ in range(3))
        table.unpersist()
        more = next_sample(rows, seconds, target=SECONDS, most=MOST_ROWS)
        if more == rows:
            return rows
        rows = more


def _agreement(outcomes: list[Outcome]) -> Figure:
    others = [f"{each.name}: {each.detail}" for each in outcomes if each.quotient is None]
    return Figure(
        "Functions with the same answers as Spark's default udf",
        len(outcomes) - len(others),
        "functions",
        f"all {len(outcomes)}",
        not others,
        "; ".join(others) or f"{ROWS_COMPARED:,} rows compared, and a sum of hashes over all",
    )


def _summary(half: str, outcomes: list[Outcome], bar: float) -> list[Figure]:
    """The geometric mean, which has to be ``bar`` at least, and the least."""
    medians = {each.name: each.quotient.median for each in outcomes if each.quotient is not None}
    if not medians:
        return []
    mean = geometric_mean(medians.values())
    least = min(medians, key=lambda name: medians[name])
    slower = sum(median < 1 for median in medians.values())
    count = len(medians)
    return [
        Figure(
            f"Ordinary functions {half}, geometric mean against Spark's default udf",
            mean,
            "×",
            f"≥ {bar:g}×",
            mean >= bar,
            f"{count} functions, {slower} of them slower than Spark's",
        ),
        Figure(
            f"Ordinary functions {half}, the least",
            medians[least],
            "×",
            f"≥ {LEAST_BAR:g}×",
            medians[least] >= LEAST_BAR,
            f"{least}; the least of {count}",
        ),
    ]
