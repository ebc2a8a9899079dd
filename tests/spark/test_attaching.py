"""A job that runs in another process, looked at from this one."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import notebook_udf as nu
from notebook_udf.kernel.folder import job_folders
from tests.spark.test_jobs import CREATE, command, surroundings
from tests.waiting import happens

pytestmark = pytest.mark.timeout(180)

# It goes on when the file is there, so that what is seen of it does not depend on the time.
WAITING = """
import logging, os, time
from pyspark.sql import functions as F
import notebook_udf as nu

def refused(x):
    if x == 3:
        raise ValueError("no 3, with token=PLANTED-log")
    return x

def wait_for(name):
    while not os.path.exists(name):
        time.sleep(0.05)

@nu.register
def chatty(x: int) -> int:
    logging.getLogger("mine").warning("row %d", x)
    return x

session = nu.session()
session.sql("SELECT sum(chatty(id)) FROM range(5)").collect()
try:
    spark.range(5).select(F.udf(refused, "bigint")("id")).collect()
except Exception:
    pass
open("ready", "w").close()
wait_for("more")
session.sql("SELECT sum(chatty(id)) FROM range(5, 12)").collect()
open("done", "w").close()
wait_for("end")
"""
Job = "subprocess.Popen[str]"


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[str], Job]]:
    """Starts a job in a folder of its own, and ends it at the test's end."""
    started: list[Job] = []

    def begin(body: str) -> Job:
        path = tmp_path / "night.py"
        path.write_text(textwrap.dedent(body))
        process = subprocess.Popen(
            command(path), cwd=tmp_path, env=surroundings(), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        started.append(process)
        return process

    yield begin
    for each in started:
        if each.poll() is None:
            for one in [*psutil.Process(each.pid).children(recursive=True), each]:
                one.kill()
        each.communicate()


def is_there(file: Path) -> bool:
    return file.exists()


def test_it_is_seen_as_it_goes_on_and_after_its_end(
    start: Callable[[str], Job], tmp_path: Path
) -> None:
    process = start(CREATE + WAITING)
    happens(lambda: is_there(tmp_path / "ready"), 90)
    job = nu.attach(process.pid)
    assert job.pid == process.pid
    assert job.is_running

    # What is at rest is told in full.
    found = {each.function: each for each in job.metrics().totals}
    assert (found["chatty"].rows_in, found["refused"].errors) == (5, 1)
    lines = job.logs(function="chatty")
    assert [line.text for line in lines] == [f"row {n}" for n in range(5)]
    # Spark ends a worker whose function has raised.
    assert [len(job.pool.to_dict()[each]) for each in ("workers", "ended")] == [0, 1]
    assert 'wait_for("more")' in job.stack()
    assert job.stack().splitlines()[0].startswith(f'  File "{tmp_path}/night.py"')
    failed = [query for query in job.queries if query.error]
    assert [query.functions for query in failed] == [("refused",)]
    plan = job.plan(failed[0].number)
    assert "refused" in repr(plan)
    with pytest.raises(nu.PlanningError, match="has no query 9999; plans are there of: "):
        job.plan(9999)
    text = repr(job)
    for words in (
        f"night.py (process {job.pid}) runs",
        "0 living workers",
        "1 failed call",
        "chatty",
        "failed",
    ):
        assert words in text
    page = job.report(tmp_path / "now.html").read_text("utf-8")
    assert "It runs: this is what was seen until now." in page
    assert "no 3, with token=****" in page
    assert "PLANTED" not in page
    assert not any("PLANTED" in query.error for query in job.queries)

    # Nothing of it is changed.
    with pytest.raises(nu.SessionError, match="are not restarted: its own session does that"):
        job.pool.restart()
    with pytest.raises(nu.SessionError, match="its own session"):
        job.pool.set_log_level("DEBUG")

    # What happens while it is looked at is seen.
    (tmp_path / "more").touch()
    happens(lambda: is_there(tmp_path / "done"), 60)
    happens(lambda: len(lines) == 12)
    assert [line.text for line in lines] == [f"row {n}" for n in range(12)]
    assert sum(t.rows_in for t in job.metrics().totals if t.function == "chatty") == 12
    (worker,) = job.pool
    assert "worker" in job.pool.stacks()[worker.pid]

    # After its end it is what it was.
    (tmp_path / "end").touch()
    assert process.wait(60) == 0
    assert not job.is_running
    assert len(lines) == 12
    assert sum(t.rows_in for t in job.metrics().totals if t.function == "chatty") == 12
    assert "has ended" in repr(job)
    with pytest.raises(nu.SessionError, match="the job has ended"):
        job.metrics("77").totals  # noqa: B018
    assert process.pid not in [pid for pid, _ in job_folders()]
    with pytest.raises(nu.SessionError, match=rf"process {process.pid} is no job of yours"):
        nu.attach(process.pid)


LISTENING = """
import os, time
open("ready", "w").close()
while not os.path.exists("end"):
    time.sleep(0.05)
"""


def test_who_has_not_the_key_is_told_nothing(start: Callable[[str], Job], tmp_path: Path) -> None:
    process = start(LISTENING)
    happens(lambda: is_there(tmp_path / "ready"), 60)
    (folder,) = [folder for pid, folder in job_folders() if pid == process.pid]
    assert folder.stat().st_mode & 0o777 == 0o700
    with pytest.raises(nu.AuthenticationError, match="the key is not that of this job"):
        nu.attach(process.pid, "another key")
    # With the right one a socket does as well; of a job without Spark there is little to tell.
    with nu.attach(folder / "job.sock", (folder / "job.key").read_text()) as job:
        assert job.metrics().totals == []
        assert len(job.logs()) == 0
        assert not job.logs().is_here
        assert len(job.pool) == 0
        assert job.queries == []
        assert "night.py" in repr(job)
        with pytest.raises(nu.SessionError, match="has no workers yet"):
            job.pool.stacks()
    assert process.poll() is None


def test_a_job_that_is_stopped_is_said_to_be(start: Callable[[str], Job], tmp_path: Path) -> None:
    process = start(LISTENING)
    happens(lambda: is_there(tmp_path / "ready"), 60)
    job = nu.attach(process.pid)
    process.send_signal(signal.SIGSTOP)
    try:
        with pytest.raises(nu.SessionError, match="said nothing for"):
            nu.attach(process.pid)
        with pytest.raises(nu.SessionError, match="said nothing for 10 s"):
            job.stack()
    finally:
        process.send_signal(signal.SIGCONT)
    # It goes on, and so does who looks.
    assert "night.py" in job.stack()


def test_what_is_no_job_is_refused(tmp_path: Path) -> None:
    with pytest.raises(nu.SessionError, match=f"process {os.getpid()} is no job of yours"):
        nu.attach(os.getpid())
    with pytest.raises(nu.SessionError, match=r"no job listens at .*nothing.sock: it has ended"):
        nu.attach(tmp_path / "nothing.sock", "key")
    with pytest.raises(nu.SessionError, match="not by None"):
        nu.attach(None)  # type: ignore[arg-type]


def test_a_block_is_looked_at_from_another_process(session: nu.Session, tmp_path: Path) -> None:
    session.register_function("looked_at", nu.udf(lambda x: x, result_type="bigint"))
    look = f"""
    import notebook_udf as nu
    job = nu.attach({os.getpid()})
    totals = {{t.function: t.rows_in for t in job.metrics().totals}}
    print(totals["looked_at"], [q.functions for q in job.queries][-1])
    """
    with nu.report(tmp_path / "block.html") as block:
        rows = session.sql("SELECT looked_at(id) FROM range(4)").collect()
        happens(lambda: "looked_at" in {total.function for total in session.store.totals()})
        assert Path(block.address).exists()
        ran = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(look)],
            capture_output=True, text=True, env=surroundings(), timeout=60,
        )  # fmt: skip
    assert len(rows) == 4
    assert ran.stdout == "4 ('looked_at',)\n", ran.stderr
    assert not Path(block.address).exists()


class _Evil:
    def __reduce__(self) -> object:
        return os.system, ("true",)


@pytest.mark.parametrize("pickled", [pickle.dumps(_Evil()), pickle.dumps(print), b"no pickle"])
def test_an_answer_runs_nothing(pickled: bytes) -> None:
    from notebook_udf.reports.running.exchange import _data

    with pytest.raises(nu.ProtocolError, match=r"which is not data|cannot be read"):
        _data(pickled)
