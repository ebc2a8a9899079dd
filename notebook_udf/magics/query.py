"""Running the statements of a ``%%sparksql`` cell and fetching the last one's first rows."""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import DataFrame

from notebook_udf.kernel import Session
from notebook_udf.kernel.query_errors import about
from notebook_udf.magics.cell_statements import CellStatement
from notebook_udf.widgets.rows import RowsTable


@dataclass(frozen=True)
class Result:
    """What the last statement led to.

    Attributes
    ----------
    table
        Its first rows, or None for a statement that has no columns (DDL).
    uses_python
        Whether a Python function is in any of the plans.
    """

    frame: DataFrame
    table: RowsTable | None
    uses_python: bool


def run_statements(session: Session, statements: list[CellStatement], limit: int) -> Result:
    """Runs them in order; what Spark raises ends the series."""
    uses_python = False
    for statement in statements:
        frame = session.sql(statement.text, **statement.values)
        uses_python = uses_python or _uses_python(frame)
    if not frame.columns:
        return Result(frame, None, uses_python)
    with about(statement.text):
        return Result(frame, RowsTable.of(frame, limit), uses_python)


def _uses_python(frame: DataFrame) -> bool:
    # The text of the plan, because a node's class says nothing of what a command ran.
    return "EvalPython" in str(frame._jdf.queryExecution().executedPlan().toString())
