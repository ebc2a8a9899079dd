"""Hash aggregation: partial accumulators of a partition, for all aggregates of a query.

``PartialPass`` is what Spark pickles for ``mapInArrow``. Its input columns are keys, columns that
pass through, then arguments and conditions; its output columns are keys, columns that pass through,
and one accumulator column per function. Rows that pass through leave with NULL accumulators, those
with accumulators leave with NULL in the columns that pass through; ``PASSED`` tells them apart.

Groups are held in a hash table, which is emptied when the worker's memory has grown past its bound:
a group then has several partial accumulators, which are merged like those of other partitions.
Where rows arrive sorted by key, only a few groups are held at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import repeat
from time import perf_counter_ns
from typing import Any

import pyarrow as pa

from notebook_udf.specs.aggregate_layout import (
    ACCUMULATOR,
    ACCUMULATOR_FIELD,
    PASSED,
    AggregateLayout,
    AggregatePart,
)
from notebook_udf.worker.aggregate.accumulator import Accumulation, Group
from notebook_udf.worker.call.coerce import fitted
from notebook_udf.worker.call.function_call import FunctionCall, running
from notebook_udf.worker.call.operator import Operator
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.group_keys import hashable, key_columns, key_names, keys_of
from notebook_udf.worker.runtime.memory_limit import resident_bytes

# What a worker may grow by before it hands on what it has.
BOUND_BYTES = 256 << 20


_ROWS_OUT = 32_768
_SLICE_ROWS = 2_048


class PartialPass(Operator[AggregateLayout, FunctionCall]):
    """Aggregates the rows of a partition into partial accumulators."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        table: _Table | None = None
        for batch in batches:
            if table is None:
                table = _Table(self.spec, self.calls, batch.schema)
            yield from table.add(batch)
        if table is not None:
            yield from table.emit()


class _Groups(dict[Any, Any]):
    """Accumulators by key; a missing one is created."""

    def __init__(self, create: Callable[[], Any]) -> None:
        self._create = create

    def __missing__(self, key: Any) -> Any:
        made = self[key] = self._create()
        return made


