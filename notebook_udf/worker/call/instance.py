"""A user's function in a worker: unpickled and opened, kept for later tasks, closed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from notebook_udf.functions.base import (
    Endings,
    ScalarFunction,
    TableFunction,
    UserDefinedFunction,
    endings,
)
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.specs.payload import Header, Shipment
from notebook_udf.worker.runtime.error_kinds import WorkerStopped

if TYPE_CHECKING:
    from notebook_udf.worker.runtime.task import Task

# What is called, with its context, and what ends it.
Opened: TypeAlias = tuple[tuple[Any, FunctionContext], Endings]


class FunctionInstance:
    """One function in one task, or in all tasks of a query that a worker runs.

    Parameters
    ----------
    payload, header
        The function, and what is known of it.
    task
        The task that it is opened in.
    chain
        Its step in a chain of functions, in words: each step has an instance of its own.

    Attributes
    ----------
    function
        What is called, once it is opened.
    context
        What it is opened with.
    is_open
        Whether it is.
    """

    def __init__(self, payload: Shipment, header: Header, task: Task, chain: str) -> None:
        self._payload = payload
        self._header = header
        self._task = task
        self._name = f"{header.name}:{header.hash}:{chain}"
        self._endings = Endings()
        # Whether it was told that its stream is being drained.
        self._prepared = False
        self.function: Any = None
        self.context = FunctionContext()
        self.is_open = False

    @property
    def is_kept(self) -> bool:
        """Whether it outlives its task. The end of a task is not the end of a stream, and a
        function that is told of the end has to be there to hear it."""
        header = self._header
        return header.options.open_scope == "query" or (header.graceful and self._task.streams)

    def open(self) -> None:
        """Unpickles the function and calls its ``open``; raises what either raises."""
        if self.is_kept:
            made: Opened = self._task.runtime.keep(self._task.scope, self._name, self._make)
            # Each task reports its own counts, and they are added up.
            made[0][1].metric_group.reset()
        else:
            made = self._make()
        (self.function, self.context), self._endings = made
        self.is_open = True

    def beside(self, what: str, make: Callable[[], Any]) -> Any:
        """An object with the lifetime of the instance, made on first use."""
        if not self.is_kept:
            return make()
        key = f"{self._name}:{what}"
        return self._task.runtime.keep(self._task.scope, key, lambda: (make(), Endings()))[0]

    def prepare(self, *, again: bool) -> None:
        """Tells a kept instance that its stream is being drained; again, if it was told before,
        only with ``again``, because it has worked since. Raises what it raises."""
        self._prepared = True
        if self.is_kept:
            self._task.runtime.prepare(self._task.scope, self._name, again=again)

    @property
    def is_to_prepare(self) -> bool:
        """Whether it is kept, its stream is being drained, and it has not been told."""
        return self.is_kept and self._task.draining and not self._prepared

    def end(self, *, failed: bool) -> tuple[Callable[[], None], ...]:
        """The methods that end its work, in order; the one that closes it is the last."""
        self.is_open = False
        return tuple(method for _, method in self._endings.methods(graceful=not failed))

    @contextlib.contextmanager
    def closing_what_is_cut_short(self, ended: Endings) -> Iterator[None]:
        """Around ``open``: where the worker is told to go meanwhile, the function is closed, as
        nobody else knows of it yet."""
        try:
            yield
        except WorkerStopped:
            self._task.runtime.call_all(ended.methods(graceful=False))
            raise

    def _make(self) -> Opened:
        header, function = self._payload.unpack()
        if isinstance(function, FunctionDefinition):
            function = function.function
        task = self._task
        self.context = FunctionContext(
            function=header.name,
            task_name=f"{header.name}, stage {task.identity.stage}",
            subtask=task.identity.partition,
            subtasks=task.subtasks,
            attempt=task.identity.attempt,
            job_parameters=task.job_parameters,
        )
        return self._enter(function)

    def _enter(self, function: Any) -> Opened:
        if not isinstance(function, UserDefinedFunction):
            return (function, self.context), endings(function)
        with self.closing_what_is_cut_short(endings(function)):
            function.open(self.context)
        # An aggregate function has several methods; which are called is its runner's business.
        called: Any = function
        if isinstance(function, (ScalarFunction, TableFunction)):
            called = function.eval
        return (called, self.context), endings(function)
