"""``Row``, ``ListView`` and ``MapView``: what accumulators are made of."""

from __future__ import annotations

import copy
import inspect
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import Row as SparkRow

import notebook_udf as nu
from notebook_udf import ListView, MapView, Row

quick = settings(max_examples=100, deadline=None, database=None)

# Values that are equal only to themselves: 1 == True would hide a confusion of keys.
VALUES = st.none() | st.integers(-3, 3).map(str) | st.binary(max_size=2)

# --- Row -------------------------------------------------------------------------------------


def test_a_row_is_read_and_set_by_name_attribute_and_position() -> None:
    row = Row(count=0, map=MapView())
    assert row["count"] == row.count == row[0] == 0
    assert isinstance(row["map"], MapView)
    row["count"] += 1
    row.count += 1
    row[0] += 1
    assert row["count"] == row[-2] == 3
    assert row.names == ("count", "map")
    assert list(row.as_dict()) == ["count", "map"]
    assert len(row) == 2
    assert list(row) == [3, MapView()]
    assert 3 in row
    assert 0 not in row


def test_a_row_by_position_has_no_names() -> None:
    row = Row(1, "a")
    assert (row.names, list(row), row[1]) == ((), [1, "a"], "a")
    with pytest.raises(ValueError, match="have no names"):
        row.as_dict()
    with pytest.raises(KeyError, match="none have names"):
        row["a"]


def test_names_that_the_class_or_python_uses_are_fields_all_the_same() -> None:
    row = Row(**{"self": 1, "names": 2, "of": 3, "as_dict": 4, "class": 5, "größe": 6})
    assert [row[name] for name in row.names] == [1, 2, 3, 4, 5, 6]
    row["names"] = 7
    assert row[1] == 7
    assert row.names[1] == "names"


@pytest.mark.parametrize(
    ("misuse", "expected", "text"),
    [
        (lambda row: row["missing"], KeyError, "no field 'missing'; there are a, b"),
        (lambda row: row.missing, AttributeError, "no field 'missing'; there are a, b"),
        (lambda row: row.__setitem__("missing", 1), KeyError, "no field 'missing'"),
        (lambda row: setattr(row, "missing", 1), AttributeError, "no field 'missing'"),
        (lambda row: row[2], IndexError, "out of range"),
        (lambda row: Row(1, a=2), ValueError, "by position or by name, not both"),
        (lambda row: hash(Row([])), TypeError, "unhashable"),
    ],
)
def test_what_is_not_there_is_named(
    misuse: Callable[[Row], Any], expected: type[Exception], text: str
) -> None:
    with pytest.raises(expected, match=text):
        misuse(Row(a=1, b=2))


def test_equality_of_rows_minds_names_and_kind() -> None:
    assert Row(a=1, b=2) == Row(a=1, b=2)
    assert Row(a=1, b=2) != Row(b=2, a=1)
    assert Row(a=1) != Row(1)
    assert Row(1) != (1,)
    assert Row(a=1) != SparkRow(a=1)
    assert hash(Row(a=1, b=(2,))) == hash(Row(a=1, b=(2,)))
    assert {Row(a=1): "x"}[Row(a=1)] == "x"


def test_a_copy_of_a_row_shares_values_but_not_fields() -> None:
    row = Row(count=0, seen=[1])
    shallow, deep = copy.copy(row), copy.deepcopy(row)
    shallow["count"] = 5
    shallow["seen"].append(2)
    assert row == Row(count=0, seen=[1, 2])
    assert deep == Row(count=0, seen=[1])


def test_repr_of_rows_and_views_can_be_read() -> None:
    assert repr(Row(count=0, map=MapView({"a": [1]}))) == "Row(count=0, map=MapView({'a': [1]}))"
    assert repr(Row(1, None)) == "Row(1, None)"
    assert repr(ListView([1, 2])) == "ListView([1, 2])"


