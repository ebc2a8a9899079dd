"""The groups of a stream in one partition: loaded, changed, written back, and ended.

A key's accumulators are one value of state: read and written once per micro-batch, those of many
keys together. Accumulators that hold large views leave them in ``kept`` entries. Rows that are
taken out again come after all others of their key, so that nothing is taken out that has not been
put in.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from time import perf_counter_ns
from typing import Any

import pyarrow as pa

from notebook_udf.errors import DeclarationError, PlanningError
from notebook_udf.functions.views import MapView
from notebook_udf.types import to_arrow
from notebook_udf.worker.accumulators import Accumulation, Group
from notebook_udf.worker.arguments import fitted
from notebook_udf.worker.caches import ABSENT, EntryCache, Place
from notebook_udf.worker.call import FunctionCall, running
from notebook_udf.worker.decode import decoder
from notebook_udf.worker.groups import ACCUMULATOR_FIELD, result_encoder
from notebook_udf.worker.kept import Keeper
from notebook_udf.worker.keys import frozen, hashable, key_columns, key_names, keys_of
from notebook_udf.worker.runs import runs_of
from notebook_udf.worker.state_keys import from_internal, internal, received
from notebook_udf.worker.state_server import StateServer, StateServerError, pickled, unpickled
from notebook_udf.worker.stream_layout import ACCUMULATORS, DELETES, INSERTS, VIEWS, StreamLayout

_VARIABLES = (("value", ACCUMULATORS), ("map", VIEWS))
_ROWS_OUT = 32_768


@dataclass
class _Held:
    """A key's accumulators while its rows come in."""

    key: Any
    place: bytes
    accumulators: list[Any]
    seen: list[MapView[Any, Any] | None]
    rows: int
    views: dict[str, int] = field(default_factory=dict)
    known: bool = False
    taken_out: list[list[tuple[Any, ...]]] = field(default_factory=list)


