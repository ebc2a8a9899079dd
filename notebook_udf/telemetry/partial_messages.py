"""Messages of workers on other machines whose end has not come yet: how much of them there is.

ZeroMQ hands a message on when all its frames are there, and bounds each frame but not their number:
who holds the channel's key could fill the kernel's memory with one message. So what arrived on a
connection is compared with what was handed on of it; a connection that holds back more than any
record has is closed, by which what was gathered is freed. A worker that was meant by mistake
connects again.

It needs TCP, which counts what it receives. A Unix socket does not; there the key is in a folder
that only processes of the same user can read, and those can take the machine's memory without it.
"""

from __future__ import annotations

import array
import fcntl
import os
import socket
import struct
import termios
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

import zmq

from notebook_udf.telemetry.wire import MAX_MESSAGE_BYTES

# A record is a head and few bodies, of which each may be this long.
MAX_PARTIAL_BYTES = 4 * MAX_MESSAGE_BYTES

# ``tcpi_bytes_received`` in Linux's ``struct tcp_info``.
_TCP_INFO_BYTES = 136
_RECEIVED_AT = 128

# CURVE's frame: a name, a nonce, the box's own bytes and the flags; ZMTP's flags and length before.
_ENVELOPE = 8 + 8 + 16 + 1
_SHORT_HEAD, _LONG_HEAD, _LONGEST_SHORT = 2, 9, 255


@dataclass(eq=False)
class _Connection:
    """A connection by a descriptor of our own: the socket's may be closed and given out again."""

    socket: socket.socket
    handed_on: int = 0
    silent: bool = True
    arrived: int = 0

    def partial(self) -> int:
        return self.arrived - self.handed_on


class PartialMessages:
    """Follows the connections of one listening TCP socket; used by one thread.

    Parameters
    ----------
    port
        On which the socket listens.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._connections: dict[int, _Connection] = {}

    def __len__(self) -> int:
        return len(self._connections)

    def event(self, event: zmq.Event, descriptor: int) -> None:
        """Applies the next event of the socket's monitor."""
        if event == zmq.Event.ACCEPTED:
            self._followed(descriptor)
        elif event == zmq.Event.DISCONNECTED:
            self._forget(descriptor)

    def handed_on(self, descriptor: int, frames: Iterable[bytes]) -> None:
        """Counts a whole message of a connection."""
        connection = self._followed(descriptor)
        if connection is not None:
            connection.handed_on += sum(map(_on_the_wire, frames))
            connection.silent = False

    def look(self) -> None:
        """Notes what has arrived by now, which ``close_excessive`` compares."""
        for connection in self._connections.values():
            connection.silent = True
            connection.arrived = _received(connection.socket)

    def close_excessive(self) -> int:
        """Closes what holds back too much; called when all whole messages of the look are read.

        Returns
        -------
        int
            The number of connections that were closed.
        """
        found = [
            each
            for each in self._connections.values()
            if each.silent and each.partial() > MAX_PARTIAL_BYTES
        ]
        for each in found:
            with suppress(OSError):  # its peer has hung up
                each.socket.shutdown(socket.SHUT_RDWR)
        return len(found)

    def close(self) -> None:
        """Forgets all connections."""
        for descriptor in list(self._connections):
            self._forget(descriptor)

    def _followed(self, descriptor: int) -> _Connection | None:
        """A connection, whichever comes first, the event or its first message."""
        connection = self._connections.get(descriptor) or self._opened(descriptor)
        if connection is not None:
            self._connections[descriptor] = connection
        return connection

    def _opened(self, descriptor: int) -> _Connection | None:
        """None if the descriptor is not that of a connection to the port any more."""
        try:
            own = os.dup(descriptor)
        except OSError:
            return None
        try:
            connection = socket.socket(fileno=own)
        except OSError:
            os.close(own)
            return None
        with suppress(OSError):
            if connection.family != socket.AF_UNIX and connection.getsockname()[1] == self._port:
                return _Connection(connection)
        connection.close()
        return None

    def _forget(self, descriptor: int) -> None:
        connection = self._connections.pop(descriptor, None)
        if connection is not None:
            connection.socket.close()


def _on_the_wire(frame: bytes) -> int:
    """The bytes that a frame takes on an encrypted connection."""
    length = len(frame) + _ENVELOPE
    return length + (_SHORT_HEAD if length <= _LONGEST_SHORT else _LONG_HEAD)


def _received(connection: socket.socket) -> int:
    """The bytes of a connection that ZeroMQ has read."""
    try:
        info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_BYTES)
    except OSError:
        return 0
    unread = array.array("i", [0])
    fcntl.ioctl(connection, termios.FIONREAD, unread)
    (received,) = struct.unpack_from("Q", info, _RECEIVED_AT)
    return int(received) - unread[0]
