"""A daemon by itself, with a test in the place of the JVM."""

from __future__ import annotations

import os
import socket
import struct
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.scripts import ROOT


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
