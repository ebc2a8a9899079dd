"""An aggregate function's ``accumulate`` and ``retract`` as sums.

Pure data, made by ``compile.sums`` and read by what computes the sums instead of Python: what a row
adds to which slot of the accumulator, and on which of its arguments that depends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql.types import ArrayType, DataType, StructType

# An item's position, an attribute's name, or None for an accumulator that is a number itself.
Slot: TypeAlias = int | str | None


@dataclass(frozen=True)
class Parameter:
    """An argument of the call."""

    place: int


@dataclass(frozen=True)
class Constant:
    """A number in the code."""

    value: int | float


@dataclass(frozen=True)
class Other:
    """A slot of the accumulator that is being merged into the first."""

    slot: Slot


@dataclass(frozen=True)
class Operation:
    """``+``, ``-``, ``*`` or ``/`` of two operands, or ``-`` of one."""

    operator: str
    operands: tuple[Expression, ...]


Expression: TypeAlias = Parameter | Constant | Other | Operation


@dataclass(frozen=True)
class Addition:
    """What a row adds to a slot, or subtracts from it.

    ``nulls`` says of which arguments it depends whether they are None.
    """

    slot: Slot
    amount: Expression
    negative: bool
    nulls: tuple[tuple[int, bool], ...]


@dataclass(frozen=True)
class Sums:
    """An aggregate function as a fresh accumulator and what rows add to its slots.

    ``parameters`` are how many arguments it names; more may follow if it is ``variadic``.
    ``removals`` are what ``retract`` adds; None without one, and for one that is no sum.
    """

    fresh: dict[Slot, int | float]
    additions: tuple[Addition, ...]
    removals: tuple[Addition, ...] | None
    parameters: int
    variadic: bool


def slot_type(accumulator: DataType, slot: Slot) -> DataType | None:
    """The type that an accumulator's type declares for a slot; None if it has no such slot."""
    if slot is None:
        return accumulator
    if isinstance(accumulator, ArrayType):
        return accumulator.elementType
    try:
        return accumulator[slot].dataType if isinstance(accumulator, StructType) else None
    except (KeyError, IndexError):
        return None


def parameters(expression: Expression) -> set[int]:
    """The positions of the arguments that an expression depends on."""
    if isinstance(expression, Parameter):
        return {expression.place}
    if not isinstance(expression, Operation):
        return set()
    return set().union(*map(parameters, expression.operands))


def divisors(expression: Expression) -> Iterator[Expression]:
    """The divisors in an expression."""
    if isinstance(expression, Operation):
        for operand in expression.operands:
            yield from divisors(operand)
        if expression.operator == "/":
            yield expression.operands[1]
