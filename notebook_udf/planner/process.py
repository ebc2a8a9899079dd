"""Process functions on DataFrames: which of them chain, and the plan of a chain.

A chain is one pass of a worker. Each step is parsed when its function is declared (its
attributes), adjusted here to what stands before it, and used by ``worker.process_pass``.

Semantics: the process function attributes design, "Parsing", "Adjustment" and "Usage Stage".
"""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyspark import cloudpickle
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import DataType, StructField, StructType

from notebook_udf.errors import PlanningError
from notebook_udf.functions.process import Attributes, ProcessTraits
from notebook_udf.functions.row import Row
from notebook_udf.registry import RegisteredFunction
from notebook_udf.types import is_groupable
from notebook_udf.worker.process_layout import ProcessLayout, Step
from notebook_udf.worker.process_pass import ProcessPass
from notebook_udf.worker.records import Shape, passes_unchanged
from notebook_udf.worker.shipment import ship

_KEY = "_nu_key"
_PLACE = "_nu_place"
# On the DataFrame that a chain makes.
_CHAIN = "_nu_chain"


@dataclass(frozen=True)
class Chain:
    """Process functions of one pass.

    Attributes
    ----------
    rows
        What the first of them takes.
    keys
        What those rows are partitioned by; none if they are taken as they lie.
    functions
        The functions, in their order.
    """

    rows: DataFrame
    keys: tuple[Column, ...]
    functions: tuple[RegisteredFunction, ...]


def process(rows: DataFrame, function: RegisteredFunction, keys: Sequence[Column]) -> DataFrame:
    """What a process function makes of rows, in the pass of the functions before it if it can.

    Raises
    ------
    PlanningError
        If the records cannot be what the function expects, the keys cannot be grouped by, or the
        function waits for the end of an input that has none.
    """
    before = vars(rows).get(_CHAIN)
    if isinstance(before, Chain) and not keys and _chains(before.functions[-1], function):
        chain = replace(before, functions=(*before.functions, function))
    else:
        chain = Chain(rows, tuple(keys), (function,))
    made = _planned(chain)
    vars(made)[_CHAIN] = chain
    return made


def _chains(before: RegisteredFunction, function: RegisteredFunction) -> bool:
    """Whether a function can stand behind another in one pass."""
    return (
        passes_unchanged(before.definition.result_type)
        and _is_plain(before)
        and _is_plain(function)
    )


def _is_plain(function: RegisteredFunction) -> bool:
    """Whether it shares a worker's clock and its rows' fate with others: a time-out is one
    function's own, and a quarantined row is one of the plan's."""
    options = function.definition.options
    return options.timeout is None and options.on_error != "quarantine"


def _planned(chain: Chain) -> DataFrame:
    rows = chain.rows
    _check_stream(chain)
    steps = _steps(chain)
    wanted = [F.col(_quoted(name)) for name in steps[0].shape.names]
    names = tuple(map(str, _key_names(chain.keys)))
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
    schema = _schema(chain.functions[-1])
    bounded = not chain.rows.isStreaming
    layout = ProcessLayout(names, steps, tuple(schema.names), _title(chain, steps), bounded=bounded)
    return rows.mapInArrow(ProcessPass.of(layout, _shipments(chain)), schema)


def _shipments(chain: Chain) -> list[Any]:
    found = []
    for function in chain.functions:
        definition = function.definition
        if chain.rows.isStreaming:
            # Its micro-batches are one input, and an instance sees as much of it as its worker.
            options = replace(definition.options, open_scope="query")
            definition = replace(definition, options=options)
        payload = function.payload
        found.append(ship(function.name, function.version, definition, payload, role="process"))
    return found


def _check_stream(chain: Chain) -> None:
    if not chain.rows.isStreaming:
        return
    for function in chain.functions:
        traits = traits_of(function)
        if traits.attributes.no_output_until_end_of_input:
            raise PlanningError(
                f"{function.name} is declared @no_output_until_end_of_input, and the streaming "
                f"DataFrame it is to process has no end: leave the attribute out, or process a "
                f"DataFrame that was read as a batch"
            )
        if chain.keys or traits.states:
            raise PlanningError(
                f"{function.name} has state {'per key' if chain.keys else 'in its worker'}, which "
                f"a streaming DataFrame would lose between its checkpoints: process functions with "
                f"state are for batches so far; on streams use nu.aggregate"
            )


def _check_keys(keys: Sequence[StructField], chain: Chain) -> None:
    for key, column in zip(keys, chain.keys, strict=True):
        if not is_groupable(key.dataType):
            raise PlanningError(
                f"{chain.functions[0].name} cannot be keyed by {_shown(column)}: values of "
                f"{key.dataType.simpleString()} cannot be compared as keys"
            )


def traits_of(function: RegisteredFunction) -> ProcessTraits:
    """What the function is besides its code."""
    return function.definition.process or ProcessTraits()


# Steps -----------------------------------------------------------------------------------------


