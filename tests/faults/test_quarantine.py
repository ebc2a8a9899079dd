"""Rows set aside are there once, or the query fails: whatever dies, and wherever workers run."""

from __future__ import annotations

import os
import random
import select
from pathlib import Path
from typing import Any

import psutil
import pytest

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.kernel.quarantine_folder import beside, given_folder
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE
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
        pytest.param(BATCH, 1, id="batch"),
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


def test_rows_that_cannot_be_kept_fail_the_query(session: nu.Session) -> None:
    def unkept(i: int) -> int:
        return 10 // i

    environment = session.spark.sparkContext.environment
    folder = environment[CHANNEL_VARIABLE]
    # What a worker on another machine sees.
    environment[CHANNEL_VARIABLE] = "/nowhere/to/be/seen"
    try:
        session.register_function("unkept", udf(unkept, on_error="quarantine"))
        frame = session.sql("SELECT unkept(id) FROM range(-1, 2, 1, 1)")
        with pytest.raises(nu.UserFunctionError) as raised:
            frame.collect()
        whole = session.sql("SELECT unkept(id) AS x FROM range(1, 3, 1, 1)").collect()
    finally:
        environment[CHANNEL_VARIABLE] = folder
    text = str(raised.value)
    assert "1 row on which unkept raised cannot be kept for session.errors('unkept')" in text
    assert 'on_error="null"' in text
    assert "division" in text
    assert [row.x for row in whole] == [10, 5]


def test_rows_before_a_limit_ended_the_query(session: nu.Session) -> None:
    def early(i: int) -> int:
        return 10 // i

    session.register_function("early", udf(early, on_error="quarantine"))
    rows = session.sql("SELECT early(id) AS x FROM range(0, 1000000, 1, 1) LIMIT 2").collect()
    assert [row.x for row in rows] == [None, 10]
    assert [row.i for row in session.errors("early").collect()] == [0]


def test_a_place_that_cannot_be_written_to_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for place in (tmp_path / "file" / "below", "nothing://of/the/kind", "file://"):
        with pytest.raises(nu.DeclarationError, match=r"quarantine_path=.* cannot be written to"):
            given_folder(place)


ON_OTHER_MACHINES = """
def picky(i: int) -> int:
    return 10 // i
for warehouse in ("SHARED", "HIDDEN"):
    session = nu.session(master="URL", conf={"spark.sql.warehouse.dir": warehouse})
    session.register_function("picky", udf(picky, on_error="quarantine"))
    try:
        rows = session.sql("SELECT picky(id) AS x FROM range(-1, 2, 1, 2)").collect()
        kept = [row.i for row in session.errors("picky").collect()]
        tell(rows=[row.x for row in rows], kept=kept)
    except nu.UserFunctionError as error:
        tell(refused=str(error))
    session.stop()
"""


@pytest.mark.timeout(300)
def test_a_cluster_keeps_them_beside_its_warehouse(tmp_path: Path) -> None:
    shared, hidden = (tmp_path / name / "tables" for name in ("shared", "hidden"))
    shared.mkdir(parents=True)
    hidden.mkdir(parents=True)
    body = ON_OTHER_MACHINES.replace("SHARED", str(shared)).replace("HIDDEN", str(hidden))
    with (
        cluster(tmp_path, hidden=[hidden.parent]) as spark,
        script(body.replace("URL", spark.url)) as process,
    ):
        assert told(process) == {"rows": [-10, None, 10], "kept": [0]}
        refused = told(process)["refused"]
        assert process.wait(60) == 0
    assert "1 row on which picky raised cannot be kept" in refused
    assert f"there is no folder {hidden.parent}/" in refused
    # They went with their sessions.
    assert list(tmp_path.glob("*/notebook-udf-quarantine/*")) == []


@pytest.mark.parametrize(
    ("warehouse", "place"),
    [
        ("s3a://bucket/tables", "s3a://bucket"),
        ("s3a://bucket/", "s3a://bucket"),
        ("hdfs://name:8020/user/hive/warehouse", "hdfs://name:8020/user/hive"),
        ("hdfs:///user/hive/warehouse/", "hdfs:///user/hive"),
        ("file:/mnt/lake/tables", "file:///mnt/lake"),
        ("/mnt/lake/tables", "file:///mnt/lake"),
        ("file:/home/someone/spark-warehouse", None),
        ("", None),
    ],
)
def test_beside_a_warehouse(warehouse: str, place: str | None) -> None:
    found = beside(warehouse)
    if place is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith(f"{place}/notebook-udf-quarantine/2")
