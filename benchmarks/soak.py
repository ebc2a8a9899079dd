"""One session for hours: queries of all kinds, redefinitions, failures, kills, streams, in turn.

What a process holds (memory, descriptors, threads, sockets, files) is looked at all the time, and
the slope of each over time is told with its error: what is kept by mistake grows with the work.
"""

from __future__ import annotations

import gc
import itertools
import math
import os
import random
import shutil
import signal
import tempfile
import threading
import time
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

import notebook_udf as nu
from benchmarks.measure import Figure
from notebook_udf import udf, udtf
from notebook_udf.telemetry.store.session_store import MAX_FAILURES

MINUTES = float(os.environ.get("NOTEBOOK_UDF_SOAK_MINUTES", "120"))
# Caches fill and the JVM optimizes at first: that part is not counted.
_WARM = 1 / 3
_SECONDS_BETWEEN = 5.0
# How many looks go by until the next for which Java collects its garbage: without that, its memory
# says how large its heap may be.
_LOOKS_BETWEEN = 12
_JAVA = "Java, MB of the process"
# How many there are depends on how much was at work at once in the last minute: that is no growth.
_POOLED_THREADS = "Java, threads in pools of Spark's"
# How their names begin, of which Linux keeps 15 characters.
_POOLS = (
    "shuffle-exchang", "ResultQueryStag", "QueryStageCreat", "broadcast-excha", "subquery-",
    "block-manager-a", "block-manager-s", "Executor task", "streaming-shuff", "map-output-disp",
)  # fmt: skip
_NO_BAR = {_JAVA: "none: its heap is bounded", _POOLED_THREADS: "none: idle ones end"}
# What grows by less than this part of itself in an hour is flat, whatever its error.
_FLAT = 0.01
_BAR = f"≤ {100 * _FLAT:g} %, or 0 within its error"
ROWS = 20_000


class Sums(nu.AggregateFunction):
    """Adds up, with a Python object for each group."""

    def create_accumulator(self) -> list[int]:
        return [0]

    def accumulate(self, accumulator: list[int], value: int) -> None:
        accumulator[0] += value % 7

    def merge(self, accumulator: list[int], others: Any) -> None:
        accumulator[0] += sum(other[0] for other in others)

    def get_value(self, accumulator: list[int]) -> int:
        return accumulator[0]


def words(i: int) -> Iterator[tuple[str]]:
    """A few rows for each."""
    for n in range(i % 3):
        yield (f"{i}-{n}",)


async def answers(i: int) -> int:
    """A call that waits for nobody."""
    return i + 1


def slow(i: int) -> int:
    """Ten milliseconds a row."""
    time.sleep(0.01)
    return i


