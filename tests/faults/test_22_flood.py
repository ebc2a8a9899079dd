"""A flood of lines: bounded, counted, and whole in the file."""

from __future__ import annotations

import os
import threading

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.telemetry import records


def test_a_flood_is_bounded_counted_and_kept_in_the_file(session: nu.Session) -> None:
    flood = 300_000

    def writes(i: int) -> int:
        for n in range(flood):
            print("line", n)
        return os.getpid()

    session.register_function("writes", udf(writes))
    before = session.store.dropped_logs
    kept_before = len(session.logs())
    ended = threading.Event()
    unsubscribe = session.store.subscribe(
        lambda record: ended.set() if isinstance(record, records.TaskEnded) else None
    )
    try:
        pid = session.sql("SELECT writes(id) FROM range(0, 1, 1, 1)").collect()[0][0]
        assert ended.wait(20)
    finally:
        unsubscribe()
    dropped = session.store.dropped_logs - before
    assert dropped > flood // 2
    assert len(session.logs()) - kept_before + dropped == flood
    file = session.folder / "workers" / f"{pid}.log"
    with file.open("rb") as log:
        assert sum(1 for line in log if line.startswith(b"line ")) >= flood
    assert "more not sent" in repr(session.logs())
