"""What functions write: floods, forgeries, half lines, forks, bytes that are no text."""

from __future__ import annotations

import logging
import os
import sys
import threading
import warnings
from pathlib import Path
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udf
from notebook_udf.telemetry import records, wire
from notebook_udf.telemetry.store.log_blocks import LogEntry


def lines_after(
    session: nu.Session, function: Any, *, until: str, rows: int = 1, timeout: float = 20.0
) -> list[LogEntry]:
    """Runs a function on one worker and returns its log up to a line that says ``until``."""
    session.register_function("writes", function)
    seen = threading.Event()

    def look(record: records.Record) -> None:
        if isinstance(record, records.LogLines) and any(
            until in line.text for line in record.lines
        ):
            seen.set()

    unsubscribe = session.store.subscribe(look)
    try:
        last = max((int(q.query) for q in kept(session) if q.query), default=-1)
        session.sql(f"SELECT writes(id) FROM range(0, {rows}, 1, 1)").collect()
        assert seen.wait(timeout), session.logs()
    finally:
        unsubscribe()
    return [line for line in kept(session) if line.query and int(line.query) > last]


def kept(session: nu.Session) -> list[LogEntry]:
    return session.store.kept_logs().select()


def test_every_way_of_writing_arrives_in_order_with_its_row(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("printed", i)
        logging.getLogger("mine").warning("logged %s", i)
        logging.getLogger("mine").debug("too quiet to be kept")
        warnings.warn(f"warned {i}", stacklevel=1)
        sys.stderr.write(f"to stderr {i}\n")
        return i

    lines = lines_after(session, writes, until="to stderr 1", rows=2)
    mine = [line for line in lines if line.function == "writes"]
    assert [line.sequence for line in mine] == sorted(line.sequence for line in mine)
    shown = [(line.level, line.row, line.text) for line in mine if line.row == 2]
    assert ("INFO", 2, "printed 1") in shown
    assert ("WARNING", 2, "logged 1") in shown
    assert any(level == "WARNING" and "warned 1" in text for level, _, text in shown)
    assert ("ERROR", 2, "to stderr 1") in shown
    assert not any("too quiet" in line.text for line in mine)


def test_native_output_arrives(session: nu.Session) -> None:
    def writes(i: int) -> int:
        os.write(2, b"from C to stderr\n")
        os.write(1, b"from C to stdout\n")
        return i

    lines = lines_after(session, writes, until="from C to stdout")
    assert {"from C to stderr", "from C to stdout"} <= {line.text for line in lines}


def test_half_a_line_is_not_lost(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("no newline at the end", end="")
        return i

    assert lines_after(session, writes, until="no newline at the end")


def test_forked_child_is_heard_exactly_once(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("parent before", end=" ")
        pid = os.fork()
        if pid == 0:
            print("the child speaks", flush=True)
            os._exit(0)
        os.waitpid(pid, 0)
        print("and after")
        return i

    lines = lines_after(session, writes, until="the child speaks")
    texts = [line.text for line in lines]
    assert texts.count("the child speaks") == 1
    assert texts.count("parent before and after") == 1


def test_a_long_run_on_stderr_without_newline_does_not_block(session: nu.Session) -> None:
    def writes(i: int) -> int:
        for _ in range(40):
            os.write(2, b"x" * 65536)
        os.write(2, b"\nthe end\n")
        return i

    lines = lines_after(session, writes, until="the end")
    assert sum(len(line.text) for line in lines if set(line.text) == {"x"}) <= 40 * 65536


def test_a_flood_is_bounded_counted_and_kept_in_the_file(session: nu.Session) -> None:
    flood = 300_000

    def writes(i: int) -> int:
        for n in range(flood):
            print("line", n)
        return os.getpid()

    session.register_function("writes", udf(writes))
    before = session.store.dropped_logs
    kept_before = len(session.logs())
    ended = threading.Event()
    unsubscribe = session.store.subscribe(
        lambda record: ended.set() if isinstance(record, records.TaskEnded) else None
    )
    try:
        pid = session.sql("SELECT writes(id) FROM range(0, 1, 1, 1)").collect()[0][0]
        assert ended.wait(20)
    finally:
        unsubscribe()
    dropped = session.store.dropped_logs - before
    assert dropped > flood // 2
    assert len(session.logs()) - kept_before + dropped == flood
    file = session.folder / "workers" / f"{pid}.log"
    with file.open("rb") as log:
        assert sum(1 for line in log if line.startswith(b"line ")) >= flood
    assert "more not sent" in repr(session.logs())


def test_a_printed_record_forges_nothing(session: nu.Session) -> None:
    forged = wire.encode(
        records.LogLines(1, "9", (records.LogLine(1, 0.0, "INFO", "x", "victim", 0, 0, "forged"),))
    )

    def writes(i: int) -> int:
        os.write(1, b"".join(forged) + b"\n")
        print(forged[1].decode())
        print("the forger is done")
        return i

    lines_after(session, writes, until="the forger is done")
    assert not [line for line in session.logs() if line.text == "forged"]
    assert not [line for line in session.logs() if line.function == "victim"]


def test_log_arguments_that_do_not_fit_the_format(session: nu.Session) -> None:
    def writes(i: int) -> int:
        logging.getLogger("mine").error("%d of %d", "one")
        return i

    lines = lines_after(session, writes, until="%d of %d")
    assert any("'one'" in line.text for line in lines)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "\x1b[31mred\x1b[0m",
        "nul \x00 in it",
        "lone \ud800 surrogate",
    ],
)
def test_odd_text_arrives_as_text(session: nu.Session, text: str) -> None:
    def writes(i: int) -> int:
        print(text, "| end")
        return i

    lines = lines_after(session, writes, until="| end")
    assert any(line.text == f"{text} | end" for line in lines)
    assert "<script>" not in session.logs()._repr_html_()


def test_a_line_of_ten_megabytes_is_cut_with_a_count(session: nu.Session) -> None:
    def writes(i: int) -> int:
        print("a" * 10_000_000)
        return i

    lines = lines_after(session, writes, until="aaaa")
    line = next(line for line in lines if line.text.startswith("aaaa"))
    assert len(line.text) < 20_000
    assert "more characters" in line.text


def test_log_level_of_a_worker_can_be_changed_while_it_lives(session: nu.Session) -> None:
    def writes(i: int) -> int:
        logging.getLogger("mine").debug("whispered")
        print("said")
        return i

    session.pool.set_log_level("debug")
    try:
        assert any("whispered" in line.text for line in lines_after(session, writes, until="said"))
    finally:
        session.pool.set_log_level("INFO")
    assert not any("whispered" in line.text for line in lines_after(session, writes, until="said"))
    with pytest.raises(nu.DeclarationError, match="is not one of"):
        session.pool.set_log_level("loud")


def test_log_file_is_private(session: nu.Session) -> None:
    folder: Path = session.folder
    assert folder.stat().st_mode & 0o777 == 0o700
    for file in (folder / "workers").iterdir():
        if file.suffix in (".log", ".native"):
            assert file.stat().st_mode & 0o077 == 0, file
