"""A worker ends as it starts: the error has its code and its last words."""

from __future__ import annotations

import os
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udf
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


class ExitsWhenUnpickled:
    def __reduce__(self) -> Any:
        return _exit_at_start, ()

    def __call__(self, i: Any) -> Any:
        raise AssertionError


def _exit_at_start() -> None:
    os.write(2, b"the license server is not reachable\n")
    os._exit(3)


def test_worker_exits_at_start(session: nu.Session) -> None:
    with pytest.raises(nu.WorkerLost) as caught:
        run(session, udf(ExitsWhenUnpickled(), result_type="bigint"))
    assert caught.value.exit_code == 3
    assert "exited with code 3" in str(caught.value)
    assert "the license server is not reachable" in str(caught.value)
