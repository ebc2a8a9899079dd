"""Aggregate functions with OVER: one pass over rows that are sorted by window.

``WindowPass`` is what Spark pickles for ``mapInArrow``. Every column passes through as Arrow, and a
column of results per function is added behind it. The rows of a window partition follow each other
in the order of the window; the complete partitions of a bundle are processed together.

``sliding_frame`` moves an accumulator from frame to frame, ``window_frame`` says which rows a frame
has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import pairwise
from time import perf_counter_ns
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import ArrayType, MapType, StructType

from notebook_udf.functions.base import implements
from notebook_udf.specs.window_layout import WindowLayout, WindowPart
from notebook_udf.worker.aggregate.accumulator import Accumulation
from notebook_udf.worker.aggregate.frame_check import FrameCheck
from notebook_udf.worker.aggregate.prefix_sums import RunningSums
from notebook_udf.worker.aggregate.sliding_frame import Slide
from notebook_udf.worker.aggregate.window_frame import Bounds, range_bounds, rows_bounds
from notebook_udf.worker.call.coerce import fitted
from notebook_udf.worker.call.function_call import FunctionCall, running
from notebook_udf.worker.call.operator import Operator
from notebook_udf.worker.codec.arrays import Mask, Places
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import encoder
from notebook_udf.worker.codec.group_keys import hashable, key_names, keys_of
from notebook_udf.worker.codec.key_runs import run_starts, same_key


class WindowPass(Operator[WindowLayout, FunctionCall]):
    """Adds columns of window results to the rows of a Spark partition."""

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        windows: list[_Window] | None = None
        waiting: list[pa.RecordBatch] = []
        last: list[pa.Array] = []
        for batch in batches:
            if not batch.num_rows:
                continue
            if windows is None:
                windows = [
                    _Window(call, part, self.spec)
                    for call, part in zip(self.calls, self.spec.parts, strict=True)
                ]
            keys = [batch.column(place) for place in self.spec.partition]
            start = int(run_starts(keys, batch.num_rows)[-1])
            goes_on = not waiting or same_key(last, len(last[0]) - 1 if last else 0, keys, 0)
            if start or not goes_on:
                done = [*waiting, batch.slice(0, start)] if start else waiting
                waiting = [batch.slice(start)]
                yield from self._results(done, windows)
            else:
                waiting.append(batch)
            last = keys
        if waiting and windows is not None:
            yield from self._results(waiting, windows)

    def _results(
        self, batches: list[pa.RecordBatch], windows: list[_Window]
    ) -> Iterator[pa.RecordBatch]:
        rows = pa.Table.from_batches(batches).combine_chunks()
        (whole,) = rows.to_batches(max_chunksize=rows.num_rows) or [batches[0]]
        keys = [whole.column(place) for place in self.spec.partition]
        starts = run_starts(keys, whole.num_rows).tolist()
        ranges = list(pairwise([*starts, whole.num_rows]))
        compares = any(part.frame.compares for part in self.spec.parts)
        order = _keys(whole, self.spec.order) if compares else []
        columns = [window.results(whole, ranges, order) for window in windows]
        names = [*whole.schema.names, *self.spec.results]
        yield pa.RecordBatch.from_arrays([*whole.columns, *columns], names)


def _keys(batch: pa.RecordBatch, places: tuple[int, ...]) -> list[Any]:
    """A value per row: the column's, or a tuple of several columns'."""
    columns = [hashable(batch.column(place), decoder(batch.column(place).type)) for place in places]
    return keys_of(columns, batch.num_rows)


def _distinct(low: Places, high: Places) -> Mask:
    """Which rows' frames differ from the frame of the row before."""
    distinct: Mask = (np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0)
    return distinct


class _Window:
    """One function over its window partitions."""

    def __init__(self, call: FunctionCall, part: WindowPart, layout: WindowLayout) -> None:
        self._call = call
        self._part = part
        self._partition = layout.partition
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
        order: list[Any],
    ) -> pa.Array:
        """The function's value for each row's frame."""
        call = self._call
        group = partial(self._group, batch)
        t0 = perf_counter_ns()
        given = fitted([batch.column(at) for at in self._part.arguments], call.header)
        columns: list[list[Any]] | None = None
        skipped = self._skipped(batch)
        lows = self._values(batch, self._part.frame.low)
        highs = self._values(batch, self._part.frame.high)
        t1 = perf_counter_ns()
        made: list[Any] = []
        declared, create = call.header.accumulator_type, self.accumulation.create
        check = None if declared is None else FrameCheck(self.accumulation, declared, group)
        sums = None
        if self._part.sums is not None:
            size = batch.num_rows
            sums = RunningSums.of(self._part.sums, given, size, skipped, create, declared)
        with running(call, 0, batch.num_rows), self.accumulation.keeping(given):
            for start, end in ranges:
                low, high = self._bounds(order, lows, highs, start, end)
                distinct = _distinct(low, high)
                made_by = None
                if sums is not None:
                    made_by = sums.accumulators(start, low[distinct], high[distinct])
                if made_by is None and columns is None:
                    columns = [decoder(column.type)(column) for column in given]
                slide = Slide(
                    self.accumulation,
                    [column[start:end] for column in columns or ()],
                    skipped[start:end] if skipped is not None else None,
                    group,
                    retracts=self._retracts,
                    copies=self._copies,
                    check=check,
                )
                if made_by is None:
                    made += slide.run(low, high, first=start)
                else:
                    values = slide.ask(made_by, np.flatnonzero(distinct).tolist(), first=start)
                    made += map(values.__getitem__, (np.cumsum(distinct) - 1).tolist())
            if check is not None:
                check.finish()
        t2 = perf_counter_ns()
        column = self.accumulation.encode_values(made, self._encode, group)
        call.statistics.decode_ns += t1 - t0
        call.statistics.user_ns += t2 - t1
        call.statistics.encode_ns += perf_counter_ns() - t2
        call.statistics.rows_in += batch.num_rows
        call.statistics.rows_out += batch.num_rows
        return column

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

    def _group(self, batch: pa.RecordBatch, row: int) -> Mapping[str, Any]:
        """The keys of a row's window, for messages."""
        (key,) = _keys(batch.slice(row, 1), self._partition)
        return key_names(key, self._names)
