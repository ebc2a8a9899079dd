"""What a streaming query leaves in the kernel: nothing."""

from __future__ import annotations

import threading
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


def threads() -> set[threading.Thread]:
    """Those that py4j has for threads of Spark's."""
    return {each for each in threading.enumerate() if each.name.endswith("(run)")}
