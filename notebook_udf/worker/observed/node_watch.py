"""Watches the functions of one Python node that Spark itself calls: batches, calls, results.

What Spark gives a function and takes from it passes through unchanged. Each Arrow batch is a
bundle; of groups and of pickled rows, which come in small parts, a bundle has several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import count
from operator import itemgetter
from time import perf_counter_ns
from typing import Any, Literal, TypeAlias

from notebook_udf.worker.observed.failing_row import row_of
from notebook_udf.worker.observed.observed_call import ObservedCall
from notebook_udf.worker.observed.stopwatch import Part, Stopwatch
from notebook_udf.worker.runtime.error_kinds import WorkerStopped
from notebook_udf.worker.runtime.task import Task

# How Spark calls the functions of a node: with whole batches and groups; for each row of an Arrow
# batch, or so that its conversions are not told from the user's code.
Way: TypeAlias = Literal["calls", "rows", "whole"]

# A bundle of small parts has no more than these.
_MOST_ROWS = 10_000
_MOST_PARTS = 1_000
# Half a batch: the JVM has closed the connection, and no function is at fault.
_UNREADABLE = (OSError, EOFError, ValueError)


class NodeWatch:
    """The functions of a node, and the task that runs them.

    Attributes
    ----------
    is_on
        Whether they are watched. If not, it is only noted which of them has raised, so that no
        function of the session is blamed for it.
    calls
        In the order in which Spark calls them.
    """

    def __init__(self, *, is_on: bool) -> None:
        self.is_on = is_on
        self.calls: list[ObservedCall] = []
        # Whether the node, and its task, are those of functions of the session.
        self._is_guest = False
        self._way: Way = "calls"
        self._stopwatch = Stopwatch()
        self._task: Task | None = None
        self._failing: ObservedCall | None = None
        # Whether what the JVM sent could not be read: another task failed.
        self._cut_off = False
        self._parts = 0
        self._evaluated = 0

    def add(self, call: ObservedCall, way: Way) -> None:
        """A function more of the node, which is called in that way."""
        self.calls.append(call)
        self._way = way

    def begin(self, task: Task) -> None:
        """A task begins."""
        self._task = task
        task.start()

    def end(self, error: BaseException | None) -> None:
        """The task is over; ``error`` is what ended it before its last row."""
        task = self._running
        outcome = "done"
        if self._cut_off or isinstance(error, (GeneratorExit, ConnectionError, WorkerStopped)):
            # The JVM needs no more rows (LIMIT), or the query was cancelled.
            outcome = "stopped"
        elif error is not None:
            outcome = "failed"
            self._report(error)
        else:
            task.end_bundle()
        task.close(failed=error is not None)
        task.end(outcome)
        self._task = None

    def join(self, task: Task) -> None:
        """Functions of the session share the node: the task is theirs."""
        self._task = task
        self._is_guest = True

    def leave(self) -> None:
        """That task is over."""
        self._task = None

    def tell(self, error: BaseException) -> bool:
        """Reports an error in a task that is not its own, if it is of one of its functions."""
        if self._failing is None:
            return False
        if self.is_on:
            self._report(error)
        return True

    @property
    def _running(self) -> Task:
        assert self._task is not None
        return self._task

    # Functions -------------------------------------------------------------------------------

    def around(self, call: ObservedCall, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function of whole batches or groups, with what it takes measured and noted."""
        turn, statistics = self._stopwatch.turn, call.statistics

        def observed(*args: Any, **kwargs: Any) -> Any:
            if not self.is_on:
                return self._noting(call, function, args, kwargs)
            given: list[Any] = [*args]
            call.arguments = [*args, *kwargs.values()]
            call.iterators = tuple(at for at, a in enumerate(args) if isinstance(a, Iterator))
            for at in call.iterators:
                call.arguments[at] = []
                given[at] = self._read(call, at, args[at])
            before, self._running.active = self._running.active, call
            turn(statistics, "user_ns")
            try:
                result = self._noting(call, function, given, kwargs)
            finally:
                turn(None if self._is_guest else statistics, "encode_ns")
            if self._is_guest:
                # Nobody else counts its rows, or tells when the others run.
                self._running.active = before
                statistics.rows_in += _rows(given[0]) if given else 0
                statistics.rows_out += _rows(result)
            return self._results(call, result) if isinstance(result, Iterator) else result

        return observed

    def _noting(
        self, call: ObservedCall, function: Callable[..., Any], args: Any, named: Any
    ) -> Any:
        try:
            return function(*args, **named)
        except BaseException:
            self._failing = call
            raise

    def _read(self, call: ObservedCall, at: int, batches: Iterator[Any]) -> Iterator[Any]:
        """What a function iterates over, as its argument of that place."""
        turn, statistics, arguments = self._stopwatch.turn, call.statistics, call.arguments
        assert arguments is not None
        while True:
            turn(statistics, "decode_ns")
            try:
                batch = next(batches)
            except StopIteration:
                return
            finally:
                turn(statistics, "user_ns")
            arguments[at] = [batch]
            yield batch

    def _results(self, call: ObservedCall, results: Iterator[Any]) -> Iterator[Any]:
        """What a function gives one after the other."""
        turn, statistics = self._stopwatch.turn, call.statistics
        while True:
            turn(statistics, "user_ns")
            try:
                result = next(results)
            except StopIteration:
                return
            except BaseException:
                self._failing = call
                raise
            finally:
                turn(statistics, "encode_ns")
            yield result

    # Rows ------------------------------------------------------------------------------------

    def run(self, results: Callable[[Iterator[Any]], Iterator[Any]], data: Iterator[Any]) -> Any:
        """The results of Spark's own loop over what arrives, which are Arrow batches."""
        turn, last = self._stopwatch.turn, self.calls[-1].statistics
        following: Part = "user_ns" if self._way == "whole" else "encode_ns"
        given = results(self._arriving(data))
        try:
            for batch in given:
                turn(None)
                self._leave(batch.num_rows, batch.nbytes)
                start = perf_counter_ns()
                yield batch
                self._running.leave(0, 0, perf_counter_ns() - start)
                turn(last, following)
            turn(None)
        finally:
            if hasattr(given, "close"):
                given.close()

    def _leave(self, rows: int, size: int) -> None:
        self._running.leave(rows, size, 0)
        for call in self.calls:
            call.statistics.rows_out += rows

    def _arriving(self, data: Iterator[Any]) -> Iterator[Any]:
        """What arrives: batches, the batches of a group, or pairs of such lists."""
        task = self._running
        for each, wait_ns in self._awaited(data):
            if isinstance(each, Iterator):
                self._open(0, 0, wait_ns)
                yield self._group(each)
                continue
            if isinstance(each, tuple):
                batches = [batch for side in each for batch in side]
                size = sum(batch.nbytes for batch in batches)
                self._open(sum(batch.num_rows for batch in batches), size, wait_ns)
                yield each
                continue
            task.end_bundle()
            self._begin(each.num_rows, each.nbytes, wait_ns)
            task.arrived = each
            self._evaluated = 0
            # Without a column there is nothing to decode.
            if self._way == "rows" and not each.num_columns:
                self._stopwatch.turn(self.calls[0].statistics, "user_ns")
            yield each

    def _awaited(self, data: Iterator[Any]) -> Iterator[tuple[Any, int]]:
        """What arrives, with the nanoseconds that it was waited for, which count to no function."""
        while True:
            self._stopwatch.turn(None)
            start = perf_counter_ns()
            try:
                each = next(data, None)
            except _UNREADABLE:
                self._cut_off = True
                raise
            wait_ns = perf_counter_ns() - start
            if each is None:
                return
            yield each, wait_ns

    def _group(self, batches: Iterator[Any]) -> Iterator[Any]:
        for batch, wait_ns in self._awaited(batches):
            self._arrived()
            self._extend(batch.num_rows, batch.nbytes, wait_ns)
            yield batch
        # Spark puts the group together now.
        self._arrived()

    def _open(self, rows: int, size: int, wait_ns: int) -> None:
        """One part more of a bundle, or the first of the next."""
        task = self._running
        if self._parts and self._parts < _MOST_PARTS and task.rows + rows <= _MOST_ROWS:
            self._parts += 1
            self._extend(rows, size, wait_ns)
            return
        task.end_bundle()
        self._parts = 1
        self._begin(rows, size, wait_ns)

    def _begin(self, rows: int, size: int, wait_ns: int) -> None:
        task = self._running
        task.begin_bundle(rows, size, wait_ns)
        task.active = self.calls[0]
        self._count(rows)
        self._arrived()

    def _arrived(self) -> None:
        """Rows have arrived: they are decoded, or that is not told from what follows."""
        part: Part = "user_ns" if self._way == "whole" else "decode_ns"
        self._stopwatch.turn(self.calls[0].statistics, part)

    def _extend(self, rows: int, size: int, wait_ns: int) -> None:
        self._running.extend_bundle(rows, size, wait_ns)
        self._count(rows)

    def _count(self, rows: int) -> None:
        for call in self.calls:
            call.statistics.rows_in += rows

    # Rows one by one -------------------------------------------------------------------------

    def decoded(self) -> None:
        """A column of the batch is Python's now; after the last one the first function runs."""
        if self._way == "rows":
            self._stopwatch.turn(self.calls[0].statistics, "user_ns")

    def evaluated(self) -> None:
        """A function has been called for all rows of the batch.

        Encoding its results counts to the next function, if there is one: where that begins to run
        is not known.
        """
        if self._way != "rows":
            return
        self._evaluated += 1
        following = self._evaluated < len(self.calls)
        call = self.calls[self._evaluated if following else -1]
        self._running.active = call
        self._stopwatch.turn(call.statistics, "user_ns" if following else "encode_ns")

    def pickled(self, batches: Iterator[Any]) -> Iterator[Any]:
        """Lists of pickled rows, as they arrive."""
        for rows, wait_ns in self._awaited(batches):
            self._open(len(rows), 0, wait_ns)
            self._arrived()
            yield rows

    def pickling(self, lists: Iterator[Any]) -> Iterator[Any]:
        """Lists of results, as they leave to be pickled."""
        for results in lists:
            self._leave(len(results), 0)
            self._stopwatch.turn(self.calls[-1].statistics, "encode_ns")
            yield results
            self._stopwatch.turn(self.calls[0].statistics, "user_ns")

    # Rows of RDDs ----------------------------------------------------------------------------

    def items(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Rows that come one by one, of which nothing tells how many have come."""
        self._begin(0, 0, 0)
        counter = count()
        try:
            yield from _counted(rows, counter)
        except _UNREADABLE:
            self._cut_off = True
            raise
        finally:
            self._extend(next(counter), 0, 0)

    def run_chain(self, results: Callable[[], Iterable[Any]], give: Callable[[Any], Any]) -> Any:
        """Gives the results of an RDD's functions, and counts them."""
        counter = count()
        made = results()
        try:
            return give(_counted(made, counter))
        finally:
            if hasattr(made, "close"):
                made.close()
            self._stopwatch.turn(None)
            self._leave(next(counter), 0)

    # Failures --------------------------------------------------------------------------------

    def _report(self, error: BaseException) -> None:
        """Tells the kernel which call raised, and with what."""
        found = row_of(error, [code for call in self.calls for code in call.codes])
        call = self._failing
        if call is None and found is not None and found.code is not None:
            call = next(each for each in self.calls if found.code in each.codes)
        call = call or self.calls[0]
        if self._failing is None and found is not None:
            call.failed(error, found.arguments, found.row, found.code)
        else:
            call.failed(error, call.arguments)


def _counted(rows: Iterable[Any], counter: Iterator[int]) -> Iterator[Any]:
    """The rows, each of which takes a number of the counter; not a line of Python for each."""
    return map(itemgetter(0), zip(rows, counter, strict=False))


def _rows(value: Any) -> int:
    """How many rows an argument or a result has; of an aggregate, one."""
    return len(value) if hasattr(value, "__len__") else 1
