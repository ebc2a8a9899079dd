"""Which ``accumulate`` is read as sums, and which is not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest

import notebook_udf as nu
from notebook_udf import udaf
from notebook_udf.compile.sums import read
from notebook_udf.functions.sum_ir import (
    Addition,
    ComparisonTest,
    Constant,
    Guard,
    Key,
    Operation,
    Parameter,
    Risk,
    TruthTest,
)


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
        Addition(0, PRODUCT, False),
        Addition(1, Constant(1), False),
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
    assert additions(function) == (Addition(0, quotient, True, Guard(((0, False), (1, False)))),)


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
        Addition(1, Constant(1), False, Guard(((0, True),))),
        Addition(0, Parameter(0), False, Guard(((0, False),))),
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
        Addition(None, Parameter(0), False),
        Addition(None, Parameter(1), True),
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
        Addition("total", Parameter(0), False),
        Addition("rows", Constant(1), False),
    )


class OfKeys(Function):
    def create_accumulator(self) -> Any:
        return {"total": 0.0, "rows": 0}

    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        product = value * weight
        accumulator["total"] += product
        accumulator["rows"] = 1 + accumulator["rows"]

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            accumulator["total"] += other["total"]
            accumulator["rows"] += other["rows"]


def test_keys_of_a_dict_are_slots_and_variables_hold_amounts() -> None:
    assert additions(OfKeys) == (
        Addition(Key("total"), PRODUCT, False),
        Addition(Key("rows"), Constant(1), False),
    )


class Above(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if not value <= weight * 2 and weight:
            accumulator[0] += value


def test_what_is_tested_is_a_condition() -> None:
    found = read(udaf(Above()))
    assert found is not None
    double = Operation("*", (Parameter(1), Constant(2)))
    tests = ((ComparisonTest("<=", Parameter(0), double), False), (TruthTest(1), True))
    assert found.additions == (Addition(0, Parameter(0), False, Guard((), tests)),)
    # On rows that add nothing, too, Python would raise.
    assert found.risks[:2] == (
        Risk(double, Guard()),
        Risk(ComparisonTest("<=", Parameter(0), double), Guard()),
    )


class OrZero(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator[1] += value or 0


def test_a_value_chosen_by_a_test_is_an_amount_for_each_way() -> None:
    found = additions(OrZero)
    assert found is not None
    assert set(found) == {
        Addition(1, Parameter(0), False, Guard((), ((TruthTest(0), True),))),
        Addition(1, Constant(0), False, Guard((), ((TruthTest(0), False),))),
    }


class TakenApart(Weighted):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        total, rows = accumulator
        accumulator[0] = total + value * weight
        accumulator[1] = rows + 1

    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for total, rows in accumulators:
            accumulator[0] += total
            accumulator[1] += rows


def test_accumulators_that_are_taken_apart_are_read() -> None:
    assert additions(TakenApart) == additions(Weighted)


class MergesTheLastOnly(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        total, rows = accumulator
        for other in accumulators:
            accumulator[0] = total + other[0]
            accumulator[1] = rows + other[1]


class MergesBehindTheLoop(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for other in accumulators:
            total, rows = other
        accumulator[0] += total
        accumulator[1] += rows


class MergesTooFewParts(Weighted):
    def merge(self, accumulator: Any, accumulators: Any) -> None:
        for (total,) in accumulators:
            accumulator[0] += total


class AttributesOfADict(OfKeys):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator.total += value


class ItemsOfADataclass(OfAttributes):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        accumulator["total"] += value


class TestsTheAccumulator(Function):
    def accumulate(self, accumulator: Any, value: Any, weight: Any) -> None:
        if accumulator[1] < 10:
            accumulator[1] += value


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
        Printing, OfItself, Growing, OfAGlobal, OfASetting, Replacing, Crossing,
        Forgetting, OfText, MergesItsOwnWay, MergesTheWrongSlot, MergesHalf, MergeRaises,
        MergesTheLastOnly, MergesBehindTheLoop, MergesTooFewParts, AttributesOfADict,
        ItemsOfADataclass, TestsTheAccumulator,
    ],
)  # fmt: skip
def test_anything_else_is_no_sum(function: type[Function]) -> None:
    assert additions(function) is None
