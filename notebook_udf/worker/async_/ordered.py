"""Async functions with results in order, as Spark calls them: on an iterator of columns.

``AsyncNode`` is what Spark pickles: one function, or several over the same rows whose calls are in
flight side by side. Bundles are fed to their lanes one after the other, and results leave in order,
part by part. ``driver`` feeds the lanes. ``unordered`` is the same for whole rows, which may leave
as their calls end.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.async_.async_function_call import AsyncCall
from notebook_udf.worker.async_.driver import Bundle, Driver, Flow
from notebook_udf.worker.async_.in_flight import PENDING, FlightPart
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.operator import Operator

# How long rows that are done wait for those behind them in their part.
_COMPANY_SECONDS = 0.1


class AsyncNode(Operator[tuple[int, ...] | None, AsyncCall]):
    """One async function, or several over the same rows.

    ``spec`` says how many of the columns each function takes, in order; None for a single function,
    which takes all and returns its results plain. Results of several are the fields of a struct.
    """

    @classmethod
    def call_of(cls, spec: tuple[int, ...] | None, place: int, payload: Shipment) -> FunctionCall:
        return AsyncCall(payload)

    def __call__(self, batches: Iterator[Any]) -> Iterator[pa.Array]:
        for call in self.calls:
            # Where Spark's own daemon runs this worker nobody has announced the task.
            _ = call.task
        driver = Driver(self.calls)
        with driver.running():
            yield from self._results(driver, batches)

    def _results(self, driver: Driver, batches: Iterator[Any]) -> Iterator[pa.Array]:
        waiting: deque[_Head] = deque()
        more = True
        while True:
            while waiting:
                done = waiting[0].done
                column = waiting[0].result() if done else waiting[0].first_ones()
                if column is not None:
                    yield column
                    driver.left()
                if not done:
                    break
                waiting.popleft()
            driver.check()
            if more and driver.hungry:
                columns = next(batches, None)
                if columns is None:
                    more = False
                else:
                    waiting.extend(self._enter(driver, columns))
                continue
            if not waiting:
                return
            driver.wait()

    def _enter(self, driver: Driver, columns: Any) -> list[_Head]:
        if not isinstance(columns, tuple):
            columns = (columns,)
        # They come from another such node where Spark chains nested calls, and not from a bundle.
        rows = len(columns[0]) if columns else self.calls[0].task.rows
        if not rows:
            return []
        bundles, start = [], 0
        for flow, width in zip(driver.flows, self.spec or (len(columns),), strict=True):
            bundles.append((flow, flow.enter(columns[start : start + width], rows)))
            start += width
        driver.note(bundles[0][1])
        combined = self.spec is not None
        if bundles[0][1].lists is not None:
            return [_Head(bundles, None, combined)]
        parts = range(len(bundles[0][1].parts))
        return [_Head(bundles, number, combined) for number in parts]


class _Head:
    """Results that leave together: of one part, or of a whole bundle of lists.

    While some of its calls take long, the rows before those leave by themselves.
    """

    def __init__(
        self, bundles: list[tuple[Flow, Bundle]], number: int | None, combined: bool
    ) -> None:
        self._gone = 0
        self._looked = time.monotonic()
        self._combined = combined
        self._members = [
            (flow, bundle, bundle.parts if number is None else [bundle.parts[number]])
            for flow, bundle in bundles
        ]

    @property
    def done(self) -> bool:
        """Whether all of its calls have ended."""
        return not any(part.left for _, _, parts in self._members for part in parts)

    def first_ones(self) -> pa.Array | None:
        """Results of the rows before the first unfinished one, once they have waited long."""
        now = time.monotonic()
        if now - self._looked < _COMPANY_SECONDS or self._members[0][1].lists is not None:
            return None
        self._looked, last = now, self._gone
        results = [parts[0].results for _, _, parts in self._members]
        while last < len(results[0]) and all(each[last] is not PENDING for each in results):
            last += 1
        if last in (self._gone, len(results[0])):
            return None
        rows, self._gone = range(self._gone, last), last
        return self._together(
            [flow.leave(b, parts[0], rows, last=False) for flow, b, parts in self._members]
        )

    def result(self) -> pa.Array:
        """Results of all rows that have not left yet."""
        return self._together([self._column(*member) for member in self._members])

    def _together(self, columns: list[pa.Array]) -> pa.Array:
        if not self._combined:
            return columns[0]
        return pa.StructArray.from_arrays(columns, [f"c{i}" for i in range(len(columns))])

    def _column(self, flow: Flow, bundle: Bundle, parts: list[FlightPart]) -> pa.Array:
        if bundle.lists is None:
            rows = range(self._gone, len(parts[0])) if self._gone else None
            return flow.leave(bundle, parts[0], rows)
        columns = [flow.leave(bundle, part) for part in parts]
        return bundle.lists.around(pa.concat_arrays(columns) if columns else flow.nothing())
