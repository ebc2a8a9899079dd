"""What a flood of lines costs the job that writes it."""

from __future__ import annotations

from functools import partial

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn
from benchmarks.workload import PARTITIONS, consume

LINES = 1_000_000
# Work beside each line, so that the lines come at about a million in ten seconds.
SPIN = 640


def quiet(i: int) -> int:
    """The work without the lines."""
    total = 0
    for k in range(SPIN):
        total += k
    return total


def loud(i: int) -> int:
    """The work with a line for each row."""
    total = 0
    for k in range(SPIN):
        total += k
    print("line", i)
    return total


def run() -> list[Figure]:
    """One worker, a million rows."""
    session = nu.session(workers=PARTITIONS)
    frame = session.spark.range(0, LINES, 1, 1)
    functions = {f.__name__: session.register_function(f.__name__, f) for f in (quiet, loud)}
    runs = {name: partial(consume, frame.select(f("id"))) for name, f in functions.items()}
    t = in_turn(runs, repeats=5)
    cost = 100 * (t["loud"].median / t["quiet"].median - 1)
    return [
        Figure(
            "A million lines printed in about ten seconds slow the job by",
            cost,
            "%",
            "< 10 %",
            cost < 10,
            f"{t['loud'].median:.2f} s with, {t['quiet'].median:.2f} s without, medians of 5",
        )
    ]
