"""Declared states, and which values they show."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import StateDeclarations
from notebook_udf.functions.process_states import NO_KEY, KeyedStates, checked_states

COUNT = StateDeclarations.value_state("count", int)
ITEMS = StateDeclarations.list_state("items", "string")
SEEN = StateDeclarations.map_state("seen", nu.DataTypes.MAP(nu.DataTypes.INT(), nu.DataTypes.INT()))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=40))
def test_each_key_has_values_of_its_own(events: list[tuple[str, int]]) -> None:
    states = KeyedStates("f", [COUNT, ITEMS, SEEN], keyed=True, keeps=True)
    # Found once: the objects show whatever key is current.
    states.switch("none")
    count, items, seen = map(states.find, (COUNT, ITEMS, SEEN))
    model: dict[str, list[int]] = {}
    for key, value in events:
        states.switch(key)
        count.update((count.value() or 0) + 1)
        items.add(str(value))
        seen[value] = key
        model.setdefault(key, []).append(value)
    for key in model:
        states.switch(key)
        assert count.value() == len(model[key])
        assert list(items) == list(map(str, model[key]))
        assert dict(seen.items()) == dict.fromkeys(model[key], key)
    states.switch(NO_KEY)
    assert set(states.keys) == {"none", *model}


def test_without_an_end_to_come_no_key_is_kept() -> None:
    states = KeyedStates("f", [COUNT], keyed=True, keeps=False)
    states.switch(1)
    states.find(COUNT).update(5)
    states.switch(2)
    assert states.find(COUNT).value() is None
    assert states.keys == []


def test_a_state_is_asked_for_as_it_was_declared() -> None:
    states = KeyedStates("f", [COUNT], keyed=True, keeps=True)
    with pytest.raises(nu.DeclarationError, match="belongs to a key, and there is none"):
        states.find(COUNT)
    with pytest.raises(nu.DeclarationError, match="give key_by"):
        states.current_key()
    states.switch(None)
    assert states.current_key() is None
    assert states.find(StateDeclarations.value_state("count", int)) is states.find(COUNT)
    for other in (ITEMS, StateDeclarations.value_state("count", str)):
        with pytest.raises(nu.DeclarationError, match="is not declared"):
            states.find(other)
    wrong: Any = "count"
    with pytest.raises(nu.DeclarationError, match="takes a state's declaration"):
        states.find(wrong)


def test_declarations_are_checked() -> None:
    assert checked_states({SEEN, COUNT}, "f") == (COUNT, SEEN)
    assert checked_states(None, "f") == ()
    with pytest.raises(nu.DeclarationError, match="twice"):
        checked_states([COUNT, StateDeclarations.list_state("count", int)], "f")
    with pytest.raises(nu.DeclarationError, match=r"f\.uses_states returned 5"):
        checked_states([5], "f")
    with pytest.raises(nu.DeclarationError, match="is a mapping"):
        StateDeclarations.map_state("m", "int")
    with pytest.raises(nu.TypeDeclarationError):
        StateDeclarations.value_state("v", "nothing known")
