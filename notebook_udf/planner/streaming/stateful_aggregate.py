"""Plans of aggregate functions on streams: partial accumulators where they merge, then state.

The plan is Spark's ``transformWithState`` over the groups, with
``worker.stream.aggregate_operator`` in it. What that cannot do is refused here, by name.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampType,
)

from notebook_udf.errors import PlanningError
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.row import Row
from notebook_udf.functions.views import ListView, MapView
from notebook_udf.host.sessions import host_of
from notebook_udf.host.streams import KeptGroups
from notebook_udf.planner.physical.aggregate import ColumnCall, partial_rows
from notebook_udf.planner.physical.aggregate import column as column_of
from notebook_udf.planner.physical.udf import spark_function
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.aggregate_layout import ACCUMULATOR, PASSED, AggregateLayout, AggregatePart
from notebook_udf.specs.payload import ship
from notebook_udf.specs.state_layout import StreamLayout
from notebook_udf.types import ddl, is_groupable
from notebook_udf.worker.stream.aggregate_operator import StatePass

TTL_CONF = "udf.state.ttl"
CACHE_CONFS = {
    "cached_keys": "state.cache-size",
    "cached_reads": "map-state.read-cache-size",
    "cached_writes": "map-state.write-cache-size",
}
_CACHED = 1000
_WATERMARK = "spark.watermarkDelayMs"
_IN_SCHEMAS = (
    BinaryType, BooleanType, DateType, DecimalType, DoubleType, FloatType, IntegerType, LongType,
    ShortType, StringType, TimestampType,
)  # fmt: skip
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}


@dataclasses.dataclass(frozen=True)
class StreamCall:
    """A function over columns of the rows, by position."""

    name: str
    record: RegisteredFunction
    part: AggregatePart
    distinct: bool = False


def aggregate(
    rows: DataFrame,
    keys: Sequence[str],
    calls: Sequence[StreamCall],
    *,
    changes: int | None = None,
) -> DataFrame:
    """One row per group that changed: ``_nu_key`` columns, then a ``_nu_value`` column per call.

    Parameters
    ----------
    rows
        A stream whose first columns are the keys.
    keys
        What the keys are called.
    calls
        The functions.
    changes
        Place of the change column.

    Raises
    ------
    PlanningError
        For a function or a key that cannot be kept in a stream's state.
    """
    for call in calls:
        _check(call, changes is not None)
    for field, name in zip(rows.schema.fields, keys, strict=False):
        if not is_groupable(field.dataType):
            raise PlanningError(
                f"a stream cannot be grouped by {name}, a {ddl(field.dataType)}: group by parts "
                f"of it, or by its text"
            )
    shown = list(keys)
    if not keys:
        # One group of all rows: a key that all have.
        rows = rows.select(F.lit(0).alias("all_rows"), "*")
        shown = ["all_rows"]
        calls = [dataclasses.replace(c, part=_moved(c.part)) for c in calls]
        changes = None if changes is None else changes + 1
    # Under these names the state shows the keys.
    names = plain_names(shown)
    rows = rows.toDF(*names, *rows.columns[len(names) :])
    key_fields = rows.schema.fields[: len(shown)]
    event = _event_time(key_fields)
    records = [call.record for call in calls]
    merges = changes is None and all(
        c.record.definition.mergeable and not c.distinct for c in calls
    )
    parts = tuple(call.part for call in calls)
    if merges:
        rows = _partial(rows, AggregateLayout(tuple(shown), 0, parts), records, key_fields)
        parts = tuple(AggregatePart((len(shown) + place,)) for place in range(len(calls)))
    layout = StreamLayout(
        keys=tuple(shown),
        key_types=StructType([StructField(f.name, f.dataType) for f in key_fields]),
        parts=parts,
        merges=merges,
        distinct=tuple(call.distinct for call in calls),
        shapes=_shapes(calls),
        changes=changes,
        event=event,
        ttl=time_to_live(rows, event),
        **cache_sizes(rows),
    )
    shipments = tuple(
        ship(r.name, r.version, r.definition, r.payload, role="partial") for r in records
    )
    out = StructType(
        [
            *(StructField(f.name, f.dataType, f.nullable) for f in key_fields),
            *(StructField(f"_nu_value{i}", r.definition.value_type) for i, r in enumerate(records)),
        ]
    )
    time_mode = "none" if event is None else "eventTime"
    if layout.ttl is not None:
        time_mode = "processingTime"
    found = rows.groupBy(*names).transformWithState(
        StatePass.of(layout, shipments), out, "update", time_mode
    )
    complete = functools.partial(_complete, rows, names, shown, calls, merges, changes)
    host_of(found.sparkSession).streams.remember(
        found, KeptGroups(layout.key_types, layout.variables.types, complete)
    )
    values = [f"_nu_value{place}" for place in range(len(calls))]
    if not keys:
        return found.select(*values)
    return found.toDF(*(f"_nu_key{place}" for place in range(len(keys))), *values)


def _complete(
    rows: DataFrame,
    names: Sequence[str],
    shown: Sequence[str],
    calls: Sequence[StreamCall],
    merges: bool,
    changes: int | None,
) -> DataFrame:
    """All groups so far, by Spark's GROUP BY over the rows that it collects.

    Of functions that all merge the rows are partial accumulators.
    """
    if changes is not None:
        raise PlanningError(
            "outputMode('complete') does not go with change_column: Spark's GROUP BY, which "
            "writes every group after each micro-batch, cannot take rows out again; use 'update'"
        )
    group = F.struct(*(F.col(n).alias(s) for n, s in zip(names, shown, strict=True)))
    columns = []
    for place, call in enumerate(calls):
        function = spark_function(call.record, "merge" if merges else "whole")
        if merges:
            column = function(F.collect_list(f"{ACCUMULATOR}{place}"), group)
        else:
            values = [F.col(rows.columns[i]) for i in call.part.arguments]
            at = call.part.condition
            condition = None if at is None else F.col(rows.columns[at])
            column = column_of(
                function, ColumnCall(call.record, tuple(values), call.distinct, condition)
            )
        columns.append(column.alias(f"_nu_value{place}"))
    return rows.groupBy(*names).agg(*columns)


def _shapes(calls: Sequence[StreamCall]) -> StructType:
    """The type of each call's accumulator, by the function's name if it is called once only."""
    names = [call.record.name for call in calls]
    return struct_of(
        {
            (name if names.count(name) == 1 else f"{name}_{call.name}"): _shape(call)
            for name, call in zip(names, calls, strict=True)
        }
    )


def _shape(call: StreamCall) -> DataType:
    own = shape(call.record.definition)
    if not call.distinct:
        return own
    return struct_of({"accumulator": own, "seen": _map(BinaryType(), LongType())})


def shape(definition: FunctionDefinition) -> DataType:
    """The type of a function's accumulator, as declared, or else inferred from a fresh one.

    Nothing is stored in it: Spark compares it with the one in the checkpoint.
    """
    if definition.accumulator_type is not None:
        return plain(definition.accumulator_type)
    made = definition.fresh_accumulators()
    return BinaryType() if made is None else _shape_of(made[1][0])


def _shape_of(value: Any) -> DataType:
    kinds: dict[type, DataType] = {
        bool: BooleanType(), int: LongType(), float: DoubleType(), str: StringType(),
    }  # fmt: skip
    if type(value) in kinds:
        return kinds[type(value)]
    if isinstance(value, MapView):
        return _map(BinaryType(), BinaryType())
    if isinstance(value, ListView):
        return ArrayType(BinaryType())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        named = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
    elif isinstance(value, dict):
        named = {str(key): part for key, part in value.items()}
    elif isinstance(value, Row):
        named = dict(zip(value.names or map(str, range(len(value))), value, strict=True))
    elif isinstance(value, (list, tuple)):
        named = {str(place): part for place, part in enumerate(value)}
    else:
        return BinaryType()
    return struct_of({name: _shape_of(part) for name, part in named.items()})


def struct_of(parts: Mapping[str, DataType]) -> StructType:
    """A struct with names that are allowed in Avro, in which Spark keeps schemas of state."""
    names = plain_names(list(parts))
    return StructType([StructField(n, t) for n, t in zip(names, parts.values(), strict=True)])


def plain_names(names: Sequence[str]) -> list[str]:
    made: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9_]", "_", name)
        plain = plain if re.match(r"[A-Za-z_]", plain) else f"_{plain}"
        while plain.lower() in map(str.lower, made):
            plain += "_"
        made.append(plain)
    return made


def plain(declared: DataType) -> DataType:
    """A type without views and maps, which Spark's schemas of state do not allow."""
    if isinstance(declared, ArrayType):
        return ArrayType(plain(declared.elementType), declared.containsNull)
    if isinstance(declared, MapType):
        return _map(plain(declared.keyType), plain(declared.valueType))
    if isinstance(declared, StructType):
        return struct_of({f.name: plain(f.dataType) for f in declared.fields})
    return declared if isinstance(declared, _IN_SCHEMAS) else struct_of({ddl(declared): LongType()})