def _steps(chain: Chain) -> tuple[Step, ...]:
    """The functions' steps, each adjusted to those before it."""
    steps: list[Step] = []
    schema: DataType = chain.rows.schema
    before: Step | None = None
    names = [function.name for function in chain.functions]
    for place, function in enumerate(chain.functions, 1):
        traits = traits_of(function)
        attributes, waits = traits.attributes, False
        if before is not None:
            waits = before.attributes.no_output_until_end_of_input
            attributes = _inherited(attributes, before.attributes)
        before = Step(
            attributes=attributes,
            shape=_shape(function, schema),
            states=traits.states,
            keyed=before is None and bool(chain.keys),
            waits=waits,
            reuses=_reuses(attributes, before),
            place=f"step {place} of the chain {' → '.join(names)}" if len(names) > 1 else "",
        )
        steps.append(before)
        schema = _schema(function)
    return tuple(steps)


def _inherited(own: Attributes, before: Attributes) -> Attributes:
    """Behind a function that gives nothing before the end, nobody does."""
    late = own.no_output_until_end_of_input or before.no_output_until_end_of_input
    return replace(own, no_output_until_end_of_input=late)


def _reuses(own: Attributes, before: Step | None) -> bool:
    """Whether a record may be handed on as it is: neither side keeps it."""
    return before is not None and own.not_cache_record and before.attributes.not_cache_record


def _schema(function: RegisteredFunction) -> StructType:
    """The columns of what a function collects."""
    result = function.definition.result_type
    if isinstance(result, StructType):
        return result
    return StructType([StructField("value", result)])


def _shape(function: RegisteredFunction, schema: Any) -> Shape:
    """What the function's records are, made of columns of a schema.

    Raises
    ------
    PlanningError
        If the class its records are annotated with has a field that is no column.
    """
    names = tuple(schema.names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PlanningError(
            f"{function.name}: two columns of its input are called {twice!r}; rename one"
        )
    record = traits_of(function).record
    fields = _class_fields(record)
    if fields is not None:
        missing = [name for name, needed in fields.items() if needed and name not in names]
        if missing:
            raise PlanningError(
                f"{function.name} takes records of class {record.__name__}, whose field "
                f"{missing[0]!r} is no column of its input; there are {', '.join(names)}"
            )
        taken = [name for name in fields if name in names]
        if list(fields)[: len(taken)] != taken:
            raise PlanningError(
                f"{function.name} takes records of class {record.__name__}, and its fields "
                f"{', '.join(n for n in fields if n not in names)} are no columns of its input; "
                f"give them values, or put them last in the class"
            )
        return Shape(tuple(taken), record=cloudpickle.dumps(record))
    if record is dict or typing.get_origin(record) is dict:
        return Shape(names, record=cloudpickle.dumps(dict))
    is_row = isinstance(record, type) and issubclass(record, Row)
    return Shape(names, plain=len(names) == 1 and not is_row)


def _class_fields(record: Any) -> dict[str, bool] | None:
    """The fields of a dataclass, NamedTuple or TypedDict, and whether each has to be given."""
    if not isinstance(record, type):
        return None
    if dataclasses.is_dataclass(record):
        absent = dataclasses.MISSING
        return {
            f.name: f.default is absent and f.default_factory is absent
            for f in dataclasses.fields(record)
            if f.init
        }
    if issubclass(record, tuple) and hasattr(record, "_fields"):
        defaults = getattr(record, "_field_defaults", {})
        return {name: name not in defaults for name in record._fields}
    if typing.is_typeddict(record):
        required = getattr(record, "__required_keys__", ())
        return {name: name in required for name in record.__annotations__}
    return None


# In words --------------------------------------------------------------------------------------


def _title(chain: Chain, steps: Sequence[Step]) -> str:
    parts = []
    for function, step in zip(chain.functions, steps, strict=True):
        notes = _bought(step)
        parts.append(f"{function.name} [{'; '.join(notes)}]" if notes else function.name)
    return " -> ".join(parts)


def _bought(step: Step) -> list[str]:
    """What the attributes have changed at a step of a chain."""
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


def explain(function: RegisteredFunction) -> str:
    """How a process function runs, and what its attributes buy."""
    traits = traits_of(function)
    lines = [
        f"{function.signature}, version {function.version}",
        "with nu.process: an instance per partition takes its records one after the other; with "
        "key_by rows are shuffled and sorted by key first, and each key has states of its own",
    ]
    if not _is_plain(function):
        lines.append("in a pass of its own, because it has a timeout or quarantines rows")
    elif passes_unchanged(function.definition.result_type):
        lines.append("chains with the process functions before and behind it in one worker pass")
    else:
        lines.append(
            "chains with the process functions before it; one behind it starts another pass, "
            f"because values of {function.definition.result_type.simpleString()} change on the way"
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
    if traits.states:
        shown = ", ".join(f"{s.name} ({s.kind} of {s.type.simpleString()})" for s in traits.states)
        lines.append(f"states: {shown}")
    return "\n".join(lines)


def _key_names(keys: Sequence[Column]) -> list[str]:
    return [_shown(key) for key in keys]


def _shown(column: Column) -> str:
    from notebook_udf.planner.aggregates import column_name

    return column_name(column)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
