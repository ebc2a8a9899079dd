"""Merges of many spellings: whether they add slot to slot, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from notebook_udf.compile.merges import adds_slot_to_slot
from notebook_udf.functions.row import Row
from notebook_udf.functions.sum_ir import Key

seen: list[Any] = []


@dataclass
class Weighted:
    total: int = 0
    weight: int = 0
    label: str = ""


class Merges:
    def by_sum(self, acc: Any, accs: Any) -> None:
        acc[0] += sum(a[0] for a in accs)
        acc[1] += sum([a[1] for a in accs])

    def by_range(self, acc: Any, accs: Any) -> None:
        for other in accs:
            for i in range(len(acc)):
                acc[i] += other[i]

    def by_zip(self, acc: Any, accs: Any) -> None:
        acc[:] = [sum(values) for values in zip(acc, *accs)]  # noqa: B905

    def by_enumerate(self, acc: Any, accs: Any) -> Any:
        for other in accs:
            for i, value in enumerate(other):
                acc[i] = value + acc[i]
        return acc

    def unpacked(self, acc: Any, accs: Any) -> None:
        for total, weight in accs:
            acc[0] += total
            acc[1] += weight

    def by_position(self, acc: Any, accs: Any) -> None:
        for i in range(len(accs)):
            acc[0] += accs[i][0]
            acc[1] += accs[i][1]


class OfDicts:
    def by_keys(self, acc: Any, accs: Any) -> None:
        for other in accs:
            for key in acc:
                acc[key] += other[key]

    def by_items(self, acc: Any, accs: Any) -> None:
        for other in accs:
            for key, value in other.items():
                acc[key] = acc.get(key, 0) + value


class OfAttributes:
    def by_attributes(self, acc: Any, accs: Any) -> None:
        acc.total += sum(a.total for a in accs)
        acc.weight += sum(a.weight for a in accs)


ADDING = [
    *((getattr(Merges(), name), [0, 0], {0, 1}) for name in vars(Merges) if name[0] != "_"),
    *((getattr(Merges(), name), Row(0, 0), {0, 1}) for name in ("by_sum", "by_range")),
    *(
        (getattr(OfDicts(), name), {"a": 0, "b": 0}, {Key("a"), Key("b")})
        for name in ("by_keys", "by_items")
    ),
    (OfAttributes().by_attributes, Weighted(), {"total", "weight"}),
    (OfAttributes().by_attributes, Row(total=0, weight=0), {"total", 1}),
]


@pytest.mark.parametrize(("merge", "fresh", "slots"), ADDING)
def test_it_adds_slot_to_slot(merge: Callable[..., Any], fresh: Any, slots: set[Any]) -> None:
    assert adds_slot_to_slot(merge, fresh, slots)


class Others:
    def first_only(self, acc: Any, accs: Any) -> None:
        for other in accs:
            acc[0] += other[0]

    def crossed(self, acc: Any, accs: Any) -> None:
        for other in accs:
            acc[0] += other[1]
            acc[1] += other[0]

    def twice(self, acc: Any, accs: Any) -> None:
        for other in accs:
            acc[0] += other[0] + other[0]
            acc[1] += other[1]

    def counted(self, acc: Any, accs: Any) -> None:
        acc[0] += sum(a[0] for a in accs)
        acc[1] += len(accs)

    def without_the_last(self, acc: Any, accs: Any) -> None:
        for other in accs[:-1]:
            acc[0] += other[0]
            acc[1] += other[1]

    def three_at_most(self, acc: Any, accs: Any) -> None:
        for other in accs:
            if len(accs) > 3:
                return
            acc[0] += other[0]
            acc[1] += other[1]

    def greatest(self, acc: Any, accs: Any) -> None:
        acc[0] = max(acc[0], *[a[0] for a in accs])
        acc[1] += sum(a[1] for a in accs)

    def told(self, acc: Any, accs: Any) -> None:
        seen.append(accs)
        for other in accs:
            acc[0] += other[0]
            acc[1] += other[1]

    def answered(self, acc: Any, accs: Any) -> Any:
        for other in accs:
            acc[0] += other[0]
            acc[1] += other[1]
        return [acc[0], acc[1]]

    def tested(self, acc: Any, accs: Any) -> None:
        for other in accs:
            acc[0] += other[0] if other[1] else 0
            acc[1] += other[1]

    def grown(self, acc: Any, accs: Any) -> None:
        for other in accs:
            acc[0] += other[0]
            acc[1] += other[1]
        acc += [0]


@pytest.mark.parametrize("name", [name for name in vars(Others) if name[0] != "_"])
def test_it_does_anything_else(name: str) -> None:
    assert not adds_slot_to_slot(getattr(Others(), name), [0, 0], {0, 1})
    assert not seen


def test_what_is_no_slot_stays_as_it_is() -> None:
    class Labels:
        def merge(self, acc: Any, accs: Any) -> None:
            for other in accs:
                acc.total += other.total
                acc.weight += other.weight
                acc.label = other.label

    assert not adds_slot_to_slot(Labels().merge, Weighted(), {"total", "weight"})
