"""Straight-line expressions on a whole bundle at once, where that provably gives Python's answer.

``compile.scalar_expression`` reads which functions are one. The ``Program`` that ``translate``
makes of such a function runs checked Arrow kernels, and declines a bundle on which they could
answer anything else than Python: a NULL, an intermediate beyond 64 bits, a division by zero, text
beyond ASCII where letters change. A declined bundle runs row by row, so errors and their rows are
the same either way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
)

from notebook_udf.compile.column_expression import REVERSAL, Steps
from notebook_udf.compile.scalar_expression import scalar_expression
from notebook_udf.types import to_arrow

Domain: TypeAlias = Literal["int", "float", "bool", "str"]
Operand: TypeAlias = tuple[Domain, Any]

RESULTS: dict[Domain, tuple[type[DataType], ...]] = {
    "int": (ByteType, ShortType, IntegerType, LongType),
    "float": (DoubleType,),
    "bool": (BooleanType,),
    "str": (StringType,),
}
_ARITHMETIC: dict[str, dict[Domain, Callable[..., Any]]] = {
    "+": {
        "int": pc.add_checked,
        "float": pc.add,
        "str": lambda left, right: pc.binary_join_element_wise(left, right, ""),
    },
    "-": {"int": pc.subtract_checked, "float": pc.subtract},
    "*": {"int": pc.multiply_checked, "float": pc.multiply},
    # True division of integers rounds once, in arbitrary precision; Arrow has no such kernel.
    "/": {"float": pc.divide_checked},
}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "==": pc.equal,
    "!=": pc.not_equal,
}
_UNARY: dict[str, dict[Domain, Callable[..., Any]]] = {
    "-": {"int": pc.negate_checked, "float": pc.negate},
    "upper": {"str": pc.ascii_upper},
    "lower": {"str": pc.ascii_lower},
    REVERSAL: {"str": pc.ascii_reverse},
}
_CONSTANTS: dict[type, Domain] = {int: "int", float: "float", str: "str"}


class Declined(Exception):
    """This bundle has to run row by row."""


@dataclass(frozen=True)
class Program:
    """A function of ``parameters`` columns as steps of a stack machine."""

    parameters: int
    steps: Steps
    result_type: DataType

    def __call__(self, columns: list[pa.Array]) -> pa.Array | None:
        """The result for every row; None if this bundle has to run row by row."""
        if len(columns) != self.parameters:
            return None
        try:
            operands = [operand_of(column) for column in columns]
            domain, result = evaluate(self.steps, operands.__getitem__)
            if not isinstance(self.result_type, RESULTS[domain]):
                return None
            return result.cast(to_arrow(self.result_type))
        except (Declined, pa.ArrowInvalid):
            return None


def evaluate(steps: Steps, parameter: Callable[[Any], Operand]) -> Operand:
    """What steps leave on the stack; ``parameter`` answers those that they name.

    Raises
    ------
    Declined
        If the answer could be another than Python's.
    pyarrow.ArrowInvalid
        Likewise.
    """
    stack: list[Operand] = []
    for kind, value in steps:
        if kind == "parameter":
            stack.append(parameter(value))
        elif kind == "constant":
            stack.append((_CONSTANTS[type(value)], pa.scalar(value)))
        elif kind == "unary":
            stack.append(_unary(value, stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            step = _arithmetic if kind == "binary" else _compare
            stack.append(step(value, left, right))
    return stack.pop()


def translate(function: Callable[..., Any], result_type: DataType) -> Program | None:
    """The function as kernels; None if it is anything but one expression."""
    found = scalar_expression(function)
    return None if found is None else Program(found.parameters, found.steps, result_type)


def operand_of(column: pa.Array) -> Operand:
    """A column as kernels take it.

    Raises
    ------
    Declined
        If it holds a NULL, or is of a type without kernels.
    """
    if column.null_count:
        raise Declined
    if pa.types.is_signed_integer(column.type):
        return "int", column if column.type == pa.int64() else column.cast(pa.int64())
    if pa.types.is_float32(column.type) or pa.types.is_float64(column.type):
        return "float", column.cast(pa.float64())
    if pa.types.is_string(column.type):
        return "str", column
    raise Declined


def _unary(operator: str, operand: Operand) -> Operand:
    domain, value = operand
    kernel = _UNARY[operator].get(domain)
    # Beyond ASCII an upper-case letter may be two, and what belongs together would be torn.
    if kernel is None or (domain == "str" and not pc.all(pc.string_is_ascii(value)).as_py()):
        raise Declined
    return domain, kernel(value)


def _arithmetic(operator: str, left: Operand, right: Operand) -> Operand:
    if left[0] == right[0]:
        domain = left[0]
    elif {left[0], right[0]} == {"int", "float"}:
        domain = "float"
    else:
        raise Declined
    kernel = _ARITHMETIC[operator].get(domain)
    if kernel is None:
        raise Declined
    return domain, kernel(_as(domain, left), _as(domain, right))


def _compare(operator: str, left: Operand, right: Operand) -> Operand:
    # Python compares an integer with a float exactly, which takes more than 64 bits.
    if left[0] != right[0]:
        left, right = _exact(left), _exact(right)
    if left[0] != right[0]:
        raise Declined
    return "bool", _COMPARISONS[operator](left[1], right[1])


def _exact(operand: Operand) -> Operand:
    """A whole number that is a double as well, as that; only a constant is known to be one."""
    domain, value = operand
    if domain == "int" and isinstance(value, pa.Scalar) and abs(value.as_py()) <= 1 << 53:
        return "float", value.cast(pa.float64())
    return operand


def _as(domain: Domain, operand: Operand) -> Any:
    own, value = operand
    if own == domain:
        return value
    # Rounds to the nearest double, as Python does when it multiplies an int by a float.
    return value.cast(pa.float64(), safe=False)
