"""The caches in front of state, and the views that are kept in entries, against plain values."""

from __future__ import annotations

import datetime as dt
import pickle
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_udf import ListView, MapView, Row
from notebook_udf.worker.state.cache import ABSENT, EntryCache, Place
from notebook_udf.worker.state.spilled_views import (
    Keeper,
    KeptListView,
    KeptMapView,
    steady_hash,
    views_of,
)

quick = settings(max_examples=100, deadline=None, database=None)


class Behind:
    """State that knows how often it was asked; pickled, as the real one is."""

    def __init__(self) -> None:
        self.stored: dict[Place, bytes] = {}
        self.reads = 0
        self.fails = 0

    def read(self, places: Sequence[Place]) -> list[Any]:
        self.reads += 1
        if self.fails:
            self.fails -= 1
            raise OSError("the state could not be read")
        found = [self.stored.get(place) for place in places]
        return [ABSENT if value is None else pickle.loads(value) for value in found]

    def write(self, entries: Iterable[tuple[Place, Any]]) -> None:
        for place, value in entries:
            if value is ABSENT:
                self.stored.pop(place, None)
            else:
                self.stored[place] = pickle.dumps(value)


def place(number: int) -> Place:
    return b"key", ("view", number)


def test_what_was_read_is_not_asked_for_again() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=2, writes=2)
    assert cache.get(place(1)) is ABSENT
    assert cache.get(place(1)) is ABSENT
    assert behind.reads == 1
    cache.load([place(2), place(3)])
    assert behind.reads == 2
    # The least recently used one has left.
    cache.get(place(1))
    assert behind.reads == 3


def test_a_read_that_failed_is_not_kept() -> None:
    behind = Behind()
    behind.stored[place(1)] = pickle.dumps("there")
    behind.fails = 1
    cache = EntryCache(behind, reads=2, writes=2)
    with pytest.raises(OSError, match="could not be read"):
        cache.get(place(1))
    assert cache.get(place(1)) == "there"


def test_writes_wait_until_they_are_flushed_or_too_many() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=1, writes=2)
    cache.put(place(1), "a")
    cache.put(place(2), "b")
    assert not behind.stored
    cache.put(place(3), "c")
    assert set(behind.stored) == {place(1)}
    cache.flush()
    assert len(behind.stored) == 3
    cache.put(place(1), ABSENT)
    cache.flush()
    assert set(behind.stored) == {place(2), place(3)}


def test_what_an_iterator_uses_stays() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=1, writes=1)
    behind.stored[place(1)] = pickle.dumps([1])
    with cache.using(place(1)) as value:
        cache.get(place(2))
        cache.get(place(3))
        reads = behind.reads
        assert cache.get(place(1)) is value
        assert behind.reads == reads


@quick
@given(
    st.integers(1, 3),
    st.integers(1, 3),
    st.lists(st.tuples(st.sampled_from(["get", "put", "remove", "flush"]), st.integers(0, 5))),
)
def test_a_cache_of_any_size_answers_as_the_state_would(
    reads: int, writes: int, steps: list[tuple[str, int]]
) -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=reads, writes=writes)
    model: dict[int, int] = {}
    for turn, (step, number) in enumerate(steps):
        if step == "put":
            cache.put(place(number), turn)
            model[number] = turn
        elif step == "remove":
            cache.put(place(number), ABSENT)
            model.pop(number, None)
        elif step == "flush":
            cache.flush()
        found = cache.get(place(number))
        assert found == model.get(number, ABSENT)
        assert len(cache) <= reads + writes
    cache.flush()
    assert {name[1]: pickle.loads(v) for (_, name), v in behind.stored.items()} == model


# --- large views -----------------------------------------------------------------------------

KEYS = st.integers(-40, 40) | st.text(max_size=2) | st.booleans() | st.none()


@quick
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(["put", "remove", "clear"]), KEYS), max_size=12),
        max_size=6,
    ),
    st.integers(1, 2),
)
def test_a_map_view_is_a_dict_however_it_is_kept(
    bundles: list[list[tuple[str, Any]]], size: int
) -> None:
    behind = Behind()
    pickled, views = None, {}
    model: dict[Any, int] = {}
    for number, bundle in enumerate(bundles):
        cache = EntryCache(behind, reads=size, writes=size)
        keeper = Keeper(cache, whole=3)
        accumulator: Any = Row(count=0, map=MapView())
        if pickled is not None:
            accumulator, views = keeper.load(b"key", pickled)
        view = accumulator["map"]
        for step, key in bundle:
            if step == "put":
                view[key] = number
                model[key] = number
            elif step == "remove":
                view.remove(key)
                model.pop(key, None)
            else:
                view.clear()
                model.clear()
            assert (key in view) == (key in model)
            assert view.is_empty() == (not model)
        assert dict(view.items()) == model
        before = views
        pickled, views = keeper.dump(b"key", accumulator)
        keeper.drop(b"key", {name: n for name, n in before.items() if name not in views})
        cache.flush()
    if pickled is not None:
        entries = {name: value for (_, name), value in behind.stored.items()}
        read = views_of(entries)(pickled)
        assert dict(read["map"].items()) == model
        assert len(behind.stored) == sum(views.values())


