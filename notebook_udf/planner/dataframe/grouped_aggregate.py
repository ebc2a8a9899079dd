"""Plans of ``nu.aggregate`` and ``nu.flat_aggregate``: aggregate functions on DataFrames.

Calls that can be aggregated in two phases are, if there are no others. Built-in aggregates and
DISTINCT are Spark's: then all calls share its one GROUP BY over collected rows.
``stateful_aggregate`` plans the groups of streams.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import StructField

from notebook_udf.errors import PlanningError
from notebook_udf.planner.dataframe.built_in_calls import UNDOABLE, undoable
from notebook_udf.planner.physical.aggregate import ColumnCall, call_of, column_name, partial_rows
from notebook_udf.planner.physical.aggregate import column as column_of
from notebook_udf.planner.physical.aggregate_in_spark import group_columns
from notebook_udf.planner.physical.in_java import Listed
from notebook_udf.planner.streaming import stateful_aggregate
from notebook_udf.planner.streaming.session_window import COMPANION, is_session_window
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import ACCUMULATOR, AggregateLayout
from notebook_udf.specs.roles import Role
from notebook_udf.types import is_groupable

Planned = Callable[[RegisteredFunction, Role], Any]


def group_keys(by: Any) -> list[Column]:
    """The columns of ``by``: a name, a Column, or a list of them.

    Raises
    ------
    PlanningError
        If one is neither.
    """
    given = [by] if isinstance(by, (str, Column)) else list(by or ())
    for each in given:
        if not isinstance(each, (str, Column)):
            raise PlanningError(f"by={each!r} is neither a column nor the name of one")
    return [F.col(each) if isinstance(each, str) else each for each in given]


def aggregate(
    rows: DataFrame,
    keys: Sequence[Column],
    calls: Mapping[str, Column],
    planned: Planned,
    listed: Listed,
    change_column: str | None = None,
) -> DataFrame:
    """One row per group: the keys, then a column per call, some in Spark's JVM if ``listed``.

    Raises
    ------
    PlanningError
        If what is asked of a stream, or of a stream's changes, cannot be kept in state.
    """
    ours = _ours(calls)
    if rows.isStreaming:
        if change_column is not None:
            calls = _undoable(rows, calls)
            ours = _ours(calls)
        if _in_state(keys, calls, ours, change_column):
            return stateful_aggregate.columns(rows, keys, _names(rows, keys), ours, change_column)
        return _collected(rows, keys, calls)
    if change_column is not None:
        raise PlanningError(
            "change_column is for streaming DataFrames: of rows that are all there, leave out "
            "those that were taken back"
        )
    if len(ours) == len(calls) and all(map(_suits, ours.values())):
        merged = _merged(rows, keys, list(ours.values()), planned, listed)
        if merged is not None:
            names, columns, partial = merged
            named = [c.alias(name) for name, c in zip(ours, columns, strict=True)]
            return partial.groupBy(*names).agg(*named).toDF(*_names(rows, keys), *ours)
    return _collected(rows, keys, calls)


def _ours(calls: Mapping[str, Column]) -> dict[str, ColumnCall]:
    found = {name: call_of(call) for name, call in calls.items()}
    return {name: call for name, call in found.items() if call is not None}


def _undoable(rows: DataFrame, calls: Mapping[str, Column]) -> dict[str, Column]:
    """The calls, with functions of ours for those built-in ones that can retract."""
    made = {}
    for name, call in calls.items():
        undone = undoable(rows, call) if call_of(call) is None else None
        made[name] = call if undone is None else undone
    return made


def _collected(rows: DataFrame, keys: Sequence[Column], calls: Mapping[str, Column]) -> DataFrame:
    """All calls in one GROUP BY of Spark's, over collected rows; on a stream, in Spark's state."""
    columns = [call.alias(name) for name, call in calls.items()]
    if rows.isStreaming and keys and all(map(is_session_window, map(column_name, keys))):
        beside = F.expr(COMPANION).alias("_nu_companion")
        return rows.groupBy(*keys, beside).agg(*columns).drop("_nu_companion")
    return rows.groupBy(*keys).agg(*columns)


def _in_state(
    keys: Sequence[Column],
    calls: Mapping[str, Column],
    ours: Mapping[str, ColumnCall],
    change_column: str | None,
) -> bool:
    """Whether a stream's groups are aggregated into our own state; otherwise Spark collects rows.

    Raises
    ------
    PlanningError
        If Spark would have to retract rows.
    """
    foreign = [f"{n}={column_name(call)}" for n, call in calls.items() if n not in ours]
    foreign += [
        f"{call.record.name} takes whole columns"
        for call in ours.values()
        if call.record.definition.func_type != "general"
    ]
    # Its borders move with the rows, which only Spark's own operator can follow.
    foreign += ["session_window" for key in keys if is_session_window(column_name(key))]
    if foreign and change_column is not None:
        raise PlanningError(
            f"change_column={change_column!r} does not go with {', '.join(foreign)}: rows cannot "
            f"be taken out of them again. Of Spark's own aggregates {', '.join(UNDOABLE)} can be "
            f"undone, each by itself, over numbers; write another as an aggregate function with "
            f"retract, or aggregate it in a query of its own"
        )
    return not foreign


def flat_aggregate(
    rows: DataFrame,
    keys: Sequence[Column],
    call: ColumnCall,
    names: list[str],
    planned: Planned,
    listed: Listed,
) -> DataFrame:
    """Any number of rows per group: the keys, then the fields of the function's rows."""
    merged = None
    if _suits(call) and not rows.isStreaming:
        merged = _merged(rows, keys, [call], planned, listed)
    if rows.isStreaming:
        groups = stateful_aggregate.columns(
            rows, keys, _names(rows, keys), {"_nu_rows": call}, None
        )
    elif merged is not None:
        grouped, (column,), source = merged
        groups = source.groupBy(*grouped).agg(column.alias("_nu_rows"))
    else:
        made = column_of(planned(call.record, "whole"), call)
        groups = rows.groupBy(*keys).agg(made.alias("_nu_rows"))
    key_names = _names(rows, keys)
    groups = groups.toDF(*(f"_nu_key{i}" for i in range(len(key_names))), "_nu_rows")
    flat = groups.select(*groups.columns[:-1], F.inline("_nu_rows"))
    return flat.toDF(*key_names, *names)