class _Table:
    """The hash table of one partition."""

    def __init__(
        self, layout: AggregateLayout, calls: list[FunctionCall], schema: pa.Schema
    ) -> None:
        self._layout = layout
        self._calls = calls
        self._accumulations = [Accumulation(call) for call in calls]
        self._groups = [_Groups(a.create) for a in self._accumulations]
        self._keys: dict[Any, None] = {}
        self._filtered = any(part.condition is not None for part in layout.parts)
        width = len(layout.keys) + layout.passing
        self._leading = [schema.field(place) for place in range(width)]
        self._key_types = [field.type for field in self._leading[: len(layout.keys)]]
        self._decoders = [decoder(field.type) for field in schema]
        self._base = resident_bytes()
        self._most_groups: int | None = None

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Adds the rows of a bundle; yields what has to leave."""
        if self._layout.passes_rows:
            yield self._passing(batch)
        keys: list[Any] = []
        for start in range(0, batch.num_rows, _SLICE_ROWS):
            part = batch.slice(start, _SLICE_ROWS)
            t0 = perf_counter_ns()
            keys = self._keys_of(part)
            self._calls[0].statistics.decode_ns += perf_counter_ns() - t0
            self._add(part, keys, start)
            # Where rows are sorted only the last group can go on.
            if self._layout.sorted and len(self._all_keys()) >= _SLICE_ROWS:
                yield from self.emit(keep=keys[-1:])
        if self._is_full():
            yield from self.emit(keep=keys[-1:] if self._layout.sorted else ())

    def _keys_of(self, batch: pa.RecordBatch) -> list[Any]:
        count = len(self._layout.keys)
        columns = [hashable(batch.column(place), self._decoders[place]) for place in range(count)]
        return keys_of(columns, batch.num_rows)

    def _add(self, batch: pa.RecordBatch, keys: list[Any], first: int) -> None:
        if self._filtered or not self._accumulations:
            # A group whose rows all fail the conditions is a row of the result all the same.
            self._keys.update(dict.fromkeys(keys))
        for call, accumulation, groups, part in zip(
            self._calls, self._accumulations, self._groups, self._layout.parts, strict=True
        ):
            t0 = perf_counter_ns()
            own, columns = self._arguments(batch, keys, part, call)
            values = [decoder(column.type)(column) for column in columns]
            call.sample = partial(_of_one_group, own, columns)
            call.row_of = self._places(batch, part, first)
            t1 = perf_counter_ns()
            call.statistics.rows_in += len(own)
            with running(call, first, len(own)), accumulation.keeping(columns, first):
                self._accumulate(accumulation, groups, own, values, first)
            call.row_of = None
            call.statistics.decode_ns += t1 - t0
            call.statistics.user_ns += perf_counter_ns() - t1

    def _accumulate(
        self,
        accumulation: Accumulation,
        groups: _Groups,
        keys: list[Any],
        columns: list[list[Any]],
        first: int,
    ) -> None:
        group = self._naming(keys)
        if accumulation.in_place:
            accumulation.take_rows(map(groups.__getitem__, keys), columns, first, group)
            return
        rows = zip(*columns, strict=True) if columns else repeat(())
        call = accumulation.call
        done: list[Any] = []
        call.slice_start, call.results = first, done
        for place, (key, row) in enumerate(zip(keys, rows, strict=False)):
            naming = self._naming([key])
            groups[key] = accumulation.take_row(groups[key], row, first + place, naming)
            done.append(None)

    def _arguments(
        self, batch: pa.RecordBatch, keys: list[Any], part: AggregatePart, call: FunctionCall
    ) -> tuple[list[Any], list[pa.Array]]:
        """Keys and arguments of the rows that meet the function's condition."""
        columns = [batch.column(place) for place in part.arguments]
        if part.condition is not None:
            mask = batch.column(part.condition).fill_null(False)
            columns = [column.filter(mask) for column in columns]
            keys = [key for key, kept in zip(keys, mask.to_pylist(), strict=True) if kept]
        return keys, fitted(columns, call.header)

    def _places(
        self, batch: pa.RecordBatch, part: AggregatePart, first: int
    ) -> Callable[[int], int] | None:
        """Maps a row that met the condition to its position in the bundle; None without one."""
        if part.condition is None:
            return None
        mask = batch.column(part.condition).fill_null(False)

        def place(row: int) -> int:
            kept = [at for at, meets in enumerate(mask.to_pylist()) if meets]
            return first + kept[row - first]

        return place

    def _is_full(self) -> bool:
        groups = max((len(groups) for groups in self._groups), default=0)
        if self._most_groups is None and resident_bytes() - self._base > BOUND_BYTES:
            # Memory given back is not seen from outside: from here on groups are counted.
            self._most_groups = max(groups, 1)
        return self._most_groups is not None and groups >= self._most_groups

    def _all_keys(self) -> dict[Any, Any]:
        return self._keys if self._filtered else self._groups[0]

    def emit(self, keep: Sequence[Any] = ()) -> Iterator[pa.RecordBatch]:
        """Yields and forgets every group but those in ``keep``."""
        leaving = [key for key in self._all_keys() if key not in keep]
        for start in range(0, len(leaving), _ROWS_OUT):
            yield self._batch(leaving[start : start + _ROWS_OUT])
        for groups in (self._keys, *self._groups):
            kept = [(key, groups[key]) for key in keep if key in groups]
            groups.clear()
            groups.update(kept)

    def _batch(self, keys: list[Any]) -> pa.RecordBatch:
        group = self._naming(keys)
        leading = key_columns(keys, self._key_types)
        passing = self._leading[len(self._layout.keys) :]
        leading += [pa.nulls(len(keys), field.type) for field in passing]
        leading.append(pa.nulls(len(keys), pa.bool_()))
        columns = []
        for call, accumulation, groups in zip(
            self._calls, self._accumulations, self._groups, strict=True
        ):
            t0 = perf_counter_ns()
            columns.append(self._wrapped(accumulation, groups, keys, group))
            call.statistics.encode_ns += perf_counter_ns() - t0
            call.statistics.rows_out += len(keys)
        return self._assembled(leading, columns)

    def _wrapped(
        self, accumulation: Accumulation, groups: _Groups, keys: list[Any], group: Group
    ) -> pa.Array:
        """The accumulators as structs of one field; NULL for a group the function has not seen."""
        if not self._filtered:
            column = accumulation.encoded(list(map(groups.__getitem__, keys)), group)
            return pa.StructArray.from_arrays([column], [ACCUMULATOR_FIELD])
        there = [key in groups for key in keys]
        present = [key for key, is_there in zip(keys, there, strict=True) if is_there]
        column = accumulation.encoded([groups[key] for key in present], self._naming(present))
        places = iter(range(len(present)))
        where = [next(places) if is_there else None for is_there in there]
        taken = column.take(pa.array(where, pa.int64()))
        mask = pa.array([not is_there for is_there in there])
        return pa.StructArray.from_arrays([taken], [ACCUMULATOR_FIELD], mask=mask)

    def _passing(self, batch: pa.RecordBatch) -> pa.RecordBatch:
        width = len(self._leading)
        leading = [batch.column(place) for place in range(width)]
        leading.append(pa.repeat(True, batch.num_rows))
        empty = [
            pa.nulls(batch.num_rows, pa.struct([(ACCUMULATOR_FIELD, self._type_of(accumulation))]))
            for accumulation in self._accumulations
        ]
        return self._assembled(leading, empty)

    def _type_of(self, accumulation: Accumulation) -> pa.DataType:
        return accumulation.codec.encode([]).type

    def _assembled(self, leading: list[pa.Array], columns: list[pa.Array]) -> pa.RecordBatch:
        names = [*(field.name for field in self._leading), PASSED]
        names += [f"{ACCUMULATOR}{place}" for place in range(len(columns))]
        return pa.RecordBatch.from_arrays([*leading, *columns], names)

    def _naming(self, keys: list[Any]) -> Group:
        return lambda place: key_names(keys[place], self._layout.keys)


def _of_one_group(keys: Sequence[Any], columns: Sequence[pa.Array]) -> list[pa.Array]:
    """The rows of columns that have the first row's key."""
    own = pa.array([key == keys[0] for key in keys], pa.bool_())
    return [column.filter(own) for column in columns]
