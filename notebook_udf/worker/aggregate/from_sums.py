"""Aggregates whose sums Spark has computed: each row of the bundle is a group.

The first column is a struct of sums, whose field names say what they are sums of. The second says
how many rows ``accumulate`` would refuse, and holds one of them. The third, if there is one, holds
the group's keys, for errors.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from notebook_udf.functions.sum_ir import Key, Slot
from notebook_udf.specs.sum_fields import ROWS, SHIFTS, WIDE, kept_name, slot_of
from notebook_udf.worker.aggregate.accumulator import Group
from notebook_udf.worker.aggregate.collected import GroupRunner
from notebook_udf.worker.codec.decode import decoder


class SummedRunner(GroupRunner):
    """Builds an accumulator from each group's sums and returns its value."""

    keys_at = 2

    def decoded(self, columns: list[pa.Array], group: Group) -> Any:
        self._refuse(columns[1], group)
        return [
            (*slot_of(field.name), decoder(field.type)(columns[0].field(place)))
            for place, field in enumerate(columns[0].type)
        ]

    def accumulators(self, decoded: Any, rows: int, group: Group) -> list[Any]:
        accumulators = [self._accumulation.create() for _ in range(rows)]
        for part, slot, values in decoded:
            if part in WIDE:
                values = [None if value is None else int(value) for value in values]
            if shift := SHIFTS.get(part):
                values = [None if value is None else value << shift for value in values]
            accumulators = _added(accumulators, slot, values)
        self._accumulation.check(accumulators, group)
        return accumulators

    def _refuse(self, kept: pa.Array, group: Group) -> None:
        """Calls ``accumulate`` with the first row that Spark set aside, so that it raises."""
        counts = kept.field(ROWS).to_pylist()
        place = next((place for place, count in enumerate(counts) if count), None)
        if place is None:
            return
        accumulation = self._accumulation
        row = kept[place].as_py()
        arguments = [row[kept_name(i)] for i in range(len(row) - 1)]

        def keys(_: int) -> Any:
            return group(place)

        accumulation.changed("accumulate", accumulation.create(), tuple(arguments), -1, keys)
        raise RuntimeError(f"{self._call.name} took a row on which it was expected to raise: {row}")


def _added(accumulators: list[Any], slot: Slot, values: list[Any]) -> list[Any]:
    """The accumulators with a value added to one slot of each; None where no row had one."""
    if slot is None:
        return [
            accumulator if value is None else accumulator + value
            for accumulator, value in zip(accumulators, values, strict=True)
        ]
    if isinstance(slot, (int, Key)):
        at = slot.name if isinstance(slot, Key) else slot
        for accumulator, value in zip(accumulators, values, strict=True):
            if value is not None:
                accumulator[at] += value
    else:
        for accumulator, value in zip(accumulators, values, strict=True):
            if value is not None:
                setattr(accumulator, slot, getattr(accumulator, slot) + value)
    return accumulators
