"""The classes a user derives from to write a function with a beginning and an end.

Semantics: the Python UDF design, "User Defined Function", and PyFlink's Python API.
"""

from __future__ import annotations

import dis
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

from notebook_udf.functions.context import FunctionContext


class UserDefinedFunction(ABC):  # noqa: B024
    """Base of all kinds of functions.

    One instance serves one task (or one worker and query, with ``open_scope="query"``). Only that
    of an ``AsyncScalarFunction`` sees more than one row at a time.
    """

    def open(self, function_context: FunctionContext) -> None:  # noqa: B027
        """Called once before the first row, for connections, models and look-up tables."""

    def close(self) -> None:  # noqa: B027
        """Called once after the last row, also when a row failed or the query was cancelled."""

    def is_deterministic(self) -> bool:
        """Whether equal arguments always give equal results.

        Spark may call a deterministic function fewer or more times than there are rows.
        """
        return True


class WithGracefulShutdown(ABC):
    """Mixin for a function that has something to do when a job ends in order.

    At the end of a finite source, and when a streaming query is drained, ``prepare_to_shutdown``,
    ``shutdown`` and ``close`` are called, in this order; after a failure, a cancel or a suspend
    only ``close`` is. Both have to be idempotent: it is not promised that they are called once.

    Notes
    -----
    Semantics: the graceful shutdown design, "Proposed Solution".
    """

    @abstractmethod
    def prepare_to_shutdown(self) -> None:
        """Called after the last row: finish what is begun, so that it can be committed."""

    @abstractmethod
    def shutdown(self) -> None:
        """Called when what was finished is safe: commit side effects."""


class ScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """The result for one row (``func_type="general"``), or for a batch of rows: pandas
        Series in and out (``"pandas"``), or Arrow arrays (``"arrow"``)."""


class TableFunction(UserDefinedFunction):
    """Maps the values of a row to any number of rows."""

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Yields the rows for one row, or returns an iterable of them; None is no rows.

        A row is a value where there is one column, else a tuple, list, ``Row``, dict or
        dataclass."""


class AsyncScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value, by way of something worth waiting for.

    ``open`` and ``close`` may be ``async def`` as well. All three run in the worker's one event
    loop; the instance is kept while the query lives, so that a client made in ``open`` keeps its
    connections from task to task.

    Its metrics hold ``async.in_flight`` (a gauge), ``async.retries`` and ``async.timeouts``
    (counters), ``async.call_seconds`` (a row's call, all attempts together) and
    ``async.queue_seconds`` (from a row's arrival to its call; both histograms).

    Notes
    -----
    Semantics: the async scalar function design, "Public Interfaces".
    """

    @abstractmethod
    async def eval(self, *args: Any) -> Any:
        """The result for one row. Up to ``buffer_capacity`` rows are on their way at a time."""


class _Accumulating(UserDefinedFunction):
    """What aggregate functions of both kinds share.

    ``accumulate``, ``retract`` and ``merge`` change the accumulator in place. An accumulator that
    cannot be changed (a number, a string, a tuple) is returned anew by them instead.

    Notes
    -----
    Semantics: the stateful Python aggregates design, "AggregateFunction".
    """

    @abstractmethod
    def create_accumulator(self) -> Any:
        """An accumulator that has seen no row: a list, a ``Row``, a dataclass, anything that can
        be pickled."""

    @abstractmethod
    def accumulate(self, accumulator: Any, *args: Any) -> Any:
        """Takes the values of one row in."""

    def retract(self, accumulator: Any, *args: Any) -> Any:
        """Takes the values of one row, accumulated before, out again; optional."""
        raise NotImplementedError(f"{type(self).__name__} has no retract")

    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        """Takes what other accumulators have seen into the first; optional.

        With it partitions are aggregated before anything is moved between them.
        """
        raise NotImplementedError(f"{type(self).__name__} has no merge")

    def get_result_type(self) -> Any:
        """Type of the result, if it was not given to ``udaf``."""
        return None

    def get_accumulator_type(self) -> Any:
        """Type of the accumulator; it is pickled where none is given."""
        return None


class AggregateFunction(_Accumulating):
    """Maps the rows of a group to one value."""

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """The result for the rows accumulated so far; also for none at all."""


class TableAggregateFunction(_Accumulating):
    """Maps the rows of a group to any number of rows."""

    @abstractmethod
    def emit_value(self, accumulator: Any) -> Any:
        """Yields the rows of the result."""


class Endings(Protocol):
    """Answers what is to be called, one after the other, at the end of a function's work; the
    last of it in any case."""

    def __call__(self, *, graceful: bool) -> tuple[Callable[[], None], ...]:
        """``graceful`` says that it ended in order: neither by a failure nor by a cancel."""


def endings(function: Any, *, graceful: bool) -> tuple[Callable[[], None], ...]:
    """The ``Endings`` of a function."""
    if not isinstance(function, UserDefinedFunction):
        return ()
    if graceful and isinstance(function, WithGracefulShutdown):
        return function.prepare_to_shutdown, function.shutdown, function.close
    return (function.close,)


def implements(function: Any, name: str) -> bool:
    """Whether an aggregate function has a ``merge`` or ``retract`` that does something.

    One whose body is only ``pass``, as in a class written from a template, does not count:
    calling it would lose rows without a word.
    """
    method = getattr(type(function), name, None)
    if method is None or method is getattr(_Accumulating, name, None):
        return False
    code = getattr(method, "__code__", None)
    if code is None:
        return True
    silent = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    return any(i.opname not in silent for i in dis.get_instructions(code))
