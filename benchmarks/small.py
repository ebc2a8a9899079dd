"""A case of each kind and few rows, against Spark's own in the same session: within minutes.

What a query costs once is a large part of it, so its bars are low. A tier that is lost shows, or a
function that leaves Spark's JVM; a tenth more or less does not.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from statistics import geometric_mean
from typing import NamedTuple

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.means import WeightedMean, arrow_mean, groups_table
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.mix import DEVELOPED, KEPT_APART
from benchmarks.mix.run import cached_columns
from benchmarks.scalar import FUNCTIONS, OPTIONS, TIERS
from benchmarks.texts import ONE, SplitText, split_text, texts_table
from benchmarks.workload import PARTITIONS, consume, table

TURNS = 5
WARM_TURNS = 4
ROWS = 500_000
GROUPS = 5_000
TEXTS = 20_000
# Functions of the mix.
ORDINARY = ("bmi_category", "clean_postcode", "luhn_valid", "season_of_date")
ORDINARY_ROWS = 200_000

_BARS = {
    ("bigint", "JVM"): 2.5, ("bigint", "Arrow"): 1.0, ("bigint", "rows"): 0.7,
    ("string", "JVM"): 1.5, ("string", "Arrow"): 1.0, ("string", "rows"): 0.7,
}  # fmt: skip
_ORDINARY_BAR, _MEAN_BAR, _TABLE_BAR = 1.5, 2.0, 4.0

Cases = dict[str, Callable[[], object]]


class _Pair(NamedTuple):
    """A figure's name, the cases of ours and of Spark's, and the bar."""

    name: str
    ours: str
    theirs: str
    bar: float


def run() -> list[Figure]:
    """Scalar functions by tier, ordinary ones, an aggregate and a table function."""
    session = nu.session(workers=PARTITIONS)
    # The first case, too, is to run where the others do.
    assert session.java.wait(120)
    cases: Cases = {}
    pairs = [*_scalar(session, cases), *_aggregate(session, cases), *_table(session, cases)]
    ordinary = _ordinary(session, cases)
    t = in_turn(cases, TURNS, warm=WARM_TURNS)
    quotients = [t[theirs].median / t[ours].median for ours, theirs in ordinary]
    mean = geometric_mean(quotients)
    return [
        *(ratio(p.name, t[p.ours], t[p.theirs], at_least=p.bar) for p in pairs),
        Figure(
            f"{len(ordinary)} ordinary functions, geometric mean against Spark's default udf",
            mean, "×", f"≥ {_ORDINARY_BAR:g}×", mean >= _ORDINARY_BAR,
            ", ".join(f"{n} {q:.2f}" for n, q in zip(ORDINARY, quotients, strict=True)),
        ),
    ]  # fmt: skip


def _scalar(session: nu.Session, cases: Cases) -> list[_Pair]:
    frame = table(session.spark, ROWS)
    pairs = []
    for kind, (name, function, columns) in FUNCTIONS.items():
        cases[f"{kind} default"] = _query(frame.select(F.udf(function, kind)(*columns)))
        for tier, options in OPTIONS.items():
            declared = nu.udf(function, **options)
            ours = session.register_function(f"{kind}_{tier}", declared)
            cases[f"{kind} {tier}"] = _query(frame.select(ours(*columns)))
            against = f"{name} {TIERS[tier]}, against Spark's default udf"
            pairs.append(_Pair(against, f"{kind} {tier}", f"{kind} default", _BARS[kind, tier]))
    return pairs


def _aggregate(session: nu.Session, cases: Cases) -> list[_Pair]:
    rows = groups_table(session.spark, ROWS).withColumn("key", F.col("single") % GROUPS)
    ours = session.register_function("wmean", WeightedMean())
    cases["mean"] = _query(rows.transform(nu.aggregate(by="key", mean=ours("v", "w"))))
    cases["mean arrow"] = _query(rows.groupBy("key").agg(arrow_mean()("v", "w")))
    name = f"Weighted mean in {GROUPS:,} groups, against Spark's Arrow aggregate"
    return [_Pair(name, "mean", "mean arrow", _MEAN_BAR)]


def _table(session: nu.Session, cases: Cases) -> list[_Pair]:
    texts_table(session.spark, TEXTS).createOrReplaceTempView("texts")
    session.register_function("split_text", split_text)
    session.spark.udtf.register("split_by_spark", F.udtf(SplitText, returnType="w string"))
    query = ONE.format(table="texts")
    cases["split"] = _query(session.sql(query))
    cases["split lateral"] = _query(
        session.spark.sql(query.replace("split_text", "split_by_spark"))
    )
    name = "A text split into 4 rows, against Spark's lateral udtf"
    return [_Pair(name, "split", "split lateral", _TABLE_BAR)]


def _ordinary(session: nu.Session, cases: Cases) -> list[tuple[str, str]]:
    known = {case.name: case for case in (*DEVELOPED, *KEPT_APART)}
    pairs = []
    for name in ORDINARY:
        case = known[name]
        rows = cached_columns(session.spark, case, ORDINARY_ROWS)
        ours = session.register_function(
            f"mix_{name}", nu.udf(case.function, result_type=case.result_type)
        )
        cases[name] = _query(rows.select(ours(*rows.columns)))
        default = F.udf(case.function, case.result_type)
        cases[f"{name} default"] = _query(rows.select(default(*rows.columns)))
        pairs.append((name, f"{name} default"))
    return pairs


def _query(frame: DataFrame) -> Callable[[], object]:
    return partial(consume, frame)
