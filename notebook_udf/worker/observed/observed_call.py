"""A function of PySpark's own API in a task: what it costs, and what it was called with last.

Spark opens it, calls it and raises what it raises. It has no options, no version and no metrics of
its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import CodeType
from typing import Any, ClassVar

from notebook_udf.functions.metrics import MetricGroup
from notebook_udf.telemetry.records import CallFailed
from notebook_udf.worker.call.failure_report import Copy, named, pickled, report
from notebook_udf.worker.observed.failing_row import arguments_within, parameters_of
from notebook_udf.worker.runtime.bundle_statistics import BundleStatistics
from notebook_udf.worker.runtime.failure import short
from notebook_udf.worker.runtime.task import Task


class ObservedCall:
    """One function in one Python node of a plan, see ``runtime.task.TaskCall``.

    Parameters
    ----------
    function
        What was given to PySpark.
    name
        What it is seen as, if not under its own name.
    """

    version = 0
    memory = 0
    time_limit = timeout = 0.0
    chain = ""
    running = (-1, -1)
    bundle: tuple[int, int] | None = None
    row_of: Callable[[int], int] | None = None
    sample: Callable[[], Sequence[Any]] | None = None
    answers_later: ClassVar[bool] = False
    observed: ClassVar[bool] = True
    aggregates = False

    def __init__(self, function: Any, name: str = "") -> None:
        self.function = function
        self.code = first_code_of(function)
        # As in Spark's plans, where its cost is put.
        self.name = name or str(getattr(function, "__name__", None) or type(function).__name__)
        self.statistics = BundleStatistics()
        self.metrics = MetricGroup()
        # What it was called with last, where a call takes a batch or a group: of an iterator, a
        # list of what it gave last. Their places are in ``iterators``.
        self.arguments: list[Any] | None = None
        self.iterators: tuple[int, ...] = ()
        self._task: Task | None = None

    @property
    def codes(self) -> tuple[CodeType | None, ...]:
        """The code of what is called by this call."""
        return (self.code,)

    @property
    def task(self) -> Task:
        """The task this call belongs to."""
        assert self._task is not None
        return self._task

    @property
    def known_parameters(self) -> tuple[str, ...]:
        """The names of its parameters, as far as its code tells them."""
        if self.code is None:
            return ()
        names, starred = parameters_of(self.code)
        return (*names, f"*{starred}") if starred else names

    @property
    def file(self) -> str | None:
        """The file of its code, as in tracebacks; "" for a function that is not Python's."""
        return self.code.co_filename if self.code is not None else ""

    def awaiting(self, number: int) -> Any:
        """No call of it is awaited."""
        return None

    def open(self, task: Task) -> None:
        """Makes this call part of a task: there is nothing to open."""
        self._task = task

    def close(self, failed: bool) -> None:
        """Lets go of what it was called with."""
        self.arguments = None

    def failed(
        self,
        error: BaseException,
        arguments: Sequence[Any] | None,
        row: int = -1,
        code: CodeType | None = None,
    ) -> CallFailed:
        """Reports that it raised; who calls this raises the error on.

        Parameters
        ----------
        arguments, row
            What it was called with, and for which row; None and -1 where that is not known.
        code
            Which of its codes raised.
        """
        self.statistics.errors += 1
        copy = self._copy(error, arguments)
        return report(self, error, arguments, row, "fail", None, "", 1, copy)

    def _copy(self, error: BaseException, arguments: Sequence[Any] | None) -> Copy:
        """The call as it is shown; pickled it has the function too, which no session has."""
        # Of what it iterates over, the part that it had last.
        last = [
            value[-1] if at in self.iterators and value else value
            for at, value in enumerate(arguments or ())
        ]
        inner = arguments_within(error, self.code)
        shown = (*named(self.known_parameters, last), *((n, short(v)) for n, v in inner))
        call = None if arguments is None else (self.function, [*arguments], self.iterators)
        return Copy(shown, pickled(call))


class ObservedChain(ObservedCall):
    """The functions of an RDD, which Spark calls one within the other, as one call.

    Parameters
    ----------
    functions
        In the order in which rows come to them.
    name
        What they are seen as.
    """

    def __init__(self, functions: Sequence[Any], name: str) -> None:
        super().__init__(functions[-1], name)
        self._parts = [ObservedCall(each) for each in functions]

    @property
    def codes(self) -> tuple[CodeType | None, ...]:
        """The code of each function."""
        return tuple(each.code for each in self._parts)

    def failed(
        self,
        error: BaseException,
        arguments: Sequence[Any] | None,
        row: int = -1,
        code: CodeType | None = None,
    ) -> CallFailed:
        """Reports that one of the functions raised, under its own name."""
        at = self.codes.index(code) if code in self.codes else -1
        self.statistics.errors += 1
        part = self._parts[at]
        part.open(self.task)
        return part.failed(error, arguments, row)


def first_code_of(function: Any) -> CodeType | None:
    """The code that a call of the function runs first, if it is Python's."""
    inner = getattr(function, "__func__", function)
    code = getattr(inner, "__code__", None)
    if code is None:
        # A callable object, or the class of a table function.
        method = getattr(inner, "eval" if isinstance(inner, type) else "__call__", None)
        code = getattr(method, "__code__", None)
    return code if isinstance(code, CodeType) else None
