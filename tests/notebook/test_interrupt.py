"""A real interrupt of a running cell: Spark's job ends with it, and the next cell runs."""

from __future__ import annotations

import os
import random
import select
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from notebook_kernel import Kernel, Ran

Cell = Callable[[str], Ran]

SLOW = """%%udf
def slow(x: int) -> int:
    import time
    open({fifo!r}, 'wb').write(b'!')
    time.sleep(120)
    return x"""

# Jobs are cancelled by a message inside the JVM, so their end is waited for.
NO_JOBS = """
import time
deadline = time.monotonic() + 20
tracker = session.spark.sparkContext.statusTracker()
while tracker.getActiveJobsIds() and time.monotonic() < deadline:
    time.sleep(0.05)
assert tracker.getActiveJobsIds() == [], tracker.getActiveJobsIds()
assert not set(session.spark.sparkContext.getJobTags()) - {c.tag for c in
    [t for e in get_ipython().events.callbacks['pre_run_cell']
     if e.__module__ == 'notebook_udf.magics.interrupt' for t in e.__self__._cells.values()]}
"""


class Pipe:
    """Becomes readable when the function in the worker has begun."""

    def __init__(self, path: Path) -> None:
        self.path = path
        os.mkfifo(path)
        self._reader = os.open(path, os.O_RDWR | os.O_NONBLOCK)

    def wait(self) -> None:
        ready, _, _ = select.select([self._reader], [], [], 60)
        assert ready, "the function has not begun"
        os.read(self._reader, 1)

    def close(self) -> None:
        os.close(self._reader)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    made = Pipe(tmp_path / "begun")
    yield made
    made.close()


@pytest.mark.parametrize(
    "query",
    [
        "session.sql('select slow(id) from range(0, 2, 1, 1)').collect()",
        "session.sql('select slow(id) from range(0, 2, 1, 1)').toPandas()",
        "session.sql('select slow(id) from range(0, 2, 1, 1)').show()",
        "list(session.sql('select slow(id) from range(0, 2, 1, 1)').toLocalIterator())",
    ],
)
def test_interrupt_ends_the_job(cell: Cell, running: Kernel, pipe: Pipe, query: str) -> None:
    assert cell(SLOW.format(fifo=str(pipe.path))).ok
    begun = running.start(query)
    pipe.wait()
    interrupted = time.monotonic()
    running.manager.interrupt_kernel()
    ran = running.finish(begun)
    assert not ran.ok
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    assert ran.stream("stderr") == ""
    assert time.monotonic() - interrupted < 10
    ended = cell(NO_JOBS)
    assert ended.ok, ended.errors
    after = cell(
        "assert [r[0] for r in session.sql('select id from range(3)').collect()] == [0, 1, 2]"
    )
    assert after.ok, after.errors
    cell("%%udf\ndef quick(x: int) -> int:\n    return x + 1")
    assert cell("assert session.sql('select quick(1)').first()[0] == 2").ok
    # PySpark's iterator, which the traceback holds, complains to whichever cell it ends in.
    cell("1 / 0")
    cell("import gc; gc.collect()")


def test_interrupt_of_plain_python_is_at_once(cell: Cell, running: Kernel, pipe: Pipe) -> None:
    begun = running.start(
        "import time\n"
        f"with open({str(pipe.path)!r}, 'wb') as begun:\n    begun.write(b'!')\n"
        "time.sleep(120)"
    )
    pipe.wait()
    interrupted = time.monotonic()
    running.manager.interrupt_kernel()
    ran = running.finish(begun)
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    assert time.monotonic() - interrupted < 4
    assert cell("assert session.sql('select 1').first()[0] == 1").ok


def test_interrupt_before_the_first_line(
    cell: Cell, running: Kernel, pipe: Pipe, tmp_path: Path
) -> None:
    registered = cell(
        "import os, time\n"
        "def before(info):\n"
        f"    open({str(pipe.path)!r}, 'wb').write(b'!')\n"
        f"    while not os.path.exists({str(tmp_path / 'go')!r}):\n"
        "        time.sleep(0.01)\n"
        "get_ipython().events.register('pre_run_cell', before)\n"
        "reached = False"
    )
    assert registered.ok
    begun = running.start("reached = True\nsession.sql('select 1').collect()")
    pipe.wait()
    running.manager.interrupt_kernel()
    (tmp_path / "go").touch()
    ran = running.finish(begun)
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    assert ran.stream("stderr") == ""
    after = cell(
        "assert not reached\n"
        "get_ipython().events.unregister('pre_run_cell', before)\n"
        "assert session.sql('select 1').first()[0] == 1"
    )
    assert after.ok, after.errors


def test_a_call_that_is_no_job_is_interrupted_too(cell: Cell, running: Kernel, pipe: Pipe) -> None:
    begun = running.start(
        "import sys, threading, time\n"
        "def tell():\n"
        "    names = []\n"
        "    while 'send_command' not in names:\n"
        "        time.sleep(0.01)\n"
        "        frame, names = sys._current_frames()[threading.main_thread().ident], []\n"
        "        while frame: frame = names.append(frame.f_code.co_name) or frame.f_back\n"
        f"    open({str(pipe.path)!r}, 'wb').write(b'!')\n"
        "sleep = session.spark._jvm.java.lang.Thread.sleep\n"
        "threading.Thread(target=tell).start()\n"
        "sleep(60_000)"
    )
    pipe.wait()
    running.manager.interrupt_kernel()
    ran = running.finish(begun, timeout=30)
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    after = cell("assert session.sql('select 1').first()[0] == 1")
    assert after.ok, after.errors


