"""Who holds the channel's key cannot fill the kernel's memory with one message."""

from __future__ import annotations

import queue
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import zmq
from zmq.utils.monitor import recv_monitor_message

from notebook_udf.telemetry.partial_messages import MAX_PARTIAL_BYTES
from notebook_udf.telemetry.receiver import Receiver
from notebook_udf.telemetry.records import Record, StackDump
from notebook_udf.telemetry.sender import Sender
from notebook_udf.telemetry.wire import HEADER, MAX_MESSAGE_BYTES

FRAMES = 120
# What arrives between two looks comes on top of the bound.
MOST_GROWTH = MAX_PARTIAL_BYTES + 96 * 1024 * 1024


def dump(text: str) -> StackDump:
    return StackDump(1, 1.0, text, "")


@pytest.fixture
def records() -> queue.Queue[Record]:
    return queue.Queue()


@pytest.fixture
def receiver(records: queue.Queue[Record]) -> Iterator[Receiver]:
    with (
        tempfile.TemporaryDirectory(prefix="nudf-") as folder,
        Receiver(Path(folder), records.put, host="127.0.0.1") as opened,
    ):
        yield opened


class Growth:
    """The most that this process grows by while something runs."""

    def __init__(self) -> None:
        self._ended = threading.Event()
        self._before = psutil.Process().memory_info().rss
        self.most = 0
        self._thread = threading.Thread(target=self._watch)

    def _watch(self) -> None:
        while not self._ended.wait(0.01):
            self.most = max(self.most, psutil.Process().memory_info().rss - self._before)

    def __enter__(self) -> Growth:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._ended.set()
        self._thread.join()


@pytest.mark.timeout(120)
def test_it_is_refused_at_a_bound(receiver: Receiver, records: queue.Queue[Record]) -> None:
    other, hostile = Sender(receiver.address), Sender(receiver.address)
    hostile.send(dump("hello"))
    assert records.get(timeout=10) == dump("hello")
    socket = hostile._socket
    assert socket is not None
    with Growth() as growth, socket.get_monitor_socket(zmq.EVENT_DISCONNECTED) as monitor:
        # One buffer, so that what grows is the receiver.
        frame = zmq.Frame(bytes(MAX_MESSAGE_BYTES))
        for _ in range(FRAMES):
            socket.send(frame, zmq.SNDMORE, copy=False)
        socket.send(HEADER)
        assert monitor.poll(60_000)
        assert recv_monitor_message(monitor)["event"] == zmq.EVENT_DISCONNECTED
        socket.disable_monitor()
        other.send(dump("fine"))
        assert records.get(timeout=10) == dump("fine")
    assert growth.most < MOST_GROWTH
    assert receiver.rejected >= 1
    hostile.close(0)
    other.close(5)


@pytest.mark.timeout(120)
def test_what_is_whole_is_never_too_much(receiver: Receiver, records: queue.Queue[Record]) -> None:
    """Many times the bound, in messages large and small; the kernel is slow at times."""
    sender = Sender(receiver.address)
    texts = ["x" * length for length in (10, 200, 230, 300, 7_000_000)]
    rounds = 3 * MAX_PARTIAL_BYTES // sum(map(len, texts))
    for number in range(rounds):
        for text in texts:
            assert sender.send(dump(f"{number} {text}"))
            assert records.get(timeout=20) == dump(f"{number} {text}")
    assert receiver.rejected == 0
    partial = receiver._partial
    assert partial is not None
    partial.look()
    (connection,) = partial._connections.values()
    # Greeting and handshake; so each message was counted by what it takes on the connection.
    assert 0 < connection.partial() < 1_000
    sender.close(5)
