"""What ``session.logs()`` and ``session.pool`` are without a browser."""

from __future__ import annotations

import io
import json
import os
import threading
from pathlib import Path

import pytest
import rich.console

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.telemetry.records import LogLines
from notebook_udf.telemetry.user_views import LogView
from tests.waiting import awaited


@pytest.fixture(scope="module")
def written(session: nu.Session) -> LogView:
    def mutters(i: int) -> int:
        print(f"\x1b[31mRow\x1b[0m {i} of [bold]many[/bold]\x00")
        return os.getpid()

    record = session.register_function("mutters_in_colours", udf(mutters))
    view = session.logs(function="mutters_in_colours")
    with awaited(session, lambda: len(view) == 20):
        session.spark.range(0, 20, 1, 1).select(record("id")).collect()
    return view


def test_lines_are_there_when_their_query_is_done(session: nu.Session) -> None:
    """Also where the kernel is busy with other things as they come."""

    def tells(i: int) -> int:
        print("told", i)
        return i

    record = session.register_function("tells_at_once", udf(tells))
    free = threading.Event()
    unsubscribe = session.store.subscribe(lambda _: free.wait(20), (LogLines,))
    try:
        session.spark.range(0, 20, 1, 2).select(record("id")).collect()
        free.set()
        found = session.logs(function="tells_at_once").lines
    finally:
        unsubscribe()
    assert sorted(line.text for line in found) == sorted(f"told {i}" for i in range(20))


def test_lines_by_their_text(session: nu.Session, written: LogView) -> None:
    found = session.logs(function="mutters_in_colours", text="row 1")
    assert [line.row for line in found] == [2, *range(11, 21)]
    assert len(found) == 11
    assert [line.row for line in found.last(2)] == [19, 20]
    assert list(found) == found.lines


def test_lines_as_data(written: LogView) -> None:
    told = json.loads(json.dumps(written.to_dict()))
    assert [line["row"] for line in told["lines"]] == list(range(1, 21))
    assert told["lines"][0]["text"] == "\x1b[31mRow\x1b[0m 0 of [bold]many[/bold]\x00"
    assert told["dropped"] == written.dropped
    frame = written.to_pandas()
    assert list(frame["row"]) == list(range(1, 21))
    assert list(frame.columns)[:4] == ["pid", "query", "sequence", "time"]


def test_lines_as_a_file_and_on_a_screen(written: LogView, tmp_path: Path) -> None:
    path = tmp_path / "log.txt"
    assert written.save(path) == 20
    lines = path.read_text("utf-8").splitlines()
    assert lines[7].endswith(" mutters_in_colours row 8: Row 7 of [bold]many[/bold]\x00")
    assert repr(written).endswith("Row 19 of [bold]many[/bold]␀")
    assert "\x1b" not in written._repr_html_() + repr(written)


def test_workers_as_data(session: nu.Session, written: LogView) -> None:
    (pid,) = {line.pid for line in written}
    told = json.loads(json.dumps(session.pool.to_dict()))
    assert (told["size"], told["log_level"]) == (session.pool.size, "INFO")
    mine = next(worker for worker in told["workers"] if worker["pid"] == pid)
    assert (mine["rows_done"] >= 20, mine["ended"]) == (True, "")
    with awaited(session, lambda: pid not in {worker.pid for worker in session.pool}):
        session.pool.restart(pid)
    gone = {worker["pid"]: worker["ended"] for worker in session.pool.to_dict()["ended"]}
    assert gone[pid] == "was restarted"
    frame = session.pool.to_pandas()
    assert list(frame[frame["pid"] == pid]["ended"]) == ["was restarted"]


def test_workers_in_a_terminal(session: nu.Session, written: LogView) -> None:
    screen = io.StringIO()
    rich.console.Console(width=200, file=screen).print(session.pool)
    assert f"up to {session.pool.size} at once" in screen.getvalue()
