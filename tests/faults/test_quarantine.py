"""Rows set aside are there once, or the query fails: whatever dies, and wherever workers run."""

from __future__ import annotations

import os
import random
import select
from pathlib import Path

import psutil
import pytest

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.kernel.quarantine_place import beside, given_place
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE
from tests.cluster import cluster
from tests.scripts import script, told

# Each round is a query of two stages. The second says that the first is over, and waits until an
# executor, which holds a part of the first one's output, is gone.
ON_A_CLUSTER = """
session = nu.session(master="URL")
def picky(i: int) -> int:
    if i % 10 == 3:
        raise ValueError(f"not {i}")
    return i
session.register_function("picky", udf(picky, on_error="quarantine"))
for round in range(TIMES):
    def waits(n: int) -> int:
        try:
            os.write(os.open(f"FOLDER/reached{round}", os.O_WRONLY | os.O_NONBLOCK), b"x")
            open(f"FOLDER/gone{round}").read()
        except OSError:
            pass
        return n
    session.register_function("waits", waits)
    frame = session.sql(
        "SELECT k, waits(count(v)), sum(v) FROM "
        "(SELECT id % 4 AS k, picky(id) AS v FROM range(0, 400, 1, 8)) GROUP BY k"
    )
    answer = sorted(tuple(row) for row in frame.collect())
    rows = session.errors("picky").groupBy("query").agg({"i": "collect_list"}).collect()
    tell(answer=answer, kept=[sorted(row[1]) for row in rows])
session.stop()
"""


class Waiting:
    """Two named pipes of a round: on one the query says that it waits, by the other it goes on."""

    def __init__(self, folder: Path, number: int) -> None:
        reached, self._gone = folder / f"reached{number}", folder / f"gone{number}"
        os.mkfifo(reached)
        os.mkfifo(self._gone)
        self._heard = os.open(reached, os.O_RDONLY | os.O_NONBLOCK)

    def reached(self) -> bool:
        """Waits until the query does."""
        return bool(select.select([self._heard], [], [], 90)[0])

    def go_on(self) -> None:
        """Lets those go on that wait, and those that would begin to."""
        writer = os.open(self._gone, os.O_RDWR)
        self._gone.unlink()
        os.close(writer)
        os.close(self._heard)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.thorough)])
def test_an_executor_that_dies(tmp_path: Path, times: int) -> None:
    bad = list(range(3, 400, 10))
    good = [[i for i in range(k, 400, 4) if i % 10 != 3] for k in range(4)]
    rounds = [Waiting(tmp_path, number) for number in range(times)]
    body = ON_A_CLUSTER.replace("FOLDER", str(tmp_path)).replace("TIMES", str(times))
    with cluster(tmp_path) as spark, script(body.replace("URL", spark.url)) as process:
        for number, waiting in enumerate(rounds):
            assert waiting.reached()
            victim = random.choice(spark.executors)
            victim.kill()
            psutil.wait_procs([victim], timeout=10)
            waiting.go_on()
            facts = told(process)
            assert facts["answer"] == [[k, len(of), sum(of)] for k, of in enumerate(good)]
            assert facts["kept"] == [bad] * (number + 1)
        assert process.wait(60) == 0


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
            given_place(place)


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
