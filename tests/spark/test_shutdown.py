"""What functions are told at the end: of a batch, of a failed one, and of a streaming query."""

from __future__ import annotations

import datetime as dt
import json
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F
from streaming import Stream as Source
from streaming import with_conf
from waiting import awaited, happens

import notebook_udf as nu
from notebook_udf import (
    AggregateFunction,
    Collector,
    OneInputStreamProcessFunction,
    ScalarFunction,
    StateDeclarations,
    TableFunction,
)

# The graceful shutdown design's lists, as far as they are about functions.
FINITE = DRAIN = ["prepare_to_shutdown", "shutdown", "close"]
SUSPEND = CANCEL = ["close"]


class Journal(nu.WithGracefulShutdown):
    """Writes down what it is told; raises where it is asked to."""

    def __init__(self, path: Path, fails_in: str = "") -> None:
        self.path = str(path)
        self.fails_in = fails_in

    def note(self, what: str) -> None:
        with open(self.path, "a") as file:
            file.write(f"{os.getpid()}/{id(self)}:{what}\n")
        if what == self.fails_in:
            raise RuntimeError(f"{what} is broken")

    def open(self, function_context: Any) -> None:
        self.note("open")

    def prepare_to_shutdown(self) -> None:
        self.note("prepare_to_shutdown")

    def shutdown(self) -> None:
        self.note("shutdown")

    def close(self) -> None:
        self.note("close")


class Scalar(Journal, ScalarFunction):
    def eval(self, x: int) -> int:
        if str(x) == self.fails_in:
            raise ValueError(f"no {x}")
        return x


class Process(Journal, OneInputStreamProcessFunction[int, int]):
    def process_record(self, record: int, output: Collector[int], ctx: Any) -> None:
        if str(record) == self.fails_in:
            raise ValueError(f"no {record}")
        self.note("record")
        output.collect(record)


class Table(Journal, TableFunction):
    def eval(self, x: int) -> Iterator[int]:
        if str(x) == self.fails_in:
            raise ValueError(f"no {x}")
        yield x


class Largest(Journal, AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        if str(value) == self.fails_in:
            raise ValueError(f"no {value}")
        accumulator[0] = max(accumulator[0], value)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def told(path: Path) -> list[str]:
    lines = [line.partition(":")[2] for line in path.read_text().split()]
    return [line for line in lines if line != "record"]


def run(session: nu.Session, function: Any) -> list[Any]:
    rows = session.spark.range(1, 4, 1, 1)
    if isinstance(function, Process):
        return rows.transform(nu.process(function)).collect()
    record = session.register_function("journal", function)
    if isinstance(function, Largest):
        return session.sql("SELECT journal(id) FROM range(1, 4, 1, 1)").collect()
    if isinstance(function, Table):
        return rows.transform(nu.join_lateral(record("id"), "y")).collect()
    return rows.select(record("id")).collect()


@pytest.mark.parametrize("cls", [Scalar, Process, Largest, Table])
def test_a_finite_source_ends_in_order(session: nu.Session, tmp_path: Path, cls: Any) -> None:
    path = tmp_path / "journal"
    assert run(session, cls(path))
    lines = told(path)
    # An aggregate has an instance in each of its two phases.
    assert lines == ["open", *FINITE] * (len(lines) // 4)
    assert len(lines) in (4, 8)


@pytest.mark.parametrize("cls", [Scalar, Process, Largest, Table])
def test_after_a_failure_there_is_only_close(session: nu.Session, tmp_path: Path, cls: Any) -> None:
    path = tmp_path / "journal"
    with pytest.raises(nu.UserFunctionError, match="no 2"):
        run(session, cls(path, fails_in="2"))
    assert told(path) == ["open", "close"]


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("prepare_to_shutdown", ["open", "prepare_to_shutdown", "close"]),
        ("shutdown", ["open", "prepare_to_shutdown", "shutdown", "close"]),
    ],
)
def test_an_end_that_fails_is_the_querys_failure(
    session: nu.Session, tmp_path: Path, method: str, expected: list[str]
) -> None:
    path = tmp_path / "journal"
    with pytest.raises(nu.UserFunctionError, match=f"{method} is broken"):
        run(session, Process(path, fails_in=method))
    assert told(path) == expected


