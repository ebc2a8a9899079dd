"""A chain of process functions over one partition of a micro-batch.

``process_operator`` runs the functions, ``process_state`` has their states. In the last micro-batch
of a query that is drained, the functions are told that the input has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from notebook_udf.functions.process_states import NO_KEY
from notebook_udf.specs.chain_layout import StreamedLayout
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.key_runs import Run
from notebook_udf.worker.process.chain_step import RunningStep
from notebook_udf.worker.process.process_operator import Chain
from notebook_udf.worker.state.client import StateServer
from notebook_udf.worker.stream.process_state import PartitionStates


class StreamedChain(Chain):
    """The functions of a chain over one partition of a micro-batch."""

    def __init__(
        self, layout: StreamedLayout, calls: list[FunctionCall], server: StateServer
    ) -> None:
        super().__init__(layout.chain, calls)
        self._cached_keys = layout.cached_keys
        partition = calls[0].task.identity.partition
        self._states = PartitionStates(layout, server, self._steps, partition)

    def end(self) -> Iterator[pa.RecordBatch]:
        """Tells the functions that the input has ended, as the query is drained; they may still
        collect and change their states."""
        yield from super().end()
        for step in self._steps:
            call = step.call
            call.prepare(again=step.step.ends or call.task.worked)
        yield from self.leave()

    def finish(self) -> None:
        """Stores the states."""
        self._switch(NO_KEY)
        self._states.finish()

    def _take_runs(
        self,
        runs: Sequence[Run],
        records: list[Any],
        batch: pa.RecordBatch,
        start: int,
        quarantine: Quarantine,
    ) -> None:
        for place in range(0, len(runs), self._cached_keys):
            part = runs[place : place + self._cached_keys]
            # The key whose records go on stays with the functions.
            self._states.save(but=self._key)
            self._states.load([key for key, _, _ in part], batch, [at for _, at, _ in part])
            super()._take_runs(part, records, batch, start, quarantine)

    def _keys_met(self, step: RunningStep) -> Iterable[Any]:
        self._states.save()
        for keys in self._states.every_key():
            yield from keys
            self._switch(NO_KEY)
            self._states.save()
