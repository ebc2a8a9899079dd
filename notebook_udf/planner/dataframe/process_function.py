"""Plans of ``nu.process``: which process functions chain, and the plan of a chain.

A chain is one operator. Each step is parsed when its function is declared (its attributes),
adjusted here to the steps before it, and used by ``worker.process.process_operator``.

Semantics: FLIP-466, "Parsing", "Adjustment" and "Usage Stage".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StructField

from notebook_udf.compile.process_acts import acts_of
from notebook_udf.compile.record_retention import fields_set, keeps_no_record
from notebook_udf.errors import PlanningError
from notebook_udf.functions.process import Attributes, ends
from notebook_udf.planner.analysis.process_records import collects_bare_values, shape_of, traits_of
from notebook_udf.planner.physical.aggregate import column_name
from notebook_udf.planner.physical.in_java import Listed, row_type
from notebook_udf.planner.streaming.stateful_process import keeps_state, refuse_no_end, streamed
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted
from notebook_udf.specs.chain_layout import ChainStep, ProcessLayout
from notebook_udf.specs.payload import Shipment, ship
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.types import is_groupable
from notebook_udf.worker.process.process_kernels import plain_records
from notebook_udf.worker.process.process_operator import ProcessPass
from notebook_udf.worker.process.record_columns import passes_unchanged

_KEY = "_nu_key"
_PLACE = "_nu_place"
# On the DataFrame that a chain makes.
_CHAIN = "_nu_chain"


@dataclass(frozen=True)
class StepChain:
    """Process functions in one operator.

    Attributes
    ----------
    rows
        What the first of them takes.
    keys
        What those rows are partitioned by; none if they are taken as they lie.
    functions
        The functions, in their order.
    keyed
        Which of them have states per key.
    """

    rows: DataFrame
    keys: tuple[Column, ...]
    functions: tuple[RegisteredFunction, ...]
    keyed: tuple[bool, ...]


def process(
    rows: DataFrame, function: RegisteredFunction, keys: Sequence[Column], listed: Listed
) -> DataFrame:
    """The rows that a process function collects, in the operator of those before it if possible.

    ``listed`` tells which functions run in Spark's JVM instead, without keys.

    Raises
    ------
    PlanningError
        If the records cannot be what the function expects, the keys cannot be grouped by, or the
        function waits for the end of an input that has none.
    """
    before = vars(rows).get(_CHAIN)
    if isinstance(before, StepChain) and _chains(before, function, keys):
        chain = replace(
            before,
            functions=(*before.functions, function),
            keyed=(*before.keyed, bool(keys)),
        )
    else:
        chain = StepChain(rows, tuple(keys), (function,), (bool(keys),))
    if chain.rows.isStreaming:
        refuse_no_end(chain.functions)
    rest = _behind_java(chain, listed)
    made = _planned(rest) if rest.functions else rest.rows
    vars(made)[_CHAIN] = chain
    return made


def _behind_java(chain: StepChain, listed: Listed) -> StepChain:
    """A chain without its first functions, over what Spark's JVM has collected by them."""
    while chain.functions and not chain.keys and not chain.keyed[0]:
        function, schema, before = chain.functions[0], chain.rows.schema, _collected(chain)
        bare = before is not None and collects_bare_values(before)
        shape = shape_of(function.name, traits_of(function).record, schema, bare=bare)
        name = listed(function, [schema[each].dataType for each in shape.names], shape)
        if name is None:
            return chain
        columns = [F.col(backquoted(each)) for each in shape.names]
        rows = chain.rows.select(F.inline(F.call_function(name, *columns)))
        vars(rows)[_CHAIN] = StepChain(rows, (), (function,), (False,))
        chain = replace(chain, rows=rows, functions=chain.functions[1:], keyed=chain.keyed[1:])
    return chain


def _collected(chain: StepChain) -> RegisteredFunction | None:
    """The function that has collected the rows of a chain, if one has."""
    earlier = vars(chain.rows).get(_CHAIN)
    return earlier.functions[-1] if isinstance(earlier, StepChain) else None


def _chains(before: StepChain, function: RegisteredFunction, keys: Sequence[Column]) -> bool:
    """Whether a function can follow a chain in one operator."""
    last = before.functions[-1]
    return (
        passes_unchanged(last.definition.result_type)
        and is_plain(last)
        and is_plain(function)
        and (not keys or _same_keys(before, keys))
    )


