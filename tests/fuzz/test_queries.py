"""Some generated queries; ``python -m tests.fuzz queries`` tries thousands."""

from __future__ import annotations

import pytest

import notebook_udf as nu
from tests.fuzz.running import fuzz_queries


@pytest.mark.timeout(240)
def test_they_are_answered_as_over_sparks_own_functions(session: nu.Session) -> None:
    assert fuzz_queries(session, 30) > 10
