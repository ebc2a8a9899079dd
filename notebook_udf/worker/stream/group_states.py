"""The groups of one partition of a stream: loaded, changed, stored, and ended.

A key's accumulators are one value of state, read and written once per micro-batch, those of many
keys together. Accumulators that hold large views leave them in entries of ``spilled_views``.
``accumulate`` applies rows to accumulators.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, repeat
from time import perf_counter_ns
from typing import Any

import pyarrow as pa

from notebook_udf.errors import DeclarationError, PlanningError
from notebook_udf.functions.views import MapView
from notebook_udf.specs.state_layout import ACCUMULATORS, VIEWS, StreamLayout
from notebook_udf.types import to_arrow
from notebook_udf.worker.aggregate.accumulator import LOST
from notebook_udf.worker.aggregate.collected import result_encoder
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.codec.group_keys import key_columns, key_names, keys_of
from notebook_udf.worker.codec.key_runs import runs_of
from notebook_udf.worker.state.cache import ABSENT, EntryCache
from notebook_udf.worker.state.client import StateServer, StateServerError, pickled, unpickled
from notebook_udf.worker.state.spilled_views import Keeper
from notebook_udf.worker.state.state_keys import from_internal, keys_at, received
from notebook_udf.worker.state.view_entries import ViewEntries
from notebook_udf.worker.stream.accumulate import HeldValue, StreamRows

_VARIABLES = (("value", ACCUMULATORS), ("map", VIEWS))
_ROWS_OUT = 32_768


class StreamGroups:
    """The groups of one partition, with their accumulators in state."""

    def __init__(
        self, layout: StreamLayout, calls: list[FunctionCall], server: StateServer, mode: str
    ) -> None:
        self._layout = layout
        self._calls = calls
        self._server = server
        self._final = mode == "append"
        if self._final and layout.event is None:
            calls[0].fail(
                PlanningError(
                    "append takes rows that never change, and without an event time among the "
                    "groups each row may change one: use outputMode('update'), or group by a "
                    "window over a column with a watermark"
                )
            )
        self._rows = StreamRows(layout, calls)
        self._accumulations = self._rows.accumulations
        self._encoders = [result_encoder(call) for call in calls]
        self._cache = EntryCache(
            ViewEntries(server), reads=layout.cached_reads, writes=layout.cached_writes
        )
        self._keeper = Keeper(self._cache)
        self._key_types = [to_arrow(f.dataType) for f in layout.key_types.fields]
        self._held: dict[Any, HeldValue] = {}

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Processes rows; returns the results of keys that have no more."""
        t0 = perf_counter_ns()
        runs = runs_of(batch.columns[: len(self._layout.keys)], batch.num_rows)
        self._calls[0].statistics.decode_ns += perf_counter_ns() - t0
        for place in range(0, len(runs), self._layout.cached_keys):
            part = runs[place : place + self._layout.cached_keys]
            first, last = part[0][1], part[-1][2]
            # A key whose rows go on from the batch before is held still; others are done.
            yield from self._leave(keep=part[0][0])
            rows = batch.slice(first, last - first)
            self._load([key for key, _, _ in part], rows, [at - first for _, at, _ in part])
            held = chain.from_iterable(
                repeat(self._held[key], end - start) for key, start, end in part
            )
            self._rows.take(rows, list(held), first)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """Processes the last key, as no more rows follow."""
        yield from self._leave()
        self._cache.flush()

    def expire(self) -> Iterator[pa.RecordBatch]:
        """Ends the groups that the watermark has passed."""
        assert self._layout.event is not None
        expired = list(self._server.expired())
        for start in range(0, len(expired), self._layout.cached_keys):
            part = expired[start : start + self._layout.cached_keys]
            rows = [tuple(map(received, key, self._key_types)) for key, _ in part]
            places = list(map(pickled, rows))
            keys = keys_of(from_internal(rows, self._key_types), len(rows))
            values = self._server.values(ACCUMULATORS, places)
            held = [
                self._loaded(key, place, value)
                for key, place, value in zip(keys, places, values, strict=True)
                if value is not None
            ]
            if self._final:
                yield from self._results(held)
            for each in held:
                self._keeper.drop(each.place, each.views)
            self._cache.flush()
            self._server.clear(_VARIABLES, places)
            self._server.delete_timers(
                [(place, at) for place, (_, at) in zip(places, part, strict=True)]
            )

    # State -----------------------------------------------------------------------------------

    def _load(self, keys: list[Any], rows: pa.RecordBatch, places: list[int]) -> None:
        fresh = [
            (key, place) for key, place in zip(keys, places, strict=True) if key not in self._held
        ]
        state_keys = keys_at(rows, [place for _, place in fresh], len(self._layout.keys))
        values = self._server.values(ACCUMULATORS, state_keys)
        timers: list[tuple[bytes, int]] = []
        for (key, _), place, value in zip(fresh, state_keys, values, strict=True):
            held = self._held[key] = self._loaded(key, place, value)
            if self._layout.event is not None and not held.known:
                ends = self._ends(unpickled(place))
                timers += [] if ends is None else [(place, ends)]
        if timers:
            self._server.register_timers(timers)

    def _loaded(self, key: Any, place: bytes, value: bytes | None) -> HeldValue:
        if value is None:
            seen: list[MapView[Any, Any] | None]
            seen = [MapView() if once else None for once in self._layout.distinct]
            return HeldValue(key, place, [a.create() for a in self._accumulations], seen, 0)
        (accumulators, seen, rows), views = self._keeper.load(place, unpickled(value)[0])
        return HeldValue(key, place, accumulators, seen, rows, views, known=True)

    def _leave(self, keep: Any = ABSENT) -> Iterator[pa.RecordBatch]:
        """Stores the accumulators of all keys but one, and returns their results."""
        # Identity as well, because NaN is unequal to itself.
        held = [each for key, each in self._held.items() if key is not keep and key != keep]
        if not held:
            return
        for each in held:
            if each.taken_out:
                self._rows.take_out(each)
            del self._held[each.key]
        self._check(held)
        if not self._final:
            yield from self._results(held)
        # No row of theirs is left: such keys are forgotten.
        empty = self._layout.changes is not None
        gone = [each for each in held if empty and each.rows <= 0]
        written = []
        for each in held:
            if empty and each.rows <= 0:
                self._keeper.drop(each.place, each.views)
                continue
            value, views = self._dumped(each)
            self._keeper.drop(each.place, {k: n for k, n in each.views.items() if k not in views})
            written.append((each.place, pickled((value,))))
        self._cache.flush()
        self._server.update(ACCUMULATORS, written)
        self._server.clear(_VARIABLES, [each.place for each in gone])

    def _check(self, held: list[HeldValue]) -> None:
        """Checks accumulators before their results leave and before they are stored, which cannot
        be taken back."""
        for number, accumulation in enumerate(self._accumulations):
            kept = [each for each in held if each.accumulators[number] is not LOST]
            accumulation.check(
                [each.accumulators[number] for each in kept], self._rows.naming(kept)
            )

    def _dumped(self, held: HeldValue) -> tuple[bytes, dict[str, int]]:
        try:
            return self._keeper.dump(held.place, (held.accumulators, held.seen, held.rows))
        except StateServerError:
            raise
        except Exception as error:
            self._blame(held, error)
            raise

    def _blame(self, held: HeldValue, error: Exception) -> None:
        """Ends the task with the name of the function whose accumulator cannot be pickled."""
        for call, accumulator in zip(self._calls, held.accumulators, strict=True):
            try:
                self._keeper.dump(held.place, accumulator)
            except Exception:
                group = key_names(held.key, self._layout.keys)
                call.fail(
                    DeclarationError(
                        f"the accumulator of {call.name} for group {group} cannot be kept in the "
                        f"stream's state ({type(error).__name__}: {error}): keep only what can "
                        f"be pickled in it"
                    ),
                    group=group,
                )

    # Results ---------------------------------------------------------------------------------

    def _results(self, held: list[HeldValue]) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(held), _ROWS_OUT):
            part = held[start : start + _ROWS_OUT]
            columns = key_columns([each.key for each in part], self._key_types)
            group = self._rows.naming(part)
            for number, (call, accumulation) in enumerate(
                zip(self._calls, self._accumulations, strict=True)
            ):
                t0 = perf_counter_ns()
                given = [each.accumulators[number] for each in part]
                columns.append(accumulation.values(given, self._encoders[number], group))
                call.slice_start = -1
                call.statistics.encode_ns += perf_counter_ns() - t0
                call.statistics.rows_out += len(part)
            yield pa.RecordBatch.from_arrays(columns, [f"_{i}" for i in range(len(columns))])

    def _ends(self, key: tuple[Any, ...]) -> int | None:
        """When a group ends, in milliseconds: at its event time, or at the end of its window."""
        assert self._layout.event is not None
        at = key[self._layout.event]
        micros = at[1] if isinstance(at, (tuple, list)) else at
        return None if micros is None else -(-int(micros) // 1000)