def test_evaluating_here_ends_in_order_as_well(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    record = session.register_function("journal", Scalar(path))
    assert record.eval(5) == 5
    assert told(path) == ["open", *FINITE]


class Stream:
    """A streaming query over a folder that files are put into."""

    def __init__(
        self, session: nu.Session, folder: Path, function: Any, key_by: str | None = None
    ) -> None:
        self.session = session
        self.key_by = key_by
        self.folder = folder
        self.function = function
        (folder / "in").mkdir()

    def put(self, x: int) -> None:
        hidden = self.folder / "in" / f".{x}"
        hidden.write_text(json.dumps({"x": x}))
        hidden.rename(self.folder / "in" / f"{x}.json")

    def start(self, files_at_once: int = 100, trigger: str = "0 seconds") -> Any:
        reader = self.session.spark.readStream.schema("x bigint")
        reader = reader.option("maxFilesPerTrigger", files_at_once)
        rows = reader.json(str(self.folder / "in"))
        if isinstance(self.function, Process):
            rows = rows.transform(nu.process(self.function, self.key_by)).coalesce(1)
        else:
            record = self.session.register_function("journal", self.function)
            if isinstance(self.function, Largest):
                rows = rows.transform(nu.aggregate(by="x", largest=record("x")))
            elif isinstance(self.function, Table):
                rows = rows.transform(nu.join_lateral(record("x"), "y")).select("x").coalesce(1)
            else:
                rows = rows.select(record("x")).coalesce(1)
        writer = rows.writeStream.option("checkpointLocation", str(self.folder / "checkpoint"))
        writer = writer.trigger(processingTime=trigger)
        if isinstance(self.function, Largest):
            return writer.outputMode("update").foreachBatch(self._write).start()
        return writer.format("parquet").start(str(self.folder / "out"))

    def _write(self, rows: Any, _: int) -> None:
        rows.select("largest").coalesce(1).write.mode("append").parquet(f"{self.folder}/out")

    def results(self) -> list[int]:
        rows = self.session.spark.read.parquet(f"{self.folder}/out").collect()
        return sorted(row[0] for row in rows)


def by_instance(path: Path) -> list[list[str]]:
    """What each instance was told, the oldest first."""
    found: dict[str, list[str]] = {}
    for line in path.read_text().split():
        instance, _, what = line.partition(":")
        if what != "record":
            found.setdefault(instance, []).append(what)
    return list(found.values())


@pytest.mark.one_in(2)
@pytest.mark.parametrize("cls", [Process, Scalar, Largest, Table])
@pytest.mark.parametrize(
    ("end", "expected"), [("drain", DRAIN), ("suspend", SUSPEND), ("cancel", CANCEL)]
)
def test_a_stream_ends_as_it_is_told_to(
    session: nu.Session, tmp_path: Path, cls: Any, end: str, expected: list[str]
) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, cls(path))
    query = stream.start()
    for x in (1, 2):
        stream.put(x)
        query.processAllAvailable()
    assert "close" not in told(path)
    # A batch query beside it leaves its instances alone.
    session.spark.range(4).transform(nu.process(Process(tmp_path / "other"))).collect()
    assert "close" not in told(path)
    if end == "drain":
        stream.put(3)
    getattr(session, end)(query)
    assert not query.isActive
    assert stream.results() == ([1, 2, 3] if end == "drain" else [1, 2])
    for instance in by_instance(path):
        assert instance == ["open", *expected]


@pytest.mark.parametrize("cls", [Process, Scalar, Largest, Table])
def test_a_stream_that_fails_closes_every_instance(
    session: nu.Session, tmp_path: Path, cls: Any
) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, cls(path, fails_in="3"))

    def all_closed() -> bool:
        return all(instance[-1] == "close" for instance in by_instance(path))

    with awaited(session, all_closed):
        query = stream.start()
        for x in (1, 2, 3):
            stream.put(x)
        with pytest.raises(Exception, match="no 3"):
            query.processAllAvailable()
    for instance in by_instance(path):
        assert instance == ["open", *CANCEL]


class Leisurely(Scalar):
    """Takes a while to close."""

    def close(self) -> None:
        self.note("closing")
        time.sleep(1)
        super().close()


def test_a_close_that_has_begun_is_waited_for(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, Leisurely(path))
    query = stream.start()
    stream.put(1)
    query.processAllAvailable()
    with ThreadPoolExecutor(1) as pool:
        ending = pool.submit(session.cancel, query)
        happens(lambda: "closing" in told(path))
        # By the worker's agent, while its main thread waits for a task and is told to go.
        os.kill(int(path.read_text().partition("/")[0]), signal.SIGTERM)
        ending.result()
    happens(lambda: told(path) == ["open", "closing", "close"])


class Committing(Process):
    """Writes down as well how many micro-batches are committed; keeps a state."""

    STATE = StateDeclarations.value_state("ending", str)

    def __init__(self, path: Path, fails_in: str = "") -> None:
        super().__init__(path, fails_in)
        self.commits = path.parent / "checkpoint" / "commits"
        self.ctx: Any = None

    def note(self, what: str) -> None:
        committed = sum(1 for each in self.commits.glob("*") if each.name.isdigit())
        super().note(what if what in ("open", "record", "close") else f"{what}@{committed}")

    def end_input(self, ctx: Any) -> None:
        self.note("end_input")
        self.ctx = ctx

    def prepare_to_shutdown(self) -> None:
        super().prepare_to_shutdown()
        if self.ctx is None:
            # The end of the input was another worker's.
            return

        def prepare(_: Any, context: Any) -> None:
            context.get_state(self.STATE).update("prepared")

        self.ctx.apply_to_all_partitions(prepare)

    def uses_states(self) -> Any:
        return [self.STATE]


