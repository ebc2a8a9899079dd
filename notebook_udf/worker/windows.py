"""Aggregate functions OVER windows: a pass over rows that are sorted by window.

``WindowPass`` is what Spark pickles for ``mapInArrow``. Every column comes in and leaves again, as
Arrow, with a column of results per function behind it. Rows of one window partition follow each
other in the order of the window; a bundle's complete partitions are worked on together.

A frame that moves over the rows takes new rows in with ``accumulate`` and lets old ones go with
``retract``, so that a row costs the same whatever the frame; without ``retract`` a frame that
loses rows is accumulated anew.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, MapType, StructType

from notebook_udf.functions.base import implements
from notebook_udf.worker.accumulators import Accumulation
from notebook_udf.worker.arguments import fitted
from notebook_udf.worker.blame import WorkerStopped
from notebook_udf.worker.call import FunctionCall, announce
from notebook_udf.worker.decode import decoder
from notebook_udf.worker.encode import encoder
from notebook_udf.worker.frames import Bounds, Frame, range_bounds, rows_bounds
from notebook_udf.worker.keys import hashable
from notebook_udf.worker.shipment import Shipment


@dataclass(frozen=True)
class WindowPart:
    """One function's share: places of its argument columns and of its condition, its frame."""

    arguments: tuple[int, ...]
    condition: int | None
    frame: Frame


@dataclass(frozen=True)
class WindowLayout:
    """One window.

    Attributes
    ----------
    partition, order
        Places of the columns it is partitioned and ordered by.
    names
        The partition columns' names in messages.
    parts, results
        Each function's share, and the name of its column of results.
    """

    partition: tuple[int, ...]
    names: tuple[str, ...]
    order: tuple[int, ...]
    parts: tuple[WindowPart, ...]
    results: tuple[str, ...]


class WindowPass:
    """Adds columns of window results to the rows of a Spark partition."""

    def __init__(
        self, layout: WindowLayout, shipments: tuple[Shipment, ...], calls: list[FunctionCall]
    ) -> None:
        self._layout = layout
        self._shipments = shipments
        self._calls = calls

    @classmethod
    def of(cls, layout: WindowLayout, shipments: Iterable[Shipment]) -> WindowPass:
        """A pass to be pickled."""
        return cls(layout, tuple(shipments), [])

    def __reduce__(self) -> Any:
        return _arrive, (self._layout, self._shipments)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        windows: list[_Window] | None = None
        waiting: list[pa.RecordBatch] = []
        last: Any = None
        for batch in batches:
            if not batch.num_rows:
                continue
            if windows is None:
                windows = [
                    _Window(call, part, self._layout)
                    for call, part in zip(self._calls, self._layout.parts, strict=True)
                ]
            keys = _keys(batch, self._layout.partition)
            start = _last_start(keys)
            if start or (waiting and keys[0] != last):
                done = [*waiting, batch.slice(0, start)] if start else waiting
                waiting = [batch.slice(start)]
                yield from self._results(done, windows)
            else:
                waiting.append(batch)
            last = keys[-1]
        if waiting and windows is not None:
            yield from self._results(waiting, windows)

    def _results(
        self, batches: list[pa.RecordBatch], windows: list[_Window]
    ) -> Iterator[pa.RecordBatch]:
        rows = pa.Table.from_batches(batches).combine_chunks()
        (whole,) = rows.to_batches(max_chunksize=rows.num_rows) or [batches[0]]
        keys = _keys(whole, self._layout.partition)
        order = _keys(whole, self._layout.order)
        ranges = _ranges(keys)
        columns = [window.results(whole, ranges, keys, order) for window in windows]
        names = [*whole.schema.names, *self._layout.results]
        yield pa.RecordBatch.from_arrays([*whole.columns, *columns], names)


def _arrive(layout: WindowLayout, shipments: tuple[Shipment, ...]) -> WindowPass:
    calls = [announce(FunctionCall(shipment, in_pass=True)) for shipment in shipments]
    return WindowPass(layout, shipments, calls)


def _keys(batch: pa.RecordBatch, places: tuple[int, ...]) -> list[Any]:
    """A value per row: the column's, or a tuple of several columns'."""
    if not places:
        return [()] * batch.num_rows
    columns = [hashable(batch.column(place), decoder(batch.column(place).type)) for place in places]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _last_start(keys: list[Any]) -> int:
    """Where the last run of equal keys begins."""
    start = len(keys) - 1
    while start and (keys[start - 1] is keys[-1] or keys[start - 1] == keys[-1]):
        start -= 1
    return start


def _ranges(keys: list[Any]) -> list[tuple[int, int]]:
    """Runs of equal keys."""
    ranges, start = [], 0
    for row in range(1, len(keys) + 1):
        if row == len(keys) or not (keys[row] is keys[start] or keys[row] == keys[start]):
            ranges.append((start, row))
            start = row
    return ranges


