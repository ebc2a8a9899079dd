"""The operator of aggregate functions on a stream.

Rows come sorted by key, with the functions' arguments, or with partial accumulators where every
function has a merge; ``group_states`` processes them.

With an event time among the keys a group ends when the watermark passes it. The query's output mode
decides what leaves: in ``append`` a group that has ended, otherwise each group that changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from notebook_udf.worker.stream.stream_operator import StreamPass

if TYPE_CHECKING:
    import pyarrow as pa

    from notebook_udf.specs.payload import Shipment
    from notebook_udf.specs.state_layout import StreamLayout
    from notebook_udf.worker.call.function_call import FunctionCall
    from notebook_udf.worker.state.client import StateServer
    from notebook_udf.worker.stream.group_states import StreamGroups


class StatePass(StreamPass):
    """Aggregates a stream's micro-batches into state."""

    kind = "aggregate functions"
    _layout: StreamLayout
    _groups: StreamGroups

    def _announced(self, shipments: tuple[Shipment, ...]) -> list[FunctionCall]:
        from notebook_udf.worker.call.function_call import FunctionCall, announce

        return [announce(FunctionCall(each, in_pass=True)) for each in shipments]

    def _take(
        self, server: StateServer, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        from notebook_udf.worker.stream.group_states import StreamGroups

        self._groups = StreamGroups(self._layout, self._calls, server, mode)
        for batch in batches:
            yield from self._groups.add(batch)
        yield from self._groups.finish()

    def _expire(self, server: StateServer) -> Iterator[pa.RecordBatch]:
        if self._layout.event is not None:
            yield from self._groups.expire()
        told = self._calls[0].metrics.add_group("state")
        told.counter("requests").inc(server.requests)
        told.counter("round_trips").inc(server.round_trips)
