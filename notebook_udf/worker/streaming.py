"""Aggregates on a stream: what Spark's ``transformWithState`` runs, a micro-batch at a time.

``StatePass`` is what Spark pickles. Rows come sorted by key, with the functions' arguments, or with
partial accumulators where every function has a merge; what becomes of them is the business of
``stream_groups``.

Spark starts a Python in the driver for each query, only to ask which state there is; so what runs
in workers alone is imported there.

With an event time among the keys a group ends when the watermark passes it. The query's output
mode decides what leaves: in ``append`` a group that has ended, otherwise each group that changed.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType

from notebook_udf.errors import PlanningError
from notebook_udf.worker.stream_layout import ACCUMULATORS, TYPES, VIEWS, StreamLayout

if TYPE_CHECKING:
    import pyarrow as pa

    from notebook_udf.worker.call import FunctionCall
    from notebook_udf.worker.shipment import Shipment

# SQL conf that tells the workers the output mode of the query, which a plan does not know.
OUTPUT_MODE_CONF = "spark.notebookUdf.outputMode"
# The same, that the micro-batch is the last one; its value is the query's run.
DRAINING_CONF = "spark.notebookUdf.draining"

# Spark sends the schema along with each value: one of many fields would be most of what is sent.
PICKLED = StructType([StructField("pickled", BinaryType())])
VIEW_KEY = StructType([StructField("view", StringType()), StructField("number", IntegerType())])
VIEW_ENTRY = StructType([StructField("values", BinaryType())])


class StatePass(StatefulProcessor):  # type: ignore[misc]
    """Aggregates a stream's micro-batches into state."""

    def __init__(self, layout: StreamLayout, functions: bytes) -> None:
        self.layout = layout
        self._functions = functions
        self._calls: list[FunctionCall] = []

    @classmethod
    def of(cls, layout: StreamLayout, shipments: tuple[Shipment, ...]) -> StatePass:
        """A pass to be pickled."""
        return cls(layout, pickle.dumps(shipments))

    def __reduce__(self) -> Any:
        return _arrive, (self.layout, self._functions)

    def load(self) -> None:
        """Makes the functions ready to be called."""
        from notebook_udf.worker.call import FunctionCall, announce

        shipments = pickle.loads(self._functions)
        self._calls = [announce(FunctionCall(each, in_pass=True)) for each in shipments]

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declares the state; Spark asks for it in the driver as well, and compares."""
        declare(handle, self.layout.types, self.layout.ttl)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
        """Not called: the worker hands whole batches to ``run``."""
        raise PlanningError(
            "aggregate functions on streams need the workers of this package: start Spark with "
            "nu.session(), or let it adopt the session that runs"
        )

    def close(self) -> None:
        """Nothing is held between tasks."""

    def run(
        self, client: Any, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        """Takes the rows of a micro-batch's partition, sorted by key; answers its results.

        ``client`` is PySpark's connection to the state server.
        """
        from pyspark.sql.streaming.stateful_processor_api_client import (
            StatefulProcessorHandleState as State,
        )

        from notebook_udf.worker.state_server import StateServer
        from notebook_udf.worker.stream_groups import StreamGroups

        self.init(StatefulProcessorHandle(client))
        client.set_handle_state(State.INITIALIZED)
        server = StateServer(client)
        groups = StreamGroups(self.layout, self._calls, server, mode)
        for batch in batches:
            yield from groups.add(batch)
        yield from groups.finish()
        client.set_handle_state(State.DATA_PROCESSED)
        if self.layout.event is not None:
            yield from groups.expire()
        told = self._calls[0].metrics.add_group("state")
        told.counter("requests").inc(server.requests)
        told.counter("round_trips").inc(server.round_trips)
        client.set_handle_state(State.TIMER_PROCESSED)
        client.remove_implicit_key()
        client.set_handle_state(State.CLOSED)


class StreamPass(Protocol):
    """What runs below a ``transformWithState``."""

    def load(self) -> None:
        """Makes the functions ready to be called."""

    def run(
        self, client: Any, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        """Takes the rows of a micro-batch's partition; answers its results."""


def declare(handle: StatefulProcessorHandle, types: StructType, ttl: int | None) -> None:
    """Declares the variables of functions' state: values, what they are, and large views.

    ``functions`` is the first of ``types``, with a field per function.
    """
    handle.getValueState(ACCUMULATORS, PICKLED, ttl)
    handle.getValueState(TYPES, types, ttl)
    handle.getMapState(VIEWS, VIEW_KEY, VIEW_ENTRY, ttl)


_passes: list[StreamPass] = []


def note_pass(passed: StreamPass) -> None:
    """Notes a pass that was unpickled."""
    _passes.append(passed)


def take_pass() -> StreamPass | None:
    """The pass unpickled since the last time, if there was one; its functions are ready."""
    passed = _passes.pop() if _passes else None
    _passes.clear()
    if passed is not None:
        passed.load()
    return passed


def _arrive(layout: StreamLayout, functions: bytes) -> StatePass:
    passed = StatePass(layout, functions)
    note_pass(passed)
    return passed