class _Window:
    """One function over its windows."""

    def __init__(self, call: FunctionCall, part: WindowPart, layout: WindowLayout) -> None:
        self._call = call
        self._part = part
        self._names = layout.names
        self.accumulation = Accumulation(call)
        result = call.header.result_type
        self._encode = encoder(result)
        # What get_value answers may be a part of the accumulator, which goes on changing.
        self.copies = isinstance(result, (ArrayType, MapType, StructType))
        self.retracts = implements(call.function, "retract")

    def results(
        self,
        batch: pa.RecordBatch,
        ranges: list[tuple[int, int]],
        keys: list[Any],
        order: list[Any],
    ) -> pa.Array:
        """The function's value for each row's frame."""
        call = self._call
        t0 = perf_counter_ns()
        rows = self._rows(batch)
        lows = self._values(batch, self._part.frame.low)
        highs = self._values(batch, self._part.frame.high)
        t1 = perf_counter_ns()
        made: list[Any] = []
        call.slice_start, call.results = 0, made
        for start, end in ranges:
            bounds = self._bounds(order, lows, highs, start, end)
            _Slide(self, rows, start, made, self._group(keys[start])).run(*bounds)
        t2 = perf_counter_ns()
        column = self.accumulation.encode_values(
            made, self._encode, lambda row: self._group(keys[row])
        )
        call.decode_ns += t1 - t0
        call.user_ns += t2 - t1
        call.encode_ns += perf_counter_ns() - t2
        call.rows_in += batch.num_rows
        call.rows_out += batch.num_rows
        return column

    def _rows(self, batch: pa.RecordBatch) -> list[tuple[Any, ...] | None]:
        """The arguments of every row; None for a row that does not meet the condition."""
        columns = fitted([batch.column(at) for at in self._part.arguments], self._call.header)
        decoded = [decoder(column.type)(column) for column in columns]
        rows: list[Any] = list(zip(*decoded, strict=True)) or [()] * batch.num_rows
        if self._part.condition is None:
            return rows
        kept = batch.column(self._part.condition).to_pylist()
        return [row if keep else None for row, keep in zip(rows, kept, strict=True)]

    def _values(self, batch: pa.RecordBatch, place: int | None) -> list[Any] | None:
        if place is None:
            return None
        column = batch.column(place)
        return hashable(column, decoder(column.type))

    def _bounds(
        self,
        order: list[Any],
        lows: list[Any] | None,
        highs: list[Any] | None,
        start: int,
        end: int,
    ) -> Bounds:
        frame = self._part.frame
        if frame.kind == "rows" or frame.is_whole:
            return rows_bounds(frame, end - start)
        return range_bounds(
            frame,
            order[start:end],
            None if lows is None else lows[start:end],
            None if highs is None else highs[start:end],
        )

    def _group(self, key: Any) -> Mapping[str, Any]:
        values = (key,) if len(self._names) == 1 else key
        return dict(zip(self._names, values, strict=True))


class _Slide:
    """One window partition: frames in their order, and one accumulator that follows them."""

    def __init__(
        self,
        window: _Window,
        rows: list[tuple[Any, ...] | None],
        start: int,
        made: list[Any],
        group: Mapping[str, Any],
    ) -> None:
        self._accumulation = window.accumulation
        self._retracts = window.retracts
        self._copies = window.copies
        self._rows = rows
        self._start = start
        self._made = made
        self._group = group

    def run(self, low: list[int], high: list[int]) -> None:
        """Appends the value of each frame."""
        accumulator = self._accumulation.create()
        first = last = 0
        value: Any = None
        known = False
        for frame_low, frame_high in zip(low, high, strict=True):
            if known and frame_low == first and frame_high == last:
                self._append(value)
                continue
            lets_go = frame_low > first
            if frame_low < first or frame_high < last or (
                lets_go and (not self._retracts or frame_low >= last)
            ):  # fmt: skip
                accumulator = self._accumulation.create()
                first = last = frame_low
            accumulator = self._take("accumulate", accumulator, last, frame_high)
            accumulator = self._take("retract", accumulator, first, frame_low)
            first, last, known = frame_low, frame_high, True
            value = self._value(accumulator)
            self._append(value)

    def _take(self, method: str, accumulator: Any, start: int, end: int) -> Any:
        """Takes rows in or out; answers the accumulator to go on with."""
        accumulation, rows = self._accumulation, self._rows
        call = getattr(accumulation, method)
        in_place = accumulation.in_place
        for row in range(self._start + start, self._start + end):
            arguments = rows[row]
            if arguments is None:
                continue
            try:
                answer = call(accumulator, *arguments)
                if answer is not None or not in_place:
                    accumulator = accumulation.checked(method, accumulator, answer)
            except WorkerStopped:
                raise
            except BaseException as error:
                accumulation.row_failed(error, list(arguments), row, self._group, method)
                # Never taken in, it must not be taken out later.
                rows[row] = None
        return accumulator

    def _value(self, accumulator: Any) -> Any:
        try:
            return self._accumulation.value(accumulator)
        except WorkerStopped:
            raise
        except BaseException as error:
            place = len(self._made)
            self._accumulation.row_failed(error, [accumulator], place, self._group, "get_value")
            return None

    def _append(self, value: Any) -> None:
        self._made.append(copy.deepcopy(value) if self._copies else value)
