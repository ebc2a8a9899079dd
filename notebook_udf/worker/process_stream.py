"""Process functions over a stream: what Spark's ``transformWithState`` runs, a micro-batch at a
time.

``StreamedPass`` is what Spark pickles. Rows come sorted by key, or by the partition they were in;
what becomes of them is the business of ``process_pass``, their states that of ``process_states``.
In the last micro-batch of a query that is drained the functions are told that the input has ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

from notebook_udf.errors import PlanningError
from notebook_udf.functions.process_states import NO_KEY
from notebook_udf.worker.call import FunctionCall
from notebook_udf.worker.process_layout import StreamedLayout
from notebook_udf.worker.process_pass import Chain, Run, announced
from notebook_udf.worker.process_states import PartitionStates
from notebook_udf.worker.process_step import RunningStep
from notebook_udf.worker.quarantine import Quarantine
from notebook_udf.worker.shipment import Shipment
from notebook_udf.worker.state_server import StateServer
from notebook_udf.worker.stream_groups import wrapped
from notebook_udf.worker.stream_layout import PARTITION
from notebook_udf.worker.streaming import PICKLED, declare, note_pass


class StreamedPass(StatefulProcessor):  # type: ignore[misc]
    """Runs a chain over the micro-batches of a stream."""

    def __init__(self, layout: StreamedLayout, shipments: tuple[Shipment, ...]) -> None:
        self._layout = layout
        self._shipments = shipments
        self._calls: list[FunctionCall] = []

    def __reduce__(self) -> Any:
        return _arrive, (self._layout, self._shipments)

    def load(self) -> None:
        """Makes the functions ready to be called."""
        self._calls = announced(self._layout.chain, self._shipments)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declares the state; Spark asks for it in the driver as well, and compares."""
        layout = self._layout
        declare(handle, layout.types, layout.ttl)
        if layout.partition.fields:
            handle.getValueState(PARTITION, PICKLED, layout.ttl)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
        """Not called: the worker hands whole batches to ``run``."""
        raise PlanningError(
            "process functions on streams need the workers of this package: start Spark with "
            "nu.session(), or let it adopt the session that runs"
        )

    def close(self) -> None:
        """Nothing is held between tasks."""

    def run(
        self, client: Any, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        """Takes the rows of a micro-batch's partition, sorted by key; answers what is collected.

        ``client`` is PySpark's connection to the state server.
        """
        from pyspark.sql.streaming.stateful_processor_api_client import (
            StatefulProcessorHandleState as State,
        )

        self.init(StatefulProcessorHandle(client))
        client.set_handle_state(State.INITIALIZED)
        chain = StreamedChain(self._layout, self._calls, StateServer(client))
        for batch in batches:
            # The number of a partition is no part of the records.
            rows = batch if self._layout.chain.keys else batch.select(batch.schema.names[1:])
            yield from map(_wrapped, chain.take(rows))
        if self._calls[0].task.draining:
            yield from map(_wrapped, chain.end())
        chain.finish()
        client.set_handle_state(State.DATA_PROCESSED)
        client.set_handle_state(State.TIMER_PROCESSED)
        client.remove_implicit_key()
        client.set_handle_state(State.CLOSED)


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
        """The query is being drained: tells the functions, which may still collect and change
        their states."""
        yield from super().end()
        for step in self._steps:
            call = step.call
            call.prepare(again=step.step.ends or call.task.worked)
        yield from self.leave()

    def finish(self) -> None:
        """Writes the states."""
        self._switch(NO_KEY)
        self._states.finish()

    def _take_runs(
        self,
        runs: Sequence[Run],
        records: list[Any],
        batch: pa.RecordBatch,
        start: int,
        quarantine: Quarantine | None,
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


def _wrapped(batch: pa.RecordBatch) -> pa.RecordBatch:
    return wrapped(batch.columns)


def _arrive(layout: StreamedLayout, shipments: tuple[Shipment, ...]) -> StreamedPass:
    passed = StreamedPass(layout, shipments)
    note_pass(passed)
    return passed