def test_interrupt_of_sparksql_says_cancelled(cell: Cell, running: Kernel, pipe: Pipe) -> None:
    assert cell(SLOW.format(fifo=str(pipe.path))).ok
    begun = running.start("%%sparksql\nselect slow(id) from range(0, 2, 1, 1)")
    pipe.wait()
    running.manager.interrupt_kernel()
    ran = running.finish(begun)
    assert ran.errors[0]["ename"] == "KeyboardInterrupt"
    assert ran.displays[0]["text/plain"].startswith("cancelled after ")
    assert cell(NO_JOBS).ok
    threads = cell(
        "import threading\n"
        # That of this cell is the only one.
        "assert len([t for t in threading.enumerate() if t.name == 'notebook-udf-live']) == 1"
    )
    assert threads.ok, threads.errors


def test_interrupt_leaves_other_jobs_alone(cell: Cell, running: Kernel, pipe: Pipe) -> None:
    assert cell(SLOW.format(fifo=str(pipe.path))).ok
    started = cell(
        "import os, select, threading\n"
        "os.mkfifo('other')\n"
        "reader = os.open('other', os.O_RDWR | os.O_NONBLOCK)\n"
        "def other(x: int) -> int:\n"
        "    import time\n"
        f"    open(os.path.join({str(Path('/'))!r}, *here.parts[1:], 'other'), 'wb').write(b'!')\n"
        "    time.sleep(3)\n    return x\n"
        "from pathlib import Path\nhere = Path.cwd()\n"
        "session.register_function('other', other)\n"
        "answers = []\n"
        "thread = threading.Thread(target=lambda: answers.append(\n"
        "    session.sql('select other(id) from range(5, 6, 1, 1)').first()[0]))\n"
        "thread.start()\n"
        "assert select.select([reader], [], [], 60)[0]"
    )
    assert started.ok, started.errors
    begun = running.start("session.sql('select slow(id) from range(0, 2, 1, 1)').collect()")
    pipe.wait()
    running.manager.interrupt_kernel()
    assert running.finish(begun).errors[0]["ename"] == "KeyboardInterrupt"
    finished = cell("thread.join(60)\nassert answers == [5], answers\nos.close(reader)")
    assert finished.ok, finished.errors


WORK = (
    "session.sql('SELECT sum(doubled(id)) AS s FROM range(0, 2000, 1, 2)').collect()",
    "session.spark.range(0, 2000, 1, 2).selectExpr('doubled(id) AS t').toPandas()",
    "session.sql('SELECT doubled(id) AS t FROM range(3)').show()",
    "session.register_function('again', lambda x: x, input_types=['int'], result_type='int')",
    "session.spark.createDataFrame([(i,) for i in range(500)], 'a int').count()",
    "session.plan('SELECT doubled(id) AS t FROM range(3)')",
)


CONNECTS = """
import pyspark.util, time
connect = pyspark.util.local_connect_and_auth
def connects_slowly(*given):
    print("begun")
    time.sleep(2)
    return connect(*given)
pyspark.util.local_connect_and_auth = connects_slowly
try:
    session.sql("SELECT 1").collect()
finally:
    pyspark.util.local_connect_and_auth = connect
"""


def test_an_interrupt_while_rows_are_connected_to_is_one(cell: Cell, running: Kernel) -> None:
    begun = running.start(CONNECTS)
    ran = running.finish(begun, until=lambda message: message["msg_type"] == "stream")
    running.manager.interrupt_kernel()
    ran = running.finish(begun, ran=ran)
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    assert cell("assert session.sql('SELECT 1').collect() == [(1,)]").ok


FINALIZES = """
import time
class Slow:
    def __del__(self):
        print("begun")
        time.sleep(20)
while True:
    Slow()
"""


def test_an_interrupt_that_comes_upon_a_finalizer_is_not_lost(cell: Cell, running: Kernel) -> None:
    begun = running.start(FINALIZES)
    ran = running.finish(begun, until=lambda message: message["msg_type"] == "stream")
    running.manager.interrupt_kernel()
    ran = running.finish(begun, ran=ran)
    assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"]
    assert ran.stream("stderr") == ""
    assert cell("del Slow").ok


@pytest.mark.timeout(900)
@pytest.mark.parametrize("times", [18, pytest.param(100, marks=pytest.mark.thorough)])
def test_interrupts_at_any_moment(cell: Cell, running: Kernel, times: int) -> None:
    moments = random.Random(times)
    assert cell("%%udf\ndef doubled(x: int) -> int:\n    return 2 * x").ok
    for number in range(times):
        work = WORK[number % len(WORK)]
        begun = running.start(f"print('begun')\nwhile True:\n    {work}")
        ran = running.finish(begun, until=lambda message: message["msg_type"] == "stream")
        time.sleep(moments.uniform(0, 1.2))
        running.manager.interrupt_kernel()
        ran = running.finish(begun, ran=ran)
        where = (number, work)
        assert [error["ename"] for error in ran.errors] == ["KeyboardInterrupt"], where
        assert ran.stream("stderr") == "", where
        assert len("\n".join(ran.errors[0]["traceback"])) < 6_000, where
        after = cell(
            "assert [r[0] for r in session.sql('select doubled(id) from range(3)').collect()]"
            " == [0, 2, 4]"
        )
        assert after.ok, (where, after.errors)
        assert after.stream("stderr") == "", where
