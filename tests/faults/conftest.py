"""Fixtures of the tests of faults."""

from __future__ import annotations

import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

import notebook_udf as nu
from notebook_udf import udf


@pytest.fixture
def next_query_succeeds(session: nu.Session) -> Iterator[None]:
    """Whatever happened, the next query is answered, and right."""
    yield
    session.register_function(
        "still_there", udf(lambda i: i + 1, result_type="bigint", compile=False)
    )
    rows = session.sql("SELECT still_there(id) FROM range(0, 4, 1, 2)").collect()
    assert sorted(r[0] for r in rows) == [1, 2, 3, 4]


@pytest.fixture
def no_copy_is_left(session: nu.Session) -> Iterator[None]:
    """Every process that a function forked is over, and reaped or a zombie of its worker."""
    yield
    assert session.sql("SELECT 1").collect() == [(1,)]
    workers = [psutil.Process(worker.pid) for worker in session.pool.workers]
    deadline = time.monotonic() + 10
    while True:
        copies = [
            copy
            for worker in workers
            if worker.is_running()
            for copy in worker.children()
            if copy.status() != psutil.STATUS_ZOMBIE
        ]
        if not copies:
            return
        assert time.monotonic() < deadline, f"copies of workers go on: {copies}"
        psutil.wait_procs(copies, timeout=0.1)


@pytest.fixture
def small_disk() -> Iterator[Path]:
    """A disk of a few megabytes; its path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="disk-"))
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=48m,mode=0700", "none", str(folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"a disk of its own needs the right to mount one: {made.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
        folder.rmdir()
