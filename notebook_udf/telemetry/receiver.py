"""The kernel's end of the side channel: records in, commands out.

Two sockets in a folder that only the owner may enter: one receives records from workers, one
sends commands to them. Both use CURVE and accept only the key pair in the folder's
``channel.json``: a peer without it is refused before a byte of its messages is read.

What it leaves to others: making the folder and removing it (the session), the format (``wire``),
the other end (``sender``), what records mean (``store``).
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from notebook_udf.errors import ProtocolError, SessionError
from notebook_udf.telemetry.handshakes import Handshakes
from notebook_udf.telemetry.records import Command, Record
from notebook_udf.telemetry.wire import MAX_MESSAGE_BYTES, ChannelAddress, decode, encode

_log = logging.getLogger("notebook_udf.telemetry")

# A Unix socket's path has to fit into ``sockaddr_un``; macOS has the smaller one.
_LONGEST_PATH = 103

# Records queued per worker while ``on_record`` is busy; further ones wait in the worker.
_QUEUED_RECORDS = 1_000

# Encryption makes a message a little longer than what was encoded.
_ENVELOPE_BYTES = 1024

# Records taken before the other sockets are polled: a flood must not keep a peer's handshake
# waiting past its time.
_BATCH = 200

# What a worker sent before it ended may still lie in the system's socket when the session closes.
# Silence this long means that it has been read; workers that go on sending do not hold it up.
_QUIET_MS = 100
_CLOSING_SECONDS = 2.0

_ZAP_ADDRESS = "inproc://zeromq.zap.01"


class Receiver:
    """Listens to the workers of one session, on a thread of its own.

    Parameters
    ----------
    folder
        An existing folder of mode 0700, without a channel in it yet.
    on_record
        Called with each record, on the receiver's thread. What it raises is logged and counted.
    handshake_seconds
        The time limit of a peer's handshake.

    Attributes
    ----------
    address
        What workers need to connect; also in ``folder/channel.json``.
    received, rejected, refused, callback_errors
        Counts: records handed on; messages of authenticated peers that are not records;
        peers that failed the handshake; calls of ``on_record`` that raised.

    Raises
    ------
    SessionError
        If the folder is not the owner's alone, has a channel already, or its path is too long
        for a socket.
    """

    def __init__(
        self,
        folder: Path,
        on_record: Callable[[Record], None],
        *,
        handshake_seconds: float = 5.0,
    ) -> None:
        self.folder = Path(os.path.abspath(folder))
        self.received = 0
        self.rejected = 0
        self.refused = 0
        self.callback_errors = 0
        self._on_record = on_record
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._open = True
        self._seldom = _Seldom()
        self._handshakes: list[Handshakes] = []
        self._handshake_ms = max(1, int(handshake_seconds * 1000))
        paths = [self.folder / "events.sock", self.folder / "commands.sock"]
        _check_folder(self.folder, paths)

        public, self._secret = zmq.curve_keypair()
        client_public, client_secret = zmq.curve_keypair()
        self._client_key = z85.decode(client_public)
        self.address = ChannelAddress(
            events=f"ipc://{paths[0]}",
            commands=f"ipc://{paths[1]}",
            server_key=public.decode("ascii"),
            client_public=client_public.decode("ascii"),
            client_secret=client_secret.decode("ascii"),
        )
        try:
            # Written before anything is bound: its exclusive creation is what keeps two
            # receivers from taking each other's sockets.
            self.address.write(self.folder)
        except FileExistsError as error:
            raise SessionError(
                f"{self.folder} already holds a channel: give each session a folder of its own"
            ) from error
        self._files = [*paths, self.folder / "channel.json"]
        self._context: zmq.Context[Any] = zmq.Context()
        try:
            self._bind()
        except BaseException:
            self._dispose()
            raise
        self._thread = threading.Thread(
            target=self._run, name="notebook-udf-telemetry", daemon=True
        )
        self._thread.start()

    def _bind(self) -> None:
        # First, and closed last: without it the sockets would take any client that knows the
        # server's key.
        self._zap = self._context.socket(zmq.REP)
        self._zap.linger = 0
        self._zap.bind(_ZAP_ADDRESS)
        self._wake = self._context.socket(zmq.PAIR)
        self._wake.bind("inproc://wake")
        self._waker = self._context.socket(zmq.PAIR)
        self._waker.connect("inproc://wake")
        self._events = self._server(zmq.PULL, self.address.events)
        self._events.rcvhwm = _QUEUED_RECORDS
        self._commands = self._server(zmq.PUB, self.address.commands)
        self._monitors = []
        for socket, address in (
            (self._events, self.address.events),
            (self._commands, self.address.commands),
        ):
            self._monitors.append(socket.get_monitor_socket())
            self._handshakes.append(Handshakes())
            socket.bind(address)
            os.chmod(address.removeprefix("ipc://"), 0o600)

    def _server(self, kind: int, address: str) -> zmq.Socket[bytes]:
        socket: zmq.Socket[bytes] = self._context.socket(kind)
        socket.curve_server = True
        socket.curve_secretkey = self._secret
        socket.zap_domain = b"notebook-udf"
        socket.handshake_ivl = self._handshake_ms
        socket.maxmsgsize = MAX_MESSAGE_BYTES + _ENVELOPE_BYTES
        socket.linger = 0
        return socket

    def send(self, command: Command) -> bool:
        """Sends a command to the workers connected now; False if closed or if sending failed.

        Raises
        ------
        ProtocolError
            If the command is too large.
        """
        frames = encode(command)
        with self._lock:
            if not self._open:
                return False
            try:
                self._commands.send_multipart(frames, zmq.NOBLOCK)
            except zmq.ZMQError as error:
                _log.warning("the command %r did not leave: %s", command.name, error)
                return False
            return True

    def close(self) -> None:
        """Handles the records that have arrived, ends the thread, removes sockets and address.

        Idempotent; may be called from ``on_record``. Does nothing in a forked child.
        """
        if os.getpid() != self._owner:
            return
        with self._lock:
            if self._open:
                self._open = False
                self._waker.send(b"")
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def __enter__(self) -> Receiver:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _run(self) -> None:
        poller = zmq.Poller()
        for socket in (self._wake, self._zap, *self._monitors, self._events):
            poller.register(socket, zmq.POLLIN)
        try:
            while True:
                ready = dict(poller.poll())
                if self._zap in ready:
                    self._authenticate()
                for monitor, handshakes in zip(self._monitors, self._handshakes, strict=True):
                    if monitor in ready:
                        self._observe(monitor, handshakes)
                if self._events in ready:
                    self._take(_BATCH)
                if self._wake in ready:
                    self._drain()
                    return
        except Exception:
            _log.exception("the side channel broke down: nothing more is seen of the workers")
        finally:
            with self._lock:
                self._open = False
                self._dispose()

    def _drain(self) -> None:
        end = time.monotonic() + _CLOSING_SECONDS
        while self._events.poll(_QUIET_MS) and time.monotonic() < end:
            self._take(_BATCH)

    def _take(self, most: int) -> None:
        for _ in range(most):
            try:
                frames = self._events.recv_multipart(zmq.NOBLOCK)
            except zmq.Again:
                return
            try:
                record = decode(frames)
                if isinstance(record, Command):
                    raise ProtocolError("workers do not give commands")
            except ProtocolError as error:
                self.rejected += 1
                self._seldom.warning("dropped a message from a worker: %.300s", error)
                continue
            self.received += 1
            try:
                self._on_record(record)
            except Exception as error:
                self.callback_errors += 1
                self._seldom.warning("a %s record was not applied: %r", record.kind, error)

    def _authenticate(self) -> None:
        """Answers one request of ZeroMQ's authentication protocol (ZAP, RFC 27)."""
        request = self._zap.recv_multipart()
        version, number = request[0], request[1]
        known = request[5:7] == [b"CURVE", self._client_key]
        status, reason = (b"200", b"OK") if known else (b"400", b"unknown key")
        self._zap.send_multipart([version, number, status, reason, b"worker", b""])

    def _observe(self, monitor: zmq.Socket[bytes], handshakes: Handshakes) -> None:
        event = recv_monitor_message(monitor, zmq.NOBLOCK)
        if handshakes.event(zmq.Event(event["event"]), event["value"]):
            self.refused += 1
            # Not a warning: a worker that is killed as it connects looks the same from here.
            self._seldom.log(logging.INFO, "refused a peer that did not show the channel's key")

    def _dispose(self) -> None:
        for socket in (getattr(self, "_events", None), getattr(self, "_commands", None)):
            if socket is not None:
                socket.disable_monitor()
                socket.close(linger=0)
        self._context.destroy(linger=0)
        for file in self._files:
            with contextlib.suppress(OSError):
                file.unlink()