def _suits(call: ColumnCall) -> bool:
    return call.record.definition.func_type == "general" and not call.distinct


def _names(rows: DataFrame, keys: Sequence[Column]) -> list[str]:
    return list(rows.select(*keys).columns) if keys else []


def _merged(
    rows: DataFrame,
    keys: Sequence[Column],
    calls: Sequence[ColumnCall],
    planned: Planned,
    listed: Listed,
) -> tuple[list[str], list[Column], DataFrame] | None:
    """The names of the keys, a column per call, and the rows of accumulators to group."""
    key_names = [f"_nu_key{i}" for i in range(len(keys))]
    inner = [key.alias(name) for key, name in zip(keys, key_names, strict=True)]
    parts = [call.added_to(inner) for call in calls]
    source = rows.select(*(inner or [F.lit(0).alias("_nu_none")]))
    if not all(is_groupable(f.dataType) for f in source.schema.fields[: len(keys)]):
        return None
    shown = _names(rows, keys)
    named = [F.struct(*(F.col(k).alias(s) for k, s in zip(key_names, shown, strict=True)))]
    named = named if keys else []
    records = [call.record for call in calls]
    fields = [StructField(name, source.schema[place].dataType) for place, name in enumerate(shown)]
    made = [
        group_columns(record, part, source.schema, fields, listed)
        for record, part in zip(records, parts, strict=True)
    ]
    if None not in made:
        columns = []
        for record, found in zip(records, made, strict=True):
            assert found is not None
            given = [*map(F.expr, found.columns), *named]
            if found.name:
                columns.append(F.call_function(found.name, *given))
            else:
                columns.append(planned(record, found.role)(*given))
        return key_names, columns, source
    mergeable = all(record.definition.mergeable for record in records)
    layout = AggregateLayout(tuple(shown), 0, tuple(parts), sorted=not mergeable)
    columns = [
        planned(record, "merge")(F.collect_list(f"{ACCUMULATOR}{place}"), *named)
        for place, record in enumerate(records)
    ]
    return key_names, columns, partial_rows(source, layout, records)
