"""What a check of a job's functions says, when it fails, and what is refused before a job runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import notebook_udf as nu
from notebook_udf.cli import main
from notebook_udf.reports.checks import METRICS, FunctionFigures, check_of, figures_of
from notebook_udf.reports.job_run import job_options
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.telemetry.timeseries.latencies import Percentiles

READ = {
    "p99>2s": ("p99", ">", 2.0),
    "p50 >= 250ms": ("p50", ">=", 0.25),
    "p95<1.5us": ("p95", "<", 1.5e-6),
    "seconds>90": ("seconds", ">", 90.0),
    "seconds>1.5min": ("seconds", ">", 90.0),
    "user code > 1h": ("user code", ">", 3600.0),
    "User  Code>1": ("user code", ">", 1.0),
    "rows/s<=1_000": ("rows/s", "<=", 1000.0),
    "rows==0": ("rows", "==", 0.0),
    "errors!=0": ("errors", "!=", 0.0),
    " failed>3 ": ("failed", ">", 3.0),
}
REFUSED = {
    "p98>2s": r"'p98'.*did you mean p95.*p50, p95, p99",
    "speed<3": "'speed' that there is not.*rows, bundles",
    "p99": "not METRIC OP VALUE",
    "p99>": "not METRIC OP VALUE",
    ">2s": "not METRIC OP VALUE",
    "p99=2s": "OP is one of > >= < <= == !=",
    "p99=>2s": "OP is one of",
    "p99>-2s": "not METRIC OP VALUE",
    "p99>nan": "not METRIC OP VALUE",
    "p99>2s and errors>0": "not METRIC OP VALUE",
    "": "not METRIC OP VALUE",
    "p99>2parsecs": "unit 'parsecs'.*ns, us, µs, ms, s, min, h",
    "rows>2s": "rows is a number: leave the unit out",
}


@pytest.mark.parametrize(("text", "meant"), READ.items())
def test_a_check_is_read(text: str, meant: tuple[str, str, float]) -> None:
    check = check_of(text)
    assert (check.metric, check.op) == meant[:2]
    assert check.value == pytest.approx(meant[2])
    assert check.text == text.strip()


@pytest.mark.parametrize(("text", "said"), REFUSED.items())
def test_what_is_no_check_is_refused_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(nu.DeclarationError, match=said):
        check_of(text)


def total(query: str, function: str, rows: int, errors: int, seconds: float) -> FunctionTotals:
    return FunctionTotals(
        query, function, 1, tasks=1, bundles=2, rows_in=rows, rows_out=rows, bytes_in=0,
        bytes_out=0, wait_ns=10**9, decode_ns=0, user_ns=2 * 10**9, encode_ns=0, write_ns=0,
        errors=errors, first=100.0, last=100.0 + seconds,
    )  # fmt: skip


@pytest.fixture
def figures() -> list[FunctionFigures]:
    totals = [total("3", "f", 10, 0, 2.0), total("4", "f", 20, 1, 3.0), total("4", "g", 5, 0, 0.0)]
    ranks = [
        Percentiles("3", "f", 1, 2, 10**9, 2 * 10**9, 3 * 10**9, 4 * 10**9, True),
        Percentiles("4", "f", 1, 2, 10**8, 10**8, 10**8, 10**8, True),
    ]
    return figures_of(["unused", "f"], totals, ranks, ["f", "f"])


FAILS = {
    "p99>2s": ["f failed the check p99>2s: p99 was 3.00 s in query 3"],
    "p99>3s": [],
    "p50<200ms": ["f failed the check p50<200ms: p50 was 100.0 ms in query 4"],
    "rows>29": ["f failed the check rows>29: rows was 30"],
    "rows<6": [
        "unused failed the check rows<6: rows was 0",
        "g failed the check rows<6: rows was 5",
    ],
    "errors>0": ["f failed the check errors>0: errors was 1"],
    "failed==2": ["f failed the check failed==2: failed was 2"],
    "seconds>4.9s": ["f failed the check seconds>4.9s: seconds was 5.00 s"],
    "rows/s<10": ["f failed the check rows/s<10: rows/s was 6"],
    "max>=4": ["f failed the check max>=4: max was 4.00 s in query 3"],
}


@pytest.mark.parametrize(("text", "said"), FAILS.items())
def test_it_fails_with_the_function_and_the_value(
    figures: list[FunctionFigures], text: str, said: list[str]
) -> None:
    assert [str(each) for each in check_of(text).broken_by(figures)] == said


def test_every_metric_can_be_checked(figures: list[FunctionFigures]) -> None:
    for name in METRICS:
        assert check_of(f"{name}>=0").broken_by(figures), name


def test_the_help_names_every_metric(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "--help"])
    _, _, told = " ".join(capsys.readouterr().out.split()).partition("Metrics: ")
    assert told.split(", ") == list(METRICS)


def test_options_may_stand_among_the_jobs_arguments(tmp_path: Path) -> None:
    job = tmp_path / "job.py"
    job.touch()
    given = ["--day", "1", "--report", "a.html", "-v", "--fail-on=p99>1s", "--", "--report", "--"]
    options = job_options(str(job), given, None, ["errors>0"])
    assert options.arguments == ["--day", "1", "-v", "--report", "--"]
    assert options.report == Path("a.html")
    assert [check.text for check in options.checks] == ["errors>0", "p99>1s"]
    assert job_options(str(job), [], None, []).report == Path("job-report.html")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["JOB", "--fail-on", "p98>2s"], "p50, p95, p99"),
        (["--fail-on", "p98>2s", "JOB"], "p50, p95, p99"),
        (["JOB", "--report"], "--report needs a value"),
        (["JOB", "--report", "no-such-folder/report.html"], "there is no folder"),
        (["JOB", "--report", "."], "is a folder"),
        (["no-such-job.py"], "no job no-such-job.py"),
    ],
)
def test_a_job_that_cannot_be_reported_or_checked_does_not_run(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    given: list[str],
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "job.py").write_text("open('ran', 'w').close()")
    assert main(["run", *("job.py" if each == "JOB" else each for each in given)]) == 2
    assert said in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["job.py"]
