"""Streams of process functions whose workers are killed: nothing is lost, and nothing twice."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import StreamingQueryException
from streaming import Stream

import notebook_udf as nu
from notebook_udf import OneInputStreamProcessFunction, StateDeclarations

VALUES = StateDeclarations.list_state("values", int)


class Mortal(OneInputStreamProcessFunction, nu.WithGracefulShutdown):
    """Sums the values of a key; where a file says so, its worker is killed, once per file."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        values = ctx.get_state(VALUES)
        values.add(record.v)
        self._die(f"record {record.v}")
        output.collect((record.k, sum(values)))

    def end_input(self, ctx: Any) -> None:
        def emit(collector: Any, context: Any) -> None:
            collector.collect((context.get_current_key(), -sum(context.get_state(VALUES))))
            context.get_state(VALUES).clear()

        ctx.apply_to_all_partitions(emit)
        self._die("end")

    def prepare_to_shutdown(self) -> None:
        self._die("prepare")

    def shutdown(self) -> None:
        pass

    def uses_states(self) -> Any:
        return [VALUES]

    def _die(self, where: str) -> None:
        path = os.path.join(self._folder, where)
        if os.path.exists(path):
            os.unlink(path)
            os.kill(os.getpid(), signal.SIGKILL)


def test_a_query_killed_and_restarted_gives_what_one_gives_that_was_not(
    session: nu.Session, tmp_path: Path
) -> None:
    kills = tmp_path / "kills"
    kills.mkdir()
    function = nu.process(Mortal(str(kills)), "k", "k string, total bigint")
    stream = Stream(session.spark, tmp_path, "k string, v bigint")
    stream.put(*([("a", 2 * i), ("b", 2 * i + 1)] for i in range(4)), [("c", 700)] * 700)
    for place in ("record 3", "record 6", "end", "prepare"):
        (kills / place).touch()
    # By batch: one that did not come through is run again.
    found: dict[int, list[tuple[Any, ...]]] = {}

    def take(rows: Any, batch: int) -> None:
        found[batch] = [tuple(row) for row in rows.collect()]

    def drained() -> None:
        writer = stream.rows.transform(function).writeStream.foreachBatch(take)
        query = writer.option("checkpointLocation", stream.checkpoint).start()
        session.drain(query)

    while any(kills.iterdir()):
        with pytest.raises((StreamingQueryException, nu.NotebookUdfError)):
            drained()
        # Something has to be processed for an end to come after it.
        stream.put([("a", 0)])
    drained()
    *batches, last = (found[batch] for batch in sorted(found))
    totals: dict[str, int] = {}
    for key, total in (row for batch in batches for row in batch):
        assert total >= totals.get(key, 0)
        totals[key] = total
    assert totals == {"a": 12, "b": 16, "c": 490_000}
    assert sorted(last) == [("a", -12), ("b", -16), ("c", -490_000)]
    assert session.state(stream.checkpoint).to_dict() == {
        "Mortal": {key: {"values": []} for key in "abc"}
    }
