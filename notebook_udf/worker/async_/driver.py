"""Drives async functions: columns in, parts of rows in flight, columns of results out.

``Flow`` is one function's rows. ``Driver`` is what the main thread does for all functions of a node
while calls are in flight: read, with back-pressure, wait, watch and report. ``ordered`` and
``unordered`` decide when results leave.
"""

from __future__ import annotations

import logging
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import repeat
from queue import Empty, SimpleQueue
from time import perf_counter_ns
from typing import TypeAlias

import pyarrow as pa

from notebook_udf.errors import PlanningError
from notebook_udf.worker.async_.async_function_call import AsyncCall
from notebook_udf.worker.async_.in_flight import CallFailure, FlightPart
from notebook_udf.worker.call.coerce import fitted
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.runtime.timeout import CallTimedOut
from notebook_udf.worker.scalar.masked import Lists

# Rows in a part: enough that its way out costs each of them little, and not so many that a slow
# service's first results wait long for the last.
_MOST_ROWS, _LEAST_ROWS, _ROWS_PER_LANE = 2048, 64, 8

_GLANCE_SECONDS = 0.25
_REPORT_SECONDS = 0.5
# A loop that stands still for this long is held by a call that does not await.
_BLOCKED_SECONDS = 1.0
_GRACE_SECONDS = 2.0

RowOf: TypeAlias = Callable[[int], int]

_log = logging.getLogger(__name__)


@dataclass
class Bundle:
    """One function's rows of a bundle, while they are in flight.

    Attributes
    ----------
    place
        Its number, and how many rows Spark sent.
    rows
        Which of them these are: a call inside another hands on its results part by part.
    parts
        Its rows, or the elements of its lists.
    open_parts
        How many of them have not left.
    lists
        What the results are put back into; None if each belongs to a row.
    """

    place: tuple[int, int]
    rows: range
    parts: list[FlightPart]
    lists: Lists | None
    quarantine: Quarantine
    open_parts: int


class Flow:
    """One function's rows: decoded from columns into parts, encoded from results into a column."""

    def __init__(self, call: AsyncCall, news: SimpleQueue[None]) -> None:
        self.call = call
        self.lanes = call.start(news)
        # Rows in a part; the same for functions whose results leave together.
        self.size = _MOST_ROWS
        self._encode = encoder(call.header.result_type)
        self._on_error = call.options.on_error
        # Rows that have come in.
        self._entered = 0

    def enter(self, columns: Sequence[pa.Array], rows: int, *, unordered: bool = False) -> Bundle:
        """Feeds the rows of a bundle to the lanes."""
        call, lists, guard, count = self.call, None, None, rows
        t0 = perf_counter_ns()
        if call.header.role in ("each", "each2"):
            lists = Lists(columns[0])
            if lists.by_name:
                raise PlanningError(f"{call.name}: arguments by name cannot be sent in lists")
            columns, guard, count = lists.placed, lists.guard, lists.count
        elif call.header.role == "guarded":
            guard, *columns = columns
        columns = fitted(list(columns), call.header)
        if guard is None:
            call.sample = lambda: columns
        reached = None if guard is None else guard.fill_null(False).to_pylist()
        decoded = [decoder(column.type)(column) for column in columns]
        arguments = list(zip(*decoded, strict=True)) if decoded else list(repeat((), count))
        number, start, size = call.task.place(self._entered)
        self._entered += rows
        place, row_of = (number, size), _behind(start, None if lists is None else lists.row_of)
        parts = [
            FlightPart(
                first,
                arguments[first : first + self.size],
                None if reached is None else reached[first : first + self.size],
                place,
                row_of,
            )
            for first in range(0, count, self.size)
        ]
        if unordered:
            for part in parts:
                part.fresh = []
        call.statistics.rows_in += sum(part.calls for part in parts)
        call.statistics.decode_ns += perf_counter_ns() - t0
        quarantine = Quarantine(call, columns, bundle=number)
        self.lanes.feed(parts)
        return Bundle(place, range(start, start + rows), parts, lists, quarantine, len(parts))

    def leave(
        self,
        bundle: Bundle,
        part: FlightPart,
        indices: Sequence[int] | None = None,
        *,
        last: bool = True,
    ) -> pa.Array:
        """The results of a part, or of some of its rows; ``last`` if no more of it follow."""
        call = self.call
        t0 = perf_counter_ns()
        places = range(len(part)) if indices is None else indices
        if part.failures:
            for index in places:
                if index in part.failures:
                    self.fail(bundle, part, index, part.failures[index], self._on_error)
        results = part.results if indices is None else [part.results[i] for i in indices]
        while True:
            try:
                column = self._encode(results)
                break
            except BadResult as error:
                failure = CallFailure(error, 1)
                self.fail(bundle, part, places[error.index], failure, self._on_error)
                results[error.index] = None
        reached = part.reached
        rows_out = len(places) if reached is None else sum(reached[i] for i in places)
        call.statistics.rows_out += rows_out
        call.statistics.encode_ns += perf_counter_ns() - t0
        if last:
            call.note_metrics(part)
            bundle.open_parts -= 1
            if not bundle.open_parts:
                bundle.quarantine.write()
        return column

    def nothing(self) -> pa.Array:
        """An empty column of results."""
        return self._encode([])

    def fail(
        self,
        bundle: Bundle | None,
        part: FlightPart,
        index: int,
        failure: CallFailure,
        outcome: str,
    ) -> None:
        """Reports a row whose call failed; ends the task if ``outcome`` says so."""
        call, error = self.call, failure.error
        call.row_of = part.row_of
        call.bundle = part.bundle
        try:
            call.fail(
                error,
                list(part.rows[index]),
                part.first + index,
                outcome=outcome,
                attempts=failure.attempts,
            )
        finally:
            call.bundle = call.row_of = None
        if bundle is not None:
            place = part.first + index
            row = place if part.row_of is None else part.row_of(place)
            bundle.quarantine.add(place, error, row=row)


