"""The reader with each version of the library its trees are made of: ``python -m
tests.grammar_versions`` installs them one after the other, and runs the reader's tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile

# The oldest and the newest that ``pyproject.toml`` admits, and some between.
TRIED = ("30.0.0", "30.10.0", "30.20.0", "30.30.0")


def main() -> int:
    """Runs the tests; 1 if one of the versions fails."""
    failed = []
    for version in TRIED:
        with tempfile.TemporaryDirectory() as folder:
            pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            subprocess.run([*pip, "--target", folder, f"sqlglot=={version}"], check=True)
            path = os.pathsep.join(p for p in (folder, os.environ.get("PYTHONPATH")) if p)
            tests = [sys.executable, "-m", "pytest", "-q", "tests/unit/test_syntax.py"]
            ran = subprocess.run(tests, env={**os.environ, "PYTHONPATH": path}, check=False)
            print(f"sqlglot {version}: {'failed' if ran.returncode else 'passed'}", flush=True)
            failed += [version] if ran.returncode else []
    return int(bool(failed))


if __name__ == "__main__":
    raise SystemExit(main())
