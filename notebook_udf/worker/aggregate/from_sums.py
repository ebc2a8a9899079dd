"""Aggregates whose sums Spark has computed: each row of the bundle is a group.

The first column is a struct of sums, whose field names say what they are sums of. The second says
how many rows ``accumulate`` would refuse, and holds one of them. The third, if there is one, holds
the group's keys, for errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.functions.sum_ir import Key, Slot
from notebook_udf.specs.slot_fields import (
    LIMB_BITS,
    LIMBS,
    ROWS,
    SUM,
    kept_name,
    slot_field,
)
from notebook_udf.worker.aggregate.accumulator import Group
from notebook_udf.worker.aggregate.collected import GroupRunner
from notebook_udf.worker.codec.decode import decoder


class SummedRunner(GroupRunner):
    """Builds an accumulator from each group's sums and returns its value."""

    keys_at = 2

    def decoded(self, columns: list[pa.Array], group: Group) -> Any:
        self._refuse(columns[1], group)
        additions: dict[tuple[int, Slot], dict[str, pa.Array]] = {}
        for place, field in enumerate(columns[0].type):
            part, slot, number = slot_field(field.name)
            additions.setdefault((number, slot), {})[part] = columns[0].field(place)
        return [(slot, _amounts(parts)) for (_, slot), parts in additions.items()]

    def accumulators(self, decoded: Any, rows: int, group: Group) -> list[Any]:
        accumulators = [self._accumulation.create() for _ in range(rows)]
        for slot, amounts in decoded:
            accumulators = _added(accumulators, slot, amounts)
        self._accumulation.check(accumulators, group)
        return accumulators

    def _refuse(self, kept: pa.Array, group: Group) -> None:
        """Calls ``accumulate`` with the first row that Spark kept, so that it raises."""
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


def _amounts(parts: Mapping[str, pa.Array]) -> list[Any]:
    """What an addition adds to each group; None where no row adds anything."""
    if SUM in parts:
        return decoder(parts[SUM].type)(parts[SUM])
    low, high, *wide = (parts[part] for part in LIMBS if part in parts)
    amounts = _of_limbs(low, high)
    for exponent, limb in enumerate(wide, 2):
        if limb.null_count < len(limb):
            shift = exponent * LIMB_BITS
            amounts = [
                amount if more is None else amount + (more << shift)
                for amount, more in zip(amounts, limb.to_pylist(), strict=True)
            ]
    return amounts


def _of_limbs(low: pa.Array, high: pa.Array) -> list[Any]:
    """Sums of two limbs; where each fits 64 bits, as a rule, they are put together as a column."""
    try:
        shifted = pc.multiply_checked(high, 1 << LIMB_BITS)
        return decoder(low.type)(pc.add_checked(shifted, low))
    except pa.ArrowInvalid:
        return [
            None if lower is None else (upper << LIMB_BITS) + lower
            for lower, upper in zip(low.to_pylist(), high.to_pylist(), strict=True)
        ]


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
