"""A Spark as it comes: its default ``udf``, the pickled one, and functions of columns by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from inspect import Parameter, Signature
from typing import Any

import pandas as pd
import pyarrow as pa
import pyspark
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from benchmarks.rivals.cases import Answer, Case
from benchmarks.rivals.serving import Maker, NotThere, Query, serve
from benchmarks.workload import PARTITIONS


class Made:
    """Queries over one session; Sail's is made the same way.

    Parameters
    ----------
    spark
        Where they run.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.spark = spark

    def default(self, case: Case, folder: str) -> Query:
        return self._by_row(case, folder, {})

    def pickled(self, case: Case, folder: str) -> Query:
        return self._by_row(case, folder, {"useArrow": False})

    def _by_row(self, case: Case, folder: str, options: dict[str, Any]) -> Query:
        if case.kind == "aggregate":
            raise NotThere("PySpark has no aggregates of rows")
        rows = self.spark.read.parquet(folder)
        function = case.by_row
        if case.kind == "scalar":
            column = F.udf(function, case.result, **options)(*case.columns)
            return answered(case, rows.select(column.alias("r")))

        class Split:
            def eval(self, text: str) -> Iterator[Any]:
                for row in function(text):
                    yield (row,)

        self.spark.udtf.register("split_text", F.udtf(Split, returnType="r string", **options))
        rows.createOrReplaceTempView("texts")
        return answered(
            case, self.spark.sql("SELECT x.r FROM texts, LATERAL split_text(s) AS x(r)")
        )

    def pandas(self, case: Case, folder: str) -> Query:
        rows, function = self.spark.read.parquet(folder), case.by_pandas

        def split(batches: Iterator[pd.DataFrame]) -> Iterator[pd.DataFrame]:
            for batch in batches:
                yield pd.DataFrame({"r": function(batch["s"])})

        if case.kind == "table":
            return answered(case, rows.select("s").mapInPandas(split, "r string"))
        return _by_column(case, rows, pandas_function(case))

    def arrow(self, case: Case, folder: str) -> Query:
        from pyspark.sql.functions import arrow_udf

        rows, function = self.spark.read.parquet(folder), case.by_arrow

        def split(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                words = function(batch.column("s")).flatten()
                yield pa.RecordBatch.from_arrays([words], ["r"])

        if case.kind == "table":
            return answered(case, rows.select("s").mapInArrow(split, "r string"))
        if case.kind == "aggregate":

            def aggregate(v: pa.Array, w: pa.Array) -> float:
                return float(function(v, w))

            return _by_column(case, rows, arrow_udf(aggregate, case.result))
        return _by_column(case, rows, arrow_udf(_typed(function, pa.Array, case), case.result))


def pandas_function(case: Case) -> Any:
    """A ``pandas_udf``: of a whole group for an aggregate, which its hints say."""
    function = case.by_pandas
    if case.kind == "aggregate":

        def aggregate(v: pd.Series, w: pd.Series) -> float:
            return float(function(v, w))

        # PySpark evaluates hints where the function was written.
        aggregate.__annotations__ = {"v": pd.Series, "w": pd.Series, "return": float}
        return F.pandas_udf(aggregate, case.result)
    return F.pandas_udf(_typed(function, pd.Series, case), case.result)


def _typed(function: Callable[..., Any], kind: Any, case: Case) -> Callable[..., Any]:
    """The function with hints that say that it takes and returns columns."""

    def columns(*values: Any) -> Any:
        return function(*values)

    # PySpark reads hints, and knows none of *values.
    columns.__annotations__ = {**dict.fromkeys(case.columns, kind), "return": kind}
    parameters = [
        Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, annotation=kind) for name in case.columns
    ]
    columns.__signature__ = Signature(parameters, return_annotation=kind)  # type: ignore[attr-defined]
    return columns


def _by_column(case: Case, rows: DataFrame, function: Callable[..., Any]) -> Query:
    result = function(*case.columns).alias("r")
    if case.kind == "aggregate":
        return answered(case, rows.groupBy("k").agg(result))
    return answered(case, rows.select(result))


def answered(case: Case, results: DataFrame) -> Query:
    """Collects what the column ``r`` comes to."""

    def run() -> Answer:
        # A DataFrame that has been collected keeps what it shuffled: collected once more, it would
        # call no function.
        return list(results.selectExpr(*case.aggregate.split(", ")).collect()[0])

    return run


def open_makers() -> tuple[str, dict[str, Maker]]:
    builder = SparkSession.builder.master(f"local[{PARTITIONS}]")
    made = Made(builder.config("spark.ui.enabled", "false").getOrCreate())
    ways: dict[str, Maker] = {
        "default": made.default,
        "pickled": made.pickled,
        "pandas": made.pandas,
        "arrow": made.arrow,
    }
    return f"Spark {pyspark.__version__}", ways


if __name__ == "__main__":
    serve(open_makers)
