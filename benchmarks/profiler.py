"""What a profile costs the query it looks at: the same query with and without, in turn.

In processor time of the workers, the sampler's among it, because what else the machine does would
show in the clock's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

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
        record = session.register_function(
            function.__name__, function, compile=False, vectorise=False
        )
        frame = rows.select(record(*columns).alias("result"))
        cases: dict[str, Callable[[], object]] = {
            "off": partial(_worker_seconds, session, partial(consume, frame)),
            "on": partial(_worker_seconds, session, partial(session.profile, frame)),
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
                f"{on:.3f} s of the workers' processors against {off:.3f} s, "
                f"medians of {len(times['on'].seconds)}",
            )
        )
    return figures


def _worker_seconds(session: nu.Session, run: Callable[[], object]) -> float:
    before = _used(session)
    run()
    return _used(session) - before


def _used(session: nu.Session) -> float:
    """Processor time of the living workers so far; they stay from run to run."""
    files = (
        file
        for worker in session.pool
        for file in Path(f"/proc/{worker.pid}/task").glob("*/schedstat")
    )
    return sum(int(file.read_text("ascii").split()[0]) for file in files) / 1e9
