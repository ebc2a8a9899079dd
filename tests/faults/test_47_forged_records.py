"""What a record says of a process makes the kernel signal none."""

from __future__ import annotations

import os
import socket
import subprocess
from collections.abc import Iterator

import psutil
import pytest

import notebook_udf as nu
from notebook_udf.telemetry.records import WorkerStarted
from notebook_udf.telemetry.sender import Sender
from notebook_udf.telemetry.wire import ChannelAddress
from tests.waiting import awaited


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the user's, started by the notebook."""
    process = subprocess.Popen(["sleep", "120"])
    yield process
    process.kill()
    process.wait()


@pytest.mark.timeout(60)
def test_restart_ends_no_process_that_a_record_calls_a_worker(
    session: nu.Session, bystander: subprocess.Popen[bytes]
) -> None:
    started = psutil.Process(bystander.pid).create_time()
    sender = Sender(ChannelAddress.read(session.folder))
    try:
        with awaited(session, lambda: bystander.pid in [worker.pid for worker in session.pool]):
            for pid in (-1, bystander.pid):
                sender.send(WorkerStarted(pid, socket.gethostname(), "3.11", started, ""))
        assert os.getpid() not in [worker.pid for worker in session.pool]
        assert session.pool.restart(bystander.pid) == []
        assert bystander.poll() is None
        session.pool.end_idle()
        assert bystander.poll() is None
    finally:
        sender.close()
