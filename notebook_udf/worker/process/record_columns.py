"""Records of process functions: columns as records, and collected records as columns.

A record is what the function's author expects: a value, a row, an object of a class of theirs. A
record that one function of a chain collects and the next takes is what it would be had it been sent
as a column: values that a type holds unchanged are passed on, and all others go through the type's
codec.
"""

from __future__ import annotations

import copy
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
from pyspark.sql.types import (
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DoubleType,
    IntegerType,
    LongType,
    ShortType,
    StringType,
    StructType,
)

from notebook_udf.specs.record_shape import RecordShape, _run, slots_of
from notebook_udf.worker.codec.decode import decoder
from notebook_udf.worker.codec.encode import encoder, taker
from notebook_udf.worker.codec.refusal import Refused

Collect = Callable[[Any], None]

# Values of exactly these classes are unchanged by the type; of whole numbers, within bounds.
_EXACT: dict[type[DataType], str] = {
    BinaryType: "bytes",
    BooleanType: "bool",
    DateType: "date",
    DoubleType: "float",
    StringType: "str",
}
_ONE_DIGIT = 30
_BITS: dict[type[DataType], int] = {ByteType: 7, ShortType: 15, IntegerType: 31, LongType: 63}


def fields_of(data_type: DataType) -> list[DataType]:
    """The types of the columns in which values of a type leave a worker."""
    if isinstance(data_type, StructType):
        return [field.dataType for field in data_type.fields]
    return [data_type]


def passes_unchanged(data_type: DataType) -> bool:
    """Whether each value shows, without a codec, that the type holds it unchanged."""
    return all(type(t) in _EXACT or type(t) in _BITS for t in fields_of(data_type))


def remembering(
    data_type: DataType, given: Any, append: Callable[[Any], None]
) -> Callable[[Any], None]:
    """A function that appends a collected record as it is now: it may be changed afterwards.

    ``given`` is the class of records that the function gets, and mostly collects.
    """
    if not passes_unchanged(data_type):
        return lambda record: append(copy.deepcopy(record))
    if not isinstance(data_type, StructType):
        return append
    names = [field.name for field in data_type.fields]
    takes: dict[type, Callable[[Any], Any]] = {type(None): lambda record: None}

    def remember(record: Any) -> None:
        try:
            take = takes.get(type(record))
            if take is None:
                take = takes[type(record)] = taker(record, names, data_type)
            append(take(record))
        except Refused:
            # Encoding it will say what is wrong with it.
            append(record)

    slots = slots_of(given, names)
    if slots is None:
        return remember
    text = (
        "def known(record):\n"
        "    if type(record) is given:\n"
        f"        append(({', '.join(f'record.{slot}' for slot in slots)},))\n"
        "    else:\n"
        "        remember(record)\n"
    )
    space = {"given": given, "append": append, "remember": remember}
    _run(text, space)
    known: Callable[[Any], None] = space["known"]
    return known


def settled(data_type: DataType) -> Callable[[Any], tuple[Any, ...]]:
    """The columns' values of a record after a round trip through the type's codec.

    Raises
    ------
    BadResult
        By what is returned, if the type cannot hold the record.
    """
    encode = encoder(data_type)

    def settle(record: Any) -> tuple[Any, ...]:
        column = encode([record])
        if not isinstance(data_type, StructType):
            return (decoder(column.type)(column)[0],)
        parts = (column.field(place) for place in range(column.type.num_fields))
        return tuple(decoder(part.type)(part)[0] for part in parts)

    return settle


