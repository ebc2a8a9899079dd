"""What functions are told at the end: of a batch, of a failed one, and of a streaming query."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import AggregateFunction, Collector, OneInputStreamProcessFunction, ScalarFunction

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
            file.write(what + "\n")
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


class Largest(Journal, AggregateFunction):
    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] = max(accumulator[0], value)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def told(path: Path) -> list[str]:
    return [line for line in path.read_text().split() if line != "record"]


def run(session: nu.Session, function: Any) -> list[Any]:
    rows = session.spark.range(1, 4, 1, 1)
    if isinstance(function, Process):
        return rows.transform(nu.process(function)).collect()
    record = session.register_function("journal", function)
    if isinstance(function, Largest):
        return session.sql("SELECT journal(id) FROM range(1, 4, 1, 1)").collect()
    return rows.select(record("id")).collect()


@pytest.mark.parametrize("cls", [Scalar, Process, Largest])
def test_a_finite_source_ends_in_order(session: nu.Session, tmp_path: Path, cls: Any) -> None:
    path = tmp_path / "journal"
    assert run(session, cls(path))
    lines = told(path)
    # An aggregate has an instance in each of its two phases.
    assert lines == ["open", *FINITE] * (len(lines) // 4)
    assert len(lines) in (4, 8)


@pytest.mark.parametrize("cls", [Scalar, Process])
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

    def __init__(self, session: nu.Session, folder: Path, function: Any) -> None:
        self.session = session
        self.folder = folder
        self.function = function
        (folder / "in").mkdir()

    def put(self, x: int) -> None:
        hidden = self.folder / "in" / f".{x}"
        hidden.write_text(json.dumps({"x": x}))
        hidden.rename(self.folder / "in" / f"{x}.json")

    def start(self) -> Any:
        rows = self.session.spark.readStream.schema("x bigint").json(str(self.folder / "in"))
        if isinstance(self.function, Process):
            rows = rows.transform(nu.process(self.function))
        else:
            rows = rows.select(self.session.register_function("journal", self.function)("x"))
        writer = rows.coalesce(1).writeStream.format("parquet")
        writer = writer.option("checkpointLocation", str(self.folder / "checkpoint"))
        return writer.start(str(self.folder / "out"))

    def results(self) -> list[int]:
        rows = self.session.spark.read.parquet(f"{self.folder}/out").collect()
        return sorted(row[0] for row in rows)


@pytest.mark.parametrize("cls", [Process, Scalar])
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
    lines = told(path)
    instances = lines.count("open")
    assert [line for line in lines if line != "open"] == expected * instances


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


def test_an_end_of_a_stream_that_fails_is_reported(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    stream = Stream(session, tmp_path, Process(path, fails_in="shutdown"))
    query = stream.start()
    stream.put(1)
    with pytest.raises(nu.WorkerError, match="shutdown: RuntimeError: shutdown is broken"):
        session.drain(query)
    assert told(path) == ["open", "prepare_to_shutdown", "shutdown", "close"]
    assert stream.results() == [1]
