"""``open`` and ``close`` around the rows, and what a function can ask and tell in between."""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from waiting import awaited, happens

import notebook_udf as nu
from notebook_udf import FunctionContext, ScalarFunction, udf


class Journal(ScalarFunction):
    """Writes a line for each call of its methods; files can be appended to by several workers."""

    def __init__(self, path: Path, fail_at: int = -1) -> None:
        self.path = str(path)
        self.fail_at = fail_at

    def note(self, what: str) -> None:
        with open(self.path, "a") as file:
            file.write(f"{what} {os.getpid()} {self.task}\n")

    def open(self, function_context: FunctionContext) -> None:
        self.task = function_context.get_index_of_this_subtask()
        self.note("open")

    def eval(self, x: int) -> int:
        if x == self.fail_at:
            raise ValueError(f"no {x}")
        self.note("eval")
        return x

    def close(self) -> None:
        self.note("close")


def lines(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines()]


def test_open_and_close_stand_around_the_rows_of_a_task(
    session: nu.Session, tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    record = session.register_function("journal", udf(Journal(path), result_type="bigint"))
    rows = session.spark.range(0, 12, 1, 4).select(record("id")).collect()
    assert [row[0] for row in rows] == list(range(12))
    by_task: dict[str, list[str]] = {}
    for what, _pid, task in lines(path):
        by_task.setdefault(task, []).append(what)
    assert by_task == {str(t): ["open", "eval", "eval", "eval", "close"] for t in range(4)}


def test_two_calls_in_a_query_are_two_instances(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    record = session.register_function("journal", udf(Journal(path), result_type="bigint"))
    frame = session.spark.range(0, 2, 1, 1)
    frame.select(record("id"), record(frame.id + 10)).collect()
    told = [what for what, *_ in lines(path)]
    assert (told.count("open"), told.count("eval"), told.count("close")) == (2, 4, 2)
    assert told[:2] == ["open", "open"]
    assert told[-2:] == ["close", "close"]


def test_close_runs_after_a_row_that_failed(session: nu.Session, tmp_path: Path) -> None:
    path = tmp_path / "journal"
    record = session.register_function(
        "journal", udf(Journal(path, fail_at=2), result_type="bigint")
    )
    with pytest.raises(nu.UserFunctionError, match="no 2"):
        session.spark.range(0, 5, 1, 1).select(record("id")).collect()
    assert [what for what, *_ in lines(path)] == ["open", "eval", "eval", "close"]


class Slow(nu.AsyncScalarFunction):
    """Takes a while to open."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)

    def note(self, what: str) -> None:
        with open(self.path, "a") as file:
            file.write(f"{what} {os.getpid()}\n")

    async def open(self, function_context: FunctionContext) -> None:  # type: ignore[override]
        self.note("open")
        await asyncio.sleep(5)
        self.note("opened")

    async def eval(self, x: int) -> int:
        return x

    async def close(self) -> None:  # type: ignore[override]
        self.note("close")


class SlowInTheMainThread(ScalarFunction):
    """As ``Slow``, but not on an event loop."""

    def __init__(self, path: Path) -> None:
        self.slow = Slow(path)

    def open(self, function_context: FunctionContext) -> None:
        asyncio.run(self.slow.open(function_context))

    def eval(self, x: int) -> int:
        return x

    def close(self) -> None:
        self.slow.note("close")


@pytest.mark.parametrize("kind", [Slow, SlowInTheMainThread])
def test_close_runs_where_a_worker_goes_within_open(
    session: nu.Session, tmp_path: Path, kind: Any
) -> None:
    path = tmp_path / "journal"
    session.register_function("slow", udf(kind(path), result_type="bigint"))
    with ThreadPoolExecutor(1) as pool:
        query = pool.submit(session.sql("SELECT slow(id) FROM range(0, 2, 1, 1)").collect)
        # The file is there before its first line is.
        happens(lambda: path.exists() and bool(lines(path)))
        first = lines(path)[0][1]
        session.pool.restart()
        assert isinstance(query.exception(), nu.WorkerLost)
    happens(lambda: ["close", first] in lines(path))
    assert ["opened", first] not in lines(path)


@pytest.mark.parametrize("method", ["open", "close"])
def test_an_error_in_open_or_close_is_the_users(session: nu.Session, method: str) -> None:
    def broken(self: Any, *_: Any) -> None:
        raise RuntimeError(f"{method} is broken")

    cls = type(
        "Broken", (ScalarFunction,), {"eval": lambda self, x: x, method: broken, "__module__": None}
    )
    record = session.register_function("broken", udf(cls, result_type="bigint"))
    with pytest.raises(nu.UserFunctionError, match=f"{method} is broken") as caught:
        session.spark.range(0, 3, 1, 1).select(record("id")).collect()
    assert caught.value.failed is not None
    assert caught.value.failed.row == -1


@pytest.fixture
def no_workers(session: nu.Session) -> None:
    """Those that other tests left would take turns with the new ones."""
    with awaited(session, lambda: len(session.pool) == 0):
        session.pool.restart()


@pytest.mark.usefixtures("no_workers")
def test_a_costly_open_happens_once_per_worker_and_query(
    session: nu.Session, tmp_path: Path
) -> None:
    path = tmp_path / "journal"
    record = session.register_function(
        "costly", udf(Journal(path), result_type="bigint", open_scope="query")
    )
    frame = session.spark.range(0, 32, 1, 16).select(record("id"))

    def balance() -> tuple[set[str], list[str], list[str]]:
        pids = {what: [pid for w, pid, _ in lines(path) if w == what] for what in ("open", "close")}
        return {pid for _, pid, _ in lines(path)}, sorted(pids["open"]), sorted(pids["close"])

    assert len(frame.collect()) == 32
    pids, opened, closed = balance()
    assert len(pids) <= 2
    # Once per worker: another instance of the query would be a second opening in a worker.
    assert opened == sorted(pids)
    assert set(closed) <= pids
    assert len(frame.collect()) == 32
    _, opened, _ = balance()
    # Another query: opened again, and the instances of the first are closed in those workers.
    assert len(opened) <= 4
    assert len(opened) > len(pids)
    with awaited(session, lambda: len(session.pool) == 0):
        session.pool.restart()
    _, opened, closed = balance()
    assert opened == closed


class Asks(ScalarFunction):
    """Answers a job parameter as it was when the task was opened."""

    def open(self, function_context: FunctionContext) -> None:
        self.value = function_context.get_job_parameter("greeting", "none")
        self.missing = function_context.get_job_parameter("nothing", 7)

    def eval(self, x: int) -> str:
        return f"{self.value} {self.missing} {os.getpid()}"


@pytest.mark.usefixtures("no_workers")
def test_job_parameters_are_those_of_the_query(session: nu.Session) -> None:
    record = session.register_function("asks", udf(Asks, result_type="string"))
    frame = session.spark.range(0, 1, 1, 1).select(record("id"))
    answers = []
    for greeting in ("hello", "good day", 'it\'s; "fine" 😀'):
        session.set_job_parameter("greeting", greeting)
        text, missing, pid = frame.collect()[0][0].rsplit(" ", 2)
        answers.append(pid)
        assert text == greeting
        assert missing == "7"
        assert session.job_parameters["greeting"] == greeting
        assert record.eval(1).startswith(greeting)
    # The point of it: a worker that was forked earlier is told again.
    assert len(set(answers)) < 3


class Counts(ScalarFunction):
    """One metric of each kind, and groups within groups."""

    def open(self, function_context: FunctionContext) -> None:
        group = function_context.get_metric_group()
        self.context = function_context
        self.rows = group.counter("rows")
        self.last = group.gauge("last")
        group.gauge("computed", lambda: 42)
        self.sizes = group.histogram("sizes")
        self.spread = group.distribution("spread")
        self.events = group.meter("events")
        self.odd = group.add_group("parity").counter("odd")
        self.zones = group.add_group("zone")

    def eval(self, x: int) -> int:
        self.rows.inc()
        self.last.set(x)
        self.sizes.update(x)
        self.spread.update(-x)
        self.events.mark_event(2)
        if x % 2:
            self.odd.inc(2)
            self.odd.dec()
        self.zones.add_group("side", "left" if x < 50 else "right").counter("rows").inc()
        return x


def test_metrics_arrive_merged_by_kind(session: nu.Session) -> None:
    name = "counts_metrics"
    record = session.register_function(name, udf(Counts, result_type="bigint"))

    def found() -> dict[str, Any]:
        return {m.name: m for m in session.metrics().user_metrics if m.function == name}

    def complete() -> bool:
        return "rows" in found() and found()["rows"].value == 100

    with awaited(session, complete):
        session.spark.range(0, 100, 1, 4).select(record("id")).collect()
    metrics = found()
    assert {n: m.kind for n, m in metrics.items()} == {
        "rows": "counter",
        "last": "gauge",
        "computed": "gauge",
        "sizes": "histogram",
        "spread": "histogram",
        "events": "meter",
        "parity.odd": "counter",
        "zone.side.left.rows": "counter",
        "zone.side.right.rows": "counter",
    }
    assert metrics["parity.odd"].value == 50
    assert metrics["zone.side.left.rows"].value == 50
    assert metrics["zone.side.right.rows"].value == 50
    assert metrics["computed"].value[1] == 42
    assert metrics["last"].value[1] in (24, 49, 74, 99)
    sizes = metrics["sizes"].value
    assert (sizes["count"], sizes["sum"], sizes["min"], sizes["max"]) == (100, 4950, 0, 99)
    spread = metrics["spread"].value
    assert (spread["count"], spread["min"], spread["max"]) == (100, -99, 0)
    assert metrics["events"].value["count"] == 200
    assert "parity.odd" in repr(session.metrics())


class Speaks(ScalarFunction):
    """Logs at every level, prints, and warns."""

    def open(self, function_context: FunctionContext) -> None:
        self.logger = function_context.get_logger()
        self.logger.info("opened %s", function_context.get_task_name())

    def eval(self, x: int) -> int:
        if x == 3:
            self.logger.warning("three is %s", "odd")
        if x == 4:
            print("four", x)
        if x == 5:
            self.logger.error("five")
        self.logger.debug("never shown: the level is INFO")
        return x

    def close(self) -> None:
        self.logger.info("closed")


def test_lines_say_where_they_come_from(session: nu.Session) -> None:
    name = "speaks"
    record = session.register_function(name, udf(Speaks, result_type="bigint"))

    def told() -> list[Any]:
        return list(session.logs(function=name))

    with awaited(session, lambda: any(line.text == "five" for line in told())):
        session.spark.range(0, 6, 1, 1).select(record("id")).collect()
    entries = told()
    rows = [(line.level, line.row, line.text) for line in entries]
    assert ("WARNING", 4, "three is odd") in rows
    assert ("ERROR", 6, "five") in rows
    assert any((row, text) == (5, "four 4") for _, row, text in rows)
    assert [text for _, row, text in rows if row >= 0] == ["three is odd", "four 4", "five"]
    assert {line.function for line in entries} == {name}
    assert all(line.pid > 0 and line.query for line in entries)
    severe = list(session.logs(function=name, level="WARNING"))
    assert [line.text for line in severe if line.level in ("WARNING", "ERROR")] == [
        "three is odd",
        "five",
    ]


def test_lines_of_open_and_close_say_where_they_come_from(session: nu.Session) -> None:
    name = "speaks_around"
    record = session.register_function(name, udf(Speaks, result_type="bigint"))

    def told() -> list[Any]:
        # By the logger, since that is what is known to be right.
        return [line for line in session.logs() if line.source.endswith(f".{name}")]

    with awaited(session, lambda: any(line.text == "closed" for line in told())):
        session.spark.range(0, 1, 1, 1).select(record("id")).collect()
    entries = told()
    assert [line.text.split()[0] for line in entries] == ["opened", "closed"]
    assert [line.row for line in entries] == [-1, -1]
    assert {line.function for line in entries} == {name}


class Where(ScalarFunction):
    """Answers which part of the job it is."""

    def open(self, function_context: FunctionContext) -> None:
        self.context = function_context

    def eval(self, x: int) -> str:
        c = self.context
        return f"{c.get_index_of_this_subtask()}/{c.get_attempt_number()}/{c.get_task_name()}"


def test_the_context_knows_its_place(session: nu.Session) -> None:
    record = session.register_function("whereabouts", udf(Where, result_type="string"))
    rows = session.spark.range(0, 4, 1, 4).select(record("id")).collect()
    assert [row[0].split("/")[:2] for row in rows] == [[str(i), "0"] for i in range(4)]
    assert all(row[0].split("/")[2].startswith("whereabouts, stage ") for row in rows)
