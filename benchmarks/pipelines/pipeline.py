"""What is known of one pipeline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Pipeline:
    """A file of rows, functions of them, and a query.

    Parameters
    ----------
    name
        What it does.
    rows
        How many rows the file has.
    columns
        Each column's name, and an SQL expression over ``id`` for it.
    form
        The file's format, as Spark calls it.
    functions
        What somebody would hand to Spark's ``udf``, with the type of its result in DDL.
    query
        SQL over ``{table}`` in which ``{f}`` stands before the name of each function.
    """

    name: str
    rows: int
    columns: dict[str, str]
    form: str
    functions: tuple[tuple[Callable[..., Any], str], ...]
    query: str
