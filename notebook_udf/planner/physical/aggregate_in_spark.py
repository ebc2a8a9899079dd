"""Aggregates of which Spark does what ``accumulate`` would, and Python is asked for values only."""

from __future__ import annotations

from typing import NamedTuple

from pyspark.sql.types import StructType

from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.planner.physical import aggregate_from_sums, aggregate_gathered
from notebook_udf.specs.aggregate_layout import AggregatePart
from notebook_udf.specs.roles import Role


class InSpark(NamedTuple):
    """What a function is asked for, and the columns of a group in SQL that it is given for it."""

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
        return InSpark("summed", summed)
    gathered = aggregate_gathered.columns_of(definition, part, schema)
    return None if gathered is None else InSpark("gathered", (gathered,))