def edge(
    data_type: DataType,
    shape: RecordShape,
    *,
    given: Any,
    reuses: bool,
    untouched: Sequence[str],
    process: Callable[[Any, Any, Any], Any],
    output: Any,
    ctx: Any,
    call: Any,
    before: Any,
    task: Any,
    failed: Callable[[BaseException, Any], None],
    keys: Sequence[str] = (),
    current: Callable[[Any, Any], None] | None = None,
) -> tuple[Collect, Callable[[], int]]:
    """The edge between two functions of a chain: passes records on, and counts them.

    Written out for the type's columns, because it runs for every record: a copy is made of their
    values unless ``reuses``, which hands on a record that is one of ``shape`` already. ``given``
    is the class of records that the function before gets, and mostly collects, in which it leaves
    the columns ``untouched`` as they were; its call is ``before``, and runs again when this
    returns. ``current`` is handed the key of each record, the values of the columns ``keys``, and
    the record.
    """
    import datetime as dt

    types = fields_of(data_type)
    names = [f"v{place}" for place in range(len(types))]
    is_row = isinstance(data_type, StructType)
    if is_row:
        fields = [field.name for field in data_type.fields]
        nullable = [field.nullable for field in data_type.fields]
    else:
        fields, nullable = [], [True]
    checks = " and ".join(
        _check(name, t, null) for name, t, null in zip(names, types, nullable, strict=True)
    )
    columns = dict(zip(fields, names, strict=True)) if is_row else {}
    wanted = [columns.get(name, "v0") for name in shape.names]
    new = shape.cls()
    made = shape.construction("passed", wanted, "            ")
    first = made
    slots = slots_of(given, fields) if is_row else None
    if reuses and new is not None:
        body = shape.construction("passed", wanted, "                ")
        first = (
            "            if type(record) is same:\n"
            "                passed = record\n"
            f"            else:\n{body}"
        )
    unpack = "        v0 = record\n"
    if is_row:
        branch = "        if True:\n"
        unpack = ""
        if slots is not None:
            parts = ", ".join(f"record.{slot}" for slot in slots)
            unpack = (
                f"        if type(record) is given:\n            {', '.join(names)}, = {parts},\n"
            )
            branch = "        else:\n"
        unpack += (
            f"{branch}"
            "            try:\n"
            "                take = takes.get(type(record)) or learn(record)\n"
            f"                {', '.join(names)}, = take(record)\n"
            "            except Refused:\n"
            f"                {', '.join(names)}, = settle(record)\n"
        )
    keyed = ""
    if keys:
        values = ", ".join(columns.get(name, "v0") for name in keys)
        keyed = f"        current({values if len(keys) == 1 else f'({values})'}, passed)\n"
    remade = (
        f"{unpack}"
        f"        if {checks}:\n"
        f"{first}"
        "        else:\n"
        f"            {', '.join(names)}, = settle(record)\n"
        f"{made}"
        f"{keyed}"
    )
    own = slots_of(new, fields) if reuses and is_row and not keys else None
    if own is not None:
        # What was a record before and is one still.
        tests = [
            _check(f"record.{slot}", t, null)
            for field, slot, t, null in zip(fields, own, types, nullable, strict=True)
            if field not in untouched
        ]
        remade = (
            f"        if {' and '.join(['type(record) is same', *tests])}:\n"
            "            passed = record\n"
            "        else:\n"
            f"{textwrap.indent(remade, '    ')}"
        )
    text = (
        "def make():\n"
        "    count = 0\n"
        "    def collect(record):\n"
        "        nonlocal count\n"
        f"{remade}"
        "        count += 1\n"
        "        task.active = call\n"
        "        try:\n"
        "            process(passed, output, ctx)\n"
        "        except BaseException as error:\n"
        "            failed(error, passed)\n"
        "        task.active = before\n"
        "    def counted():\n"
        "        nonlocal count\n"
        "        done, count = count, 0\n"
        "        return done\n"
        "    return collect, counted\n"
    )
    takes: dict[type, Callable[[Any], Any]] = {}

    def learn(record: Any) -> Callable[[Any], Any]:
        take = takes[type(record)] = taker(record, fields, data_type)
        return take

    space: dict[str, Any] = {
        "Refused": Refused, "before": before, "blank": object.__new__, "call": call, "ctx": ctx,
        "current": current,
        "date": dt.date,
        "failed": failed, "given": given, "learn": learn, "output": output, "process": process,
        "new": shape.maker() if shape.record else new, "same": new, "settle": settled(data_type),
        "takes": takes, "task": task,
    }  # fmt: skip
    _run(text, space)
    found: tuple[Collect, Callable[[], int]] = space["make"]()
    return found


def _check(name: str, data_type: DataType, nullable: bool) -> str:
    """The test that a type holds a value unchanged, as the text of an expression."""
    bits = _BITS.get(type(data_type))
    if bits is None:
        test = f"type({name}) is {_EXACT[type(data_type)]}"
    else:
        test = f"{-(1 << bits)} <= {name} < {1 << bits}"
        if bits > _ONE_DIGIT:
            # Python compares small numbers in a tenth of the time.
            test = f"({-(1 << _ONE_DIGIT)} < {name} < {1 << _ONE_DIGIT} or {test})"
        test = f"type({name}) is int and {test}"
    return f"({test} or {name} is None)" if nullable else f"({test})"


def batch_of(column: pa.Array, data_type: DataType, names: tuple[str, ...]) -> pa.RecordBatch:
    """A column of collected values as a batch of rows."""
    if not isinstance(data_type, StructType):
        return pa.RecordBatch.from_arrays([column], list(names))
    # flatten() and not field(): a NULL in the place of a row is a row of NULLs.
    return pa.RecordBatch.from_arrays(column.flatten(), list(names))