@quick
@given(st.lists(VALUES, min_size=1, max_size=6), st.data())
def test_a_row_is_a_list_with_names(values: list[Any], data: st.DataObject) -> None:
    names = [f"f{place}" for place in range(len(values))]
    row, model = Row(**dict(zip(names, values, strict=True))), list(values)
    for _ in range(5):
        place, value = data.draw(st.integers(0, len(values) - 1)), data.draw(VALUES)
        keys: list[int | str] = [place, place - len(values), names[place]]
        key = data.draw(st.sampled_from(keys))
        row[key] = value
        model[place] = value
    assert list(row) == model
    assert row.as_dict() == dict(zip(names, model, strict=True))
    again = pickle.loads(pickle.dumps(row))
    assert again == row
    assert type(again) is Row
    assert again.names == row.names


# --- ListView and MapView --------------------------------------------------------------------

LIST_VIEW = ("get", "add", "add_all", "clear", "__eq__", "__hash__", "__iter__")
MAP_VIEW = (
    "get", "put", "put_all", "remove", "contains", "items", "keys", "values", "is_empty", "clear",
    "__eq__", "__hash__", "__getitem__", "__setitem__", "__delitem__", "__contains__", "__iter__",
)  # fmt: skip


def test_the_interface_is_that_of_the_design() -> None:
    own = {n for n in vars(ListView) if not n.startswith("_")}
    assert own == {n for n in LIST_VIEW if not n.startswith("_")}
    assert set(LIST_VIEW) <= set(vars(ListView))
    # Removing one element of a list that is kept outside would mean reading all of it.
    assert not hasattr(ListView, "remove")
    own = {n for n in vars(MapView) if not n.startswith("_")}
    assert own == {n for n in MAP_VIEW if not n.startswith("_")}
    assert set(MAP_VIEW) <= set(vars(MapView))


def test_the_parameters_are_named_as_in_the_design() -> None:
    def parameters(function: Callable[..., Any]) -> list[str]:
        return list(inspect.signature(function).parameters)

    assert parameters(ListView.add) == ["self", "value"]
    assert parameters(ListView.add_all) == ["self", "values"]
    assert parameters(MapView.get) == ["self", "key"]
    assert parameters(MapView.put) == ["self", "key", "value"]
    assert parameters(MapView.put_all) == ["self", "dict_value"]
    assert parameters(MapView.remove) == parameters(MapView.contains) == ["self", "key"]


def test_list_view() -> None:
    view: ListView[int] = ListView()
    view.add(1)
    view.add_all([2, 2])
    assert list(view.get()) == list(view) == [1, 2, 2]
    # Twice, because get() gives an iterable again each time.
    assert list(view.get()) == [1, 2, 2]
    assert view == ListView([1, 2, 2])
    assert view != ListView([2, 1, 2])
    assert view != [1, 2, 2]
    assert hash(view) == hash(ListView([1, 2, 2]))
    view.clear()
    assert list(view) == []


def test_a_list_view_keeps_its_own_values() -> None:
    given_values = [1]
    view = ListView(given_values)
    view.add_all(given_values)
    given_values.append(9)
    assert list(view) == [1, 1]


def test_map_view() -> None:
    view: MapView[str, int] = MapView()
    assert view.is_empty()
    view.put("a", 1)
    view["b"] = 2
    view.put_all({"c": 3})
    view["a"] += 10
    assert view.get("a") == view["a"] == 11
    assert view.contains("c")
    assert "c" in view
    assert (list(view), list(view.keys()), list(view.values())) == (
        ["a", "b", "c"],
        ["a", "b", "c"],
        [11, 2, 3],
    )
    assert list(view.items()) == [("a", 11), ("b", 2), ("c", 3)]
    del view["a"]
    view.remove("b")
    assert not view.contains("a")
    assert "b" not in view
    assert not view.is_empty()
    view.clear()
    assert view.is_empty()


def test_a_key_that_is_not_there() -> None:
    view: MapView[str, int] = MapView()
    with pytest.raises(KeyError, match="a"):
        view.get("a")
    with pytest.raises(KeyError, match="a"):
        view["a"]
    view.remove("a")
    del view["a"]
    assert view.is_empty()


def test_equality_of_map_views_minds_entries_not_their_order() -> None:
    assert MapView({"a": 1, "b": 2}) == MapView({"b": 2, "a": 1})
    assert hash(MapView({"a": 1, "b": 2})) == hash(MapView({"b": 2, "a": 1}))
    assert MapView({"a": 1}) != MapView({"a": 2})
    assert MapView({"a": 1}) != {"a": 1}
    assert MapView() != ListView()


