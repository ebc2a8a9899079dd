"""Arithmetic as kernels: Python's answer for every row, or the bundle is declined."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import BooleanType, ByteType, DataType, DoubleType, LongType, StringType

from notebook_udf.worker.kernels.program import translate

OPERATORS = ["+", "-", "*", "/"]
COMPARISONS = ["<", "<=", ">", ">=", "==", "!="]

operands = st.one_of(
    st.sampled_from(["a", "b"]),
    st.integers(-5, 5).map(lambda n: f"({n})"),
    st.floats(-4, 4).map(lambda x: f"({x!r})"),
)
expressions = st.recursive(
    operands,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(lambda t: f"({' '.join(t)})"),
        inner.map(lambda text: f"(-{text})"),
    ),
    max_leaves=6,
)
longs = st.integers(-(1 << 63), (1 << 63) - 1) | st.integers(-3, 3)
doubles = st.floats(allow_nan=True, allow_infinity=True, width=64)


def function_of(text: str) -> Callable[..., Any]:
    made: Callable[..., Any] = eval(f"lambda a, b: {text}")
    return made


def bits(value: Any) -> Any:
    """A value that equals another exactly if they are the same, NaN and -0.0 included."""
    return (
        struct.pack("<d", value)
        if isinstance(value, float) and not math.isnan(value)
        else ("nan" if isinstance(value, float) else value)
    )


def agrees(text: str, rows: list[tuple[Any, Any]], types: Any, result: DataType) -> bool:
    """Whether kernels answered every row; those that they answered are as Python's."""
    return answered(function_of(text), rows, types, result) == len(rows)


def answered(
    function: Callable[..., Any], rows: list[tuple[Any, ...]], types: Any, result: DataType
) -> int:
    """How many rows kernels answered: with Python's values, of its types."""
    program = translate(function, result)
    if program is None:
        return 0
    columns = [pa.array(c, t) for c, t in zip(zip(*rows, strict=True), types, strict=True)]
    found = program(columns)
    if found is None:
        return 0
    left = found.declined if found.declined is not None else [False] * len(rows)
    kept = [place for place, each in enumerate(left) if not each]
    values = found.result.take(pa.array(kept, pa.int64())).to_pylist()
    expected = [function(*(column[place].as_py() for column in columns)) for place in kept]
    whole = isinstance(result, DoubleType)
    expected = [float(v) if whole and type(v) is int else v for v in expected]
    assert [type(v) for v in values] == [type(v) for v in expected], (rows, values, expected)
    assert list(map(bits, values)) == list(map(bits, expected)), (rows, values, expected)
    return len(kept)


@given(expressions, st.lists(st.tuples(longs, longs), min_size=1, max_size=5))
def test_integers(text: str, rows: list[tuple[int, int]]) -> None:
    agrees(text, rows, (pa.int64(), pa.int64()), LongType())


@given(expressions, st.lists(st.tuples(longs, doubles), min_size=1, max_size=5))
def test_integers_with_floats(text: str, rows: list[tuple[int, float]]) -> None:
    agrees(text, rows, (pa.int64(), pa.float64()), DoubleType())


@given(
    expressions,
    st.sampled_from(COMPARISONS),
    expressions,
    st.lists(st.tuples(doubles, doubles), min_size=1, max_size=5),
)
def test_comparisons(left: str, how: str, right: str, rows: list[tuple[float, float]]) -> None:
    agrees(f"{left} {how} {right}", rows, (pa.float64(), pa.float64()), BooleanType())


texts = st.text(max_size=6) | st.text("aZ0 ß\u0130é", max_size=6) | st.text("abcXYZ", max_size=6)
textual = st.recursive(
    st.sampled_from(["a", "b", "'-x'"]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: f"({pair[0]} + {pair[1]})"),
        st.tuples(inner, st.sampled_from([".upper()", ".lower()", "[::-1]"])).map("".join),
    ),
    max_leaves=4,
)


