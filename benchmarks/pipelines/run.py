"""Pipelines end to end, with our functions and with Spark's default ``udf`` in one session."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.pipelines.flights import FLIGHTS
from benchmarks.pipelines.logs import LOGS
from benchmarks.pipelines.orders import ORDERS
from benchmarks.pipelines.pipeline import Pipeline
from benchmarks.workload import PARTITIONS

PIPELINES = (FLIGHTS, LOGS, ORDERS)
AT_LEAST = 3.0
_TURNS = 5
_WARM = 2


def run() -> list[Figure]:
    """Each from a file to a Parquet file."""
    session = nu.session(workers=PARTITIONS)
    with tempfile.TemporaryDirectory(prefix="pipelines-") as folder:
        return [_measured(session, each, Path(folder)) for each in PIPELINES]


def _measured(session: nu.Session, pipeline: Pipeline, folder: Path) -> Figure:
    spark = session.spark
    for function, result_type in pipeline.functions:
        name = function.__name__
        session.register_function(f"our_{name}", nu.udf(function, result_type=result_type))
        spark.udf.register(f"their_{name}", F.udf(function, result_type))
    _read(session, pipeline, folder).createOrReplaceTempView("given")

    def written(prefix: str) -> Path:
        query = pipeline.query.format(f=prefix, table="given")
        made = folder / prefix
        session.sql(query).write.mode("overwrite").parquet(str(made))
        return made

    ours, theirs = (spark.read.parquet(str(written(prefix))) for prefix in ("our_", "their_"))
    if Counter(map(tuple, ours.collect())) != Counter(map(tuple, theirs.collect())):
        return Figure(pipeline.name, 0, "×", f"≥ {AT_LEAST:g}×", False, "other rows than Spark's")

    def copied() -> None:
        session.sql("SELECT * FROM given").write.mode("overwrite").parquet(str(folder / "copied"))

    cases = {
        "ours": lambda: written("our_"), "theirs": lambda: written("their_"), "copied": copied,
    }  # fmt: skip
    t = in_turn(cases, _TURNS, warm=_WARM)
    name = f"{pipeline.name}, against the same with Spark's default udf"
    found = ratio(name, t["ours"], t["theirs"], at_least=AT_LEAST)
    # Where a query keeps all rows, no function makes it faster than this.
    alone = f"reading and writing all rows without a function {t['copied'].median:.3f} s"
    return replace(found, detail=f"{found.detail}; {alone}")


def _read(session: nu.Session, pipeline: Pipeline, folder: Path) -> DataFrame:
    columns = [f"{sql} AS {name}" for name, sql in pipeline.columns.items()]
    rows = session.spark.range(0, pipeline.rows, 1, PARTITIONS).selectExpr(*columns)
    file = str(folder / pipeline.form)
    rows.write.format(pipeline.form).save(file)
    return session.spark.read.schema(rows.schema).format(pipeline.form).load(file)
