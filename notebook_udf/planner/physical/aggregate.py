"""Aggregate functions as Spark expressions and operators.

Two expressions carry every aggregate. ``whole``: the function over ``collect_list`` of a group's
rows, allowed wherever a built-in aggregate is, in a window as well. ``merge``: the function over
``collect_list`` of accumulators that ``partial_rows`` made of each partition, so that only those
are shuffled. ``two_phase_aggregate`` decides which of them a query gets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    DataType,
    StructField,
    StructType,
)
from pyspark.sql.udf import UserDefinedFunction

from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.host.sessions import columns_of
from notebook_udf.planner.analysis.aggregate_calls import in_places
from notebook_udf.planner.physical.aggregate_from_sums import summable, sums_of
from notebook_udf.planner.physical.aggregate_gathered import gathering_of
from notebook_udf.planner.physical.column_arguments import with_constants
from notebook_udf.planner.planning_context import SortKey
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.specs.aggregate_layout import (
    ACCUMULATOR,
    ACCUMULATOR_FIELD,
    ARGUMENT_FIELD,
    PASSED,
    AggregateLayout,
    AggregatePart,
)
from notebook_udf.specs.payload import ship, travelling_accumulator
from notebook_udf.specs.window_layout import WindowLayout
from notebook_udf.types import ddl
from notebook_udf.worker.aggregate.hash_aggregate import PartialPass
from notebook_udf.worker.aggregate.window import WindowPass


def accumulator_struct(record: RegisteredFunction) -> StructType:
    """The column type of a function's accumulators between workers."""
    inner = travelling_accumulator(record.definition) or BinaryType()
    return StructType([StructField(ACCUMULATOR_FIELD, inner)])


def partial_rows(
    rows: DataFrame, layout: AggregateLayout, records: Sequence[RegisteredFunction]
) -> DataFrame:
    """``rows`` with accumulators of each partition, see ``worker.aggregate.hash_aggregate``.

    Functions without a merge get the rows of a group in one partition, one after the other.
    """
    if layout.sorted:
        keys = rows.columns[: len(layout.keys)]
        rows = _together(rows, keys)
        if keys:
            rows = rows.sortWithinPartitions(*_in_turn(rows, keys))
    shipments = [ship(r.name, r.version, r.definition, r.payload, role="partial") for r in records]
    leading = rows.schema.fields[: len(layout.keys) + layout.passing]
    accumulators = [
        StructField(f"{ACCUMULATOR}{i}", accumulator_struct(record))
        for i, record in enumerate(records)
    ]
    # What passes through is NULL in the rows of accumulators; keys are as they were, with what
    # Spark notes of them: a window of time that lost it has no window_time.
    fields = [
        StructField(f.name, f.dataType, f.nullable or place >= len(layout.keys), f.metadata)
        for place, f in enumerate(leading)
    ]
    fields.append(StructField(PASSED, BooleanType(), True))
    return rows.mapInArrow(PartialPass(layout, shipments), StructType([*fields, *accumulators]))


def _together(rows: DataFrame, keys: Sequence[str]) -> DataFrame:
    """The rows of each group in one partition, in the order in which Spark reads them.

    Spark drops an ORDER BY or a coalesce(1) below a repartition, although it keeps them below its
    own aggregates. It keeps them below a column that depends on where a row is read.
    """
    *others, last = (F.col(backquoted(name)) for name in rows.columns)
    read = F.when(F.spark_partition_id() >= 0, last).otherwise(last)
    field = rows.schema.fields[-1]
    rows = rows.select(*others, read.alias(field.name, metadata=field.metadata))
    return rows.repartition(*keys) if keys else rows.repartition(1)


def _in_turn(rows: DataFrame, keys: Sequence[str]) -> list[Column]:
    """What rows are sorted by so that those with equal keys stay in their order.

    By one column alone Spark sorts by digits, and has each NULL change places with a row that came
    before it.
    """
    columns = [F.col(backquoted(key)) for key in keys]
    alone = len(keys) == 1 and rows.schema[keys[0]].nullable
    return [columns[0].isNotNull(), *columns] if alone else columns


