"""Tries the versions that users have: ``python -m tests.environments.versions`` writes the page.

With texts, such as ``3.13`` or ``jupyterlab``, only the environments that are named so.
Each is an environment of its own, made from nothing; what is run in it is named in the table.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/how-to/versions.md"
CORE = (
    "tests/spark/test_scalar.py", "tests/spark/test_tables.py", "tests/spark/test_aggregates.py",
    "tests/spark/test_async.py", "tests/spark/test_process.py", "tests/spark/test_streams.py",
    "tests/spark/test_java_ordinary.py", "tests/spark/test_java_nested.py",
    "tests/spark/test_java_tables.py", "tests/spark/test_java_process.py",
    "tests/spark/test_java_iterating.py",
)  # fmt: skip
LAB = ("tests/browser/test_lab_extension.py", "tests/browser/test_live_cell.py")


@dataclass(frozen=True)
class Environment:
    """A Python, packages that are held to a version, and the tests that are run."""

    python: str
    held: tuple[str, ...]
    tests: tuple[str, ...]

    @property
    def name(self) -> str:
        return ", ".join(
            [f"Python {self.python}", *(text.replace("==", " ") for text in self.held)]
        )


ENVIRONMENTS = (
    Environment("3.11", ("pandas==2.2.*",), ("tests/unit", *CORE)),
    Environment("3.12", ("pandas==2.3.*",), ("tests/unit", *CORE)),
    Environment("3.13", ("pandas==2.3.*",), ("tests/unit", *CORE)),
    Environment("3.11", ("jupyterlab==4.4.*",), LAB),
    Environment("3.13", ("jupyterlab",), LAB),
)
_HEAD = """# Versions that were tried

Each in an environment of its own, made from nothing, with the newest versions of all packages that
are not named. `make test-matrix` tries them again and writes this table.

| environment | pyspark | tests | outcome | on |
|---|---|---|---|---|
"""


def python_of(version: str) -> str:
    """A Python of a version: one on the path, or pyenv's."""
    found = shutil.which(f"python{version}")
    if found is not None and _is(found, version):
        return found
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for path in sorted((root / "versions").glob(f"{version}.*/bin/python"), reverse=True):
        return str(path)
    raise SystemExit(f"there is no Python {version}: put python{version} on the PATH")


def _is(python: str, version: str) -> bool:
    """Whether it runs: pyenv leaves names of versions that are not chosen."""
    said = subprocess.run([python, "--version"], capture_output=True, text=True, check=False)
    return said.returncode == 0 and said.stdout.startswith(f"Python {version}.")


def tried(environment: Environment) -> tuple[bool, str]:
    """Makes an environment and runs its tests; whether they passed, and a line of the table."""
    with tempfile.TemporaryDirectory(prefix="versions-") as made:
        copy, python = Path(made) / "copy", str(Path(made) / "venv/bin/python")
        subprocess.run(["git", "clone", "-q", str(ROOT), str(copy)], check=True)
        base = python_of(environment.python)
        subprocess.run([base, "-m", "venv", str(Path(made) / "venv")], check=True)
        pip = [python, "-m", "pip", "install", "-q"]
        subprocess.run([*pip, "--upgrade", "pip>=25.1"], check=True)
        # In one step, so that pip finds versions that go together.
        installed = [*pip, "-e", str(copy), "--group", f"{copy}/pyproject.toml:dev"]
        subprocess.run([*installed, *environment.held], check=True, cwd=copy)
        if environment.tests == LAB:
            subprocess.run([python, "extension/npm.py", "run", "build"], check=True, cwd=copy)
            subprocess.run([python, "-m", "tests.browser.chromium"], check=True, cwd=copy)
        ran = subprocess.run(
            [python, "-m", "pytest", "-q", *environment.tests],
            cwd=copy, capture_output=True, text=True, check=False,
        )  # fmt: skip
        spark = _version(python, "pyspark")
        last = (ran.stdout.strip().splitlines() or ["nothing was said"])[-1].strip("= ")
        if ran.returncode:
            print(ran.stdout[-6000:], file=sys.stderr)
        tests = ", ".join(f"`{each}`" for each in environment.tests)
        line = f"| {environment.name} | {spark} | {tests} | {last} | {date.today()} |"
        return ran.returncode == 0, line


def _version(python: str, package: str) -> str:
    code = f"import importlib.metadata as m; print(m.version({package!r}))"
    return subprocess.run(
        [python, "-c", code], capture_output=True, text=True, check=True
    ).stdout.strip()


def kept() -> dict[str, str]:
    """The lines of the page, by their environment."""
    if not PAGE.exists():
        return {}
    lines = [line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| Python")]
    return {line.split("|")[1].strip(): line for line in lines}


def main(named: Sequence[str]) -> int:
    """Tries all, or those that have a text in their names; a line is written if all pass there."""
    lines, good = kept(), True
    for environment in ENVIRONMENTS:
        if named and not any(text in environment.name for text in named):
            continue
        begun = time.monotonic()
        print(f"{environment.name} …", flush=True)
        passed, line = tried(environment)
        good = good and passed
        lines.pop(environment.name, None)
        if passed:
            lines[environment.name] = line
        print(f"  {line}\n  {time.monotonic() - begun:.0f} s", flush=True)
        written = [lines[each.name] for each in ENVIRONMENTS if each.name in lines]
        PAGE.write_text(_HEAD + "\n".join(written) + "\n", "utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
