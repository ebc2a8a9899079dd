"""Records of process functions: classes of rows, and what stands between two functions."""

from __future__ import annotations

import copy
import pickle
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyspark.sql.types import DataType

from notebook_udf.functions.row import Row, record_class
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.types import resolve
from notebook_udf.worker.codec.refusal import BadResult
from notebook_udf.worker.process.record_columns import edge, passes_unchanged, remembering

NAMES = st.lists(
    st.sampled_from(["a", "b", "names", "class", "as_dict", "_x", "with space", "é", "_field0"]),
    min_size=1,
    unique=True,
)


@given(NAMES, st.data())
def test_a_record_behaves_like_any_row(names: list[str], data: st.DataObject) -> None:
    values = data.draw(st.lists(st.integers(), min_size=len(names), max_size=len(names)))
    record = record_class(tuple(names))(*values)
    row = Row(**dict(zip(names, values, strict=True)))
    for _ in range(2):
        assert record == row
        assert row == record
        assert hash(record) == hash(row)
        assert repr(record) == repr(row)
        assert (list(record), len(record), record.names) == (list(row), len(row), row.names)
        assert record.as_dict() == row.as_dict()
        assert [record[name] for name in names] == [record[i] for i in range(len(names))] == values
        for made in (copy.copy(record), copy.deepcopy(record), pickle.loads(pickle.dumps(record))):
            assert made == record
            assert type(made) is type(record)
        values = [value + 1 for value in values]
        for name, value in zip(names, values, strict=True):
            record[name] = row[name] = value


def test_a_field_that_is_not_there_is_refused() -> None:
    record = record_class(("a", "class"))(1, 2)
    with pytest.raises(AttributeError, match="no field 'b'"):
        record.b = 3
    with pytest.raises(AttributeError, match="no field 'b'"):
        _ = record.b
    with pytest.raises(KeyError):
        record["b"] = 3
    with pytest.raises(AttributeError):
        record_class(("a",))(1).b = 3


class Pair(NamedTuple):
    a: int
    b: str


def handed_on(
    data_type: DataType,
    shape: RecordShape,
    records: list[Any],
    *,
    given_class: Any = None,
    **more: Any,
) -> list[Any]:
    """What the next function gets of what one collects."""
    got: list[Any] = []

    def failed(error: BaseException, record: Any) -> None:
        raise error

    collect, counted = edge(
        data_type,
        shape,
        given=given_class,
        reuses=more.get("reuses", False),
        untouched=more.get("untouched", ()),
        process=lambda record, output, ctx: got.append(record),
        output=None,
        ctx=None,
        call=None,
        before=None,
        task=SimpleNamespace(active=None),
        failed=failed,
    )
    for record in records:
        collect(record)
    assert counted() == len(records)
    assert counted() == 0
    return got


PAIR = resolve("a int, b string", what="pair")
SHAPE = RecordShape(("a", "b"))


@pytest.mark.parametrize(
    "record",
    [(1, "x"), [1, "x"], {"b": "x", "a": 1}, Pair(1, "x"), Row(1, "x"), Row(b="x", a=1)],
)
def test_any_form_becomes_the_next_functions_record(record: Any) -> None:
    (got,) = handed_on(PAIR, SHAPE, [record])
    assert got == Row(a=1, b="x")
    assert type(got) is record_class(("a", "b"))


def test_a_record_is_copied_unless_neither_side_keeps_it() -> None:
    cls = record_class(("a", "b"))
    record = cls(1, "x")
    (copied,) = handed_on(PAIR, SHAPE, [record], given_class=cls)
    assert copied == record
    assert copied is not record
    (same,) = handed_on(PAIR, SHAPE, [record], given_class=cls, reuses=True)
    assert same is record


def test_of_a_record_that_is_handed_on_only_what_may_have_changed_is_looked_at() -> None:
    cls = record_class(("a", "b"))
    for record, untouched in ((cls(1 << 31, "x"), ("b",)), (cls(1, 2), ("a",))):
        with pytest.raises(BadResult):
            handed_on(PAIR, SHAPE, [record], given_class=cls, reuses=True, untouched=untouched)
    other = record_class(("b", "a"))("x", 1)
    (made,) = handed_on(PAIR, SHAPE, [other], given_class=cls, reuses=True, untouched=("a", "b"))
    assert (type(made), made.a, made.b) == (cls, 1, "x")


@pytest.mark.parametrize(
    ("declared", "value"),
    [("int", 1 << 31), ("bigint", -(1 << 63) - 1), ("bigint", "1"), ("string", 1), ("double", "1")],
)
def test_what_the_type_cannot_hold_does_not_pass(declared: str, value: Any) -> None:
    with pytest.raises(BadResult):
        handed_on(resolve(declared, what="x"), RecordShape(("value",), plain=True), [value])
    struct = resolve(f"a {declared}", what="x")
    with pytest.raises(BadResult):
        handed_on(struct, RecordShape(("a",)), [(value,)])


def test_what_the_type_changes_arrives_changed() -> None:
    (got,) = handed_on(resolve("double", what="x"), RecordShape(("value",), plain=True), [2])
    assert type(got) is float
    with pytest.raises(BadResult):
        handed_on(PAIR, SHAPE, [(1, "x", "too many")])


@pytest.mark.parametrize(
    ("declared", "unchanged"),
    [("bigint", True), ("a int, b date", True), ("float", False), ("a array<int>", False)],
)
def test_types_that_need_a_codec_are_known(declared: str, unchanged: bool) -> None:
    assert passes_unchanged(resolve(declared, what="x")) is unchanged


def test_remembered_records_do_not_change() -> None:
    cls = record_class(("a", "b"))
    kept: list[Any] = []
    for given_class in (cls, None):
        remember = remembering(PAIR, given_class, kept.append)
        record = cls(1, "x")
        remember(record)
        record.a = 2
        remember({"b": "y", "a": 3})
    assert kept == [(1, "x"), (3, "y")] * 2
    lists: list[Any] = []
    value = [1]
    remembering(resolve("array<int>", what="x"), None, lists.append)(value)
    value.append(2)
    assert lists == [[1]]
