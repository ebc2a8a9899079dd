"""Runs the benchmarks named on the command line, or all, and writes RESULTS.md."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pyspark

from benchmarks import (
    aggregates,
    async_calls,
    explorer,
    flood,
    latency,
    live,
    log_panel,
    process,
    profiler,
    scalar,
    streams,
    tables,
)
from benchmarks.measure import Figure
from notebook_udf.kernel import active_session

BENCHMARKS: dict[str, Callable[[], list[Figure]]] = {
    "scalar": scalar.run,
    "telemetry": scalar.run_telemetry,
    "latency": latency.run,
    "flood": flood.run,
    "live": live.run,
    "log panel": log_panel.run,
    "aggregates": aggregates.run,
    "windows": aggregates.run_windows,
    "scaling": aggregates.run_scaling,
    "tables": tables.run,
    "async": async_calls.run,
    "streams": streams.run,
    "process": process.run,
    "explorer": explorer.run,
    "profiler": profiler.run,
}
RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> int:
    """Returns 1 if a bar was not cleared."""
    chosen = sys.argv[1:] or list(BENCHMARKS)
    figures = []
    for name in chosen:
        print(f"{name} …", flush=True)
        for figure in BENCHMARKS[name]():
            print(f"  {line(figure)}", flush=True)
            figures.append(figure)
        running = active_session()
        if running is not None:
            running.stop()
    if chosen == list(BENCHMARKS):
        RESULTS.write_text(report(figures), encoding="utf-8")
    return 0 if all(figure.cleared for figure in figures) else 1


def line(figure: Figure) -> str:
    """A figure in one line of text."""
    mark = "cleared" if figure.cleared else "NOT cleared"
    value = f"{figure.value:.2f} {figure.unit}"
    return f"{figure.name}: {value} (bar {figure.bar}: {mark}); {figure.detail}"


def report(figures: list[Figure]) -> str:
    """RESULTS.md."""
    rows = "\n".join(
        f"| {f.name} | {f.value:.2f} {f.unit} | {f.bar} | {'yes' if f.cleared else '**no**'} "
        f"| {f.detail} |"
        for f in figures
    )
    return (
        "# Measured figures\n\n"
        f"Written by `python -m benchmarks` on {date.today():%Y-%m-%d}: {os.cpu_count()} "
        f"processors, Python {platform.python_version()}, Spark {pyspark.__version__}.\n\n"
        "| figure | measured | bar | cleared | detail |\n|---|---|---|---|---|\n"
        f"{rows}\n"
    )


if __name__ == "__main__":
    sys.exit(main())
