"""Nothing comes along under a licence that nobody has looked at, or in a version by chance."""

from __future__ import annotations

from tests.supply_chain import LOCK, packages, tools, unclear


def test_every_licence_is_known() -> None:
    assert len(packages()) > 50
    assert unclear() == {}


def test_the_version_of_everything_is_written_down() -> None:
    held = {line.partition("==")[0] for line in LOCK.read_text("utf-8").splitlines()}
    assert packages(*tools()).keys() - held == set()
