"""What bundles cost travels together: none is lost or sent twice, and the sums are theirs."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from notebook_udf.telemetry.receiver import Receiver
from notebook_udf.telemetry.records import (
    COSTS,
    BundleSampled,
    BundlesDone,
    FunctionTiming,
    MetricValue,
    Record,
    TaskEnded,
    TaskId,
)
from notebook_udf.telemetry.sender import Sender
from notebook_udf.worker.runtime.bundle_statistics import Costs
from notebook_udf.worker.runtime.task import Task
from notebook_udf.worker.runtime.waiting_bundles import WaitingBundles
from notebook_udf.worker.runtime.worker_process import Runtime

TASK = TaskId("12", 3, 7, 0, 55)


@dataclass
class Function:
    name: str
    version: int


KEYS = [("f", 2), ("g", 0), ("f", 2)]
FUNCTIONS = [Function(*key) for key in KEYS]
COST = st.tuples(*[st.integers(0, 9)] * len(COSTS))
# When it ended, its number, rows in and out, bytes in and out, waiting, writing.
NUMBERS = st.tuples(st.floats(1, 9), *[st.integers(0, 9)] * 7)
BUNDLES = st.lists(st.tuples(NUMBERS, st.tuples(COST, COST, COST)), max_size=9)


def bundles_in(records: Sequence[Record]) -> list[BundlesDone]:
    return [record for record in records if isinstance(record, BundlesDone)]


@given(BUNDLES, st.sets(st.integers(0, 9)), st.tuples(COST, COST, COST))
def test_they_leave_as_they_came(
    bundles: list[tuple[tuple[float, ...], tuple[Costs, ...]]],
    taken_at: set[int],
    unfinished: tuple[Costs, ...],
) -> None:
    waiting = WaitingBundles(TASK, FUNCTIONS)
    records: list[Record] = []
    for at, (numbers, costs) in enumerate(bundles):
        waiting.add((*numbers, *costs[0], *costs[1], *costs[2]), ())
        assert waiting.since > 0
        if at in taken_at:
            records += waiting.take()
            assert waiting.since == 0
    records += waiting.take()
    assert waiting.take() == []
    sent = [each for record in bundles_in(records) for each in record]
    assert [
        (each.time, each.bundle, each.rows_in, each.rows_out, each.bytes_in, each.bytes_out,
         each.wait_ns, each.write_ns)
        for each in sent
    ] == [numbers for numbers, _ in bundles]  # fmt: skip
    assert [each.functions for each in sent] == [
        tuple(FunctionTiming(*key, *cost) for key, cost in zip(KEYS, costs, strict=True))
        for _, costs in bundles
    ]
    rows_in, rows_out, totals = waiting.close(unfinished)
    assert (rows_in, rows_out) == (sum(e.rows_in for e in sent), sum(e.rows_out for e in sent))
    for at, total in enumerate(totals):
        parts = [costs[at] for _, costs in bundles] + [unfinished[at]]
        assert total == FunctionTiming(*KEYS[at], *map(sum, zip(*parts, strict=True)))


def test_a_sample_and_metrics_come_with_their_bundle() -> None:
    waiting = WaitingBundles(TASK, FUNCTIONS[:1])
    counter = MetricValue("f", "n", "counter", 3)
    sample = BundleSampled(1, 2.0, TASK, 1, ("x",), (("1",),))
    waiting.add((1.0, *[1] * (7 + len(COSTS))), (counter,))
    waiting.add_sample(sample)
    bundles, sampled = waiting.take()
    assert isinstance(bundles, BundlesDone)
    assert (bundles.metrics, sampled) == ((counter,), sample)
    waiting.add_sample(sample)
    assert waiting.take() == [sample]


def test_one_thread_adds_while_another_takes() -> None:
    waiting = WaitingBundles(TASK, FUNCTIONS[:1])
    records: list[Record] = []
    over = threading.Event()

    def take() -> None:
        while not over.is_set():
            records.extend(waiting.take())

    taker = threading.Thread(target=take)
    taker.start()
    many = 20_000
    for number in range(many):
        waiting.add((1.0, number, *[1] * (6 + len(COSTS))), (MetricValue("f", "n", "counter", 1),))
    over.set()
    taker.join()
    records.extend(waiting.take())
    found = bundles_in(records)
    assert [at for record in found for at in record.bundle] == list(range(many))
    assert sum(len(record.metrics) for record in found) == many


class Dawdler(Sender):
    """Sends bundles so slowly that another thread could send the end of their task before."""

    sending = threading.Event()
    ended = threading.Event()

    def send(self, record: Record) -> bool:
        if isinstance(record, BundlesDone):
            self.sending.set()
            self.ended.wait(0.5)
        if isinstance(record, TaskEnded):
            self.ended.set()
        return super().send(record)


def test_the_end_of_a_task_comes_behind_bundles_that_another_thread_sends() -> None:
    received: list[Record] = []
    with (
        TemporaryDirectory(prefix="nudf-") as folder,
        Receiver(Path(folder), received.append) as receiver,
    ):
        sender = Dawdler(receiver.address)
        runtime = Runtime(sender=sender)
        runtime.task = task = Task(TASK, [], runtime, job_parameters={})
        task.waiting.add((1.0, 1, 10, 9, 0, 0, 0, 0), ())
        agent = threading.Thread(target=runtime.flush_bundles)
        agent.start()
        assert sender.sending.wait(10)
        task.end("done")
        agent.join()
        sender.close()
    bundles, end = received
    assert isinstance(bundles, BundlesDone)
    assert isinstance(end, TaskEnded)
    assert (bundles.rows_in, end.rows_in, end.rows_out) == ((10,), 10, 9)
