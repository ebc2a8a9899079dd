"""``notebook-udf doctor``: what it finds here, and what it says where something is wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from notebook_udf import doctor
from notebook_udf.cli import main
from notebook_udf.kernel.folder import make_folder, remove_folder


def findings(capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, Any]]]:
    code = main(["doctor", "--json"])
    document = json.loads(capsys.readouterr().out)
    assert document["ok"] == (code == 0)
    return code, {each["what"]: each for each in document["findings"]}


def test_a_machine_that_runs_the_tests_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    _, found = findings(capsys)
    assert sys.executable in found["Python"]["found"]
    assert "pyspark 4.3" in found["packages"]["found"]
    assert found["Java"]["state"] != "wrong"
    assert found["sockets"]["state"] == "fine"
    assert "anywidget" in found["Jupyter"]["found"]
    assert "iB free" in found["memory"]["found"]


def test_what_is_wrong_is_said_with_its_mending(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    code, found = findings(capsys)
    assert code == 1
    assert "holds no Spark, and PySpark is 4.3" in found["SPARK_HOME"]["found"]
    assert found["SPARK_HOME"]["mend"] == "unset SPARK_HOME"
    assert main(["doctor"]) == 1
    shown = capsys.readouterr().out
    assert "✗" in shown
    assert "→ unset SPARK_HOME" in shown
    assert "to fix." in shown


def test_packages_are_held_to_what_is_required() -> None:
    found = {each.what: each for each in doctor.check_packages(
        ["pyspark>=99", "no-such-package>=1", "rich", "pywin32; sys_platform == 'win32'"]
    )}  # fmt: skip
    assert "is installed, and >=99 is needed" in found["pyspark"].found
    assert found["no-such-package"].mend == "pip install 'no-such-package>=1'"
    assert set(found) == {"packages", "pyspark", "no-such-package"}


def test_a_java_that_will_not_do_is_passed_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "bin" / "java"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_392\"' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    (found,) = doctor.check_java()
    assert found.state == "look"
    assert f"{program} is Java 8" in found.found


def test_a_folder_that_cannot_be_used_is_wrong(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", "/proc/self/nowhere")
    (found,) = doctor.check_disk()
    assert found.state == "wrong"
    assert "TMPDIR" in found.mend


def test_sessions_that_run_are_listed() -> None:
    folder = make_folder()
    try:
        (found,) = doctor.check_sessions()
        assert f"process {os.getpid()} (" in found.found
    finally:
        remove_folder(folder)


def test_it_starts_no_spark() -> None:
    code = (
        "import sys\nfrom notebook_udf.cli import main\nmain(['doctor', '--json'])\n"
        "import pyspark\nassert pyspark.SparkContext._gateway is None\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60, capture_output=True)
