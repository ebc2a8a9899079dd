"""A long replay of changes, in a kernel of its own that may be killed: ``python replay.py FOLDER``.

Reads ``FOLDER/source``, writes what each micro-batch brought to ``FOLDER/out``, a file per batch
that a repeated batch replaces. A query that fails is started again from its checkpoint; a kernel
whose JVM is gone exits. At the end it writes what a batch query answers.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from sample_aggregates import CountAggregateFunction, CountDistinctAggregateFunction

import notebook_udf as nu
from notebook_udf import udaf

SCHEMA = "k string, v bigint, op string"


def main(folder: Path) -> None:
    """Runs the replay to its end, or until it is killed."""
    session = nu.session(workers=2, conf={"spark.sql.shuffle.partitions": "2"})
    count = session.register_function("replayed", udaf(CountAggregateFunction()))
    distinct = session.register_function("differing", udaf(CountDistinctAggregateFunction()))
    aggregated = {
        "n": count("v"),
        "d": distinct("v"),
        "once": count("v").distinct(),
    }
    reader = session.spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1)
    rows = reader.parquet(str(folder / "source"))
    frame = rows.transform(nu.aggregate(by="k", change_column="op", **aggregated))
    try:
        while not _replayed(frame, folder):
            pass
    except Exception:
        traceback.print_exc()
        # Without its JVM there is nothing that this kernel could still do in order.
        os._exit(3)
    table = session.spark.read.schema(SCHEMA).parquet(str(folder / "source"))
    put_in = F.when(F.col("op") == "+I", 1).otherwise(-1)
    alive = table.groupBy("k", "v").agg(F.sum(put_in).alias("times")).where("times > 0")
    alive = alive.select("k", "v", F.explode(F.sequence(F.lit(1), "times")))
    _write(folder / "batch.json", alive.transform(nu.aggregate(by="k", **aggregated)).collect())
    state = session.state(str(folder / "checkpoint")).to_dict()
    (folder / "state.json").write_text(json.dumps({k: v[0] for k, v in state["differing"].items()}))
    session.stop()


def _replayed(frame: DataFrame, folder: Path) -> bool:
    """Starts the query; whether it came to its end."""
    writer = frame.writeStream.outputMode("update").option(
        "checkpointLocation", str(folder / "checkpoint")
    )
    query = (
        writer.foreachBatch(lambda rows, number: _keep(folder, rows, number))
        .trigger(availableNow=True)
        .start()
    )
    print("running", flush=True)
    try:
        query.awaitTermination()
    except (StreamingQueryException, nu.NotebookUdfError):
        # This fails if the JVM is gone.
        frame.sparkSession.range(1).collect()
        return False
    return True


def _keep(folder: Path, rows: DataFrame, number: int) -> None:
    _write(folder / "out" / f"{number:05}.json", rows.collect())
    print("batch", flush=True)


def _write(path: Path, rows: list[Any]) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps([list(row) for row in rows]))
    os.replace(partial, path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
