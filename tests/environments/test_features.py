"""Every feature in every Spark: the page of environments says what was found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.environments.environments import ENVIRONMENTS, tried
from tests.environments.page import shown


@pytest.mark.thorough
@pytest.mark.timeout(900)
@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_what_the_page_says_is_so(environment: str, tmp_path: Path) -> None:
    found = tried(environment, tmp_path)
    assert not {name: said for name, said in found.items() if re.match("WRONG|RAW", said)}
    assert found == shown()[environment]
