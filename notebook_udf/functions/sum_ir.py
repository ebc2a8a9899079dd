"""An aggregate function's ``accumulate`` and ``retract`` as sums.

Pure data, made by ``compile.sums`` and read by what computes the sums instead of Python: what a row
adds to which slot of the accumulator, and on which of its arguments that depends.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

from pyspark.sql.types import ArrayType, DataType, MapType, StructType


@dataclass(frozen=True)
class Key:
    """A key of a dict."""

    name: str


# An item's position or key, an attribute's name, or None for an accumulator that is a number.
Slot: TypeAlias = int | str | Key | None


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
class ComparisonTest:
    """``<``, ``<=``, ``>``, ``>=``, ``==`` or ``!=`` of two amounts."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True)
class TruthTest:
    """Whether an argument is true: neither None nor zero."""

    place: int


Test: TypeAlias = ComparisonTest | TruthTest


@dataclass(frozen=True)
class Guard:
    """The rows on which a way through the code is taken.

    Attributes
    ----------
    nulls
        Of which arguments it depends whether they are None.
    tests
        What else is tested, each with how it has to come out.
    """

    nulls: tuple[tuple[int, bool], ...] = ()
    tests: tuple[tuple[Test, bool], ...] = ()


@dataclass(frozen=True)
class Addition:
    """What a row adds to a slot, or subtracts from it, where its guard holds."""

    slot: Slot
    amount: Expression
    negative: bool
    guard: Guard = Guard()


@dataclass(frozen=True)
class Risk:
    """What is computed where a guard holds; it raises if an operand is None, or a divisor zero."""

    computed: Expression | ComparisonTest
    guard: Guard


@dataclass(frozen=True)
class Sums:
    """An aggregate function as a fresh accumulator and what rows add to its slots.

    ``parameters`` are how many arguments it names; more may follow if it is ``variadic``.
    ``removals`` are what ``retract`` adds; None without one, and for one that is no sum.
    ``risks`` and ``removal_risks`` are where the two may raise.
    """

    fresh: dict[Slot, int | float]
    additions: tuple[Addition, ...]
    removals: tuple[Addition, ...] | None
    parameters: int
    variadic: bool
    risks: tuple[Risk, ...] = ()
    removal_risks: tuple[Risk, ...] = ()


def slot_type(accumulator: DataType, slot: Slot) -> DataType | None:
    """The type that an accumulator's type declares for a slot; None if it has no such slot."""
    if slot is None:
        return accumulator
    if isinstance(accumulator, ArrayType):
        return accumulator.elementType
    if isinstance(slot, Key):
        if isinstance(accumulator, MapType):
            return accumulator.valueType
        slot = slot.name
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


def without_none(risk: Risk) -> Iterator[int]:
    """The arguments that must not be None, of those that are operands of what is computed."""
    computed = risk.computed
    if isinstance(computed, ComparisonTest):
        operands: tuple[Expression, ...] = (computed.left, computed.right)
        if computed.operator in ("==", "!="):
            return
    else:
        operands = computed.operands if isinstance(computed, Operation) else (computed,)
    for operand in operands:
        if isinstance(operand, Parameter):
            yield operand.place


def divisor(risk: Risk) -> Expression | None:
    """What must not be zero, if anything."""
    computed = risk.computed
    if isinstance(computed, Operation) and computed.operator == "/":
        return computed.operands[1]
    return None
