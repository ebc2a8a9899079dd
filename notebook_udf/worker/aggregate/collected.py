"""Aggregates over collected rows: each row of the bundle is a group, as a list.

``WholeRunner`` and ``ColumnsRunner`` take lists of the group's rows, ``MergeRunner`` lists of
accumulators. A second column, if there is one, is a struct of the group's keys, which only errors
need.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from time import perf_counter_ns
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.base import TableAggregateFunction, implements, of_columns
from notebook_udf.specs.aggregate_layout import ACCUMULATOR_FIELD, ARGUMENT_FIELD
from notebook_udf.worker.aggregate.accumulator import LOST, Accumulation, Group
from notebook_udf.worker.call.coerce import fitted
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.codec.pandas_columns import as_pandas


class GroupRunner(ABC):
    """Base of the runners that compute one value for each row of a bundle, which is a group."""

    # Where the struct of the group's keys stands, if it is there.
    keys_at = 1

    def __init__(self, call: FunctionCall) -> None:
        self._call = call
        self._accumulation = Accumulation(call)
        self._encode = result_encoder(call)

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        t0 = perf_counter_ns()
        group = _group_of(columns, self.keys_at)
        decoded = self.decoded(columns, group)
        t1 = perf_counter_ns()
        accumulators = self.accumulators(decoded, rows, group)
        t2 = perf_counter_ns()
        result = self._accumulation.values(accumulators, self._encode, group)
        call.statistics.decode_ns += t1 - t0
        call.statistics.user_ns += t2 - t1
        call.statistics.encode_ns += perf_counter_ns() - t2
        return result

    @abstractmethod
    def decoded(self, columns: list[pa.Array], group: Group) -> Any:
        """What the accumulators are made of, as Python's values."""

    @abstractmethod
    def accumulators(self, decoded: Any, rows: int, group: Group) -> list[Any]:
        """One accumulator per group."""


class MergeRunner(GroupRunner):
    """Merges each list of accumulators into one and returns its value."""

    def __init__(self, call: FunctionCall) -> None:
        super().__init__(call)
        self._mergeable = implements(call.function, "merge")

    def decoded(self, columns: list[pa.Array], group: Group) -> Any:
        offsets, structs = list_parts(columns[0])
        return offsets, self._accumulation.codec.decode(structs.field(ACCUMULATOR_FIELD))

    def accumulators(self, decoded: Any, rows: int, group: Group) -> list[Any]:
        offsets, partial = decoded
        found: list[Any] = []
        # The others have travelled, and were held to their type before.
        merged: list[int] = []
        for place, (start, end) in enumerate(pairwise(offsets)):
            if end - start == 1:
                found.append(partial[start])
                continue
            found.append(self._merged(partial[start:end], group, place))
            if found[-1] is not LOST:
                merged.append(place)
        self._accumulation.check([found[place] for place in merged], group, merged)
        return found

    def _merged(self, accumulators: list[Any], group: Group, place: int) -> Any:
        accumulation = self._accumulation
        if not accumulators:
            return accumulation.create()
        first, *others = accumulators
        if not self._mergeable:
            # An empty merge would leave out, without a word, what the others have seen.
            reason = DeclarationError(
                f"{self._call.name} has no merge, and rows of one group were accumulated apart: "
                f"give it a merge, or group by a key whose equal values are the same"
            )
            self._call.fail(reason, group=group(place))
        return accumulation.changed("merge", first, (others,), place, lambda _: group(place))


def whole(call: FunctionCall) -> Callable[..., pa.Array]:
    """The runner for lists of rows: row by row, or with a group's columns as a whole."""
    return WholeRunner(call) if call.header.func_type == "general" else ColumnsRunner(call)


