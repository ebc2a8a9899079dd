"""Values as Python source: what they evaluate to, and what cannot be written."""

from __future__ import annotations

import datetime
import decimal
import enum
import math
import zoneinfo
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql import Row

import notebook_udf as nu
from notebook_udf.export.cells import Imported
from notebook_udf.export.closure import Needed
from notebook_udf.export.imports import import_lines
from notebook_udf.export.literals import Literals
from notebook_udf.export.module import SpelledNames


class Colour(enum.Enum):
    RED = "r"


class Point(NamedTuple):
    x: int
    y: float


@dataclass(slots=True)
class Span:
    first: datetime.date
    length: Any


ZONES = st.sampled_from(
    [
        None,
        datetime.UTC,
        datetime.timezone(datetime.timedelta(minutes=-210), "there"),
        zoneinfo.ZoneInfo("Europe/Berlin"),
    ]
)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(st.characters()),
    st.binary(),
    st.builds(bytearray, st.binary()),
    st.decimals(allow_nan=True),
    st.dates(),
    st.datetimes(timezones=ZONES),
    st.times(timezones=ZONES),
    st.timedeltas(),
    st.sampled_from([*Colour, np.float32(0.1), np.float64("nan"), np.int8(-3), np.True_]),
)
HASHABLE = st.one_of(st.integers(), st.text(), st.dates())
NAMES = st.lists(
    st.sampled_from(["a", "b", "class", "a b", "cls", "self", "é"]), unique=True, max_size=4
)


@st.composite
def rows(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> Any:
    names = draw(NAMES)
    given_values = [draw(values) for _ in names]
    made = tuple.__new__(Row, given_values)
    if names:
        made.__fields__ = names
    own = nu.Row.of(tuple(names), given_values)
    return draw(st.sampled_from([made, own]))


VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(HASHABLE, inner, max_size=3),
        st.sets(HASHABLE, max_size=3),
        st.frozensets(HASHABLE, max_size=3),
        rows(inner),
        st.builds(Point, inner, inner),
        st.builds(Span, st.dates(), inner),
    ),
    max_leaves=8,
)


def evaluated(value: Any, needed: Needed | None = None) -> Any:
    """What the source of a value evaluates to, in a module with the imports that it asks for."""
    spelled = SpelledNames(needed or Needed((), ()))
    literals = Literals(
        lambda module, name: spelled.of(Imported(module, name, name or module)), lambda _: False
    )
    text = literals.text(value)
    # As in a file.
    text.encode("utf-8")
    names: dict[str, Any] = {}
    exec(import_lines(spelled.imports), names)
    return eval(text, names)


def alike(one: Any, other: Any) -> bool:
    """Whether two values are equal and of one type, at every depth; a NaN is like another."""
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple, nu.Row)):
        fields = [getattr(v, "names", getattr(v, "__fields__", None)) for v in (one, other)]
        same = len({None if each is None else tuple(each) for each in fields}) == 1
        return same and len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[key], other[key]) for key in one)
    if isinstance(one, Span):
        return alike([one.first, one.length], [other.first, other.length])
    if isinstance(one, (datetime.datetime, datetime.time)):
        # Those of two time zones are equal where they are the same moment.
        return repr(one) == repr(other) and one.fold == other.fold
    if isinstance(one, (float, np.floating, decimal.Decimal)):
        return repr(one) == repr(other)
    return bool(one == other)


@given(VALUES)
def test_a_literal_evaluates_to_the_value(value: Any) -> None:
    assert alike(evaluated(value), value)


def test_names_of_the_notebook_are_not_taken() -> None:
    taken = Needed((), (Imported("datetime", "datetime", "datetime"), Imported("x", "Row", "Row")))
    moment = datetime.datetime(2024, 2, 29, 12, 0, 1)
    assert evaluated([moment, Row(a=1), nu.Row(a=1)], taken) == [moment, Row(a=1), nu.Row(a=1)]


def test_numbers_without_end_and_long_ones() -> None:
    assert evaluated([math.inf, -math.inf, 7**9999]) == [math.inf, -math.inf, 7**9999]


def test_what_cannot_be_written_is_named() -> None:
    with pytest.raises(nu.DeclarationError, match=r"a numpy.ndarray cannot be written"):
        evaluated([np.zeros(2)])

    class Inner(Exception):
        pass

    with pytest.raises(nu.DeclarationError, match=r"Inner cannot be imported"):
        Literals(lambda _, name: name or "", lambda _: False).class_name(Inner)