class _Seldom:
    """Logs a kind of message at most every five seconds, with the number withheld meanwhile."""

    def __init__(self) -> None:
        self._last: dict[str, float] = {}
        self._withheld: dict[str, int] = {}

    def warning(self, text: str, *arguments: object) -> None:
        self.log(logging.WARNING, text, *arguments)

    def log(self, level: int, text: str, *arguments: object) -> None:
        now = time.monotonic()
        if now - self._last.get(text, -60.0) < 5:
            self._withheld[text] = self._withheld.get(text, 0) + 1
            return
        self._last[text] = now
        more = self._withheld.pop(text, 0)
        suffix = f" ({more:,} more since the last such line)" if more else ""
        _log.log(level, text + suffix, *arguments)


def _check_folder(folder: Path, sockets: list[Path]) -> None:
    try:
        status = folder.lstat()
    except OSError as error:
        raise SessionError(f"no folder for the side channel at {folder}: {error}") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise SessionError(f"{folder} is not a folder of yours: the side channel needs one")
    if stat.S_IMODE(status.st_mode) != 0o700:
        raise SessionError(
            f"{folder} has mode {stat.S_IMODE(status.st_mode):04o}; the side channel's key may "
            "only lie in a folder of mode 0700: chmod 700, or let the session make one"
        )
    for path in sockets:
        length = len(os.fsencode(path))
        if length > _LONGEST_PATH:
            raise SessionError(
                f"the socket path {path} has {length} bytes, and the system takes "
                f"{_LONGEST_PATH}: choose a shorter folder, for instance with TMPDIR=/tmp"
            )
