"""A disk is full: workers start all the same, errors name it, and all goes on when it has room."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.disks import fill
from tests.scripts import script, told

BODY = """
session = nu.session(workers=1)
session._warmup.wait()
def where(i: int) -> int:
    print("row", i)
    return os.getpid()
session.register_function("where", where)
query = "SELECT where(id) FROM range(0, 3, 1, 1)"
before = {pid for (pid,) in session.sql(query).collect()}
session.pool.restart()
tell(folder=str(session.folder))
sys.stdin.readline()
full = {pid for (pid,) in session.sql(query).collect()}
tell(new=not full & before)
sys.stdin.readline()
session.pool.restart()
after = {pid for (pid,) in session.sql(query).collect()}
tell(new=not full & after, lines=any(line.text == "row 2" for line in session.logs()))
session.stop()
"""


def go_on(process: subprocess.Popen[str]) -> None:
    """Has a script go on that waits for a line."""
    print(file=process.stdin, flush=True)


@pytest.mark.timeout(150)
def test_workers_start_on_a_full_disk_and_all_goes_on_after_it(small_disk: Path) -> None:
    with script(BODY, {"TMPDIR": str(small_disk)}) as process:
        assert Path(told(process)["folder"]).is_relative_to(small_disk)
        filling = fill(small_disk)
        go_on(process)
        assert told(process) == {"new": True}
        filling.unlink()
        go_on(process)
        assert told(process) == {"new": True, "lines": True}
        assert process.wait(60) == 0


BEGINS = """
try:
    nu.session(workers=1)
except nu.SessionError as error:
    tell(said=str(error))
sys.stdin.readline()
session = nu.session(workers=1)
tell(rows=session.sql("SELECT 1").first()[0])
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(120)
def test_a_session_does_not_begin_where_little_is_left(small_disk: Path) -> None:
    filling = fill(small_disk)
    # On one that is full to the last byte Python has no temporary files: it takes another.
    os.truncate(filling, filling.stat().st_size - 500_000)
    with script(BEGINS, {"TMPDIR": str(small_disk)}) as process:
        said = told(process)["said"]
        assert said.startswith(f"there is no room for a session's folder in {small_disk}: 4")
        assert "KiB are free, and 1.0 MiB are needed" in said
        filling.unlink()
        go_on(process)
        assert told(process) == {"rows": 1}
        assert process.wait(60) == 0


SET_ASIDE = """
session = nu.session(workers=1, quarantine_path="FOLDER/aside")
def picky(i: int) -> int:
    return 10 // i
session.register_function("picky", udf(picky, on_error="quarantine"))
query = "SELECT picky(id) AS p FROM range(-1, 2, 1, 1)"
tell(first=[row.p for row in session.sql(query).collect()])
sys.stdin.readline()
try:
    session.sql(query).collect()
except nu.NotebookUdfError as error:
    tell(said=str(error))
sys.stdin.readline()
tell(again=[row.p for row in session.sql(query).collect()], kept=session.errors("picky").count())
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(150)
def test_rows_that_cannot_be_set_aside_fail_the_query(small_disk: Path) -> None:
    with script(SET_ASIDE.replace("FOLDER", str(small_disk))) as process:
        assert told(process) == {"first": [-10, None, 10]}
        filling = fill(small_disk)
        go_on(process)
        said = told(process)["said"]
        assert "picky" in said
        assert str(small_disk) in said
        assert "No space left on device" in said
        assert len(said.splitlines()) < 20
        filling.unlink()
        go_on(process)
        assert told(process) == {"again": [-10, None, 10], "kept": 2}
        assert process.wait(60) == 0


STREAM = """
import pathlib
session = nu.session(workers=1)
class Total(nu.AggregateFunction):
    def create_accumulator(self): return [0]
    def accumulate(self, acc, v: int): acc[0] += v
    def get_value(self, acc) -> int: return acc[0]
session.register_function("total", Total)
lines = pathlib.Path("LINES")
def put(name, values):
    (lines.parent / "made").write_text("\\n".join('{"v": %d}' % v for v in values))
    (lines.parent / "made").rename(lines / name)
session.spark.readStream.schema("v LONG").json("LINES").createOrReplaceTempView("numbers")
def start():
    return (session.sql("SELECT total(v) AS t FROM numbers").writeStream.outputMode("complete")
            .format("memory").queryName("totals")
            .option("checkpointLocation", "FOLDER/checkpoint").start())
def total(query):
    query.processAllAvailable()
    return session.spark.table("totals").first().t
query = start()
put("1", [1, 2, 3])
tell(first=total(query))
sys.stdin.readline()
put("2", [10])
try:
    total(query)
except Exception as error:
    tell(said=str(error), kind=type(error).__name__)
sys.stdin.readline()
query = start()
put("3", [100])
tell(again=total(query))
query.stop()
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(200)
def test_a_stream_goes_on_where_it_was(small_disk: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines"
    lines.mkdir()
    body = STREAM.replace("FOLDER", str(small_disk)).replace("LINES", str(lines))
    with script(body) as process:
        assert told(process) == {"first": 6}
        filling = fill(small_disk)
        go_on(process)
        facts = told(process)
        assert facts["kind"] == "SessionError", facts
        assert facts["said"].startswith("there was no room on a disk that Spark writes to")
        filling.unlink()
        go_on(process)
        assert told(process) == {"again": 116}
        assert process.wait(60) == 0
