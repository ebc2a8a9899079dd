"""Some generated aggregates; ``python -m tests.fuzz aggregates`` tries thousands."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.fuzz.running import fuzz_aggregates


@pytest.mark.timeout(240)
def test_compiled_they_give_what_workers_give(session: nu.Session) -> None:
    assert fuzz_aggregates(session, 20) > 20
