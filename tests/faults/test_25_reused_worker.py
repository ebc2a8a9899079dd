"""A worker goes from one query to the next, and what it tells is the new query's."""

from __future__ import annotations

import logging
import os

import pytest

import notebook_udf as nu
from notebook_udf import ScalarFunction
from tests.queries import run
from tests.waiting import awaited

pytestmark = [pytest.mark.usefixtures("next_query_succeeds"), pytest.mark.timeout(60)]
ONE_ROW = "SELECT f(id) FROM range(0, 1, 1, 1)"


class Tells(ScalarFunction):
    def open(self, context: nu.FunctionContext) -> None:
        self.who = context.get_job_parameter("who", "nobody")
        self.calls = context.get_metric_group().counter("calls_of_tells")

    def eval(self, i: int) -> str:
        self.calls.inc()
        logging.getLogger("mine").debug("a whisper of %s", self.who)
        print("said by", self.who)
        return f"{os.getpid()} {self.who}"


def calls(session: nu.Session) -> list[int]:
    """What each query has counted."""
    every = session.metrics().user_metrics
    return [metric.value for metric in every if metric.name == "calls_of_tells"]


def asked(session: nu.Session, who: str, level: str) -> str:
    """The worker that a query ran in, whose parameter and log level are these."""
    session.set_job_parameter("who", who)
    session.pool.set_log_level(level)
    before = len(calls(session))

    def arrived() -> bool:
        told = any(line.text == f"said by {who}" for line in session.logs())
        return told and len(calls(session)) > before

    with awaited(session, arrived):
        ((told,),) = run(session, Tells(), ONE_ROW)
    pid, _, seen = told.partition(" ")
    assert seen == who
    texts = [line.text for line in session.logs() if line.text.endswith(who)]
    whispers = [f"a whisper of {who}"] if level == "DEBUG" else []
    assert texts == [*whispers, f"said by {who}"]
    return str(pid)


def test_what_is_seen_is_the_new_querys(session: nu.Session) -> None:
    try:
        pids = [asked(session, f"query {n}", ("INFO", "DEBUG")[n % 2]) for n in range(6)]
    finally:
        session.pool.set_log_level("INFO")
    assert len(set(pids)) < 6
    assert calls(session)[-6:] == [1] * 6
