"""Process functions that run as kernels: the same answers, errors included, as record by record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import notebook_udf as nu
from notebook_udf import OneInputStreamProcessFunction
from notebook_udf.compile.process_acts import acts_of

SCHEMA = "id int, price double, name string"


class Keep(OneInputStreamProcessFunction):
    limit = 10

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        if order.price > self.limit:
            output.collect(order)


class Skip(OneInputStreamProcessFunction):
    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        if order.name == "no":
            return
        order.id = order.id * 3 - 1
        output.collect(order)


class Both(OneInputStreamProcessFunction):
    def __init__(self, factor: float) -> None:
        self.factor = factor

    def process_record(self, order: Any, output: Any, ctx: Any) -> None:
        order.price = -order.price / self.factor
        if order.price <= order.id * 1.5:
            order.name = order.name.upper()[::-1] + "!"
            if order.id != 7:
                output.collect((order.id + 1, order.price, order.name))


@dataclass
class Order:
    id: int
    price: float
    name: str


class Typed(OneInputStreamProcessFunction):
    def process_record(self, order: Order, output: Any, ctx: Any) -> None:
        order.price = order.price + order.id
        output.collect(order)


class Name(OneInputStreamProcessFunction[nu.Row, str]):
    def process_record(self, order: nu.Row, output: nu.Collector[str], ctx: Any) -> None:
        output.collect(order.name)


class Loud(OneInputStreamProcessFunction[str, str]):
    def process_record(self, name: str, output: nu.Collector[str], ctx: Any) -> None:
        if name > "m":
            output.collect(name.upper())


ORDERS = [Keep, Skip, Both(2.0), Typed]
ROWS = st.lists(
    st.tuples(
        st.integers(-(2**31), 2**31 - 1) | st.integers(0, 9) | st.none(),
        st.floats() | st.sampled_from([0.0, 10.0, 11.5]) | st.none(),
        st.sampled_from(["no", "abc", "zoo", "straße", "", None]),
    ),
    max_size=8,
)


@settings(max_examples=12, deadline=None)
@given(ROWS, st.lists(st.sampled_from(ORDERS), min_size=1, max_size=3), st.booleans())
def test_kernels_answer_as_python_does(
    session: nu.Session, data: list[Any], functions: list[Any], names: bool
) -> None:
    given_rows = session.spark.createDataFrame(data, SCHEMA).coalesce(1)
    found = []
    for way in ("kernels", "records", "apart"):
        rows = given_rows
        for function in [*functions, *([Name, Loud] if names else [])]:
            options: dict[str, Any] = {"vectorise": way == "kernels"}
            if function not in (Name, Loud):
                options["output_type"] = SCHEMA
            name = f"k{type(function).__name__}"
            rows = rows.transform(nu.process(session.register_function(name, function, **options)))
            rows = rows.select("*") if way == "apart" else rows
        try:
            found.append([str(tuple(row)) for row in rows.collect()])
        except nu.NotebookUdfError as error:
            failed = getattr(error, "failed", None)
            found.append(["failed", str(failed.headline), str(failed.arguments)] if failed else [])
    assert found[0] == found[1]
    # A bundle at a time another record may be the first to fail.
    assert found[1] == found[2] or found[1][0] == found[2][0] == "failed"


def test_a_chain_runs_as_kernels_and_says_so(session: nu.Session) -> None:
    rows = session.spark.createDataFrame([(1, 11.5, "a"), (2, 5.0, "b")], SCHEMA)
    record = session.register_function("kept", Keep, output_type=SCHEMA)
    assert rows.transform(nu.process(record)).count() == 1
    assert "as checked Arrow kernels" in record.explain()
    plain = session.register_function("plainly", Keep, output_type=SCHEMA, vectorise=False)
    assert "kernels" not in plain.explain()


@pytest.mark.parametrize("function", [*ORDERS, Name, Loud])
def test_straight_lines_are_kernels(function: Any) -> None:
    assert acts_of(function() if isinstance(function, type) else function) is not None


def returns_twice(self: Any, record: Any, output: Any, ctx: Any) -> None:
    output.collect(record)
    output.collect(record)


def changes_after(self: Any, record: Any, output: Any, ctx: Any) -> None:
    output.collect(record)
    record.x = 1


def remembers(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.last = record
    output.collect(record)


def counts(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.count = record.x
    output.collect(record)


def calls(self: Any, record: Any, output: Any, ctx: Any) -> None:
    output.collect(len(record))


def loops(self: Any, record: Any, output: Any, ctx: Any) -> None:
    for _ in range(3):
        output.collect(record)


def chooses(self: Any, record: Any, output: Any, ctx: Any) -> None:
    if record.x > 1:
        output.collect(1)
    else:
        output.collect(2)


def swallows(self: Any, record: Any, output: Any, ctx: Any) -> None:
    try:
        output.collect(record.x / record.y)
    except ZeroDivisionError:
        output.collect(0)


def returns(self: Any, record: Any, output: Any, ctx: Any) -> Any:
    return output.collect(record)


def keeps_output(self: Any, record: Any, output: Any, ctx: Any) -> None:
    record.x = output
    output.collect(record)


@pytest.mark.parametrize(
    "method",
    [
        returns_twice, changes_after, remembers, counts, calls, loops, chooses, swallows, returns,
        keeps_output,
    ],
)  # fmt: skip
def test_anything_more_runs_record_by_record(method: Any) -> None:
    cls = type("Other", (OneInputStreamProcessFunction,), {"process_record": method})
    assert acts_of(cls()) is None
