"""What is seen of whether a process function keeps records."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from notebook_udf import OneInputStreamProcessFunction, StateDeclarations
from notebook_udf.compile.record_retention import keeps_no_record

TOTAL = StateDeclarations.value_state("total", int)


def lets_through(self: Any, record: Any, output: Any, ctx: Any) -> None:
    if record.price > 10.0:
        output.collect(record)


def changes(self: Any, record: Any, output: Any, ctx: Any) -> None:
    record.name = record.name.upper()
    output.collect(record)


def sums(self: Any, record: Any, output: Any, ctx: Any) -> None:
    total = ctx.get_state(TOTAL)
    total.update((total.value() or 0) + record.price)
    self.count += 1
    output.collect((record.id, 1, record.name))


def collects_nothing(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.sum += record.price


@pytest.mark.parametrize("method", [lets_through, changes, sums, collects_nothing])
def test_what_reads_and_sets_fields_keeps_nothing(method: Callable[..., None]) -> None:
    assert keeps_no_record(made(method))


def remembers(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.last = record
    output.collect(record)


def collects_another(self: Any, record: Any, output: Any, ctx: Any) -> None:
    output.collect(self.last)


def passes(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.take(record)


def calls(self: Any, record: Any, output: Any, ctx: Any) -> None:
    record.remember()


def lists(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.all += [record]


def names(self: Any, record: Any, output: Any, ctx: Any) -> None:
    other = record
    self.other = other


def reads_after(self: Any, record: Any, output: Any, ctx: Any) -> None:
    output.collect(record)
    self.sum += record.price


def twice(self: Any, record: Any, output: Any, ctx: Any) -> None:
    output.collect(record)
    output.collect(record)


def loops(self: Any, record: Any, output: Any, ctx: Any) -> None:
    for _ in range(2):
        output.collect(record)


def closes_over(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.later = lambda: record


def keeps_the_output(self: Any, record: Any, output: Any, ctx: Any) -> None:
    self.output = output


def replaces(self: Any, record: Any, output: Any, ctx: Any) -> None:
    record = self.last
    output.collect(record)


def returns(self: Any, record: Any, output: Any, ctx: Any) -> Any:
    return record


@pytest.mark.parametrize(
    "method",
    [
        remembers, collects_another, passes, calls, lists, names, reads_after, twice, loops,
        closes_over, keeps_the_output, replaces, returns,
    ],
)  # fmt: skip
def test_what_may_keep_a_record_is_not_trusted(method: Callable[..., None]) -> None:
    assert not keeps_no_record(made(method))


def made(method: Callable[..., None]) -> Any:
    return type("Made", (OneInputStreamProcessFunction,), {"process_record": method})()
