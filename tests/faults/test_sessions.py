"""Whole sessions that end badly, each in a process of its own."""

from __future__ import annotations

import pytest

from tests.scripts import script, told


def test_a_running_spark_is_adopted_whole() -> None:
    body = """
    from pyspark.sql import SparkSession
    from notebook_udf.launch.java import find_java
    os.environ.update(find_java().environment())
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    from pyspark.sql.functions import udf as plain
    assert spark.range(2).select(plain(lambda i: i + 1, "bigint")("id")).count() == 2
    before = spark.sql("SHOW FUNCTIONS").collect()
    session = nu.session(spark)
    session._warmup.wait()
    assert session.java.wait(60)
    session.register_function("f", udf(lambda i: print("hello", i) or i, result_type="bigint"))
    said = threading.Event()
    session.store.subscribe(lambda r: said.set() if r.kind == "log-lines" else None)
    rows = spark.sql("SELECT f(id) FROM range(3)").collect()
    tell(rows=[r[0] for r in rows], said=said.wait(10), workers=len(session.pool),
         notes=session.notes, adopted=session.spark is spark)
    session.stop()
    tell(alive=spark.range(5).count(), same=spark.sql("SHOW FUNCTIONS").collect() == before)
    """
    with script(body) as process:
        facts = told(process)
        assert facts["rows"] == [0, 1, 2]
        assert facts["said"]
        assert facts["adopted"]
        assert facts["workers"] > 0
        assert any("spark.python.unix.domain.socket.enabled" in note for note in facts["notes"])
        assert told(process) == {"alive": 5, "same": True}


# Its workers end with it, and nobody is left to tell.
UNTOLD = """
import psutil, signal
session = nu.session(master="local[2]")
session.register_function("same", udf(lambda i: i, result_type="bigint", compile=False))
session.sql("SELECT sum(same(id)) FROM range(0, 8, 1, 2)").collect()
workers = [psutil.Process(worker.pid) for worker in session.pool]
for daemon in {worker.parent() for worker in workers}:
    daemon.kill()
_, alive = psutil.wait_procs(workers, timeout=20)
tell(workers=len(workers) > 0, alive=len(alive), shown=len(session.pool))
session.stop()
"""


@pytest.mark.timeout(120)
def test_workers_that_nobody_tells_of_leave_the_pool() -> None:
    with script(UNTOLD) as process:
        assert told(process) == {"workers": True, "alive": 0, "shown": 0}
        assert process.wait(60) == 0