class StreamGroups:
    """The keys of one partition."""

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
        self._accumulations = [Accumulation(call) for call in calls]
        self._encoders = [result_encoder(call) for call in calls]
        self._cache = EntryCache(
            ViewEntries(server), reads=layout.cached_reads, writes=layout.cached_writes
        )
        self._keeper = Keeper(self._cache)
        self._key_types = [to_arrow(f.dataType) for f in layout.key_types.fields]
        self._held: dict[Any, _Held] = {}

    def add(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """Takes rows in; answers the results of keys that have no more."""
        t0 = perf_counter_ns()
        runs = runs_of(batch.columns[: len(self._layout.keys)], batch.num_rows)
        self._calls[0].decode_ns += perf_counter_ns() - t0
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
            self._take(rows, list(held), first)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """No rows are left."""
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

    # Rows ------------------------------------------------------------------------------------

    def _take(self, rows: pa.RecordBatch, held: list[_Held], first: int) -> None:
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
            call.rows_in += rows.num_rows
            call.user_ns += perf_counter_ns() - t0

    def _merge(self, number: int, structs: pa.Array, held: list[_Held], first: int) -> None:
        accumulation = self._accumulations[number]
        decoded = accumulation.codec.decode(
            structs.field(ACCUMULATOR_FIELD).filter(structs.is_valid())
        )
        partial = iter(decoded)
        group = self._naming(held)
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
        held: list[_Held],
        deletes: list[bool] | None,
        first: int,
    ) -> None:
        part, call = self._layout.parts[number], self._calls[number]
        columns = [rows.column(place) for place in part.arguments]
        own: Sequence[_Held] = held
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
            equal = [hashable(column, decoder(column.type)) for column in columns]
            own, values, deletes = self._once(number, own, values, equal, deletes)
        if deletes is not None and any(deletes):
            own, values = self._set_aside(number, own, values, deletes)
        with running(call, first, len(own)):
            self._put_in(number, own, values, first)

    def _put_in(
        self, number: int, own: Sequence[_Held], values: list[list[Any]], first: int
    ) -> None:
        accumulation = self._accumulations[number]
        group = self._naming(own)
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
        self, number: int, own: Sequence[_Held], values: list[list[Any]], deletes: list[bool]
    ) -> tuple[list[_Held], list[list[Any]]]:
        """Keeps rows to be taken out until the key's last row has come; answers the others."""
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
        own: Sequence[_Held],
        values: list[list[Any]],
        equal: list[list[Any]],
        deletes: list[bool] | None,
    ) -> tuple[list[_Held], list[list[Any]], list[bool] | None]:
        """The rows whose arguments a key has not had before; counts all of them.

        Rows to be taken out are all kept: whether one is the last is known at the key's end.
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

    def _take_out(self, held: _Held) -> None:
        for number, rows in enumerate(held.taken_out):
            accumulation, counts = self._accumulations[number], held.seen[number]
            for row in rows:
                if counts is not None:
                    same = frozen(row)
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
                    lambda _: self._named(held.key),
                )
        held.taken_out = []

    def _deletes(self, marks: pa.Array) -> list[bool]:
        """Which rows are taken out."""
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

    # State -----------------------------------------------------------------------------------

    def _load(self, keys: list[Any], rows: pa.RecordBatch, places: list[int]) -> None:
        fresh = [
            (key, place) for key, place in zip(keys, places, strict=True) if key not in self._held
        ]
        firsts = rows.take(pa.array([place for _, place in fresh], pa.int64()))
        columns = [internal(firsts.column(i)) for i in range(len(self._layout.keys))]
        state_keys = [pickled(row) for row in zip(*columns, strict=True)]
        values = self._server.values(ACCUMULATORS, state_keys)
        timers: list[tuple[bytes, int]] = []
        for (key, _), place, value in zip(fresh, state_keys, values, strict=True):
            held = self._held[key] = self._loaded(key, place, value)
            if self._layout.event is not None and not held.known:
                ends = self._ends(unpickled(place))
                timers += [] if ends is None else [(place, ends)]
        if timers:
            self._server.register_timers(timers)

    def _loaded(self, key: Any, place: bytes, value: bytes | None) -> _Held:
        if value is None:
            seen: list[MapView[Any, Any] | None]
            seen = [MapView() if once else None for once in self._layout.distinct]
            return _Held(key, place, [a.create() for a in self._accumulations], seen, 0)
        (accumulators, seen, rows), views = self._keeper.load(place, unpickled(value)[0])
        return _Held(key, place, accumulators, seen, rows, views, known=True)

    def _leave(self, keep: Any = ABSENT) -> Iterator[pa.RecordBatch]:
        """Writes what is held but for one key, and answers the results."""
        # Identity as well, because NaN is unequal to itself.
        held = [each for key, each in self._held.items() if key is not keep and key != keep]
        if not held:
            return
        for each in held:
            if each.taken_out:
                self._take_out(each)
            del self._held[each.key]
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

    def _dumped(self, held: _Held) -> tuple[bytes, dict[str, int]]:
        try:
            return self._keeper.dump(held.place, (held.accumulators, held.seen, held.rows))
        except StateServerError:
            raise
        except Exception as error:
            self._blame(held, error)
            raise

    def _blame(self, held: _Held, error: Exception) -> None:
        """Ends the task with the name of the function whose accumulator cannot be pickled."""
        for call, accumulator in zip(self._calls, held.accumulators, strict=True):
            try:
                self._keeper.dump(held.place, accumulator)
            except Exception:
                group = self._named(held.key)
                call.fail(
                    DeclarationError(
                        f"the accumulator of {call.name} for group {group} cannot be kept in the "
                        f"stream's state ({type(error).__name__}: {error}): keep only what can "
                        f"be pickled in it"
                    ),
                    group=group,
                )

    # Results ---------------------------------------------------------------------------------

    def _results(self, held: list[_Held]) -> Iterator[pa.RecordBatch]:
        for start in range(0, len(held), _ROWS_OUT):
            part = held[start : start + _ROWS_OUT]
            columns = key_columns([each.key for each in part], self._key_types)
            group = self._naming(part)
            for number, (call, accumulation) in enumerate(
                zip(self._calls, self._accumulations, strict=True)
            ):
                t0 = perf_counter_ns()
                given = [each.accumulators[number] for each in part]
                columns.append(accumulation.values(given, self._encoders[number], group))
                call.slice_start = -1
                call.encode_ns += perf_counter_ns() - t0
                call.rows_out += len(part)
            yield wrapped(columns)

    def _ends(self, key: tuple[Any, ...]) -> int | None:
        """When a group is over, in milliseconds: at its event time, or at the end of its window."""
        assert self._layout.event is not None
        at = key[self._layout.event]
        micros = at[1] if isinstance(at, (tuple, list)) else at
        return None if micros is None else -(-int(micros) // 1000)

    def _naming(self, held: Sequence[_Held]) -> Group:
        return lambda place: self._named(held[place].key)

    def _named(self, key: Any) -> Mapping[str, Any]:
        return key_names(key, self._layout.keys)


class ViewEntries:
    """The entries of large views, in the state."""

    def __init__(self, server: StateServer) -> None:
        self._server = server

    def read(self, places: Sequence[Place]) -> list[Any]:
        found = self._server.entries(VIEWS, [(key, pickled(name)) for key, name in places])
        return [ABSENT if v is None else pickle.loads(unpickled(v)[0]) for v in found]

    def write(self, entries: Any) -> None:
        self._server.put_entries(
            VIEWS,
            [
                (key, pickled(name), None if v is ABSENT else pickled((pickle.dumps(v, 5),)))
                for (key, name), v in entries
            ],
        )


def wrapped(columns: list[pa.Array]) -> pa.RecordBatch:
    """Rows as Spark takes them here: as the structs of one column."""
    names = [f"_{place}" for place in range(len(columns))]
    return pa.RecordBatch.from_arrays([pa.StructArray.from_arrays(columns, names)], ["_0"])
