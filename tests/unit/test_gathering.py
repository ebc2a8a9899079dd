"""Which bodies of ``accumulate`` are read as a gathering, and as what."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from notebook_udf.compile.gathering import gathered_in
from notebook_udf.compile.symbolic import read_code
from notebook_udf.functions.gathering_ir import Gathered
from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import Key, Slot


@dataclass
class Kept:
    values: list[Any] = field(default_factory=list)
    seen: set[Any] = field(default_factory=set)
    count: int = 0


def read(accumulate: Callable[..., Any], fresh: Any) -> tuple[Gathered, ...] | None:
    code = accumulate.__code__
    return gathered_in(read_code(code), code.co_varnames[: code.co_argcount], fresh)


def append(self: Any, acc: Any, value: Any) -> None:
    acc.append(value)


def added_in_place(self: Any, acc: Any, value: Any) -> None:
    acc += [value]


def extend(self: Any, acc: Any, value: Any) -> None:
    acc.extend((value,))


def returned(self: Any, acc: Any, value: Any) -> Any:
    acc.append(value)
    return acc


@pytest.mark.parametrize("accumulate", [append, added_in_place, extend, returned])
def test_a_list_gathers(accumulate: Callable[..., Any]) -> None:
    assert read(accumulate, []) == (Gathered(None, False, 0),)
    assert read(accumulate, [0]) is None
    assert read(accumulate, "") is None


def add(self: Any, acc: Any, value: Any) -> None:
    acc.add(value)


def joined_in_place(self: Any, acc: Any, value: Any) -> None:
    acc |= {value}


def update(self: Any, acc: Any, value: Any) -> None:
    acc.update([value])


@pytest.mark.parametrize("accumulate", [add, joined_in_place, update])
def test_a_set_gathers_what_differs(accumulate: Callable[..., Any]) -> None:
    assert read(accumulate, set()) == (Gathered(None, True, 0),)
    assert read(accumulate, {1}) is None


def inside(self: Any, acc: Any, value: Any) -> None:
    if value is not None:
        acc.append(value)


def early(self: Any, acc: Any, value: Any) -> None:
    if value is None:
        return
    acc.append(value)


def negated(self: Any, acc: Any, value: Any) -> None:
    if not (value is None):  # noqa: E714
        acc.append(value)


@pytest.mark.parametrize("accumulate", [inside, early, negated])
def test_a_test_for_none_is_a_condition(accumulate: Callable[..., Any]) -> None:
    (found,) = read(accumulate, []) or ()
    assert found == Gathered(None, False, 0, ((0, False),))
    assert not found.may_have_none


def test_another_argument_can_be_the_condition() -> None:
    def accumulate(self: Any, acc: Any, value: Any, other: Any) -> None:
        if other is None:
            acc.append(value)

    (found,) = read(accumulate, []) or ()
    assert found == Gathered(None, False, 0, ((1, True),))
    assert found.may_have_none


def by_attribute(self: Any, acc: Any, value: Any) -> None:
    acc.values.append(value)


def by_key(self: Any, acc: Any, value: Any) -> None:
    acc["values"] += [value]


def by_position(self: Any, acc: Any, value: Any) -> None:
    acc[1].append(value)


def by_variable(self: Any, acc: Any, value: Any) -> None:
    values = acc.values
    values.append(value)


@pytest.mark.parametrize(
    ("accumulate", "fresh", "slot"),
    [
        (by_attribute, Kept(), "values"), (by_variable, Kept(), "values"),
        (by_key, {"values": [], "count": 0}, Key("values")), (by_position, [0, []], 1),
        (by_position, Row(0, []), 1), (by_attribute, Row(values=[], count=0), "values"),
    ],
)  # fmt: skip
def test_a_part_of_an_accumulator_gathers(
    accumulate: Callable[..., Any], fresh: Any, slot: Slot
) -> None:
    assert read(accumulate, fresh) == (Gathered(slot, False, 0),)


def test_several_parts_gather() -> None:
    def accumulate(self: Any, acc: Any, value: Any, other: Any) -> None:
        acc.values.append(value)
        if other is not None:
            acc.seen.add(other)

    assert read(accumulate, Kept()) == (
        Gathered("values", False, 0), Gathered("seen", True, 1, ((1, False),)),
    )  # fmt: skip


def twice(self: Any, acc: Any, value: Any) -> None:
    acc.append(value)
    acc.append(value)


def one_or_the_other(self: Any, acc: Any, value: Any, other: Any) -> None:
    if value is None:
        acc.append(other)
    else:
        acc.append(value)


def changed(self: Any, acc: Any, value: Any) -> None:
    acc.append(value + 1)


def pairs(self: Any, acc: Any, value: Any, other: Any) -> None:
    acc.append((value, other))


def kept_short(self: Any, acc: Any, value: Any) -> None:
    acc.append(value)
    del acc[3:]


def loop(self: Any, acc: Any, values: Any) -> None:
    for value in values:
        acc.append(value)


def whole(self: Any, acc: Any, values: Any) -> None:
    acc.extend(values)


def if_true(self: Any, acc: Any, value: Any) -> None:
    if value:
        acc.append(value)


def at_the_front(self: Any, acc: Any, value: Any) -> None:
    acc.insert(0, value)


def another(self: Any, acc: Any, value: Any) -> Any:
    return [*acc, value]


def new(self: Any, acc: Any, value: Any) -> Any:
    acc = acc + [value]  # noqa: RUF005
    return acc


def answers(self: Any, acc: Any, value: Any) -> Any:
    acc.append(value)
    return value


def printed(self: Any, acc: Any, value: Any) -> None:
    print(value)
    acc.append(value)


def of_the_instance(self: Any, acc: Any, value: Any) -> None:
    self.seen.append(value)


def caught(self: Any, acc: Any, value: Any) -> None:
    try:  # noqa: SIM105
        acc.append(value)
    except Exception:
        pass


@pytest.mark.parametrize(
    "accumulate",
    [
        twice, one_or_the_other, changed, pairs, kept_short, loop, whole, if_true, at_the_front,
        another, new, answers, printed, of_the_instance, caught,
    ],
)  # fmt: skip
def test_anything_else_is_no_gathering(accumulate: Callable[..., Any]) -> None:
    assert read(accumulate, []) is None


def test_one_list_by_two_names_is_no_gathering() -> None:
    def accumulate(self: Any, acc: Any, value: Any, other: Any) -> None:
        acc[0].append(value)
        acc[1].append(other)

    shared: list[Any] = []
    assert read(accumulate, [[], []]) is not None
    assert read(accumulate, [shared, shared]) is None


def test_a_count_beside_it_is_no_gathering() -> None:
    def accumulate(self: Any, acc: Any, value: Any) -> None:
        acc.values.append(value)
        acc.count += 1

    assert read(accumulate, Kept()) is None
