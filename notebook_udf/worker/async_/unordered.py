"""Async functions with ``ALLOW_UNORDERED``: whole rows that leave as their calls end.

``UnorderedPass`` is what Spark pickles for ``mapInArrow``. The first columns pass through as Arrow,
the last are arguments, which a column of results per function replaces. ``driver`` feeds and
watches the lanes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from notebook_udf.specs.payload import Shipment
from notebook_udf.specs.unordered_layout import UnorderedLayout
from notebook_udf.worker.async_.async_function_call import AsyncCall
from notebook_udf.worker.async_.driver import Bundle, Driver, Flow
from notebook_udf.worker.async_.in_flight import FlightPart
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.operator import Operator

# How long a row that is done waits for company.
_COMPANY_SECONDS = 0.05


class UnorderedPass(Operator[UnorderedLayout, AsyncCall]):
    """Adds columns of results to the rows of a partition."""

    @classmethod
    def call_of(cls, spec: UnorderedLayout, place: int, payload: Shipment) -> FunctionCall:
        return AsyncCall(payload)

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        driver = Driver(self.calls)
        with driver.running():
            yield from self._results(driver, batches)

    def _results(
        self, driver: Driver, batches: Iterator[pa.RecordBatch]
    ) -> Iterator[pa.RecordBatch]:
        under_way: list[_Rows] = []
        more = True
        while True:
            ready = [batch for rows in under_way if (batch := rows.ready()) is not None]
            under_way = [rows for rows in under_way if not rows.left]
            if ready:
                yield pa.concat_batches(ready)
                driver.left()
            driver.check()
            if more and driver.hungry:
                batch = next(batches, None)
                if batch is None:
                    more = False
                elif batch.num_rows:
                    under_way += self._enter(driver, batch)
                continue
            if not under_way:
                return
            driver.wait(_COMPANY_SECONDS)

    def _enter(self, driver: Driver, batch: pa.RecordBatch) -> list[_Rows]:
        bundles, start = [], self.spec.passing
        for flow, width in zip(driver.flows, self.spec.widths, strict=True):
            columns = batch.columns[start : start + width]
            bundles.append((flow, flow.enter(columns, batch.num_rows, unordered=True)))
            start += width
        driver.note(bundles[0][1])
        passing = batch.select(range(self.spec.passing))
        return [
            _Rows(
                [(flow, bundle, bundle.parts[number]) for flow, bundle in bundles],
                passing,
                self.spec.names,
            )
            for number in range(len(bundles[0][1].parts))
        ]


@dataclass
class _Rows:
    """Some rows of a bundle in flight, with the part that each function has of them."""

    members: list[tuple[Flow, Bundle, FlightPart]]
    passing: pa.RecordBatch
    names: tuple[str, ...]
    left: bool = False
    _seen: list[int] = field(default_factory=list)
    _calls: dict[int, int] = field(default_factory=dict)

    def ready(self) -> pa.RecordBatch | None:
        """The rows all of whose calls have ended since the last call of this."""
        done = not any(part.left for _, _, part in self.members)
        indices = self._ended()
        if not indices and not done:
            return None
        self.left = done
        first = self.members[0][2].first
        columns = [
            flow.leave(bundle, part, indices, last=done) for flow, bundle, part in self.members
        ]
        rows = self.passing.take(pa.array([first + index for index in indices], pa.int64()))
        schema = self.passing.schema
        for name, column in zip(self.names, columns, strict=True):
            schema = schema.append(pa.field(name, column.type))
        return pa.RecordBatch.from_arrays([*rows.columns, *columns], schema=schema)

    def _ended(self) -> list[int]:
        indices = []
        self._seen = self._seen or [0] * len(self.members)
        for place, (_, _, part) in enumerate(self.members):
            assert part.fresh is not None
            # The loop's thread goes on appending: what is behind this length comes next time.
            fresh = part.fresh[self._seen[place] :]
            self._seen[place] += len(fresh)
            for index in fresh:
                count = self._calls.get(index, 0) + 1
                self._calls[index] = count
                if count == len(self.members):
                    indices.append(index)
        return indices
