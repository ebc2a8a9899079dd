"""The accumulators of an aggregate function: created, updated, checked and encoded.

``Accumulation`` holds the rules that all strategies share. ``collected``, ``hash_aggregate`` and
``window`` decide which rows go into which accumulator.
"""

from __future__ import annotations

import copy
import dataclasses
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
from pyspark.sql.types import ArrayType, DataType, StructType

from notebook_udf.errors import DeclarationError
from notebook_udf.functions.accumulator_kind import AccumulatorKind
from notebook_udf.functions.fields import UNKNOWN, fields_of
from notebook_udf.functions.row import Row
from notebook_udf.specs.pickling import dumps_all
from notebook_udf.types import ddl, marks_views
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult, encoder
from notebook_udf.worker.codec.refusal import shortened
from notebook_udf.worker.codec.table_rows import with_bare_values
from notebook_udf.worker.runtime.error_kinds import FATAL, WorkerStopped

# A declaration that does not hold is no more about the row's values than those.
UNLIKE_A_ROW = (*FATAL, DeclarationError)

# Stands for an accumulator that merge has left half done: its value is not the group's.
LOST = object()

Group = Callable[[int], Mapping[str, Any]]


class Accumulation:
    """One aggregate function in one task."""

    def __init__(self, call: FunctionCall) -> None:
        function: Any = call.function
        self.call = call
        self.accumulate: Callable[..., Any] = function.accumulate
        self.retract: Callable[..., Any] = function.retract
        self.merge: Callable[..., Any] = function.merge
        self.value: Callable[..., Any] = getattr(function, "get_value", None) or rows_of(
            function, call.header.result_type
        )
        self._create = function.create_accumulator
        self.on_error = call.header.options.on_error
        # Where rows that failed are kept, and which row of the bundle its first one is.
        self._quarantine: Quarantine | None = None
        self._first = 0
        fresh = self.create()
        self.kind = AccumulatorKind.of(call.name, fresh)
        self.in_place = self.kind.in_place
        self.codec = Codec(call.header.accumulator_type, fresh)

    def create(self) -> Any:
        """A fresh accumulator."""
        try:
            return self._create()
        except WorkerStopped:
            raise
        except BaseException as error:
            self.call.fail(error)
            raise

    @contextmanager
    def keeping(self, columns: list[pa.Array], first: int = 0) -> Iterator[None]:
        """Quarantines those of these rows that cannot be accumulated, if the function asks for it.

        ``first`` is the position of the first row in the bundle.
        """
        if self.on_error != "quarantine":
            yield
            return
        self._quarantine, self._first = Quarantine(self.call, columns), first
        yield
        self._quarantine.write()
        self._quarantine = None

    def take_rows(
        self, accumulators: Iterable[Any], columns: list[list[Any]], first: int, group: Group
    ) -> None:
        """Accumulates one row into each of ``accumulators``, which can be changed in place.

        ``first`` is the position of the first row in the bundle, ``group`` returns a row's keys.
        """
        results: list[Any] = []
        # A list: one made on the way that cannot be would leave the columns a row behind.
        given = list(accumulators)
        self.call.slice_start, self.call.results = first, results
        calls = map(self.accumulate, given, *columns)
        while len(results) < len(given):
            try:
                # extend() keeps what it got before an exception: its length is the row.
                results.extend(calls)
                if len(results) < len(given):
                    raise _stop_iteration("accumulate")
            except WorkerStopped:
                raise
            except BaseException as error:
                row = len(results)
                self.row_failed(error, [c[row] for c in columns], first + row, group(row))
                results.append(None)
        if results.count(None) != len(results):
            self._returned(results, given, columns, first, group)

    def take_row(self, accumulator: Any, row: tuple[Any, ...], place: int, group: Group) -> Any:
        """Accumulates one row; returns the accumulator to go on with."""
        return self.changed("accumulate", accumulator, row, place, group)

    def changed(
        self, method: str, accumulator: Any, arguments: tuple[Any, ...], place: int, group: Group
    ) -> Any:
        """The accumulator after a call of ``accumulate``, ``retract`` or ``merge``.

        Where the function's ``on_error`` skips failures, a row that failed is left out, and a
        ``merge`` that failed leaves ``LOST``.
        """
        try:
            answer = getattr(self, method)(accumulator, *arguments)
            return self.kind.after(method, accumulator, answer)
        except WorkerStopped:
            raise
        except BaseException as error:
            self.row_failed(error, list(arguments), place, group(0), method)
            return LOST if method == "merge" else accumulator

    def row_failed(
        self,
        error: BaseException,
        row: list[Any],
        place: int,
        group: Mapping[str, Any],
        method: str = "accumulate",
    ) -> None:
        """Reports the arguments of a failed call; skips the row if ``on_error`` says so."""
        outcome = "fail" if isinstance(error, UNLIKE_A_ROW) else self.on_error
        self.call.fail(error, row, place, outcome=outcome, group=group, method=method)
        if method == "accumulate" and self._quarantine is not None:
            self._quarantine.add(place - self._first, error, row=place, group=group)

    def values(
        self, accumulators: Iterable[Any], encode: Callable[[list[Any]], pa.Array], group: Group
    ) -> pa.Array:
        """The function's result for each accumulator, as a column."""
        results: list[Any] = []
        self.call.slice_start, self.call.results = 0, results
        kept = list(accumulators)
        calls = map(self._value, kept)
        while len(results) < len(kept):
            try:
                results.extend(calls)
                if len(results) < len(kept):
                    raise _stop_iteration("get_value")
            except WorkerStopped:
                raise
            except BaseException as error:
                place = len(results)
                self.row_failed(error, [kept[place]], place, group(place), "get_value")
                results.append(None)
        return self.encode_values(results, encode, group)

    def encode_values(
        self, results: list[Any], encode: Callable[[list[Any]], pa.Array], group: Group
    ) -> pa.Array:
        """Results as a column; one that does not fit is handled like a row that failed."""
        while True:
            try:
                return encode(results)
            except BadResult as error:
                place = error.index
                self.call.fail(error, outcome=self.on_error, group=group(place))
                results[place] = None

    def check(
        self, accumulators: list[Any], group: Group, rows: Sequence[int] | None = None
    ) -> None:
        """Refuses accumulators that stay in this worker and that their declared type cannot hold:
        what a function may keep does not depend on whether it is sent on.

        Many at a time, because the check costs as much as sending them. ``rows`` are their
        positions in the bundle, if they are not 0, 1 and so on; ``group`` returns the keys at such
        a position.
        """
        if self.codec.hold is None or not accumulators:
            return
        try:
            self.codec.hold(accumulators)
        except BadResult as error:
            place = error.index if rows is None else rows[error.index]
            self._misfits(error, accumulators[error.index], place, group)

    def encoded(self, accumulators: list[Any], group: Group) -> pa.Array:
        """Accumulators as the column in which they are sent to another worker."""
        if self.codec.pickles:
            self.check(accumulators, group)
        try:
            return self.codec.encode(accumulators)
        except BadResult as error:
            self._misfits(error, accumulators[error.index], error.index, group)
            raise
        except Exception as error:
            place = next((i for i, each in enumerate(accumulators) if self._stays(each)), 0)
            reason = DeclarationError(
                f"the accumulator of {self.call.name}{_of(group(place))} cannot be sent to another "
                f"worker ({type(error).__name__}: {error}): keep only what can be pickled in it"
            )
            self.call.fail(reason, group=group(place))
            raise

    def _misfits(self, error: BadResult, accumulator: Any, place: int, group: Group) -> None:
        reason = misfit(self.call.name, error, group(place))
        self.call.fail(reason, [accumulator], place, group=group(place), method="get_value")

    def _stays(self, accumulator: Any) -> bool:
        try:
            self.codec.encode([accumulator])
        except Exception:
            return True
        return False

    def _value(self, accumulator: Any) -> Any:
        return None if accumulator is LOST else self.value(accumulator)

    def _returned(
        self,
        results: list[Any],
        given: list[Any],
        columns: list[list[Any]],
        first: int,
        group: Group,
    ) -> None:
        """Refuses a method that returns another object than the one it was to change in place."""
        for row, (answer, accumulator) in enumerate(zip(results, given, strict=True)):
            if answer is not None and answer is not accumulator:
                error = self.kind.another("accumulate", answer)
                self.call.fail(error, [c[row] for c in columns], first + row, group=group(row))


