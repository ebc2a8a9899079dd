"""A worker ignores SIGTERM: it is killed after the grace period."""

from __future__ import annotations

import queue
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from py4j.protocol import Py4JJavaError

import notebook_udf as nu
from notebook_udf.telemetry.records import LogLines
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def deaf(i: int) -> int:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    print("deaf")
    time.sleep(60)
    return i


def ended_with(session: nu.Session, error: type[Exception], stop: Callable[[int], object]) -> int:
    """The worker of a query that ``stop`` has ended, by its process id, with an error."""

    def lost() -> None:
        with pytest.raises(error):
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
        stop(pid)
        query.result(timeout=30)
    return pid


def is_killed(session: nu.Session, pid: int) -> bool:
    ended = session.store.wait_exit(pid, 15)
    assert not (session.folder / "workers" / f"{pid}.native").exists()
    return ended is not None and ended.signal == signal.SIGKILL


def test_worker_that_ignores_sigterm_is_killed(session: nu.Session) -> None:
    pid = ended_with(session, nu.WorkerLost, session.pool.restart)
    assert is_killed(session, pid)


def test_with_its_cancelled_task(session: nu.Session) -> None:
    jobs = session.spark.sparkContext
    pid = ended_with(session, Py4JJavaError, lambda _pid: jobs.cancelAllJobs())
    assert is_killed(session, pid)
