"""Every fault of the table has its test."""

from __future__ import annotations

import pytest

from tests.faults.rows import ROWS, TESTS, proofs


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_its_test(row: int) -> None:
    found = proofs(row)
    assert found
    for each in found:
        path, _, name = each.partition("::")
        text = (TESTS / path).read_text("utf-8")
        assert f"def {name or 'test_'}" in text