def test_a_map_view_keeps_its_own_entries() -> None:
    entries = {"a": 1}
    view = MapView(entries)
    entries["b"] = 2
    assert list(view) == ["a"]


def test_an_accumulator_of_views_is_pickled_whole() -> None:
    accumulator = nu.Row(count=1, map=MapView({(1, None): [2]}), list=ListView([Row(a=1)]))
    again = pickle.loads(pickle.dumps(accumulator))
    assert again == accumulator
    again["map"][(1, None)].append(3)
    again["list"].add(Row(a=2))
    assert accumulator == nu.Row(count=1, map=MapView({(1, None): [2]}), list=ListView([Row(a=1)]))


@st.composite
def list_steps(draw: st.DrawFn) -> list[tuple[str, Any]]:
    step = (
        st.tuples(st.just("add"), VALUES)
        | st.tuples(st.just("add_all"), st.lists(VALUES, max_size=3))
        | st.tuples(st.just("clear"), st.none())
    )
    return draw(st.lists(step, max_size=12))


@quick
@given(list_steps())
def test_a_list_view_is_a_list(steps: list[tuple[str, Any]]) -> None:
    view: ListView[Any] = ListView()
    model: list[Any] = []
    for step, value in steps:
        if step == "add":
            view.add(value)
            model.append(value)
        elif step == "add_all":
            view.add_all(value)
            model.extend(value)
        else:
            view.clear()
            model.clear()
        assert list(view) == model
    assert pickle.loads(pickle.dumps(view)) == view == ListView(model)


@st.composite
def map_steps(draw: st.DrawFn) -> list[tuple[str, Any, Any]]:
    names = ("put", "[]=", "put_all", "remove", "del", "clear")
    step = st.tuples(st.sampled_from(names), VALUES, VALUES)
    return draw(st.lists(step, max_size=15))


@quick
@given(map_steps())
def test_a_map_view_is_a_dict(steps: list[tuple[str, Any, Any]]) -> None:
    view: MapView[Any, Any] = MapView()
    model: dict[Any, Any] = {}
    for step, key, value in steps:
        if step == "put":
            view.put(key, value)
            model[key] = value
        elif step == "[]=":
            view[key] = model[key] = value
        elif step == "put_all":
            view.put_all({key: value, value: key})
            model.update({key: value, value: key})
        elif step == "remove":
            view.remove(key)
            model.pop(key, None)
        elif step == "del":
            del view[key]
            model.pop(key, None)
        else:
            view.clear()
            model.clear()
        assert dict(view.items()) == model
        assert list(view) == list(view.keys()) == list(model)
        assert list(view.values()) == list(model.values())
        assert view.is_empty() == (not model)
        assert view.contains(key) == (key in view) == (key in model)
    assert pickle.loads(pickle.dumps(view)) == view == MapView(model)


def test_rows_as_pyflink_has_them() -> None:
    person = Row("name", "age")
    assert person("Ann", 11) == Row(name="Ann", age=11)
    with pytest.raises(ValueError, match="does not name 1 values"):
        person("Ann")
    with pytest.raises(ValueError, match="does not name 1 values"):
        Row(1)(2)
    assert Row(1, 2, 3)[1:] == [2, 3]
    bare = Row("Ann", 11)
    bare.set_field_names(["name", "age"])
    assert (bare, bare.age) == (Row(name="Ann", age=11), 11)
    with pytest.raises(ValueError, match="has 2 fields, not 1"):
        bare.set_field_names(["name"])
    nested = Row(a=Row(b=1), c=[Row(d=2)], e={"f": Row(g=3)}, h=Row(1))
    assert nested.as_dict(True) == {
        "a": {"b": 1},
        "c": [{"d": 2}],
        "e": {"f": {"g": 3}},
        "h": Row(1),
    }
    assert nested.as_dict()["a"] == Row(b=1)
    assert isinstance(ListView(), nu.DataView)
    assert isinstance(MapView(), nu.DataView)
