"""The base classes of functions with ``open`` and ``close``.

Semantics: FLIP-58, "User Defined Function", and PyFlink's Python API.
"""

from __future__ import annotations

import dis
import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from notebook_udf.functions.accumulator_kind import AccumulatorKind
from notebook_udf.functions.context import FunctionContext
from notebook_udf.functions.kind_traits import (
    AGGREGATE,
    ASYNC,
    SCALAR,
    TABLE,
    TABLE_AGGREGATE,
    KindTraits,
)

# A method's name, for messages, and the method.
Ending: TypeAlias = tuple[str, Callable[[], None]]


class UserDefinedFunction(ABC):  # noqa: B024
    """Base of all kinds of functions.

    One instance serves one task (or one worker and query, with ``open_scope="query"``). Only an
    ``AsyncScalarFunction`` handles more than one row at a time.

    Notes
    -----
    Source: [FLIP-58][flip-58], "User Defined Function".

    Examples
    --------
    Derive from the class of a kind, and add what a task needs:

    >>> class Named(nu.ScalarFunction):
    ...     def open(self, function_context):
    ...         self.names = {"UA": "United"}
    ...
    ...     def eval(self, carrier: str) -> str | None:
    ...         return self.names.get(carrier)
    ...
    ...     def close(self):
    ...         self.names.clear()
    ...
    ...     def is_deterministic(self):
    ...         return True  # as without it
    >>> session.register_function("named", Named).eval("UA")
    'United'
    """

    # The kind of all functions that derive from a class; None: the class does not decide it.
    function_kind: ClassVar[KindTraits | None] = None

    def open(self, function_context: FunctionContext) -> None:  # noqa: B027
        """Called once before the first row, for connections, models and look-up tables."""

    def close(self) -> None:  # noqa: B027
        """Called once after the last row, also when a row failed or the query was cancelled.

        A cancel may meet ``open`` at work: what that has not made yet is then not there."""

    def is_deterministic(self) -> bool:
        """Whether equal arguments always give equal results.

        Spark may call a deterministic function fewer or more times than there are rows.
        """
        return True


class WithGracefulShutdown(ABC):
    """Mixin for a function with work to do at a graceful end of its job.

    At the end of a finite source, and when a streaming query is drained, ``prepare_to_shutdown``,
    ``shutdown`` and ``close`` are called, in this order; after a failure, a cancel or a suspend
    only ``close`` is. Both have to be idempotent: they may be called more than once.

    Notes
    -----
    Source: [FLIP-46][flip-46], "Proposed Solution".

    Examples
    --------
    >>> class Written(nu.ScalarFunction, nu.WithGracefulShutdown):
    ...     def eval(self, x: int) -> int:
    ...         return x
    ...
    ...     def prepare_to_shutdown(self):
    ...         print("flush what is buffered")
    ...
    ...     def shutdown(self):
    ...         print("commit it")
    >>> session.register_function("written", Written).eval(1)
    flush what is buffered
    commit it
    1
    """

    @abstractmethod
    def prepare_to_shutdown(self) -> None:
        """Called after the last row: finish pending work, so that it can be committed."""

    @abstractmethod
    def shutdown(self) -> None:
        """Called when the finished work is committed: commit side effects."""


class ScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value.

    Notes
    -----
    Source: [FLIP-58][flip-58], "User Defined Function".

    Examples
    --------
    >>> class Half(nu.ScalarFunction):
    ...     def eval(self, x: int) -> float:
    ...         return x / 2
    >>> half = session.register_function("half", Half)
    >>> session.sql("SELECT half(3) AS h").first()
    Row(h=1.5)
    """

    function_kind = SCALAR

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """The result for one row (``func_type="general"``), or for a batch of rows: pandas
        Series in and out (``"pandas"``), or Arrow arrays (``"arrow"``)."""


class TableFunction(UserDefinedFunction):
    """Maps the values of a row to any number of rows.

    Notes
    -----
    Source: [FLIP-58][flip-58], "User Defined Table Function".

    Examples
    --------
    >>> class Words(nu.TableFunction):
    ...     def eval(self, text: str):
    ...         yield from text.split()
    >>> words = session.register_function("words", nu.udtf(Words, result_types="word string"))
    >>> session.sql("SELECT word FROM words('to be')").collect()
    [Row(word='to'), Row(word='be')]
    """

    function_kind = TABLE

    @abstractmethod
    def eval(self, *args: Any) -> Any:
        """Yields the rows for one row, or returns an iterable of them; None is no rows.

        A row is a value where there is one column, else a tuple, list, ``Row``, dict or
        dataclass."""


class AsyncScalarFunction(UserDefinedFunction):
    """Maps the values of a row to one value that has to be awaited.

    ``open`` and ``close`` may be ``async def`` as well. All three run in the worker's one event
    loop; the instance is kept while the query lives, so that a client made in ``open`` keeps its
    connections from task to task.

    Its metrics hold ``async.in_flight`` (a gauge), ``async.retries`` and ``async.timeouts``
    (counters), ``async.call_seconds`` (a row's call, all attempts together) and
    ``async.queue_seconds`` (from a row's arrival to its call; both histograms).

    Notes
    -----
    Source: [FLIP-400][flip-400], "Public Interfaces".

    Examples
    --------
    >>> class Squared(nu.AsyncScalarFunction):
    ...     async def open(self, function_context):
    ...         self.power = 2
    ...
    ...     async def eval(self, x: int) -> int:
    ...         return x**self.power
    >>> squared = session.register_function("squared", Squared)
    >>> session.sql("SELECT squared(3) AS s").first()
    Row(s=9)
    """

    function_kind = ASYNC

    @abstractmethod
    async def eval(self, *args: Any) -> Any:
        """The result for one row. Up to ``buffer_capacity`` calls are in flight at a time."""


class ImperativeAggregateFunction(UserDefinedFunction):
    """Base of both kinds of aggregate functions.

    ``accumulate``, ``retract`` and ``merge`` change the accumulator in place. An accumulator that
    cannot be changed (a number, a string, a tuple) is returned again by them instead.

    Notes
    -----
    Source: [FLIP-139][flip-139], "AggregateFunction".

    Examples
    --------
    Derive from ``AggregateFunction`` or ``TableAggregateFunction``:

    >>> issubclass(nu.AggregateFunction, nu.ImperativeAggregateFunction)
    True
    """

    @abstractmethod
    def create_accumulator(self) -> Any:
        """An accumulator of no rows: a list, a ``Row``, a dataclass, anything that can be
        pickled."""

    @abstractmethod
    def accumulate(self, accumulator: Any, *args: Any) -> Any:
        """Adds the values of one row to the accumulator."""

    def retract(self, accumulator: Any, *args: Any) -> Any:
        """Takes the values of a row that was accumulated before out again; optional."""
        raise NotImplementedError(f"{type(self).__name__} has no retract")

    def merge(self, accumulator: Any, accumulators: Any) -> Any:
        """Merges other accumulators into the first; optional.

        With it partitions are aggregated before the shuffle.
        """
        raise NotImplementedError(f"{type(self).__name__} has no merge")

    def get_result_type(self) -> Any:
        """Type of the result, if it was not given to ``udaf``."""
        return None

    def get_accumulator_type(self) -> Any:
        """Type of the accumulator; it is pickled where none is given."""
        return None


class AggregateFunction(ImperativeAggregateFunction):
    """Maps the rows of a group to one value.

    Notes
    -----
    Source: [FLIP-139][flip-139], "AggregateFunction".

    Examples
    --------
    >>> class Total(nu.AggregateFunction):
    ...     def create_accumulator(self):
    ...         return [0]
    ...
    ...     def accumulate(self, acc, x: int):
    ...         acc[0] += x
    ...
    ...     def retract(self, acc, x):
    ...         acc[0] -= x
    ...
    ...     def merge(self, acc, others):
    ...         for other in others:
    ...             acc[0] += other[0]
    ...
    ...     def get_value(self, acc):
    ...         return acc[0]
    ...
    ...     def get_accumulator_type(self):
    ...         return "array<bigint>"
    ...
    ...     def get_result_type(self):
    ...         return "bigint"
    >>> total = session.register_function("total", Total)
    >>> session.sql("SELECT total(id) AS t, count(*) AS n FROM range(4)").first()
    Row(t=6, n=4)
    """

    function_kind = AGGREGATE

    @abstractmethod
    def get_value(self, accumulator: Any) -> Any:
        """The result for the rows accumulated so far; also for none at all."""


class TableAggregateFunction(ImperativeAggregateFunction):
    """Maps the rows of a group to any number of rows.

    Notes
    -----
    Source: PyFlink's [TableAggregateFunction][pyflink].

    Examples
    --------
    >>> class Extremes(nu.TableAggregateFunction):
    ...     def create_accumulator(self):
    ...         return []
    ...
    ...     def accumulate(self, acc, x: int):
    ...         acc.append(x)
    ...
    ...     def emit_value(self, acc):
    ...         yield min(acc), max(acc)
    >>> extremes = nu.udtaf(Extremes, result_type="least bigint, most bigint")
    >>> session.register_function("extremes", extremes).eval([3, 1, 2])
    [(1, 3)]
    """

    function_kind = TABLE_AGGREGATE

    @abstractmethod
    def emit_value(self, accumulator: Any) -> Any:
        """Yields the rows of the result, or returns an iterable of them; None is no rows.

        A row is a value where there is one column, else a tuple, list, ``Row``, dict or
        dataclass."""


@dataclass(frozen=True)
class Endings:
    """The methods to call at the end of a function's work, if there are any.

    Attributes
    ----------
    function
        The function's name, for messages.
    prepare, shutdown
        Only of a function ``WithGracefulShutdown``.
    close
        Called in any case.
    """

    function: str = ""
    prepare: Callable[[], None] | None = None
    shutdown: Callable[[], None] | None = None
    close: Callable[[], None] | None = None

    def methods(self, *, graceful: bool, prepared: bool = False) -> tuple[Ending, ...]:
        """Names and methods, in their order; ``graceful`` says that the work ended neither by a
        failure nor by a cancel, ``prepared`` that the first of them has been called."""
        found: list[tuple[str, Callable[[], None] | None]] = []
        if graceful:
            found = [("prepare_to_shutdown", self.prepare), ("shutdown", self.shutdown)]
        wanted = [*found[prepared:], ("close", self.close)]
        return tuple(
            (f"{self.function}.{name}", method) for name, method in wanted if method is not None
        )

    def called(self, call: Callable[[Callable[..., Any]], None]) -> Endings:
        """The same methods, each called through ``call``."""
        return Endings(
            self.function,
            *(
                None if method is None else functools.partial(call, method)
                for method in (self.prepare, self.shutdown, self.close)
            ),
        )


def endings(function: Any) -> Endings:
    """The methods to call at the end of a function's work."""
    if not isinstance(function, UserDefinedFunction):
        return Endings()
    name = type(function).__name__
    if isinstance(function, WithGracefulShutdown):
        return Endings(name, function.prepare_to_shutdown, function.shutdown, function.close)
    return Endings(name, close=function.close)


def of_columns(function: Any) -> Callable[..., Any]:
    """Maps the columns of a group to its value: a function, or a class's methods in turn.

    The accumulator of a class takes the group's columns once and is never merged or pickled.
    """
    if not isinstance(function, AggregateFunction):
        return function  # type: ignore[no-any-return]
    return functools.partial(_accumulated_once, function)


def _accumulated_once(function: AggregateFunction, *columns: Any) -> Any:
    accumulator = function.create_accumulator()
    kind = AccumulatorKind.of(type(function).__name__, accumulator)
    answer = function.accumulate(accumulator, *columns)
    return function.get_value(kind.after("accumulate", accumulator, answer))


def implements(function: Any, name: str) -> bool:
    """Whether an aggregate function has a ``merge`` or ``retract`` that does something.

    One whose body is only ``pass``, as in a class written from a template, does not count:
    calling it would silently lose rows.
    """
    method = getattr(type(function), name, None)
    if method is None or method is getattr(ImperativeAggregateFunction, name, None):
        return False
    code = getattr(method, "__code__", None)
    if code is None:
        return True
    silent = {"RESUME", "NOP", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}
    return any(i.opname not in silent for i in dis.get_instructions(code))
