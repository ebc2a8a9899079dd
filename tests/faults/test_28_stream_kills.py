"""A stream that is killed again and again, at any moment, ends as one that was left alone.

Workers, the JVM and the kernel are killed.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import notebook_udf as nu

SEED = int(os.environ.get("NOTEBOOK_UDF_SEED", "7"))
ROOT = Path(nu.__file__).resolve().parents[1]
TESTS = Path(__file__).resolve().parents[1]
# A JVM and a kernel take some ten seconds to come back, a worker none.
VICTIMS = ("worker", "worker", "jvm", "worker", "kernel")
LONGEST_SECONDS = 5.0
ROWS = 300
# How a kernel ends.
_KILLED, _WITHOUT_JVM = -9, 3


class Replay:
    """The kernel of the replay, started as often as it takes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._errors = folder / "errors"
        self._running = threading.Event()
        self._batch = threading.Event()
        # How long a micro-batch takes.
        self.pace = 1.0
        self.starts = 0
        self._start()

    def _start(self) -> None:
        self._running.clear()
        self.starts += 1
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)]),
            "TMPDIR": str(self._folder / "tmp"),
        }
        with self._errors.open("w") as errors:
            self.kernel = subprocess.Popen(
                [sys.executable, str(TESTS / "replay.py"), str(self._folder)],
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env=environment,
                # Python puts the working folder first, before any other copy of the package.
                cwd="/",
            )
        self._listener = threading.Thread(target=self._listen, args=[self.kernel])
        self._listener.start()

    def _listen(self, kernel: subprocess.Popen[str]) -> None:
        assert kernel.stdout is not None
        last = 0.0
        with kernel.stdout as lines:
            for line in lines:
                self._running.set()
                if line == "batch\n":
                    self.pace = min(time.monotonic() - last, LONGEST_SECONDS) if last else self.pace
                    last = time.monotonic()
                    self._batch.set()
        # It has ended: nobody is to wait for it.
        self._running.set()
        self._batch.set()

    def ready(self) -> bool:
        """Waits until the query runs; whether there is anything left to do."""
        if self.kernel.poll() not in (None, 0):
            assert self.kernel.returncode in (_KILLED, _WITHOUT_JVM), self._errors.read_text()
            self._start()
        assert self._running.wait(120), "the replay did not start"
        return self.kernel.poll() != 0

    def next_batch(self) -> None:
        """Waits until a micro-batch has reached the sink, or its kernel has ended."""
        self._batch.clear()
        self._batch.wait(60)

    def processes(self, victim: str) -> list[psutil.Process]:
        """Those that may be killed."""
        kernel = psutil.Process(self.kernel.pid)
        if victim == "kernel":
            return [kernel]
        java = [p for p in kernel.children() if p.name() == "java"]
        if victim == "jvm":
            return java
        daemons = [each for p in java for each in p.children()]
        return [worker for daemon in daemons for worker in daemon.children()]

    def kill(self, victim: str, chance: random.Random) -> bool:
        """Kills one of them; whether there was one."""
        try:
            family = psutil.Process(self.kernel.pid).children(recursive=True)
            process = chance.choice(self.processes(victim))
            process.kill()
        except (psutil.NoSuchProcess, IndexError):
            return False
        if victim != "worker":
            # A second replay on the checkpoint of one that still writes would be no restart.
            self.kernel.wait(60)
            _, alive = psutil.wait_procs(family, timeout=30)
            assert not alive, f"left behind by a {victim} that was killed: {alive}"
        return True

    def end(self) -> None:
        """Kills what is left of it."""
        if self.kernel.poll() is None:
            family = psutil.Process(self.kernel.pid).children(recursive=True)
            self.kernel.kill()
            self.kernel.wait()
            psutil.wait_procs(family, timeout=30)
        self._listener.join()


@pytest.fixture
def folder() -> Iterator[Path]:
    """One with a path so short that sockets fit below it."""
    with tempfile.TemporaryDirectory(prefix="replay", ignore_cleanup_errors=True) as made:
        for name in ("source", "out", "tmp"):
            (Path(made) / name).mkdir()
        yield Path(made)


@pytest.fixture(params=[4, 100])
def kills(request: pytest.FixtureRequest) -> int:
    """How often something is killed."""
    return int(request.param)


@pytest.fixture
def alive(folder: Path, kills: int) -> dict[str, Counter[int]]:
    """Changes, a micro-batch of them per file; answers the rows that survive them all."""
    chance = random.Random(SEED)
    alive: dict[str, Counter[int]] = {}
    for number in range(2 * kills + 10):
        rows = []
        for _ in range(ROWS):
            key = chance.choice(["large", f"k{chance.randrange(30)}"])
            values = alive.setdefault(key, Counter())
            if values and chance.random() < 0.3:
                value, mark = chance.choice(list(values)), "-D"
                values -= Counter([value])
                alive[key] = values
            else:
                value, mark = chance.randrange(5000 if key == "large" else 50), "+I"
                values[value] += 1
            rows.append((key, value, mark))
        columns = list(zip(*rows, strict=True))
        path = folder / "source" / f"{number:05}.parquet"
        pq.write_table(pa.table(dict(zip(["k", "v", "op"], map(list, columns), strict=True))), path)
        os.utime(path, (1_700_000_000 + number,) * 2)
    return {key: values for key, values in alive.items() if values}


@pytest.mark.thorough
@pytest.mark.timeout(3600)
def test_a_stream_killed_at_any_moment_ends_as_one_that_was_not(
    folder: Path, kills: int, alive: dict[str, Counter[int]]
) -> None:
    chance = random.Random(SEED)
    replay = Replay(folder)
    killed: Counter[str] = Counter()
    try:
        while replay.ready():
            if killed.total() == kills:
                replay.kernel.wait(300)
                continue
            # Some are killed before they have done anything.
            if chance.random() < 0.7:
                replay.next_batch()
            time.sleep(chance.uniform(0, replay.pace))
            victim = VICTIMS[killed.total() % len(VICTIMS)]
            killed[victim] += replay.kill(victim, chance)
    finally:
        replay.end()
    assert killed.total() == kills
    found: dict[str, Any] = {}
    for path in sorted((folder / "out").glob("*.json")):
        found |= {row[0]: tuple(row[1:]) for row in json.loads(path.read_text())}
    expected = {key: (v.total(), len(v), len(v)) for key, v in alive.items()}
    assert {key: row for key, row in found.items() if row[0]} == expected
    batch = {row[0]: tuple(row[1:]) for row in json.loads((folder / "batch.json").read_text())}
    assert batch == expected
    state = json.loads((folder / "state.json").read_text())
    assert state == {key: row[1] for key, row in expected.items()}
    assert replay.starts > killed["jvm"] + killed["kernel"]
