"""Runs Spark's own tests of Python functions twice: as they are, and in a session that adopts.

    python -m tests.sparks_own FOLDER [MODULE ...]

``FOLDER`` is ``python`` of Spark's source, of any version: it has ``pyspark/sql/tests``. Tests of
another version than the one installed may fail by themselves. What counts is that none which
passes without this package fails with it; then the exit code is 0.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from tests.scripts import ROOT
from tests.sparks_own.adopting import FOLDER, WITH

# Those in which Spark runs Python functions, by their paths below ``pyspark``.
MODULES = (
    "sql/tests/test_udf.py",
    "sql/tests/test_arrow_python_udf.py",
    "sql/tests/test_udtf.py",
    "sql/tests/test_arrow_map.py",
    "sql/tests/pandas/test_pandas_udf.py",
    "sql/tests/pandas/test_pandas_udf_scalar.py",
    "sql/tests/pandas/test_pandas_udf_grouped_agg.py",
    "sql/tests/pandas/test_pandas_udf_window.py",
    "sql/tests/pandas/test_pandas_grouped_map.py",
    "sql/tests/pandas/test_pandas_grouped_map_with_state.py",
    "sql/tests/pandas/test_pandas_cogrouped_map.py",
    "sql/tests/pandas/test_pandas_map.py",
    "tests/test_rdd.py",
    "tests/test_worker.py",
    "tests/test_shuffle.py",
)
_SECONDS = 3_600


def main() -> int:
    """Runs them; returns how many modules have a test that this package breaks."""
    parser = argparse.ArgumentParser(prog="python -m tests.sparks_own")
    parser.add_argument("folder", type=Path, help="python of Spark's source")
    parser.add_argument("modules", nargs="*", help="paths below pyspark; all that are there")
    options = parser.parse_args()
    source = options.folder.resolve()
    modules = options.modules or [m for m in MODULES if (source / "pyspark" / m).is_file()]
    if not modules:
        parser.error(f"{source}/pyspark has no {MODULES[0]}: name python of Spark's source")
    broken = 0
    for module in modules:
        print(f"{module}: ", end="", flush=True)
        alone = _outcomes(source, module, "none")
        print(f"{_told(alone)}; with us: ", end="", flush=True)
        adopted = _outcomes(source, module, "us")
        failing = [t for t, said in alone.items() if said == "passed" and adopted.get(t) != said]
        print(_told(adopted))
        for test in failing:
            print(f"  {test}: passed, {adopted.get(test, 'not run')} with us")
        broken += bool(failing) or not alone
    return broken


def _outcomes(source: Path, module: str, other: str) -> dict[str, str]:
    """What became of each test of a module."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        with open(Path(scratch) / "log", "w", encoding="utf-8") as log:
            subprocess.run(
                [
                    sys.executable, "-m", "pytest", "-p", "tests.sparks_own.adopting",
                    "-p", "no:cacheprovider", "-q", "--noconftest", "-c", os.devnull,
                    "--import-mode=importlib", f"--junit-xml={report}",
                    str(source / "pyspark" / module),
                ],
                env={
                    **os.environ, FOLDER: str(source), WITH: other, "PYTHONPATH": str(ROOT),
                    "PYSPARK_PYTHON": sys.executable,
                },
                cwd=scratch, stdout=log, stderr=subprocess.STDOUT, timeout=_SECONDS, check=False,
            )  # fmt: skip
        if not report.exists():
            print((Path(scratch) / "log").read_text("utf-8")[-2_000:])
            return {}
        cases = ElementTree.parse(report).iter("testcase")
        return {
            f"{c.get('classname', '').rpartition('.')[2]}.{c.get('name')}": _said(c) for c in cases
        }


def _said(case: ElementTree.Element) -> str:
    kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
    return next(iter(sorted(kinds)), "passed")


def _told(outcomes: dict[str, str]) -> str:
    counts = Counter(outcomes.values())
    return ", ".join(f"{count} {said}" for said, count in sorted(counts.items())) or "not run"


if __name__ == "__main__":
    sys.exit(main())
