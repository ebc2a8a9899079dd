"""Functions as classes that Spark calls in its own JVM: which may be, and for which types."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from inspect import getattr_static
from itertools import zip_longest
from types import FunctionType, MethodType
from typing import Any, Protocol

from pyspark.sql.types import DataType, StructField, StructType, YearMonthIntervalType

from notebook_udf.compile.java.columns.given_records import RecordForm
from notebook_udf.compile.java.columns.shapes import is_nested
from notebook_udf.compile.java.java_class import JavaClass, check, translate_process
from notebook_udf.compile.java.java_class import translate as java
from notebook_udf.compile.java.writing.terms import NotCompiled, TypesMissing
from notebook_udf.functions import by_value
from notebook_udf.functions.base import (
    ScalarFunction,
    TableFunction,
    WithGracefulShutdown,
    implements,
)
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import PROCESS, TABLE
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.record_shape import RecordShape

# Of a function that may be compiled for the JVM.
_MOST_BYTES = 1 << 20
_UNPICKLING = (
    *("__reduce__", "__reduce_ex__", "__getstate__", "__setstate__", "__new__"),
    *("__getnewargs__", "__getnewargs_ex__"),
)
_PLAIN = (int, float, bool, str, type(None), Decimal)


class Listed(Protocol):
    """Which functions give lists of rows in Spark's JVM."""

    def __call__(
        self,
        record: RegisteredFunction,
        types: Sequence[DataType],
        shape: RecordShape | None = None,
    ) -> str | None:
        """The name in SQL of what gives the rows of a table function's call with arguments of these
        types, or what a process function collects for a record of a shape; None if there is none.
        """


def java_class(record: RegisteredFunction, given: Sequence[DataType] = ()) -> JavaClass:
    """The function as a class that Spark calls; that of a table function gives a list of rows.

    ``given`` are the types of a call's arguments; without them it is for as many as are declared.

    Raises
    ------
    NotCompiled
        If it may answer otherwise there than in Python, or not at all.
    TypesMissing
        If the types of its arguments are neither declared nor given.
    """
    definition = record.definition
    rows = definition.traits == TABLE
    if not (definition.traits.has_kernels or rows):
        raise NotCompiled("it is of another kind")
    check_declared(record, is_plain=_is_plain(definition))
    # As it was when it was registered: what it uses may have other values now.
    function = replace(definition, function=by_value.loads(record.payload)).call
    declared = definition.input_types or ()
    # What an array or a row holds is what Python gets of it.
    types = [
        each if t is None or is_nested(t) else t
        for t, each in zip_longest(declared[: len(given)], given)
    ]
    types = types or [*definition.declared_types]
    if len(types) < definition.arity[0] or (definition.parameters and not types):
        count = len(definition.parameters)
        check(function, definition.result_type, count, gives_rows=rows)
        raise TypesMissing("the types of its arguments are not declared, and known of no call yet")
    label = f"{record.name} {record.version} {record.hash}"
    return java(function, types, definition.result_type, label, gives_rows=rows)


@dataclass(frozen=True)
class RecordCall:
    """A call of a process function for records of a shape, made of columns of these types; what it
    collects may be declared where it is called."""

    types: tuple[DataType, ...]
    shape: RecordShape
    result: DataType

    @property
    def form(self) -> RecordForm:
        """What a record is, for the compiler."""
        return RecordForm(self.shape.names, self.shape.cls(by_value.loads))


def process_class(record: RegisteredFunction, given: RecordCall | None = None) -> JavaClass:
    """A process function without keys as a class, which gives the list of what a record has
    collected; raises as ``java_class`` does."""
    definition = record.definition
    traits = definition.process
    if definition.traits != PROCESS or traits is None:
        raise NotCompiled("it is of another kind")
    attributes, owner = traits.attributes, definition.function
    plain = is_plain_object(owner, ("open", "close", "end_input", "uses_states"))
    check_declared(record, is_plain=plain and "process_record" not in vars(owner))
    if attributes.no_output_until_end_of_input or attributes.idempotence:
        raise NotCompiled("what it collects does not leave record by record")
    if given is None:
        raise TypesMissing("its records are known where it is applied")
    instance = by_value.loads(record.payload)
    instance = getattr(instance, "function", instance)
    label = f"{record.name} {record.version} {record.hash}"
    columns, bare = row_type(record), not isinstance(definition.result_type, StructType)
    return translate_process(instance, given.form, given.types, columns, label, bare=bare)


def check_declared(record: RegisteredFunction, *, is_plain: bool) -> None:
    """Raises a ``NotCompiled`` for what is said of a function that no class holds to."""
    definition = record.definition
    for reason, stands in (
        ("compile=False", not definition.options.compile),
        (f"it is a {definition.func_type} function", definition.func_type != "general"),
        ("it is not deterministic", not definition.deterministic),
        ("rows that raise have to be kept", definition.options.on_error != "fail"),
        ("its time is limited", definition.options.timeout is not None),
        ("its memory is limited", definition.options.memory is not None),
        ("it takes or returns months", needs_casts(definition)),
        # What is unpickled here may be large, and objects may do anything as they are.
        ("it is no plain function", not is_plain),
        ("it carries so much data", len(record.payload) > _MOST_BYTES),
    ):
        if stands:
            raise NotCompiled(reason)


def gives_rows(record: RegisteredFunction) -> bool:
    """Whether a function has a list of rows in Java, which Spark takes apart."""
    return record.definition.traits in (TABLE, PROCESS)


def row_type(record: RegisteredFunction) -> StructType:
    """The columns of such rows."""
    result = record.definition.result_type
    if isinstance(result, StructType):
        return result
    return StructType([StructField("value", result)])


def _is_plain(definition: FunctionDefinition) -> bool:
    """Whether it is a function, one whose first arguments are given, or a method of an object that
    is no more than its values."""
    call, owner = definition.call, definition.function
    if isinstance(call, FunctionType):
        return True
    if isinstance(call, partial):
        values = (*call.args, *call.keywords.values())
        return isinstance(call.func, FunctionType) and all(type(v) in _PLAIN for v in values)
    if isinstance(getattr_static(type(call), "__call__", None), FunctionType):
        return hasattr(call, "__dict__") and is_plain_object(call, ())
    return (
        isinstance(definition.call, MethodType)
        and definition.call.__self__ is owner
        and isinstance(owner, (ScalarFunction, TableFunction))
        and is_plain_object(owner, ("open", "close"))
    )


def is_plain_object(owner: Any, methods: Sequence[str]) -> bool:
    """Whether an object is no more than its values, and has none of these methods of its own."""
    own: Any = type(owner)
    return (
        not isinstance(owner, WithGracefulShutdown)
        and not any(implements(owner, name) for name in methods)
        # It is made again here: nothing of its class is to run then.
        and all(getattr(own, name, None) is getattr(object, name, None) for name in _UNPICKLING)
        and all(type(each) in _PLAIN for each in vars(owner).values())
    )


def needs_casts(definition: FunctionDefinition) -> bool:
    """Whether a function takes or returns months, which no worker does."""
    types = (*(definition.input_types or ()), definition.result_type)
    return any(isinstance(t, YearMonthIntervalType) for t in types)
