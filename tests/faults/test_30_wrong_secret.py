"""A wrong, missing or endless secret on the socket of a worker: refused in time."""

from __future__ import annotations

import socket
import struct

import psutil
import pytest

from tests.lone_daemon import ask_for_worker, daemon, port


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


@pytest.mark.parametrize("sent", [b"", struct.pack("!i", 6), struct.pack("!i", 1 << 30)])
def test_one_that_is_slow_or_endless_is_refused_in_time(sent: bytes) -> None:
    with daemon() as process:
        connection, pid = ask_for_worker(port(process))
        worker = psutil.Process(pid)
        connection.sendall(sent)
        _, alive = psutil.wait_procs([worker], timeout=10)
        connection.close()
        assert not alive