@quick
@given(st.lists(st.lists(st.integers(), max_size=700), max_size=4), st.booleans())
def test_a_list_view_is_a_list_however_it_is_kept(bundles: list[list[int]], clear: bool) -> None:
    behind = Behind()
    pickled = None
    model: list[int] = []
    for bundle in bundles:
        cache = EntryCache(behind, reads=1, writes=1)
        keeper = Keeper(cache, whole=3)
        view: Any = ListView()
        if pickled is not None:
            view, _ = keeper.load(b"key", pickled)
        if clear and len(model) > 600:
            view.clear()
            model.clear()
        view.add_all(bundle)
        model += bundle
        assert list(view) == model
        pickled, _ = keeper.dump(b"key", view)
        cache.flush()


@pytest.mark.parametrize("view", [MapView(dict.fromkeys(range(600), 0)), ListView(range(600))])
def test_a_view_that_has_shrunk_is_held_whole_again(view: Any) -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=1, writes=1)
    keeper = Keeper(cache)
    pickled, views = keeper.dump(b"key", view)
    cache.flush()
    assert len(behind.stored) == sum(views.values()) > 1
    again, before = keeper.load(b"key", pickled)
    again.clear()
    again.put(7, 1) if isinstance(again, KeptMapView) else again.add(7)
    pickled, after = keeper.dump(b"key", again)
    keeper.drop(b"key", before)
    cache.flush()
    assert (behind.stored, after) == ({}, {})
    assert list(keeper.load(b"key", pickled)[0]) == [7]


def test_entries_of_a_large_view_are_removed_on_the_way() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=1, writes=1)
    keeper = Keeper(cache)
    pickled, _ = keeper.dump(b"key", MapView(dict.fromkeys(range(1000), 0)))
    view, _ = keeper.load(b"key", pickled)
    entries = view.items()
    for key, _ in entries:
        if key % 3:
            entries.remove()
    assert sorted(view) == list(range(0, 1000, 3))
    assert view.size == 334
    keys = view.keys()
    next(keys)
    view.lay_out(dict.fromkeys(range(5000), 0))
    with pytest.raises(RuntimeError, match="changed while"):
        list(keys)


def test_values_changed_in_place_are_kept() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=1, writes=1)
    keeper = Keeper(cache, whole=1)
    pickled, _ = keeper.dump(b"key", MapView({number: [] for number in range(600)}))
    view, _ = keeper.load(b"key", pickled)
    assert isinstance(view, KeptMapView)
    view.get(7).append("seen")
    for value in view.values():
        value.append("all")
    pickled, _ = keeper.dump(b"key", view)
    cache.flush()
    again, _ = Keeper(EntryCache(behind, reads=9, writes=9)).load(b"key", pickled)
    assert again.get(7) == ["seen", "all"]
    assert again.get(8) == ["all"]


def test_a_small_view_stays_in_its_accumulator() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=9, writes=9)
    pickled, views = Keeper(cache).dump(b"key", [MapView({1: 2}), ListView([3])])
    cache.flush()
    assert (views, behind.stored) == ({}, {})
    assert Keeper(cache).load(b"key", pickled) == ([MapView({1: 2}), ListView([3])], {})


def test_only_the_entries_that_changed_are_written() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=9, writes=99)
    pickled, _ = Keeper(cache).dump(b"key", MapView(dict.fromkeys(range(5000), 0)))
    cache.flush()
    before = dict(behind.stored)
    view, _ = Keeper(EntryCache(behind, reads=9, writes=9)).load(b"key", pickled)
    view[17] = 1
    view._cache.flush()
    assert len(before) > 10
    assert sum(before[name] != value for name, value in behind.stored.items()) == 1


def test_appending_to_a_long_list_reads_its_end_only() -> None:
    behind = Behind()
    cache = EntryCache(behind, reads=9, writes=99)
    pickled, _ = Keeper(cache).dump(b"key", ListView(range(5001)))
    cache.flush()
    behind.reads = 0
    view, _ = Keeper(EntryCache(behind, reads=9, writes=9)).load(b"key", pickled)
    assert isinstance(view, KeptListView)
    view.add(1)
    assert behind.reads == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, True),
        (1, 1.0),
        (Decimal(2), 2),
        ((1, "a"), (1.0, "a")),
        (
            dt.datetime(2024, 1, 1, 12, tzinfo=dt.UTC),
            dt.datetime(2024, 1, 1, 13, tzinfo=dt.timezone(dt.timedelta(hours=1))),
        ),
    ],
)
def test_equal_keys_have_equal_hashes(one: Any, other: Any) -> None:
    assert one == other
    assert steady_hash(one) == steady_hash(other)
