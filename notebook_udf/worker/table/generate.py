"""Runs one table function over a bundle: its rows, and the input row each belongs to.

The function's rows are drawn as one stream, in C, and handed on whenever enough have come, in the
midst of an input if need be: an input with millions of rows takes no more memory than one with ten.
``table_operator`` repeats the columns that pass through beside them, as Arrow, from
``Exploded.own``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from itertools import chain, islice, repeat, starmap
from time import perf_counter_ns
from types import GeneratorType
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql.types import Row

from notebook_udf.functions.row import Row as OwnRow
from notebook_udf.worker.call.coerce import fitted, positional
from notebook_udf.worker.call.function_call import FunctionCall, running
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.arrays import Places
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.codec.table_rows import rows_encoder
from notebook_udf.worker.runtime.error_kinds import FATAL, WorkerStopped

# Rows that are handed on together.
ROWS_OUT = 8_192
# Inputs that are decoded together: their objects then stay in the processor's cache.
_SLICE_ROWS = 2_048

# A row, and not rows, although it can be iterated.
_SINGLE = (str, bytes, bytearray, tuple, dict, Row, OwnRow)


@dataclass(frozen=True)
class Exploded:
    """Some of a function's rows.

    Attributes
    ----------
    own
        Which of the inputs each row belongs to; never decreasing.
    columns
        The function's columns; NULL in rows that stand for an input's end or lack of rows.
    ended
        With an end for every input: whether a row is one. Else None.
    """

    own: Places
    columns: list[pa.Array]
    ended: pa.Array | None


def rows_in(made: Any) -> Iterable[Any]:
    """The rows in what a table function returned: one if that is itself a row, none in None.

    Nor is there one in ``()``: a row has columns.
    """
    if made is None or (type(made) is tuple and not made):
        return ()
    return (made,) if is_row(type(made)) else made  # type: ignore[arg-type]


@lru_cache(maxsize=256)
def is_row(kind: type) -> bool:
    """Whether a table function that returned a value of this type returned a single row."""
    return not issubclass(kind, Iterable) or issubclass(kind, _SINGLE) or is_dataclass(kind)


class Explosion:
    """One function in one task.

    Parameters
    ----------
    call
        The function, opened.
    names
        Parameters of the last arguments, where those are given by name.
    outer
        An input without rows is given one of NULLs.
    ends
        Every input is given one of NULLs behind its own.
    """

    def __init__(
        self, call: FunctionCall, names: tuple[str, ...], *, outer: bool, ends: bool
    ) -> None:
        self.call = call
        self.names = names
        self.outer = outer
        self.ends = ends
        self.encode = rows_encoder(call.header.result_type)
        self._on_error = call.header.options.on_error
        self.lets_go = self._on_error != "fail"
        # A task that is retried may hold the row that killed the worker before: it notes
        # every row, so that the next death names it.
        self.careful = call.task.identity.attempt > 0

    def rows(
        self, columns: list[pa.Array], size: int, places: Callable[[int], int]
    ) -> Iterator[Exploded]:
        """The function's rows for ``size`` inputs, some thousands at a time.

        ``places`` tells which row of the bundle an input is, for messages.
        """
        columns = fitted(columns, self.call.header, self.names)
        self.call.sample = lambda: columns
        quarantine = Quarantine(self.call, columns)
        self.call.statistics.rows_in += size
        yield from _Stream(self, columns, size, places, quarantine).exploded()
        quarantine.write()

    def outcome(self, error: BaseException) -> str:
        """What becomes of a row that led to an error."""
        return "fail" if isinstance(error, FATAL) else self._on_error


class _Stream:
    """The rows of one bundle's inputs, drawn one after the other."""

    def __init__(
        self,
        explosion: Explosion,
        columns: list[pa.Array],
        size: int,
        places: Callable[[int], int],
        quarantine: Quarantine,
    ) -> None:
        self._of = explosion
        self._call = explosion.call
        self._columns = columns
        self._size = size
        self._places = places
        self._quarantine = quarantine
        self._decoders = [decoder(column.type) for column in columns]
        function = self._call.function
        names = explosion.names
        self._function = (
            positional(function, len(columns) - len(names), names) if names else function
        )
        # Rows drawn and not yet handed on, and how many there were after each input that is done.
        self._drawn: list[Any] = []
        self._marks: list[int] = []
        # The first input that is not done, and whether rows of it were handed on.
        self._first = 0
        self._begun = False
        self._decode_ns = 0

    def exploded(self) -> Iterator[Exploded]:
        call = self._call
        draw = self._draw_whole(self._each()) if self._of.lets_go else self._draw()
        while self._first < self._size:
            t0 = perf_counter_ns()
            call.row_of = self._places
            call.slice_start, call.results = self._first, self._marks
            with running(call, self._first, self._size - self._first):
                next(draw)
            t1 = perf_counter_ns()
            columns = self._encoded()
            call.statistics.rows_out += len(self._drawn)
            made = self._made(columns)
            call.statistics.user_ns += t1 - t0 - self._decode_ns
            call.statistics.decode_ns += self._decode_ns
            call.statistics.encode_ns += perf_counter_ns() - t1
            self._decode_ns = 0
            if len(made.own):
                yield made
        call.row_of = None

    # Drawing ---------------------------------------------------------------------------------

    def _slices(self) -> Iterator[tuple[int, list[list[Any]]]]:
        """The number of inputs in each slice, and their arguments by column."""
        for start in range(0, self._size, _SLICE_ROWS):
            count = min(_SLICE_ROWS, self._size - start)
            t0 = perf_counter_ns()
            values = [
                decode(column.slice(start, count))
                for decode, column in zip(self._decoders, self._columns, strict=True)
            ]
            self._decode_ns += perf_counter_ns() - t0
            yield count, values

    def _draw(self) -> Iterator[None]:
        """Draws some more rows each time, up to the midst of an input."""
        stream = chain.from_iterable(self._each_iterable())
        while True:
            try:
                # extend() keeps what it got before an exception, and the marks tell the input.
                self._drawn.extend(islice(stream, ROWS_OUT))
            except WorkerStopped:
                raise
            except BaseException as error:
                self._failed(error, self._running, "fail")
            yield

    def _each_iterable(self) -> Iterator[Any]:
        """The return value of the function for each input; marks when it is used up."""
        drawn, marks, careful = self._drawn, self._marks, self._of.careful
        for count, values in self._slices():
            end = self._running + count
            self._note()
            results = map(self._function, *values) if values else _repeated(self._function, count)
            for made in results:
                if made is not None:
                    yield made if type(made) is GeneratorType else rows_in(made)
                marks.append(len(drawn))
                if careful:
                    self._note()
            if self._running < end:
                # map() takes a StopIteration from the function for the end of its input.
                raise RuntimeError("the function raised StopIteration")

    def _each(self) -> Iterator[tuple[Any, ...]]:
        for count, values in self._slices():
            yield from zip(*values, strict=True) if values else repeat((), count)

    def _draw_whole(self, rows: Iterator[tuple[Any, ...]]) -> Iterator[None]:
        """Draws the rows of whole inputs each time: those of one that fails are taken back."""
        drawn, marks, of = self._drawn, self._marks, self._of
        for row in rows:
            self._note()
            before = len(drawn)
            try:
                drawn.extend(rows_in(self._function(*row)))
            except WorkerStopped:
                raise
            except BaseException as error:
                del drawn[before:]
                self._failed(error, self._running, of.outcome(error))
            marks.append(len(drawn))
            if len(drawn) >= ROWS_OUT:
                yield
        yield

    @property
    def _running(self) -> int:
        """The input that is being processed."""
        return self._first + len(self._marks)

    def _note(self) -> None:
        """Notes the progress, in case the worker dies here."""
        if self._of.careful and self._running < self._size:
            row, task = self._places(self._running), self._call.task
            task.note_rows(self._call.name, row, row, task.rows)

    # Handing on ------------------------------------------------------------------------------

    def _encoded(self) -> list[pa.Array]:
        while True:
            try:
                return self._of.encode(self._drawn)
            except BadResult as error:
                place = int(np.searchsorted(self._marks, error.index, side="right"))
                self._failed(error, self._first + place, self._of.outcome(error))
                self._take_back(place)

    def _take_back(self, place: int) -> None:
        """Drops the rows of an input, none of which were handed on."""
        start = self._marks[place - 1] if place else 0
        count = self._marks[place] - start
        del self._drawn[start : start + count]
        self._marks[place:] = [mark - count for mark in self._marks[place:]]

    def _made(self, columns: list[pa.Array]) -> Exploded:
        """What was drawn, with the input it belongs to; forgets it."""
        done, drawn = len(self._marks), len(self._drawn)
        ends: Places = np.array([0, *self._marks], np.int64)
        counts = ends[1:] - ends[:-1]
        rest = drawn - (self._marks[-1] if done else 0)
        extra = np.full(done, self._of.ends)
        if self._of.outer and not self._of.ends:
            extra = counts == 0
            if done and self._begun:
                extra[0] = False
        if rest:
            counts, extra = np.append(counts, rest), np.append(extra, False)
        self._begun = rest > 0 or (self._begun and not done)
        inputs = np.arange(self._first, self._first + len(counts))
        self._first += done
        self._drawn.clear()
        self._marks.clear()
        if not extra.any():
            none = pa.nulls(drawn, pa.bool_()) if self._of.ends else None
            return Exploded(np.repeat(inputs, counts), columns, none)
        # The added row is the last of its input's.
        sizes = counts + extra
        is_added = np.zeros(int(sizes.sum()), np.bool_)
        is_added[np.cumsum(sizes)[extra] - 1] = True
        where = pa.array(np.cumsum(~is_added) - 1, mask=is_added)
        taken = [column.take(where) for column in columns]
        ended = pa.array(is_added) if self._of.ends else None
        return Exploded(np.repeat(inputs, sizes), taken, ended)

    def _failed(self, error: BaseException, place: int, outcome: str) -> None:
        row = [
            decode(column.slice(place, 1))[0]
            for decode, column in zip(self._decoders, self._columns, strict=True)
        ]
        self._call.fail(error, row, place, outcome=outcome)
        self._quarantine.add(place, error)


def _repeated(function: Callable[..., Any], count: int) -> Iterator[Any]:
    return starmap(function, repeat((), count))
