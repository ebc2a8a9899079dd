"""A worker ignores SIGTERM: it is killed after the grace period."""

from __future__ import annotations

import queue
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

import notebook_udf as nu
from notebook_udf.telemetry.records import LogLines
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_worker_that_ignores_sigterm_is_killed(session: nu.Session) -> None:
    def deaf(i: int) -> int:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        print("deaf")
        return time.sleep(60) or i

    def lost() -> None:
        with pytest.raises(nu.WorkerLost):
            run(session, deaf, "SELECT f(id) FROM range(0, 1, 1, 1)")

    said: queue.Queue[int] = queue.Queue()
    end = session.store.subscribe(
        lambda record: said.put(record.pid) if isinstance(record, LogLines) else None
    )
    with ThreadPoolExecutor(1) as pool:
        query = pool.submit(lost)
        try:
            pid = said.get(timeout=30)
        finally:
            end()
        session.pool.restart(pid)
        query.result(timeout=30)
    ended = session.store.wait_exit(pid, 10)
    assert ended is not None
    assert ended.signal == signal.SIGKILL
    assert not (session.folder / "workers" / f"{pid}.native").exists()
