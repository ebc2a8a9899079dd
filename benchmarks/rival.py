"""A Spark as it comes, in a process of its own: what ours is compared to.

Reads the name of a case from stdin, runs it, answers with the seconds it needed.
"""

from __future__ import annotations

import atexit
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.functions import udf

from benchmarks.changing import CASES as STREAMS
from benchmarks.changing import PROVIDER, consumed, source, stream_by_hand
from benchmarks.means import (
    COLUMNS,
    FRAMES,
    GROUPS,
    arrow_mean,
    groups_table,
    pandas_mean,
    window_table,
)
from benchmarks.spellings import OTHERS
from benchmarks.spellings import by_hand as aggregates_by_hand
from benchmarks.texts import (
    FEW_ROWS,
    ONE,
    TWO,
    Halves,
    SplitText,
    by_hand,
    texts_table,
)
from benchmarks.texts import ROWS as TEXTS
from benchmarks.workload import (
    PARTITIONS,
    ROWS,
    consume,
    increment,
    increment_columns,
    shout,
    shout_column,
    table,
)


class Rival:
    """The other end: starts the process and asks it.

    Parameters
    ----------
    kind
        Which cases it gets ready: a key of ``CASES``.
    module
        What runs there.
    """

    def __init__(self, kind: str, module: str = "benchmarks.rival") -> None:
        from notebook_udf.launch.java import find_java

        self._process = subprocess.Popen(
            [sys.executable, "-m", module, kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, **find_java().environment(), "PYSPARK_PYTHON": sys.executable},
        )
        assert self._answer() == "ready"

    def case(self, name: str) -> Callable[[], float]:
        """A case to measure, run over there."""

        def run() -> float:
            assert self._process.stdin is not None
            self._process.stdin.write(f"{name}\n")
            self._process.stdin.flush()
            return float(self._answer())

        return run

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def __enter__(self) -> Rival:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


Cases = dict[str, Callable[[], object]]


def scalar_cases(spark: SparkSession) -> Cases:
    """Spark's default and its pickled ``udf``, and functions of columns written by hand."""
    from pyspark.sql.functions import arrow_udf

    frame = table(spark, ROWS)
    columns = {
        "arrow bigint": arrow_udf(increment_columns, "bigint")("a", "b"),
        "arrow string": arrow_udf(shout_column, "string")("s"),
        "default bigint": udf(increment, "bigint")("a", "b"),
        "pickled bigint": udf(increment, "bigint", useArrow=False)("a", "b"),
        "default string": udf(shout, "string")("s"),
        "pickled string": udf(shout, "string", useArrow=False)("s"),
    }
    return {name: _query(frame.select(column)) for name, column in columns.items()}


def aggregate_cases(spark: SparkSession) -> Cases:
    """Spark's Arrow and pandas grouped aggregates, and the JVM's own."""
    frame = groups_table(spark)
    cases = {}
    for key in GROUPS:
        grouped = frame.groupBy(key)
        cases[f"arrow {key}"] = _query(grouped.agg(arrow_mean()("v", "w")))
        cases[f"pandas {key}"] = _query(grouped.agg(pandas_mean()("v", "w")))
        cases[f"jvm {key}"] = _query(grouped.agg(F.sum("v"), F.count("*")))
    return cases


def spelling_cases(spark: SparkSession) -> Cases:
    """Spark's Arrow grouped aggregates, written by hand."""
    frame = groups_table(spark)
    functions = aggregates_by_hand()
    cases = {}
    for key in GROUPS:
        for kind, columns in COLUMNS.items():
            mean = functions["mean"](*columns.split(", "))
            cases[f"{kind} {key}"] = _query(frame.groupBy(key).agg(mean))
        for name in OTHERS:
            cases[f"{name} {key}"] = _query(frame.groupBy(key).agg(functions[name]("n")))
    return cases


def window_cases(spark: SparkSession) -> Cases:
    """Spark's Arrow and pandas aggregates over a window."""
    frame = window_table(spark)
    cases = {}
    for size in FRAMES:
        window = Window.partitionBy("p").orderBy("o").rowsBetween(-(size - 1), 0)
        for name, mean in (("arrow", arrow_mean()), ("pandas", pandas_mean())):
            cases[f"{name} {size}"] = _query(frame.select("p", "o", mean("v", "w").over(window)))
    return cases


def table_cases(spark: SparkSession) -> Cases:
    """Spark's own table functions, and a pass written by hand."""
    from pyspark.sql.functions import udtf

    frame = texts_table(spark, TEXTS)
    frame.createOrReplaceTempView("texts")
    texts_table(spark, FEW_ROWS).createOrReplaceTempView("few")
    spark.udtf.register("split_text", udtf(SplitText, returnType="w string"))
    spark.udtf.register("halves", udtf(Halves, returnType="h string"))
    return {
        "udtf": _query(spark.sql(ONE.format(table="texts"))),
        "udtf two": _query(spark.sql(TWO.format(table="few"))),
        "by hand": _query(frame.mapInArrow(by_hand, "a bigint, b string, w string")),
    }


def async_cases(spark: SparkSession) -> Cases:
    """Spark's threads for functions that block."""
    from benchmarks.async_calls import rival_cases

    return rival_cases(spark)


def stream_cases(spark: SparkSession) -> Cases:
    """Aggregates on streams, by hand on ``transformWithState``."""
    spark.conf.set(*PROVIDER)
    spark.conf.set("spark.sql.shuffle.partitions", str(PARTITIONS))
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return {
        name: consumed(stream_by_hand(source(spark, case, folder), name))
        for name, case in STREAMS.items()
    }


CASES = {
    "scalar": scalar_cases,
    "aggregates": aggregate_cases,
    "spellings": spelling_cases,
    "windows": window_cases,
    "tables": table_cases,
    "async": async_cases,
    "streams": stream_cases,
}


def _query(frame: DataFrame) -> Callable[[], object]:
    return lambda: consume(frame)


def serve(ready: Callable[[], Cases]) -> None:
    """Runs in the other process: makes the cases, and runs each that it is told."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    cases = ready()
    answers.write("ready\n")
    for line in sys.stdin:
        start = time.perf_counter()
        cases[line.strip()]()
        answers.write(f"{time.perf_counter() - start}\n")


def main(kind: str) -> None:
    """Runs in the rival's process."""
    builder = SparkSession.builder.master(f"local[{PARTITIONS}]")
    serve(lambda: CASES[kind](builder.getOrCreate()))


if __name__ == "__main__":
    main(sys.argv[1])
