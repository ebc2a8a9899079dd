"""Whole sessions that end badly, each in a process of its own."""

from __future__ import annotations

import json
import os
import shutil
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

import notebook_udf as nu
from notebook_udf.kernel import Session
from tests.scripts import ROOT, script, told


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def test_kernel_killed_leaves_nothing() -> None:
    body = """
    session = nu.session(workers=2)
    def dwells(i: int) -> int:
        time.sleep(600)
        return i
    session.register_function("dwells", dwells)
    busy = threading.Event()
    session.store.subscribe(lambda r: busy.set() if r.kind == "task-started" else None)
    query = lambda: session.sql("SELECT dwells(id) FROM range(0, 2, 1, 2)").collect()
    threading.Thread(target=query, daemon=True).start()
    busy.wait(30)
    tell(folder=str(session.folder))
    time.sleep(600)
    """
    with script(body) as process:
        folder = Path(told(process)["folder"])
        family = psutil.Process(process.pid).children(recursive=True)
        assert any("notebook_udf.pool.daemon" in _command(p) for p in family)
        process.kill()
        _, alive = psutil.wait_procs(family, timeout=10)
        assert not alive
        assert not folder.exists()


def test_session_stopped_while_workers_are_being_created() -> None:
    body = """
    session = nu.session(workers=2)
    folder = session.folder
    session.stop()
    session.stop()
    tell(folder=str(folder), text=repr(session))
    """
    with script(body) as process:
        facts = told(process)
        _, errors = process.communicate(timeout=30)
        assert process.returncode == 0, errors
        assert errors == ""
        assert "stopped" in facts["text"]
        assert not Path(facts["folder"]).exists()


def test_one_row_that_kills_every_worker_is_named() -> None:
    body = """
    session = nu.session(master="local[2,3]")
    journal = str(session.folder / "journal")
    def crashes(i: int) -> int:
        if i == 5123:
            with open(journal, "a") as file:
                print(os.getpid(), file=file)
            os.kill(os.getpid(), 11)
        return i
    session.register_function("crashes", crashes)
    try:
        session.sql("SELECT crashes(id) FROM range(0, 10000, 1, 1)").collect()
    except nu.WorkerLost as error:
        killed = open(journal).read().split()
        tell(text=str(error), killed=len(set(killed)), signal=error.signal)
    rows = session.sql("SELECT crashes(id) FROM range(10)").collect()
    tell(rows=len(rows))
    """
    with script(body) as process:
        facts = told(process)
        assert facts["signal"] == signal.SIGSEGV
        assert "crashes" in facts["text"]
        assert "row 5,124 of 10,000" in facts["text"]
        assert facts["killed"] == 3
        assert told(process) == {"rows": 10}


def test_worker_of_another_version_is_refused_before_unpickling(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "notebook_udf", tmp_path / "notebook_udf")
    door = tmp_path / "notebook_udf" / "__init__.py"
    current = f'__version__ = "{nu.__version__}"'
    assert current in door.read_text()
    door.write_text(door.read_text().replace(current, '__version__ = "9.9"'))
    body = f"""
    session = nu.session(workers=1)
    session._warmup.wait()
    environment = session.spark.sparkContext.environment
    environment["PYTHONPATH"] = {str(tmp_path)!r} + os.pathsep + environment["PYTHONPATH"]
    class Trap:
        def __reduce__(self):
            return os.mkdir, ({str(tmp_path / "unpickled")!r},)
        def __call__(self, i):
            return i
    session.register_function("f", udf(Trap(), result_type="bigint"))
    try:
        session.sql("SELECT f(id) FROM range(3)").collect()
    except nu.NotebookUdfError as error:
        tell(kind=type(error).__name__, text=str(error))
    """
    with script(body) as process:
        facts = told(process)
        assert facts["kind"] == "VersionMismatch"
        assert nu.__version__ in facts["text"]
        assert "9.9" in facts["text"]
        assert not (tmp_path / "unpickled").exists()


def test_queries_go_on_when_the_side_channel_is_gone() -> None:
    body = """
    session = nu.session(workers=2)
    session._warmup.wait()
    session.register_function("f", udf(lambda i: print(i) or i, result_type="bigint"))
    session._receiver.close()
    before = time.monotonic()
    rows = session.sql("SELECT f(id) FROM range(200000)").count()
    tell(rows=rows, seconds=time.monotonic() - before)
    try:
        session.register_function("f", udf(lambda i: 1 // 0, result_type="bigint"))
        session.sql("SELECT f(id) FROM range(3)").collect()
    except nu.UserFunctionError as error:
        tell(text=str(error))
    """
    with script(body) as process:
        facts = told(process)
        assert facts["rows"] == 200_000
        assert facts["seconds"] < 30
        assert "ZeroDivisionError" in told(process)["text"]


