"""What Spark is told of a function that runs in its JVM, besides the function's classes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

from pyspark.sql.types import ArrayType, DataType

from notebook_udf.compile.java.columns.shapes import is_nested
from notebook_udf.compile.java.java_class import JavaClass
from notebook_udf.host.java_functions import JavaFunction
from notebook_udf.plan.functions import AS_JAVA
from notebook_udf.planner.physical import in_java
from notebook_udf.planner.physical.group_value import GroupFold, GroupValue
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.record_shape import RecordShape


def java_name(
    record: RegisteredFunction,
    shape: RecordShape | None = None,
    lists: Sequence[DataType] = (),
) -> str:
    """What Java calls a version of a function, for records of a shape, or for lists of types.

    Spark tells calls apart by types that may hold NULL: what a class does whose lists hold none is
    another answer for lists that do.
    """
    known: tuple[Any, ...] = record.identity
    if shape is not None:
        # What is collected may be declared where it is called.
        known = (record.identity, shape, record.definition.result_type)
    if lists:
        known = (known, *lists)
    return f"F{hashlib.sha256(repr(known).encode()).hexdigest()[:16]}"


def lists_among(types: Sequence[DataType]) -> tuple[DataType, ...]:
    """The types of a call for ``java_name``, if it is one of lists and the like."""
    return tuple(types) if any(map(is_nested, types)) else ()


def description(
    record: RegisteredFunction,
    classes: Mapping[int, JavaClass],
    in_python: Any,
    shape: RecordShape | None = None,
    lists: Sequence[DataType] = (),
) -> JavaFunction:
    """The function with its classes by how many arguments a call gives; see ``JavaFunction``."""
    definition = record.definition
    header = {
        "name": record.name,
        "version": record.version,
        "role": record.role if isinstance(record, GroupValue) else definition.traits.name,
        "func_type": "general",
        "notes": [AS_JAVA],
    }
    least, most = definition.arity[0], len(definition.parameters)
    if shape is not None:
        least = most = len(shape.names)
    returned: DataType = definition.result_type
    if in_java.gives_rows(record):
        returned = ArrayType(in_java.row_type(record), containsNull=False)
    return JavaFunction(
        record.name,
        java_name(record, shape, lists),
        header,
        classes,
        [t if is_nested(t) else None for t in definition.declared_types],
        (least, most),
        returned,
        in_python,
        definition.options.self_check,
        record.group if isinstance(record, GroupFold) else None,
    )
