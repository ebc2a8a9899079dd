"""Aggregates that are sums: Spark computes the sums, Python one value per group.

Where ``sums`` can read what a row adds, and with the columns' types Spark's arithmetic has the
answer that Python's has, the rows never leave the JVM. A row on which ``accumulate`` would raise is
counted and kept, one per group, and given to it after all: the error is the user's own. Sums
of floats are rounded in the order in which Spark adds them up, as those of merged accumulators are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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
    ComparisonTest,
    Constant,
    Expression,
    Guard,
    Other,
    Parameter,
    Risk,
    Slot,
    Sums,
    Test,
    TruthTest,
    divisor,
    parameters,
    slot_type,
    without_none,
)
from notebook_udf.planner.faults import attempted
from notebook_udf.planner.physical.aggregate_filters import filter_clause, null_tests
from notebook_udf.specs.aggregate_layout import AggregatePart
from notebook_udf.specs.slot_fields import (
    LIMB_BITS,
    LIMBS,
    ROWS,
    SUM,
    field_name,
    kept_name,
)

_INTEGERS: dict[type[DataType], int] = {
    ByteType: 1 << 7, ShortType: 1 << 15, IntegerType: 1 << 31, LongType: 1 << 63,
}  # fmt: skip
_FLOATS = (FloatType, DoubleType)
NUMBERS: tuple[type[DataType], ...] = (*_INTEGERS, *_FLOATS)

# Below this an integer is a double exactly, and a sum of any number of rows fits 64 bits.
_EXACT = 1 << 53
_SUMMABLE = 1 << 31
# What 64 bits hold, and what the widest decimal does.
_LONG = 1 << 63
_DECIMAL = 10**38
# Rows whose arguments have fewer bits than this go through decimals with the others.
_FEWEST_BITS = 16


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


@dataclass(frozen=True)
class SumColumns:
    """What Spark computes for a group: its sums, and the row on which the function has to raise.

    Attributes
    ----------
    sql
        The two as structs in SQL.
    types
        Theirs.
    """

    sql: tuple[str, str]
    types: tuple[StructType, StructType]


def columns_of(
    definition: FunctionDefinition, part: AggregatePart, schema: StructType
) -> SumColumns | None:
    """``columns`` for a function whose arguments are at the positions of a part."""
    arguments = [Argument.of(schema[place]) for place in part.arguments]
    condition = None if part.condition is None else schema[part.condition].name
    return columns(definition, arguments, condition)


def columns(
    definition: FunctionDefinition, arguments: Sequence[Argument], condition: str | None = None
) -> SumColumns | None:
    """The sums of a group, and its row on which the function has to raise.

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
    SumColumns or None
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


class _Field(NamedTuple):
    """A field of a struct: its name, its value in SQL, its type."""

    name: str
    sql: str
    type: DataType


def _struct(fields: Sequence[_Field]) -> str:
    values = ", ".join(f"'{each.name}', {each.sql}" for each in fields)
    return f"named_struct({values})"


def _type(fields: Sequence[_Field]) -> StructType:
    return StructType([StructField(each.name, each.type) for each in fields])