def misfit(function: str, error: BadResult, group: Mapping[str, Any]) -> DeclarationError:
    """The error message for an accumulator that its declared type cannot hold."""
    at = f" at {error.path}" if error.path else ""
    return DeclarationError(
        f"the accumulator of {function}{_of(group)} holds {shortened(error.value)}{at} "
        f"({type(error.value).__name__}), which its type {ddl(error.expected)} cannot hold: "
        f"{error.reason}"
    )


class Codec:
    """Accumulators as a column of the declared type, or pickled where none is declared, and where
    it marks views, which hold any objects.

    Attributes
    ----------
    encode, decode
        To the column and back.
    hold
        Raises ``BadResult`` for accumulators that the declared type cannot hold; None without one.
    """

    def __init__(self, declared: DataType | None, fresh: Any) -> None:
        self.encode: Callable[[list[Any]], pa.Array] = _pickled
        self.decode: Callable[[pa.Array], list[Any]] = _unpickled
        self.hold: Callable[[list[Any]], pa.Array] | None = None
        self.pickles = declared is None or marks_views(declared)
        if declared is None:
            return
        self.hold = encoder(declared)
        if isinstance(fresh, (set, frozenset)) and isinstance(declared, ArrayType):
            self.hold = _of_lists(self.hold)
        if not self.pickles:
            self._restore = _restorer(declared, fresh)
            self.encode, self.decode = self.hold, self._decoded

    def _decoded(self, column: pa.Array) -> list[Any]:
        values = decoder(column.type)(column)
        return values if self._restore is None else list(map(self._restore, values))


