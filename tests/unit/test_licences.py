"""Nothing comes along under a licence that nobody has looked at."""

from __future__ import annotations

from tests.supply_chain import packages, unclear


def test_every_licence_is_known() -> None:
    assert len(packages()) > 50
    assert unclear() == {}
