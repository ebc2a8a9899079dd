"""What the kernel knows: sums that count each row once, bounds, and who may change what."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_udf.errors import FailedRow, Frame
from notebook_udf.functions.metrics import Counter, Gauge, Histogram, Meter, MetricGroup
from notebook_udf.telemetry.kernel_commands import Command
from notebook_udf.telemetry.records import (
    BundleDone,
    BundlesDone,
    CallFailed,
    FunctionTiming,
    LogLine,
    LogLines,
    MetricValue,
    Position,
    Record,
    StackDump,
    TaskEnded,
    TaskId,
    TaskStarted,
    WorkerExited,
    WorkerPulse,
    WorkerStarted,
)
from notebook_udf.telemetry.store import run_store, worker_store
from notebook_udf.telemetry.store import session_store as store_module
from notebook_udf.telemetry.store.function_sums import fits
from notebook_udf.telemetry.store.log_store import MAX_LINE, LogChoice, Logs
from notebook_udf.telemetry.store.run_store import EARLIER
from notebook_udf.telemetry.store.session_store import Store
from notebook_udf.telemetry.store.worker_store import WorkerView
from notebook_udf.worker.runtime.progress_file import PositionFile, read_position


@pytest.fixture
def store() -> Store:
    return Store()


def task(partition: int = 0, attempt: int = 0, query: str = "q", stage: int = 1) -> TaskId:
    return TaskId(query, stage, partition, attempt, 1000 * stage + 10 * partition + attempt)


def timing(rows: int, function: str = "f", errors: int = 0) -> FunctionTiming:
    return FunctionTiming(function, 1, rows, rows, rows, 2 * rows, 3 * rows, errors)


def bundle(
    of: TaskId, rows: int = 10, pid: int = 1, time: float = 5.0, number: int = 0, **more: Any
) -> BundlesDone:
    values: dict[str, Any] = {"functions": (timing(rows),), **more}
    alone = BundleDone(pid, time, of, number, rows, rows, 8 * rows, 4 * rows, rows, rows, **values)
    (record,) = BundlesDone.of([alone])
    return record


def end(
    of: TaskId,
    rows: int,
    outcome: str = "done",
    pid: int = 1,
    time: float = 9.0,
    bundles: int = 1,
    **more: Any,
) -> TaskEnded:
    values: dict[str, Any] = {"functions": (timing(rows),), **more}
    return TaskEnded(pid, time, of, outcome, bundles, rows, rows, **values)


def failure(error_id: str, pid: int = 1, query: str = "q", **more: Any) -> CallFailed:
    row = FailedRow("f", 1, error_id, "ValueError", "no", **more)
    return CallFailed(pid, 3.0, task(query=query), "fail", "UserFunctionError", row)


def lines(*texts: str, pid: int = 1, query: str = "q", dropped: int = 0, **more: Any) -> LogLines:
    made = (
        LogLine(n, 1.0, more.get("level", "INFO"), "print", more.get("function", "f"), 0, -1, text)
        for n, text in enumerate(texts)
    )
    return LogLines(pid, query, tuple(made), dropped)


def rows_of(store: Store, query: str | None = None) -> int:
    return sum(total.rows_in for total in store.totals(query))


# Workers


def test_a_failed_call_alone_makes_no_worker(store: Store) -> None:
    store.apply(failure("e1", pid=7))
    assert store.workers() == []
    assert [each.failed.error_id for each in store.failures()] == ["e1"]


def test_a_worker_from_start_to_end(store: Store) -> None:
    store.apply(WorkerStarted(7, "h", "3.11", 1.0, "/log"))
    store.apply(TaskStarted(7, 2.0, task(), ("f",)))
    store.apply(WorkerPulse(7, 3.0, "running", "f", 4, 5, 60, 80, 100, 0.5, 2))
    store.apply(bundle(task(), 10, pid=7, time=4.0))
    store.apply(failure("e1", pid=7))
    (view,) = store.workers()
    assert view == WorkerView(
        pid=7,
        host="h",
        python="3.11",
        log_path="/log",
        state="running",
        function="f",
        bundle=4,
        row=5,
        memory=60,
        peak_memory=80,
        memory_limit=100,
        cpu_seconds=0.5,
        lost_messages=2,
        started=1.0,
        seen=4.0,
        task=task(),
        bundles_done=1,
        rows_done=10,
        failures=1,
        last_error="ValueError: no",
        last_error_id="e1",
    )
    store.apply(end(task(), 10, pid=7, time=5.0))
    assert store.workers()[0].task is None
    ended = WorkerExited(7, 6.0, None, 9, False, "x" * 100_000)
    store.apply(ended)
    (view,) = store.workers()
    assert view.state == "exited"
    assert view.exited == replace(ended, output="x" * worker_store.MAX_OUTPUT)


def test_a_late_word_does_not_revive_a_worker(store: Store) -> None:
    store.apply(WorkerExited(7, 6.0, 1, None, False, ""))
    store.apply(WorkerStarted(7, "h", "3", 1.0, ""))
    store.apply(WorkerPulse(7, 5.0, "running", "f", 0, 0, 9, 9, 0, 0.0, 0))
    store.apply(TaskStarted(7, 5.0, task(), ("f",)))
    (view,) = store.workers()
    assert (view.state, view.host, view.memory, view.task) == ("exited", "h", 9, None)


def test_a_process_id_given_out_again_is_another_worker(store: Store) -> None:
    store.apply(bundle(task(), pid=7))
    store.apply(WorkerExited(7, 6.0, 0, None, True, ""))
    store.apply(WorkerStarted(7, "h", "3", 8.0, ""))
    (view,) = store.workers()
    assert (view.exited, view.bundles_done, view.started) == (None, 0, 8.0)
    assert store.wait_exit(7, 0) is None


def test_the_oldest_ended_workers_are_forgotten(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker_store, "MAX_WORKERS", 3)
    for pid in range(3):
        store.apply(WorkerStarted(pid, "h", "3", 1.0, ""))
    store.apply(WorkerExited(1, 2.0, 0, None, True, ""))
    for pid in (3, 4):
        store.apply(WorkerStarted(pid, "h", "3", 3.0, ""))
    assert [view.pid for view in store.workers()] == [2, 3, 4]


def test_the_last_workers_that_ended_are_kept(store: Store) -> None:
    for pid in range(1, 301):
        store.apply(WorkerStarted(pid, "h", "3", float(pid), ""))
        if pid > 10:
            store.apply(WorkerExited(pid, pid + 0.5, 0, None, True, ""))
    store.apply(WorkerStarted(301, "h", "3", 301.0, ""))
    kept = [view.pid for view in store.workers()]
    assert kept == [*range(1, 11), *range(201, 302)]


def test_the_worker_of_a_task(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker_store, "MAX_TASKS", 2)
    here = task()
    assert store.worker_of(here.task_attempt) is None
    store.apply(TaskStarted(1, 1.0, here, ("f",)))
    store.apply(TaskStarted(2, 1.0, here, ("g",)))

    def found() -> int | None:
        view = store.worker_of(here.task_attempt)
        return view.pid if view else None

    assert found() == 2
    store.apply(WorkerExited(1, 2.0, None, 11, False, ""))
    assert found() == 1
    for partition in (1, 2):
        store.apply(bundle(task(partition)))
    assert found() is None


def test_who_was_at_a_task_is_told_by_its_end_as_well(store: Store, tmp_path: Path) -> None:
    file = tmp_path / "7.position"
    progress = PositionFile(file)
    assert read_position(file) is None
    here = Position(5, 0, -1, -1, 0, "f", observed=True)
    progress.note(here)
    assert read_position(file) == here
    # Of the task's beginning nothing was heard: the process ended before it was sent.
    store.apply(WorkerStarted(7, "h", "3", 1.0, ""))
    ended = WorkerExited(7, time.time(), 3, None, False, "", read_position(file))
    store.apply(ended)
    assert store.wait_exit_at(5, 0) == ended
    assert store.workers()[0].observed
    # It is not why another task failed, of which nobody speaks.
    assert store.wait_exit_at(6, 0) is None
    assert store.last_crash(60, ()) is None
    progress.forget()
    assert read_position(file) is None
    progress.close()
    unseen = replace(ended, pid=8, position=None)
    store.apply(unseen)
    assert store.last_crash(60, ()) == unseen


def later(action: Callable[[], None]) -> threading.Timer:
    timer = threading.Timer(0.05, action)
    timer.start()
    return timer


def test_waiting_for_an_end(store: Store) -> None:
    ended = WorkerExited(7, 6.0, 1, None, False, "")
    assert store.wait_exit(7, 0.01) is None
    timer = later(lambda: store.apply(ended))
    assert store.wait_exit(7, 30) == ended
    timer.join()


def test_waiting_for_a_failure(store: Store) -> None:
    assert store.wait_failure("e1", 0.01) is None
    timer = later(lambda: store.apply(failure("e1")))
    assert store.wait_failure("e1", 30) == failure("e1")
    timer.join()


def test_waiting_for_all_tasks_of_a_query(store: Store) -> None:
    assert not store.wait_settled("q", 0.01)
    store.apply(bundle(task()))
    assert not store.wait_settled("q", 0.01)
    timer = later(lambda: store.apply(end(task(), 10)))
    assert store.wait_settled("q", 30)
    timer.join()


# Bundles and totals


def test_what_one_bundle_adds_up_to(store: Store) -> None:
    store.apply(TaskStarted(1, 3.0, task(), ("f", "g")))
    both = (timing(10, errors=2), timing(4, "g"))
    store.apply(bundle(task(), 10, functions=both))
    f, g = store.totals("q")
    assert (f.query, f.function, f.version, f.tasks, f.bundles) == ("q", "f", 1, 1, 1)
    assert (f.rows_in, f.rows_out, f.bytes_in, f.bytes_out) == (10, 10, 80, 40)
    assert (f.wait_ns, f.decode_ns, f.user_ns, f.encode_ns, f.write_ns) == (10, 10, 20, 30, 10)
    assert (f.errors, f.first, f.last, f.rows_per_second) == (2, 3.0, 5.0, 5.0)
    assert (g.function, g.rows_in, g.bytes_in, g.bundles) == ("g", 4, 80, 1)
    assert store.totals("other") == []


def test_a_function_twice_in_a_bundle_shares_the_bundle_once(store: Store) -> None:
    store.apply(bundle(task(), 10, functions=(timing(10), timing(10))))
    (total,) = store.totals()
    assert (total.rows_in, total.bundles, total.bytes_in) == (20, 1, 80)


def test_no_rate_without_a_span(store: Store) -> None:
    store.apply(bundle(task()))
    assert store.totals()[0].rows_per_second == 0.0


def test_the_end_of_a_task_heals_lost_bundles(store: Store) -> None:
    store.apply(bundle(task(), 10))
    store.apply(end(task(), 30, bundles=3))
    (total,) = store.totals()
    assert (total.rows_in, total.bundles, total.bytes_in) == (30, 3, 80)


def test_a_retry_replaces_what_failed(store: Store) -> None:
    store.apply(bundle(task(attempt=0), 10))
    store.apply(end(task(attempt=0), 10, "failed"))
    assert rows_of(store) == 10
    store.apply(bundle(task(attempt=1), 3, pid=2))
    assert rows_of(store) == 3
    store.apply(end(task(attempt=1), 20, pid=2))
    assert rows_of(store) == 20
    assert len(store.bundles("q")) == 2


@pytest.mark.parametrize("first", [0, 1])
def test_of_twins_the_first_that_is_done_counts(store: Store, first: int) -> None:
    for attempt in (0, 1):
        store.apply(bundle(task(attempt=attempt), 5 + attempt, pid=attempt))
    assert rows_of(store) == 6
    for attempt in (first, 1 - first):
        store.apply(end(task(attempt=attempt), 50 + attempt, pid=attempt))
    assert rows_of(store) == 50 + first
    assert store.totals()[0].tasks == 1


@pytest.mark.parametrize("late", [False, True])
def test_of_an_executor_that_died_before_all_was_said_the_next_attempt_counts(
    store: Store, late: bool
) -> None:
    """One worker had given all its rows; what ran beside it died with the executor."""
    beside = timing(4, "g")
    store.apply(end(task(attempt=0), 4))
    records = [
        end(task(attempt=1), 5, pid=2),
        end(task(attempt=1), 4, pid=3, functions=(beside,)),
    ]
    for record in reversed(records) if late else records:
        store.apply(record)
    assert {(total.function, total.rows_in) for total in store.totals()} == {("f", 5), ("g", 4)}


def test_a_killed_twin_does_not_hide_the_one_that_runs(store: Store) -> None:
    store.apply(bundle(task(attempt=0), 5))
    store.apply(bundle(task(attempt=1), 6, pid=2))
    store.apply(end(task(attempt=1), 6, "stopped", pid=2))
    assert rows_of(store) == 5


def exited(pid: int) -> WorkerExited:
    return WorkerExited(pid, 90.0, None, 9, False, "")


@pytest.mark.parametrize("told_first", [True, False])
def test_a_task_whose_worker_was_killed_does_not_run_on(store: Store, told_first: bool) -> None:
    records = [bundle(task(attempt=0), 10), exited(1)]
    for record in records if told_first else reversed(records):
        store.apply(record)
    # It had given its rows, or Spark tries again.
    assert store.wait_settled("q", 0)
    assert rows_of(store) == 10
    store.apply(bundle(task(attempt=1), 3, pid=2))
    assert not store.wait_settled("q", 0)
    store.apply(end(task(attempt=1), 20, pid=2))
    assert rows_of(store) == 20


def test_a_killed_node_of_a_task_is_no_end_of_the_task(store: Store) -> None:
    store.apply(end(task(attempt=0), 10, pid=1))
    store.apply(bundle(task(attempt=0), 10, pid=2))
    store.apply(exited(2))
    store.apply(end(task(attempt=1), 30, pid=3))
    assert rows_of(store) == 30


def test_an_end_that_comes_after_its_worker_ended_counts(store: Store) -> None:
    store.apply(bundle(task(), 10))
    store.apply(exited(1))
    store.apply(end(task(), 12))
    assert store.wait_settled("q", 0)
    assert rows_of(store) == 12


def test_a_task_that_was_only_stopped_still_shows(store: Store) -> None:
    store.apply(end(task(), 6, "stopped"))
    assert rows_of(store) == 6


def test_two_python_nodes_of_a_task_both_count(store: Store) -> None:
    node = (timing(7, "g"),)
    store.apply(bundle(task(), 10, pid=1))
    store.apply(bundle(task(), 7, pid=2, functions=node))
    store.apply(end(task(), 10, pid=1))
    store.apply(end(task(), 7, pid=2, functions=node))
    assert {t.function: (t.rows_in, t.tasks) for t in store.totals()} == {"f": (10, 1), "g": (7, 1)}


def test_one_worker_can_run_two_nodes_of_a_task(store: Store) -> None:
    for rows in (10, 7):
        store.apply(TaskStarted(1, 1.0, task(), ("f",)))
        store.apply(bundle(task(), rows))
        store.apply(end(task(), rows))
    assert (rows_of(store), store.totals()[0].tasks) == (17, 1)


def test_a_second_start_keeps_what_the_first_said(store: Store) -> None:
    for rows in (10, 7):
        store.apply(TaskStarted(1, 1.0, task(), ("f",)))
        store.apply(bundle(task(), rows))
    assert rows_of(store) == 17


def test_bundles_are_bounded_and_their_rows_are_not_lost(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_store, "MAX_ALL_BUNDLES", 2_500)
    for query in ("a", "b"):
        for number in range(2_100):
            store.apply(bundle(task(query=query), 1, number=number))
    assert [each.bundle for each in store.bundles("a")] == list(range(1_600, 2_100))
    assert [each.bundle for each in store.bundles("b")] == list(range(100, 2_100))
    assert len(store.bundles()) == 2_500
    assert (rows_of(store, "a"), rows_of(store)) == (2_100, 4_200)


def test_queries_are_bounded_and_their_rows_are_not_lost(store: Store) -> None:
    metrics = (MetricValue("f", "n", "counter", 1),)
    for number in range(130):
        store.apply(bundle(task(query="long"), 1))
        store.apply(bundle(task(query=str(number)), 10, metrics=metrics))
    assert rows_of(store) == 130 + 1_300
    assert (rows_of(store, "long"), rows_of(store, "5"), rows_of(store, "129")) == (130, 0, 10)
    assert [(t.rows_in, t.tasks) for t in store.totals(EARLIER)] == [(310, 31)]
    assert [m.value for m in store.metrics(EARLIER)] == [31]
    assert sum(m.value for m in store.metrics()) == 130


def test_what_an_interrupted_query_says_late_does_not_make_it_the_latest(store: Store) -> None:
    for query in ("interrupted", "next"):
        store.apply(TaskStarted(1, 1.0, task(query=query), ("f",)))
        store.apply(bundle(task(query=query)))
    store.apply(bundle(task(query="interrupted"), time=9.0, number=1))
    store.apply(end(task(query="interrupted"), 20, outcome="stopped"))
    assert [total.query for total in store.totals()] == ["interrupted", "next"]
    store.apply(TaskStarted(1, 10.0, task(query="interrupted", partition=1), ("f",)))
    assert [total.query for total in store.totals()] == ["next", "interrupted"]


def test_versions_of_earlier_queries_are_bounded_and_their_rows_are_not_lost(store: Store) -> None:
    for number in range(1, 1_001):
        # The first was called on columns and not registered.
        functions = (replace(timing(10), version=number - 1),)
        store.apply(bundle(task(query=str(number)), functions=functions))
    earlier = sorted(store.totals(EARLIER), key=lambda each: each.version)
    assert [each.version for each in earlier] == [0, *range(800, 900)]
    assert [each.rows_in for each in earlier[:3]] == [10, 8_000, 10]
    assert rows_of(store) == 10_000


def test_partitions_are_bounded_and_counted_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_store, "MAX_PARTITIONS", 5)
    store.apply(bundle(task(999), 1, pid=3))
    for partition in range(50):
        store.apply(end(task(partition), 10))
    for partition in range(50):
        # The loser of a race, heard after the winner was summed up.
        store.apply(end(task(partition, attempt=1), 10, "stopped", pid=2))
    store.apply(end(task(999), 2, pid=3))
    assert (rows_of(store), store.totals()[0].tasks) == (502, 51)


def test_totals_by_stage_add_up(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_store, "MAX_PARTITIONS", 3)
    for partition in range(20):
        for stage in (4, 2):
            store.apply(end(task(partition, stage=stage), stage))
    by_stage = store.totals_by_stage("q")
    assert {stage: sum(t.rows_in for t in found) for stage, found in by_stage.items()} == {
        2: 40, 4: 80,
    }  # fmt: skip
    assert rows_of(store) == 120
    assert store.totals_by_stage("other") == {}


def test_a_stage_computed_again_under_another_number_counts_once(store: Store) -> None:
    for partition in range(4):
        store.apply(end(task(partition, stage=1), 10))
    for partition in (1, 3):
        store.apply(end(task(partition, stage=5), 10))
    store.apply(bundle(task(9, stage=1), 1))
    # Two stages that nothing is known of are two.
    assert rows_of(store) == 61
    rdds = {1: (7, 8), 5: (7, 8), 6: (9,)}
    store.computed = rdds.get
    assert rows_of(store) == 41
    assert sum(total.rows_in for total in store.totals_by_stage("q")[1]) == 41
    assert 5 not in store.totals_by_stage("q")
    store.apply(end(task(9, stage=5), 2))
    store.apply(end(task(0, stage=6), 100))
    assert rows_of(store) == 142
    assert store.wait_settled("q", 0)


def test_attempts_are_bounded(store: Store) -> None:
    store.apply(end(task(attempt=0), 10))
    for attempt in range(1, 100):
        store.apply(bundle(task(attempt=attempt), 1, pid=attempt))
    assert rows_of(store) == 10


# The property: any interleaving of attempts, with bundle records lost, against a plain model.


@dataclass
class Plan:
    """One attempt at a partition; each bundle is (rows of f, rows of g, delivered)."""

    place: int
    attempt: int
    bundles: list[tuple[int, int, bool]]
    outcome: str | None
    started: bool
    ended: bool = False
    sent: list[tuple[int, int]] = field(default_factory=list)
    metric: int = 0

    @property
    def id(self) -> TaskId:
        return task(self.place, self.attempt, query=str(self.place % 2))

    def records(self) -> list[tuple[Plan, Record, bool]]:
        pid = 10 * self.place + self.attempt
        found: list[tuple[Plan, Record, bool]] = []
        if self.started:
            found.append((self, TaskStarted(pid, 1.0, self.id, ("f", "g")), True))
        f = g = 0
        for number, (rows_f, rows_g, delivered) in enumerate(self.bundles, 1):
            f, g = f + rows_f, g + rows_g
            both = (timing(rows_f), timing(rows_g, "g"))
            count = (MetricValue("f", "n", "counter", number),)
            found.append((self, bundle(self.id, 1, pid, functions=both, metrics=count), delivered))
        if self.outcome is not None:
            sums = (timing(f), timing(g, "g"))
            count = (MetricValue("f", "n", "counter", len(self.bundles)),)
            made = end(self.id, f, self.outcome, pid, functions=sums, metrics=count)
            found.append((self, replace(made, bundles=len(self.bundles)), True))
        return found


@st.composite
def deliveries(draw: st.DrawFn) -> list[tuple[Plan, Record, bool]]:
    size = st.integers(0, 5)
    plans = [
        Plan(place, attempt, bundles, outcome, started)
        for place in range(draw(st.integers(1, 3)))
        for attempt in range(draw(st.integers(1, 3)))
        for bundles in [draw(st.lists(st.tuples(size, size, st.booleans()), max_size=3))]
        for outcome in [draw(st.sampled_from(["done", "done", "failed", "stopped", None]))]
        for started in [draw(st.booleans())]
    ]
    queues = [records for plan in plans if (records := plan.records())]
    found = []
    while queues:
        index = draw(st.integers(0, len(queues) - 1))
        found.append(queues[index].pop(0))
        queues = [records for records in queues if records]
    return found


def winner(seen: list[Plan], done: list[Plan]) -> Plan:
    for plan in done:
        if plan in seen:
            return plan
    alive = [plan for plan in seen if not plan.ended]
    return max(alive or seen, key=lambda plan: plan.attempt)


@settings(max_examples=150, deadline=None)
@given(deliveries())
def test_totals_equal_a_plain_model(sequence: list[tuple[Plan, Record, bool]]) -> None:
    store = Store()
    places: dict[int, list[Plan]] = {}
    done: list[Plan] = []
    for plan, record, delivered in sequence:
        if not delivered:
            continue
        store.apply(record)
        seen = places.setdefault(plan.place, [])
        if all(plan is not other for other in seen):
            seen.append(plan)
        if isinstance(record, BundlesDone):
            (done_bundle,) = record
            plan.sent.append(tuple(timing.rows_in for timing in done_bundle.functions))
            plan.metric = record.metrics[0].value
        if isinstance(record, TaskEnded):
            plan.ended = True
            plan.sent = [(f, g) for f, g, _ in plan.bundles]
            plan.metric = len(plan.bundles)
            if record.outcome == "done":
                done.append(plan)

        expected: dict[tuple[str, str], list[int]] = {}
        metrics: dict[str, int] = {}
        for plans in places.values():
            counted = winner(plans, done)
            if not counted.sent and not counted.ended:
                continue
            for column, function in enumerate("fg"):
                sums = expected.setdefault((counted.id.query, function), [0, 0, 0])
                sums[0] += sum(rows[column] for rows in counted.sent)
                sums[1] += len(counted.sent)
                sums[2] += 1
            query = counted.id.query
            metrics[query] = metrics.get(query, 0) + counted.metric
        actual = {(t.query, t.function): [t.rows_in, t.bundles, t.tasks] for t in store.totals()}
        assert actual == expected
        assert {m.query: m.value for m in store.metrics()} == metrics


# Metrics


def test_metrics_take_the_latest_of_each_task_that_counts(store: Store) -> None:
    def count(n: int) -> tuple[MetricValue, ...]:
        return (MetricValue("f", "seen", "counter", n), MetricValue("f", "now", "gauge", [n, n]))

    store.apply(bundle(task(0), metrics=count(3)))
    store.apply(bundle(task(0), metrics=count(5)))
    store.apply(bundle(task(1, attempt=0), pid=2, metrics=count(100)))
    store.apply(end(task(1, attempt=0), 1, "failed", pid=2, metrics=count(100)))
    store.apply(bundle(task(1, attempt=1), pid=3, metrics=count(7)))
    assert {(m.name, m.kind): m.value for m in store.metrics("q")} == {
        ("seen", "counter"): 12,
        ("now", "gauge"): [7, 7],
    }
    assert store.bundles()[0].metrics == ()


def test_what_real_metrics_say_can_be_merged(store: Store) -> None:
    group = MetricGroup()
    group.counter("c").inc(2)
    group.gauge("g").set(1.5)
    group.histogram("h").update(3.0)
    group.histogram("empty")
    group.meter("m").mark_event(4)
    values = tuple(MetricValue("f", n, m.kind, m.snapshot()) for n, m in group.walk())
    for partition in (0, 1):
        store.apply(end(task(partition), 1, metrics=values))
    merged = {m.name: m.value for m in store.metrics()}
    assert (merged["c"], merged["g"][1], merged["h"]["count"]) == (4, 1.5, 2)
    assert (merged["m"]["count"], merged["empty"]["count"]) == (8, 0)
    assert store.dropped_metrics == 0


@pytest.mark.parametrize("kind", [Counter.kind, Gauge.kind, Histogram.kind, Meter.kind, "other"])
@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        "x",
        [],
        [None, 1],
        {},
        {"count": "1", "start": 1, "last": 2},
        {"count": 1, "sum": 1.0, "min": None, "max": 2, "buckets": {}},
        {"count": 1, "sum": 1.0, "min": 1, "max": 2, "buckets": {"+1": "x"}},
        {"count": 1, "sum": 1.0, "min": 1, "max": 2, "buckets": [1]},
    ],
)
def test_a_metric_that_cannot_be_merged_is_counted(kind: str, value: Any) -> None:
    assert not fits(kind, value)
    store = Store()
    store.apply(bundle(task(), metrics=(MetricValue("f", "n", kind, value),)))
    assert (store.metrics(), store.dropped_metrics) == ([], 1)


def test_names_of_metrics_are_bounded(store: Store) -> None:
    values = tuple(MetricValue("f", str(n), "counter", 1) for n in range(1_500))
    store.apply(bundle(task(), metrics=values))
    assert (len(store.metrics()), store.dropped_metrics) == (1_000, 500)


# Logs


def test_lines_are_found_by_what_they_say_of_themselves(store: Store) -> None:
    store.apply(lines("a", "b"))
    store.apply(lines("c", pid=2, query="r", function="g", level="ERROR"))
    store.apply(lines("d", level="stderr"))

    def texts(limit: int | None = None, **chosen: Any) -> list[str]:
        return [e.text for e in store.kept_logs().select(LogChoice(**chosen), limit)]

    assert texts() == ["a", "b", "c", "d"]
    assert texts(query="q") == ["a", "b", "d"]
    assert texts(function="g") == texts(pid=2) == texts(level="warning") == ["c"]
    assert texts(level="INFO") == ["a", "b", "c"]
    assert texts(level="stderr") == ["d"]
    assert texts(limit=2) == ["c", "d"]
    assert texts(limit=0) == []
    assert [entry.sequence for entry in store.kept_logs().select(LogChoice(pid=1))] == [0, 1, 0]


def test_a_long_line_says_what_was_cut(store: Store) -> None:
    store.apply(lines("x" * (MAX_LINE + 1_234), "y" * MAX_LINE))
    cut, whole = store.kept_logs().select()
    assert cut.cut == 1_234
    assert cut.text == "x" * MAX_LINE + "… (1,234 more characters)"
    assert (whole.cut, whole.text) == (0, "y" * MAX_LINE)


def test_lines_past_the_bound_are_counted() -> None:
    logs = Logs(max_lines=100, max_bytes=1_000_000)
    logs.add(lines(*map(str, range(250)), dropped=5))
    assert [entry.text for entry in logs.kept().select()] == list(map(str, range(150, 250)))
    assert logs.dropped == 155


def test_memory_of_lines_is_bounded() -> None:
    logs = Logs(max_lines=100, max_bytes=50_000)
    logs.add(lines(*["✓" * 10_000] * 10))
    assert (len(logs.kept().select()), logs.dropped) == (2, 8)


def test_what_workers_withheld_is_counted(store: Store) -> None:
    store.apply(lines("a", dropped=3))
    store.apply(lines("b", dropped=4))
    assert store.dropped_logs == 7


# Failures, stacks, subscribers


def test_failures_by_function_query_and_id(store: Store) -> None:
    store.apply(failure("e1"))
    store.apply(failure("e2", query="r"))
    assert [f.failed.error_id for f in store.failures()] == ["e1", "e2"]
    assert store.failures(query="r") == [failure("e2", query="r")]
    assert (len(store.failures("f")), store.failures("g")) == (2, [])
    assert store.failure("e1") == failure("e1")
    assert store.failure("e3") is None


def test_a_failure_cannot_be_overwritten_by_another_worker(store: Store) -> None:
    store.apply(failure("e1", pid=1))
    store.apply(failure("e1", pid=2))
    found = store.failure("e1")
    assert found is not None
    assert found.pid == 1


def test_failures_are_bounded(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1_200):
        store.apply(failure(str(number)))
    assert len(store.failures()) == 1_000
    assert (store.failure("199"), store.failure("200")) == (None, failure("200"))
    monkeypatch.setattr(store_module, "MAX_FAILURE_BYTES", 50_000)
    store.apply(failure("big", pickled_arguments=b"x" * 60_000, frames=(Frame("a", 1, "f"),)))
    assert [f.failed.error_id for f in store.failures()] == ["big"]


def test_stacks_by_worker(store: Store) -> None:
    for number in range(300):
        store.apply(StackDump(number % 2, 1.0, str(number), "asked"))
    assert len(store.stacks()) == 200
    assert [dump.text for dump in store.stacks(1)][-2:] == ["297", "299"]


def test_subscribers_hear_each_record_and_may_read(
    store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    heard: list[tuple[Record, int]] = []

    def listen(record: Record) -> None:
        # From another thread, so that a lock still held would block here.
        reader = threading.Thread(target=lambda: heard.append((record, len(store.bundles()))))
        reader.start()
        reader.join(10)

    def fail(record: Record) -> None:
        raise ValueError("no")

    store.subscribe(fail)
    unsubscribe = store.subscribe(listen)
    store.apply(bundle(task()))
    unsubscribe()
    unsubscribe()
    store.apply(bundle(task()))
    assert heard == [(*bundle(task()), 1)]
    assert caplog.text.count("a subscriber failed on a bundle-done record") == 2


def test_a_command_is_nothing_to_the_store(store: Store) -> None:
    store.apply(Command("stacks"))
    assert store.workers() == []


def test_clearing_keeps_the_living(store: Store) -> None:
    heard: list[Record] = []
    store.subscribe(heard.append)
    for record in (
        WorkerStarted(1, "h", "3", 1.0, ""),
        WorkerExited(2, 1.0, 0, None, True, ""),
        bundle(task(), metrics=(MetricValue("f", "n", "counter", 1),)),
        lines("a", dropped=1),
        failure("e1"),
        StackDump(1, 1.0, "", ""),
    ):
        store.apply(record)
    store.clear()
    assert [view.pid for view in store.workers()] == [1]
    logs = store.kept_logs().select
    views = (store.bundles, store.totals, store.metrics, logs, store.failures, store.stacks)
    assert [len(view()) for view in views] == [0] * 6
    assert (store.failure("e1"), store.dropped_logs) == (None, 0)
    store.apply(bundle(task(), 3))
    assert rows_of(store) == 3
    assert len(heard) == 7


# One worker against another


def own(pid: int) -> st.SearchStrategy[Record]:
    """Any record a worker can send under its own process id, whatever else it claims."""
    tasks = st.builds(task, st.integers(0, 1), st.integers(0, 1))
    return st.one_of(
        st.builds(
            WorkerStarted, st.just(pid), st.just("evil"), st.just("3"), st.floats(0, 9), st.just("")
        ),
        st.builds(lambda at: WorkerExited(pid, at, 1, None, False, ""), st.floats(0, 9)),
        st.builds(lambda of: bundle(of, pid=pid), tasks),
        st.builds(lambda of: end(of, 1, pid=pid), tasks),
        st.builds(lambda text: lines(text, pid=pid), st.text(max_size=3)),
        st.just(failure("e1", pid=pid)),
        st.just(StackDump(pid, 1.0, "evil", "")),
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(own(666), max_size=10))
def test_no_record_changes_another_workers_rows(records: list[Record]) -> None:
    store = Store()
    store.apply(WorkerStarted(1, "h", "3", 1.0, ""))
    store.apply(lines("mine"))
    store.apply(failure("e1"))
    store.apply(StackDump(1, 1.0, "mine", ""))

    def mine() -> list[Any]:
        views = [view for view in store.workers() if view.pid == 1]
        return [
            views,
            store.kept_logs().select(LogChoice(pid=1)),
            store.failure("e1"),
            store.stacks(1),
        ]

    before = mine()
    for record in records:
        store.apply(record)
    assert mine() == before
