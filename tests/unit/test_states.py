"""The state interfaces, held to plain Python values by properties."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebook_udf import ListState, MapState, ValueState
from notebook_udf.functions.states import (
    InMemoryListState,
    InMemoryMapState,
    InMemoryValueState,
)

quick = settings(max_examples=100, deadline=None, database=None)


def test_a_value_is_set_and_cleared() -> None:
    state: ValueState[int] = InMemoryValueState()
    assert state.value() is None
    state.update(3)
    assert state.value() == 3
    state.clear()
    assert state.value() is None


def test_a_map_without_the_key_says_so() -> None:
    state: MapState[str, int] = InMemoryMapState()
    with pytest.raises(KeyError):
        state.get("missing")
    state.remove("missing")
    assert state.is_empty()


@pytest.mark.parametrize("kind", [ValueState, ListState, MapState])
def test_the_interfaces_cannot_be_made(kind: type[Any]) -> None:
    with pytest.raises(TypeError, match="abstract"):
        kind()


@quick
@given(st.lists(st.tuples(st.sampled_from(["add", "add_all", "update", "clear"]), st.integers())))
def test_a_list_state_is_a_list(steps: list[tuple[str, int]]) -> None:
    state: ListState[int] = InMemoryListState()
    model: list[int] = []
    for step, value in steps:
        if step == "add":
            state.add(value)
            model.append(value)
        elif step == "add_all":
            state.add_all([value, value])
            model += [value, value]
        elif step == "update":
            state.update([value])
            model = [value]
        else:
            state.clear()
            model.clear()
        assert list(state) == list(state.get()) == model
    assert pickle.loads(pickle.dumps(state)) == state


@quick
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["put", "put_all", "set", "remove", "del", "clear"]), st.integers(0, 4)
        )
    )
)
def test_a_map_state_is_a_dict(steps: list[tuple[str, int]]) -> None:
    state: MapState[int, str] = InMemoryMapState()
    model: dict[int, str] = {}
    for place, (step, key) in enumerate(steps):
        value = str(place)
        if step == "put":
            state.put(key, value)
        elif step == "put_all":
            state.put_all({key: value})
        elif step == "set":
            state[key] = value
        elif step == "remove":
            state.remove(key)
        elif step == "del":
            del state[key]
        else:
            state.clear()
        if step == "clear":
            model.clear()
        elif step in ("remove", "del"):
            model.pop(key, None)
        else:
            model[key] = value
        assert dict(state.items()) == model
        assert list(state) == list(state.keys()) == list(model)
        assert list(state.values()) == list(model.values())
        assert state.is_empty() == (not model)
        assert (key in state) == state.contains(key) == (key in model)
        if key in model:
            assert state[key] == state.get(key) == model[key]


@quick
@given(st.lists(st.integers(0, 9), unique=True), st.sets(st.integers(0, 9)), st.integers(0, 2))
def test_an_iterator_removes_what_it_came_to_last(
    keys: list[int], leaving: set[int], which: int
) -> None:
    state: MapState[int, int] = InMemoryMapState()
    state.put_all({key: key for key in keys})
    iterator = [state.keys, state.values, state.items][which]()
    came = []
    for each in iterator:
        key = each[0] if isinstance(each, tuple) else each
        came.append(key)
        if key in leaving:
            iterator.remove()
    assert came == keys
    assert list(state) == [key for key in keys if key not in leaving]


def test_an_entry_is_removed_once_and_not_before_it_is_there() -> None:
    state: MapState[str, int] = InMemoryMapState()
    state.put_all({"a": 1, "b": 2})
    entries = state.items()
    with pytest.raises(ValueError, match="nothing to remove"):
        entries.remove()
    assert next(entries) == ("a", 1)
    entries.remove()
    with pytest.raises(ValueError, match="nothing to remove"):
        entries.remove()
    assert list(entries) == [("b", 2)]
    entries.remove()
    assert state.is_empty()
