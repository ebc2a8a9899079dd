"""A fork fails: it is retried, then refused."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from tests.lone_daemon import ask_for_worker, daemon, port

_GROUPS = Path("/sys/fs/cgroup/pids" if Path("/sys/fs/cgroup/pids").exists() else "/sys/fs/cgroup")


@pytest.fixture
def process_limit() -> Iterator[Path]:
    """A control group that limits the number of processes in it."""
    group = _GROUPS / f"notebook-udf-test-{os.getpid()}"
    try:
        group.mkdir()
        limited = (group / "pids.max").exists()
    except OSError:
        limited = False
    if not limited:
        pytest.skip("needs a writable cgroup with the pids controller, to make fork() fail")
    yield group
    group.rmdir()


def test_a_fork_that_fails_is_tried_again_and_then_refused(process_limit: Path) -> None:
    with daemon() as process:
        number = port(process)
        (process_limit / "cgroup.procs").write_text(str(process.pid))
        (process_limit / "pids.max").write_text("1")
        connection, answer = ask_for_worker(number)
        connection.close()
        assert answer < 0
        (process_limit / "pids.max").write_text("max")
        connection, pid = ask_for_worker(number)
        assert pid > 0
        worker = psutil.Process(pid)
        worker.kill()
        connection.close()
    psutil.wait_procs([worker], timeout=5)
