"""Some generated functions row by row; ``python -m tests.fuzz rows`` tries millions of rows."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.fuzz.running import fuzz_arrow, fuzz_rows


@pytest.mark.timeout(240)
def test_workers_answer_as_plain_python_does(session: nu.Session) -> None:
    assert fuzz_rows(session, 15) > 20_000


@pytest.mark.timeout(120)
def test_kernels_answer_many_rows_as_python_does() -> None:
    assert fuzz_arrow(10) > 1_000
