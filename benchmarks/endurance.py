"""What is done very often, and very many at a time: redefinitions, and sessions on one machine."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from statistics import median

import psutil

import notebook_udf as nu
from benchmarks.measure import Figure
from benchmarks.soak import held, slope
from notebook_udf import udf

REDEFINITIONS = 10_000
SESSIONS = 20
_BETWEEN_LOOKS = 100
# A version stays known, with its source: so much may each keep.
_KERNEL_BYTES = 8_000
_JAVA_BYTES = 40_000


def run_redefinitions() -> list[Figure]:
    """One function, defined anew again and again, and called now and then."""
    with nu.session(workers=2) as session:
        session.live = False
        looks: list[tuple[int, dict[str, float]]] = []
        seconds: list[float] = []
        for number in range(REDEFINITIONS):
            since = time.perf_counter()
            function = udf(lambda i, n=number: i + n, input_types=["bigint"], result_type="bigint")
            session.register_function("anew", function)
            seconds.append(time.perf_counter() - since)
            if number % _BETWEEN_LOOKS == 0:
                first = session.sql("SELECT anew(id) FROM range(1)").first()
                assert first is not None
                assert first[0] == number
                looks.append((number, held(session)))
    counted = looks[len(looks) // 3 :]
    slower = median(seconds[-1000:]) / median(seconds[1000:2000])
    figures = [
        Figure(
            "the last thousand of 10,000 redefinitions against the second",
            slower, "×", "≤ 1.5×", slower <= 1.5,
            f"{1000 * median(seconds[-1000:]):.2f} ms each at the end",
        )
    ]  # fmt: skip
    for name, bar in (("kernel, MB", _KERNEL_BYTES), ("Java, MB of the process", _JAVA_BYTES)):
        points = [(float(number), 1e6 * values[name]) for number, values in counted]
        found, error = slope(points)
        figures.append(
            Figure(
                f"{name.split(',')[0]}: bytes kept of each redefinition",
                found, "B", f"≤ {bar:,} B", found - error <= bar,
                f"± {error:,.0f}, from {points[0][1] / 1e6:,.0f} to {points[-1][1] / 1e6:,.0f} MB",
            )
        )  # fmt: skip
    for name in ("kernel, descriptors", "kernel, threads", "files of the session"):
        grown = counted[-1][1][name] - counted[0][1][name]
        figures.append(
            Figure(
                f"{name}: growth by {len(counted) * _BETWEEN_LOOKS:,} redefinitions",
                grown, "", "0", grown <= 0, f"{counted[-1][1][name]:.0f} at the end",
            )
        )  # fmt: skip
    return figures


# Says when it is there, waits until all are, answers, waits until all have, and ends.
_SESSION = """
import sys
import notebook_udf as nu
with nu.session(workers=1) as session:
    session.live = False
    session._warmup.wait()
    mine = nu.udf(
        lambda i: i + NUMBER, input_types=["bigint"], result_type="bigint", compile=False
    )
    session.register_function("mine", mine)
    print("there", flush=True)
    sys.stdin.readline()
    for n in range(5):
        found = session.sql("SELECT sum(mine(id)) AS s FROM range(0, 20000, 1, 2)").first().s
        assert found == sum(range(20000)) + 20000 * NUMBER, found
    print("right", flush=True)
    sys.stdin.readline()
"""


def run_sessions() -> list[Figure]:
    """As many sessions as a shared machine may have, all at once."""
    with tempfile.TemporaryDirectory(prefix="sessions-") as folder, ExitStack() as files:
        environment = {**os.environ, "TMPDIR": folder, "PYTHONPATH": str(Path.cwd())}
        began = time.monotonic()
        errors = [files.enter_context(tempfile.TemporaryFile("w+")) for _ in range(SESSIONS)]
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", _SESSION.replace("NUMBER", str(number))],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors[number],
                text=True, env=environment, cwd=folder,
            )
            for number in range(SESSIONS)
        ]  # fmt: skip
        there = _said(processes, "there")
        started = time.monotonic() - began
        family = psutil.Process().children(recursive=True)
        memory = sum(_memory(process) for process in family)
        began = time.monotonic()
        _go_on(processes)
        right = _said(processes, "right")
        answered = time.monotonic() - began
        _go_on(processes)
        ended = sum(each.wait(120) == 0 for each in processes)
        _, alive = psutil.wait_procs(family, timeout=20)
        left = list(Path(folder).iterdir())
        for each, printed in zip(processes, errors, strict=True):
            if each.returncode:
                printed.seek(0)
                print(printed.read(), file=sys.stderr)
    bar = f"{SESSIONS}"
    return [
        Figure(
            f"{SESSIONS} sessions at once: those that begin", there, "", bar, there == SESSIONS,
            f"{started:.0f} s until all have; {memory / SESSIONS / 1e6:,.0f} MB each",
        ),
        Figure(
            f"{SESSIONS} sessions at once: those whose five answers are right",
            right, "", bar, right == SESSIONS, f"{answered:.0f} s for all",
        ),
        Figure(
            f"{SESSIONS} sessions at once: those that end in order", ended, "", bar,
            ended == SESSIONS and not alive and not left,
            f"{len(alive)} processes and {len(left)} files are left",
        ),
    ]  # fmt: skip


def _said(processes: list[subprocess.Popen[str]], word: str) -> int:
    """How many say a word next."""
    return sum((each.stdout and each.stdout.readline().strip()) == word for each in processes)


def _go_on(processes: list[subprocess.Popen[str]]) -> None:
    for each in processes:
        if each.stdin is not None and each.poll() is None:
            print(file=each.stdin, flush=True)


def _memory(process: psutil.Process) -> int:
    """What a process holds for itself."""
    try:
        return int(process.memory_full_info().uss)
    except psutil.Error:
        return 0
