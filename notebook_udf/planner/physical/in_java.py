"""Functions as classes that Spark calls in its own JVM: which may be, and for which types."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import zip_longest
from types import FunctionType, MethodType

from pyspark.sql.types import DataType, YearMonthIntervalType

from notebook_udf.compile.java.java_class import JavaClass, check
from notebook_udf.compile.java.java_class import translate as java
from notebook_udf.compile.java.shapes import is_nested
from notebook_udf.compile.java.terms import NotCompiled, TypesMissing
from notebook_udf.functions.base import (
    ScalarFunction,
    TableFunction,
    WithGracefulShutdown,
    implements,
)
from notebook_udf.functions.definition import FunctionDefinition
from notebook_udf.functions.kind_traits import TABLE
from notebook_udf.registry import RegisteredFunction

# Of a function that may be compiled for the JVM.
_MOST_BYTES = 1 << 20
_PLAIN = (int, float, bool, str, type(None), Decimal)


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
    rows = gives_rows(record)
    for reason, stands in (
        ("it is of another kind", not (definition.traits.has_kernels or rows)),
        ("compile=False", not definition.options.compile),
        (f"it is a {definition.func_type} function", definition.func_type != "general"),
        ("it is not deterministic", not definition.deterministic),
        ("rows that raise have to be kept", definition.options.on_error != "fail"),
        ("its time is limited", definition.options.timeout is not None),
        ("its memory is limited", definition.options.memory is not None),
        ("it takes or returns months", needs_casts(definition)),
        # What is unpickled here may be large, and objects may do anything as they are.
        ("it is no plain function", not _is_plain(definition)),
        ("it carries so much data", len(record.payload) > _MOST_BYTES),
    ):
        if stands:
            raise NotCompiled(reason)
    # As it was when it was registered: what it uses may have other values now.
    function = replace(definition, function=pickle.loads(record.payload)).call
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


def gives_rows(record: RegisteredFunction) -> bool:
    """Whether a function has a list of rows in Java, which Spark takes apart."""
    return record.definition.traits == TABLE


def _is_plain(definition: FunctionDefinition) -> bool:
    """Whether it is a function, or a method of an object that is no more than its values."""
    if isinstance(definition.call, FunctionType):
        return True
    owner = definition.function
    return (
        isinstance(definition.call, MethodType)
        and definition.call.__self__ is owner
        and isinstance(owner, (ScalarFunction, TableFunction))
        and not isinstance(owner, WithGracefulShutdown)
        and not any(implements(owner, name) for name in ("open", "close"))
        and type(owner).__reduce_ex__ is object.__reduce_ex__
        and not hasattr(type(owner), "__setstate__")
        and all(type(each) in _PLAIN for each in vars(owner).values())
    )


def needs_casts(definition: FunctionDefinition) -> bool:
    """Whether a function takes or returns months, which no worker does."""
    types = (*(definition.input_types or ()), definition.result_type)
    return any(isinstance(t, YearMonthIntervalType) for t in types)
