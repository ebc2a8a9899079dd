"""The base of operators with state, run by Spark's ``transformWithState`` per micro-batch.

``StreamPass`` is what Spark pickles; those of aggregates and of process functions derive from it.
It talks to Spark, they process rows.

Spark starts a Python process in the driver for each query, only to ask which state there is; so an
operator is sent as bytes, which are unpickled in workers alone, and what runs there is imported
there.
"""

from __future__ import annotations

import pickle
from abc import abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar

from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle
from pyspark.sql.types import BinaryType, IntegerType, StringType, StructField, StructType

from notebook_udf.errors import PlanningError
from notebook_udf.specs.state_layout import (
    ACCUMULATORS,
    PARTITION,
    TYPES,
    VIEWS,
    StateVariables,
)

if TYPE_CHECKING:
    from typing import Self

    import pyarrow as pa

    from notebook_udf.specs.chain_layout import StreamedLayout
    from notebook_udf.specs.payload import Shipment
    from notebook_udf.specs.state_layout import StreamLayout
    from notebook_udf.worker.call.function_call import FunctionCall
    from notebook_udf.worker.state.client import StateServer


# Spark sends the schema along with each value: one of many fields would be most of what is sent.
_PICKLED = StructType([StructField("pickled", BinaryType())])
_VIEW_KEY = StructType([StructField("view", StringType()), StructField("number", IntegerType())])
_VIEW_ENTRY = StructType([StructField("values", BinaryType())])


class StreamPass(StatefulProcessor):  # type: ignore[misc]
    """Processes a stream's micro-batches, with state between them.

    Parameters
    ----------
    variables
        The state variables.
    packed
        The pickled layout and functions.
    """

    # What its functions are, for messages.
    kind: ClassVar[str]

    def __init__(self, variables: StateVariables, packed: bytes) -> None:
        self._variables = variables
        self._packed = packed
        self._layout: Any = None
        self._calls: list[FunctionCall] = []

    @classmethod
    def of(cls, layout: StreamLayout | StreamedLayout, shipments: tuple[Shipment, ...]) -> Self:
        """An operator to be pickled."""
        return cls(layout.variables, pickle.dumps((layout, shipments)))

    def __reduce__(self) -> Any:
        return _arrive, (type(self), self._variables, self._packed)

    def load(self) -> None:
        """Unpickles the functions."""
        self._layout, shipments = pickle.loads(self._packed)
        self._calls = self._announced(shipments)

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Declares the state; Spark asks the driver for it, once per query."""
        self._declare(handle)
        # Kept for its schema alone, which nobody but the driver is asked for.
        handle.getValueState(TYPES, self._variables.types, self._variables.ttl)

    def _declare(self, handle: StatefulProcessorHandle) -> None:
        """Declares what a task reads and writes; each variable costs Spark milliseconds."""
        kept = self._variables
        handle.getValueState(ACCUMULATORS, _PICKLED, kept.ttl)
        handle.getMapState(VIEWS, _VIEW_KEY, _VIEW_ENTRY, kept.ttl)
        if kept.partition:
            handle.getValueState(PARTITION, _PICKLED, kept.ttl)

    def handleInputRows(self, key: Any, rows: Any, timerValues: Any) -> Any:  # noqa: N802, N803
        """Not called: the worker hands whole batches to ``run``."""
        raise PlanningError(
            f"{self.kind} on streams need the workers of this package: start Spark with "
            f"nu.session(), or let it adopt the session that runs"
        )

    def close(self) -> None:
        """Does nothing: nothing is held between tasks."""

    def run(
        self, client: Any, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        """Processes the rows of a micro-batch's partition, sorted by key; yields what leaves.

        ``client`` is PySpark's connection to the state server, ``mode`` the query's output mode.
        """
        from pyspark.sql.streaming.stateful_processor_api_client import (
            StatefulProcessorHandleState as State,
        )

        from notebook_udf.worker.state.client import StateServer

        self._declare(StatefulProcessorHandle(client))
        client.set_handle_state(State.INITIALIZED)
        server = StateServer(client)
        yield from map(_wrapped, self._take(server, batches, mode))
        client.set_handle_state(State.DATA_PROCESSED)
        yield from map(_wrapped, self._expire(server))
        client.set_handle_state(State.TIMER_PROCESSED)
        client.remove_implicit_key()
        client.set_handle_state(State.CLOSED)

    @abstractmethod
    def _announced(self, shipments: tuple[Shipment, ...]) -> list[FunctionCall]:
        """The calls of the functions, which open when the task begins."""

    @abstractmethod
    def _take(
        self, server: StateServer, batches: Iterator[pa.RecordBatch], mode: str
    ) -> Iterator[pa.RecordBatch]:
        """Processes the rows, and stores the state."""

    def _expire(self, server: StateServer) -> Iterator[pa.RecordBatch]:
        """Ends what the watermark has passed; by default nothing."""
        return iter(())


def _wrapped(rows: pa.RecordBatch) -> pa.RecordBatch:
    """Rows in the form that Spark takes here: as the structs of one column."""
    import pyarrow as pa

    names = [f"_{place}" for place in range(rows.num_columns)]
    return pa.RecordBatch.from_arrays([pa.StructArray.from_arrays(rows.columns, names)], ["_0"])


_passes: list[StreamPass] = []


def take_pass() -> StreamPass | None:
    """The operator unpickled since the last call, if there was one; its functions are ready."""
    passed = _passes.pop() if _passes else None
    _passes.clear()
    if passed is not None:
        passed.load()
    return passed


def _arrive(cls: type[StreamPass], variables: StateVariables, packed: bytes) -> StreamPass:
    from notebook_udf.worker.runtime.worker_process import process

    process.attach()
    passed = cls(variables, packed)
    _passes.append(passed)
    return passed
