"""The side channel over real sockets: delivery, loss, strangers, and what is left behind."""

from __future__ import annotations

import contextlib
import logging
import os
import queue
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import zmq
from waiting import happens
from zmq.utils.monitor import recv_monitor_message

from notebook_udf.errors import SessionError
from notebook_udf.telemetry import sender as sender_module
from notebook_udf.telemetry.handshakes import Handshakes
from notebook_udf.telemetry.kernel_commands import Command
from notebook_udf.telemetry.receiver import Receiver
from notebook_udf.telemetry.records import LogLine, LogLines, Record, StackDump, WorkerStarted
from notebook_udf.telemetry.sender import Sender, WorkerCommands, connect_from_environment
from notebook_udf.telemetry.wire import CHANNEL_VARIABLE, HEADER, ChannelAddress, encode
from notebook_udf.telemetry.worker_numbers import process_id

Records = queue.Queue[Record]


def dump(text: str = "here", pid: int = 1) -> StackDump:
    return StackDump(pid, 1.0, text, "")


# What no event tells: a count that another thread raises.
eventually = partial(happens, within=10.0)


@pytest.fixture
def folder() -> Iterator[Path]:
    # pytest's own tmp_path is too long for a socket on some machines.
    path = Path(tempfile.mkdtemp(prefix="nudf-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def records() -> Records:
    return queue.Queue()


@pytest.fixture(params=["", "127.0.0.1"], ids=["in a folder", "on a port"])
def receiver(request: pytest.FixtureRequest, folder: Path, records: Records) -> Iterator[Receiver]:
    host = request.param
    with Receiver(folder, records.put, host=host, handshake_seconds=0.4) as opened:
        yield opened


def connected(receiver: Receiver) -> socket.socket:
    """A plain connection to where it listens."""
    scheme, _, place = receiver.address.endpoint.partition("://")
    if scheme == "tcp":
        host, _, port = place.rpartition(":")
        return socket.create_connection((host, int(port)), timeout=10)
    peer = socket.socket(socket.AF_UNIX)
    peer.settimeout(10)
    peer.connect(place)
    return peer


@pytest.fixture
def sender(receiver: Receiver) -> Iterator[Sender]:
    opened = Sender(receiver.address)
    yield opened
    opened.close(0)


def in_a_process(code: str, folder: Path, *arguments: str) -> str:
    """Runs ``code`` as a worker of the channel in ``folder``; what it printed."""
    environment = {
        **os.environ,
        CHANNEL_VARIABLE: str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, [os.getcwd(), *sys.path])),
    }
    done = subprocess.run(
        [sys.executable, "-W", "error::ResourceWarning", "-c", code, *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.strip()


WORKER = """
import os, sys, time
from notebook_udf.telemetry.sender import WorkerCommands, connect_from_environment
from notebook_udf.telemetry.records import StackDump, WorkerStarted
sender = connect_from_environment()
assert sender is not None
"""


# Delivery


def test_a_worker_process_is_heard_and_obeys(folder: Path, records: Records) -> None:
    def command(pid: int) -> None:
        assert kernel.send(Command("ignored", pids=(pid + 1,)))
        assert kernel.send(Command("stacks", pids=(pid,), argument="x"))

    def command_whoever_starts(record: Record) -> None:
        records.put(record)
        if isinstance(record, WorkerStarted):
            command(record.pid)

    with (kernel := Receiver(folder, command_whoever_starts)):
        printed = in_a_process(
            WORKER
            + """
commands = WorkerCommands(sender.address)
assert [c.name for c in commands.poll(20_000)] == ["welcome"]
sender.send(WorkerStarted(os.getpid(), "h", "3", 1.0, ""))
print([(c.name, c.argument) for c in commands.poll(20_000)])
for number in range(3000):
    while not sender.send(StackDump(os.getpid(), float(number), "", "")):
        time.sleep(0.001)
sender.close(10_000)
commands.close()
""",
            folder,
        )
    assert printed == "[('stacks', 'x')]"
    received = list(records.queue)
    assert isinstance(received[0], WorkerStarted)
    # Closing hands on what had arrived; nothing is missing, out of order or doubled.
    times = [record.time for record in received if isinstance(record, StackDump)]
    assert times == [float(number) for number in range(3000)]
    assert (kernel.refused, kernel.rejected, kernel.received) == (0, 0, 3001)


def test_what_a_worker_said_before_its_end_is_heard_by_a_busy_kernel(folder: Path) -> None:
    said = folder / "said"
    times: list[float] = []

    def busy(record: Record) -> None:
        eventually(said.exists)
        # Later than the worker's end, if it did not wait.
        time.sleep(0.001)
        assert isinstance(record, StackDump)
        times.append(record.time)

    with Receiver(folder, busy):
        in_a_process(
            WORKER
            + """
for number in range(3000):
    while not sender.send(StackDump(os.getpid(), float(number), "", "")):
        time.sleep(0.001)
open(sys.argv[1], "w").close()
sender.close(20_000)
""",
            folder,
            str(said),
        )
        # Not by what closing still reads.
        assert times == [float(number) for number in range(3000)]


def test_workers_of_one_process_id_on_two_machines_are_two(folder: Path) -> None:
    heard: queue.Queue[Record] = queue.Queue()
    with Receiver(folder, heard.put) as kernel, ThreadPoolExecutor(2) as pool:
        code = """
import os, platform, sys
os.getpid, platform.node = lambda: 7, lambda: sys.argv[1]
""" + (
            WORKER
            + """
commands = WorkerCommands(sender.address)
assert [c.name for c in commands.poll(20_000)] == ["welcome"]
sender.send(WorkerStarted(7, sys.argv[1], "3", 1.0, ""))
print([(c.argument, c.pids) for c in commands.poll(20_000)])
sender.close(10_000)
commands.close()
"""
        )
        workers = {
            name: pool.submit(in_a_process, code, folder, name) for name in ("first", "second")
        }
        numbers = {}
        for _ in workers:
            started = heard.get(timeout=30)
            assert isinstance(started, WorkerStarted)
            numbers[started.host] = started.pid
        assert len(set(numbers.values())) == 2
        assert [process_id(number) for number in numbers.values()] == [7, 7]
        for name, number in numbers.items():
            assert kernel.send(Command("stacks", (number,), name))
        for name, worker in workers.items():
            assert worker.result(60) == f"[({name!r}, (7,))]"


def test_records_sent_before_the_connection_stands_arrive(sender: Sender, records: Records) -> None:
    for number in range(100):
        assert sender.send(dump(str(number)))
    texts = [records.get(timeout=10) for _ in range(100)]
    assert [record.text for record in texts if isinstance(record, StackDump)] == [
        str(number) for number in range(100)
    ]
    assert sender.lost == 0


def test_threads_share_a_sender(sender: Sender, records: Records) -> None:
    def work(pid: int) -> None:
        for number in range(200):
            sender.send(dump(str(number), pid))

    threads = [threading.Thread(target=work, args=(pid,)) for pid in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seen: dict[int, list[str]] = {}
    for _ in range(800):
        record = records.get(timeout=10)
        assert isinstance(record, StackDump)
        seen.setdefault(record.pid, []).append(record.text)
    assert seen == {pid: [str(number) for number in range(200)] for pid in range(4)}


def test_a_raising_callback_is_counted_and_ends_nothing(
    folder: Path, records: Records, caplog: pytest.LogCaptureFixture
) -> None:
    def pick(record: Record) -> None:
        if isinstance(record, StackDump) and record.text == "bad":
            raise ValueError("no")
        records.put(record)

    with Receiver(folder, pick) as receiver, caplog.at_level(logging.WARNING):
        sender = Sender(receiver.address)
        for text in ("bad", "bad", "good"):
            sender.send(dump(text))
        assert records.get(timeout=10) == dump("good")
        sender.close()
    assert receiver.callback_errors == 2
    lines = [r.getMessage() for r in caplog.records if r.name == "notebook_udf.telemetry"]
    assert lines == ["a stack-dump record was not applied: ValueError('no')"]


def test_a_record_can_close_the_receiver(folder: Path) -> None:
    closed = threading.Event()

    def stop(record: Record) -> None:
        kernel.close()
        closed.set()

    kernel = Receiver(folder, stop)
    sender = Sender(kernel.address)
    sender.send(dump())
    assert closed.wait(10)
    kernel.close()
    assert not kernel.send(Command("stacks"))
    sender.close(0)
    assert list(folder.iterdir()) == []


# Loss


def test_a_sender_without_a_kernel_drops_and_never_waits(folder: Path) -> None:
    with Receiver(folder, lambda record: None) as receiver:
        sender = Sender(receiver.address)
        assert sender.send(dump())
        eventually(lambda: receiver.received == 1)
    begun = time.monotonic()
    outcomes = [sender.send(dump()) for _ in range(3 * sender_module.QUEUED_RECORDS)]
    assert time.monotonic() - begun < 5
    assert outcomes[-1] is False
    assert sender.lost == outcomes.count(False) >= sender_module.QUEUED_RECORDS - 1
    begun = time.monotonic()
    sender.close(100)
    assert time.monotonic() - begun < 5
    assert not sender.send(dump())


def test_a_new_receiver_in_the_folder_does_not_disturb_an_old_sender(
    folder: Path, records: Records
) -> None:
    with Receiver(folder, records.put) as first:
        old = Sender(first.address)
        old.send(dump("old"))
        assert records.get(timeout=10) == dump("old")
    with Receiver(folder, records.put) as second:
        old.send(dump("stale"))
        new = Sender(second.address)
        new.send(dump("new"))
        assert records.get(timeout=10) == dump("new")
        eventually(lambda: second.refused > 0)
        old.send(dump("stale"))
        old.close(0)
        new.close()
    assert records.empty()


def test_a_slow_kernel_costs_records_not_time(folder: Path) -> None:
    proceed = threading.Event()

    def stall(record: Record) -> None:
        proceed.wait(30)

    with Receiver(folder, stall) as receiver:
        sender = Sender(receiver.address)
        text = "x" * 1000
        lines = tuple(LogLine(n, 1.0, "INFO", "print", "f", 0, 0, text) for n in range(50))
        begun = time.monotonic()
        for _ in range(5_000):
            sender.send(LogLines(1, "", lines))
        assert time.monotonic() - begun < 10
        assert sender.lost > 0
        proceed.set()
        sender.close(0)


def test_a_record_that_cannot_be_sent_is_lost_not_raised(sender: Sender) -> None:
    assert not sender.send(dump("x" * 9_000_000))
    assert sender.lost == 1
    assert sender.send(dump())


def test_an_unusable_address_is_lost_not_raised(caplog: pytest.LogCaptureFixture) -> None:
    sender = Sender(ChannelAddress("nowhere", "short", "short", "hush"))
    assert [sender.send(dump()), sender.send(dump())] == [False, False]
    assert sender.lost == 2
    commands = WorkerCommands(sender.address)
    assert commands.poll(5_000) == []
    assert "hush" not in caplog.text
    assert caplog.text.count("no side channel") == 2


def test_a_send_inside_a_send_is_lost_not_locked(sender: Sender) -> None:
    with sender._lock:  # As a signal handler finds it that interrupts ``send``.
        assert not sender.send(dump())
    assert sender.lost == 1


def test_an_exception_out_of_a_signal_handler_does_not_tear_the_next_record(
    sender: Sender, records: Records, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sender.send(dump("first"))
    assert records.get(timeout=10) == dump("first")
    opened = sender._socket
    assert opened is not None

    def interrupted(frames: list[bytes], flags: int) -> None:
        opened.send(frames[0], zmq.NOBLOCK | zmq.SNDMORE)
        raise KeyboardInterrupt

    monkeypatch.setattr(opened, "send_multipart", interrupted, raising=False)
    with pytest.raises(KeyboardInterrupt):
        sender.send(dump("torn"))
    assert sender.send(dump("next"))
    assert records.get(timeout=10) == dump("next")


def test_the_environment_names_the_channel(
    receiver: Receiver, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(CHANNEL_VARIABLE, str(folder))
    sender = connect_from_environment()
    assert sender is not None
    assert sender.address == receiver.address
    (folder / "channel.json").write_text("{}")
    assert connect_from_environment() is None
    monkeypatch.setenv(CHANNEL_VARIABLE, str(folder / "gone"))
    assert connect_from_environment() is None
    monkeypatch.delenv(CHANNEL_VARIABLE)
    assert connect_from_environment() is None


def test_a_forked_child_has_a_socket_of_its_own(
    receiver: Receiver, folder: Path, records: Records
) -> None:
    printed = in_a_process(
        WORKER
        + """
import threading, warnings
# Newer Pythons warn of a fork beside libzmq's threads; a user's function forks all the same.
warnings.simplefilter("ignore", DeprecationWarning)
sender.send(StackDump(0, 1.0, "parent", ""))
parents = sender._socket
commands = WorkerCommands(sender.address)
commands.poll(0)
sender._lost = 7
sender._lock.acquire()  # As if another thread was sending during the fork.
child = os.fork()
if not child:
    assert (sender.lost, sender._socket) == (0, None)
    # On a busy machine the kernel's answer is there at once.
    assert {command.name for command in commands.poll(0)} <= {"welcome"}
    for number in range(50):
        assert sender.send(StackDump(1, 1.0, f"child {number}", ""))
    assert sender._socket is not parents
    commands.close()
    sender.close(5_000)
    os._exit(0)
sender._lock.release()
assert os.waitpid(child, 0)[1] == 0
assert sender._socket is parents and sender.lost == 7
sender.send(StackDump(0, 1.0, "parent again", ""))
sender.close(5_000)
commands.close()
print("done")
""",
        folder,
    )
    assert printed == "done"
    found = [records.get(timeout=10) for _ in range(52)]
    texts = [record.text for record in found if isinstance(record, StackDump)]
    assert [text for text in texts if text.startswith("parent")] == ["parent", "parent again"]
    assert [text for text in texts if text.startswith("child")] == [
        f"child {number}" for number in range(50)
    ]


# Strangers


@pytest.fixture
def stranger() -> Iterator[zmq.Socket[bytes]]:
    context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
    opened: zmq.Socket[bytes] = context.socket(zmq.DEALER)
    opened.linger = 0
    opened.reconnect_ivl = -1
    yield opened
    opened.disable_monitor()
    context.destroy(linger=0)


@pytest.mark.parametrize("what", ["client key", "server key", "no curve"])
def test_a_stranger_with_the_wrong_key_is_refused(
    receiver: Receiver, sender: Sender, stranger: zmq.Socket[bytes], records: Records, what: str
) -> None:
    address = receiver.address
    public, secret = zmq.curve_keypair()
    if what != "no curve":
        stranger.curve_publickey, stranger.curve_secretkey = public, secret
        stranger.curve_serverkey = address.server_key.encode()
    if what == "server key":
        stranger.curve_publickey = address.client_public.encode()
        stranger.curve_secretkey = address.client_secret.encode()
        stranger.curve_serverkey = public
    stranger.connect(address.endpoint)
    with contextlib.suppress(zmq.Again):  # Refused before it could even queue.
        stranger.send_multipart(encode(dump("forged")), zmq.NOBLOCK)
    eventually(lambda: receiver.refused == 1)
    sender.send(dump("true"))
    assert records.get(timeout=10) == dump("true")
    assert (receiver.received, receiver.rejected) == (1, 0)


GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x01" + b"CURVE".ljust(20, b"\0") + bytes(32)
HUGE = (2**62).to_bytes(8, "big")


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(b"GET / HTTP/1.1\r\n\r\n" * 20, id="http"),
        pytest.param(bytes(200), id="zeros"),
        pytest.param(b"\xff" * 200, id="ones"),
        pytest.param(b"\xff" + HUGE + bytes(200), id="huge-unversioned"),
        pytest.param(GREETING + b"\x06" + HUGE + bytes(1000), id="huge-command"),
        pytest.param(GREETING + b"\x02" + HUGE + bytes(1000), id="huge-message"),
        pytest.param(b"", id="silent"),
        pytest.param(GREETING, id="silent-after-greeting"),
        pytest.param(GREETING[:20], id="half-a-greeting"),
    ],
)
def test_noise_on_a_socket_is_refused(receiver: Receiver, said: bytes) -> None:
    with connected(receiver) as peer:
        peer.sendall(said)
        try:
            while peer.recv(4096):
                pass  # The kernel's own greeting; its end is what the test waits for.
        except ConnectionResetError:
            pass
    eventually(lambda: receiver.refused == 1)
    assert receiver.received == 0


def test_refusals_are_logged_seldom(receiver: Receiver, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        for _ in range(20):
            connected(receiver).close()
        eventually(lambda: receiver.refused == 20)
    assert caplog.text.count("refused a peer") == 1


def test_a_handshake_has_five_seconds_unless_told(folder: Path) -> None:
    with Receiver(folder, lambda record: None) as receiver:
        assert receiver._socket.handshake_ivl == 5_000


@pytest.mark.parametrize(
    "frames",
    [
        pytest.param([b"NUDF\x63", b"{}"], id="version"),
        pytest.param([HEADER, b"{"], id="json"),
        pytest.param([b"x"], id="magic"),
        pytest.param([HEADER] * 50, id="frames"),
        pytest.param(encode(Command("stacks")), id="command"),
    ],
)
def test_messages_of_a_worker_that_are_no_records_are_counted(
    receiver: Receiver,
    sender: Sender,
    records: Records,
    frames: list[bytes],
    caplog: pytest.LogCaptureFixture,
) -> None:
    sender.send(dump("before"))
    assert sender._socket is not None
    with caplog.at_level(logging.WARNING):
        sender._socket.send_multipart(frames)
        sender.send(dump("after"))
        assert [records.get(timeout=10), records.get(timeout=10)] == [
            dump("before"),
            dump("after"),
        ]
    assert (receiver.rejected, receiver.received) == (1, 2)
    assert "dropped a message from a worker" in caplog.text


def test_a_message_past_the_limit_ends_its_connection_only(
    receiver: Receiver, sender: Sender, records: Records
) -> None:
    other = Sender(receiver.address)
    other.send(dump("other"))
    assert records.get(timeout=10) == dump("other")
    assert other._socket is not None
    with other._socket.get_monitor_socket(zmq.EVENT_DISCONNECTED) as monitor:
        other._socket.send_multipart([HEADER, b"x" * 9_000_000])
        assert monitor.poll(10_000)
        assert recv_monitor_message(monitor)["event"] == zmq.EVENT_DISCONNECTED
        other._socket.disable_monitor()
    sender.send(dump("fine"))
    assert records.get(timeout=10) == dump("fine")
    other.close(0)
    assert receiver.rejected == 0


# Keys, folders, and what is left behind


def test_everything_in_the_folder_is_the_owners_alone(receiver: Receiver, folder: Path) -> None:
    modes = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    sockets = {} if receiver.host else {"channel.sock": 0o600}
    assert modes == {**sockets, "channel.json": 0o600}
    assert ChannelAddress.read(folder) == receiver.address


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o500, 0o701])
def test_a_folder_that_others_can_enter_is_refused(folder: Path, mode: int) -> None:
    folder.chmod(mode)
    with pytest.raises(SessionError, match=f"mode {mode:04o}"):
        Receiver(folder, lambda record: None)
    folder.chmod(0o700)
    assert list(folder.iterdir()) == []


def test_a_folder_that_is_none_is_refused(folder: Path) -> None:
    (folder / "link").symlink_to(folder)
    (folder / "file").touch()
    for name in ("link", "file", "missing"):
        with pytest.raises(SessionError):
            Receiver(folder / name, lambda record: None)


def test_a_path_too_long_for_a_socket_is_refused(folder: Path) -> None:
    room = 103 - len(os.fsencode(folder)) - len("//channel.sock")
    fits, longer = folder / ("x" * room), folder / ("x" * (room + 1))
    fits.mkdir(0o700)
    longer.mkdir(0o700)
    Receiver(fits, lambda record: None).close()
    with pytest.raises(SessionError, match=r"104 bytes.*TMPDIR"):
        Receiver(longer, lambda record: None)
    assert list(longer.iterdir()) == []


def test_two_receivers_cannot_share_a_folder(
    receiver: Receiver, sender: Sender, folder: Path, records: Records
) -> None:
    with pytest.raises(SessionError, match="already holds a channel"):
        Receiver(folder, lambda record: None)
    sender.send(dump("still mine"))
    assert records.get(timeout=10) == dump("still mine")


def system_resources() -> tuple[int, int]:
    """Open files, and threads including libzmq's."""
    return len(os.listdir("/proc/self/fd")), len(os.listdir("/proc/self/task"))


def settled_resources() -> tuple[int, int]:
    """The same, once it has stayed the same for a moment."""
    before = system_resources()
    for _ in range(200):
        time.sleep(0.02)
        now = system_resources()
        if now == before:
            return now
        before = now
    raise AssertionError("threads come and go")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts files by way of /proc")
def test_closing_leaves_nothing(folder: Path, records: Records) -> None:
    def once() -> None:
        receiver = Receiver(folder, records.put)
        sender, commands = Sender(receiver.address), WorkerCommands(receiver.address)
        sender.send(dump())
        commands.poll(0)
        records.get(timeout=10)
        for end in (sender, commands, receiver, receiver, sender, commands):
            end.close()
        assert commands.poll(10_000) == []

    once()
    threads = set(threading.enumerate())
    files, tasks = settled_resources()
    once()
    assert set(threading.enumerate()) == threads
    # The system counts a joined thread for a moment longer.
    eventually(lambda: system_resources() == (files, tasks))
    assert list(folder.iterdir()) == []


def test_a_receiver_that_cannot_bind_leaves_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, mode: int) -> None:
        raise PermissionError("no")

    threads = set(threading.enumerate())
    with monkeypatch.context() as patched:
        patched.setattr("notebook_udf.telemetry.receiver.os.chmod", refuse)
        with pytest.raises(PermissionError):
            Receiver(folder, lambda record: None)
    assert list(folder.iterdir()) == []
    assert set(threading.enumerate()) == threads


def test_a_forked_child_of_the_kernel_closes_nothing(receiver: Receiver, folder: Path) -> None:
    receiver._owner += 1
    receiver.close()
    assert not receiver.catch_up(10)
    receiver._owner -= 1
    assert receiver.catch_up(10)
    assert len(list(folder.iterdir())) == (1 if receiver.host else 2)
    assert receiver.send(Command("stacks"))


def test_catching_up_waits_for_a_worker_whose_handshake_has_to_wait(folder: Path) -> None:
    busy, free, got = threading.Event(), threading.Event(), list[Record]()

    def slowly(record: Record) -> None:
        got.append(record)
        busy.set()
        assert free.wait(20)

    with (
        Receiver(folder, slowly) as receiver,
        ThreadPoolExecutor() as pool,
        contextlib.closing(Sender(receiver.address)) as early,
        contextlib.ExitStack() as opened,
    ):
        early.send(dump("early"))
        assert busy.wait(20)
        # Only the thread that is busy can let this one in.
        late = opened.enter_context(contextlib.closing(Sender(receiver.address)))
        late.send(dump("late"))
        caught_up = pool.submit(receiver.catch_up, 20)
        eventually(lambda: bool(receiver._catching_up))
        free.set()
        assert caught_up.result(20)
        assert got == [dump("early"), dump("late")]


def test_catching_up_ends_in_vain_where_records_never_cease(folder: Path) -> None:
    begun, ended = threading.Event(), threading.Event()

    def asks_for_more(record: Record) -> None:
        if not ended.is_set():
            sender.send(dump())
            begun.set()
            # The next one is there before this one is done.
            ended.wait(0.05)

    with (
        Receiver(folder, asks_for_more) as receiver,
        contextlib.closing(Sender(receiver.address)) as sender,
    ):
        sender.send(dump())
        assert begun.wait(20)
        assert not receiver.catch_up(20)
        ended.set()
        assert receiver.catch_up(20)


# Counting refusals


ACCEPTED, THROUGH, GONE = (
    zmq.Event.ACCEPTED,
    zmq.Event.HANDSHAKE_SUCCEEDED,
    zmq.Event.DISCONNECTED,
)


@pytest.mark.parametrize(
    ("events", "refused"),
    [
        ([(ACCEPTED, 1), (THROUGH, 0), (GONE, 1)], 0),
        ([(ACCEPTED, 1), (GONE, 1)], 1),
        ([(ACCEPTED, 1), (THROUGH, 0), (ACCEPTED, 2), (GONE, 2), (GONE, 1)], 1),
        ([(ACCEPTED, 1), (ACCEPTED, 2), (THROUGH, 0), (GONE, 1), (GONE, 2)], 1),
        ([(ACCEPTED, 1), (ACCEPTED, 2), (THROUGH, 0), (GONE, 2), (GONE, 1)], 1),
        ([(ACCEPTED, 1), (ACCEPTED, 2), (THROUGH, 0), (THROUGH, 0), (GONE, 1), (GONE, 2)], 0),
        ([(ACCEPTED, 1), (GONE, 1), (ACCEPTED, 1), (THROUGH, 0), (GONE, 1)], 1),
    ],
)
def test_a_connection_without_a_handshake_is_a_refusal(
    events: list[tuple[zmq.Event, int]], refused: int
) -> None:
    handshakes = Handshakes()
    assert sum(handshakes.event(event, fd) for event, fd in events) == refused
