"""A daemon that does not come up: it says so within its limit, and ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.lone_daemon import ROOT, daemon
from tests.scripts import script, told


def test_a_daemon_that_cannot_start_says_so_and_ends(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("import time\ntime.sleep(600)\n")
    with daemon(path=f"{tmp_path}{os.pathsep}{ROOT}", NOTEBOOK_UDF_START_SECONDS="2") as process:
        _, errors = process.communicate(timeout=20)
        assert process.returncode == 1
        assert b"took more than 2 s" in errors
        assert b"NOTEBOOK_UDF_START_SECONDS" in errors


NEVER_UP = """
session = nu.session(workers=1)
session._warmup.wait()
import psutil
environment = session.spark.sparkContext.environment
environment["PYTHONPATH"] = "FOLDER" + os.pathsep + environment["PYTHONPATH"]
environment["NOTEBOOK_UDF_START_SECONDS"] = "2"
session.register_function("f", udf(lambda i: i, result_type="bigint", compile=False))
try:
    session.sql("SELECT f(id) FROM range(3)").collect()
except nu.NotebookUdfError as error:
    tell(said=str(error))
def is_slow_daemon(process):
    try:
        return ("notebook_udf.pool.daemon" in process.cmdline()
                and "NOTEBOOK_UDF_START_SECONDS" in process.environ())
    except (psutil.NoSuchProcess, psutil.ZombieProcess):
        return False  # it has ended, be it that Java has not asked how
family = psutil.Process().children(recursive=True)
tell(left=[p.pid for p in family if is_slow_daemon(p)])
session.stop()
"""


@pytest.mark.thorough
@pytest.mark.timeout(120)
def test_the_query_names_the_limit_and_nothing_is_left(tmp_path: Path) -> None:
    (tmp_path / "pandas.py").write_text("import time\ntime.sleep(600)\n")
    with script(NEVER_UP.replace("FOLDER", str(tmp_path))) as process:
        said = told(process)["said"]
        assert "took more than 2 s" in said
        assert "\tat " not in said
        assert told(process) == {"left": []}
        assert process.wait(60) == 0
