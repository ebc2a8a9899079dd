"""Accumulates and retracts the rows of a stream's groups.

Rows to be retracted are processed after all others of their key, so that nothing is retracted that
has not been accumulated. ``group_states`` loads and stores the accumulators.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import repeat
from time import perf_counter_ns
from typing import Any

import pyarrow as pa

from notebook_udf.errors import PlanningError
from notebook_udf.functions.views import MapView
from notebook_udf.specs.aggregate_layout import ACCUMULATOR_FIELD
from notebook_udf.specs.state_layout import DELETES, INSERTS, StreamLayout
from notebook_udf.worker.aggregate.accumulator import Accumulation, Group
from notebook_udf.worker.call.coerce import fitted
from notebook_udf.worker.call.function_call import FunctionCall, running
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.group_keys import LASTING_NAN, frozen, hashable, key_names


@dataclass
class HeldValue:
    """A key's accumulators while its rows come in.

    Attributes
    ----------
    key, place
        The key, as ``worker.codec.group_keys`` has it, and as the state has it.
    accumulators, seen
        Each function's accumulator; of a DISTINCT one how often each row of arguments has come.
    rows
        How many rows the key has, where rows are taken out again.
    views
        The large views in the accumulators, and how many entries each has in the state.
    known
        Whether the state had the key.
    taken_out
        By function, the rows that are to be taken out at the end.
    """

    key: Any
    place: bytes
    accumulators: list[Any]
    seen: list[MapView[Any, Any] | None]
    rows: int
    views: dict[str, int] = field(default_factory=dict)
    known: bool = False
    taken_out: list[list[tuple[Any, ...]]] = field(default_factory=list)


class StreamRows:
    """Applies rows to the accumulators of their keys."""

    def __init__(self, layout: StreamLayout, calls: list[FunctionCall]) -> None:
        self._layout = layout
        self._calls = calls
        self.accumulations = [Accumulation(call) for call in calls]

    def take(self, rows: pa.RecordBatch, held: list[HeldValue], first: int) -> None:
        """Accumulates rows; ``held`` has the accumulators of each row's key, ``first`` is the first
        row's position in the bundle."""
        deletes = None
        if self._layout.changes is not None:
            deletes = self._deletes(rows.column(self._layout.changes))
            for each, out in zip(held, deletes, strict=True):
                each.rows += -1 if out else 1
        for number, call in enumerate(self._calls):
            t0 = perf_counter_ns()
            part = self._layout.parts[number]
            if self._layout.merges:
                self._merge(number, rows.column(part.arguments[0]), held, first)
            else:
                self._accumulate(number, rows, held, deletes, first)
            call.statistics.rows_in += rows.num_rows
            call.statistics.user_ns += perf_counter_ns() - t0

    def _merge(self, number: int, structs: pa.Array, held: list[HeldValue], first: int) -> None:
        accumulation = self.accumulations[number]
        decoded = accumulation.codec.decode(
            structs.field(ACCUMULATOR_FIELD).filter(structs.is_valid())
        )
        partial = iter(decoded)
        group = self.naming(held)
        with running(self._calls[number], first, len(held)):
            for place, (each, there) in enumerate(
                zip(held, structs.is_valid().to_pylist(), strict=True)
            ):
                # NULL: no row of the key met the function's condition.
                if there:
                    each.accumulators[number] = accumulation.changed(
                        "merge",
                        each.accumulators[number],
                        ([next(partial)],),
                        first + place,
                        lambda _, place=place: group(place),  # type: ignore[misc]
                    )

    def _accumulate(
        self,
        number: int,
        rows: pa.RecordBatch,
        held: list[HeldValue],
        deletes: list[bool] | None,
        first: int,
    ) -> None:
        part, call = self._layout.parts[number], self._calls[number]
        columns = [rows.column(place) for place in part.arguments]
        own: Sequence[HeldValue] = held
        if part.condition is not None:
            mask = rows.column(part.condition).fill_null(False)
            columns = [column.filter(mask) for column in columns]
            kept = mask.to_pylist()
            own = [each for each, keep in zip(held, kept, strict=True) if keep]
            if deletes is not None:
                deletes = [out for out, keep in zip(deletes, kept, strict=True) if keep]
        columns = fitted(columns, call.header)
        values = [decoder(column.type)(column) for column in columns]
        if not own:
            return
        if self._layout.distinct[number]:
            equal = [hashable(c, decoder(c.type), LASTING_NAN) for c in columns]
            own, values, deletes = self._once(number, own, values, equal, deletes)
        if deletes is not None and any(deletes):
            own, values = self._set_aside(number, own, values, deletes)
        with running(call, first, len(own)):
            self._put_in(number, own, values, first)

    def _put_in(
        self, number: int, own: Sequence[HeldValue], values: list[list[Any]], first: int
    ) -> None:
        accumulation = self.accumulations[number]
        group = self.naming(own)
        if accumulation.in_place:
            given = [each.accumulators[number] for each in own]
            accumulation.take_rows(given, values, first, group)
            return
        rows = zip(*values, strict=True) if values else repeat(())
        for place, (each, row) in enumerate(zip(own, rows, strict=False)):
            each.accumulators[number] = accumulation.take_row(
                each.accumulators[number],
                row,
                first + place,
                lambda _, place=place: group(place),  # type: ignore[misc]
            )

    def _set_aside(
        self, number: int, own: Sequence[HeldValue], values: list[list[Any]], deletes: list[bool]
    ) -> tuple[list[HeldValue], list[list[Any]]]:
        """Sets rows aside that are retracted after the key's last row; returns the others."""
        rows = list(zip(*values, strict=True)) if values else [()] * len(own)
        for each, row, out in zip(own, rows, deletes, strict=True):
            if out:
                if not each.taken_out:
                    each.taken_out = [[] for _ in self._calls]
                each.taken_out[number].append(row)
        stays = [not out for out in deletes]
        return (
            [each for each, stay in zip(own, stays, strict=True) if stay],
            [[v for v, stay in zip(c, stays, strict=True) if stay] for c in values],
        )

    def _once(
        self,
        number: int,
        own: Sequence[HeldValue],
        values: list[list[Any]],
        equal: list[list[Any]],
        deletes: list[bool] | None,
    ) -> tuple[list[HeldValue], list[list[Any]], list[bool] | None]:
        """The rows whose arguments a key has not had before (DISTINCT); counts all of them.

        Rows to be retracted are all returned: whether one is the last is known at the key's end.
        """
        kept = []
        for place, row in enumerate(zip(*equal, strict=True)):
            if deletes is not None and deletes[place]:
                kept.append(place)
                continue
            counts = own[place].seen[number]
            assert counts is not None
            times = counts.get(row) if counts.contains(row) else 0
            counts.put(row, times + 1)
            if not times:
                kept.append(place)
        return (
            [own[place] for place in kept],
            [[column[place] for place in kept] for column in values],
            None if deletes is None else [deletes[place] for place in kept],
        )

    def take_out(self, held: HeldValue) -> None:
        """Retracts the rows that were kept for a key from its accumulators."""
        for number, rows in enumerate(held.taken_out):
            accumulation, counts = self.accumulations[number], held.seen[number]
            for row in rows:
                if counts is not None:
                    same = frozen(row, LASTING_NAN)
                    times = counts.get(same) if counts.contains(same) else 0
                    if times > 1:
                        counts.put(same, times - 1)
                    else:
                        counts.remove(same)
                    if times != 1:
                        continue
                held.accumulators[number] = accumulation.changed(
                    "retract",
                    held.accumulators[number],
                    row,
                    0,
                    lambda _: key_names(held.key, self._layout.keys),
                )
        held.taken_out = []

    def _deletes(self, marks: pa.Array) -> list[bool]:
        """Which rows are to be retracted."""
        found = marks.to_pylist()
        if unknown := set(found) - {*INSERTS, *DELETES}:
            shown = ", ".join(sorted(map(repr, unknown)))
            self._calls[0].fail(
                PlanningError(
                    f"the change column holds {shown}: it takes {', '.join(INSERTS)} for rows "
                    f"that are put in, and {', '.join(DELETES)} for rows that are taken out"
                )
            )
        return [mark in DELETES for mark in found]

    def naming(self, held: Sequence[HeldValue]) -> Group:
        """The keys of those whose accumulators these are, for messages."""
        return lambda place: key_names(held[place].key, self._layout.keys)