def test_what_is_prepared_is_in_the_last_commit(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    with with_conf(session.spark, {"spark.sql.shuffle.partitions": "1"}):
        stream = Stream(session, tmp_path, Committing(path), key_by="x")
        query = stream.start()
    for x in (1, 2):
        stream.put(x)
        query.processAllAvailable()
    session.drain(query)
    # Whichever worker took the last micro-batch.
    (last,) = [each for each in by_instance(path) if "end_input@2" in each]
    # Max watermark, then a commit between the two methods.
    assert last[-4:] == ["end_input@2", "prepare_to_shutdown@2", "shutdown@3", "close"]
    kept = session.state(str(tmp_path / "checkpoint")).to_dict()["Committing"]
    assert kept == {1: {"ending": "prepared"}, 2: {"ending": "prepared"}}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("more", [True, False])
@pytest.mark.parametrize("cls", [Committing, Scalar])
def test_a_drain_does_not_wait_for_the_trigger(
    session: nu.Session, tmp_path: Path, cls: Any, more: bool
) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, cls(path), key_by="x")
    stream.put(1)
    with (
        with_conf(session.spark, {"spark.sql.shuffle.partitions": "1"}),
        awaited(session, path.exists),
    ):
        query = stream.start(trigger="1 hour")
    if more:
        stream.put(2)
    session.drain(query)
    assert not query.isActive
    assert not session.spark.streams.active
    assert stream.results() == ([1, 2] if more else [1])
    # Each instance saw the query as one.
    for instance in by_instance(path):
        told_one = [line.partition("@")[0] for line in instance if "end_input" not in line]
        assert told_one == ["open", *DRAIN]
    if cls is Committing:
        kept = session.state(str(tmp_path / "checkpoint")).to_dict()["Committing"]
        assert kept == {x: {"ending": "prepared"} for x in stream.results()}


@pytest.mark.parametrize("trigger", ["0 seconds", "1 hour"])
def test_a_drain_ends_the_windows_that_are_open(
    session: nu.Session, tmp_path: Path, trigger: str
) -> None:
    path = tmp_path / "journal"
    record = session.register_function("journal", Largest(path))
    stream = Source(session.spark, tmp_path, "at timestamp, x bigint")
    stream.put([(dt.datetime(2024, 5, 1, hour), hour) for hour in (1, 2, 3)])
    found: list[Any] = []
    windows = stream.rows.withWatermark("at", "1 hour").transform(
        nu.aggregate(by=F.window("at", "2 hours"), largest=record("x"))
    )
    writer = windows.writeStream.outputMode("append")
    writer = writer.trigger(processingTime=trigger)
    query = writer.foreachBatch(lambda rows, _: found.append(rows.collect())).start()
    session.drain(query)
    # The first window ended by its watermark, the second by the greatest.
    assert [row.largest for rows in found for row in rows] == [1, 3]
    assert [row.largest for row in found[-1]] == [3]
    for instance in by_instance(path):
        assert instance == ["open", *DRAIN]


@pytest.mark.parametrize("method", ["prepare_to_shutdown", "shutdown", "close"])
def test_a_drain_whose_methods_fail_says_so(
    session: nu.Session, tmp_path: Path, method: str
) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, Counting(path, fails_in=method), key_by="x")
    query = stream.start()
    stream.put(1)
    with pytest.raises(Exception, match=f"{method} is broken"):
        session.drain(query)
    assert not query.isActive
    said = DRAIN[: DRAIN.index(method) + 1]
    for instance in by_instance(path):
        told_one = instance[1:]
        # One that failed to prepare, or that heard of another's failure, is only closed.
        assert told_one in ([*said, *(["close"] if method != "close" else [])], CANCEL, DRAIN)
    assert any(method in instance for instance in by_instance(path))


class Counting(Process):
    STATE = StateDeclarations.value_state("count", int)

    def uses_states(self) -> Any:
        return [self.STATE]


def test_a_suspended_stream_goes_on(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, Process(path))
    query = stream.start()
    stream.put(1)
    query.processAllAvailable()
    session.suspend(query)
    stream.put(2)
    query = stream.start()
    session.drain(query)
    assert stream.results() == [1, 2]
    assert told(path) == ["open", *SUSPEND, "open", *DRAIN]


def test_a_suspended_stream_ends_between_two_micro_batches(
    session: nu.Session, tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, Process(path))
    for x in range(40):
        stream.put(x)
    with awaited(session, path.exists):
        query = stream.start(files_at_once=1)
    session.suspend(query)
    # There was more, and no record was taken whose micro-batch is not committed.
    assert len(stream.results()) < 40
    assert path.read_text().count(":record") == len(stream.results())
    session.drain(stream.start(files_at_once=1))
    assert stream.results() == list(range(40))
    assert path.read_text().count(":record") == 40


def test_an_end_of_a_stream_that_fails_is_reported(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, Process(path, fails_in="shutdown"))
    query = stream.start()
    stream.put(1)
    with pytest.raises(nu.WorkerError, match="shutdown: RuntimeError: shutdown is broken"):
        session.drain(query)
    assert told(path) == ["open", "prepare_to_shutdown", "shutdown", "close"]
    assert stream.results() == [1]
