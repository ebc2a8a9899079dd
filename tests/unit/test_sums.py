"""Which ``accumulate`` is read as sums, and which is not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udaf
from notebook_udf.compile.sums import read
from notebook_udf.functions.sum_ir import Addition, Constant, Operation, Parameter


class Function(nu.AggregateFunction):
    """Takes two values into a list of two numbers."""

    def create_accumulator(self) -> Any:
        return [0.0, 0]

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> Any:
        raise NotImplementedError

    def get_value(self, accumulator: Any) -> Any:
        return accumulator[0]

    def get_result_type(self) -> str:
        return "double"


def additions(function: type[Function]) -> tuple[Addition, ...] | None:
    """What is read of a function."""
    found = read(udaf(function()))
    return None if found is None else found.additions


PRODUCT = Operation("*", (Parameter(0), Parameter(1)))


class Weighted(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value * weight
        accumulator[1] += 1

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[0]
            accumulator[1] = accumulator[1] + other[1]


class SpelledOut(Weighted):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> Any:
        accumulator[0] = accumulator[0] + value * weight
        accumulator[1] = accumulator[1] + 1
        return accumulator


@pytest.mark.parametrize("function", [Weighted, SpelledOut])
def test_additions_to_items_are_read(function: type[Function]) -> None:
    assert additions(function) == (
        Addition(0, PRODUCT, False, ()),
        Addition(1, Constant(1), False, ()),
    )


class Guarded(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if value is None or weight is None:
            return
        accumulator[0] -= value / -weight


class GuardedInside(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if value is not None and weight is not None:
            accumulator[0] -= value / -weight


@pytest.mark.parametrize("function", [Guarded, GuardedInside])
def test_tests_for_none_are_conditions(function: type[Function]) -> None:
    quotient = Operation("/", (Parameter(0), Operation("-", (Parameter(1),))))
    assert additions(function) == (Addition(0, quotient, True, ((0, False), (1, False))),)


class Either(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if value is None:
            accumulator[1] += 1
        else:
            accumulator[0] += value


def test_both_branches_are_read() -> None:
    found = additions(Either)
    assert found is not None
    assert set(found) == {
        Addition(1, Constant(1), False, ((0, True),)),
        Addition(0, Parameter(0), False, ((0, False),)),
    }


class OfANumber(Function):
    def create_accumulator(self) -> Any:
        return 0

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> Any:
        return accumulator + value - weight

    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        for other in accumulators:
            accumulator += other
        return accumulator


def test_a_number_is_its_own_slot() -> None:
    assert additions(OfANumber) == (
        Addition(None, Parameter(0), False, ()),
        Addition(None, Parameter(1), True, ()),
    )


@dataclass
class Totals:
    total: float = 0.0
    rows: int = 0


class OfAttributes(Function):
    def create_accumulator(self) -> Any:
        return Totals()

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator.total += value
        accumulator.rows += 1

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator.total += other.total
            accumulator.rows += other.rows

    def get_value(self, accumulator: Any) -> Any:
        return accumulator.total


def test_fields_of_a_dataclass_are_slots() -> None:
    assert additions(OfAttributes) == (
        Addition("total", Parameter(0), False, ()),
        Addition("rows", Constant(1), False, ()),
    )


class Printing(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        print(value)
        accumulator[0] += value


class OfItself(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value * accumulator[1]


class Growing(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator.append(value)


class Comparing(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if value > 0:
            accumulator[0] += value


class OfAGlobal(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value * math.pi


class OfASetting(Function):
    factor = 2.0

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value * self.factor


class Replacing(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] = value


class Crossing(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] = accumulator[1] + value


class Forgetting(OfANumber):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> Any:
        accumulator + value


class OfText(Function):
    def create_accumulator(self) -> Any:
        return ["", 0]

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[0] += value


class MergesItsOwnWay(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[0] / 2
            accumulator[1] += other[1]


class MergesTheWrongSlot(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[1]
            accumulator[1] += other[0]


class MergesHalf(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator[0] += other[0]


class MergeRaises(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        raise RuntimeError("cannot merge")


@pytest.mark.parametrize(
    "function",
    [
        Printing, OfItself, Growing, Comparing, OfAGlobal, OfASetting, Replacing, Crossing,
        Forgetting, OfText, MergesItsOwnWay, MergesTheWrongSlot, MergesHalf, MergeRaises,
    ],
)  # fmt: skip
def test_anything_else_is_no_sum(function: type[Function]) -> None:
    assert additions(function) is None