def _map(key: DataType, value: DataType) -> DataType:
    return ArrayType(struct_of({"key": key, "value": value}))


def _check(call: StreamCall, changes: bool) -> None:
    definition = call.record.definition
    if definition.func_type != "general":
        raise PlanningError(
            f"{call.record.name} takes a whole group's columns ({definition.func_type}), and the "
            f"rows of a stream's group are never all there: write it with accumulate"
        )
    if changes and not definition.retractable:
        raise PlanningError(
            f"{call.record.name} has no retract, and rows marked -U or -D have to be taken out "
            f"again: give it a retract, or leave change_column out where rows are only added"
        )


def _event_time(keys: Sequence[StructField]) -> int | None:
    """The position of the key with the event time or its window, if rows have a watermark."""
    return next((place for place, f in enumerate(keys) if _WATERMARK in f.metadata), None)


def _partial(
    rows: DataFrame,
    layout: AggregateLayout,
    records: Sequence[RegisteredFunction],
    keys: Sequence[StructField],
) -> DataFrame:
    """Accumulators of each partition, and the keys with what Spark knows of their time."""
    partial = partial_rows(rows, layout, records).drop(PASSED)
    again = [F.col(f.name).alias(f.name, metadata=f.metadata) for f in keys]
    return partial.select(*again, *(f"{ACCUMULATOR}{i}" for i in range(len(records))))


