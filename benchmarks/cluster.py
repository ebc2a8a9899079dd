"""A cluster of two workers on this machine against ``local[2]``, and what watching costs there.

Each of the two Sparks is in a process of its own, with a session of ours.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.rival import Cases, Rival, serve
from benchmarks.scalar import cost, several
from benchmarks.workload import PARTITIONS, ROWS, increment, shout, table
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE
from tests.cluster import cluster

_ALONE = f"local[{PARTITIONS}]"


def run() -> list[Figure]:
    """Rows a second on the cluster, and the side channel over TCP."""
    names = ("rows on", "kernels on", "strings on")
    with (
        tempfile.TemporaryDirectory() as folder,
        cluster(Path(folder), PARTITIONS) as running,
        Rival(_ALONE, module=__name__) as alone,
        Rival(running.url, module=__name__) as together,
    ):
        cases = {f"cluster {name}": together.case(name) for name in (*names, "rows off")}
        cases["cluster kernels off"] = together.case("kernels off")
        t = in_turn(cases | {f"alone {name}": alone.case(name) for name in names}, repeats=11)
    return [
        ratio("Rows a second row by row, against local[2]",
              t["cluster rows on"], t["alone rows on"], at_least=0.95),
        ratio("Rows a second as kernels, against local[2]",
              t["cluster kernels on"], t["alone kernels on"], at_least=0.95),
        ratio("Rows a second of strings, against local[2]",
              t["cluster strings on"], t["alone strings on"], at_least=0.95),
        cost("over TCP, row by row", t["cluster rows on"], t["cluster rows off"]),
        cost("over TCP, as kernels", t["cluster kernels on"], t["cluster kernels off"]),
    ]  # fmt: skip


def cases_of(master: str) -> Cases:
    """The cases, in a session of ours on that master."""
    session = nu.session(master=master)
    frame = table(session.spark, ROWS)
    functions = {
        "rows on": session.register_function("rows_on", increment, vectorise=False)("a", "b"),
        "kernels on": session.register_function("kernels_on", increment)("a", "b"),
        "strings on": session.register_function("strings_on", shout)("s"),
    }
    environment = session.spark.sparkContext.environment
    folder = environment.pop(CHANNEL_VARIABLE)
    # Workers get the environment of the moment their function was planned.
    functions["rows off"] = session.register_function("rows_off", increment, vectorise=False)(
        "a", "b"
    )
    functions["kernels off"] = session.register_function("kernels_off", increment)("a", "b")
    environment[CHANNEL_VARIABLE] = folder
    return {name: several(frame.select(column)) for name, column in functions.items()}


if __name__ == "__main__":
    serve(lambda: cases_of(sys.argv[1]))
