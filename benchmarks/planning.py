"""What it costs to plan a query: to read and write it, and to have Spark judge how it was read."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import sqlglot

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn, ratio
from notebook_udf.kernel.session_catalog import Catalog
from notebook_udf.planner import guard
from notebook_udf.planner.syntax.dialect import read, text, written_out

# The texts of TPC-H, as the tests run them.
QUERIES = [
    path.read_text("utf-8")
    for path in sorted(Path(__file__).parents[1].glob("tests/spark/tpch/*.sql"))
]


def run() -> list[Figure]:
    """Reading without a JVM, then the guard with one."""
    return [reading(), judging()]


def reading() -> Figure:
    """All queries read, written as they were and written out, against sqlglot's own way."""

    def ours() -> None:
        for query in QUERIES:
            tree = read(query)
            text(tree)
            written_out(tree)

    def theirs() -> None:
        for query in QUERIES:
            tree = sqlglot.parse_one(query, dialect="spark")
            tree.sql(dialect="spark")
            tree.sql(dialect="spark")

    timed = in_turn({"ours": ours, "theirs": theirs}, repeats=15)
    name = f"Reading and twice writing {len(QUERIES)} queries of TPC-H, against sqlglot"
    return ratio(name, timed["ours"], timed["theirs"])


def judging(rounds: int = 10) -> Figure:
    """What Spark's judgement of one query takes, once its parser is warm."""
    session = nu.session(workers=2)
    trees = [read(query) for query in QUERIES]
    taken = []
    with Catalog(session.host, session.planned, session.hidden, session.java.listed) as catalog:
        for _ in range(rounds):
            for tree in trees:
                start = time.perf_counter()
                assert guard.misread(tree, catalog) is None
                taken.append(time.perf_counter() - start)
    median = statistics.median(taken[-len(trees) :]) * 1e3
    return Figure(
        "Spark's judgement of how a query of TPC-H was read",
        median,
        "ms",
        "none",
        True,
        f"median of {len(trees)} queries after {rounds - 1} rounds",
    )
