"""The daemon by itself, with the test in the place of the JVM."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

import notebook_udf as nu

ROOT = Path(nu.__file__).resolve().parents[1]


@contextmanager
def daemon(*, path: str = str(ROOT), **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "notebook_udf.pool.daemon", "pyspark.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={
            "PATH": os.environ["PATH"],
            "PYTHONPATH": path,
            "SPARK_REUSE_WORKER": "1",
            "PYTHON_WORKER_FACTORY_SECRET": "s3cret",
            "OMP_NUM_THREADS": "1",
            **variables,
        },
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def port(process: subprocess.Popen[bytes]) -> int:
    assert process.stdout is not None
    data = process.stdout.read(4)
    assert len(data) == 4, process.communicate()[1].decode()
    return int(struct.unpack("!i", data)[0])


def ask_for_worker(number: int) -> tuple[socket.socket, int]:
    connection = socket.create_connection(("127.0.0.1", number), timeout=20)
    return connection, int(struct.unpack("!i", connection.recv(4, socket.MSG_WAITALL))[0])


def test_no_thread_exists_before_a_fork() -> None:
    with daemon() as process:
        port(process)
        assert psutil.Process(process.pid).num_threads() == 1


def test_workers_go_with_the_jvm() -> None:
    with daemon() as process:
        number = port(process)
        workers = [ask_for_worker(number) for _ in range(2)]
        family = [psutil.Process(pid) for _, pid in workers]
        assert process.stdin is not None
        process.stdin.close()
        process.stdin = None
        _, alive = psutil.wait_procs([psutil.Process(process.pid), *family], timeout=10)
        for connection, _ in workers:
            connection.close()
        assert not [p for p in alive if p.status() != psutil.STATUS_ZOMBIE]


def test_workers_go_with_a_daemon_that_is_killed() -> None:
    with daemon() as process:
        connection, pid = ask_for_worker(port(process))
        worker = psutil.Process(pid)
        process.kill()
        psutil.wait_procs([worker], timeout=5)
        connection.close()
        assert not worker.is_running()


def test_a_worker_told_to_go_is_reaped() -> None:
    with daemon() as process:
        connection, pid = ask_for_worker(port(process))
        worker = psutil.Process(pid)
        assert process.stdin is not None
        process.stdin.write(struct.pack("!i", pid))
        process.stdin.flush()
        psutil.wait_procs([worker], timeout=8)
        connection.close()
        assert not worker.is_running()


def test_wrong_secret_is_refused() -> None:
    with daemon() as process:
        connection, pid = ask_for_worker(port(process))
        worker = psutil.Process(pid)
        wrong = b"wrong"
        connection.sendall(struct.pack("!i", len(wrong)) + wrong)
        assert connection.recv(7, socket.MSG_WAITALL) == struct.pack("!i", 3) + b"err"
        connection.close()
        psutil.wait_procs([worker], timeout=10)
        assert not worker.is_running()


def test_a_daemon_that_cannot_start_says_so_and_ends(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("import time\ntime.sleep(600)\n")
    with daemon(path=f"{tmp_path}{os.pathsep}{ROOT}", NOTEBOOK_UDF_START_SECONDS="2") as process:
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 1
        assert b"took more than 2 s" in errors
        assert b"NOTEBOOK_UDF_START_SECONDS" in errors


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
