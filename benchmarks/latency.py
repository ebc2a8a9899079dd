"""How long a person waits: for the first function, and for a bundle's numbers."""

from __future__ import annotations

import statistics
import threading
import time

import notebook_udf as nu
from benchmarks.measure import Figure
from benchmarks.workload import PARTITIONS
from notebook_udf.telemetry.records import BundleDone, Record


def run() -> list[Figure]:
    """Both, in sessions of their own."""
    return [*first_function(), *bundle_latency()]


def first_function(sessions: int = 5) -> list[Figure]:
    """The first function of a warmed session, against the same query without it."""
    extra = []
    for _ in range(sessions):
        session = nu.session(workers=PARTITIONS)
        session._warmup.wait()
        plain, other = (
            "SELECT sum(id * 2) FROM range(0, 100000, 1, 2)",
            "SELECT sum(twice(id)) FROM range(0, 100000, 1, 2)",
        )
        session.sql("SELECT sum(id * 3) FROM range(0, 100000, 1, 2)").collect()
        start = time.perf_counter()
        session.sql(plain).collect()
        without = time.perf_counter() - start
        session.register_function("twice", lambda i: i * 2, result_type="bigint")
        start = time.perf_counter()
        session.sql(other).collect()
        extra.append(time.perf_counter() - start - without)
        session.stop()
    median = statistics.median(extra)
    return [
        Figure(
            "First function of a warmed session, beyond the same query without it",
            median,
            "s",
            "< 1 s",
            median < 1,
            f"median of {sessions} sessions, slowest {max(extra):.2f} s",
        )
    ]


def bundle_latency() -> list[Figure]:
    """From the end of a bundle in a worker to its numbers in the kernel."""
    session = nu.session(workers=PARTITIONS)
    session.register_function("twice", lambda i: i * 2, result_type="bigint", compile=False)
    delays: list[float] = []
    lock = threading.Lock()

    def note(record: Record) -> None:
        if isinstance(record, BundleDone):
            with lock:
                delays.append(time.time() - record.time)

    unsubscribe = session.store.subscribe(note)
    session.sql("SELECT sum(twice(id)) FROM range(0, 4000000, 1, 2)").collect()
    unsubscribe()
    session.stop()
    worst = max(delays)
    return [
        Figure(
            "A bundle's numbers reach the kernel",
            worst * 1000,
            "ms",
            "≤ 250 ms",
            worst <= 0.25,
            f"slowest of {len(delays)} bundles, median {statistics.median(delays) * 1000:.1f} ms",
        )
    ]
