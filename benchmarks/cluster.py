"""A cluster of two workers on this machine against ``local[2]``, and what watching costs there.

Each of the two Sparks is in a process of its own, with a session of ours.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import notebook_udf as nu
from benchmarks.measure import Figure, cost, in_turn, level
from benchmarks.rival import Cases, Rival, serve
from benchmarks.scalar import TURNS, WARM_TURNS
from benchmarks.workload import PARTITIONS, ROWS, consume, increment, shout, table
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE
from tests.cluster import cluster

_ALONE = f"local[{PARTITIONS}]"


def run() -> list[Figure]:
    """Rows a second on the cluster, and the side channel over TCP."""
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster(Path(folder), PARTITIONS) as running,
        Rival(_ALONE, module=__name__) as alone,
        Rival(running.url, module=__name__) as together,
    ):
        cases: dict[str, Callable[[], float]] = {}
        # What is compared stands side by side.
        for name in ("rows", "kernels", "strings"):
            if name != "strings":
                cases[f"cluster {name} off"] = together.case(f"{name} off")
            cases[f"cluster {name} on"] = together.case(f"{name} on")
            cases[f"alone {name} on"] = alone.case(f"{name} on")
        t = in_turn(cases, TURNS, warm=WARM_TURNS)
    return [
        level("Rows a second row by row, against local[2]",
              t["cluster rows on"], t["alone rows on"], at_least=0.95),
        level("Rows a second as kernels, against local[2]",
              t["cluster kernels on"], t["alone kernels on"], at_least=0.95),
        level("Rows a second of strings, against local[2]",
              t["cluster strings on"], t["alone strings on"], at_least=0.95),
        cost("Cost of telemetry, BIGINT a*b+1 over TCP, row by row",
             t["cluster rows on"], t["cluster rows off"], at_most=3),
        cost("Cost of telemetry, BIGINT a*b+1 over TCP, as kernels",
             t["cluster kernels on"], t["cluster kernels off"], at_most=3),
    ]  # fmt: skip


def cases_of(master: str) -> Cases:
    """The cases, in a session of ours on that master."""
    session = nu.session(master=master)
    frame = table(session.spark, ROWS)
    functions = {
        "rows on": session.register_function("rows_on", increment, compile=False, vectorise=False)(
            "a", "b"
        ),
        "kernels on": session.register_function("kernels_on", increment, compile=False)("a", "b"),
        "strings on": session.register_function("strings_on", shout, compile=False)("s"),
    }
    environment = session.spark.sparkContext.environment
    folder = environment.pop(CHANNEL_VARIABLE)
    # Workers get the environment of the moment their function was planned.
    functions["rows off"] = session.register_function(
        "rows_off", increment, compile=False, vectorise=False
    )("a", "b")
    functions["kernels off"] = session.register_function("kernels_off", increment, compile=False)(
        "a", "b"
    )
    environment[CHANNEL_VARIABLE] = folder
    return {name: partial(consume, frame.select(column)) for name, column in functions.items()}


if __name__ == "__main__":
    serve(lambda: cases_of(sys.argv[1]))
