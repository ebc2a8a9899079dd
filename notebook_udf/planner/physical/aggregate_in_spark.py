"""Aggregates of which Spark does what ``accumulate`` would; only values are asked for elsewhere.

That is a Python worker, or Spark's own JVM where all that ``get_value`` does has Java.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql.types import DataType, StructField, StructType

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.planner.physical import (
    aggregate_folded,
    aggregate_from_sums,
    aggregate_gathered,
)
from notebook_udf.planner.physical.aggregate_from_sums import SumColumns
from notebook_udf.planner.physical.aggregate_gathered import GatheredList
from notebook_udf.planner.physical.group_value import GroupValue, of_lists, of_sums
from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import AggregatePart
from notebook_udf.specs.roles import Role


@dataclass(frozen=True)
class InSpark:
    """What a function is asked for, and the columns of a group in SQL that it is given for it: the
    sums, or the lists in one."""

    role: Role
    columns: tuple[str, ...]
    made: SumColumns | tuple[GatheredList, ...]


@dataclass(frozen=True)
class GroupCall:
    """The function that gives a group's value, and the types of what it is given."""

    function: GroupValue
    types: tuple[DataType, ...]


@dataclass(frozen=True)
class GroupColumns:
    """What gives a group's value: the name in SQL of a function in Spark's JVM, or ("") the
    function in Python in a role; and the columns of a group in SQL that it is given."""

    name: str
    role: Role
    columns: tuple[str, ...]


def in_spark(
    definition: FunctionDefinition, part: AggregatePart, schema: StructType
) -> InSpark | None:
    """How Spark accumulates for a function whose arguments are at the positions of a part.

    None where its answer could be another than Python's.
    """
    summed = aggregate_from_sums.columns_of(definition, part, schema)
    if summed is not None:
        return InSpark("summed", summed.sql, summed)
    lists = aggregate_gathered.lists_of(definition, part, schema)
    if lists is None:
        return None
    return InSpark("gathered", (aggregate_gathered.in_one_struct(lists),), lists)


def as_declared(record: RegisteredFunction) -> GroupCall | None:
    """What gives a group's value where the arguments are of the declared types; None if these are
    not declared, or Spark does not accumulate."""
    types = record.definition.declared_types
    if not types or len(types) < len(record.definition.parameters):
        return None
    schema = StructType([StructField(f"argument{place}", t) for place, t in enumerate(types)])
    found = in_spark(record.definition, AggregatePart(tuple(range(len(types))), None), schema)
    return None if found is None else _group_call(record, found, ())


def _group_call(
    record: RegisteredFunction, found: InSpark, keys: Sequence[StructField]
) -> GroupCall | None:
    made, types = found.made, list[DataType]()
    if isinstance(made, SumColumns):
        function = of_sums(record, made, has_keys=bool(keys))
        types += made.types
    else:
        function = of_lists(record, made, has_keys=bool(keys))
        types += [kind for each in made for _, kind in each.columns]
    if function is None:
        return None
    return GroupCall(function, (*types, StructType([*keys])) if keys else tuple(types))


def group_columns(
    record: RegisteredFunction,
    part: AggregatePart,
    schema: StructType,
    keys: Sequence[StructField],
    listed: Listed,
) -> GroupColumns | None:
    """What gives a group's value for a function whose arguments are at the positions of a part.

    ``keys`` are the fields of the struct of the group's keys that it is given last, none if there
    is no such struct. None where Spark accumulates nothing for it.
    """
    found = in_spark(record.definition, part, schema)
    if found is None:
        return _folded(record, part, schema, keys, listed)
    call = _group_call(record, found, keys)
    name = None if call is None else listed(call.function, call.types)
    if name is None or isinstance(found.made, SumColumns):
        return GroupColumns(name or "", found.role, found.columns)
    columns = tuple(sql for each in found.made for sql, _ in each.columns)
    return GroupColumns(name, found.role, columns)


def _folded(
    record: RegisteredFunction,
    part: AggregatePart,
    schema: StructType,
    keys: Sequence[StructField],
    listed: Listed,
) -> GroupColumns | None:
    """The same of one whose rows Spark's JVM folds."""
    found = aggregate_folded.folded(record, part, schema, has_keys=bool(keys))
    if found is None:
        return None
    group = found.fold.group
    types = (group, StructType([*keys])) if keys else (group,)
    value = listed(found.value, types)
    fold = None if value is None else listed(found.fold, found.types)
    if value is None or fold is None:
        return None
    folding = f"{fold}({', '.join(found.arguments)}){found.where}"
    return GroupColumns(value, aggregate_folded.ROLE, (folding,))
