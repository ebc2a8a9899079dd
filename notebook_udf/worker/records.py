"""Records of process functions: columns as records, and what is collected as records again.

A record is what the function's author expects: a value, a row, an object of a class of theirs.
What one function collects and another takes is, between two functions of a chain, what it would
be had it travelled as a column: values that a type holds unchanged are passed on, and all others
go through the type's codec.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import dataclass
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

from notebook_udf.functions.row import record_class
from notebook_udf.worker.decode import decoder
from notebook_udf.worker.encode import encoder, taker
from notebook_udf.worker.refusal import Refused

Collect = Callable[[Any], None]

# Values of exactly these classes are unchanged by the type; of whole numbers, within bounds.
_EXACT: dict[type[DataType], str] = {
    BinaryType: "bytes",
    BooleanType: "bool",
    DateType: "date",
    DoubleType: "float",
    StringType: "str",
}
_BITS: dict[type[DataType], int] = {ByteType: 7, ShortType: 15, IntegerType: 31, LongType: 63}


@dataclass(frozen=True)
class Shape:
    """What a record is.

    Attributes
    ----------
    names
        Of the columns it is made of.
    plain
        Whether it is the value of the one column.
    record
        The pickled class of records; empty for ``Row``.
    """

    names: tuple[str, ...]
    plain: bool = False
    record: bytes = b""

    def maker(self) -> Callable[..., Any]:
        """What makes a record of its values, which are given by position."""
        if not self.record:
            return record_class(self.names)
        cls: Any = pickle.loads(self.record)
        names = self.names
        if issubclass(cls, dict):
            return lambda *values: dict(zip(names, values, strict=True))
        fields = getattr(cls, "__dataclass_fields__", {})
        if any(field.kw_only for field in fields.values()):
            return lambda *values: cls(**dict(zip(names, values, strict=True)))
        constructor: Callable[..., Any] = cls
        return constructor


def fields_of(data_type: DataType) -> list[DataType]:
    """The types of the columns in which values of a type leave a worker."""
    if isinstance(data_type, StructType):
        return [field.dataType for field in data_type.fields]
    return [data_type]


def passes_unchanged(data_type: DataType) -> bool:
    """Whether it can be told of each value, without a codec, that the type holds it unchanged."""
    return all(type(t) in _EXACT or type(t) in _BITS for t in fields_of(data_type))


def snapshot(data_type: DataType) -> Callable[[Any], Any] | None:
    """What a collected record is to be remembered as, because it may be changed afterwards.

    None if values of the type cannot be.
    """
    if not passes_unchanged(data_type):
        return copy.deepcopy
    if not isinstance(data_type, StructType):
        return None
    names = [field.name for field in data_type.fields]
    takes: dict[type, Callable[[Any], Any]] = {type(None): lambda record: None}

    def taken(record: Any) -> Any:
        try:
            take = takes.get(type(record))
            if take is None:
                take = takes[type(record)] = taker(record, names, data_type)
            return take(record)
        except Refused:
            # Encoding it will say what is wrong with it.
            return record

    return taken


def settled(data_type: DataType) -> Callable[[Any], tuple[Any, ...]]:
    """The columns' values of a record as they are behind the type's codec.

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
    shape: Shape,
    *,
    reuses: bool,
    process: Callable[[Any, Any, Any], Any],
    output: Any,
    ctx: Any,
    call: Any,
    task: Any,
    failed: Callable[[BaseException, Any], None],
) -> tuple[Collect, Callable[[], int]]:
    """What hands what one function collects to the next, and what counts it since last asked.

    Written out for the type's columns, because it runs for every record: a copy is made of their
    values unless ``reuses``, which hands on a record that is one of ``shape`` already.
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
    new = None if shape.plain else shape.maker()
    made = "v0" if shape.plain else f"new({', '.join(wanted)})"
    same = isinstance(new, type) and reuses
    passed = f"record if type(record) is new else {made}" if same else made
    if is_row:
        unpack = (
            "        try:\n"
            "            take = takes.get(type(record)) or learn(record)\n"
            f"            {', '.join(names)}, = take(record)\n"
            "        except Refused:\n"
            f"            {', '.join(names)}, = settle(record)\n"
        )
    else:
        unpack = "        v0 = record\n"
    text = (
        "def make():\n"
        "    count = 0\n"
        "    def collect(record):\n"
        "        nonlocal count\n"
        f"{unpack}"
        f"        if {checks}:\n"
        f"            passed = {passed}\n"
        "        else:\n"
        f"            {', '.join(names)}, = settle(record)\n"
        f"            passed = {made}\n"
        "        count += 1\n"
        "        before = task.active\n"
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
        "Refused": Refused, "call": call, "ctx": ctx, "date": dt.date, "failed": failed,
        "learn": learn, "new": new, "output": output, "process": process,
        "settle": settled(data_type), "takes": takes, "task": task,
    }  # fmt: skip
    exec(text, space)
    found: tuple[Collect, Callable[[], int]] = space["make"]()
    return found


def _check(name: str, data_type: DataType, nullable: bool) -> str:
    """The test that a type holds a value unchanged, as an expression."""
    bits = _BITS.get(type(data_type))
    if bits is None:
        test = f"type({name}) is {_EXACT[type(data_type)]}"
    else:
        test = f"type({name}) is int and {-(1 << bits)} <= {name} < {1 << bits}"
    return f"({test} or {name} is None)" if nullable else f"({test})"


def batch_of(column: pa.Array, data_type: DataType, names: tuple[str, ...]) -> pa.RecordBatch:
    """A column of what was collected as rows."""
    if not isinstance(data_type, StructType):
        return pa.RecordBatch.from_arrays([column], list(names))
    # flatten() and not field(): a NULL in the place of a row is a row of NULLs.
    return pa.RecordBatch.from_arrays(column.flatten(), list(names))
