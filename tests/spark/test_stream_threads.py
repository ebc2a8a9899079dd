"""What a streaming query leaves in the kernel: nothing."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path

import notebook_udf as nu


def run_stream(session: nu.Session, checkpoint: Path) -> None:
    rows = session.spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 10).load()
    seen: list[int] = []
    query = (
        rows.writeStream.foreachBatch(lambda batch, _: seen.append(batch.count()))
        .option("checkpointLocation", str(checkpoint))
        .trigger(availableNow=True)
        .start()
    )
    assert query.awaitTermination(60)
    assert sum(seen) > 0


def test_threads_that_spark_called_end_with_their_query(
    session: nu.Session, tmp_path: Path
) -> None:
    # The first one also begins what all share.
    run_stream(session, tmp_path / "first")
    for thread in threads():
        thread.join(0.5)
    before = threads()
    for number in range(3):
        run_stream(session, tmp_path / str(number))
        for thread in threads() - before:
            thread.join(20)
    assert threads() <= before


def test_spark_keeps_no_connection_of_an_ended_query(session: nu.Session, tmp_path: Path) -> None:
    run_stream(session, tmp_path / "first")
    before = held(session)
    for number in range(3):
        run_stream(session, tmp_path / str(number))
    until = time.monotonic() + 20
    while held(session) > before and time.monotonic() < until:
        time.sleep(0.05)
    assert held(session) <= before


def held(session: nu.Session) -> int:
    """How many connections the JVM has on which only one end is left."""
    pid = session.spark._jvm.java.lang.ProcessHandle.current().pid()
    listed = subprocess.run(["ss", "-Htnp"], capture_output=True, text=True, check=True).stdout
    return sum(f"pid={pid}," in line for line in listed.splitlines() if "CLOSE-WAIT" in line)


def threads() -> set[threading.Thread]:
    """Those that py4j has for threads of Spark's."""
    return {each for each in threading.enumerate() if each.name.endswith("(run)")}
