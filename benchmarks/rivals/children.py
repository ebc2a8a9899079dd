"""The processes that engines run in: what each is, where it is installed, and asking it.

An engine that cannot be installed, started or run is no error of the benchmark: it has a reason.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any

from notebook_udf.launch.cache_folder import cache_folder
from notebook_udf.launch.java import find_java

ROOT = Path(__file__).resolve().parents[2]
CACHE = "NOTEBOOK_UDF_RIVALS_CACHE"
# Seconds for one run of a query, or for an engine to start; an engine may well hang.
LIMIT = float(os.environ.get("NOTEBOOK_UDF_RIVALS_LIMIT", "300"))
_READY = "requirements.txt"

Say = Callable[[str], None]


class CannotRun(Exception):
    """Why an engine has no figure, in a line."""


@dataclass(frozen=True)
class Child:
    """A process that serves one or several ways of running a function.

    ``requirements`` are installed into an environment of its own; without any, it runs in the
    environment of this process.
    """

    name: str
    ways: Mapping[str, str]
    requirements: Sequence[str] = field(default=())

    @property
    def module(self) -> str:
        return f"benchmarks.rivals.{self.name}"

    def environment(self) -> Path:
        """The folder of its virtual environment: another one for other versions."""
        root = os.environ.get(CACHE)
        versions = "\n".join((sys.version, *self.requirements))
        digest = hashlib.sha256(versions.encode()).hexdigest()[:10]
        folder = Path(root) if root else cache_folder("rivals")
        return folder.absolute() / f"{self.name}-{digest}"

    def python(self, say: Say) -> str:
        """Python's path there; makes the environment if it is not there, which takes minutes.

        Raises
        ------
        CannotRun
            If it cannot be made.
        """
        if not self.requirements:
            return sys.executable
        folder = self.environment()
        python = folder / "bin" / "python"
        if not (folder / _READY).exists():
            say(f"{self.name}: an environment in {folder}, once")
            shutil.rmtree(folder, ignore_errors=True)
            _told([sys.executable, "-m", "venv", str(folder)], say)
            install = ["-m", "pip", "install", "--progress-bar", "off", *self.requirements]
            _told([str(python), *install], say)
            (folder / _READY).write_text("\n".join(self.requirements), "utf-8")
        return str(python)


# The versions that were tried; what they need is pinned where another version changes the figures.
CHILDREN = (
    Child(
        "spark",
        {
            "default": "Spark udf",
            "pickled": "Spark udf, pickled",
            "pandas": "Spark pandas_udf",
            "arrow": "Spark arrow_udf",
        },
    ),
    Child(
        "ours",
        {
            "jvm": "notebook-udf, JVM",
            "kernels": "notebook-udf, Arrow kernels",
            "rows": "notebook-udf, rows",
        },
    ),
    Child(
        "duckdb",
        {"native": "DuckDB native", "arrow": "DuckDB arrow"},
        ("duckdb==2.0.1", "pyarrow==26.0.1", "numpy==2.4.6", "pandas==2.3.3"),
    ),
    Child(
        "sail",
        {"default": "Sail udf", "pandas": "Sail pandas_udf"},
        # PySpark, pandas and Arrow as in Sail's own tests.
        ("pysail==0.7.2", "pyspark-client==4.2.0", "pyarrow==24.0.0", "pandas==2.3.3",
         "numpy==2.4.6"),
    ),
    Child(
        "daft",
        {"func": "Daft func", "batch": "Daft func.batch"},
        ("daft==0.7.26", "pyarrow==25.0.1", "numpy==2.4.6", "pandas==2.3.3"),
    ),
    Child(
        "flink",
        {"udf": "PyFlink udf", "pandas": "PyFlink pandas udf"},
        ("apache-flink==2.3.0",),
    ),
    Child("plain", {"list": "Plain Python"}),
)  # fmt: skip
BY_NAME = {child.name: child for child in CHILDREN}


class Running:
    """A child that has been started.

    Parameters
    ----------
    child
        Which.
    say
        Is told how far an installation is.

    Raises
    ------
    CannotRun
        If it cannot be installed or started.
    """

    def __init__(self, child: Child, say: Say) -> None:
        python = child.python(say)
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115
        paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
        # Progress bars and logs on every run would be measured too.
        quiet = {"DAFT_PROGRESS_BAR": "0", "DO_NOT_TRACK": "true", "RUST_LOG": "error"}
        self._process = subprocess.Popen(
            [python, "-m", child.module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            env={
                **os.environ, **find_java().environment(), **quiet,
                "PYSPARK_PYTHON": python, "PYTHONPATH": os.pathsep.join(paths),
            },
        )  # fmt: skip
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        try:
            self.version = str(self._answer()["version"])
        except CannotRun:
            self.kill()
            self._close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put("")

    def ask(self, way: str, case: str, folder: Path) -> dict[str, Any]:
        """Runs a case once: its ``seconds`` and ``answer``, or why it is ``absent``.

        Raises
        ------
        CannotRun
            If it failed, or took longer than ``LIMIT``.
        """
        assert self._process.stdin is not None
        try:
            asked = {"way": way, "case": case, "folder": str(folder)}
            self._process.stdin.write(f"{json.dumps(asked)}\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise CannotRun(self._last_words()) from None
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        try:
            line = self._lines.get(timeout=LIMIT)
        except queue.Empty:
            self.kill()
            raise CannotRun(f"took more than {LIMIT:g} s") from None
        if not line:
            raise CannotRun(self._last_words())
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise CannotRun(answer["error"])
        return answer

    def _last_words(self) -> str:
        code = self._process.wait()
        self._errors.seek(0)
        lines = self._errors.read().strip().splitlines()
        return f"ended with {code}: {lines[-1]}" if lines else f"ended with {code}"

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def __enter__(self) -> Running:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The end of its input is the end of its work.
        self._close_input()
        try:
            self._process.wait(60)
        except subprocess.TimeoutExpired:
            self.kill()
        self._close()

    def _close_input(self) -> None:
        assert self._process.stdin is not None
        # What was not read there is of no use any more.
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.close()

    def _close(self) -> None:
        self._close_input()
        # A process that it started may hold the other end for longer than it lived.
        self._reader.join(10)
        if not self._reader.is_alive():
            assert self._process.stdout is not None
            self._process.stdout.close()
        self._errors.close()


def _told(command: Sequence[str], say: Say) -> None:
    """Runs a command of an installation, and tells each line of it."""
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.strip())
            say(lines[-1])
    if process.returncode:
        errors = [line for line in lines if line.startswith("ERROR")]
        why = (errors or lines or ["no reason given"])[0]
        raise CannotRun(f"not installed: {why}")
