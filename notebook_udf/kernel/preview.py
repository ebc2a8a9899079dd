"""Previews: a function's results for a few rows, beside its input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from notebook_udf.errors import PlanningError
from notebook_udf.registry import RegisteredFunction
from notebook_udf.sanitize import backquoted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Trial:
    """Rows with a function's result as their last column. Displays as a table."""

    function: str
    rows: pd.DataFrame

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a pandas DataFrame."""
        return self.rows

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return str(self.rows.to_string(index=False))

    def _repr_html_(self) -> str:
        return str(self.rows.to_html(index=False, escape=True))


def shown(function: str, rows: DataFrame) -> Trial:
    """All rows of a DataFrame, with the values that Spark gives for them."""
    import pandas as pd

    tuples = [tuple(row) for row in rows.collect()]
    return Trial(function, pd.DataFrame(tuples, columns=rows.columns, dtype=object))


def columns_of(names: Sequence[str]) -> list[Column]:
    """Columns by their names, with any characters in them."""
    return [F.col(backquoted(name)) for name in names]


def by_name(record: RegisteredFunction, columns: list[str]) -> list[str] | None:
    """Which columns have the parameters' names; None unless each parameter has one."""
    known = {column.lower(): column for column in columns}
    names = [p.lower() for p in _parameters(record)]
    return [known[name] for name in names] if known.keys() >= set(names) else None


def _parameters(record: RegisteredFunction) -> list[str]:
    return [p for p in record.definition.parameters if not p.startswith("*")]


def matching(record: RegisteredFunction, columns: list[str]) -> list[str]:
    """Which columns are the function's arguments: by name, or by position if there are as many.

    Raises
    ------
    PlanningError
        If they match the parameters neither by name nor by number.
    """
    named = by_name(record, columns)
    if named is not None:
        return named
    parameters = _parameters(record)
    if len(parameters) == len(columns):
        return columns
    raise PlanningError(
        f"{record.name} takes {', '.join(parameters) or 'nothing'} and the rows have "
        f"{', '.join(columns)}: name the columns like the parameters, or select as many"
    )