def _moved(part: AggregatePart) -> AggregatePart:
    condition = None if part.condition is None else part.condition + 1
    return AggregatePart(tuple(place + 1 for place in part.arguments), condition)


def time_to_live(rows: DataFrame, event: int | None) -> int | None:
    given = rows.sparkSession.conf.get(TTL_CONF, None)
    # A group of an event time ends by its watermark.
    if given is None or event is not None:
        return None
    found = re.fullmatch(r"\s*(\d+)\s*(ms|s|m|min|h|d)?\s*", given)
    if found is None or not int(found[1]):
        raise PlanningError(
            f"{TTL_CONF} is {given!r}: it takes a time such as '1h', '30min' or '500ms'"
        )
    return int(found[1]) * _UNITS[found[2] or "ms"]


def cache_sizes(rows: DataFrame) -> dict[str, int]:
    sizes = {}
    for name, conf in CACHE_CONFS.items():
        given = rows.sparkSession.conf.get(conf, str(_CACHED))
        if given is None or not given.strip().isdigit() or not int(given):
            raise PlanningError(f"{conf} is {given!r}: it takes a number of entries, at least 1")
        sizes[name] = int(given)
    return sizes


def columns(
    rows: DataFrame,
    keys: Sequence[Column],
    shown: Sequence[str],
    calls: Mapping[str, Any],
    change_column: str | None,
) -> DataFrame:
    """The plan of ``nu.aggregate``: ``calls`` are calls on columns, by name."""
    inner = [key.alias(f"_nu_key{place}") for place, key in enumerate(keys)]
    found = [
        StreamCall(name, call.record, call.added_to(inner), call.distinct)
        for name, call in calls.items()
    ]
    changes = None
    if change_column is not None:
        changes = len(inner)
        inner.append(F.col(change_column).cast("string").alias("_nu_change"))
    source = rows.select(*(inner or [F.lit(0).alias("_nu_none")]))
    return aggregate(source, shown, found, changes=changes).toDF(*shown, *calls)
