"""Steps of a stack machine, see ``compile.column_expression``, over whole columns.

Unlike a ``Program`` they have no rows that Python runs alone: a bundle that holds one is declined
as a whole, since what follows may depend on the records before.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from notebook_udf.compile.column_expression import METHODS, REVERSAL, Steps
from notebook_udf.worker.kernels import numeric, parts, textual
from notebook_udf.worker.kernels.values import (
    Column,
    NoKernel,
    Operand,
    Rows,
    Uniform,
    Value,
    entered,
    operand,
)

_DOMAINS = ("int", "float", "str")


class Declined(Exception):
    """This bundle has to run row by row."""


def operand_of(array: pa.Array) -> Operand:
    """A column as steps take it.

    Raises
    ------
    Declined
        If it holds a NULL, or is of a type without kernels.
    """
    if array.null_count:
        raise Declined
    try:
        found = entered(array)
    except NoKernel:
        raise Declined from None
    if found.domain not in _DOMAINS:
        raise Declined
    return operand(found)


def evaluate(steps: Steps, parameter: Callable[[Any], Operand]) -> Operand:
    """What steps leave on the stack; ``parameter`` answers those that they name.

    Raises
    ------
    Declined
        If the answer could be another than Python's, or is no column.
    """
    given = [Column(*parameter(value)) if kind == "parameter" else None for kind, value in steps]
    count = next((len(each.array) for each in given if each is not None), None)
    if count is None:
        raise Declined
    rows = Rows.all(count)
    stack: list[Value] = []
    try:
        for (kind, value), known in zip(steps, given, strict=True):
            if kind == "parameter":
                assert known is not None
                stack.append(known)
            elif kind == "constant":
                stack.append(Uniform(value))
            elif kind == "unary":
                stack.append(_unary(rows, value, stack.pop()))
            else:
                right, left = stack.pop(), stack.pop()
                step = numeric.arithmetic if kind == "binary" else numeric.comparison
                stack.append(step(rows, value, left, right))
        found = operand(stack.pop())
    except NoKernel:
        raise Declined from None
    if rows.declined.any():
        raise Declined
    return found


def _unary(rows: Rows, how: str, value: Value) -> Value:
    if how == REVERSAL:
        nothing = Uniform(None)
        return parts.sliced(rows, value, (nothing, nothing, Uniform(-1)))
    if how in METHODS and isinstance(value, Column) and value.domain == "str":
        return textual.METHODS[how](rows, value.array, ())
    return numeric.negated(rows, value)
