"""Workers that die, hang, leak or misbehave. Every test ends with a query that succeeds."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import os
import re
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError
from pyspark.sql.functions import udf as spark_udf

import notebook_udf as nu
from notebook_udf import ScalarFunction, udf
from tests.queries import run
from tests.streaming import with_conf
from tests.waiting import awaited

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


IDLE = "spark.sql.execution.pyspark.udf.idleTimeoutSeconds"


# Spark ends workers that give no rows for a second.
ENDED_WHEN_IDLE = {IDLE: "1", "spark.sql.execution.pyspark.udf.killOnIdleTimeout": "true"}


def in_python() -> None:
    while True:
        time.sleep(0.01)


def in_native_code() -> None:
    # Holds the interpreter and looks for no signal, for minutes.
    sum(itertools.repeat(1, 10**11))


def in_native_code_beside_python() -> None:
    # Lets other threads run, and looks for no signal either.
    hashlib.pbkdf2_hmac("sha256", b"", b"", 10**9)


def in_deaf_python() -> None:
    while True:
        with contextlib.suppress(BaseException):
            time.sleep(0.01)


@pytest.mark.parametrize(
    "stuck", [in_python, in_native_code, in_native_code_beside_python, in_deaf_python]
)
def test_a_worker_that_gives_no_rows_is_ended_by_spark(session: nu.Session, stuck: Any) -> None:
    class Stuck(ScalarFunction):
        def eval(self, i: int) -> int:
            if i:
                stuck()
            return i

        def close(self) -> None:
            print("closed in order")

    # On a busy machine a worker may take longer than a second to start.
    run(session, Stuck(), "SELECT f(0) FROM range(10)")
    idle = with_conf(session.spark, ENDED_WHEN_IDLE)
    with idle, pytest.raises(nu.FunctionTimeout) as caught:
        session.sql("SELECT f(1) FROM range(10)").collect()
    error = caught.value
    assert str(error).startswith("f gave no rows for 1 s, and Spark ended worker ")
    assert "it was at rows 1 to " in str(error)
    assert IDLE in str(error).splitlines()[-1]
    assert len(str(error).splitlines()) < 6
    assert (error.function, error.timeout) == ("f", 1.0)
    assert "terminated due to idle timeout" in error.jvm_stack
    ended = session.store.wait_exit(error.worker, 10)
    assert ended is not None
    assert not ended.requested
    if stuck is in_python:
        assert ended.signal == signal.SIGTERM
        assert "in in_python" in error.stack
        assert "closed in order" in ended.output
    else:
        assert ended.signal == signal.SIGKILL


def test_a_function_of_sparks_own_that_gives_no_rows(session: nu.Session) -> None:
    stuck = spark_udf(lambda i: in_native_code(), "long")
    idle = with_conf(session.spark, ENDED_WHEN_IDLE)
    with idle, pytest.raises(nu.FunctionTimeout) as caught:
        session.spark.range(2).select(stuck("id")).collect()
    # It stays Spark's exception, with Spark's text.
    assert isinstance(caught.value, Py4JJavaError)
    assert "terminated due to idle timeout" in str(caught.value)
    shown = "\n".join(caught.value._render_traceback_())
    assert "<lambda> gave no rows for 1 s" in shown
    assert IDLE in shown


def test_a_signal_to_a_child_of_a_function_is_not_the_workers(session: nu.Session) -> None:
    def ends_a_child(i: int) -> int:
        child = os.fork()
        if child == 0:
            time.sleep(60)
            os._exit(0)
        os.kill(child, signal.SIGTERM)
        os.waitpid(child, 0)
        # Longer than a worker has that was told to go and does not heed it.
        time.sleep(1)
        return os.getpid()

    ((pid,),) = run(session, ends_a_child, "SELECT f(id) FROM range(0, 1, 1, 1)")
    assert session.store.wait_exit(pid, 0) is None


def test_an_idle_worker_that_is_told_to_go_goes_by_itself(session: nu.Session) -> None:
    def where(i: int) -> int:
        return os.getpid()

    pid = run(session, where, "SELECT f(id) FROM range(0, 1, 1, 1)")[0][0]
    assert session.store.wait_exit(pid, 0) is None
    session.pool.restart(pid)
    ended = session.store.wait_exit(pid, 10)
    assert ended is not None
    assert (ended.exit_code, ended.signal) == (0, None)


FACTORY = "org.apache.spark.api.python.PythonWorkerFactory"


def a_minute_passes(session: nu.Session) -> None:
    """For Spark, which looks every ten seconds how long ago its workers were last asked for."""
    jvm: Any = session.spark._jvm
    for thread in jvm.java.lang.Thread.getAllStackTraces().keySet().toArray():
        if not thread.getName().startswith("Idle Worker Monitor"):
            continue
        outer = thread.getClass().getDeclaredField("$outer")
        outer.setAccessible(True)
        factory = outer.get(thread)
        fields = jvm.java.lang.Class.forName(FACTORY).getDeclaredFields()
        (last,) = (field for field in fields if field.getName().endswith("lastActivityNs"))
        last.setAccessible(True)
        last.setLong(factory, last.getLong(factory) - 61 * 10**9)


def test_workers_that_have_nothing_to_do_are_let_go(session: nu.Session, tmp_path: Path) -> None:
    class Waits(ScalarFunction):
        def eval(self, i: int) -> int:
            while not (tmp_path / "go").exists():
                time.sleep(0.02)
            return os.getpid()

    class Opened(ScalarFunction):
        def eval(self, i: int) -> int:
            return os.getpid()

        def close(self) -> None:
            (tmp_path / str(os.getpid())).touch()

    opened = udf(Opened(), input_types=["bigint"], result_type="bigint", open_scope="query")
    session.register_function("waits", Waits())
    with ThreadPoolExecutor(1) as elsewhere:
        query = "SELECT waits(id) FROM range(0, 1, 1, 1)"
        with awaited(session, lambda: any(w.function == "waits" for w in session.pool)):
            waiting = elsewhere.submit(lambda: session.sql(query).collect())
        try:
            ((idle,),) = run(session, opened, "SELECT f(id) FROM range(0, 1, 1, 1)")
            assert not (tmp_path / str(idle)).exists()
            a_minute_passes(session)
            ended = session.store.wait_exit(idle, 20)
        finally:
            (tmp_path / "go").touch()
        # The one that had something to do was left alone.
        ((busy,),) = waiting.result(20)
    # Those of other settings have a monitor of their own, which looks at its own time.
    for worker in session.pool:
        assert worker.pid == busy or session.store.wait_exit(worker.pid, 20)
    assert ended is not None
    assert (ended.exit_code, ended.signal, ended.output) == (0, None, "")
    # What functions had kept was closed.
    assert (tmp_path / str(idle)).exists()
    assert [worker.pid for worker in session.pool] == [busy]
    told = {worker["pid"]: worker["ended"] for worker in session.pool.to_dict()["ended"]}
    assert told[idle] == "was let go, having nothing to do"
    a_minute_passes(session)
    assert session.store.wait_exit(busy, 20) is not None
    assert repr(session.pool).startswith("0 workers alive, up to 2 at once")
    # The next call gets new ones, without a word.
    pids = {pid for (pid,) in run(session, opened, "SELECT f(id) FROM range(0, 2, 1, 2)")}
    assert not pids & {idle, busy}


def test_restart_of_a_name_that_is_no_worker(session: nu.Session) -> None:
    with pytest.raises(nu.DeclarationError, match="is not a worker"):
        session.pool.restart(os.getpid())


def test_stacks_of_busy_workers(session: nu.Session) -> None:
    import threading

    def dwells(i: int) -> int:
        time.sleep(20)
        return i

    session.register_function("f", dwells)
    busy = threading.Event()
    unsubscribe = session.store.subscribe(
        lambda record: busy.set() if record.kind == "task-started" else None
    )

    def query() -> None:
        # The workers are ended under it, which is how this test stops it.
        with pytest.raises(nu.NotebookUdfError):
            session.sql("SELECT f(id) FROM range(0, 1, 1, 1)").collect()

    thread = threading.Thread(target=query)
    thread.start()
    try:
        assert busy.wait(20)
        deadline = time.monotonic() + 10
        while not any("dwells" in s for s in session.pool.stacks().values()):
            assert time.monotonic() < deadline
    finally:
        unsubscribe()
        session.pool.restart()
        thread.join(30)
    assert not thread.is_alive()


def test_processor_time_is_called_what_it_is(session: nu.Session) -> None:
    run(session, udf(lambda i: i, result_type="bigint", vectorise=False, compile=False))
    head, *rows = repr(session.pool).splitlines()[1:]
    at = slice(head.index("CPU time"), head.index("rows"))
    assert rows
    assert all(re.fullmatch(r"\d+\.\d s", row[at].strip()) for row in rows)


def test_interpreter_of_workers_is_the_kernels(session: nu.Session) -> None:
    rows = run(session, udf(lambda i: sys.executable, result_type="string"))
    assert {r[0] for r in rows} == {sys.executable}
