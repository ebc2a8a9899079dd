"""One window partition: an accumulator that follows the sliding frames of its rows.

A frame that moves takes new rows in with ``accumulate`` and lets old ones go with ``retract``, so
that a row costs the same whatever the frame; without ``retract``, a frame that loses rows is
accumulated again. Where the frames of many consecutive rows move alike, the calls are made in C.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice, repeat
from operator import length_hint
from typing import Any

import numpy as np

from notebook_udf.worker.aggregate.accumulator import Accumulation, Group
from notebook_udf.worker.aggregate.frame_check import FrameCheck
from notebook_udf.worker.codec.arrays import Places
from notebook_udf.worker.runtime.error_kinds import WorkerStopped

# Fewer rows whose frames move alike are stepped through one by one.
_SHORTEST_RUN = 16
# Of more at once, what is kept of each is gone through by the garbage collector again and again.
_LONGEST_RUN = 256


class Slide:
    """The rows of one window partition.

    Parameters
    ----------
    accumulation
        The function.
    columns
        Its arguments, a list per parameter.
    skipped
        Rows that do not meet its condition; None if it has none.
    group
        Answers the keys of a row of the bundle, for messages.
    retracts
        Whether the function has a ``retract``.
    copies
        Whether a result may be a part of the accumulator, which goes on changing.
    check
        Holds accumulators to their declared type; None without one.
    """

    def __init__(
        self,
        accumulation: Accumulation,
        columns: list[list[Any]],
        skipped: list[bool] | None,
        group: Group,
        retracts: bool,
        copies: bool,
        check: FrameCheck | None = None,
    ) -> None:
        self._accumulation = accumulation
        self._check = check
        self._columns = columns
        self._skipped = skipped
        self._group = group
        self._retracts = retracts
        value = accumulation.value

        def copied(accumulator: Any) -> Any:
            return copy.deepcopy(value(accumulator))

        self._ask = copied if copies else value
        self._accumulator: Any = None
        self._low = self._high = 0
        self._value: Any = None
        self._known = False
        self._first = 0

    def run(self, low: Places, high: Places, *, first: int) -> list[Any]:
        """The value of each frame; ``first`` is the position of the first row in the bundle."""
        self._first = first
        self._accumulator = self._accumulation.create()
        values: list[Any] = []
        call = self._accumulation.call
        call.slice_start, call.results = first, values
        lows, highs = low.tolist(), high.tolist()
        for start, end in self._runs(low, high):
            if end - start >= _SHORTEST_RUN:
                self._move(lows, highs, start, end, values)
            else:
                for row in range(start, end):
                    values.append(self._step(row, lows[row], highs[row]))
        self._leave(len(lows) - 1)
        return values

    def ask(
        self, made: Callable[[], Iterable[Any]], rows: Sequence[int], *, first: int
    ) -> list[Any]:
        """The values of accumulators that ``made`` builds again, one for each of ``rows``."""
        self._first = first
        values: list[Any] = []
        call = self._accumulation.call
        call.slice_start, call.results = first, values
        if self._check is not None:
            # Of sums it is known that the type holds them; this is for whatever is beside them.
            self._check.add(list(islice(made(), 1)), [first])
        try:
            # extend() keeps what it got before an exception: its length is the frame.
            values.extend(map(self._ask, made()))
            if len(values) < len(rows):
                raise RuntimeError("the function raised StopIteration")
        except WorkerStopped:
            raise
        except BaseException as error:
            self._accumulator = next(islice(made(), len(values), None))
            self._failed(error, "get_value", rows[len(values)])
            raise
        return values

    def _runs(self, low: Places, high: Places) -> Iterator[tuple[int, int]]:
        """Runs of rows whose frames move alike: each takes one row in, lets one go, or both."""
        size = len(low)
        accumulation = self._accumulation
        # A row that failed and is let go would leave the calls that follow a row behind.
        steady = accumulation.in_place and accumulation.on_error == "fail"
        if size < _SHORTEST_RUN or self._skipped is not None or not steady:
            for row in range(size):
                yield row, row + 1
            return
        gains, loses = np.diff(high, prepend=-9), np.diff(low, prepend=-9)
        alike = (gains == 1) & ((loses == 0) | (self._retracts & (loses == 1)))
        # A frame that was empty begins again instead of letting rows go.
        alike &= high - low > loses
        pattern = np.where(alike, loses, -1)
        edges = np.flatnonzero(np.diff(pattern)) + 1
        starts = [0, *edges.tolist()]
        for start, end in zip(starts, [*starts[1:], size], strict=True):
            if pattern[start] >= 0:
                for first in range(start, end, _LONGEST_RUN):
                    yield first, min(first + _LONGEST_RUN, end)
            else:
                # Not alike: each row a run of its own.
                for row in range(start, end):
                    yield row, row + 1

    # A row at a time -------------------------------------------------------------------------

    def _step(self, row: int, low: int, high: int) -> Any:
        if self._known and low == self._low and high == self._high:
            return self._value
        lets_go = low > self._low
        again = low < self._low or high < self._high
        if again or (lets_go and (not self._retracts or low >= self._high)):
            self._leave(row - 1)
            self._accumulator = self._accumulation.create()
            self._low = self._high = low
        self._take("accumulate", self._high, high)
        self._take("retract", self._low, low)
        self._low, self._high, self._known = low, high, True
        if self._check is not None:
            self._check.asked(self._accumulator, self._first + row)
        self._value = self._value_of(row)
        return self._value

    def _leave(self, row: int) -> None:
        """Notes the accumulator of the last row that asked for its value."""
        if self._check is not None and row >= 0:
            self._check.left(self._accumulator, self._first + row)

    def _take(self, method: str, start: int, end: int) -> None:
        accumulation = self._accumulation
        call = getattr(accumulation, method)
        for row in range(start, end):
            if self._skipped is not None and self._skipped[row]:
                continue
            arguments = [column[row] for column in self._columns]
            try:
                answer = call(self._accumulator, *arguments)
                self._accumulator = accumulation.kind.after(method, self._accumulator, answer)
            except WorkerStopped:
                raise
            except BaseException as error:
                self._failed(error, method, row)

    def _value_of(self, row: int) -> Any:
        try:
            return self._ask(self._accumulator)
        except WorkerStopped:
            raise
        except BaseException as error:
            self._failed(error, "get_value", row)
            return None

    def _failed(self, error: BaseException, method: str, row: int) -> None:
        arguments = [column[row] for column in self._columns]
        at = self._first + row
        if method == "get_value":
            arguments = [self._accumulator]
            if self._check is not None:
                # Where its type cannot hold what it was asked of, that is the reason.
                self._check.add(arguments, [at])
                self._check.finish()
        self._accumulation.row_failed(error, arguments, at, self._group(at), method)
        if method == "accumulate":
            # Never taken in, it must not be taken out later.
            if self._skipped is None:
                self._skipped = [False] * len(self._columns[0] if self._columns else ())
            self._skipped[row] = True

    # Many rows at once -----------------------------------------------------------------------

    def _move(
        self, lows: list[int], highs: list[int], start: int, end: int, values: list[Any]
    ) -> None:
        """Appends the values of rows ``start`` to ``end``, whose frames each move by one row."""
        accumulation, count = self._accumulation, end - start
        retracting = lows[end - 1] > self._low
        new = [iter(column[self._high : self._high + count]) for column in self._columns]
        old = [iter(column[self._low : self._low + count]) for column in self._columns]
        ticks = [repeat(self._accumulator, count) for _ in range(4)]
        copy_of = None if self._check is None else self._check.copy
        steps = [map(accumulation.accumulate, ticks[0], *new)]
        if retracting:
            steps.append(map(accumulation.retract, ticks[1], *old))
        if copy_of is not None:
            steps.append(map(copy_of, ticks[3]))
        steps.append(map(self._ask, ticks[2]))
        found: list[tuple[Any, ...]] = []
        try:
            # zip() asks each in turn: a row in, a row out, the value; all loops in one, in C.
            found.extend(zip(*steps, strict=False))
            if len(found) < count:
                raise RuntimeError("the function raised StopIteration")
        except WorkerStopped:
            raise
        except BaseException as error:
            asked = [count - length_hint(tick) for tick in ticks]
            self._blame(error, asked, start, len(found))
            raise
        *answers, results = zip(*found, strict=True)
        if self._check is not None and copy_of is not None:
            self._check.add(answers.pop(), range(self._first + start, self._first + end))
        for method, given in zip(("accumulate", "retract"), answers, strict=False):
            if given.count(None) != count:
                for answer in given:
                    accumulation.kind.after(method, self._accumulator, answer)
        values.extend(results)
        self._low, self._high, self._known = lows[end - 1], highs[end - 1], True
        self._value = results[-1]

    def _blame(self, error: BaseException, asked: list[int], start: int, done: int) -> None:
        """Reports the method that was called once more often than there are whole steps."""
        if asked[2] > done:
            self._failed(error, "get_value", start + done)
        elif asked[1] > done:
            self._failed(error, "retract", self._low + done)
        else:
            self._failed(error, "accumulate", self._high + done)