def test_metrics_of_an_attempt_that_failed_are_not_counted_twice() -> None:
    body = """
    session = nu.session(master="local[1,2]")
    class Counted(nu.ScalarFunction):
        def open(self, ctx):
            self.attempt = ctx.get_attempt_number()
            self.seen = ctx.get_metric_group().counter("seen")
        def eval(self, i: int) -> int:
            self.seen.inc()
            if i == 70000 and self.attempt == 0:
                raise ValueError("only the first time")
            return i
    session.register_function("counted", udf(Counted))
    ended = threading.Event()
    session.store.subscribe(
        lambda r: ended.set() if r.kind == "task-ended" and r.outcome == "done" else None
    )
    rows = len(session.sql("SELECT counted(id) FROM range(0, 100000, 1, 1)").collect())
    ended.wait(10)
    (total,) = session.metrics().totals
    (metric,) = session.metrics().user_metrics
    tell(rows=rows, counted=metric.value, rows_in=total.rows_in, tasks=total.tasks)
    """
    with script(body) as process:
        facts = told(process)
        assert facts == {"rows": 100_000, "counted": 100_000, "rows_in": 100_000, "tasks": 1}


def test_a_running_spark_is_adopted_whole() -> None:
    body = """
    from pyspark.sql import SparkSession
    from notebook_udf.launch.java import find_java
    os.environ.update(find_java().environment())
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = builder.getOrCreate()
    from pyspark.sql.functions import udf as plain
    assert spark.range(2).select(plain(lambda i: i + 1, "bigint")("id")).count() == 2
    session = nu.session(spark)
    session._warmup.wait()
    session.register_function("f", udf(lambda i: print("hello", i) or i, result_type="bigint"))
    said = threading.Event()
    session.store.subscribe(lambda r: said.set() if r.kind == "log-lines" else None)
    rows = spark.sql("SELECT f(id) FROM range(3)").collect()
    tell(rows=[r[0] for r in rows], said=said.wait(10), workers=len(session.pool),
         notes=session.notes, adopted=session.spark is spark)
    session.stop()
    tell(alive=spark.range(5).count())
    """
    with script(body) as process:
        facts = told(process)
        assert facts["rows"] == [0, 1, 2]
        assert facts["said"]
        assert facts["adopted"]
        assert facts["workers"] > 0
        assert any("spark.python.unix.domain.socket.enabled" in note for note in facts["notes"])
        assert told(process) == {"alive": 5}


def test_secrets_stay_secret(session: nu.Session) -> None:
    secret = json.loads((session.folder / "channel.json").read_text())["client_secret"]
    assert (session.folder / "channel.json").stat().st_mode & 0o777 == 0o600
    for process in [psutil.Process(), *psutil.Process().children(recursive=True)]:
        assert secret not in _command(process)
    context = session.spark.sparkContext
    shown = [value for _, value in context.getConf().getAll()]
    assert not any(secret in value for value in shown)
    assert not any("channel" in key.lower() for key, _ in context.getConf().getAll())
    for log in ("jvm.log", "spark.log"):
        path = session.folder / log
        assert not path.exists() or secret not in path.read_text("utf-8", "replace")
    assert secret not in repr(session)
    assert secret not in repr(session._receiver)


def test_socket_paths_are_short_and_private(session: nu.Session) -> None:
    sockets = [p for p in session.folder.iterdir() if p.is_socket()]
    assert len(sockets) == 1
    for path in sockets:
        assert len(os.fsencode(path)) < 104
    assert session.folder.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("limit", ["0", "-1g", "lots", 0, -5, True, "1k", "", 1.5])
def test_memory_limits_that_mean_nothing_are_refused(limit: Any) -> None:
    with pytest.raises(nu.DeclarationError, match="worker_memory"):
        Session(
            None,
            app_name=None,
            master=None,
            workers=1,
            worker_memory=limit,
            bundle_size=None,
            job_parameters=None,
            conf=None,
        )
    with pytest.raises(nu.DeclarationError, match="memory"):
        nu.udf(lambda i: i, result_type="int", memory=limit)


# Its workers end with it, and nobody is left to tell.
UNTOLD = """
import psutil, signal
session = nu.session(master="local[2]")
session.register_function("same", udf(lambda i: i, result_type="bigint"))
session.sql("SELECT sum(same(id)) FROM range(0, 8, 1, 2)").collect()
workers = [psutil.Process(worker.pid) for worker in session.pool]
for daemon in {worker.parent() for worker in workers}:
    daemon.kill()
_, alive = psutil.wait_procs(workers, timeout=20)
tell(workers=len(workers) > 0, alive=len(alive), shown=len(session.pool))
session.stop()
"""


@pytest.mark.timeout(120)
def test_workers_that_nobody_tells_of_leave_the_pool() -> None:
    with script(UNTOLD) as process:
        assert told(process) == {"workers": True, "alive": 0, "shown": 0}
        assert process.wait(60) == 0