def passed_rows(rows: DataFrame) -> DataFrame:
    """``rows`` marked as those of the query itself, which are no accumulators."""
    return rows.withColumn(PASSED, F.lit(True))


def window_rows(
    rows: DataFrame,
    layout: WindowLayout,
    records: Sequence[RegisteredFunction],
    partition: Sequence[str],
    order: Sequence[SortKey],
) -> DataFrame:
    """``rows``, brought together and sorted by window, with a column of results per function."""
    rows = _together(rows, partition)
    if partition or order:
        rows = rows.sortWithinPartitions(*partition, *map(_direction, order))
    shipments = [ship(r.name, r.version, r.definition, r.payload, role="window") for r in records]
    results = [
        StructField(name, record.definition.value_type)
        for name, record in zip(layout.results, records, strict=True)
    ]
    fields = rows.schema.fields
    return rows.mapInArrow(WindowPass(layout, shipments), StructType([*fields, *results]))


def _direction(key: SortKey) -> Column:
    column = F.col(key.column)
    if key.nulls_first:
        return column.desc_nulls_first() if key.descending else column.asc_nulls_first()
    return column.desc_nulls_last() if key.descending else column.asc_nulls_last()


def argument_struct(arguments: Sequence[Column]) -> Column:
    """The arguments of a call as one struct; never NULL, so that no row is dropped."""
    named = [column.alias(f"{ARGUMENT_FIELD}{i}") for i, column in enumerate(arguments)]
    return F.struct(*(named or [F.lit(0).alias("none")]))


def explain(record: RegisteredFunction) -> str:
    """How calls of the function run, and why."""
    definition = record.definition
    lines = [f"{record.signature}, version {record.version}"]
    others = ""
    if added := summable(definition):
        lines.append(
            f"in session.sql and nu.aggregate, over columns of {_either(added)}: Spark adds up "
            "what accumulate would, and get_value alone is called, for each group, because "
            "it is sums alone (compile=False turns it off)"
        )
        others = ", over columns of other types or of several (session.plan says which was taken)"
    if gathering_of(definition) is not None:
        lines.append(
            "in session.sql and nu.aggregate, over columns of plain values: Spark gathers what "
            "accumulate would, and get_value alone is called, for each group, because accumulate "
            "puts arguments into lists or sets and does nothing else (compile=False turns it off)"
        )
        others = ", over other columns (session.plan says which was taken)"
    if definition.func_type != "general":
        lines.append(f"takes a whole group's columns ({definition.func_type}), collected by Spark")
    elif definition.mergeable:
        lines.append(
            f"in session.sql and nu.aggregate{others}: accumulated partition by partition, "
            "accumulators shuffled and merged, because it has a merge"
        )
    else:
        lines.append(
            f"in session.sql and nu.aggregate{others}: rows shuffled by key and sorted, groups "
            "accumulated one after the other, because it has no merge"
        )
    if definition.func_type == "general":
        lines.append(f"OVER a bounded frame: the frame {_sliding(definition)}")
    lines.append(
        "with DISTINCT, in PIVOT, in correlated subqueries, and as a Column in agg() and over(): "
        "rows collected by Spark, then accumulated"
    )
    if definition.func_type == "general":
        lines.append(_on_streams(definition))
    declared = travelling_accumulator(definition)
    kept = declared.simpleString() if declared is not None else "pickled"
    lines.append(f"accumulators travel as {kept}")
    return "\n".join(lines)


def _either(types: Sequence[DataType]) -> str:
    *first, last = map(ddl, types)
    return f"{', '.join(first)} or {last}" if first else last


def _sliding(definition: FunctionDefinition) -> str:
    if not definition.retractable:
        return "is accumulated again for each row, because it has no retract"
    sums = sums_of(definition)
    if sums is None or sums.removals is None:
        return "slides, because it has a retract"
    return (
        "slides, because it has a retract; over columns of numbers what enters and leaves is "
        "added up at once, in Python's order, because both are sums alone"
    )


