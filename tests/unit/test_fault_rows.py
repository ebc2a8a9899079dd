"""Every fault of the table has its test, or says what it waits for."""

from __future__ import annotations

import pytest

from tests.faults.rows import ROWS, TESTS, WITHOUT, proofs


@pytest.mark.parametrize("row", ROWS)
def test_a_row_has_its_test(row: int) -> None:
    found = proofs(row)
    assert bool(found) != (row in WITHOUT)
    for each in found:
        path, _, name = each.partition("::")
        text = (TESTS / path).read_text("utf-8")
        assert f"def {name or 'test_'}" in text
