"""An idle worker is killed: the next query gets another."""

from __future__ import annotations

import os
import signal

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_idle_worker_killed(session: nu.Session) -> None:
    assert len(run(session, udf(lambda i: i, result_type="bigint", compile=False))) == 10
    idle = [worker.pid for worker in session.pool]
    assert idle
    for pid in idle:
        os.kill(pid, signal.SIGKILL)
    for pid in idle:
        ended = session.store.wait_exit(pid, 10)
        assert ended is not None
        assert ended.signal == signal.SIGKILL
    assert len(run(session, udf(lambda i: i, result_type="bigint", compile=False))) == 10
