"""The secret by which a worker knows the JVM on a socket that anybody on the machine can reach.

Spark's worker reads it without a limit: one that says nothing, or announces a gigabyte, would keep
a process for ever.
"""

from __future__ import annotations

import hmac
import os
import socket
import struct
import time

# What a JVM that is busy takes, and more.
_SECONDS = 8.0
_MOST_BYTES = 1024
_LENGTH = struct.Struct("!i")


def is_known(connection: socket.socket) -> bool:
    """Whether who connected sends the secret in time; answers as Spark's worker does."""
    expected = os.environ["PYTHON_WORKER_FACTORY_SECRET"].encode()
    deadline = time.monotonic() + _SECONDS
    try:
        (length,) = _LENGTH.unpack(_read(connection, _LENGTH.size, deadline))
        known = 0 <= length <= _MOST_BYTES and hmac.compare_digest(
            _read(connection, length, deadline), expected
        )
        answer = b"ok" if known else b"err"
        connection.sendall(_LENGTH.pack(len(answer)) + answer)
    except (OSError, EOFError):
        return False
    connection.settimeout(None)
    return known


def _read(connection: socket.socket, size: int, deadline: float) -> bytes:
    data = b""
    while len(data) < size:
        connection.settimeout(max(deadline - time.monotonic(), 0.001))
        more = connection.recv(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data
