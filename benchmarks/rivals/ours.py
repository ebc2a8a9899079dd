"""Ours by tier: in Spark's JVM, as Arrow kernels, and row by row in Python workers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pyspark
from pyspark.sql import DataFrame

import notebook_udf as nu
from benchmarks.means import WeightedMean
from benchmarks.rivals.cases import Case
from benchmarks.rivals.serving import Maker, NotThere, Query, serve
from benchmarks.rivals.spark import answered
from benchmarks.workload import PARTITIONS

_OPTIONS: dict[str, dict[str, Any]] = {
    "jvm": {}, "kernels": {"compile": False}, "rows": {"compile": False, "vectorise": False},
}  # fmt: skip
# How ``explain`` says where a function runs.
_SAID = {
    "jvm": "runs in Spark's JVM",
    "kernels": "runs a bundle at a time",
    "rows": "runs row by row",
}


def by_tier(session: nu.Session, tier: str, case: Case, folder: str) -> Query:
    """The case in one tier.

    Raises
    ------
    NotThere
        If the function would run in another tier: its time stands there already.
    """
    rows = session.spark.read.parquet(folder)
    make = {"scalar": _scalar, "table": _table, "aggregate": _aggregate}[case.kind]
    return answered(case, make(session, tier, case, rows))


def _scalar(session: nu.Session, tier: str, case: Case, rows: DataFrame) -> DataFrame:
    declared = nu.udf(case.by_row, result_type=case.result, **_OPTIONS[tier])
    ours = session.register_function(f"{case.name}_{tier}", declared)
    results = rows.select(ours(*case.columns).alias("r"))
    lines = ours.explain().splitlines()
    if not any(line.startswith(_SAID[tier]) for line in lines):
        why = [line for line in lines if line.startswith(("left to Python", "not in Spark's JVM"))]
        raise NotThere(why[0] if why else lines[1])
    return results


def _table(session: nu.Session, tier: str, case: Case, rows: DataFrame) -> DataFrame:
    if tier != "rows":
        raise NotThere("table functions run row by row in Python workers")
    session.register_function("split_text", nu.udtf(case.by_row, result_types="r string"))
    rows.createOrReplaceTempView("texts")
    return session.sql("SELECT x.r FROM texts, LATERAL split_text(s) AS x(r)")


def _aggregate(session: nu.Session, tier: str, case: Case, rows: DataFrame) -> DataFrame:
    if tier == "kernels":
        raise NotThere("aggregates are Spark's own sums in the JVM, or run row by row")
    declared = nu.udaf(WeightedMean(), compile=tier == "jvm")
    ours = session.register_function(f"wmean_{tier}", declared)
    return rows.transform(nu.aggregate(by="k", r=ours(*case.columns)))


def open_makers() -> tuple[str, Mapping[str, Maker]]:
    session = nu.session(workers=PARTITIONS)
    ways = {tier: partial(by_tier, session, tier) for tier in _OPTIONS}
    return f"notebook-udf on Spark {pyspark.__version__}", ways


if __name__ == "__main__":
    serve(open_makers)
