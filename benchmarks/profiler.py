"""What a profile costs the query it looks at: the same query with and without, in turn."""

from __future__ import annotations

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn
from benchmarks.workload import PARTITIONS, consume, shout, table

_ROWS = 2_000_000
_MOST = 5.0


def polynomial(a: int, b: int) -> int:
    """Python alone, which holds the interpreter when a sample is due."""
    total = 0
    for power in range(4):
        total = total * a + b + power
    return total & 0xFFFF


def run() -> list[Figure]:
    """A function that is nearly all calls, and one that is nearly all Python."""
    session = nu.session(workers=PARTITIONS)
    rows = table(session.spark, _ROWS)
    figures = []
    for function, columns in ((shout, ("s",)), (polynomial, ("a", "b"))):
        record = session.register_function(function.__name__, function, vectorise=False)
        frame = rows.select(record(*columns).alias("result"))
        cases = {
            "off": lambda frame=frame: consume(frame),
            "on": lambda frame=frame: session.profile(frame).seconds,
        }
        times = in_turn(cases)
        on, off = times["on"].median, times["off"].median
        percent = 100 * (on / off - 1)
        figures.append(
            Figure(
                f"A profile of {function.__name__}, beyond the same query without one",
                percent,
                "%",
                f"≤ {_MOST:g} %",
                percent <= _MOST,
                f"{on:.3f} s against {off:.3f} s, medians of {len(times['on'].seconds)}",
            )
        )
    return figures
