"""Runs a general scalar function row by row, a slice of the bundle at a time.

A slice is decoded once, mapped in C, and encoded once. It is short enough that its objects stay in
the processor's cache, which is worth a fifth of the whole path, and long enough that the Python
between slices costs nothing. A function that kernels can answer is first given to them
(``worker.kernels.program``), and Python runs it for the rows that they leave.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import repeat, starmap
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.worker.call.coerce import fitted, in_order, positional
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.kernels.program import Answer, translate
from notebook_udf.worker.runtime.error_kinds import FATAL, WorkerStopped
from notebook_udf.worker.scalar.kernel_choice import KernelChoice
from notebook_udf.worker.scalar.self_check import Expected, RowSample, rows_of

if TYPE_CHECKING:
    from notebook_udf.worker.call.function_call import FunctionCall

SLICE_ROWS = 2048


class RowRunner:
    """Runs one function over the bundles of one task."""

    def __init__(self, call: FunctionCall) -> None:
        self._call = call
        self._encode = encoder(call.header.result_type)
        self._decoders: dict[Any, Callable[[pa.Array], list[Any]]] = {}
        self._on_error = call.header.options.on_error
        # A task that is retried may hold the row that killed the worker before: it notes
        # every row, so that the next death names it.
        self._careful = call.task.identity.attempt > 0
        self._kernels: KernelChoice | None = None
        share = call.header.options.self_check
        self._sample = RowSample(share) if share else None
        # A task that is retried because its kernels answered wrongly has to fail again.
        if call.header.options.vectorise and (share or not self._careful):
            program = translate(call.function, call.header.result_type)
            if program is not None:
                self._kernels = KernelChoice(program, self._tried)

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        function = call.function
        if named:
            named = in_order(named, call.header)
            function = positional(function, len(columns), list(named))
            columns = [*columns, *named.values()]
        columns = fitted(columns, call.header, tuple(named))
        call.sample = lambda: columns
        if self._kernels is not None and columns and not named:
            t0 = perf_counter_ns()
            call.task.note_rows(call.name, 0, rows - 1, rows)
            answer = self._kernels.answer(columns)
            if answer is not None:
                self._compare(columns, answer)
            call.statistics.user_ns += perf_counter_ns() - t0
            if answer is not None and answer.declined is None:
                return answer.result
            if answer is not None:
                return self._completed(function, answer, columns, rows)
        return self._by_rows(function, columns, rows)

    def _tried(self, columns: list[pa.Array]) -> pa.Array:
        """The function called for each row of columns of which it is known that none raises."""
        values = [self._decoder(column)(column) for column in columns]
        return self._encode(list(map(self._call.function, *values)))

    def _compare(
        self, columns: list[pa.Array], answer: Answer, owners: Sequence[int] | None = None
    ) -> None:
        """Fails for a row, of some, to which kernels have another answer than the function.

        ``owners`` are the bundle's rows that the columns' rows are, where they are some of many.
        """
        call = self._call
        if self._sample is None:
            return
        places = self._sample.places(len(answer.result))
        if answer.declined is not None:
            places = [place for place in places if not answer.declined[place]]
        expected = Expected(call.name, call.function, call.header.result_type)
        rows, answers = rows_of(columns, places), rows_of([answer.result], places)
        for place, arguments, (found,) in zip(places, rows, answers, strict=True):
            error = expected.difference(arguments, found, "as Arrow kernels", "vectorise=False")
            if error is not None:
                call.fail(error, list(arguments), place if owners is None else owners[place])

    def _completed(
        self, function: Callable[..., Any], answer: Answer, columns: list[pa.Array], rows: int
    ) -> pa.Array:
        """The answers of kernels, and of Python for the rows that they left."""
        places = answer.declined.nonzero()[0].tolist()  # type: ignore[union-attr]
        taken = [column.take(pa.array(places)) for column in columns]
        call, before = self._call, self._call.row_of

        def row_of(row: int) -> int:
            row = places[row] if 0 <= row < len(places) else row
            return row if before is None else before(row)

        call.row_of = row_of
        try:
            found = self._by_rows(function, taken, len(places), places)
        finally:
            call.row_of = before
        return pc.replace_with_mask(answer.result, pa.array(answer.declined), found)

    def _by_rows(
        self,
        function: Callable[..., Any],
        columns: list[pa.Array],
        rows: int,
        places: Sequence[int] | None = None,
    ) -> pa.Array:
        """The function called for each row; ``places`` are theirs where they are some of many."""
        call = self._call
        decoders = [self._decoder(column) for column in columns]
        quarantine = Quarantine(call, columns)
        parts = []
        for start in range(0, rows, SLICE_ROWS):
            size = min(SLICE_ROWS, rows - start)
            t0 = perf_counter_ns()
            values = [
                decode(column.slice(start, size))
                for decode, column in zip(decoders, columns, strict=True)
            ]
            results: list[Any] = []
            call.slice_start, call.results = start, results
            first, last, total = start, start + size - 1, rows
            if places is not None:
                first, last, total = places[first], places[last], call.task.rows
            call.task.note_rows(call.name, first, last, total)
            t1 = perf_counter_ns()
            self._map(function, values, results, start, size, quarantine)
            t2 = perf_counter_ns()
            parts.append(self._encoded(values, results, start, quarantine))
            t3 = perf_counter_ns()
            call.statistics.decode_ns += t1 - t0
            call.statistics.user_ns += t2 - t1
            call.statistics.encode_ns += t3 - t2
        quarantine.write()
        if len(parts) == 1:
            return parts[0]
        return pa.concat_arrays(parts) if parts else self._encode([])

    def _map(
        self,
        function: Callable[..., Any],
        values: list[list[Any]],
        results: list[Any],
        start: int,
        size: int,
        quarantine: Quarantine,
    ) -> None:
        calls: Iterator[Any]
        if self._careful:
            calls = self._noting(function, values, start, size)
        elif values:
            calls = map(function, *values)
        else:
            calls = starmap(function, repeat((), size))
        while len(results) < size:
            try:
                # extend() keeps what it got before an exception: its length is the row.
                results.extend(calls)
                if len(results) == size:
                    return
                # map() takes a StopIteration from the function for the end of its input.
                raise RuntimeError("the function raised StopIteration")
            except WorkerStopped:
                raise
            except FATAL as error:
                self._fail(error, values, len(results), start, "fail")
            except Exception as error:
                self._fail(error, values, len(results), start, self._on_error)
                quarantine.add(start + len(results), error)
                results.append(None)

    def _noting(
        self, function: Callable[..., Any], values: list[list[Any]], start: int, size: int
    ) -> Iterator[Any]:
        rows: Iterable[tuple[Any, ...]] = zip(*values, strict=True) if values else repeat((), size)
        task, name = self._call.task, self._call.name
        total = task.rows
        numbered = iter(enumerate(rows, start))

        def one(_: int) -> Any:
            row, arguments = next(numbered)
            task.note_rows(name, row, row, total)
            return function(*arguments)

        return map(one, range(size))

    def _encoded(
        self,
        values: list[list[Any]],
        results: list[Any],
        start: int,
        quarantine: Quarantine,
    ) -> pa.Array:
        while True:
            try:
                return self._encode(results)
            except BadResult as error:
                self._fail(error, values, error.index, start, self._on_error)
                quarantine.add(start + error.index, error)
                results[error.index] = None

    def _fail(
        self, error: BaseException, values: list[list[Any]], index: int, start: int, outcome: str
    ) -> None:
        arguments = [column[index] for column in values]
        self._call.fail(error, arguments, start + index, outcome=outcome)

    def _decoder(self, column: pa.Array) -> Callable[[pa.Array], list[Any]]:
        decode = self._decoders.get(column.type)
        if decode is None:
            decode = self._decoders[column.type] = decoder(column.type)
        return decode
