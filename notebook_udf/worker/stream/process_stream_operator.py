"""The operator of process functions on a stream.

Rows come sorted by key, or by the partition they were in; ``process_chain`` processes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from notebook_udf.worker.stream.stream_operator import StreamPass

if TYPE_CHECKING:
    import pyarrow as pa

    from notebook_udf.specs.chain_layout import StreamedLayout
    from notebook_udf.specs.payload import Shipment
    from notebook_udf.worker.call.function_call import FunctionCall
    from notebook_udf.worker.state.client import StateServer


class StreamedPass(StreamPass):
    """Runs a chain over the micro-batches of a stream."""

    kind = "process functions"
    _layout: StreamedLayout

    def _announced(self, shipments: tuple[Shipment, ...]) -> list[FunctionCall]:
        from notebook_udf.worker.call.function_call import announce
        from notebook_udf.worker.process.process_operator import ProcessPass

        call_of, chain = ProcessPass.call_of, self._layout.chain
        return [announce(call_of(chain, place, each)) for place, each in enumerate(shipments)]

    def _take(
        self, server: StateServer, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        from notebook_udf.worker.stream.process_chain import StreamedChain

        chain = StreamedChain(self._layout, self._calls, server)
        for batch in batches:
            # The number of a partition is no part of the records.
            rows = batch if self._layout.chain.keys else batch.select(batch.schema.names[1:])
            yield from chain.take(rows)
        if self._calls[0].task.draining:
            yield from chain.end()
        chain.finish()