def _behind(start: int, row_of: RowOf | None) -> RowOf | None:
    """Maps positions among the rows from ``start`` on to rows of the bundle."""
    if not start:
        return row_of
    return lambda place: start + (place if row_of is None else row_of(place))


class Driver:
    """The main thread while calls are in flight: reads, waits, watches, reports."""

    def __init__(self, calls: Sequence[AsyncCall]) -> None:
        self._news: SimpleQueue[None] = SimpleQueue()
        self._task = calls[0].task
        self.flows = [Flow(call, self._news) for call in calls]
        capacity = min(flow.lanes.capacity for flow in self.flows)
        for flow in self.flows:
            flow.size = max(_LEAST_ROWS, min(_MOST_ROWS, _ROWS_PER_LANE * capacity))
        self._written = False
        self._reported = time.monotonic()
        self._seen: dict[int, tuple[int, float]] = {}
        self._warned = False
        self._stuck = False

    @property
    def hungry(self) -> bool:
        """Back-pressure: whether all lanes can take more rows. All, because the faster of two
        functions would otherwise pile up rows for the slower one."""
        return all(flow.lanes.waiting < flow.lanes.capacity for flow in self.flows)

    @contextmanager
    def running(self) -> Iterator[None]:
        """A context in which calls are made; none is in flight after it."""
        self._task.active = self.flows[0].call
        try:
            yield
        finally:
            for flow in self.flows:
                flow.lanes.stop(0.0 if self._stuck else _GRACE_SECONDS)
                flow.call.note_metrics()
            self._task.end_answers()

    def wait(self, seconds: float = _GLANCE_SECONDS) -> None:
        """Waits, not for long, until something has happened in the lanes.

        Raises
        ------
        FunctionFailed
            If a call has ended the task, or holds the loop for longer than it may take.
        ConnectionError
            If the JVM has no use for results any more.
        """
        if self._written:
            # Or they would wait in a buffer for more, and whoever needs no more would not know.
            self._task.runtime.flush_rows()
            self._written = False
        t0 = perf_counter_ns()
        try:
            self._news.get(timeout=seconds)
        except Empty:
            if self._task.runtime.hung_up():
                raise ConnectionError("the JVM has closed the connection") from None
        self.flows[0].call.statistics.user_ns += perf_counter_ns() - t0
        self.check()
        now = time.monotonic()
        if now - self._reported > _REPORT_SECONDS:
            self._reported = now
            for flow in self.flows:
                flow.call.note_metrics()
                self._look_for_a_block(flow, now)
            self._task.report_midway()

    def left(self) -> None:
        """Notes that rows have been handed to the JVM."""
        self._written = True

    def check(self) -> None:
        """Raises what has ended the task."""
        for flow in self.flows:
            fatal = flow.lanes.fatal
            if fatal is not None:
                part, index, failure = fatal
                flow.fail(None, part, index, failure, "fail")

    def note(self, entered: Bundle) -> None:
        """Notes where the calls are, in case the process dies."""
        (bundle, rows), own = entered.place, entered.rows
        name = self.flows[0].call.name
        self._task.note_rows(name, own.start, own.stop - 1, rows, bundle)

    def _look_for_a_block(self, flow: Flow, now: float) -> None:
        lanes, call = flow.lanes, flow.call
        seen, since = self._seen.get(id(flow), (-1, now))
        if lanes.finished != seen:
            self._seen[id(flow)] = lanes.finished, now
            return
        still = now - max(lanes.beat, since)
        running = lanes.running()
        if still < _BLOCKED_SECONDS or running is None:
            return
        loop = self._task.runtime.loop
        if not self._warned:
            self._warned = True
            _log.warning(
                "%s holds the event loop for %.1f s, and no other call goes on meanwhile: await "
                "what it waits for, or use asyncio.to_thread\n%s",
                call.name, still, "".join(traceback.format_tb(loop.traceback())),
            )  # fmt: skip
        limit = call.options.timeout
        if limit is not None and still > limit + _GRACE_SECONDS:
            lanes.timeouts += 1
            self._stuck = True
            stuck = CallTimedOut(f"{call.name} holds the event loop")
            stuck = stuck.with_traceback(loop.traceback())
            flow.fail(None, *running, CallFailure(stuck, 1), "fail")
