"""Aggregates on streams against the same by hand, by rows per second."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import notebook_udf as nu
from benchmarks.changing import CASES, CountDistinct, consumed, source
from benchmarks.means import WeightedMean
from benchmarks.measure import Figure, in_turn
from benchmarks.rival import Rival
from benchmarks.workload import PARTITIONS

REPEATS = 3

_NAMES = {
    "small": ("Stream, count distinct, 400,000 rows, 10,000 keys, 97 values", 8.0),
    "large": ("Stream, count distinct, 200,000 rows, 20 keys, a million values", 2.0),
    "mean": ("Stream, weighted mean with a merge, 400,000 rows, 10,000 keys", 8.0),
}


def run() -> list[Figure]:
    """Each case, ours whole and a tenth of it by hand."""
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
        case, part = CASES[name], CASES[name].tenth()
        ours = case.rows / t[f"ours {name}"].median
        hand = part.rows / t[f"hand {name}"].median
        figures.append(
            Figure(
                f"{title}, against transformWithState by hand",
                ours / hand,
                "×",
                f"≥ {bar:g}×",
                ours / hand >= bar,
                f"{ours:,.0f} rows/s against {hand:,.0f} over a tenth of the rows, medians of "
                f"{REPEATS}",
            )
        )
    return figures
