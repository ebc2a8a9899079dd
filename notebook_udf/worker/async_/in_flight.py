"""Calls in flight: up to ``buffer_capacity`` lanes that take row after row, on the event loop.

A lane is an asyncio task that lives for many rows, because a task for each row would cost more than
a call that has its answer at hand. Rows come in parts and their results stay with them, so that
what feeds the lanes decides about order. One timer finds the time-outs of all lanes. ``ordered``
reads, converts and reports rows.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Sequence
from queue import SimpleQueue
from time import perf_counter
from typing import Any

from notebook_udf.functions.async_options import AsyncOptions, full_name
from notebook_udf.worker.runtime.event_loop import EventLoop
from notebook_udf.worker.runtime.timeout import CallTimedOut
from notebook_udf.worker.runtime.worker_process import running_call

# Calls that a lane makes before it lets the others go on, should none of them ever wait.
_CALLS_IN_A_ROW = 256
# How long a call may go on after it was cancelled for being late.
_STUBBORN_SECONDS = 2.0
_SLOWEST_TICK = 0.25
_FASTEST_TICK = 0.005

_NOT_RETRIED = (asyncio.CancelledError, SystemExit, KeyboardInterrupt, MemoryError, GeneratorExit)


# Stands where a result will be.
PENDING: Any = object()


class CallFailure:
    """A row whose last attempt raised."""

    __slots__ = ("attempts", "error")

    def __init__(self, error: BaseException, attempts: int) -> None:
        self.error = error
        self.attempts = attempts


class FlightPart:
    """Some rows of a bundle in flight.

    Parameters
    ----------
    first
        The number of the part's first row among those it came with.
    rows
        The arguments of each row.
    reached
        Which rows are to be called; None for all. The result of the others is None.
    bundle
        Number of the bundle, and how many rows it has.
    row_of
        The bundle's row that one of these belongs to, where they are elements of lists or do not
        begin with the bundle.
    """

    def __init__(
        self,
        first: int,
        rows: Sequence[tuple[Any, ...]],
        reached: Sequence[bool] | None,
        bundle: tuple[int, int],
        row_of: Callable[[int], int] | None = None,
    ) -> None:
        self.row_of = row_of
        self.first = first
        self.rows = rows
        self.reached = reached
        self.bundle = bundle
        self.results: list[Any] = (
            [PENDING] * len(rows)
            if reached is None
            else [PENDING if called else None for called in reached]
        )
        self.failures: dict[int, CallFailure] = {}
        self.calls = len(rows) if reached is None else sum(reached)
        self.left = self.calls
        self.arrived = perf_counter()
        # Seconds, in the order in which calls ended and began.
        self.call_seconds: list[float] = []
        self.queue_seconds: list[float] = []
        # Rows whose calls have ended, in that order; kept where rows may overtake each other.
        self.fresh: list[int] | None = None

    def __len__(self) -> int:
        return len(self.rows)


class Lane:
    """One slot in which a call can be in flight."""

    __slots__ = ("cancelled", "index", "name", "part", "since", "task")

    def __init__(self, name: str) -> None:
        self.name = name
        self.task: asyncio.Task[None] | None = None
        self.part: FlightPart | None = None
        self.index = 0
        self.since = 0.0
        self.cancelled = 0.0

    def where(self) -> tuple[str, int, int]:
        """The function, bundle and row that it runs."""
        if self.part is None:
            return self.name, 0, -1
        row = self.part.first + self.index
        row_of = self.part.row_of
        return self.name, self.part.bundle[0], row if row_of is None else row_of(row)


class Lanes:
    """Makes the calls of one function in one task.

    Its methods are called in the main thread, and what starts with an underscore in the loop's.

    Parameters
    ----------
    name
        The function's.
    function
        The coroutine function.
    options
        How many at once, how long, how often.
    loop
        Where it runs.
    news
        Gets an item whenever a part is done, rows are wanted, or a call has ended the task.
    keep_going
        Whether a row whose call raises is skipped.
    """

    def __init__(
        self,
        name: str,
        function: Callable[..., Awaitable[Any]],
        options: AsyncOptions,
        loop: EventLoop,
        news: SimpleQueue[None],
        *,
        keep_going: bool,
    ) -> None:
        self.name = name
        self.function = function
        self.capacity = options.buffer_capacity
        self.retries = 0
        self.timeouts = 0
        self.finished = 0
        # Rows that no lane has taken yet, those of the part at work excepted.
        self.waiting = 0
        # The call that ended the task: its part, its row and what it raised.
        self.fatal: tuple[FlightPart, int, CallFailure] | None = None
        self.beat = time.monotonic()
        self._options = options
        self._loop = loop
        self._news = news
        self._keep_going = keep_going
        self._parts: deque[FlightPart] = deque()
        self._lanes: set[Lane] = set()
        self._jobs = self._queue()
        self._closing = False
        self._gone = asyncio.Event()
        self._ticking: asyncio.TimerHandle | None = None
        # By arguments: the rows that wait for the answer of a call in flight.
        self._shared: dict[Any, list[tuple[FlightPart, int]]] | None = (
            {} if options.share_calls else None
        )

    @property
    def in_flight(self) -> int:
        """How many calls are in flight, those that wait for another attempt included."""
        return len(self._lanes)

    def feed(self, parts: Sequence[FlightPart]) -> None:
        """Queues rows."""
        called = [part for part in parts if part.calls]
        self.waiting += sum(part.calls for part in called)
        if called:
            self._loop.loop.call_soon_threadsafe(self._take, called)

    def stop(self, seconds: float) -> None:
        """Cancels what is in flight, and waits that long for it to end."""
        try:
            self._loop.run(self._cancel(), seconds)
        except TimeoutError:
            # A call that holds the loop cannot be cancelled; the worker ends with it.
            return

    def running(self) -> tuple[FlightPart, int] | None:
        """The row that has been in flight for the longest time."""
        oldest = min(list(self._lanes), key=lambda lane: lane.since or math.inf, default=None)
        return None if oldest is None or oldest.part is None else (oldest.part, oldest.index)

    def coroutine(self, number: int) -> Any:
        """A coroutine in flight, another one for another number; None if there is none."""
        tasks = [lane.task for lane in list(self._lanes) if lane.task is not None]
        return tasks[number % len(tasks)].get_coro() if tasks else None

    # In the loop's thread --------------------------------------------------------------------

    def _take(self, parts: list[FlightPart]) -> None:
        if self._closing:
            return
        self.beat = time.monotonic()
        self._parts.extend(parts)
        rows = sum(part.calls for part in parts)
        for _ in range(min(self.capacity - len(self._lanes), rows)):
            self._open_lane()
        if self._ticking is None:
            self._tick()

    def _open_lane(self) -> None:
        lane = Lane(self.name)
        self._lanes.add(lane)
        lane.task = self._loop.loop.create_task(self._work(lane))

    def _queue(self) -> Iterator[tuple[FlightPart, int, tuple[Any, ...]] | None]:
        """The queued rows, which the lanes share; None whenever the queue is empty."""
        while True:
            while self._parts:
                part = self._parts.popleft()
                self.waiting -= part.calls
                if self.waiting < self.capacity:
                    self._news.put(None)
                reached = part.reached
                for index, arguments in enumerate(part.rows):
                    if reached is None or reached[index]:
                        yield part, index, arguments
            yield None

    async def _work(self, lane: Lane) -> None:
        running_call.set(lane)
        function, jobs, shared = self.function, self._jobs, self._shared
        began, calls = perf_counter(), 0
        try:
            while (job := next(jobs, None)) is not None:
                part, index, arguments = job
                key = None
                if shared is not None:
                    key = _key(arguments)
                    if key is not None:
                        if key in shared:
                            shared[key].append((part, index))
                            continue
                        shared[key] = []
                lane.part, lane.index, lane.since = part, index, began
                try:
                    value = await function(*arguments)
                except BaseException as error:
                    if self._closing:
                        raise
                    value = await self._again(lane, arguments, error)
                now = perf_counter()
                if lane.cancelled:
                    # It was late, and answered all the same.
                    self._forgive(lane)
                part.queue_seconds.append(began - part.arrived)
                part.call_seconds.append(now - began)
                began = now
                if type(value) is CallFailure and self._failed(part, index, value):
                    return
                self._settle(part, index, value)
                if key is not None and shared is not None:
                    for other, place in shared.pop(key):
                        self._settle(other, place, value)
                calls += 1
                if not calls % _CALLS_IN_A_ROW:
                    lane.since = 0.0
                    await asyncio.sleep(0)
                    began = perf_counter()
        except asyncio.CancelledError:
            # By the function itself, and between two calls: the lane is needed still.
            if not self._closing:
                self._open_lane()
        finally:
            self._lanes.discard(lane)
            if self._closing and not self._lanes:
                self._gone.set()

    def _settle(self, part: FlightPart, index: int, value: Any) -> None:
        if type(value) is CallFailure:
            part.failures[index] = value
            value = None
        # In this order: the main thread looks on.
        part.results[index] = value
        self.finished += 1
        if part.fresh is not None:
            part.fresh.append(index)
        part.left -= 1
        if not part.left:
            self._news.put(None)

    async def _again(self, lane: Lane, arguments: tuple[Any, ...], error: BaseException) -> Any:
        """The value of a later attempt, or the failure of the last."""
        options, attempts = self._options, 1
        while True:
            if lane.cancelled:
                return self._late(lane, error, attempts)
            if attempts >= options.attempts or not self._may_retry(error):
                return CallFailure(error, attempts)
            try:
                self.retries += 1
                await asyncio.sleep(options.fixed_delay)
                attempts += 1
                return await self.function(*arguments)
            except BaseException as again:
                if self._closing:
                    raise
                error = again

    def _late(self, lane: Lane, error: BaseException, attempts: int) -> CallFailure:
        self.timeouts += 1
        self._forgive(lane)
        limit = self._options.timeout or 0.0
        late = CallTimedOut(f"{self.name} did not answer within {limit:g} s")
        # The traceback of the cancellation: it shows what the call was waiting for.
        return CallFailure(late.with_traceback(error.__traceback__), attempts)

    @staticmethod
    def _forgive(lane: Lane) -> None:
        lane.cancelled = 0.0
        assert lane.task is not None
        lane.task.uncancel()

    def _may_retry(self, error: BaseException) -> bool:
        if isinstance(error, _NOT_RETRIED):
            return False
        names = self._options.retry_on
        return any(full_name(cls) in names for cls in type(error).__mro__)

    def _failed(self, part: FlightPart, index: int, failure: CallFailure) -> bool:
        """Whether a failed call ends the task."""
        kept = isinstance(failure.error, (Exception, CallTimedOut))
        # Memory that is short, and a request to end, are not about the row's values.
        if self._keep_going and kept and not isinstance(failure.error, MemoryError):
            return False
        if self.fatal is None:
            self.fatal = part, index, failure
        self._news.put(None)
        return True

    def _tick(self) -> None:
        """Cancels calls that take too long."""
        self.beat = time.monotonic()
        limit = self._options.timeout
        tick = _SLOWEST_TICK
        if limit is not None:
            tick = min(_SLOWEST_TICK, max(_FASTEST_TICK, limit / 20))
            now = perf_counter()
            for lane in list(self._lanes):
                if not lane.since or now - lane.since < limit or lane.task is None:
                    continue
                if not lane.cancelled:
                    lane.cancelled = now
                    lane.task.cancel()
                elif now - lane.cancelled > _STUBBORN_SECONDS and lane.part is not None:
                    # It goes on although it was cancelled, and would for ever.
                    late = CallTimedOut(f"{self.name} goes on although it was cancelled")
                    self._keep_going = False
                    self._failed(lane.part, lane.index, CallFailure(late, 1))
        self._ticking = None
        if self._lanes and not self._closing:
            self._ticking = self._loop.loop.call_later(tick, self._tick)

    async def _cancel(self) -> None:
        self._closing = True
        self._parts.clear()
        if self._ticking is not None:
            self._ticking.cancel()
        for lane in self._lanes:
            if lane.task is not None:
                lane.task.cancel()
        if self._lanes:
            await self._gone.wait()


def _key(arguments: tuple[Any, ...]) -> Any:
    """The key by which equal calls share a result; None if the arguments cannot be compared."""
    try:
        hash(arguments)
    except TypeError:
        return None
    if any(type(value) is float and value == 0.0 for value in arguments):
        # 0.0 and -0.0 are equal, and not the same.
        return arguments, repr(arguments)
    return arguments, None