def _same_keys(before: StepChain, keys: Sequence[Column]) -> bool:
    """Whether rows of a chain are partitioned by these keys already: they are columns that all its
    functions take and collect. That a record still has the key it was made of is checked when it
    comes."""
    names = _key_names(keys)
    columns = before.rows.schema
    if names != _key_names(before.keys) or not set(names) <= set(columns.names):
        return False
    if not all(before.keyed) or any(
        traits_of(f).attributes.no_output_until_end_of_input for f in before.functions
    ):
        return False
    collected = row_type(before.functions[-1])
    return all(
        name in collected.names and collected[name].dataType == columns[name].dataType
        for name in names
    )


def is_plain(function: RegisteredFunction) -> bool:
    """Whether a function can share an operator with others: not with a time-out, which is its own,
    nor with a quarantine, which is the plan's."""
    options = function.definition.options
    return options.timeout is None and options.on_error != "quarantine"


def _planned(chain: StepChain) -> DataFrame:
    rows = chain.rows
    steps = _steps(chain)
    wanted = [F.col(backquoted(name)) for name in steps[0].shape.names]
    names = tuple(_key_names(chain.keys))
    schema = row_type(chain.functions[-1])
    bounded = not rows.isStreaming
    layout = ProcessLayout(names, steps, tuple(schema.names), _title(chain, steps), bounded=bounded)
    shipments = _shipments(chain, steps)
    if rows.isStreaming and (names or any(map(keeps_state, chain.functions))):
        _check_keys(rows.select(*chain.keys).schema.fields, chain)
        return streamed(rows, chain.keys, wanted, layout, shipments, chain.functions, schema)
    if chain.keys:
        keys = [key.alias(f"{_KEY}{place}") for place, key in enumerate(chain.keys)]
        keyed = rows.select(*keys, *wanted, F.monotonically_increasing_id().alias(_PLACE))
        _check_keys(keyed.schema.fields[: len(keys)], chain)
        order = keyed.columns[: len(keys)]
        # By place as well, because a shuffle mixes what comes from several partitions.
        sorted_rows = keyed.repartition(*order).sortWithinPartitions(*order, _PLACE)
        rows = sorted_rows.drop(_PLACE)
    elif rows.columns != list(steps[0].shape.names):
        rows = rows.select(*wanted)
    return rows.mapInArrow(ProcessPass(layout, shipments), schema)


def _shipments(chain: StepChain, steps: Sequence[ChainStep]) -> tuple[Shipment, ...]:
    found = []
    for place, (function, step) in enumerate(zip(chain.functions, steps, strict=True)):
        definition = function.definition
        if chain.rows.isStreaming:
            # Its micro-batches are one input, and an instance sees as much of it as its worker.
            options = replace(definition.options, open_scope="query")
            definition = replace(definition, options=options)
        notes = _bought(step)
        if place:
            same = step.keyed and "by the same keys, without another shuffle"
            notes = [same or "in the pass of the function before it", *notes]
        found.append(
            ship(
                function.name,
                function.version,
                definition,
                function.payload,
                role="process",
                notes=tuple(notes),
            )
        )
    return tuple(found)


def _check_keys(keys: Sequence[StructField], chain: StepChain) -> None:
    for key, column in zip(keys, chain.keys, strict=True):
        if not is_groupable(key.dataType):
            raise PlanningError(
                f"{chain.functions[0].name} cannot be keyed by {column_name(column)}: values of "
                f"{key.dataType.simpleString()} cannot be compared as keys"
            )


# Steps -----------------------------------------------------------------------------------------


def _steps(chain: StepChain) -> tuple[ChainStep, ...]:
    """The functions' steps, each adjusted to those before it."""
    steps: list[ChainStep] = []
    schema: DataType = chain.rows.schema
    before: ChainStep | None = None
    kept = lets_go = False
    collected = _collected(chain)
    schema_before: Any = None
    names = [function.name for function in chain.functions]
    for place, function in enumerate(chain.functions, 1):
        traits = traits_of(function)
        attributes, waits = traits.attributes, False
        # Rows are sorted by key: where there is no end to come, a key whose records have passed
        # never comes again. On a stream states are taken from the functions and put back.
        kept = kept or chain.rows.isStreaming or ends(function.definition.function)
        if before is not None:
            waits = before.attributes.no_output_until_end_of_input
            attributes = _inherited(attributes, before.attributes)
        bare = collected is not None and collects_bare_values(collected)
        shape = shape_of(function.name, traits.record, schema, bare=bare)
        given_up, lets_go = lets_go, _keeps_none(function, shape)
        untouched = _untouched(collected, before, schema_before, schema)
        collected, schema_before = function, schema
        before = ChainStep(
            attributes=attributes,
            shape=shape,
            states=traits.states,
            keyed=chain.keyed[place - 1],
            keeps=kept,
            ends=ends(function.definition.function),
            waits=waits,
            # A record may be handed on as it is where neither side keeps it.
            reuses=given_up and lets_go,
            untouched=untouched,
            place=f"step {place} of the chain {' → '.join(names)}" if len(names) > 1 else "",
        )
        steps.append(before)
        schema = row_type(function)
    return tuple(steps)


