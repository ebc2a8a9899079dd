"""The operator of functions on columns: Spark hands over a bundle's columns and takes one back.

What a row of the columns is depends on the role: a row, a row that reaches its call, a list of
elements, a group. The runner of each role is found here, above the packages that have them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pyarrow as pa

from notebook_udf.specs.payload import Shipment
from notebook_udf.specs.roles import Role
from notebook_udf.worker.aggregate import collected, from_sums, gathered
from notebook_udf.worker.call.function_call import FunctionCall
from notebook_udf.worker.call.operator import Operator
from notebook_udf.worker.scalar import masked, numba_runner, row_runner, vectorized

# Takes columns by place, columns by name and how many rows they have.
Runner: TypeAlias = Callable[..., pa.Array]


class ColumnNode(Operator[None, FunctionCall]):
    """A function that returns a value for each row of its columns."""

    _runner: Runner | None = None

    def __call__(self, *columns: pa.Array, **named: pa.Array) -> pa.Array:
        call = self.calls[0]
        # Opens the function where nobody has announced the task.
        task = call.task
        task.active = call
        if self._runner is None:
            self._runner = self.runner_of(call)
        rows = len(next(iter((*columns, *named.values())), ())) if columns or named else task.rows
        call.statistics.rows_in += rows
        if call.timeout and task.timer is not None:
            task.timer.enter()
            result = self._runner(list(columns), named, rows)
            task.timer.leave()
        else:
            result = self._runner(list(columns), named, rows)
        call.statistics.rows_out += len(result)
        call.slice_start = -1
        return result

    @classmethod
    def call_of(cls, spec: None, place: int, payload: Shipment) -> FunctionCall:
        return FunctionCall(payload)

    def runner_of(self, call: FunctionCall) -> Runner:
        """What runs an opened function in its role."""
        return _RUNNERS[call.header.role](call)


def _plain(call: FunctionCall) -> Runner:
    if call.header.func_type == "general":
        return row_runner.RowRunner(call)
    if call.header.func_type == "numba":
        return numba_runner.NumbaRunner(call)
    if call.header.func_type == "pandas":
        return vectorized.PandasRunner(call)
    return vectorized.ArrowRunner(call)


def _of_elements(call: FunctionCall) -> Runner:
    return masked.Each(call, _plain(call))


_RUNNERS: dict[Role, Callable[[FunctionCall], Runner]] = {
    "scalar": _plain,
    "guarded": masked.Guarded,
    "each": _of_elements,
    "each2": _of_elements,
    "merge": collected.MergeRunner,
    "whole": collected.whole,
    "summed": from_sums.SummedRunner,
    "gathered": gathered.GatheredRunner,
}
