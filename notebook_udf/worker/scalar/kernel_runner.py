"""Straight-line expressions on a whole bundle at once, where that provably gives Python's answer.

``translate`` reads a function's bytecode, which is what would run, and accepts it only if it is
one expression of its parameters and of constants, built from the few operators below. The
``Program`` it makes runs checked Arrow kernels, and declines a bundle on which they could answer
anything else than Python: a NULL, an intermediate beyond 64 bits, a division by zero, text beyond
ASCII where letters change. A declined bundle runs row by row, so errors and their rows are the
same either way.
"""

from __future__ import annotations

import dis
import inspect
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

from notebook_udf.types import to_arrow

Domain: TypeAlias = Literal["int", "float", "bool", "str"]
Operand: TypeAlias = tuple[Domain, Any]

# A step: a parameter's position or name, a constant, or an operator on what the stack holds.
Step: TypeAlias = tuple[Literal["parameter", "constant", "unary", "binary", "compare"], Any]

INT64 = range(-(1 << 63), 1 << 63)
_MOST_STEPS = 64
RESULTS: dict[Domain, tuple[type[DataType], ...]] = {
    "int": (ByteType, ShortType, IntegerType, LongType),
    "float": (DoubleType,),
    "bool": (BooleanType,),
    "str": (StringType,),
}
ARITHMETIC: dict[str, dict[Domain, Callable[..., Any]]] = {
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
COMPARISONS: dict[str, Callable[..., Any]] = {
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
    "==": pc.equal,
    "!=": pc.not_equal,
}
UNARY: dict[str, dict[Domain, Callable[..., Any]]] = {
    "-": {"int": pc.negate_checked, "float": pc.negate},
    "upper": {"str": pc.ascii_upper},
    "lower": {"str": pc.ascii_lower},
    "[::-1]": {"str": pc.ascii_reverse},
}
CONSTANTS: dict[type, Domain] = {int: "int", float: "float", str: "str"}
SILENT = frozenset({"RESUME", "NOP", "CACHE", "COPY_FREE_VARS", "PRECALL"})


class Declined(Exception):
    """This bundle has to run row by row."""


@dataclass(frozen=True)
class Program:
    """A function of ``parameters`` columns as steps of a stack machine."""

    parameters: int
    steps: tuple[Step, ...]
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


def evaluate(steps: tuple[Step, ...], parameter: Callable[[Any], Operand]) -> Operand:
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
            stack.append((CONSTANTS[type(value)], pa.scalar(value)))
        elif kind == "unary":
            stack.append(_unary(value, stack.pop()))
        else:
            right, left = stack.pop(), stack.pop()
            step = _arithmetic if kind == "binary" else _compare
            stack.append(step(value, left, right))
    return stack.pop()


def translate(function: Callable[..., Any], result_type: DataType) -> Program | None:
    """The function as kernels; None if it is anything but one expression of numbers."""
    first = 0
    if inspect.ismethod(function):
        function, first = function.__func__, 1
    if not inspect.isfunction(function):
        return None
    code = function.__code__
    plain = code.co_argcount - first
    if code.co_kwonlyargcount or code.co_flags & _UNUSUAL or function.__closure__ or plain < 1:
        return None
    names = {name: place - first for place, name in enumerate(code.co_varnames)}
    steps: list[Step] = []
    waiting = [i for i in dis.get_instructions(code) if i.opname not in SILENT]
    while waiting and waiting[0].opname != "RETURN_VALUE":
        found, used = _step(waiting, names, plain)
        if not found or len(steps) > _MOST_STEPS:
            return None
        steps += found
        del waiting[:used]
    # Only a column is an answer: an expression without a parameter is a constant.
    if not any(kind == "parameter" for kind, _ in steps):
        return None
    return Program(plain, tuple(steps), result_type)


_UNUSUAL = (
    inspect.CO_VARARGS
    | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR
    | inspect.CO_COROUTINE
    | inspect.CO_ASYNC_GENERATOR
)


def _step(
    waiting: list[dis.Instruction], names: dict[str, int], count: int
) -> tuple[list[Step], int]:
    """What the next instructions do, and how many they are; no step if it is anything more."""
    name, value = waiting[0].opname, waiting[0].argval
    if name.startswith("LOAD_FAST") and "CLEAR" not in name:
        # From Python 3.13 on one instruction may load two.
        loaded = value if isinstance(value, tuple) else (value,)
        places = [names.get(each, -1) for each in loaded]
        known = all(0 <= place < count for place in places)
        return [("parameter", place) for place in places] if known else [], 1
    if name == "LOAD_CONST" and type(value) in CONSTANTS:
        fits = type(value) is not int or value in INT64
        return [("constant", value)] if fits else [], 1
    if name == "UNARY_NEGATIVE":
        return [("unary", "-")], 1
    if name == "BINARY_OP" and waiting[0].argrepr in ARITHMETIC:
        return [("binary", waiting[0].argrepr)], 1
    if name == "COMPARE_OP" and value in COMPARISONS:
        return [("compare", value)], 1
    shape = [(each.opname, each.argval) for each in waiting[:5]]
    if name in ("LOAD_METHOD", "LOAD_ATTR") and value in UNARY and shape[1:2] == [("CALL", 0)]:
        return [("unary", value)], 2
    if shape == _REVERSAL:
        return [("unary", "[::-1]")], 5
    return [], 1


_REVERSAL = [
    ("LOAD_CONST", None),
    ("LOAD_CONST", None),
    ("LOAD_CONST", -1),
    ("BUILD_SLICE", 3),
    ("BINARY_SUBSCR", None),
]


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
    kernel = UNARY[operator].get(domain)
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
    kernel = ARITHMETIC[operator].get(domain)
    if kernel is None:
        raise Declined
    return domain, kernel(_as(domain, left), _as(domain, right))


def _compare(operator: str, left: Operand, right: Operand) -> Operand:
    # Python compares an integer with a float exactly, which takes more than 64 bits.
    if left[0] != right[0]:
        left, right = _exact(left), _exact(right)
    if left[0] != right[0]:
        raise Declined
    return "bool", COMPARISONS[operator](left[1], right[1])


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


__all__ = [
    "ARITHMETIC",
    "COMPARISONS",
    "CONSTANTS",
    "INT64",
    "RESULTS",
    "SILENT",
    "UNARY",
    "Declined",
    "Operand",
    "Program",
    "Step",
    "evaluate",
    "operand_of",
    "translate",
]
