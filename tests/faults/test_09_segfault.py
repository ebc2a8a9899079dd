"""Native code crashes: the error has the Python stack."""

from __future__ import annotations

import ctypes
import signal

import pytest

import notebook_udf as nu
from tests.queries import run

pytestmark = pytest.mark.usefixtures("next_query_succeeds")


def test_segfault_shows_the_python_stack(session: nu.Session) -> None:
    def crashes_natively(i: int) -> int:
        ctypes.string_at(0)
        return i

    with pytest.raises(nu.WorkerLost) as caught:
        run(session, crashes_natively)
    assert caught.value.signal == signal.SIGSEGV
    assert "Segmentation fault" in str(caught.value)
    assert "crashes_natively" in str(caught.value)