def _pickled(accumulators: list[Any]) -> pa.Array:
    return pa.array(dumps_all(accumulators), pa.binary())


def _unpickled(column: pa.Array) -> list[Any]:
    return list(map(pickle.loads, column.to_pylist()))


def _of_lists(encode: Callable[[list[Any]], pa.Array]) -> Callable[[list[Any]], pa.Array]:
    return lambda accumulators: encode(
        [list(each) if isinstance(each, (set, frozenset)) else each for each in accumulators]
    )


def _restorer(declared: DataType, fresh: Any) -> Callable[[Any], Any] | None:
    """How a decoded value becomes an object of the fresh accumulator's class again.

    Of an accumulator that starts as None, all that is known is that it is returned again, so it
    becomes what an argument of its type would be.
    """
    cls = type(fresh)
    if fresh is None:
        return None
    if isinstance(declared, StructType):
        return _row_restorer(declared, fresh)
    if isinstance(fresh, dict):
        return None if cls is dict else lambda value: _refilled(fresh, value)
    if isinstance(fresh, tuple) and hasattr(fresh, "_make"):
        return lambda value: cls(*value)
    if isinstance(fresh, (tuple, set, frozenset)) or (isinstance(fresh, list) and cls is not list):
        return cls
    return None


def _row_restorer(declared: StructType, fresh: Any) -> Callable[[Any], Any] | None:
    names = tuple(field.name for field in declared.fields)
    parts = [
        None if part is UNKNOWN else _restorer(field.dataType, part)
        for field, part in zip(declared.fields, fields_of(fresh, names), strict=True)
    ]
    whole = _row_maker(names, fresh)
    if not any(parts):
        return whole
    made = whole or tuple

    def restored(row: Any) -> Any:
        return made(
            [
                value if part is None or value is None else part(value)
                for part, value in zip(parts, row, strict=True)
            ]
        )

    return restored


def _row_maker(names: tuple[str, ...], fresh: Any) -> Callable[[Any], Any] | None:
    cls = type(fresh)
    if dataclasses.is_dataclass(fresh):
        return lambda row: cls(**dict(zip(names, row, strict=True)))
    if isinstance(fresh, dict):
        return lambda row: _refilled(fresh, zip(names, row, strict=True))
    if isinstance(fresh, list):
        return cls
    if isinstance(fresh, tuple) and hasattr(fresh, "_fields"):
        own = fresh._fields
        if sorted(own) == sorted(names):
            return lambda row: cls(**dict(zip(names, row, strict=True)))
        return lambda row: cls(*row)
    if isinstance(fresh, tuple):
        return None
    own = fresh.names if isinstance(fresh, Row) else names
    if own and own != names and sorted(own) == sorted(names):
        # Read by position, a field is to be the one it was before.
        places = [names.index(name) for name in own]
        return lambda row: Row.of(own, [row[place] for place in places])
    return lambda row: Row.of(own, list(row))


def _refilled(fresh: dict[Any, Any], entries: Any) -> dict[Any, Any]:
    """A dict of the fresh accumulator's class, which may have a default or count."""
    made = copy.copy(fresh)
    made.clear()
    dict.update(made, entries)
    return made


def rows_of(function: Any, columns: DataType) -> Callable[[Any], list[Any]]:
    """What a table aggregate emits for an accumulator, as rows of its columns."""
    assert isinstance(columns, StructType)
    emit, as_row = function.emit_value, with_bare_values(columns)
    if as_row is None:
        return lambda accumulator: list(emit(accumulator) or ())
    return lambda accumulator: [as_row(value) for value in emit(accumulator) or ()]


def _of(group: Mapping[str, Any]) -> str:
    keys = ", ".join(f"{name} = {shortened(value)}" for name, value in group.items())
    return f" for group {keys}" if keys else ""


def _stop_iteration(method: str) -> RuntimeError:
    # map() takes a StopIteration from the function for the end of its input.
    return RuntimeError(f"{method} raised StopIteration")
