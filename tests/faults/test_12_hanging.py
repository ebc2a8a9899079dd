"""A call that does not end: it is ended with its stack."""

from __future__ import annotations

import itertools
import time

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_hanging_function_is_ended_with_its_stack(session: nu.Session) -> None:
    def waits_for_ever(i: int) -> int:
        if i == 3:
            time.sleep(1000)
        return i

    started = time.monotonic()
    with pytest.raises(nu.FunctionTimeout) as caught:
        run(session, udf(waits_for_ever, timeout="1s"))
    assert time.monotonic() - started < 20
    error = caught.value
    assert error.timeout == 1.0
    assert "waits_for_ever" in error.stack
    assert "i = 3" in str(error)
    assert any("waits_for_ever" in line.text for line in session.logs(function="f"))


def test_native_code_that_holds_the_interpreter_is_ended(session: nu.Session) -> None:
    def counts(i: int) -> int:
        # One instruction of the interpreter: no other thread and no handler can run.
        return sum(itertools.repeat(1, 10**13))

    with pytest.raises(nu.FunctionTimeout) as caught:
        run(session, udf(counts, timeout="1s"))
    assert "in counts" in str(caught.value)


def test_slow_rows_within_their_time_are_left_alone(session: nu.Session) -> None:
    def slow(i: int) -> int:
        time.sleep(0.12)
        return i

    assert len(run(session, udf(slow, timeout="1s"), "SELECT f(id) FROM range(20)")) == 20
