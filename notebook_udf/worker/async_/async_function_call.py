"""An async function in one task: opened on the event loop, with calls in flight.

``driver`` feeds it rows; ``function_call`` has what holds for functions of every kind.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, cast

from notebook_udf.functions.async_options import AsyncOptions
from notebook_udf.functions.base import UserDefinedFunction, endings
from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.async_.in_flight import FlightPart, Lanes
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.instance import FunctionInstance, Opened
from notebook_udf.worker.runtime.event_loop import EventLoop


class AsyncInstance(FunctionInstance):
    """An async function whose methods all run on the event loop, the plain ones too: a client
    belongs to the loop that runs when it is made."""

    def _enter(self, function: Any) -> Opened:
        if not isinstance(function, UserDefinedFunction):
            return (function, self.context), endings(function)
        loop = self._task.runtime.loop
        ended = endings(function).called(functools.partial(_run, loop))
        with self.closing_what_is_cut_short(ended):
            loop.run(_awaited(function.open, self.context))
        called: Any = function.eval  # type: ignore[attr-defined]
        return (called, self.context), ended


class AsyncCall(FunctionCall):
    """One async function in one Python node of a plan."""

    answers_later = True
    instances = AsyncInstance

    def __init__(self, shipment: Shipment) -> None:
        super().__init__(shipment, in_pass=True)
        self.lanes: Lanes | None = None
        self._told = {"retries": 0, "timeouts": 0}

    @property
    def options(self) -> AsyncOptions:
        """Capacity, time-out and retries."""
        return cast(AsyncOptions, self.header.options)

    @property
    def timeout(self) -> float:
        # The lanes watch the clock: what ends a call in the main thread would not reach theirs.
        return 0.0

    def start(self, news: SimpleQueue[None]) -> Lanes:
        """Starts the lanes for the task's rows."""
        options = self.options
        self.lanes = Lanes(
            self.name,
            self.function,
            options,
            self.task.runtime.loop,
            news,
            keep_going=options.on_error != "fail",
        )
        return self.lanes

    def awaiting(self, number: int) -> Any:
        return self.lanes.coroutine(number) if self.lanes is not None else None

    def note_metrics(self, part: FlightPart | None = None) -> None:
        """Adds what the lanes counted to the function's metrics."""
        lanes = self.lanes
        if lanes is None:
            return
        group = self.metrics.add_group("async")
        group.gauge("in_flight").set(lanes.in_flight)
        for name, now in (("retries", lanes.retries), ("timeouts", lanes.timeouts)):
            group.counter(name).inc(now - self._told[name])
            self._told[name] = now
        if part is not None:
            for name, values in (("call", part.call_seconds), ("queue", part.queue_seconds)):
                update = group.histogram(f"{name}_seconds").update
                for value in values:
                    update(value)


def _run(loop: EventLoop, method: Callable[..., Any]) -> None:
    loop.run(_awaited(method))


async def _awaited(method: Callable[..., Any], *arguments: Any) -> None:
    result = method(*arguments)
    if inspect.isawaitable(result):
        await result