class WholeRunner(GroupRunner):
    """Accumulates the rows of each list one by one and returns the value."""

    def decoded(self, columns: list[pa.Array], group: Group) -> Any:
        offsets, structs = list_parts(columns[0])
        given = argument_columns(structs, self._call)
        first = next((pair for pair in pairwise(offsets) if pair[0] < pair[1]), (0, 0))
        self._call.sample = lambda: [
            column.slice(first[0], first[1] - first[0]) for column in given
        ]
        return offsets, given, [decoder(column.type)(column) for column in given]

    def accumulators(self, decoded: Any, rows: int, group: Group) -> list[Any]:
        offsets, given, arguments = decoded
        with self._accumulation.keeping(given):
            found = list(self._accumulated(offsets, arguments, group))
        self._accumulation.check(found, group)
        return found

    def _accumulated(
        self, offsets: list[int], arguments: list[list[Any]], group: Group
    ) -> Iterator[Any]:
        accumulation = self._accumulation
        for place, (start, end) in enumerate(pairwise(offsets)):
            accumulator = accumulation.create()

            def keys(_: int, place: int = place) -> Mapping[str, Any]:
                return group(place)

            part = [column[start:end] for column in arguments]
            if accumulation.in_place:
                accumulation.take_rows([accumulator] * (end - start), part, start, keys)
            else:
                rows = zip(*part, strict=True) if part else iter([()] * (end - start))
                for row in rows:
                    accumulator = accumulation.take_row(accumulator, row, start, keys)
                    start += 1
            yield accumulator


class ColumnsRunner:
    """Calls the function once for each list of rows, with whole columns."""

    def __init__(self, call: FunctionCall) -> None:
        self._call = call
        self._function = of_columns(call.function)
        self._encode = result_encoder(call)
        self._pandas = call.header.func_type == "pandas"
        self._on_error = call.header.options.on_error

    def __call__(self, columns: list[pa.Array], named: dict[str, pa.Array], rows: int) -> pa.Array:
        call = self._call
        offsets, structs = list_parts(columns[0])
        arguments = argument_columns(structs, call)
        group = _group_of(columns, 1)
        results: list[Any] = []
        call.slice_start, call.results = 0, results
        kept = Quarantine(call, arguments)
        ranges = list(pairwise(offsets))
        zone = call.task.time_zone

        def given(place: int) -> list[Any]:
            start, end = ranges[place]
            part = [column.slice(start, end - start) for column in arguments]
            return [as_pandas(column, zone) for column in part] if self._pandas else part

        def fail(error: Exception, place: int) -> None:
            keys = group(place)
            call.fail(error, given(place), ranges[place][0], outcome=self._on_error, group=keys)
            if self._on_error == "quarantine":
                for row in range(*ranges[place]):
                    kept.add(row, error, group=keys)

        t0 = perf_counter_ns()
        for place in range(len(ranges)):
            try:
                results.append(_plain(self._function(*given(place))))
            except Exception as error:
                fail(error, place)
                results.append(None)
        t1 = perf_counter_ns()
        while True:
            try:
                encoded = self._encode(results)
                break
            except BadResult as error:
                fail(error, error.index)
                results[error.index] = None
        kept.write()
        call.statistics.user_ns += t1 - t0
        call.statistics.encode_ns += perf_counter_ns() - t1
        return encoded


def _plain(value: Any) -> Any:
    """A scalar of NumPy's or Arrow's as Python's; anything else as it is."""
    if isinstance(value, pa.Scalar):
        return value.as_py()
    item = getattr(value, "item", None)
    return value.item() if item is not None and getattr(value, "ndim", None) == 0 else value


def result_encoder(call: FunctionCall) -> Callable[[list[Any]], pa.Array]:
    """Encodes one result per group; a table aggregate's is a list of rows."""
    result = call.header.result_type
    if isinstance(call.function, TableAggregateFunction):
        return encoder(ArrayType(result))
    return encoder(result)


def argument_columns(structs: pa.Array, call: FunctionCall) -> list[pa.Array]:
    """The function's arguments, each of its declared type, from a column of structs."""
    names = [f.name for f in structs.type if f.name.startswith(ARGUMENT_FIELD)]
    return fitted([structs.field(name) for name in names], call.header)


def list_parts(lists: pa.Array) -> tuple[list[int], pa.Array]:
    """The offsets of each row's list elements in the flattened array of all elements."""
    offsets: list[int] = lists.offsets.to_numpy().tolist()
    base = offsets[0] if offsets else 0
    flat = lists.values.slice(base, (offsets[-1] if offsets else 0) - base)
    return [offset - base for offset in offsets] or [0], flat


def _group_of(columns: list[pa.Array], keys_at: int) -> Group:
    if len(columns) <= keys_at:
        return lambda place: {}
    keys = columns[keys_at]
    return lambda place: keys[place].as_py() or {}
