"""The records of a process function: the columns they are made of, and their class."""

from __future__ import annotations

import dataclasses
import typing
from typing import Any

from pyspark.sql.types import StructType

from notebook_udf.annotations import is_typed_dict, optional_keys
from notebook_udf.errors import PlanningError, TypeDeclarationError
from notebook_udf.functions.by_value import dumps
from notebook_udf.functions.hints import shown
from notebook_udf.functions.process import ProcessTraits
from notebook_udf.functions.row import Row
from notebook_udf.registry import RegisteredFunction
from notebook_udf.specs.record_shape import RecordShape
from notebook_udf.types import from_annotation


def traits_of(function: RegisteredFunction) -> ProcessTraits:
    """The traits of a process function: attributes, states and class of records."""
    return function.definition.process or ProcessTraits()


def shape_of(function: str, record: Any, schema: Any, *, bare: bool) -> RecordShape:
    """The shape of a function's records, made of columns and annotated with a class or None.

    ``bare`` says that the one column has bare values that a process function has collected.

    Raises
    ------
    PlanningError
        If the class its records are annotated with has a field that is no column, or they are
        annotated as one value and there are several columns.
    """
    names = tuple(schema.names)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PlanningError(
            f"{function}: two columns of its input are called {twice!r}; rename one"
        )
    fields = _class_fields(record)
    if fields is not None:
        missing = [name for name, needed in fields.items() if needed and name not in names]
        if missing:
            raise PlanningError(
                f"{function} takes records of class {record.__name__}, whose field "
                f"{missing[0]!r} is no column of its input; there are {', '.join(names)}"
            )
        taken = [name for name in fields if name in names]
        if list(fields)[: len(taken)] != taken:
            raise PlanningError(
                f"{function} takes records of class {record.__name__}, and its fields "
                f"{', '.join(n for n in fields if n not in names)} are no columns of its input; "
                f"give them values, or put them last in the class"
            )
        return RecordShape(tuple(taken), record=dumps(record))
    if record is dict or typing.get_origin(record) is dict:
        return RecordShape(names, record=dumps(dict))
    if not _is_value(record):
        is_row = isinstance(record, type) and issubclass(record, Row)
        return RecordShape(names, plain=bare and not is_row)
    if len(names) != 1:
        raise PlanningError(
            f"{function} takes records that are one {shown(record)}, and its input has "
            f"{len(names)} columns ({', '.join(names)}): select one of them, or annotate its "
            f"records with Row"
        )
    return RecordShape(names, plain=True)


def collects_bare_values(function: RegisteredFunction) -> bool:
    """Whether a function collects bare values, and not rows."""
    return not isinstance(function.definition.result_type, StructType)


def _is_value(record: Any) -> bool:
    """Whether records are annotated with the type of one value."""
    if record is None:
        return False
    try:
        return not isinstance(from_annotation(record, what="the record"), StructType)
    except TypeDeclarationError:
        # Row, Any, a class that is no row: nothing is said of a value.
        return False


def _class_fields(record: Any) -> dict[str, bool] | None:
    """The fields of a dataclass, NamedTuple or TypedDict, and whether each is required."""
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
    if is_typed_dict(record):
        optional = optional_keys(record)
        return {name: name not in optional for name in record.__annotations__}
    return None
