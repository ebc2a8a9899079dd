"""Views and cached tables of a query that calls functions which Spark knows nothing of."""

from __future__ import annotations

import re
from collections.abc import Callable

from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError


def create_view(
    tree: exp.Create, query: str, kind: str, rows_of: Callable[[exp.Expression], DataFrame]
) -> DataFrame:
    """Makes a temporary view; its plan keeps the rows, where its text would lose them.

    ``kind`` names the functions in messages, ``rows_of`` plans the query inside.

    Raises
    ------
    PlanningError
        If the view is to outlive the session.
    """
    properties = tree.args.get("properties")
    temporary = properties is not None and properties.find(exp.TemporaryProperty) is not None
    target = tree.this
    name = target.sql("spark")
    if tree.args.get("global_") or re.search(r"(?i)\bGLOBAL\s+TEMP", query):
        raise PlanningError(
            f"a global temporary view ({name}) outlives the session, and a Python {kind} "
            f"function does not: CREATE TEMPORARY VIEW"
        )
    if not temporary:
        raise PlanningError(
            f"a persistent view ({name}) cannot call a Python {kind} function, which lives "
            f"as long as the session: CREATE TEMPORARY VIEW"
        )
    rows = rows_of(tree.expression)
    if isinstance(target, exp.Schema):
        rows = rows.toDF(*(column.name for column in target.expressions))
        target = target.this
    if tree.args.get("replace"):
        rows.createOrReplaceTempView(target.name)
    else:
        rows.createTempView(target.name)
    return rows.limit(0).select()


def cache_table(
    tree: exp.Cache,
    rows_of: Callable[[exp.Expression], DataFrame],
    run: Callable[[str], DataFrame],
) -> DataFrame:
    """CACHE TABLE of a query: a temporary view that keeps the rows, cached by ``run``."""
    name = tree.this.sql("spark")
    rows_of(tree.expression).createOrReplaceTempView(tree.this.name)
    return run(f"CACHE {'LAZY ' if tree.args.get('lazy') else ''}TABLE {name}")
