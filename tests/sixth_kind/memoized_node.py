"""What runs in a worker: a function behind a memory of its answers.

A worker imports this module when it unpickles the node; nothing in the package knows of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from notebook_udf.functions.metrics import MetricGroup
from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.instance import FunctionInstance, Opened
from notebook_udf.worker.column_node import ColumnNode


class Memory:
    """A function, and its answers by their arguments; ``memory.hits`` counts those used again."""

    def __init__(self, function: Callable[..., Any], metrics: MetricGroup) -> None:
        self._function = function
        self._known: dict[tuple[Any, ...], Any] = {}
        self._hits = metrics.add_group("memory").counter("hits")

    def __call__(self, *arguments: Any) -> Any:
        if arguments in self._known:
            self._hits.inc()
        else:
            self._known[arguments] = self._function(*arguments)
        return self._known[arguments]


class MemoizedInstance(FunctionInstance):
    """A function that is opened with a memory."""

    def _enter(self, function: Any) -> Opened:
        (called, context), endings = super()._enter(function)
        return (Memory(called, context.get_metric_group()), context), endings


class MemoizedCall(FunctionCall):
    """The call of a memoized function."""

    instances = MemoizedInstance


class MemoizedNode(ColumnNode):
    """A memoized function on columns, in any role of a scalar one."""

    @classmethod
    def call_of(cls, spec: None, place: int, payload: Shipment) -> FunctionCall:
        return MemoizedCall(payload)
