"""Jobs without a notebook: ``notebook-udf run`` and ``nu.report``, and the files they write."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from html import unescape
from pathlib import Path

import pytest

import notebook_udf as nu
from tests.scripts import ROOT

pytestmark = pytest.mark.timeout(240)

# Spark of its own making, with nothing on this machine's ports.
CREATE = """
from pyspark.sql import SparkSession
spark = (
    SparkSession.builder.master("local[1]").appName("the job's own")
    .config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1")
    .config("spark.driver.host", "127.0.0.1").config("spark.sql.shuffle.partitions", "3")
    .config("spark.hadoop.fs.s3a.secret.key", "PLANTED-conf").getOrCreate()
)
"""
Ran = tuple["subprocess.CompletedProcess[str]", str]
Job = Callable[..., Ran]


def command(job: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "notebook_udf.cli", "run", str(job), *arguments]


def surroundings() -> dict[str, str]:
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "MY_TOKEN": "PLANTED-variable",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """Runs a job and gives its process and its report's text."""

    def run(body: str, *arguments: str) -> Ran:
        path = tmp_path / "night.py"
        path.write_text(textwrap.dedent(body))
        ran = subprocess.run(
            command(path, *arguments),
            capture_output=True, text=True, cwd=tmp_path, env=surroundings(), timeout=200,
        )  # fmt: skip
        return ran, (tmp_path / "night-report.html").read_text("utf-8")

    return run


def shown(page: str) -> str:
    """A page's text, without its markup, script and style."""
    inside = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", " ", inside))


def fetched(page: str) -> list[str]:
    """The addresses in a page's markup from which a browser would fetch something."""
    named = re.findall(r"""(?:src|href|action|data|srcset|poster)\s*=\s*["']([^"']+)""", page)
    return [each for each in [*named, *re.findall(r"url\(|@import", page)] if each[:1] != "#"]


