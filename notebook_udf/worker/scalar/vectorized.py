"""Runs a vectorised scalar function, a bundle at a time, on Arrow arrays or pandas Series.

A result of another type is cast where no value changes; a value that would change is an error that
names it. Where bad rows may be skipped (``on_error``), a bundle that fails is halved until the rows
at fault are alone.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from pyspark.sql.types import DataType, StructField, StructType

from notebook_udf.types import ddl, to_arrow
from notebook_udf.worker.call.coerce import fitted, in_order
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.codec.pandas_columns import as_pandas, zone_of
from notebook_udf.worker.runtime.error_kinds import FATAL, WorkerStopped

if TYPE_CHECKING:
    from notebook_udf.worker.call.function_call import FunctionCall


class ArrowRunner:
    """Runs a function that takes and returns Arrow arrays."""

    expects = "a pyarrow Array"

    def __init__(self, call: FunctionCall) -> None:
        self._call = call
        self._type: DataType = call.header.result_type
        self._arrow_type = to_arrow(self._type)
        self._on_error = call.header.options.on_error

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        columns = fitted(columns, call.header)
        if named:
            named = in_order(named, call.header)
            fitting = fitted(list(named.values()), call.header, tuple(named))
            named = dict(zip(named, fitting, strict=True))
        if self._on_error == "fail":
            return self._whole(columns, named, rows)
        everything = [*columns, *named.values()]
        quarantine = Quarantine(call, everything)
        result = self._halved(columns, named, 0, rows, quarantine)
        quarantine.write()
        return result

    def _whole(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        call.slice_start, call.results = 0, []
        try:
            return self._timed(columns, named, rows)
        except BadResult as error:
            arguments = self._arguments([*columns, *named.values()], error.index)
            call.fail(error, arguments, error.index)
        except WorkerStopped:
            raise
        except (Exception, *FATAL) as error:
            call.fail(error)
        raise AssertionError("fail() returned for outcome 'fail'")

    def _halved(
        self,
        columns: list[pa.Array],
        named: dict[str, pa.Array],
        start: int,
        rows: int,
        quarantine: Quarantine,
    ) -> pa.Array:
        def part(first: int, count: int) -> pa.Array:
            return self._halved(
                [c.slice(first, count) for c in columns],
                {n: c.slice(first, count) for n, c in named.items()},
                start + first,
                count,
                quarantine,
            )

        try:
            return self._timed(columns, named, rows)
        except WorkerStopped:
            raise
        except FATAL as error:
            self._call.fail(error)
        except Exception as error:
            if rows <= 1:
                arguments = self._arguments([*columns, *named.values()], 0)
                self._call.fail(error, arguments, start, outcome=self._on_error)
                quarantine.add(start, error)
                return pa.nulls(rows, self._arrow_type)
        half = rows // 2
        return pa.concat_arrays([part(0, half), part(half, rows - half)])

    def _timed(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        t0 = perf_counter_ns()
        arguments = [self._enter(c) for c in columns]
        keywords = {n: self._enter(c) for n, c in named.items()}
        t1 = perf_counter_ns()
        result = call.function(*arguments, **keywords)
        t2 = perf_counter_ns()
        call.statistics.decode_ns += t1 - t0
        call.statistics.user_ns += t2 - t1
        array = self._leave(result, rows)
        call.statistics.encode_ns += perf_counter_ns() - t2
        return array

    def _enter(self, column: pa.Array) -> Any:
        return column

    def _leave(self, result: Any, rows: int) -> pa.Array:
        if isinstance(result, pa.ChunkedArray):
            result = result.combine_chunks()
        if not isinstance(result, pa.Array):
            raise TypeError(self._wrong(result))
        self._check_length(len(result), rows)
        if result.type == self._arrow_type:
            return result
        return self._cast(lambda: result.cast(self._arrow_type), result.to_pylist)

    def _cast(self, cast: Callable[[], pa.Array], values: Callable[[], list[Any]]) -> pa.Array:
        try:
            return cast()
        except (ValueError, TypeError, NotImplementedError) as error:
            # Names the value; where every single value would do, the cast's own reason is left.
            encoder(self._type)(values())
            raise TypeError(
                f"the result does not fit {ddl(self._type)}: {error}; convert it in the function"
            ) from error

    def _check_length(self, length: int, rows: int) -> None:
        if length != rows:
            raise ValueError(
                f"the function was given {rows:,} rows and returned {length:,}; a scalar function "
                f"returns one value per row"
            )

    def _wrong(self, result: Any) -> str:
        return (
            f"the function returned a {type(result).__name__} where {self.expects} is expected "
            f"(func_type={self._call.header.func_type!r})"
        )

    def _arguments(self, columns: list[pa.Array], row: int) -> list[Any]:
        return [decoder(c.type)(c.slice(row, 1))[0] for c in columns]


class PandasRunner(ArrowRunner):
    """Runs a function that takes and returns pandas Series (a DataFrame for a struct)."""

    expects = "a pandas Series"

    def _enter(self, column: pa.Array) -> Any:
        return as_pandas(column, self._call.task.time_zone)

    def _leave(self, result: Any, rows: int) -> pa.Array:
        import pandas as pd
        from pyspark.sql.conversion import PandasToArrowConversion

        if not isinstance(result, (pd.Series, pd.DataFrame)):
            raise TypeError(self._wrong(result))
        self._check_length(len(result), rows)

        def cast() -> pa.Array:
            converted = PandasToArrowConversion.convert(
                [result],
                StructType([StructField("_0", self._type)]),
                timezone=zone_of(self._call.task.time_zone),
            )
            return converted.column(0).cast(self._arrow_type)

        def values() -> list[Any]:
            # To pandas NaN is NULL: the value to name is another one.
            plain: Any = result.astype(object)
            plain = plain.where(plain.notna(), None)
            return list(plain.to_dict("records") if isinstance(plain, pd.DataFrame) else plain)

        return self._cast(cast, values)
