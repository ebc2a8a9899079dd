"""Aggregates on streams against the same by hand, whole queries."""

from __future__ import annotations

import dataclasses
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

import notebook_udf as nu
from benchmarks.changing import CASES, CountDistinct, consumed, source, state_calls
from benchmarks.means import WeightedMean
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.rival import Rival
from benchmarks.workload import PARTITIONS
from notebook_udf.telemetry.records import Record, TaskEnded

REPEATS = 5

_NAMES = {
    "small": ("Stream, count distinct, 400,000 rows, 10,000 keys, 97 values", 8.0),
    "large": ("Stream, count distinct, 200,000 rows, 20 keys, a million values", 2.0),
    "mean": ("Stream, weighted mean with a merge, 400,000 rows, 10,000 keys", 8.0),
}


def run() -> list[Figure]:
    """Each case, ours and by hand, which takes minutes."""
    session = nu.session(workers=PARTITIONS, conf={"spark.sql.shuffle.partitions": "2"})
    distinct = session.register_function("differing", nu.udaf(CountDistinct, result_type="bigint"))
    mean = session.register_function("wmean", nu.udaf(WeightedMean, result_type="double"))
    cases: dict[str, Callable[[], object]] = {}
    asked: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder, Rival("streams") as rival:
        for name, case in CASES.items():
            rows = source(session.spark, case, Path(folder))
            asked[name] = state_calls(session.spark, case, Path(folder), name)
            call = mean("v", "w") if name == "mean" else distinct("v")
            cases[f"ours {name}"] = consumed(rows.transform(nu.aggregate(by="k", n=call)))
            cases[f"hand {name}"] = rival.case(name)
        t = in_turn(cases, REPEATS)
        waited = {name: _round_trips(session, cases[f"ours {name}"]) for name in CASES}
    figures = []
    for name, (title, bar) in _NAMES.items():
        ours, hand = t[f"ours {name}"], t[f"hand {name}"]
        full = f"{title}, against transformWithState by hand"
        figure = ratio(full, ours, hand, at_least=bar)
        trips = waited[name] / CASES[name].rows
        told = f"{figure.detail}; state round trips per row: {trips:.4f} against {asked[name]:.1f}"
        figures.append(dataclasses.replace(figure, detail=told))
    return figures


def _round_trips(session: nu.Session, run: Callable[[], object]) -> int:
    """How often workers wait for the state in one more run."""

    def counted() -> int:
        return sum(
            int(metric.value)
            for metric in session.metrics().user_metrics
            if metric.name == "state.round_trips"
        )

    ended = threading.Event()

    def heard(record: Record) -> None:
        if isinstance(record, TaskEnded):
            ended.set()

    unsubscribe = session.store.subscribe(heard)
    before = counted()
    run()
    # Counts come beside the rows, the last of them after the query has ended.
    while ended.wait(1.0):
        ended.clear()
    unsubscribe()
    return counted() - before
