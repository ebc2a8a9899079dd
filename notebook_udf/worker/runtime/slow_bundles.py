"""Samples of slow bundles: their first rows, which are gone when someone wants to know why.

Only of a bundle that is slower than all before it in this worker and query, so that a query takes
few samples however long it runs. The values are sent as short texts, to be shown, and what the
functions were called with as it was, to be called again in a test.
"""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from notebook_udf.telemetry.records import BundleSampled, SampledCalls, TaskId
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.runtime.failure import short

if TYPE_CHECKING:
    import pyarrow as pa

    from notebook_udf.worker.runtime.task import TaskCall

_ROWS = 3
_COLUMNS = 8
# Rows that are larger would take longer to be written down than is worth it.
_MOST_BYTES = 100_000
# Calls whose arguments are sent, of a group so many rows, and what they may take: the kernel keeps
# them for as long as it keeps the query.
_CALLS = 5
_GROUP_ROWS = 20
_MOST_PICKLED_BYTES = 16_384
# What is worth a look, and how much slower than the last one: a larger step would leave the slowest
# of all without its rows, a smaller one could note every bundle of a query that slows down.
_LEAST_NS = 1_000_000
_CLEARLY = 1.02


class Slowest:
    """The duration of the slowest bundle of the current query."""

    def __init__(self) -> None:
        self._query = ""
        self._from_ns = _LEAST_NS

    def beaten(self, query: str, busy_ns: int) -> bool:
        """Whether a bundle is slower than those before it; notes its duration if so."""
        if query != self._query:
            self._query, self._from_ns = query, _LEAST_NS
        if busy_ns < self._from_ns:
            return False
        self._from_ns = int(busy_ns * _CLEARLY)
        return True


def sampled(
    task: TaskId, bundle: int, batch: pa.RecordBatch, calls: Sequence[TaskCall]
) -> BundleSampled | None:
    """The first rows of a batch; None if they are too large, or have values that Python lacks."""
    parameters = calls[0].known_parameters if len(calls) == 1 else ()
    first = batch.slice(0, _ROWS)
    if first.nbytes > _MOST_BYTES:
        return None
    names = batch.schema.names
    fitting = len(parameters) == len(names) and not any(p.startswith("*") for p in parameters)
    shown = [str(name) for name in (parameters if fitting else names)[:_COLUMNS]]
    try:
        columns = [_texts(first.column(at)) for at in range(len(shown))]
    except (ValueError, OverflowError, NotImplementedError):
        return None
    if len(names) > len(shown):
        shown.append(f"… {len(names) - len(shown):,} more")
        columns.append(["…"] * first.num_rows)
    rows = tuple(zip(*columns, strict=True))
    return BundleSampled(
        os.getpid(), time.time(), task, bundle, tuple(shown), rows, tuple(_arguments(calls))
    )


def _arguments(calls: Iterable[TaskCall]) -> Iterable[SampledCalls]:
    """What functions were called with first, as far as it can be pickled and is not too large."""
    for call in calls:
        if call.sample is None:
            continue
        most = _GROUP_ROWS if call.aggregates else _CALLS
        columns = [column.slice(0, most) for column in call.sample()]
        try:
            rows = list(zip(*[decoder(each.type)(each) for each in columns], strict=True))
            while rows:
                pickled = pickle.dumps(rows)
                if len(pickled) <= _MOST_PICKLED_BYTES:
                    yield SampledCalls(call.name, call.version, pickled)
                    break
                del rows[len(rows) // 2 :]
        except (ValueError, OverflowError, NotImplementedError):
            # A value that Python has none for: the function was not called with it either.
            continue


def _texts(column: Any) -> list[str]:
    return [short(value) for value in column.to_pylist()]
