"""Whether a rewritten query answers in the form in which Spark was asked first.

Rows are never compared here: that a rule keeps them is the rule's own promise. But a column of
another name, type or nullability shows that something was read otherwise than it was meant.
"""

from __future__ import annotations

from pyspark.sql import DataFrame


def alike(rows: DataFrame, before: DataFrame) -> DataFrame | None:
    """The rows under the names of the first form; None if their types are other ones."""
    wanted, made = before.schema.fields, rows.schema.fields
    if [(f.dataType, f.nullable) for f in wanted] != [(f.dataType, f.nullable) for f in made]:
        return None
    return rows if rows.columns == before.columns else rows.toDF(*before.columns)
