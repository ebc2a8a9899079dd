"""Plans of process functions on streams: of chains with keys, states, or an end to be told of.

The plan is Spark's ``transformWithState`` over the keys, or over the partitions of the rows, with
``worker.stream.process_stream_operator`` in it. Other chains on streams are an operator over each
micro-batch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import BinaryType, DataType, StructField, StructType

from notebook_udf.errors import PlanningError
from notebook_udf.functions.base import WithGracefulShutdown
from notebook_udf.functions.process import ends
from notebook_udf.host.sessions import host_of
from notebook_udf.host.streams import OWN_TIME, KeptGroups
from notebook_udf.planner.analysis.process_records import traits_of
from notebook_udf.planner.streaming.stateful_aggregate import (
    TTL_CONF,
    cache_sizes,
    plain,
    plain_names,
    struct_of,
    time_to_live,
)
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.chain_layout import ProcessLayout, StreamedLayout
from notebook_udf.specs.payload import Shipment
from notebook_udf.worker.stream.process_stream_operator import StreamedPass

# Under this name the state shows partitions, where there are no keys.
_PARTITION = "partition"
_VALUE = "_nu_column"


def refuse_no_end(functions: Iterable[RegisteredFunction]) -> None:
    """Refuses functions that wait for the end of an input that has none.

    Raises
    ------
    PlanningError
        For the first of them.
    """
    for function in functions:
        if traits_of(function).attributes.no_output_until_end_of_input:
            raise PlanningError(
                f"{function.name} is declared @no_output_until_end_of_input, and the streaming "
                f"DataFrame it is to process has no end: leave the attribute out, or process a "
                f"DataFrame that was read as a batch"
            )


def keeps_state(function: RegisteredFunction) -> bool:
    """Whether Spark has to store something for the function between micro-batches."""
    return bool(traits_of(function).states) or ends(function.definition.function)


def streamed(
    rows: DataFrame,
    keys: Sequence[Column],
    wanted: Sequence[Column],
    layout: ProcessLayout,
    shipments: tuple[Shipment, ...],
    functions: Sequence[RegisteredFunction],
    schema: StructType,
) -> DataFrame:
    """The rows that a chain collects from those of a stream.

    Parameters
    ----------
    wanted
        The columns of the first function's records.
    schema
        Of what the last function collects.

    Raises
    ------
    PlanningError
        If keys are to be forgotten after a time, and a function asks for all of them at the end.
    """
    told = any(map(ends, (f.definition.function for f in functions)))
    ttl = time_to_live(rows, None)
    if told and ttl is not None:
        raise PlanningError(
            f"{', '.join(f.name for f in functions if ends(f.definition.function))} has an "
            f"end_input, which is called when the stream is drained, and with {TTL_CONF} Spark "
            f"runs no last micro-batch: unset {TTL_CONF}, or leave end_input out"
        )
    if told or any(isinstance(f.definition.function, WithGracefulShutdown) for f in functions):
        rows = _with_watermark(rows)
    # The number of a partition is the key of what has none.
    given = list(keys) or [F.spark_partition_id()]
    names = plain_names(layout.keys or [_PARTITION])
    columns = [key.alias(name) for key, name in zip(given, names, strict=True)]
    values = [value.alias(f"{_VALUE}{place}") for place, value in enumerate(wanted)]
    keyed = rows.select(*columns, *values)
    remembering = [
        (function, step)
        for function, step in zip(functions, layout.steps, strict=True)
        if keeps_state(function)
    ]
    per_key = [f for f, step in remembering if step.keyed or not keys]
    shared = [f for f, step in remembering if keys and not step.keyed]
    lists = bool(keys) and any(step.keyed and step.ends for step in layout.steps)
    streamed_layout = StreamedLayout(
        chain=layout,
        key_types=StructType(
            [StructField(n, f.dataType) for n, f in zip(names, keyed.schema.fields, strict=False)]
        ),
        shapes=_shapes(per_key, functions[0].name),
        partition=_shapes(shared, "keys") if shared or lists else StructType([]),
        lists=lists,
        ttl=ttl,
        **cache_sizes(rows),
    )
    mode = "none" if ttl is None else "processingTime"
    made = keyed.groupBy(*names).transformWithState(
        StreamedPass.of(streamed_layout, shipments), schema, "update", mode
    )
    kept = KeptGroups(streamed_layout.key_types, streamed_layout.variables.types, _no_groups)
    host_of(made.sparkSession).streams.remember(made, kept)
    return made


def _no_groups() -> DataFrame:
    raise PlanningError(
        "outputMode('complete') would write everything after each micro-batch, and what process "
        "functions collect is no state of theirs: use 'append' or 'update'"
    )


def _with_watermark(rows: DataFrame) -> DataFrame:
    """The rows below a watermark, which stays at 0 and rises when the query is drained: then Spark
    runs a micro-batch without rows, whose commit has what functions do at the end. A query with
    another watermark behind is started without this one. Without such a micro-batch there is
    none."""
    streams = host_of(rows.sparkSession).streams
    if not streams.drains_fully or streams.has_watermark(rows):
        return rows
    timed = rows.withColumn(OWN_TIME, F.timestamp_seconds(F.lit(1)))
    return timed.withWatermark(OWN_TIME, "1 second").drop(OWN_TIME)


def _shapes(functions: Sequence[RegisteredFunction], otherwise: str) -> StructType:
    """The types of functions' states, by the function's name."""
    names = [function.name for function in functions]
    parts: dict[str, DataType] = {
        (name if names.count(name) == 1 else f"{name}_{place}"): _shape(function)
        for place, (name, function) in enumerate(zip(names, functions, strict=True), 1)
    }
    return struct_of(parts or {otherwise: BinaryType()})


def _shape(function: RegisteredFunction) -> DataType:
    states = traits_of(function).states
    if not states:
        return BinaryType()
    return struct_of({f"{each.name}_{each.kind}": plain(each.type) for each in states})
