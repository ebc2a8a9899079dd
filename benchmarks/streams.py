"""Aggregates on streams against the same by hand, whole queries."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import notebook_udf as nu
from benchmarks.changing import CASES, CountDistinct, consumed, source
from benchmarks.means import WeightedMean
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.rival import Rival
from benchmarks.workload import PARTITIONS

REPEATS = 1

_NAMES = {
    "small": ("Stream, count distinct, 400,000 rows, 10,000 keys, 97 values", 8.0),
    "large": ("Stream, count distinct, 200,000 rows, 20 keys, a million values", 2.0),
    "mean": ("Stream, weighted mean with a merge, 400,000 rows, 10,000 keys", 8.0),
}


def run() -> list[Figure]:
    """Each case, ours and by hand, which takes a minute."""
    session = nu.session(workers=PARTITIONS, conf={"spark.sql.shuffle.partitions": "2"})
    distinct = session.register_function("differing", nu.udaf(CountDistinct, result_type="bigint"))
    mean = session.register_function("wmean", nu.udaf(WeightedMean, result_type="double"))
    cases: dict[str, Callable[[], object]] = {}
    with tempfile.TemporaryDirectory() as folder, Rival("streams") as rival:
        for name, case in CASES.items():
            rows = source(session.spark, case, Path(folder))
            call = mean("v", "w") if name == "mean" else distinct("v")
            cases[f"ours {name}"] = consumed(rows.transform(nu.aggregate(by="k", n=call)))
            cases[f"hand {name}"] = rival.case(name)
        t = in_turn(cases, REPEATS)
    figures = []
    for name, (title, bar) in _NAMES.items():
        ours, hand = t[f"ours {name}"], t[f"hand {name}"]
        full = f"{title}, against transformWithState by hand"
        figures.append(ratio(full, ours, hand, at_least=bar))
    return figures
