"""An executor is killed: answers, metrics and rows set aside are those of a quiet run."""

from __future__ import annotations

import os
import random
import select
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.cluster import Cluster, cluster
from tests.scripts import script, told

# Each round is a query, or a micro-batch, of two stages. The second says that the first is over,
# and waits until an executor, which holds a part of the first one's output, is gone.
ON_A_CLUSTER = """
import glob
session = nu.session(master="URL", conf={"spark.sql.shuffle.partitions": 2})
def picky(i: int) -> int:
    if i % 10 == 3:
        raise ValueError(f"not {i}")
    return i
class Total(nu.AggregateFunction):
    def create_accumulator(self): return [0]
    def accumulate(self, acc, v: int):
        if v is not None: acc[0] += v
    def merge(self, acc, others):
        for other in others: acc[0] += other[0]
    def get_value(self, acc) -> int: return acc[0]
def waits(n: int) -> int:
    for gone in glob.glob("FOLDER/gone*"):
        try:
            os.write(os.open(gone.replace("gone", "reached"), os.O_WRONLY | os.O_NONBLOCK), b"x")
            open(gone).read()
        except OSError:
            pass
    return n
session.register_function("picky", udf(picky, on_error="quarantine"))
session.register_function("total", Total)
session.register_function("waits", waits)
QUERY = "SELECT k, waits(c) AS c, t FROM (SELECT k, count(v) AS c, total(v) AS t FROM " \
        "(SELECT i % 4 AS k, picky(i) AS v FROM numbers) GROUP BY k)"
def kept():
    return sorted(row.i for row in session.errors("picky").select("i").collect())
def measured():
    sums = {}
    for query in session.metrics().to_dict()["queries"]:
        for each in query["functions"]:
            rows, errors = sums.get(each["function"], (0, 0))
            sums[each["function"]] = (rows + each["rows_in"], errors + each["errors"])
    return sums
"""

BATCH = """
session.spark.range(0, 400, 1, 8).selectExpr("id AS i").createOrReplaceTempView("numbers")
while sys.stdin.readline().strip():
    answer = sorted(tuple(row) for row in session.sql(QUERY).collect())
    tell(answer=answer, kept=kept(), measured=measured())
session.stop()
"""

STREAM = """
session.spark.readStream.schema("i LONG").json("FOLDER/lines/*").createOrReplaceTempView("numbers")
query = (session.sql(QUERY).writeStream.outputMode("update").format("memory").queryName("totals")
         .option("checkpointLocation", "FOLDER/checkpoint").start())
while sys.stdin.readline().strip():
    query.processAllAvailable()
    totals = session.spark.sql("SELECT k, max(c), max(t) FROM totals GROUP BY k").collect()
    tell(answer=sorted(tuple(row) for row in totals), kept=kept(), measured=measured())
query.stop()
session.stop()
"""


class Waiting:
    """Two named pipes of a round: on one the query says that it waits, by the other it goes on."""

    def __init__(self, folder: Path, number: int) -> None:
        reached, self._gone = folder / f"reached{number}", folder / f"gone{number}"
        os.mkfifo(reached)
        self._heard = os.open(reached, os.O_RDONLY | os.O_NONBLOCK)
        os.mkfifo(self._gone)

    def reached(self) -> bool:
        """Waits until the query does."""
        return bool(select.select([self._heard], [], [], 90)[0])

    def go_on(self) -> None:
        """Lets those go on that wait, and those that would begin to."""
        writer = os.open(self._gone, os.O_RDWR)
        self._gone.unlink()
        os.close(writer)
        os.close(self._heard)


def rounds(cluster: Cluster, body: str, folder: Path, times: int, *, kill: bool) -> list[Any]:
    """What is told after each round of a script, in which an executor dies or none does."""
    folder.mkdir()
    lines = folder / "lines"
    lines.mkdir()
    facts = []
    with script(body.replace("URL", cluster.url).replace("FOLDER", str(folder))) as process:
        assert process.stdin is not None
        for number in range(times):
            waiting = Waiting(folder, number)
            made = folder / "made"
            made.mkdir()
            for part in range(4):
                numbers = range(100 * part, 100 * part + 100)
                (made / f"{part}.json").write_text("\n".join(f'{{"i": {i}}}' for i in numbers))
            made.rename(lines / str(number))
            print("next", file=process.stdin, flush=True)
            assert waiting.reached()
            if kill:
                victim = random.choice(cluster.executors)
                victim.kill()
                psutil.wait_procs([victim], timeout=10)
            waiting.go_on()
            facts.append(told(process))
        print(file=process.stdin, flush=True)
        assert process.wait(60) == 0
    return facts


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("body", "times"),
    [
        pytest.param(BATCH, 1, id="batch", marks=pytest.mark.thorough),
        pytest.param(STREAM, 1, id="stream", marks=pytest.mark.thorough),
        pytest.param(BATCH, 20, id="batch, 20 times", marks=pytest.mark.thorough),
        pytest.param(STREAM, 20, id="stream, 20 times", marks=pytest.mark.thorough),
    ],
)
def test_an_executor_that_dies_changes_nothing(tmp_path: Path, times: int, body: str) -> None:
    with cluster(tmp_path) as spark:
        quiet = rounds(spark, ON_A_CLUSTER + body, tmp_path / "quiet", times, kill=False)
        deadly = rounds(spark, ON_A_CLUSTER + body, tmp_path / "deadly", times, kill=True)
    good = [[i for i in range(k, 400, 4) if i % 10 != 3] for k in range(4)]
    assert quiet[0]["answer"] == [[k, len(of), sum(of)] for k, of in enumerate(good)]
    assert quiet[-1]["kept"] == sorted(times * list(range(3, 400, 10)))
    assert deadly == quiet
