"""The daemon by itself, with the test in the place of the JVM."""

from __future__ import annotations

import struct

import psutil

from tests.lone_daemon import ask_for_worker, daemon, port


def test_no_thread_exists_before_a_fork() -> None:
    with daemon() as process:
        port(process)
        assert psutil.Process(process.pid).num_threads() == 1


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
