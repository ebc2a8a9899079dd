"""The protections that are taken out are where the mutations say."""

from __future__ import annotations

import pytest

from tests.faults.mutations import MUTATIONS, WITHOUT, Mutation, problems
from tests.faults.rows import ROWS


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: str(mutation.row))
def test_it_can_be_made(mutation: Mutation) -> None:
    assert problems(mutation) == []


def test_every_row_has_one_or_a_reason() -> None:
    assert sorted([*(mutation.row for mutation in MUTATIONS), *WITHOUT]) == list(ROWS)
