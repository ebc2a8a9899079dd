"""What functions write, for tests."""

from __future__ import annotations

import threading
from typing import Any

import notebook_udf as nu
from notebook_udf.telemetry import records
from notebook_udf.telemetry.store.log_blocks import LogEntry


def lines_after(
    session: nu.Session, function: Any, *, until: str, rows: int = 1, timeout: float = 20.0
) -> list[LogEntry]:
    """Runs a function on one worker and returns its log up to a line that says ``until``."""
    session.register_function("writes", function)
    seen = threading.Event()

    def look(record: records.Record) -> None:
        if isinstance(record, records.LogLines) and any(
            until in line.text for line in record.lines
        ):
            seen.set()

    unsubscribe = session.store.subscribe(look)
    try:
        last = max((int(q.query) for q in kept(session) if q.query), default=-1)
        session.sql(f"SELECT writes(id) FROM range(0, {rows}, 1, 1)").collect()
        assert seen.wait(timeout), session.logs()
    finally:
        unsubscribe()
    return [line for line in kept(session) if line.query and int(line.query) > last]


def kept(session: nu.Session) -> list[LogEntry]:
    return session.store.kept_logs().select()
