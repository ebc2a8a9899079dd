"""Views and cached tables of a query that calls functions which Spark knows nothing of."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import DataFrame
from sqlglot import exp

from notebook_udf.errors import PlanningError
from notebook_udf.planner.syntax.nodes import CacheTable, CreateView


def create_view(
    tree: CreateView, kind: str, rows_of: Callable[[exp.Expression], DataFrame]
) -> DataFrame:
    """Makes a temporary view; its plan keeps the rows, where its text would lose them.

    ``kind`` names the functions in messages, ``rows_of`` plans the query inside.

    Raises
    ------
    PlanningError
        If the view is to outlive the session.
    """
    name = tree.args["name"]
    if tree.args.get("shared"):
        raise PlanningError(
            f"a global temporary view ({name}) outlives the session, and a Python {kind} "
            f"function does not: CREATE TEMPORARY VIEW"
        )
    if not tree.args.get("temporary"):
        raise PlanningError(
            f"a persistent view ({name}) cannot call a Python {kind} function, which lives "
            f"as long as the session: CREATE TEMPORARY VIEW"
        )
    assert tree.query is not None
    rows = rows_of(tree.query.copy())
    if tree.args.get("columns"):
        rows = rows.toDF(*tree.args["columns"])
    if tree.args.get("replaces"):
        rows.createOrReplaceTempView(_bare(name))
    else:
        rows.createTempView(_bare(name))
    return rows.limit(0).select()


def cache_table(
    tree: CacheTable,
    rows_of: Callable[[exp.Expression], DataFrame],
    run: Callable[[str], DataFrame],
) -> DataFrame:
    """CACHE TABLE of a query: a temporary view that keeps the rows, cached by ``run``."""
    name, options = tree.args["name"], tree.args.get("options") or ""
    assert tree.query is not None
    rows_of(tree.query.copy()).createOrReplaceTempView(_bare(name))
    lazy = "LAZY " if tree.args.get("lazy") else ""
    return run(f"CACHE {lazy}TABLE {name}{options and ' '}{options}")


def _bare(name: str) -> str:
    """A name without its quotes."""
    return name[1:-1].replace("``", "`") if name.startswith("`") else name
