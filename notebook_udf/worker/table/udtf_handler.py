"""A table function as a UDTF that Spark itself calls.

For plain ``spark.sql``, ``lateralJoin`` and TABLE arguments. Spark makes an instance of a class for
a task, and one for each partition of a TABLE argument, and asks it for the rows of one input at a
time, all of which it holds.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, ClassVar

import pyarrow as pa
from pyspark import TaskContext
from pyspark.sql.types import DoubleType, FloatType

from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.call.function_call import FunctionCall, announce, running
from notebook_udf.worker.call.quarantine import Quarantine
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import BadResult
from notebook_udf.worker.runtime.error_kinds import WorkerStopped
from notebook_udf.worker.table.generate import Explosion, rows_in


class TableHandler:
    """The class that Spark makes instances of; a class derived from it holds the function."""

    shipment: ClassVar[Shipment]
    # One for all instances of a task: the function is opened once. A worker that is used again
    # may be given this very class again, so the task is noted with it.
    shared: ClassVar[tuple[int, FunctionCall] | None] = None

    def __init__(self) -> None:
        cls, context = type(self), TaskContext.get()
        attempt = -1 if context is None else context.taskAttemptId()
        if cls.shared is None or cls.shared[0] != attempt:
            call = announce(FunctionCall(cls.shipment, in_pass=True))
            cls.shared = attempt, call
        self._call = cls.shared[1]
        self._of: Explosion | None = None
        self._bundle = self._row = -1

    def eval(self, *args: Any, **kwargs: Any) -> list[tuple[Any, ...]]:
        """The rows for one input, checked, with a value for each column."""
        call = self._call
        bundle = call.task.bundle
        self._row = self._row + 1 if bundle == self._bundle else 0
        self._bundle = bundle
        of = self._explosion()
        call.slice_start, call.results = self._row, []
        call.statistics.rows_in += 1
        rows: list[Any] = []
        given = list(self._fitted(args))
        with running(call, self._row, 1):
            try:
                rows.extend(rows_in(call.function(*given, **kwargs)))
            except WorkerStopped:
                raise
            except BaseException as error:
                rows.clear()
                self._failed(error, [*given, *kwargs.values()])
        try:
            columns = of.encode(rows)
        except BadResult as error:
            self._failed(error, [*given, *kwargs.values()])
            return []
        call.statistics.rows_out += len(rows)
        return list(zip(*[decoder(column.type)(column) for column in columns], strict=True))

    def _explosion(self) -> Explosion:
        if self._of is None:
            self._of = Explosion(self._call, (), outer=False, ends=False)
        return self._of

    def _fitted(self, args: tuple[Any, ...]) -> list[Any]:
        """Arguments of the declared types: a whole number may be given for a DOUBLE."""
        types = self._call.header.input_types
        return [
            float(value)
            if place < len(types)
            and isinstance(types[place], (DoubleType, FloatType))
            and isinstance(value, (int, Decimal))
            else value
            for place, value in enumerate(args)
        ]

    def _failed(self, error: BaseException, arguments: list[Any]) -> None:
        call = self._call
        outcome = self._explosion().outcome(error)
        call.fail(error, arguments, self._row, outcome=outcome)
        if outcome == "quarantine":
            columns = [_column(value) for value in arguments]
            quarantine = Quarantine(call, columns)
            quarantine.add(0, error, row=self._row)
            quarantine.write()


def _column(value: Any) -> pa.Array:
    try:
        return pa.array([value])
    except (pa.ArrowException, ValueError, TypeError, OverflowError):
        # What is kept is for people to read.
        return pa.array([repr(value)])


def handler(name: str, shipment: Shipment) -> type[TableHandler]:
    """A class derived from ``TableHandler`` for Spark; it is pickled with the function in it."""
    return type(name, (TableHandler,), {"shipment": shipment})
