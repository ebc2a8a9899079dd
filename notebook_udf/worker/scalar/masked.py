"""Scalar functions called for some rows only, or for the elements of lists.

``Guarded`` calls a function for the rows that reach its call: the first column is the mask.
``Each`` calls one for all elements of a bundle's lists in one pass: the elements are structs of
arguments, and one of their fields may be such a mask. The planner decides which calls become these;
``row_runner`` and ``vectorized`` run the function on what is left.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from itertools import repeat
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from notebook_udf.specs.element_fields import GUARD_FIELD, NAME_FIELD, PLACE_FIELD
from notebook_udf.types import to_arrow
from notebook_udf.worker.call.coerce import fitted
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.kernels.program import Answer
from notebook_udf.worker.scalar.numba_runner import NumbaRunner
from notebook_udf.worker.scalar.row_runner import RowRunner
from notebook_udf.worker.scalar.vectorized import ArrowRunner, PandasRunner

if TYPE_CHECKING:
    from notebook_udf.worker.call.function_call import FunctionCall
    from notebook_udf.worker.call.quarantine import Quarantine


class _GuardedRows(RowRunner):
    """Iterates over all rows and calls the function for some: every row keeps its number."""

    reached: pa.Array = None

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        if self.reached is None or self._kernels is None:
            return super().__call__(columns, named, rows)
        kernels = self._kernels
        if not named:
            t0 = perf_counter_ns()
            fitting = fitted(columns, self._call.header)
            given = [column.filter(self.reached) for column in fitting]
            found = kernels.answer(given)
            if found is not None:
                self._compare(given, found, pc.indices_nonzero(self.reached).to_pylist())
            self._call.statistics.user_ns += perf_counter_ns() - t0
            if found is not None:
                return self._completed_where_reached(found, columns, rows)
        # On all rows they would decline for a row that is not the function's business.
        self._kernels = None
        try:
            return super().__call__(columns, named, rows)
        finally:
            self._kernels = kernels

    def _completed_where_reached(
        self, answer: Answer, columns: list[pa.Array], rows: int
    ) -> pa.Array:
        """The answers of kernels for the rows that reach here, and of Python for what is left."""
        found = _scattered(answer.result, self.reached)
        if answer.declined is None:
            return found
        reached, kernels = self.reached, self._kernels
        left = np.zeros(rows, np.bool_)
        left[pc.indices_nonzero(reached).to_numpy()[answer.declined]] = True
        self.reached, self._kernels = pa.array(left), None
        try:
            return pc.if_else(self.reached, super().__call__(columns, {}, rows), found)
        finally:
            self.reached, self._kernels = reached, kernels

    def _map(
        self,
        function: Callable[..., Any],
        values: list[list[Any]],
        results: list[Any],
        start: int,
        size: int,
        quarantine: Quarantine,
    ) -> None:
        if self.reached is None:
            super()._map(function, values, results, start, size, quarantine)
            return
        flags = self.reached.slice(start, size).to_pylist()
        if not any(flags):
            results.extend(repeat(None, size))
            return
        reaches = iter(flags).__next__

        def where_reached(*arguments: Any) -> Any:
            return function(*arguments) if reaches() else None

        super()._map(where_reached, values, results, start, size, quarantine)


class _GuardedVectors(ArrowRunner):
    """Calls the function with the rows that reach it, and puts its results where these rows are."""

    reached: pa.Array = None
    _start = 0

    def _whole(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        self._start = 0
        return super()._whole(columns, named, rows)

    def _halved(
        self,
        columns: list[pa.Array],
        named: dict[str, pa.Array],
        start: int,
        rows: int,
        quarantine: Quarantine,
    ) -> pa.Array:
        self._start = start
        return super()._halved(columns, named, start, rows, quarantine)

    def _timed(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        if self.reached is None:
            return super()._timed(columns, named, rows)
        reached = self.reached.slice(self._start, rows)
        count = reached.true_count
        if not count:
            return pa.nulls(rows, self._arrow_type)
        try:
            found = super()._timed(
                [column.filter(reached) for column in columns],
                {name: column.filter(reached) for name, column in named.items()},
                count,
            )
        except BadResult as error:
            error.index = pc.indices_nonzero(reached)[error.index].as_py()
            raise
        return _scattered(found, reached)


class _GuardedPandas(_GuardedVectors, PandasRunner):
    pass


class Guarded:
    """Runs a function for the rows whose first column is true; the result is NULL elsewhere."""

    def __init__(self, call: FunctionCall) -> None:
        self._call = call
        kinds: dict[str, type[_GuardedRows] | type[_GuardedVectors] | type[NumbaRunner]] = {
            "general": _GuardedRows,
            "numba": NumbaRunner,
            "pandas": _GuardedPandas,
        }
        self._runner = kinds.get(call.header.func_type, _GuardedVectors)(call)
        self._type = to_arrow(call.header.result_type)

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call, (guard, *columns) = self._call, columns
        reached = guard.fill_null(False)
        count = reached.true_count
        # A call counts what the function was given, not what passed by.
        call.statistics.rows_in -= rows - count
        call.statistics.rows_out -= rows - count
        if not count:
            return pa.nulls(rows, self._type)
        self._runner.reached = None if count == rows else reached
        result = self._runner(columns, named, rows)
        every = call.sample
        if every is not None and count < rows:
            call.sample = lambda: [column.filter(reached) for column in every()]
        return result


class Each:
    """Runs a function for the elements of lists, or of lists of lists."""

    def __init__(self, call: FunctionCall, plain: Callable[..., pa.Array]) -> None:
        self._call = call
        self._plain = plain
        self._guarded = Guarded(call)

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call, lists = self._call, Lists(columns[0])
        count = lists.count
        call.statistics.rows_in += count - rows
        call.statistics.rows_out += count - rows
        call.row_of = lists.row_of
        if lists.guard is not None:
            result = self._guarded([lists.guard, *lists.placed], lists.by_name, count)
        else:
            result = self._plain(lists.placed, lists.by_name, count)
        return lists.around(result)


class Lists:
    """A column of lists of structs of arguments, or of lists of such lists, flattened.

    Attributes
    ----------
    count
        How many elements there are in all.
    guard
        Which of them reach the call; None for all.
    placed, by_name
        The arguments.
    """

    def __init__(self, column: pa.Array) -> None:
        self._shape: list[_Flattened] = []
        while pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
            flat = _Flattened(column)
            self._shape.append(flat)
            column = flat.elements
        self.count = len(column)
        fields = {field.name: column.field(i) for i, field in enumerate(column.type)}
        self.guard: pa.Array | None = fields.get(GUARD_FIELD)
        self.placed = [fields[f"{PLACE_FIELD}{i}"] for i in range(_places(fields))]
        self.by_name = {
            name.removeprefix(NAME_FIELD): column
            for name, column in fields.items()
            if name.startswith(NAME_FIELD)
        }

    def row_of(self, element: int) -> int:
        """The row whose list has an element."""
        for flat in reversed(self._shape):
            element = flat.owner(element)
        return element

    def around(self, results: pa.Array) -> pa.Array:
        """Results of the elements, as lists of the same shape."""
        for flat in reversed(self._shape):
            results = flat.around(results)
        return results


class _Flattened:
    """A flattened column of lists: its elements, and what rebuilds the lists with others."""

    def __init__(self, lists: pa.Array) -> None:
        self._nulls = lists.is_null()
        self._offsets = pc.subtract(lists.offsets, lists.offsets[0]) if len(lists) else None
        first = lists.offsets[0].as_py() if len(lists) else 0
        last = lists.offsets[len(lists)].as_py() if len(lists) else 0
        self.elements = lists.values.slice(first, last - first)
        self._starts: list[int] | None = None

    def owner(self, element: int) -> int:
        """The list that an element belongs to."""
        if element < 0 or self._offsets is None:
            return element
        if self._starts is None:
            self._starts = self._offsets.to_pylist()
        return bisect_right(self._starts, element) - 1

    def around(self, elements: pa.Array) -> pa.Array:
        """Lists of the same shape."""
        if self._offsets is None:
            return pa.nulls(0, pa.list_(elements.type))
        offsets = self._offsets.cast(pa.int32())
        return pa.ListArray.from_arrays(offsets, elements, mask=self._nulls)


def _places(fields: dict[str, pa.Array]) -> int:
    return sum(name.startswith(PLACE_FIELD) and name[1:].isdigit() for name in fields)


def _scattered(results: pa.Array, reached: pa.Array) -> pa.Array:
    """One result for each row: the next result where the row was reached, NULL elsewhere."""
    places = pc.subtract(pc.cumulative_sum(reached.cast(pa.int32())), 1)
    nothing = pa.scalar(None, pa.int32())
    return results.take(pc.if_else(reached, places, nothing))
