"""Aggregates that gather values: Spark collects them, Python gets the lists of each group.

No row is decoded by itself then, no method is called for it, and no accumulator is shuffled. Only
values that are alike for both are left to Spark: of a set those that are equal in Spark where they
are in Python, which numbers with a NaN among them are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from notebook_udf.compile.gathering import read
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.gathering_ir import Gathered, GatheredValues
from notebook_udf.planner.faults import attempted
from notebook_udf.planner.physical.aggregate_filters import filter_clause, null_tests
from notebook_udf.planner.physical.null_marks import mark_of, marked
from notebook_udf.specs.aggregate_layout import AggregatePart
from notebook_udf.specs.slot_fields import GATHERED, field_name

# Those of a set, and those of lists alone.
_EXACT: tuple[type[DataType], ...] = (
    BooleanType, ByteType, ShortType, IntegerType, LongType, DecimalType, StringType, BinaryType,
    DateType, TimestampType, TimestampNTZType,
)  # fmt: skip
_FLOATS = (FloatType, DoubleType)
# Types that hold each of another's values, for a declared parameter.
_WIDER: dict[type[DataType], tuple[type[DataType], ...]] = {
    ByteType: (ShortType, IntegerType, LongType, DoubleType),
    ShortType: (IntegerType, LongType, DoubleType),
    IntegerType: (LongType, DoubleType),
    FloatType: (DoubleType,),
}


@dataclass(frozen=True)
class GatheredList:
    """What Spark gathers for a list or a set of an accumulator.

    Attributes
    ----------
    part
        Where it goes in the accumulator.
    sql
        The call that gathers it.
    of
        The type of its values.
    is_wrapped
        Whether each value is in a struct of its own, as it may be NULL.
    apart
        What gathers the same with its NULLs apart, and tells of these; None where it is not
        wrapped, or no value is there to stand for NULL.
    """

    part: Gathered
    sql: str
    of: DataType
    is_wrapped: bool
    apart: tuple[str, str] | None = None

    @property
    def columns(self) -> tuple[tuple[str, DataType], ...]:
        """The columns that a function in Spark's JVM is given, and their types."""
        if self.apart is not None:
            values, nulls = self.apart
            told = BooleanType() if self.part.distinct else _array(BooleanType())
            return (values, _array(self.of)), (nulls, told)
        inner = StructType([StructField("value", self.of)]) if self.is_wrapped else self.of
        return ((self.sql, _array(inner)),)


def _array(of: DataType) -> ArrayType:
    return ArrayType(of, containsNull=False)


def gathering_of(definition: FunctionDefinition) -> GatheredValues | None:
    """What a function gathers, unless its options say that each row goes to Python."""
    if definition.func_type != "general" or not definition.options.compile:
        return None
    return attempted("gathering", lambda: read(definition), None)


def lists_of(
    definition: FunctionDefinition, part: AggregatePart, schema: StructType
) -> tuple[GatheredList, ...] | None:
    """What a group's accumulator is made of; None if Spark cannot gather it.

    The arguments, and the condition for the rows to take, are at the positions of a part.
    """
    gathering = gathering_of(definition)
    arguments = [schema[place] for place in part.arguments]
    if gathering is None or gathering.parameters > len(arguments):
        return None
    if gathering.parameters < len(arguments) and not gathering.variadic:
        return None
    given = given_arguments(definition, arguments)
    if given is None:
        return None
    if not all(_is_alike(each, given[each.place].dataType) for each in gathering.parts):
        return None
    condition = None if part.condition is None else schema[part.condition].name
    return tuple(_collected(each, given, condition) for each in gathering.parts)


def in_one_struct(lists: Sequence[GatheredList]) -> str:
    """The lists as one column, whose fields say where they go."""
    fields = [
        f"'{field_name(GATHERED, each.part.slot, number)}', {each.sql}"
        for number, each in enumerate(lists)
    ]
    return f"named_struct({', '.join(fields)})"


def given_arguments(
    definition: FunctionDefinition, columns: Sequence[StructField]
) -> list[StructField] | None:
    """Arguments as the function would get them, their names in SQL; None if some are not for
    Spark."""
    declared = definition.input_types or ()
    given = []
    for column, wanted in zip_longest(columns, declared[: len(columns)]):
        found = _given(column, wanted)
        if found is None:
            return None
        given.append(found)
    return given


def _given(column: StructField, wanted: DataType | None) -> StructField | None:
    """An argument as the function would get it, its name in SQL; None if it is not for Spark."""
    value = f"`{column.name}`"
    if wanted is None or wanted == column.dataType:
        return StructField(value, column.dataType, column.nullable)
    if holds(wanted, column.dataType):
        cast = f"CAST({value} AS {wanted.simpleString()})"
        return StructField(cast, wanted, column.nullable)
    # It is refused, or converted otherwise.
    return None


def holds(wider: DataType, kind: DataType) -> bool:
    """Whether a type holds each value of another one."""
    return wider == kind or isinstance(wider, _WIDER.get(type(kind), ()))


def _is_alike(gathered: Gathered, kind: DataType) -> bool:
    if isinstance(kind, StringType):
        # Another collation than the usual one has texts equal that are not.
        return bool(kind == StringType())
    return isinstance(kind, _EXACT if gathered.distinct else (*_EXACT, *_FLOATS))


def _collected(
    gathered: Gathered, given: Sequence[StructField], condition: str | None
) -> GatheredList:
    column = given[gathered.place]
    # By itself a NULL is left out.
    is_wrapped = column.nullable and gathered.may_have_none
    value = f"struct({column.name} AS value)" if is_wrapped else column.name
    # What is put is left out itself where it is NULL.
    tests = null_tests(gathered.nulls, [each.name for each in given], (gathered.place,))
    where = filter_clause(condition, tests)
    sql = f"collect_{'set' if gathered.distinct else 'list'}({value}){where}"
    apart = _apart(gathered, column, where) if is_wrapped else None
    return GatheredList(gathered, sql, column.dataType, is_wrapped, apart)


def _apart(gathered: Gathered, column: StructField, where: str) -> tuple[str, str] | None:
    if gathered.distinct:
        # No row at all has no NULL.
        has_null = f"coalesce(bool_or({column.name} IS NULL){where}, false)"
        return f"collect_set({column.name}){where}", has_null
    mark = mark_of(column.dataType)
    if mark is None:
        return None
    value, is_null = marked(column.name, mark)
    return f"collect_list({value}){where}", f"collect_list({is_null}){where}"
