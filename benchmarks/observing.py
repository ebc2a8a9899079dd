"""What it costs to have functions of PySpark's own API watched: on against off, in one run."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import functions as F

import notebook_udf as nu
from benchmarks.measure import Figure, cost, in_turn
from benchmarks.scalar import TURNS, WARM_TURNS
from benchmarks.workload import PARTITIONS, ROWS, consume, table


def run() -> list[Figure]:
    """``a*b+1`` as people write it by hand, 4 M rows."""
    session = nu.session(workers=PARTITIONS)
    frame = table(session.spark, ROWS)

    def on_series(a: pd.Series, b: pd.Series) -> pd.Series:
        return a * b + 1

    def on_arrays(a: pa.Array, b: pa.Array) -> pa.Array:
        return pc.add(pc.multiply(a, b), 1)

    functions = {
        "udf": F.udf(lambda a, b: a * b + 1, "bigint"),
        "pandas_udf": F.pandas_udf(on_series, "bigint"),
        "arrow_udf": F.arrow_udf(on_arrays, "bigint"),
    }
    cases: dict[str, Callable[[], Any]] = {}
    for name, function in functions.items():
        rows = frame.select(function("a", "b"))
        for on in (True, False):
            cases[f"{name} {on}"] = partial(_run, session, rows, on)
    t = in_turn(cases, TURNS, warm=WARM_TURNS)
    return [
        cost(f"Cost of watching {name}, a*b+1", t[f"{name} True"], t[f"{name} False"], at_most=3)
        for name in functions
    ]


def _run(session: nu.Session, rows: Any, on: bool) -> None:
    session.observe(on)
    consume(rows)