def test_a_job_that_knows_nothing_of_us(job: Job) -> None:
    ran, page = job(
        CREATE
        + """
        import sys, __main__
        from pyspark.sql import functions as F
        here = __main__.__dict__ is globals()
        print([sys.argv[1:], __name__, __file__ == sys.path[0] + "/night.py", here, __spec__])
        print([spark.sparkContext.appName, spark.conf.get("spark.sql.shuffle.partitions")])
        spark.range(9).groupBy((F.col("id") % 3).alias("third")).count().collect()
        more = F.udf(lambda i: i + 1, "int")
        print([row.s for row in spark.range(3).select(more("id").alias("s")).collect()])
        spark.stop()
        print("stopped")
        """.replace("\n        ", "\n"),
        "--day", "3", "--", "--report", "mine",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines() == [
        "[['--day', '3', '--report', 'mine'], '__main__', True, True, None]",
        "[\"the job's own\", '3']",
        "[1, 2, 3]",
        "stopped",
    ]
    text = shown(page)
    for words in (
        "It ended by itself.", "night.py --day 3", "the job's own", "collect at night.py:",
        "HashAggregate", "<lambda>(id)", "rows that functions took  3",
    ):  # fmt: skip
        assert words in re.sub(r"  +", "  ", text), words
    assert fetched(page) == []
    assert "PLANTED" not in page


FAILING = """
import logging, os, sys
import notebook_udf as nu
session = nu.session(bundle_size=4)
@nu.register(on_error="null")
def halved(x: int, password: str) -> int:
    api_key = "PLANTED-source"
    print("line of row", x, "token=PLANTED-log", os.environ.get("MY_TOKEN"))
    logging.getLogger("mine").warning("https://me:PLANTED-address@host/%d", x)
    return 10 // (x - 2)
session.sql("SELECT sum(halved(id, 'PLANTED-value')) FROM range(5)").collect()
"""


def test_a_job_that_fails_a_check_and_hides_its_secrets(job: Job) -> None:
    ran, page = job(
        CREATE + FAILING, "--fail-on", "p99>1h", "--fail-on", "errors>0", "--fail-on=rows<9"
    )
    assert ran.returncode == 3, ran.stderr
    assert "notebook-udf: halved failed the check errors>0: errors was 1" in ran.stderr
    assert "notebook-udf: halved failed the check rows<9: rows was 5" in ran.stderr
    assert "failed the check p99" not in ran.stderr
    # The session that adopted Spark as it was created gives way to the one that is asked for.
    assert "had no effect" not in ran.stderr
    assert "warm_up" not in page
    assert "of 4 in bundle 1" in shown(page)
    text = shown(page)
    for words in (
        "2 checks failed", "ZeroDivisionError", "return 10 // (x - 2)", "its result was NULL",
        "line of row 4", "halved row 1", "ArrowEvalPython", "own code", "WARNING",
        "Share of the time that workers were in functions", "worker",
    ):  # fmt: skip
        assert words in text, f"{words} in {text}"
    assert re.search(r"argument\s+value\s+x\s+2\s+password\s+\*\*\*\*", text)
    assert re.search(r"rows<9\s+halved\s+5\s+failed", text)
    assert "PLANTED" not in page
    assert "PLANTED" not in ran.stderr
    assert len(page.encode()) < 5_000_000
    assert fetched(page) == []


def test_the_jobs_own_end_is_passed_on(job: Job) -> None:
    ran, page = job(
        CREATE
        + """
import atexit
import notebook_udf as nu
atexit.register(print, "at exit")
@nu.register
def one(x: int) -> int:
    return x
spark.sql("SELECT sum(one(id)) FROM range(3)").collect()
def fails():
    raise LookupError("so it ends, password='PLANTED-error'")
fails()
""",
        "--fail-on",
        "rows>0",
    )
    assert ran.returncode == 1
    assert ran.stdout == "at exit\n"
    trace = ran.stderr.partition("Traceback (most recent call last):\n")[2]
    assert trace.startswith('  File "')
    assert 'night.py", line' in trace.splitlines()[0]
    assert "job_run.py" not in trace
    assert "notebook-udf: one failed the check rows>0: rows was 3" in ran.stderr
    assert "It failed: LookupError: so it ends" in shown(page)
    assert "in fails" in shown(page)
    assert "PLANTED" not in page


def test_an_exit_code_is_the_jobs(job: Job) -> None:
    ran, page = job("import sys\nsys.exit(7)")
    assert ran.returncode == 7
    assert "It ended with exit code 7." in shown(page)
    assert "The job created no SparkSession." in shown(page)
    ran, page = job("raise SystemExit('words')", "--fail-on", "errors>0")
    assert ran.returncode == 1
    assert "words" in ran.stderr.splitlines()
    assert "no function was seen, so no check was made" in ran.stderr
    ran, page = job("def :")
    assert ran.returncode == 1
    assert "SyntaxError" in ran.stderr
    assert "It failed: SyntaxError" in shown(page)


@pytest.mark.parametrize(
    "by", [signal.SIGTERM, pytest.param(signal.SIGINT, marks=pytest.mark.thorough)]
)
def test_an_interrupted_job_is_reported_and_ends_by_the_signal(
    tmp_path: Path, by: signal.Signals
) -> None:
    path = tmp_path / "long.py"
    path.write_text(
        CREATE + "spark.range(7).selectExpr('sum(id)').collect()\n"
        "import atexit, threading\natexit.register(print, 'at exit')\n"
        "print('ready', flush=True)\nthreading.Event().wait()\n"
    )
    report = tmp_path / "long-report.html"
    process = subprocess.Popen(
        command(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env=surroundings(),
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    running = shown(report.read_text("utf-8"))
    assert "It was running when this was written." in running
    # It is not known yet, and a job that is killed leaves this.
    assert "created no SparkSession" not in running
    process.send_signal(by)
    said, errors = process.communicate(timeout=100)
    assert process.returncode == -by
    # As of a job that Python runs alone.
    assert said == ("at exit\n" if by == signal.SIGINT else "")
    assert ("KeyboardInterrupt" in errors) == (by == signal.SIGINT)
    assert "job_run.py" not in errors
    text = shown(report.read_text("utf-8"))
    assert "It was interrupted" in text
    assert ("SIGTERM" in text) == (by == signal.SIGTERM)
    assert "HashAggregate" in text


def test_a_block_is_reported_without_what_was_before_it(
    session: nu.Session, tmp_path: Path
) -> None:
    def spoken(x: int) -> int:
        print("spoken", x)
        return 6 // (x - 1)

    session.register_function("spoken_of", spoken, on_error="null")
    session.sql("SELECT spoken_of(id + 100) AS before FROM range(2)").collect()
    path = tmp_path / "block.html"
    report = nu.report(path)
    assert repr(report) == f"<report {path}: not begun>"
    with report as same:
        assert same is report
        assert repr(report) == f"<report {path}: running>"
        session.sql("SELECT spoken_of(id) AS within FROM range(2)").collect()
    assert re.fullmatch(
        rf"<report {path}: It ended by itself, .*, 1 query, \d+ functions?, 1 failed call, "
        rf"2 log lines, .* KiB>",
        repr(report),
    )
    text = shown(path.read_text("utf-8"))
    assert "spoken 0" in text
    assert "spoken 101" not in text
    assert "return 6 // (x - 1)" in text


def test_a_block_that_fails_is_reported_and_its_error_is_its_own(
    session: nu.Session, tmp_path: Path
) -> None:
    path = tmp_path / "failed.html"
    with pytest.raises(KeyError, match="gone"), nu.report(path):
        raise KeyError("gone")
    assert "It failed: KeyError" in shown(path.read_text("utf-8"))


def test_what_cannot_be_written_is_known_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(nu.SessionError, match="there is no folder"):
        nu.report(tmp_path / "none" / "report.html")
    with pytest.raises(nu.SessionError, match="is a folder"):
        nu.report(tmp_path)
    done = []
    report = nu.report(tmp_path / f"{'x' * 300}.html")
    with pytest.raises(nu.SessionError, match="cannot be written"), report:
        done.append("work")
    assert not done
