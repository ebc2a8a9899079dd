"""A short run of each fuzzer; ``python -m tests.fuzz`` has ten minutes for each."""

from __future__ import annotations

import pytest

from tests.fuzz.running import fuzz
from tests.fuzz.targets import TARGETS


@pytest.mark.timeout(120)
@pytest.mark.parametrize("name", TARGETS)
def test_nothing_is_read_but_what_was_meant(name: str) -> None:
    assert fuzz(name, 15) > 100
