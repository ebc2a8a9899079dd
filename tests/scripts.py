"""Sessions in processes of their own, for tests that kill them or need another Spark."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

import notebook_udf as nu

ROOT = Path(nu.__file__).resolve().parents[1]

# An aggregate function for scripts: the greatest value.
MOST = """
class Most(nu.AggregateFunction):
    def create_accumulator(self): return [0]
    def accumulate(self, acc, v: int): acc[0] = max(acc[0], v)
    def merge(self, acc, others):
        for other in others: acc[0] = max(acc[0], other[0])
    def get_value(self, acc) -> int: return acc[0]
"""


@contextmanager
def script(
    body: str, variables: Mapping[str, str] | None = None
) -> Iterator[subprocess.Popen[str]]:
    """A Python process that runs ``body`` with a session's imports at hand."""
    code = (
        "import json, os, sys, threading, time\n"
        "import notebook_udf as nu\n"
        "from notebook_udf import udf\n"
        "def tell(**facts):\n"
        "    print(json.dumps(facts), flush=True)\n" + textwrap.dedent(body)
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), **(variables or {})}
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        # Python puts the working folder first, before any other copy of the package.
        cwd="/",
    )
    try:
        yield process
    finally:
        family = _family(process.pid)
        process.kill()
        process.communicate()
        _, alive = psutil.wait_procs(family, timeout=15)
        assert not alive, f"left behind: {alive}"


def command_line(process: psutil.Process) -> str:
    """A process's command and arguments; "" if it has ended."""
    try:
        return " ".join(process.cmdline())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return ""


def _family(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def told(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What a script says next."""
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line:
        _, errors = process.communicate()
        pytest.fail(errors[-3000:])
    facts: dict[str, Any] = json.loads(line)
    return facts
