"""Batches, groups and columns as short texts: their shape and their first values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from notebook_udf.render.format import counted

_VALUES = 5
_COLUMNS = 8
_LIBRARIES = ("pandas", "pyarrow")


def column_text(value: Any, text: Callable[[Any], str]) -> str:
    """What a batch or a column of pandas or pyarrow is; "" for anything else.

    ``text`` gives that of a list of values.
    """
    own = type(value)
    if own.__module__.partition(".")[0] not in _LIBRARIES:
        return ""
    names = _names(value)
    if names is None:
        if not hasattr(value, "__len__"):
            return ""
        kind = getattr(value, "dtype", None) or getattr(value, "type", None)
        return f"{own.__name__} of {len(value):,} {kind}: {_start(value, text)}"
    columns = [
        f"{name} = {_start(_column(value, at), text)}" for at, name in enumerate(names[:_COLUMNS])
    ]
    if len(names) > _COLUMNS:
        columns.append(f"{len(names) - _COLUMNS:,} columns more")
    return f"{own.__name__} of {counted(len(value), 'row')}: {', '.join(columns)}"


def _names(value: Any) -> list[str] | None:
    if hasattr(value, "columns") and hasattr(value, "iloc"):
        return [str(name) for name in value.columns]
    if hasattr(value, "schema") and hasattr(value, "column"):
        return [str(name) for name in value.schema.names]
    return None


def _column(value: Any, at: int) -> Any:
    return value.iloc[:, at] if hasattr(value, "iloc") else value.column(at)


def _start(column: Any, text: Callable[[Any], str]) -> str:
    shown = text(_first(column))
    return f"{shown[:-1]}, …]" if len(column) > _VALUES else shown


def _first(column: Any) -> list[Any]:
    """The first values of a column, as Python's."""
    if hasattr(column, "iloc"):
        values: list[Any] = column.iloc[:_VALUES].tolist()
    else:
        values = column[:_VALUES].to_pylist() if hasattr(column, "slice") else list(column)
    return values[:_VALUES]
