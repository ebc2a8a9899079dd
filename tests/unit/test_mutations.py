"""What the mutation run takes out of the package is there; it itself takes too long for here."""

from __future__ import annotations

import pytest

from tests.faults.mutations import MUTATIONS, Mutation, problems


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda each: each.test)
def test_what_is_taken_out_is_there_once(mutation: Mutation) -> None:
    assert problems(mutation) == []
