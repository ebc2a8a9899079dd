"""Aggregates that are sums: Spark computes the sums, Python one value per group.

Where ``sums`` can read what a row adds, and with the columns' types Spark's arithmetic has the
answer that Python's has, the rows never leave the JVM. A row on which ``accumulate`` would raise is
counted and set aside, one per group, and given to it after all: the error is the user's own. Sums
of floats are rounded in the order in which Spark adds them up, as those of merged accumulators are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import (
    ByteType,
    DataType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StructField,
    StructType,
)

from notebook_udf.compile.sums import read
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.sum_ir import (
    Addition,
    Constant,
    Expression,
    Other,
    Parameter,
    Slot,
    Sums,
    divisors,
    parameters,
    slot_type,
)
from notebook_udf.planner.faults import attempted
from notebook_udf.specs.aggregate_layout import AggregatePart
from notebook_udf.specs.sum_fields import HIGH, LOW, ROWS, SUM, field_name, kept_name

_INTEGERS: dict[type[DataType], int] = {
    ByteType: 1 << 7, ShortType: 1 << 15, IntegerType: 1 << 31, LongType: 1 << 63,
}  # fmt: skip
_FLOATS = (FloatType, DoubleType)
NUMBERS: tuple[type[DataType], ...] = (*_INTEGERS, *_FLOATS)

# Below this an integer is a double exactly, and a sum of any number of rows fits 64 bits.
_EXACT = 1 << 53
_SUMMABLE = 1 << 31


@dataclass(frozen=True)
class Argument:
    """An argument column: its name, its type, whether it may be NULL."""

    name: str
    type: DataType
    nullable: bool

    @classmethod
    def of(cls, column: StructField) -> Argument:
        """The argument for a column of a DataFrame."""
        return cls(column.name, column.dataType, column.nullable)


def columns_of(
    definition: FunctionDefinition, part: AggregatePart, schema: StructType
) -> tuple[str, str] | None:
    """``columns`` for a function whose arguments are at the positions of a part."""
    arguments = [Argument.of(schema[place]) for place in part.arguments]
    condition = None if part.condition is None else schema[part.condition].name
    return columns(definition, arguments, condition)


def columns(
    definition: FunctionDefinition, arguments: Sequence[Argument], condition: str | None = None
) -> tuple[str, str] | None:
    """The sums of a group, and its row on which the function has to raise, as two structs in SQL.

    Parameters
    ----------
    definition
        The function.
    arguments
        The columns it is called with.
    condition
        The name of a boolean column that is true for the rows to take.

    Returns
    -------
    tuple or None
        None where Spark's answer could be another than Python's.
    """
    sums = sums_of(definition)
    if sums is None or sums.parameters > len(arguments):
        return None
    if sums.parameters < len(arguments) and not sums.variadic:
        return None
    try:
        return _Writer(definition, sums, arguments, condition).written()
    except _Unlike:
        return None


def summable(definition: FunctionDefinition) -> tuple[DataType, ...]:
    """The types of numbers that Spark adds up, where all arguments are of the same type."""
    sums = sums_of(definition)
    if sums is None:
        return ()
    return tuple(
        kind()
        for kind in NUMBERS
        if columns(definition, [Argument("c", kind(), True)] * sums.parameters) is not None
    )


def sums_of(definition: FunctionDefinition) -> Sums | None:
    """The sums of a function, unless its options say that each row goes to Python."""
    options = definition.options
    if definition.func_type != "general" or not options.compile or options.on_error != "fail":
        return None
    return attempted("sums", lambda: read(definition), None)


class _Unlike(Exception):
    """Spark could give another answer than Python."""


@dataclass(frozen=True)
class _Written:
    """An expression in SQL; an integer's bound is on its magnitude, a float has none."""

    sql: str
    bound: int | None


