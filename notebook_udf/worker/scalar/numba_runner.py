"""Runs a scalar function that numba compiles, in a compiled loop over the buffers of Arrow columns.

A row with a NULL among its arguments has NULL for a result, without a call. A row whose call raises
is called again in plain Python, for the error with its line; what happens to it then is what
``on_error`` says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import DataType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.numba_code import Compiled, compiled, letter, refused
from notebook_udf.types import ddl, to_arrow
from notebook_udf.worker.call.coerce import fitted, in_order
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.arrays import Mask
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.runtime.error_kinds import FATAL, WorkerStopped

if TYPE_CHECKING:
    from notebook_udf.worker.call.function_call import FunctionCall

# Whole numbers beyond it may have no double.
_EXACT = 1 << 53
_WIDE = {"i": pa.int64(), "f": pa.float64(), "b": pa.bool_()}


@dataclass
class Given:
    """A column of arguments, as numba gets it.

    Attributes
    ----------
    kind
        See ``numba_code.letter``.
    buffers
        The values; of arrays all elements, and where those of each row begin.
    holes
        The rows whose arrays have a NULL where there is no value for it, and its place.
    """

    kind: str
    buffers: list[np.ndarray[Any, Any]]
    holes: dict[int, int] = field(default_factory=dict)


class NumbaRunner:
    """Runs one function over the bundles of one task.

    Attributes
    ----------
    reached
        Which rows reach the call; None for all.
    """

    reached: pa.Array = None

    def __init__(self, call: FunctionCall) -> None:
        self._call = call
        self._type: DataType = call.header.result_type
        self._on_error = call.header.options.on_error

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        named = in_order(named, call.header) if named else named
        columns = fitted([*columns, *named.values()], call.header, tuple(named))
        quarantine = Quarantine(call, columns)
        call.slice_start, call.results = 0, []
        call.task.note_rows(call.name, 0, rows - 1, rows)
        try:
            result = _Bundle(self, columns, tuple(named), rows, quarantine).result()
        except WorkerStopped:
            raise
        except FATAL as error:
            call.fail(error)
            raise AssertionError("fail() returned for outcome 'fail'") from None
        quarantine.write()
        return result

    @property
    def call(self) -> FunctionCall:
        return self._call

    def compiled(self, kinds: tuple[str, ...], names: tuple[str, ...]) -> Compiled:
        """The function, compiled for arguments of these kinds; once in a worker."""
        call = self._call
        # What was checked when it was declared, the worker's numba may see otherwise.
        function: Any = call.function
        return compiled(function, kinds, names, self._type, call.name, call.header.hash)

    def declared(self, place: int, name: str | None) -> DataType | None:
        """The declared type of an argument."""
        header = self._call.header
        if name is not None:
            place = header.parameters.index(name) if name in header.parameters else place
        return header.input_types[place] if place < len(header.input_types) else None

    def failed(
        self, error: BaseException, arguments: list[Any], row: int, quarantine: Quarantine
    ) -> None:
        """Reports a row; returns if it is to be NULL."""
        self._call.fail(error, arguments, row, outcome=self._on_error)
        quarantine.add(row, error)

    @property
    def type(self) -> DataType:
        return self._type


class _Bundle:
    """The columns of a bundle, and its results while they are made."""

    def __init__(
        self,
        runner: NumbaRunner,
        columns: list[pa.Array],
        names: tuple[str, ...],
        rows: int,
        quarantine: Quarantine,
    ) -> None:
        self._runner = runner
        self._columns = columns
        self._names = names
        self._rows = rows
        self._quarantine = quarantine
        # The rows to call it for, and in the end those that have a value.
        self._rows_given: Mask = _truths(columns, rows, runner.reached)

    def result(self) -> pa.Array:
        """The results of all rows."""
        statistics, t0 = self._runner.call.statistics, perf_counter_ns()
        first = len(self._columns) - len(self._names)
        given = [
            self._entered(
                column,
                self._runner.declared(at, self._names[at - first] if at >= first else None),
            )
            for at, column in enumerate(self._columns)
        ]
        t1 = perf_counter_ns()
        try:
            made = self._runner.compiled(tuple(each.kind for each in given), self._names)
        except Exception as error:
            self._runner.call.fail(error)
            raise
        results = np.zeros(self._rows, made.result)
        self._run(made, given, results)
        t2 = perf_counter_ns()
        found = self._left(results)
        statistics.decode_ns += t1 - t0
        statistics.user_ns += t2 - t1
        statistics.encode_ns += perf_counter_ns() - t2
        return found

    def _run(self, made: Compiled, given: list[Given], results: np.ndarray[Any, Any]) -> None:
        buffers = [buffer for each in given for buffer in each.buffers]
        place, start = np.zeros(1, np.int64), 0
        for stop, hole in self._stops(given):
            while start < stop:
                try:
                    made.loop(start, stop, place, self._rows_given, results, *buffers)
                    break
                except (*FATAL, WorkerStopped):
                    raise
                except Exception as error:
                    row = int(place[0])
                    self._fail(row, error, again=True)
                    start = row + 1
            if hole is not None:
                self._fail(stop, hole, again=False)
            start = stop + 1

    def _stops(self, given: list[Given]) -> Iterator[tuple[int, Exception | None]]:
        """The rows before which the loop stops, because they cannot be called, and the end."""
        holes = [
            (row, at, element)
            for at, each in enumerate(given)
            for row, element in each.holes.items()
        ]
        for row, at, element in sorted(holes):
            if self._rows_given[row]:
                header = self._runner.call.header
                known = at < len(header.parameters)
                name = header.parameters[at] if known else f"argument {at}"
                yield (
                    row,
                    ValueError(
                        f"{name}[{element}] is NULL, and numba has no value for that among whole "
                        f"numbers and flags: leave func_type out, or replace it in the query"
                    ),
                )
        yield self._rows, None

    def _fail(self, row: int, error: Exception, *, again: bool) -> None:
        values = [decoder(column.type)(column.slice(row, 1))[0] for column in self._columns]
        told = self._again(values, error) if again else error
        self._runner.failed(told, values, row, self._quarantine)
        self._rows_given[row] = False

    def _again(self, values: list[Any], error: Exception) -> Exception:
        """What plain Python raises for a row, if that is what numba raised: it knows the line."""
        first = len(values) - len(self._names)
        try:
            named = dict(zip(self._names, values[first:], strict=True))
            self._runner.call.function(*values[:first], **named)
        except FATAL:
            raise
        except Exception as raised:
            if type(raised) is type(error):
                return raised
        return error

    def _entered(self, column: pa.Array, declared: DataType | None) -> Given:
        kinds = pa.types
        if kinds.is_null(column.type):
            # No row is called; it is compiled all the same.
            kind = (declared and letter(declared)) or "i"
            column = pa.nulls(len(column), _arrow(kind))
        if kinds.is_list(column.type) or kinds.is_large_list(column.type):
            return self._arrays(column, declared)
        return Given(self._letter(column.type), [_numbers(column)])

    def _arrays(self, column: pa.Array, declared: DataType | None) -> Given:
        own = self._letter(column.type.value_type)
        wanted = letter(declared) if declared is not None else None
        kind = own if wanted is None or not wanted.startswith("a") else wanted[1:]
        if kind != own and (kind, own) != ("f", "i"):
            call, given = self._runner.call, column.type.value_type
            call.fail(
                DeclarationError(
                    f"{call.name} declares {ddl(declared)} and was given an array of {given}: cast "
                    f"the column, or change the declaration"
                )
            )
        offsets = _numbers(column.offsets) if len(column) else np.zeros(1, np.int64)
        first, last = int(offsets[0]), int(offsets[-1])
        elements = column.values.slice(first, last - first)
        offsets = offsets if first == 0 else _fixed(offsets - first)
        holes = {}
        if elements.null_count and kind == "f":
            elements = elements.cast(pa.float64()).fill_null(float("nan"))
        elif elements.null_count:
            for place in reversed(pc.indices_nonzero(elements.is_null()).to_pylist()):
                row = int(np.searchsorted(offsets, place, side="right")) - 1
                holes[row] = place - int(offsets[row])
        return Given(f"a{kind}", [_numbers(elements.cast(_WIDE[kind])), offsets], holes)

    def _letter(self, arrow: pa.DataType) -> str:
        kinds = pa.types
        if kinds.is_integer(arrow):
            return "i"
        if kinds.is_float32(arrow) or kinds.is_float64(arrow):
            return "f"
        if not kinds.is_boolean(arrow):
            self._runner.call.fail(refused(self._runner.call.name, str(arrow)))
        return "b"

    def _left(self, results: np.ndarray[Any, Any]) -> pa.Array:
        """The results as a column of the declared type."""
        arrow = to_arrow(self._runner.type)
        given = self._rows_given
        for row in np.nonzero(_misfits(results, arrow) & given)[0].tolist():
            try:
                encoder(self._runner.type)([results[row].item()])
            except BadResult as error:
                self._fail(row, error, again=False)
        results[~given] = 0
        fitting = results if results.dtype == bool else results.astype(arrow.to_pandas_dtype())
        return pa.array(fitting, arrow, mask=~given)


def _truths(columns: list[pa.Array], rows: int, reached: pa.Array) -> Mask:
    """The rows of which no argument is NULL, of those that reach the call."""
    found = np.ones(rows, np.bool_)
    for column in columns:
        if column.null_count:
            found &= column.is_valid().to_numpy(zero_copy_only=False)
    if reached is not None:
        found &= reached.to_numpy(zero_copy_only=False)
    return found


def _numbers(column: pa.Array) -> np.ndarray[Any, Any]:
    """The values of a column, those that are NULL being anything; without a copy, but for flags."""
    if pa.types.is_boolean(column.type):
        return _fixed(column.fill_null(False).to_numpy(zero_copy_only=False))
    data = column.buffers()[1]
    dtype = np.dtype(column.type.to_pandas_dtype())
    if data is None or not len(column):
        return _fixed(np.zeros(len(column), dtype))
    return _fixed(np.frombuffer(data, dtype, len(column), column.offset * dtype.itemsize))


def _fixed(values: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The values, which the function cannot change: they are Spark's, and others read them."""
    values.flags.writeable = False
    return values


def _misfits(results: np.ndarray[Any, Any], arrow: pa.DataType) -> Mask:
    """The results that may not fit a column's type."""
    found: Mask = np.zeros(len(results), np.bool_)
    if results.dtype == np.int64 and pa.types.is_int32(arrow):
        found = np.not_equal(results, results.astype(np.int32))
    elif results.dtype == np.int64 and pa.types.is_floating(arrow):
        found = np.greater(results, _EXACT) | np.less(results, -_EXACT)
    elif pa.types.is_float32(arrow):
        with np.errstate(over="ignore"):
            found = np.isinf(results.astype(np.float32)) & ~np.isinf(results)
    return found


def _arrow(kind: str) -> pa.DataType:
    inner = _WIDE[kind[-1]]
    return pa.list_(inner) if kind.startswith("a") else inner