@dataclass(frozen=True)
class _Written:
    """An expression in SQL; an integer's bound is on its magnitude, a float has none.

    It is a BIGINT, or narrower, if its bound is; a DECIMAL otherwise.
    """

    sql: str
    bound: int | None

    @property
    def wide(self) -> bool:
        """Whether it may be more than 64 bits hold."""
        return self.bound is not None and self.bound > _LONG


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
        # How large arguments are where nothing of them is wide.
        self._limit: int | None = None
        declared = definition.input_types or ()
        self._declared = [*declared, *[None] * (len(arguments) - len(declared))]
        for argument, wanted in zip(arguments, self._declared, strict=False):
            if wanted is not None and wanted != argument.type:
                # It is refused, or widened and then a number.
                _column(argument, wanted)

    def written(self) -> SumColumns:
        fields: list[_Field] = []
        trouble: list[str] = []
        for number, addition in enumerate(self._sums.additions):
            fields += self._fields(addition, number)
        for risk in self._sums.risks:
            trouble += self._trouble(risk)
        kept = [_Field(ROWS, "0L", LongType())]
        if trouble:
            # Only of numbers Spark keeps the first in a hash table.
            for argument in self._arguments:
                _column(argument, None)
            where = filter_clause(self._condition, [_any(trouble)])
            kept = [_Field(ROWS, f"count(1){where}", LongType())]
            kept += [
                _Field(kept_name(place), f"first(`{argument.name}`){where}", argument.type)
                for place, argument in enumerate(self._arguments)
            ]
        return SumColumns((_struct(fields), _struct(kept)), (_type(fields), _type(kept)))

    def _fields(self, addition: Addition, number: int) -> list[_Field]:
        amount = self._expression(addition.amount)
        whole = self._domain(addition.slot)
        sign = "-" if addition.negative else ""
        tests = self._tests(addition.guard, parameters(addition.amount))

        def field(part: str, sql: str, *more: str) -> _Field:
            where = filter_clause(self._condition, [*tests, *more])
            name = field_name(part, addition.slot, number)
            return _Field(name, f"{sign}sum({sql}){where}", LongType() if whole else DoubleType())

        if amount.wide:
            narrow, fits = self._narrowed(addition.amount)
            if not whole:
                sql = f"CASE WHEN {fits} THEN {_as_float(narrow)} ELSE {_as_float(amount)} END"
                return [field(SUM, sql)]
            return self._limbs(field, amount, narrow, fits)
        if amount.bound is None:
            return [field(SUM, amount.sql)]
        if not whole:
            return [field(SUM, _as_float(amount))]
        long = f"CAST({amount.sql} AS BIGINT)"
        if amount.bound <= _SUMMABLE:
            return [field(SUM, long)]
        return [field(part, sql) for part, sql in zip(LIMBS, _limbs_of_long(long), strict=False)]

    def _limbs(
        self, field: Callable[..., _Field], amount: _Written, narrow: _Written, fits: str
    ) -> list[_Field]:
        """The sums of the limbs of what may be wider than 64 bits, each of 64 bits itself: Spark
        adds up decimals so slowly that those of no row are seen in the time of all."""
        low, high = _limbs_of_long(f"({narrow.sql})")
        base, wide = 1 << LIMB_BITS, amount.sql
        # Spark computes what several sums share before it looks at their filters.
        beyond = [f"{wide} DIV {base**2}BD % {base}L", f"{wide} DIV {base**3}BD"]
        return [
            field(LIMBS[0], f"IF({fits}, {low}, CAST({wide} % {base}BD AS BIGINT))"),
            field(LIMBS[1], f"IF({fits}, {high}, {wide} % {base**2}BD DIV {base}BD)"),
            *(
                field(part, f"IF({fits}, NULL, {sql})", f"NOT ({fits})")
                for part, sql in zip(LIMBS[2:], beyond, strict=True)
            ),
        ]

    def _narrowed(self, amount: Expression) -> tuple[_Written, str]:
        """A wide expression in 64 bits, and a condition on its arguments under which it fits."""
        for bits in range(62, _FEWEST_BITS, -1):
            self._limit = 1 << bits
            found = self._expression(amount)
            if not found.wide:
                limit, self._limit = self._limit, None
                places = sorted(parameters(amount))
                large = [p for p in places if (self._expression(Parameter(p)).bound or 0) > limit]
                tests = [
                    f"`{self._arguments[place].name}` BETWEEN -{limit}L AND {limit}L"
                    for place in large
                ]
                return found, " AND ".join(tests)
        self._limit = None
        raise _Unlike

    def _domain(self, slot: Slot) -> bool:
        """Whether a slot holds whole numbers, whatever is added to it."""
        amounts = [a.amount for a in self._sums.additions if a.slot == slot]
        whole = {self._expression(amount).bound is not None for amount in amounts}
        fresh = self._sums.fresh[slot]
        if isinstance(fresh, float):
            if math.copysign(1, fresh) < 0 and not fresh:
                # Spark's sums begin with 0.0, and -0.0 is no more when that is added.
                raise _Unlike
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

    def _trouble(self, risk: Risk) -> list[str]:
        """Conditions under which Python would raise."""
        known = dict(risk.guard.nulls)
        needed = sorted(set(without_none(risk)))
        if any(known.get(place) for place in needed):
            raise _Unlike
        found = [
            f"`{self._arguments[place].name}` IS NULL"
            for place in needed
            if place not in known and self._arguments[place].nullable
        ]
        by = divisor(risk)
        if by is not None:
            found.append(f"{self._expression(by).sql} = 0")
        tests = self._tests(risk.guard)
        if not found or not tests:
            return found
        return [f"{' AND '.join(tests)} AND ({_any(found)})"]

    def _tests(self, guard: Guard, summed: Collection[int] = ()) -> list[str]:
        """The conditions of a guard; sums leave NULLs of the ``summed`` arguments out anyhow."""
        values = [f"`{argument.name}`" for argument in self._arguments]
        nulls = null_tests(guard.nulls, values, summed)
        return nulls + [self._test(test, holds) for test, holds in guard.tests]

    def _test(self, test: Test, holds: bool) -> str:
        if isinstance(test, TruthTest):
            column = _column(self._arguments[test.place], self._declared[test.place]).sql
            sql = f"({column} IS NOT NULL AND {column} <> 0)"
        else:
            sql = self._comparison(test)
        return sql if holds else f"(NOT {sql})"

    def _comparison(self, test: ComparisonTest) -> str:
        left, right = self._expression(test.left), self._expression(test.right)
        floats = [each for each in (left, right) if each.bound is None]
        if floats and any((each.bound or 0) > _EXACT for each in (left, right)):
            # Python compares a whole number with a float exactly.
            raise _Unlike
        # To Python a NaN is neither less nor greater than any number, nor equal to itself.
        numbers = [f"NOT isnan({each.sql})" for each in floats]
        operator = {"==": "<=>", "!=": "<=>"}.get(test.operator, test.operator)
        sql = " AND ".join([f"{left.sql} {operator} {right.sql}", *numbers])
        return f"(NOT ({sql}))" if test.operator == "!=" else f"({sql})"

    def _expression(self, expression: Expression) -> _Written:
        if isinstance(expression, Parameter):
            place = expression.place
            column = _column(self._arguments[place], self._declared[place])
            if self._limit is None or column.bound is None:
                return column
            return replace(column, bound=min(column.bound, self._limit))
        if isinstance(expression, Constant):
            return _constant(expression.value)
        if isinstance(expression, Other):
            raise _Unlike
        operands = [self._expression(operand) for operand in expression.operands]
        if len(operands) == 1:
            (operand,) = operands
            if operand.bound is None:
                return _Written(f"(-{operand.sql})", None)
            return _whole("-", operands, operand.bound)
        left, right = operands
        operator = expression.operator
        if left.bound is None or right.bound is None or operator == "/":
            whole = [each.bound for each in operands if each.bound is not None]
            if operator == "/" and len(whole) == 2 and max(whole) > _EXACT:
                # Python rounds the quotient of the integers, not the integers.
                raise _Unlike
            dividend, by = _as_float(left), _as_float(right)
            if operator == "/":
                # Spark raises its own error here; the row is counted as one that has to fail.
                by = f"nullif({by}, 0D)"
            return _Written(f"({dividend} {operator} {by})", None)
        bounds = left.bound, right.bound
        bound = bounds[0] * bounds[1] if operator == "*" else sum(bounds)
        return _whole(operator, operands, bound)


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
        if abs(value) >= _LONG:
            raise _Unlike
        return _Written(f"{value}L", abs(value))
    if value != value or abs(value) == float("inf"):
        raise _Unlike
    return _Written(f"{value!r}D", None)


def _whole(operator: str, operands: Sequence[_Written], bound: int) -> _Written:
    """An operation on whole numbers, in the narrower of the types that hold the result."""
    if bound >= _DECIMAL:
        raise _Unlike
    # -(1 << 63) is a BIGINT, and its negation is none.
    kind = "BIGINT" if bound < _LONG else "DECIMAL(38, 0)"
    cast = [f"CAST({each.sql} AS {kind})" for each in operands]
    sql = f" {operator} ".join(cast) if len(cast) > 1 else f"{operator}{cast[0]}"
    return _Written(f"({sql})", max(bound, _LONG + 1) if bound >= _LONG else bound)


def _limbs_of_long(sql: str) -> tuple[str, str]:
    """The lower limb of a whole number of 64 bits, which is not negative, and the upper one."""
    mask = (1 << LIMB_BITS) - 1
    return f"({sql} & {mask}L)", f"shiftright({sql}, {LIMB_BITS})"


def _as_float(value: _Written) -> str:
    """Rounded to the nearest double, as Python does."""
    return value.sql if value.bound is None else f"CAST({value.sql} AS DOUBLE)"


def _any(conditions: Sequence[str]) -> str:
    return " OR ".join(f"({condition})" for condition in dict.fromkeys(conditions))
