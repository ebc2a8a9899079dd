"""The kernel's end of the side channel: records in, commands out.

One socket takes records from workers and hands commands to them: in a folder that only the owner
may enter, or, where workers may be on other machines, on a TCP port. It speaks CURVE, and only to
the one key pair that the folder's ``channel.json`` holds: a peer without it is gone before a byte
of what it says is looked at.

What it leaves to others: making the folder and removing it (the session), the format (``wire``),
the other end (``sender``), what records mean (``store``).
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import stat
import sys
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType
from typing import Any

import zmq
from zmq.utils import z85
from zmq.utils.monitor import recv_monitor_message

from notebook_udf.errors import ProtocolError, SessionError
from notebook_udf.telemetry.handshakes import Handshakes
from notebook_udf.telemetry.kernel_commands import Command, Leaving, Listening
from notebook_udf.telemetry.partial_messages import PartialMessages
from notebook_udf.telemetry.records import Record
from notebook_udf.telemetry.wire import (
    MAX_MESSAGE_BYTES,
    ChannelAddress,
    decode,
    encode,
    host_of,
)
from notebook_udf.telemetry.worker_numbers import WorkerNumbers, process_id

_log = logging.getLogger("notebook_udf.telemetry")

# A Unix socket's path has to fit into ``sockaddr_un``; macOS has the smaller one.
_LONGEST_PATH = 103

# Records queued per worker while ``on_record`` is busy; further ones wait in the worker.
_QUEUED_RECORDS = 1_000

# Encryption makes a message a little longer than what was encoded.
_ENVELOPE_BYTES = 1024

# Records taken before the other sockets are looked at: a flood must not keep a peer's handshake,
# or a command, waiting past its time.
_BATCH = 200

# What a worker sent before it ended may still lie in the system's socket when the session closes.
# Silence this long means that it has been read; workers that go on sending do not hold it up.
_QUIET_MS = 100
_CLOSING_SECONDS = 2.0

# What a worker said before Spark had its answer is here after a silence this long, unless the
# worker is new, and its handshake waits for this very thread.
_SILENT_MS = 20
_CATCH_UP_SECONDS = 2.0

# How often messages without an end are looked for: what arrives meanwhile comes on top of a bound.
_LOOK_MS = 100

_ZAP_ADDRESS = "inproc://zeromq.zap.01"

# Orders to the receiver's thread that are no commands to workers: to end, and to look who waits
# for what was said.
_END = b""
_CATCH_UP = b"\0"

# Where the kernel listens, if it is not the address by which workers reach it.
BIND_CONF = "spark.notebookUdf.bindAddress"
# How the workers of a Spark Connect server reach the kernel, if not as the server itself does.
HOST_CONF = "spark.notebookUdf.host"


@dataclass
class _Waiter:
    """Who waits until what was said is handed on, and until when at most."""

    until: float
    done: threading.Event = field(default_factory=threading.Event)
    has_all: bool = False


class Receiver:
    """Listens to the workers of one session, on a thread of its own.

    Parameters
    ----------
    folder
        An existing folder of mode 0700, without a channel in it yet.
    on_record
        Called with each record, on the receiver's thread. What it raises is logged and counted.
    host
        The name or number by which workers on other machines reach this one; "" if all are on
        this machine.
    bind
        The address of this machine to listen on, and a port after a colon if it has to be one in
        particular; that of ``host`` by default.
    handshake_seconds
        The time limit of a peer's handshake.

    Attributes
    ----------
    host
        As given.
    address
        What workers need to connect; also in ``folder/channel.json``.
    numbers
        By which the records that are handed on name their workers.
    received, rejected, refused, callback_errors
        Counts: records handed on; messages of authenticated peers that are not records, or are
        longer than any; peers that failed the handshake; calls of ``on_record`` that raised.

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
        host: str = "",
        bind: str = "",
        handshake_seconds: float = 5.0,
    ) -> None:
        self.folder = Path(os.path.abspath(folder))
        self.host = host
        self.received = 0
        self.rejected = 0
        self.refused = 0
        self.callback_errors = 0
        self.numbers = WorkerNumbers()
        self._on_record = on_record
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._open = True
        self._seldom = _Seldom()
        self._handshakes = Handshakes()
        self._partial: PartialMessages | None = None
        self._next_look = 0.0
        # Who waits until what was said is handed on; the first one first.
        self._catching_up: deque[_Waiter] = deque()
        # Connections that wait for commands, with the number of their worker.
        self._listening: dict[bytes, int] = {}
        self._handshake_ms = max(1, int(handshake_seconds * 1000))
        path = self.folder / "channel.sock"
        _check_folder(self.folder, path)

        public, self._secret = zmq.curve_keypair()
        client_public, client_secret = zmq.curve_keypair()
        self._client_key = z85.decode(client_public)
        if (self.folder / "channel.json").exists():
            raise SessionError(
                f"{self.folder} already holds a channel: give each session a folder of its own"
            )
        self._files = [path, self.folder / "channel.json"]
        self._context: zmq.Context[Any] = zmq.Context()
        try:
            endpoint = self._bind(f"ipc://{path}", host, bind)
            self.address = ChannelAddress(
                endpoint=endpoint,
                server_key=public.decode("ascii"),
                client_public=client_public.decode("ascii"),
                client_secret=client_secret.decode("ascii"),
            )
            self.address.write(self.folder)
        except BaseException:
            self._dispose()
            raise
        self._thread = threading.Thread(
            target=self._run, name="notebook-udf-telemetry", daemon=True
        )
        self._thread.start()

    def _bind(self, private: str, host: str, bind: str) -> str:
        """Opens the sockets; the endpoint by which workers reach the one that is theirs."""
        # First, and closed last: without it the socket would take any client that knows the
        # server's key.
        self._zap = self._context.socket(zmq.REP)
        self._zap.linger = 0
        self._zap.bind(_ZAP_ADDRESS)
        self._orders = self._context.socket(zmq.PAIR)
        self._orders.bind("inproc://orders")
        self._orderer = self._context.socket(zmq.PAIR)
        self._orderer.connect("inproc://orders")
        self._socket: zmq.Socket[bytes] = self._context.socket(zmq.ROUTER)
        self._socket.curve_server = True
        self._socket.curve_secretkey = self._secret
        self._socket.zap_domain = b"notebook-udf"
        self._socket.handshake_ivl = self._handshake_ms
        self._socket.maxmsgsize = MAX_MESSAGE_BYTES + _ENVELOPE_BYTES
        self._socket.linger = 0
        self._socket.rcvhwm = _QUEUED_RECORDS
        # A command to a worker that is gone is an error, by which it is forgotten.
        self._socket.router_mandatory = True
        # A worker that connects again is let in before its first connection is known to be dead.
        self._socket.router_handover = True
        self._monitor = self._socket.get_monitor_socket()
        if not host:
            self._socket.bind(private)
            os.chmod(private.removeprefix("ipc://"), 0o600)
            return private
        address, _, port = bind.partition(":")
        try:
            number = socket.gethostbyname(address or host)
            self._socket.bind(f"tcp://{number}:{port or '*'}")
        except (zmq.ZMQError, OSError) as error:
            raise SessionError(
                f"workers cannot be heard on {bind or host}: {error}. Name an address of this "
                f"machine with {BIND_CONF}, as in 0.0.0.0 or 10.0.0.5:7077"
            ) from error
        bound = self._socket.getsockopt_string(zmq.LAST_ENDPOINT).rpartition(":")[2]
        if sys.platform == "linux":
            self._partial = PartialMessages(int(bound))
        return f"tcp://{host}:{bound}"

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
            self._orderer.send_multipart(frames)
            return True

    def catch_up(self, timeout: float) -> bool:
        """Waits until the records of tasks that have ended are handed on, and nothing comes.

        At most ``timeout`` seconds, and not longer than 2 where records never cease to come.
        False if it waited in vain, if the channel is closed, or if it is ``on_record`` that asks,
        or a forked child.
        """
        if threading.current_thread() is self._thread or os.getpid() != self._owner:
            return False
        waiter = _Waiter(time.monotonic() + _CATCH_UP_SECONDS)
        with self._lock:
            if not self._open:
                return False
            self._catching_up.append(waiter)
            self._orderer.send(_CATCH_UP)
        return waiter.done.wait(timeout) and waiter.has_all

    def close(self) -> None:
        """Handles the records that have arrived, ends the thread, removes sockets and address.

        Idempotent; may be called from ``on_record``. Does nothing in a forked child.
        """
        if os.getpid() != self._owner:
            return
        with self._lock:
            if self._open:
                self._open = False
                self._orderer.send(_END)
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
        for each in (self._orders, self._zap, self._monitor, self._socket):
            poller.register(each, zmq.POLLIN)
        try:
            while True:
                waiting = len(self._catching_up)
                ready = dict(poller.poll(self._patience()))
                self._release(0 if ready or self._handshakes.open else waiting)
                if self._zap in ready:
                    self._authenticate()
                if self._monitor in ready:
                    self._observe()
                if self._partial and time.monotonic() >= self._next_look:
                    self._look_at(self._partial)
                elif self._socket in ready:
                    self._take(_BATCH)
                if self._orders in ready:
                    frames = self._orders.recv_multipart()
                    if frames == [_END]:
                        self._drain(_QUIET_MS)
                        return
                    if frames != [_CATCH_UP]:
                        self._command(frames)
        except Exception:
            _log.exception("the side channel broke down: nothing more is seen of the workers")
        finally:
            with self._lock:
                self._open = False
                self._dispose()
            for waiter in self._catching_up:
                waiter.done.set()

    def _patience(self) -> int | None:
        """For how many milliseconds to wait for something to do."""
        if self._catching_up:
            return _SILENT_MS
        return _LOOK_MS if self._partial else None

    def _release(self, ready: int) -> None:
        """Lets go the first ``ready`` of those who wait for what was said, and who waited long."""
        now = time.monotonic()
        while self._catching_up and (ready > 0 or self._catching_up[0].until <= now):
            waiter = self._catching_up.popleft()
            waiter.has_all = ready > 0
            waiter.done.set()
            ready -= 1

    def _command(self, frames: list[bytes]) -> None:
        """Sends a command to those of its workers who wait for one."""
        command = decode(frames)
        assert isinstance(command, Command)
        for listener, number in list(self._listening.items()):
            if not command.pids:
                self._hand_out(frames, listener)
            elif number in command.pids:
                self._hand_out(encode(replace(command, pids=(process_id(number),))), listener)

    def _hand_out(self, frames: list[bytes], listener: bytes) -> None:
        try:
            self._socket.send_multipart([listener, *frames], zmq.NOBLOCK)
        except zmq.Again:
            self._seldom.warning("a worker does not take its commands")
        except zmq.ZMQError:
            # It is gone, or its connection is interrupted; then it says again that it listens.
            self._listening.pop(listener, None)

    def _drain(self, quiet_ms: int) -> None:
        end = time.monotonic() + _CLOSING_SECONDS
        while self._socket.poll(quiet_ms) and time.monotonic() < end:
            self._take(_BATCH)

    def _look_at(self, partial: PartialMessages) -> None:
        """Reads what waits, and closes connections that send a message without an end."""
        partial.look()
        # The socket reads its connections in turn: one that was silent has nothing whole left.
        self._take(_BATCH + len(partial))
        closed = partial.close_excessive()
        self.rejected += closed
        if closed:
            self._seldom.warning("closed a connection whose message was longer than any record")
        self._next_look = time.monotonic() + _LOOK_MS / 1000

    def _take(self, most: int) -> None:
        for _ in range(most):
            try:
                head = self._socket.recv(zmq.NOBLOCK, copy=False)
            except zmq.Again:
                return
            sender, frames = head.bytes, self._socket.recv_multipart()
            if self._partial is not None:
                self._partial.handed_on(int(head.get(zmq.SRCFD)), frames)
            try:
                record = decode(frames)
                if isinstance(record, Command):
                    raise ProtocolError("workers do not give commands")
            except ProtocolError as error:
                self.rejected += 1
                self._seldom.warning("dropped a message from a worker: %.300s", error)
                continue
            record = self.numbers.numbered(record, host_of(sender))
            if isinstance(record, Listening):
                self._listening[sender] = record.pid
                self._hand_out(encode(Command("welcome")), sender)
                continue
            if isinstance(record, Leaving):
                self._hand_out(encode(Command("goodbye")), sender)
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

    def _observe(self) -> None:
        event = recv_monitor_message(self._monitor, zmq.NOBLOCK)
        kind = zmq.Event(event["event"])
        if self._partial is not None:
            self._partial.event(kind, event["value"])
        if self._handshakes.event(kind, event["value"]):
            self.refused += 1
            # Not a warning: a worker that is killed as it connects looks the same from here.
            self._seldom.log(logging.INFO, "refused a peer that did not show the channel's key")

    def _dispose(self) -> None:
        if hasattr(self, "_socket"):
            self._socket.disable_monitor()
            self._socket.close(linger=0)
        self._context.destroy(linger=0)
        if self._partial is not None:
            self._partial.close()
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


def _check_folder(folder: Path, endpoint: Path) -> None:
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
    length = len(os.fsencode(endpoint))
    if length > _LONGEST_PATH:
        raise SessionError(
            f"the socket path {endpoint} has {length} bytes, and the system takes {_LONGEST_PATH}: "
            "choose a shorter folder, for instance with TMPDIR=/tmp"
        )