def _inherited(own: Attributes, before: Attributes) -> Attributes:
    """The attributes of a step behind another: if that one collects nothing before the end of the
    input, neither does this one."""
    late = own.no_output_until_end_of_input or before.no_output_until_end_of_input
    return replace(own, no_output_until_end_of_input=late)


def _untouched(
    before: RegisteredFunction | None, step: ChainStep | None, taken: Any, collected: Any
) -> tuple[str, ...]:
    """The columns whose values the function before, if it can be seen to keep no record, collects
    as it has taken them."""
    if before is None or step is None or not plain_records(step.shape):
        return ()
    instance = before.definition.function
    if not keeps_no_record(instance):
        return ()
    set_by_it = fields_set(instance)
    return tuple(
        name
        for name in collected.names
        if name in taken.names
        and name not in set_by_it
        and taken[name].dataType == collected[name].dataType
        and (collected[name].nullable or not taken[name].nullable)
    )


def _keeps_none(function: RegisteredFunction, shape: RecordShape) -> bool:
    """Whether a function keeps no record: by its attributes, or by its code."""
    said = traits_of(function).attributes.not_cache_record
    return said or (plain_records(shape) and keeps_no_record(function.definition.function))


# In words --------------------------------------------------------------------------------------


def _title(chain: StepChain, steps: Sequence[ChainStep]) -> str:
    parts = []
    for function, step in zip(chain.functions, steps, strict=True):
        notes = _bought(step)
        parts.append(f"{function.name} [{'; '.join(notes)}]" if notes else function.name)
    return " -> ".join(parts)


def _bought(step: ChainStep) -> list[str]:
    """The effects of the attributes on a step of a chain."""
    notes = []
    if step.waits:
        notes.append("opened at the end of the input")
    elif step.attributes.no_output_until_end_of_input:
        notes.append("output at the end of the input")
    if step.attributes.idempotence:
        notes.append(f"last output per {'key' if step.keyed else 'bundle'}")
    if step.reuses:
        notes.append("records reused")
    return notes


def explain(function: RegisteredFunction, *in_java: str) -> str:
    """How a process function runs, and the effects of its attributes; ``in_java`` says how, or why
    not, in Spark's JVM."""
    traits = traits_of(function)
    lines = [
        f"{function.signature}, version {function.version}",
        "with nu.process: an instance per partition takes its records one after the other; with "
        "key_by rows are shuffled and sorted by key first, and each key has states of its own; "
        "one behind it with the same keys needs no other shuffle",
        *in_java,
    ]
    if traits.attributes.no_output_until_end_of_input:
        lines.append("not on streams, whose input has no end")
    elif keeps_state(function):
        lines.append("on streams by transformWithState, its states in the query's checkpoint")
    else:
        lines.append("on streams a pass over each micro-batch; with key_by by transformWithState")
    if not is_plain(function):
        lines.append("in a pass of its own, because it has a time-out or quarantines rows")
    elif passes_unchanged(function.definition.result_type):
        lines.append("chains with the process functions before and behind it in one worker pass")
    else:
        lines.append(
            "chains with the process functions before it; one behind it starts another pass, "
            f"because values of {function.definition.result_type.simpleString()} change on the way"
        )
    if function.definition.options.vectorise and acts_of(function.definition.function):
        lines.append(
            "bundles run as checked Arrow kernels where all functions of the chain do, and record "
            "by record where a NULL or the like could make a difference"
        )
    attributes = traits.attributes
    if attributes.no_output_until_end_of_input:
        lines.append(
            "@no_output_until_end_of_input: the functions behind it in a chain are opened only "
            "when its input has ended"
        )
    if attributes.idempotence:
        lines.append(
            "@idempotence: of a key's outputs in a bundle only the last goes on (without key_by: "
            "of the bundle's)"
        )
    if attributes.not_cache_record:
        lines.append(
            "@not_cache_record: between it and another such function of a chain records are "
            "handed on without a copy"
        )
    elif keeps_no_record(function.definition.function):
        lines.append(
            "its code shows that it keeps no record: between it and another such function of a "
            "chain records are handed on as they are"
        )
    if traits.states:
        shown = ", ".join(f"{s.name} ({s.kind} of {s.type.simpleString()})" for s in traits.states)
        lines.append(f"states: {shown}")
    return "\n".join(lines)


def _key_names(keys: Sequence[Column]) -> list[str]:
    return [column_name(key) for key in keys]
