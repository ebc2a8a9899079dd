"""A function passes its memory limit: the error has the limit and the peak."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_out_of_memory_names_limit_and_peak(session: nu.Session) -> None:
    def hoards(i: int) -> int:
        return len([bytearray(10 << 20) for _ in range(100)])

    with pytest.raises(nu.WorkerOutOfMemory) as caught:
        run(session, udf(hoards, memory="64m"))
    error = caught.value
    assert error.limit == 64 << 20
    assert error.peak > 64 << 20
    assert error.function == "f"
    assert "64 MB" in str(error)


def test_memory_of_one_function_is_not_the_limit_of_the_next(session: nu.Session) -> None:
    small = udf(lambda i: i, result_type="bigint", memory="64m")
    assert len(run(session, small)) == 10
    large = udf(lambda i: len(bytearray(200 << 20)), result_type="bigint")
    assert {r[0] for r in run(session, large, "SELECT f(id) FROM range(0, 2, 1, 2)")} == {200 << 20}
