"""Watermarks around process functions on streams: the query's own decide what ends when."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import AnalysisException
from pyspark.sql import functions as F
from sample_aggregates import Sum as SumAggregate
from streaming import Stream

import notebook_udf as nu
from notebook_udf import OneInputStreamProcessFunction, StateDeclarations, udaf

COUNT = StateDeclarations.value_state("count", int)
SCHEMA = "t timestamp, v bigint"


def at(minute: int, v: int) -> tuple[dt.datetime, int]:
    return dt.datetime(2024, 5, 1, 10, tzinfo=dt.UTC) + dt.timedelta(minutes=minute), v


TIMES = [
    [at(5, 1), at(15, 2)],
    [at(75, 4), at(50, 5)],
    [at(200, 7)],
    [at(210, 1)],
]
LATE = at(220, 100)


class Passing(OneInputStreamProcessFunction):
    """Hands its records on, and at the end of the input one more."""

    def process_record(self, record: Any, output: Any, ctx: Any) -> None:
        count = ctx.get_state(COUNT)
        count.update((count.value() or 0) + 1)
        output.collect((record.t, record.v))

    def end_input(self, ctx: Any) -> None:
        if ctx.get_state(COUNT).value():
            ctx.apply_to_all_partitions(lambda output, _: output.collect(LATE))

    def uses_states(self) -> Any:
        return [COUNT]


def windows(session: nu.Session, rows: Any, whose: str) -> Any:
    if whose == "theirs":
        return rows.groupBy(F.window("t", "1 hour")).agg(F.sum("v").alias("total"))
    total = session.register_function("w_sum", udaf(SumAggregate, result_type="bigint"))
    return rows.transform(nu.aggregate(by=F.window("t", "1 hour"), total=total("v")))


@pytest.mark.parametrize("whose", ["ours", "theirs"])
def test_windows_behind_a_process_function_end_by_their_own_watermark(
    session: nu.Session, tmp_path: Path, whose: str
) -> None:
    stream = Stream(session.spark, tmp_path, SCHEMA).put(*TIMES)
    rows = stream.rows.transform(nu.process(Passing, output_type=SCHEMA))
    found: list[list[int]] = []
    query = (
        windows(session, rows.withWatermark("t", "10 minutes"), whose)
        .writeStream.outputMode("append")
        .foreachBatch(lambda batch, _: found.append([row.total for row in batch.collect()]))
        .start()
    )
    query.processAllAvailable()
    before = [total for batch in found for total in batch]
    session.drain(query)
    after = [total for batch in found for total in batch][len(before) :]
    assert before == [1 + 2 + 5, 4]
    # What the function gives at its end is in it.
    assert after == [7 + 1 + 100]


def test_a_watermark_before_a_process_function_ends_there(
    session: nu.Session, tmp_path: Path
) -> None:
    stream = Stream(session.spark, tmp_path, SCHEMA).put(*TIMES)
    rows = stream.rows.withWatermark("t", "10 minutes")
    rows = rows.transform(nu.process(Passing, output_type=SCHEMA))
    assert [len(batch) for batch in stream.run(rows, "append") if batch] == [2, 2, 1, 1]
    # What a function collects has no watermark, and who needs one says so.
    with pytest.raises(AnalysisException, match="without watermark"):
        windows(session, rows, "theirs").writeStream.outputMode("append").format("noop").start()
    again = windows(session, rows.withWatermark("t", "10 minutes"), "theirs")
    with pytest.raises(nu.PlanningError, match="leave out the withWatermark before"):
        again.writeStream.outputMode("append").format("noop").start()
