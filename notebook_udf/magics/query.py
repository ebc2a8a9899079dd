"""Runs the statements of a ``%%sparksql`` cell and fetches the first rows of the last one."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from notebook_udf.kernel import Session
from notebook_udf.kernel.query_errors import about
from notebook_udf.magics.cell_statements import CellStatement
from notebook_udf.widgets.rows import RowsTable


@dataclass(frozen=True)
class Result:
    """The result of the last statement.

    Attributes
    ----------
    table
        Its first rows; None for a statement without columns (DDL).
    uses_python
        Whether a Python function is in any of the plans.
    """

    frame: DataFrame
    table: RowsTable | None
    uses_python: bool


def run_statements(session: Session, statements: list[CellStatement], limit: int) -> Result:
    """Runs the statements in order; an error of Spark's ends the series."""
    uses_python = False
    for statement in statements:
        frame = session.sql(statement.text, **statement.values)
        uses_python = uses_python or session.host.plans.runs_python(frame)
    if not frame.columns:
        return Result(frame, None, uses_python)
    with about(statement.text):
        return Result(frame, RowsTable.of(frame, limit), uses_python)
