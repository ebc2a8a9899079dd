"""Runs the text of a test file by pytest, in a process and a folder of its own."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from notebook_udf.errors import NotebookUdfError, SessionError

_MOST_SECONDS = 120
_MOST_LINES = 15
# Neither the options of the folder in which the file will stand, nor what else is installed.
_OPTIONS = ("-q", "-x", "--tb=short", "--no-header", "--color=no", "-p", "no:cacheprovider")


def check_pytest() -> None:
    """Checks that there is pytest.

    Raises
    ------
    SessionError
        If there is none, with how to install it.
    """
    if importlib.util.find_spec("pytest") is None:
        raise SessionError("a captured test is run before it is kept: pip install pytest")


def run_green(text: str, target: Path, function: str) -> None:
    """Runs a test file's text as if it stood at ``target``, which is not written.

    Raises
    ------
    NotebookUdfError
        If a test fails, with the first lines of the failure and what to do.
    """
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")
    }
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # As python -m pytest finds modules: beside the file, and in the folder that it is called in.
    paths = [str(target.resolve().parent), os.getcwd(), environment.get("PYTHONPATH", "")]
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    with tempfile.TemporaryDirectory(prefix="notebook-udf-") as folder:
        file = Path(folder) / target.name
        file.write_text(text, "utf-8")
        command = [sys.executable, "-m", "pytest", *_OPTIONS, "-c", os.devnull,
                   f"--rootdir={folder}", target.name]  # fmt: skip
        try:
            ran = subprocess.run(
                command, env=environment, capture_output=True, text=True, errors="replace",
                timeout=_MOST_SECONDS, cwd=folder, stdin=subprocess.DEVNULL, check=False,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise NotebookUdfError(
                f"{target} was not written: the tests of {function} take more than "
                f"{_MOST_SECONDS} s; capture fewer calls with --rows"
            ) from None
    if ran.returncode:
        raise NotebookUdfError(
            f"{target} was not written, because its tests are not green:\n\n"
            f"{_failure(ran.stdout + ran.stderr)}\n\n"
            f"If {function} answers otherwise at each call (it reads a clock, a file or a service, "
            f"or draws random numbers), give it what changes as an argument; if it reads a name "
            f"that was changed since it was registered, register it again"
        )


def _failure(output: str) -> str:
    """The first lines of the first failure."""
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    starts = [at for at, line in enumerate(lines) if line.startswith("=") and line.endswith("=")]
    first, end = starts[0] + 1 if starts else 0, starts[1] if len(starts) > 1 else len(lines)
    return "\n".join(f"    {line}" for line in lines[first : min(end, first + _MOST_LINES)])