@given(textual, st.lists(st.tuples(texts, texts), min_size=1, max_size=5))
def test_texts(text: str, rows: list[tuple[str, str]]) -> None:
    agrees(text, rows, (pa.string(), pa.string()), StringType())


@given(
    textual,
    st.sampled_from(COMPARISONS),
    textual,
    st.lists(st.tuples(texts, texts), min_size=1, max_size=5),
)
def test_comparing_texts(left: str, how: str, right: str, rows: list[tuple[str, str]]) -> None:
    agrees(f"{left} {how} {right}", rows, (pa.string(), pa.string()), BooleanType())


@pytest.mark.parametrize("text", ["a.upper()[::-1]", "(a + '-').lower() + b"])
def test_texts_that_are_taken(text: str) -> None:
    rows = [("Abc", "é"), ("", "x"), ("Q q", "")]
    assert agrees(text, rows, (pa.string(), pa.string()), StringType())


def test_letters_that_grow_are_left_to_python() -> None:
    assert not agrees("a.upper()", [("ß", "")], (pa.string(), pa.string()), StringType())


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a * b + 1", LongType()),
        ("-(a - 3) * b", LongType()),
        ("a * 0.5 + b", DoubleType()),
        ("a / 2.0", DoubleType()),
        ("a + b < 7", BooleanType()),
        ("a + b", ByteType()),
    ],
)
def test_what_is_taken(text: str, result: DataType) -> None:
    assert agrees(text, [(1, 2), (30, -4), (0, 0)], (pa.int16(), pa.int64()), result)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a * b", [(1 << 62, 2)]),
        ("a * b - a * b", [(1 << 62, 4)]),
        ("-a", [(-(1 << 63), 0)]),
        ("a + b", [(None, 2)]),
        ("a / b", [(1, 2)]),
        ("a + 0.5", [(1, 2)]),
    ],
)
def test_a_bundle_python_has_to_decide_is_declined(text: str, rows: list[Any]) -> None:
    assert not agrees(text, rows, (pa.int64(), pa.int64()), LongType())


def test_division_by_zero_is_declined() -> None:
    assert not agrees("a / b", [(1.0, 0.0)], (pa.float64(), pa.float64()), DoubleType())


RATE = 3


class Doubler:
    def eval(self, a: int) -> int:
        return a * 2

    def scaled(self, a: int) -> int:
        return a * self.factor

    def raised(self, a: int) -> float:
        return a + self.added

    factor = 2
    added: float


def test_a_method_reads_what_its_object_and_its_class_hold() -> None:
    owner = Doubler()
    owner.added = 0.5
    assert answered(owner.scaled, [(4,), (5,)], (pa.int64(),), LongType()) == 2
    assert answered(owner.raised, [(4,)], (pa.int64(),), DoubleType()) == 1


def test_a_method_that_leaves_its_object_alone_is_taken() -> None:
    program = translate(Doubler().eval, LongType())
    assert program is not None
    found = program([pa.array([4], pa.int64())])
    assert found is not None
    assert found.result.to_pylist() == [8]


def with_default(a: int, b: int = 3) -> int:
    return a + b


def test_defaults_are_filled_in() -> None:
    assert answered(with_default, [(1,), (2,)], (pa.int64(),), LongType()) == 2


@pytest.mark.parametrize(
    "function",
    [
        lambda a: a.upper,
        lambda a: a.center(3),
        lambda a: a[::-2],
        lambda *a: a[0],
        lambda a: (yield a),
        lambda a: a + True,
        lambda a: a + (1 << 70),
        lambda a: [a][0],
        lambda a: sum(a for _ in range(3)),
        len,
    ],
)
def test_anything_else_is_left_to_python(function: Callable[..., Any]) -> None:
    program = translate(function, LongType())
    for kind in (pa.int64(), pa.string()):
        assert program is None or not program.outlook([kind]).answers


def test_a_column_is_looked_at_when_it_is_there() -> None:
    program = translate(lambda a: RATE * a, LongType())
    assert program is not None
    assert program.outlook([pa.int64()]) == (True, ())
    assert program.outlook([pa.string()]).left != ()
