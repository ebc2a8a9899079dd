"""Aggregate functions OVER windows: a pass over rows that are sorted by window.

``WindowPass`` is what Spark pickles for ``mapInArrow``. Every column comes in and leaves again, as
Arrow, with a column of results per function behind it. Rows of one window partition follow each
other in the order of the window; a bundle's complete partitions are worked on together.

How an accumulator follows the frames is in ``slide``, which rows a frame has in ``frames``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from time import perf_counter_ns
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, MapType, StructType

from notebook_udf.functions.base import implements
from notebook_udf.worker.accumulators import Accumulation
from notebook_udf.worker.arguments import fitted
from notebook_udf.worker.call import FunctionCall, announce, running
from notebook_udf.worker.decode import decoder
from notebook_udf.worker.encode import encoder
from notebook_udf.worker.frames import Bounds, Frame, range_bounds, rows_bounds
from notebook_udf.worker.keys import hashable
from notebook_udf.worker.shipment import Shipment
from notebook_udf.worker.slide import Slide


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
        compares = any(part.frame.compares for part in self._layout.parts)
        order = _keys(whole, self._layout.order) if compares else []
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
    _, run = next(groupby(reversed(keys)))
    return len(keys) - sum(1 for _ in run)


def _ranges(keys: list[Any]) -> list[tuple[int, int]]:
    """Runs of equal keys."""
    ranges, start = [], 0
    # Compares by identity first, so that the one NaN of ``keys.hashable`` is equal to itself.
    for _, run in groupby(keys):
        end = start + sum(1 for _ in run)
        ranges.append((start, end))
        start = end
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
        self._copies = isinstance(result, (ArrayType, MapType, StructType))
        self._retracts = implements(call.function, "retract")

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
        given = self._arguments(batch)
        columns = [decoder(column.type)(column) for column in given]
        skipped = self._skipped(batch)
        lows = self._values(batch, self._part.frame.low)
        highs = self._values(batch, self._part.frame.high)
        t1 = perf_counter_ns()
        made: list[Any] = []
        with running(call, 0, batch.num_rows), self.accumulation.keeping(given):
            for start, end in ranges:
                part = [column[start:end] for column in columns]
                without = skipped[start:end] if skipped is not None else None
                slide = Slide(
                    self.accumulation,
                    part,
                    without,
                    self._group(keys[start]),
                    retracts=self._retracts,
                    copies=self._copies,
                )
                made += slide.run(*self._bounds(order, lows, highs, start, end), first=start)
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

    def _arguments(self, batch: pa.RecordBatch) -> list[pa.Array]:
        return fitted([batch.column(at) for at in self._part.arguments], self._call.header)

    def _skipped(self, batch: pa.RecordBatch) -> list[bool] | None:
        """Which rows do not meet the function's condition; None if it has none."""
        if self._part.condition is None:
            return None
        return [not kept for kept in batch.column(self._part.condition).to_pylist()]

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