def _on_streams(definition: FunctionDefinition) -> str:
    first = "accumulated partition by partition first, because it has a merge; "
    taken = "rows of a change_column can be taken out again, because it has a retract"
    if not definition.retractable:
        taken = "no rows can be taken out again, because it has no retract"
    return (
        "on streams: accumulators are kept in Spark's state, read and written once per key and "
        f"micro-batch; {first if definition.mergeable else ''}{taken}; beside built-ins, in "
        "session windows and in complete mode the rows are what Spark's state keeps"
    )


@dataclass(frozen=True)
class ColumnCall:
    """A call on Columns, remembered on the Column it made."""

    record: RegisteredFunction
    arguments: tuple[Column, ...]
    distinct: bool = False
    condition: Column | None = None
    # Of a table aggregate: those of the columns it emits.
    names: tuple[str, ...] = ()

    def added_to(self, columns: list[Column]) -> AggregatePart:
        """Adds what the call is given to columns; where it then stands among them."""
        start = len(columns)
        given = self.arguments
        if self.condition is not None:
            given = (*given, self.condition.cast("boolean"))
        columns += [value.alias(f"_nu_arg{start + i}") for i, value in enumerate(given)]
        end = start + len(self.arguments)
        return AggregatePart(tuple(range(start, end)), None if self.condition is None else end)


def call_of(value: object) -> ColumnCall | None:
    """The call that a Column is, or None."""
    found = getattr(value, "__dict__", {}).get("_nu_call")
    return found if isinstance(found, ColumnCall) else None


def column(function: UserDefinedFunction, call: ColumnCall, window: Any = None) -> Column:
    """A call as a Column, with methods ``filter``, ``distinct`` and ``over``."""
    rows = argument_struct(call.arguments)
    if call.condition is not None:
        # NULL is what collect_list leaves out.
        rows = F.when(call.condition, rows)
    collected = F.collect_set(rows) if call.distinct else F.collect_list(rows)
    if window is not None:
        collected = collected.over(window)
    name = call.names[0] if len(call.names) == 1 else _shown(call)
    made: Column = function(collected).alias(name)
    # On the instance: Column's own over() would put the window around the outer function.
    vars(made).update(
        _nu_call=call,
        over=lambda window: column(function, call, window),
        filter=lambda condition: column(
            function, replace(call, condition=_condition(call, condition)), window
        ),
        distinct=lambda: column(function, replace(call, distinct=True), window),
    )
    if call.record.definition.gives_rows:
        vars(made)["alias"] = lambda *names: column(function, replace(call, names=names), window)
    return made


def _condition(call: ColumnCall, given: Any) -> Column:
    """The argument of ``filter``, as ``DataFrame.filter`` takes it: a Column or its SQL.

    Raises
    ------
    PlanningError
        If it is neither.
    """
    if isinstance(given, str):
        return F.expr(given)
    if isinstance(given, Column):
        return given
    raise PlanningError(
        f"{_shown(call)}.filter takes a condition as a Column or as SQL text, such as 'x > 2', "
        f"not {given!r}"
    )


def _shown(call: ColumnCall) -> str:
    """The name of a call's column, in the form of Spark's names for built-ins."""
    shown = ", ".join(map(column_name, call.arguments))
    return f"{call.record.name}({'DISTINCT ' if call.distinct else ''}{shown})"


def column_name(value: Column) -> str:
    """The name Spark gives a column; other arguments of a call as text."""
    return columns_of(value).name(value) if isinstance(value, Column) else str(value)


def arguments_of(record: RegisteredFunction, args: Any, kwargs: Any) -> list[Column]:
    """Arguments given by position and by name, in the order of the parameters.

    Raises
    ------
    PlanningError
        If one is no column, no name of one and no constant.
    """
    values = in_places(record, *with_constants(record, args, kwargs))
    return [F.col(value) if isinstance(value, str) else value for value in values]