class _Writer:
    def __init__(
        self,
        definition: FunctionDefinition,
        sums: Sums,
        arguments: Sequence[Argument],
        condition: str | None,
    ) -> None:
        self._sums = sums
        self._arguments = arguments
        self._condition = condition
        self._kept = definition.accumulator_type
        declared = definition.input_types or ()
        self._declared = [*declared, *[None] * (len(arguments) - len(declared))]
        for argument, wanted in zip(arguments, self._declared, strict=False):
            if wanted is not None and wanted != argument.type:
                # It is refused, or widened and then a number.
                _column(argument, wanted)

    def written(self) -> tuple[str, str]:
        fields, trouble = [], []
        for number, addition in enumerate(self._sums.additions):
            fields += self._fields(addition, number)
            trouble += self._trouble(addition)
        kept = [f"'{ROWS}', 0L"]
        if trouble:
            # Only of numbers Spark keeps the first in a hash table.
            for argument in self._arguments:
                _column(argument, None)
            where = self._where([_any(trouble)])
            kept = [f"'{ROWS}', count(1){where}"]
            kept += [
                f"'{kept_name(place)}', first(`{argument.name}`){where}"
                for place, argument in enumerate(self._arguments)
            ]
        return f"named_struct({', '.join(fields)})", f"named_struct({', '.join(kept)})"

    def _fields(self, addition: Addition, number: int) -> list[str]:
        amount = self._expression(addition.amount)
        whole = self._domain(addition.slot)
        if not whole and amount.bound is not None:
            amount = _as_float(amount)
        sign = "-" if addition.negative else ""
        used = parameters(addition.amount)
        tests = [
            f"`{self._arguments[place].name}` IS {'' if null else 'NOT '}NULL"
            for place, null in addition.nulls
            if null or place not in used
        ]
        where = self._where(tests)

        def field(part: str, sql: str) -> str:
            return f"'{field_name(part, addition.slot, number)}', {sign}sum({sql}){where}"

        if amount.bound is None:
            return [field(SUM, amount.sql)]
        long = f"CAST({amount.sql} AS BIGINT)"
        if amount.bound <= _SUMMABLE:
            return [field(SUM, long)]
        return [field(HIGH, f"shiftright({long}, 32)"), field(LOW, f"({long} & 4294967295L)")]

    def _domain(self, slot: Slot) -> bool:
        """Whether a slot holds whole numbers, whatever is added to it."""
        amounts = [a.amount for a in self._sums.additions if a.slot == slot]
        whole = {self._expression(amount).bound is not None for amount in amounts}
        fresh = self._sums.fresh[slot]
        if isinstance(fresh, float):
            self._fits(slot, whole=False)
            return False
        if len(whole) > 1:
            # Integers are added exactly until the first float comes, and its place is not known.
            raise _Unlike
        self._fits(slot, whole=True in whole)
        return True in whole

    def _fits(self, slot: Slot, *, whole: bool) -> None:
        """Refuses a slot that its declared type may not hold: that error is not for Spark."""
        if self._kept is None:
            return
        wanted = (LongType, DoubleType) if whole else (DoubleType,)
        if not isinstance(slot_type(self._kept, slot), wanted):
            raise _Unlike

    def _trouble(self, addition: Addition) -> list[str]:
        """Conditions under which Python would raise."""
        known = dict(addition.nulls)
        found = [
            f"`{self._arguments[place].name}` IS NULL"
            for place in sorted(parameters(addition.amount))
            if place not in known and self._arguments[place].nullable
        ]
        if any(known.get(place) for place in parameters(addition.amount)):
            raise _Unlike
        found += [f"{self._expression(d).sql} = 0" for d in divisors(addition.amount)]
        tests = [
            f"`{self._arguments[place].name}` IS {'' if null else 'NOT '}NULL"
            for place, null in addition.nulls
        ]
        if not found or not tests:
            return found
        return [f"{' AND '.join(tests)} AND ({_any(found)})"]

    def _where(self, tests: list[str]) -> str:
        tests = [*([f"`{self._condition}`"] if self._condition else []), *tests]
        return f" FILTER (WHERE {' AND '.join(f'({test})' for test in tests)})" if tests else ""

    def _expression(self, expression: Expression) -> _Written:
        if isinstance(expression, Parameter):
            place = expression.place
            return _column(self._arguments[place], self._declared[place])
        if isinstance(expression, Constant):
            return _constant(expression.value)
        if isinstance(expression, Other):
            raise _Unlike
        operands = [self._expression(operand) for operand in expression.operands]
        if len(operands) == 1:
            return _bounded(f"(-{operands[0].sql})", operands[0].bound)
        left, right = operands
        operator = expression.operator
        if left.bound is None or right.bound is None or operator == "/":
            whole = [each.bound for each in operands if each.bound is not None]
            if operator == "/" and len(whole) == 2 and max(whole) > _EXACT:
                # Python rounds the quotient of the integers, not the integers.
                raise _Unlike
            left, right = _as_float(left), _as_float(right)
            if operator == "/":
                # Spark raises its own error here; the row is counted as one that has to fail.
                right = _Written(f"nullif({right.sql}, 0D)", None)
            return _Written(f"({left.sql} {operator} {right.sql})", None)
        bounds = left.bound, right.bound
        bound = bounds[0] * bounds[1] if operator == "*" else sum(bounds)
        longs = [f"CAST({each.sql} AS BIGINT)" for each in (left, right)]
        return _bounded(f"({longs[0]} {operator} {longs[1]})", bound)


def _column(argument: Argument, declared: DataType | None) -> _Written:
    """A column as the function would get it: widened to its declared type."""
    given = _INTEGERS.get(type(argument.type))
    name = f"`{argument.name}`"
    wanted = type(declared or argument.type)
    if given is not None and wanted in _INTEGERS and given <= _INTEGERS[wanted]:
        return _Written(name, given)
    if wanted in _FLOATS and (given is not None or isinstance(argument.type, _FLOATS)):
        narrow = wanted is FloatType and not isinstance(argument.type, FloatType)
        if not narrow and (given is None or given <= _EXACT):
            return _Written(f"CAST({name} AS DOUBLE)", None)
    raise _Unlike


def _constant(value: int | float) -> _Written:
    if isinstance(value, int):
        return _bounded(f"{value}L", abs(value))
    if value != value or abs(value) == float("inf"):
        raise _Unlike
    return _Written(f"{value!r}D", None)


def _bounded(sql: str, bound: int | None) -> _Written:
    if bound is not None and bound >= 1 << 63:
        raise _Unlike
    return _Written(sql, bound)


def _as_float(value: _Written) -> _Written:
    if value.bound is None:
        return value
    return _Written(f"CAST({value.sql} AS DOUBLE)", None)


def _any(conditions: Sequence[str]) -> str:
    return " OR ".join(f"({condition})" for condition in dict.fromkeys(conditions))