class Work:
    """What is done in turn, each with its answer checked."""

    def __init__(self, session: nu.Session, folder: Path) -> None:
        self._session = session
        self._folder = folder
        self._number = itertools.count()
        self.redefined = self.killed = self.interrupted = 0
        session.register_function("sums", Sums)
        session.register_function("words", udtf(words, result_types=["string"]))
        session.register_function("slow", udf(slow, result_type="bigint"))
        self._shell = InteractiveShell(config=Config({"HistoryManager": {"enabled": False}}))
        self._shell.run_line_magic("load_ext", "notebook_udf")
        self._shell.user_ns["session"] = session
        session.register_function("answers", udf(answers, result_type="bigint"))
        self.redefine()

    def redefine(self) -> None:
        """The function of ``scalar`` with another body; Spark and the workers know both."""
        self.redefined = add = next(self._number)
        function = udf(lambda i: i + add, input_types=["bigint"], result_type="bigint")
        self._session.register_function("adds", function)
        self._add = add

    def scalar(self) -> None:
        """A sum over a function."""
        query = f"SELECT sum(adds(id)) AS s FROM range(0, {ROWS}, 1, 2)"
        assert self._session.sql(query).first()[0] == sum(range(ROWS)) + ROWS * self._add

    def aggregate(self) -> None:
        """Groups."""
        query = f"SELECT id % 100 AS k, sums(id) AS s FROM range(0, {ROWS}, 1, 2) GROUP BY 1"
        rows = self._session.sql(query).collect()
        assert sum(row.s for row in rows) == sum(i % 7 for i in range(ROWS))

    def table(self) -> None:
        """Rows out of rows."""
        query = "SELECT count(w) AS n FROM range(300), LATERAL words(id) AS t(w)"
        assert self._session.sql(query).first()[0] == 300

    def asynchronous(self) -> None:
        """Calls in flight."""
        query = "SELECT sum(answers(id)) AS s FROM range(0, 500, 1, 2)"
        assert self._session.sql(query).first()[0] == sum(range(501))

    def fails(self) -> None:
        """An error with its row."""
        self._session.register_function("fails", udf(lambda i: 1 // (i - 3), result_type="int"))
        try:
            self._session.sql("SELECT fails(id) FROM range(9)").collect()
        except nu.UserFunctionError:
            return
        raise AssertionError("the query was answered")

    def kill(self) -> None:
        """A worker that idles or works is killed; the query after it is right."""
        for worker in self._session.pool.workers[:1]:
            with suppress(psutil.NoSuchProcess):
                psutil.Process(worker.pid).kill()
            assert self._session.store.wait_exit(worker.pid, 20) is not None
            self.killed += 1
        self.scalar()

    def stream(self) -> None:
        """A stream that is started, gets its rows and is stopped."""
        rows = self._session.spark.readStream.format("rate-micro-batch")
        frame = rows.option("rowsPerBatch", 100).load().selectExpr("adds(value) AS a")
        checkpoint = self._folder / "checkpoint"
        query = (
            frame.writeStream.format("noop")
            .option("checkpointLocation", str(checkpoint))
            .trigger(availableNow=True)
            .start()
        )
        try:
            query.awaitTermination(60)
        finally:
            query.stop()
            shutil.rmtree(checkpoint, ignore_errors=True)

    def interrupt(self) -> None:
        """A cell that would take minutes is interrupted; the query after it is right."""
        # To the thread that waits: a signal that another one gets does not wake it.
        main = threading.main_thread().ident
        assert main is not None
        key = threading.Timer(0.3 + random.random(), signal.pthread_kill, (main, signal.SIGINT))
        key.start()
        with capture_output() as shown:
            cell = "session.sql('SELECT sum(slow(id)) FROM range(0, 60000, 1, 2)').collect()"
            result = self._shell.run_cell(cell)
        assert isinstance(result.error_in_exec, KeyboardInterrupt), shown
        self.interrupted += 1
        self.scalar()

    def look(self) -> None:
        """What panels ask for."""
        for shown in (self._session.logs(), self._session.metrics(), self._session.pool):
            assert repr(shown)


class Looks:
    """What was held at each look, in as little memory as there is: it is looked at as well."""

    def __init__(self) -> None:
        self.count = 0
        self.last = -_SECONDS_BETWEEN
        self._of: defaultdict[str, tuple[array[float], array[float]]] = defaultdict(
            lambda: (array("d"), array("d"))
        )

    def add(self, at: float, values: Mapping[str, float]) -> None:
        """Adds a look at a moment."""
        self.count += 1
        self.last = at
        for name, value in values.items():
            ats, found = self._of[name]
            ats.append(at)
            found.append(value)

    def counted(self) -> dict[str, list[tuple[float, float]]]:
        """The moments and values of each that were not among the first."""
        return {
            name: [(at, value) for at, value in zip(*of, strict=True) if at > _WARM * self.last]
            for name, of in self._of.items()
        }


def in_use(session: nu.Session) -> float:
    """The megabytes of objects that Java can still reach."""
    java = session.spark._jvm.java.lang
    java.System.gc()
    runtime = java.Runtime.getRuntime()
    return float(runtime.totalMemory() - runtime.freeMemory()) / 1e6


def held(session: nu.Session) -> dict[str, float]:
    """What this process, Java, the daemon and the workers hold now."""
    gc.collect()
    me = psutil.Process()
    family = me.children(recursive=True)
    values = {
        "kernel, MB": me.memory_info().rss / 1e6,
        "kernel, descriptors": me.num_fds(),
        "kernel, threads": me.num_threads(),
        "kernel, sockets": len(me.net_connections("all")),
        "files of the session": sum(1 for _ in session.folder.rglob("*")),
        "temporary files": sum(1 for _ in Path(tempfile.gettempdir()).iterdir()),
        "processes": len(family),
    }
    workers = 0.0
    for process in family:
        with suppress(psutil.NoSuchProcess, psutil.ZombieProcess):
            if process.name() == "java":
                values[_JAVA] = process.memory_info().rss / 1e6
                values["Java, descriptors"] = process.num_fds()
                threads = thread_names(process.pid)
                pooled = sum(name.startswith(_POOLS) for name in threads)
                values[_POOLED_THREADS] = pooled
                values["Java, other threads"] = len(threads) - pooled
            else:
                workers += process.memory_info().rss / 1e6
    return {**values, "daemon and workers, MB": workers}


def thread_names(pid: int) -> list[str]:
    """The names of a process's threads."""
    found = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            found.append((thread / "comm").read_text("utf-8", "replace").strip())
    return found


def slope(points: list[tuple[float, float]]) -> tuple[float, float]:
    """The slope of the line through points, and half its 95 % interval; a unit per second."""
    n = len(points)
    mean_x = sum(x for x, _ in points) / n
    mean_y = sum(y for _, y in points) / n
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    found = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    left = sum((y - mean_y - found * (x - mean_x)) ** 2 for x, y in points)
    return found, 1.96 * math.sqrt(left / (n - 2) / spread)


def figure(name: str, points: list[tuple[float, float]], detail: str) -> Figure:
    """The growth of what is held in an hour, as a part of its mean."""
    level = sum(y for _, y in points) / len(points)
    found, error = (3600 * each / max(level, 1) for each in slope(points))
    flat = name in _NO_BAR or found <= _FLAT or found - error <= 0
    return Figure(
        f"{name}: growth in an hour",
        100 * found,
        "%",
        _NO_BAR.get(name, _BAR),
        flat,
        f"± {100 * error:.2f} %, of {level:,.0f} on average; {detail}",
    )


def run() -> list[Figure]:
    """Works for ``MINUTES``, and tells what grew."""
    seed = random.Random(7)
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        # So that what other programs leave there is not counted.
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        # As a kernel does: a program that a shell runs in the background ignores it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        session = nu.session(workers=2)
        session.live = False
        began = time.monotonic()
        work = Work(session, Path(folder))
        often: list[Callable[[], None]] = [work.scalar, work.aggregate, work.table]
        often += [work.asynchronous, work.redefine, work.redefine, work.look]
        seldom = [work.fails, work.kill, work.interrupt, work.stream]
        for _ in range(MAX_FAILURES):
            # They are kept; at the pace of the rest they would still be coming when it ends.
            work.fails()
        looks = Looks()
        done = 0
        while (past := time.monotonic() - began) < 60 * MINUTES:
            seed.choice(often if seed.random() < 0.9 else seldom)()
            done += 1
            if past - looks.last >= _SECONDS_BETWEEN:
                values = held(session)
                if looks.count % _LOOKS_BETWEEN == 0:
                    values["Java, MB of objects in use"] = in_use(session)
                looks.add(past, values)
                if looks.count % 60 == 0:
                    print(f"  {past / 60:.0f} min: {values}", flush=True)
    detail = f"{done:,} actions in {MINUTES:g} min, {work.killed} workers killed, "
    detail += f"{work.interrupted} queries interrupted, {work.redefined} functions defined anew"
    every = looks.counted().items()
    # No line goes through fewer points with an error.
    return [figure(name, found, detail) for name, found in every if len(found) > 2]
