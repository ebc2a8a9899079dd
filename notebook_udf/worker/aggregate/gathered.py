"""Aggregates whose values Spark has gathered: each row of the bundle is a group.

The first column is a struct of lists, whose field names say into which part of an accumulator they
go. The second, if there is one, holds the group's keys, for errors. A value that may be None comes
as a struct of one field: Spark leaves NULLs out of a list.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pyarrow as pa

from notebook_udf.functions.sum_ir import Key, Slot
from notebook_udf.specs.slot_fields import slot_field
from notebook_udf.worker.aggregate.accumulator import Group
from notebook_udf.worker.aggregate.collected import GroupRunner, list_parts
from notebook_udf.worker.codec.decode import decoder


class GatheredRunner(GroupRunner):
    """Puts each group's values into an accumulator and returns its value."""

    def decoded(self, columns: list[pa.Array], group: Group) -> Any:
        found = []
        for place, field in enumerate(columns[0].type):
            offsets, values = list_parts(columns[0].field(place))
            if pa.types.is_struct(values.type):
                values = values.field(0)
            found.append((slot_field(field.name).slot, offsets, decoder(values.type)(values)))
        return found

    def accumulators(self, decoded: Any, rows: int, group: Group) -> list[Any]:
        accumulators = [self._accumulation.create() for _ in range(rows)]
        for slot, offsets, values in decoded:
            for part, (start, end) in zip(
                _parts(accumulators, slot), pairwise(offsets), strict=True
            ):
                if type(part) is list:
                    part += values[start:end]
                else:
                    part.update(values[start:end])
        self._accumulation.check(accumulators, group)
        return accumulators


def _parts(accumulators: list[Any], slot: Slot) -> Iterable[Any]:
    """The list or the set that a slot of each accumulator is."""
    if slot is None:
        return accumulators
    if isinstance(slot, str):
        return [getattr(accumulator, slot) for accumulator in accumulators]
    at = slot.name if isinstance(slot, Key) else slot
    return [accumulator[at] for accumulator in accumulators]
