"""The worker's end of the side channel: records out, commands in.

A socket is opened by the first call in a process and belongs to that process: a forked child
starts with a socket, a lock and counts of its own. Nothing here waits for the kernel. Records
that cannot be queued are dropped and counted, for a kernel that does not read must not slow the
rows down.

What it leaves to others: what is sent, and when (``notebook_udf.worker``), the format
(``wire``), the other end (``receiver``).
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import zmq

from notebook_udf.errors import ProtocolError
from notebook_udf.telemetry.kernel_commands import Command, Leaving, Listening
from notebook_udf.telemetry.records import Record
from notebook_udf.telemetry.wire import (
    CHANNEL_VARIABLE,
    MAX_MESSAGE_BYTES,
    ChannelAddress,
    connection_name,
    decode,
    encode,
)

_log = logging.getLogger("notebook_udf.telemetry")

# Records one worker holds while the kernel is busy. Bounded, or a kernel at a breakpoint would
# fill the workers' memory.
QUEUED_RECORDS = 2_000

_LINGER_MS = 500

# How long a call waits for another thread's ``send``. Not for ever: a signal handler that sends
# may have interrupted, on this very thread, the call that holds the lock.
_PATIENCE_SECONDS = 0.1
_CLOSING_SECONDS = 2.0

# Between two times that a worker says that it waits for commands.
_AGAIN_SECONDS = 5.0

_OPENING_ERRORS = (zmq.ZMQError, OSError, TypeError, ValueError)


class _Endpoint:
    """A socket opened on first use, in the process that uses it."""

    def __init__(self, address: ChannelAddress) -> None:
        self.address = address
        self._closed = False
        self._begin()
        _ENDPOINTS.add(self)

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._context: zmq.Context[Any] | None = None
        self._socket: zmq.Socket[bytes] | None = None

    def _forget_parent(self) -> None:
        # Kept alive on purpose: collecting them here would warn about sockets that are the
        # parent's to close.
        _INHERITED.append((self._context, self._socket))
        self._begin()

    def _connected(self) -> zmq.Socket[bytes] | None:
        """The socket; None once closed. The caller holds the lock."""
        if self._socket is None and not self._closed:
            try:
                self._open()
            except _OPENING_ERRORS as error:
                self._closed = True
                self._drop(0)
                _log.warning("no side channel, nothing will be shown of this worker: %s", error)
        return self._socket

    def _open(self) -> None:
        if self._context is None:
            self._context = zmq.Context()
        self._socket = self._connect(self._context)

    def _connect(self, context: zmq.Context[Any]) -> zmq.Socket[bytes]:
        raise NotImplementedError

    def _secured(self, socket: zmq.Socket[bytes]) -> zmq.Socket[bytes]:
        # One that stays when the connection is interrupted: the kernel goes on reaching it.
        socket.routing_id = connection_name()
        socket.curve_serverkey = self.address.server_key.encode("ascii")
        socket.curve_publickey = self.address.client_public.encode("ascii")
        socket.curve_secretkey = self.address.client_secret.encode("ascii")
        socket.linger = _LINGER_MS
        socket.reconnect_ivl = 100
        socket.reconnect_ivl_max = 5_000
        socket.maxmsgsize = MAX_MESSAGE_BYTES
        return socket

    def _drop(self, linger_ms: int) -> None:
        """Closes the socket and its context. The caller holds the lock."""
        socket, self._socket = self._socket, None
        context, self._context = self._context, None
        if socket is not None:
            socket.close(linger=linger_ms)
        if context is not None:
            context.destroy(linger=linger_ms)

    def close(self, linger_ms: int = _LINGER_MS) -> None:
        """Closes the socket; queued records have ``linger_ms`` milliseconds to be handled.

        Idempotent. A child forked before keeps its own socket.
        """
        self._closed = True
        if self._lock.acquire(timeout=_CLOSING_SECONDS):
            end = time.monotonic() + linger_ms / 1000
            try:
                self._take_leave(end)
            finally:
                self._drop(_ms_until(end))
                self._lock.release()

    def _take_leave(self, end: float) -> None:
        """What is to be done before the socket closes, until a time. The caller holds the lock."""


class Sender(_Endpoint):
    """Sends a worker's records to the kernel, from any thread, without blocking.

    Records sent before the connection is made, or while it is interrupted, wait in a queue of
    ``QUEUED_RECORDS``; reconnecting is automatic. Records that no longer fit are dropped and
    counted.

    Parameters
    ----------
    address
        Where the kernel listens, and the keys.

    Attributes
    ----------
    address
        As given; ``WorkerCommands(sender.address)`` listens to the same kernel.
    also
        Takes each record's frames first; if it returns True, the record leaves some other way.
    """

    also: Callable[[list[bytes]], bool] | None = None

    def _begin(self) -> None:
        super()._begin()
        self._lost = 0

    @property
    def lost(self) -> int:
        """The number of records that this process has dropped."""
        return self._lost

    def send(self, record: Record) -> bool:
        """Queues a record; False if it was dropped.

        Never raises because of the channel or of what the record holds: the caller is processing
        the user's rows.
        """
        try:
            frames = encode(record)
        except ProtocolError as error:
            _log.warning("%s", error)
            self._lost += 1
            return False
        if self.also is not None and self.also(frames):
            return True
        if not self._lock.acquire(timeout=_PATIENCE_SECONDS):
            self._lost += 1
            return False
        try:
            socket = self._connected()
            if socket is not None:
                self._queue(socket, frames)
                return True
            self._lost += 1
        except zmq.ZMQError:
            self._lost += 1
        finally:
            self._lock.release()
        return False

    def _queue(self, socket: zmq.Socket[bytes], frames: list[bytes]) -> None:
        try:
            socket.send_multipart(frames, zmq.NOBLOCK)
        except zmq.ZMQError:
            raise
        except BaseException:
            # Raised by a signal handler, maybe between the two frames: on the same socket the
            # next record would be glued to the torn one.
            self._drop(_LINGER_MS)
            raise

    def _take_leave(self, end: float) -> None:
        # Until the kernel has read everything: ZeroMQ does not read on from a connection that was
        # closed while its queue was full, and what lay in the system's socket would be lost.
        if self._socket is None:
            return
        with contextlib.suppress(zmq.ZMQError):
            if self._socket.poll(_ms_until(end), zmq.POLLOUT):
                self._socket.send_multipart(encode(Leaving(os.getpid())), zmq.NOBLOCK)
                self._socket.poll(_ms_until(end))

    def _connect(self, context: zmq.Context[Any]) -> zmq.Socket[bytes]:
        socket = self._secured(context.socket(zmq.DEALER))
        socket.sndhwm = QUEUED_RECORDS
        # IMMEDIATE would drop what is sent during the handshake, that is every worker's first
        # records, which say who it is.
        socket.immediate = False
        socket.connect(self.address.endpoint)
        return socket


class WorkerCommands(_Endpoint):
    """Receives the kernel's commands to this process; for one thread, which also closes it.

    Parameters
    ----------
    address
        Where the kernel listens, and the keys.
    """

    def poll(self, timeout_ms: int) -> list[Command]:
        """The commands that have arrived, after waiting up to ``timeout_ms`` for the first.

        Commands to other workers are left out. Once closed, it returns none, without waiting.
        """
        with self._lock:
            socket = self._connected()
            found: list[Command] = []
            if socket is None:
                return found
            try:
                self._say_so(socket)
                end = time.monotonic() + timeout_ms / 1000
                # A command to another worker does not end the wait for one to this.
                while socket.poll(0 if found else _ms_until(end)):
                    found += _mine(socket.recv_multipart(zmq.NOBLOCK))
            except zmq.ZMQError as error:
                _log.warning("the kernel's commands cannot be read: %s", error)
            finally:
                if self._closed:
                    self._drop(0)
            return found

    def _begin(self) -> None:
        super()._begin()
        self._said = -_AGAIN_SECONDS

    def _say_so(self, socket: zmq.Socket[bytes]) -> None:
        """Tells the kernel that commands are waited for: again and again, since it forgets those
        whose connection was interrupted."""
        now = time.monotonic()
        if now - self._said >= _AGAIN_SECONDS:
            self._said = now
            with contextlib.suppress(zmq.Again):
                socket.send_multipart(encode(Listening(os.getpid())), zmq.NOBLOCK)

    def _connect(self, context: zmq.Context[Any]) -> zmq.Socket[bytes]:
        socket = self._secured(context.socket(zmq.DEALER))
        socket.immediate = False
        socket.connect(self.address.endpoint)
        return socket


def _ms_until(end: float) -> int:
    return max(0, int((end - time.monotonic()) * 1000))


def _mine(frames: list[bytes]) -> list[Command]:
    try:
        record = decode(frames)
    except ProtocolError as error:
        _log.warning("a command this worker cannot read: %.300s", error)
        return []
    if not isinstance(record, Command) or (record.pids and os.getpid() not in record.pids):
        return []
    return [record]


def connect_from_environment() -> Sender | None:
    """The sender for the channel named in this process's environment.

    None if ``CHANNEL_VARIABLE`` is not set or its folder holds no readable address: functions
    also run without a kernel.
    """
    folder = os.environ.get(CHANNEL_VARIABLE)
    if not folder:
        return None
    try:
        return Sender(ChannelAddress.read(Path(folder)))
    except ProtocolError as error:
        _log.warning("running without the side channel: %s", error)
        return None


_ENDPOINTS: weakref.WeakSet[_Endpoint] = weakref.WeakSet()
_INHERITED: list[Any] = []


def _after_fork() -> None:
    for endpoint in list(_ENDPOINTS):
        endpoint._forget_parent()


# Not a comparison of process ids in ``send``: a thread of the parent may hold the lock while it
# forks, and the child could then never take it.

os.register_at_fork(after_in_child=_after_fork)
