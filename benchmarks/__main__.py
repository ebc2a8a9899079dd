"""Runs the benchmarks named on the command line, or all, and keeps RESULTS.md current."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path

from benchmarks import (
    aggregates,
    async_calls,
    cluster,
    endurance,
    explorer,
    first_result,
    flood,
    latency,
    live,
    log_panel,
    observing,
    planning,
    process,
    profiler,
    results,
    scalar,
    small,
    soak,
    streams,
    tables,
)
from benchmarks.measure import Figure
from benchmarks.mix import run as mix
from benchmarks.pipelines import run as pipelines
from benchmarks.rivals import run as rivals
from notebook_udf.kernel import active_session

BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "scalar": scalar.run,
    "scalar scaling": scalar.run_scaling,
    "mix": mix.run,
    "pipelines": pipelines.run,
    "telemetry": scalar.run_telemetry,
    "observing": observing.run,
    "cluster": cluster.run,
    "latency": latency.run,
    "flood": flood.run,
    "live": live.run,
    "log panel": log_panel.run,
    "aggregates": aggregates.run,
    "spellings": aggregates.run_spellings,
    "windows": aggregates.run_windows,
    "scaling": aggregates.run_scaling,
    "tables": tables.run,
    "async": async_calls.run,
    "streams": streams.run,
    "process": process.run,
    "explorer": explorer.run,
    "planning": planning.run,
    "first result": first_result.run,
    "profiler": profiler.run,
}
# Only by their names: a little of each, hours, much memory, and packages that are downloaded.
ONLY_NAMED: dict[str, Callable[[], list[Figure]]] = {
    "soak": soak.run,
    "redefinitions": endurance.run_redefinitions,
    "sessions": endurance.run_sessions,
    "rivals": rivals.run,
    "small": small.run,
}
# A small run measures too little to stand among the results.
NOT_KEPT = {"small", *(["mix"] if mix.SMALL else []), *(["rivals"] if rivals.SHARE < 1 else [])}
RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> int:
    """Returns 1 if a bar was not cleared."""
    parser = ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *BENCHMARKS, *ONLY_NAMED], metavar="NAME")
    parser.add_argument("--json", type=Path, metavar="FILE", help="of rivals: every turn, as JSON")
    asked = parser.parse_args()
    chosen = asked.names or list(BENCHMARKS)
    known: dict[str, Callable[[], list[Figure]]] = {
        **BENCHMARKS,
        **ONLY_NAMED,
        "rivals": partial(rivals.run, asked.json),
    }
    cleared = True
    for name in chosen:
        print(f"{name} …", flush=True)
        figures = known[name]()
        for figure in figures:
            print(f"  {line(figure)}", flush=True)
            cleared = cleared and figure.cleared
        running = active_session()
        if running is not None:
            running.stop()
        if name in NOT_KEPT:
            continue
        before = results.read(RESULTS.read_text("utf-8")) if RESULTS.exists() else []
        others = [row for row in before if row.benchmark != name]
        now = results.rows_of(name, figures, date.today())
        RESULTS.write_text(
            results.written([*others, *now], [*BENCHMARKS, *ONLY_NAMED]), encoding="utf-8"
        )
    return 0 if cleared else 1


def line(figure: Figure) -> str:
    """A figure in one line of text."""
    mark = "cleared" if figure.cleared else "NOT cleared"
    value = f"{figure.value:.2f} {figure.unit}"
    return f"{figure.name}: {value} (bar {figure.bar}: {mark}); {figure.detail}"


if __name__ == "__main__":
    sys.exit(main())
