"""Which bundles of a query have their first rows written down."""

from __future__ import annotations

from notebook_udf.worker.runtime.slow_bundles import Slowest

MS = 1_000_000


def test_the_slowest_of_a_query_has_its_rows_even_if_the_one_before_was_nearly_as_slow() -> None:
    slowest = Slowest()
    assert slowest.beaten("q", 260 * MS)
    assert slowest.beaten("q", 303 * MS)
    assert not slowest.beaten("q", 290 * MS)


def test_a_query_that_slows_down_bundle_by_bundle_notes_few_of_them() -> None:
    slowest = Slowest()
    noted = sum(slowest.beaten("q", 1_000 * MS + at * MS) for at in range(10_000))
    assert 1 < noted < 150


def test_fast_bundles_are_not_noted_and_each_query_begins_anew() -> None:
    slowest = Slowest()
    assert not slowest.beaten("q", MS // 2)
    assert slowest.beaten("q", 5 * MS)
    assert slowest.beaten("r", 2 * MS)
