"""The fields of a struct, from any Python object that represents it."""

from __future__ import annotations

import dataclasses
from typing import Any

from notebook_udf.functions.row import Row

UNKNOWN = object()


def fields_of(value: Any, names: tuple[str, ...]) -> list[Any]:
    """An object's values for the fields of these names, ``UNKNOWN`` for each that it lacks.

    Objects whose fields have other names, or none, are read by position.
    """
    if isinstance(value, dict):
        return [value.get(name, UNKNOWN) for name in names]
    if dataclasses.is_dataclass(value):
        return [getattr(value, name, UNKNOWN) for name in names]
    own = value.names if isinstance(value, Row) else getattr(value, "_fields", ())
    if sorted(own) == sorted(names):
        return [value[tuple(own).index(name)] for name in names]
    if isinstance(value, (list, tuple, Row)) and len(value) == len(names):
        return list(value)
    return [UNKNOWN] * len(names)
