"""Table functions against Spark's own, and against what people write by hand."""

from __future__ import annotations

from collections.abc import Callable

import notebook_udf as nu
from benchmarks.measure import Figure, in_turn, ratio
from benchmarks.rival import Rival
from benchmarks.texts import FEW_ROWS, ONE, ROWS, TWO, halves, split_text, texts_table
from benchmarks.workload import PARTITIONS, consume

REPEATS = 5


def run() -> list[Figure]:
    """A text split into four rows, two columns beside it; and each of those into two."""
    session = nu.session(workers=PARTITIONS)
    texts_table(session.spark, ROWS).createOrReplaceTempView("texts")
    texts_table(session.spark, FEW_ROWS).createOrReplaceTempView("few")
    session.register_function("split_text", split_text)
    session.register_function("halves", halves)
    session.register_function("split_in_worker", split_text, compile=False)
    one, two = session.sql(ONE.format(table="texts")), session.sql(TWO.format(table="few"))
    in_worker = session.sql(ONE.format(table="texts").replace("split_text", "split_in_worker"))
    cases: dict[str, Callable[[], object]] = {
        "ours": lambda: consume(one),
        "in a worker": lambda: consume(in_worker),
        "ours two": lambda: consume(two),
    }
    with Rival("tables") as rival:
        for name in ("udtf", "udtf two", "by hand"):
            cases[name] = rival.case(name)
        t = in_turn(cases, REPEATS)
    name = f"A text split into 4 rows, {ROWS:,} texts, two columns beside it, against"
    return [
        ratio(f"{name} Spark's lateral udtf", t["ours"], t["udtf"], at_least=15),
        ratio(f"{name} mapInArrow by hand", t["ours"], t["by hand"], at_least=1.2),
        ratio(f"{name} mapInArrow by hand, with compile=False", t["in a worker"], t["by hand"]),
        ratio(
            f"Two table functions in a row, {FEW_ROWS:,} texts, against Spark's lateral udtf",
            t["ours two"],
            t["udtf two"],
            at_least=20,
        ),
    ]
