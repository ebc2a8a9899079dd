"""How far a cell's jobs are, out of what Spark's status store says; warnings and forms of a run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from notebook_udf.plan.progress import CELL_TAG, MAX_STAGES, OWN_TAG, Jobs
from notebook_udf.sanitize import without_escapes
from notebook_udf.telemetry.store.function_sums import FunctionTotals
from notebook_udf.widgets.live import RunState, Split, Trouble, warnings
from notebook_udf.widgets.live_forms import live_text, summary_html, summary_text

BEGAN = 1_800_000_000.0
TAG = f"{CELL_TAG}a"


def at(seconds: float) -> str:
    time = datetime.fromtimestamp(BEGAN + seconds, UTC)
    return f"{time:%Y-%m-%dT%H:%M:%S}.{time.microsecond // 1000:03d}GMT"


def job(number: int, *stages: int, status: str = "RUNNING", **more: Any) -> dict[str, Any]:
    return {
        "jobId": number, "stageIds": list(stages), "status": status, "jobTags": [TAG],
        "submissionTime": at(1), **more,
    }  # fmt: skip


def stage(number: int, status: str, tasks: int = 4, done: int = 0, **more: Any) -> dict[str, Any]:
    return {
        "stageId": number, "status": status, "numTasks": tasks, "numCompletedIndices": done,
        "numActiveTasks": 0, "numFailedTasks": 0, "diskBytesSpilled": 0,
        "name": "collect at <cell>:1", **more,
    }  # fmt: skip


def test_stages_from_their_beginning_to_their_end() -> None:
    jobs = Jobs(TAG, BEGAN)
    assert jobs.progress(BEGAN).jobs == 0
    jobs.take_jobs([job(7, 10, 11)])
    assert jobs.unfinished_span == 2
    running = stage(10, "ACTIVE", 8, 4, numActiveTasks=2, firstTaskLaunchedTime=at(1))
    jobs.take_stages([stage(11, "PENDING"), running], BEGAN + 3)
    seen = jobs.progress(BEGAN + 3)
    assert (seen.jobs, seen.active, seen.tasks, seen.done) == (1, True, 12, 4)
    assert seen.seconds == pytest.approx(2)
    first, second = seen.stages
    assert (first.name, first.state, first.running, first.seconds) == ("collect", "running", 2, 2)
    assert first.rest == pytest.approx(2)
    assert second.state == "waiting"
    jobs.take_jobs([job(7, 10, 11, status="SUCCEEDED")])
    ended = {"submissionTime": at(1), "completionTime": at(4)}
    jobs.take_stages([stage(11, "SKIPPED"), stage(10, "COMPLETE", 8, 8, **ended)], BEGAN + 9)
    over = jobs.progress(BEGAN + 9)
    assert not over.active
    assert [(s.number, s.state, s.seconds, s.rest) for s in over.stages] == [(10, "done", 3, None)]
    assert jobs.unfinished_span == 0


def test_the_rest_is_told_only_of_stages_that_are_well_under_way() -> None:
    jobs = Jobs(TAG, BEGAN)
    jobs.take_jobs([job(1, 1)])
    for done, running, told in ((3, 1, False), (4, 3, False), (6, 3, True), (8, 0, False)):
        data = stage(1, "ACTIVE", 8, done, numActiveTasks=running, submissionTime=at(0))
        jobs.take_stages([data], BEGAN + 5)
        assert (jobs.progress(BEGAN + 5).stages[0].rest is not None) == told


def test_jobs_of_others_are_left_out() -> None:
    jobs = Jobs(TAG, BEGAN)
    stream = {"jobGroup": "a-b", "description": "copy<br/>id = x<br/>runId = a-b<br/>batch = 3"}
    jobs.take_jobs([job(3, 3, **stream), job(2, 2, jobTags=[f"{CELL_TAG}b"]), job(1, 1)])
    assert jobs.progress(BEGAN).jobs == 1
    assert jobs.foreign == {2, 3}


def test_a_cell_that_started_the_session_has_no_tag() -> None:
    jobs = Jobs("", BEGAN)
    jobs.take_jobs(
        [
            job(4, 4, jobTags=["mine"]),
            job(3, 3, jobTags=[OWN_TAG]),
            job(2, 2, jobTags=[TAG]),
            job(1, 1, jobTags=[], submissionTime=at(-5)),
        ]
    )
    assert jobs.progress(BEGAN).jobs == 1
    assert jobs.foreign == {1, 2, 3}
    assert not jobs.wants_job(job(0, 0, submissionTime=at(-9)))


def test_many_jobs_keep_few_stages_and_their_sums() -> None:
    jobs = Jobs(TAG, BEGAN)
    for number in range(100):
        jobs.take_jobs([job(number, number, status="SUCCEEDED")])
        jobs.take_stages([stage(number, "COMPLETE", 2, 2, diskBytesSpilled=1)], BEGAN)
    seen = jobs.progress(BEGAN)
    assert len(seen.stages) == MAX_STAGES
    assert len(seen.stages) + seen.earlier == 100
    assert (seen.jobs, seen.tasks, seen.done, seen.spilled) == (100, 200, 200, 100)


def test_stages_the_store_has_let_go_of_do_not_stay_open() -> None:
    jobs = Jobs(TAG, BEGAN)
    jobs.take_jobs([job(2, 9), job(1, 3)])
    jobs.take_stages([stage(9, "ACTIVE"), stage(8, "COMPLETE")], BEGAN)
    assert [s.number for s in jobs.progress(BEGAN).stages] == [9]


def test_nothing_goes_on_in_what_is_over() -> None:
    jobs = Jobs(TAG, BEGAN)
    jobs.take_jobs([job(1, 3, 4, 5)])
    jobs.take_stages([stage(5, "ACTIVE"), stage(4, "PENDING"), stage(3, "FAILED")], BEGAN)
    over = jobs.progress(BEGAN).ended()
    assert [s.state for s in over.stages] == ["failed", "ended", "ended"]
    assert not over.active


def test_skew_is_measured_once_and_kept() -> None:
    jobs = Jobs(TAG, BEGAN)
    jobs.take_jobs([job(1, 5)])
    times = {"submissionTime": at(0), "completionTime": at(20)}
    jobs.take_stages([stage(5, "COMPLETE", 8, 8, **times)], BEGAN)
    assert jobs.unmeasured() == [5]
    assert jobs.unmeasured() == []
    jobs.measured(5, 2.0, 18.0)
    jobs.take_stages([stage(5, "COMPLETE", 8, 8, **times)], BEGAN)
    assert jobs.progress(BEGAN).stages[0].skew == 9.0
    state = RunState(progress=jobs.progress(BEGAN))
    assert "stage 5 is skewed: its slowest task took 9 times" in warnings(state, Trouble())[0]


TOTALS = FunctionTotals(
    query="5", function="<b>f", version=1, tasks=1, bundles=300, rows_in=600, rows_out=600,
    bytes_in=1, bytes_out=1, wait_ns=0, decode_ns=0, user_ns=1, encode_ns=0, write_ns=0, errors=2,
    first=0.0, last=2.0,
)  # fmt: skip


def test_warnings() -> None:
    state = RunState(totals=(TOTALS,), rows=600, bundles=300)
    trouble = Trouble({"<b>f": "quarantine"}, lost_workers=1, dropped_lines=1_000)
    assert warnings(state, trouble) == (
        "2 rows failed in <b>f and went into quarantine: %udf errors <b>f",
        "1 worker died and had to be replaced",
        "bundles hold 2 rows on average: fewer partitions or a larger bundle_size would cost less",
        "1,000 log lines not shown: too many at once",
    )
    assert warnings(RunState(), Trouble()) == ()


def test_forms_of_a_run_with_stages() -> None:
    jobs = Jobs(TAG, BEGAN)
    jobs.take_jobs([job(1, 5)])
    jobs.take_stages([stage(5, "ACTIVE", 8, 3)], BEGAN)
    state = RunState(
        seconds=2.0,
        totals=(TOTALS,),
        progress=jobs.progress(BEGAN),
        split=Split(waiting=1.0, transfer=1.0, user=2.0),
        warnings=("<i>careful",),
        log=("x",) * 9,
    )
    assert live_text(state).startswith("running · 2.00 s · 3 of 8 tasks in 1 stage · ")
    assert "! <i>careful\nworkers' time: user code 2.00 s, transfer 1.00 s" in summary_text(state)
    html = summary_html(state)
    assert "width:50.00%" in html
    assert "&lt;i&gt;careful" in html
    assert "<i>" not in html
    assert "3 of 8" in html
    data = state.to_dict()
    assert data["functions"] == ["<b>f v1"]
    assert data["progress"]["stages"][0]["done"] == 3


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x\x07link\x1b]8;;\x07", "link"),
        ("\x1b[2Kno \x1b", "no \x1b"),
        ("as it is", "as it is"),
    ],
)
def test_colours_of_a_terminal_are_taken_out(text: str, plain: str) -> None:
    assert without_escapes(text) == plain
