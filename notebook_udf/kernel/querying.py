"""``session.sql``: a query to Spark, by way of the planner where it calls registered functions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from notebook_udf.kernel.catalog import Catalog
from notebook_udf.planner import promises
from notebook_udf.planner.calls import of_kind
from notebook_udf.planner.scalar_calls import ScalarCalls
from notebook_udf.planner.sql import Planner, mentions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.core import Session


def run_query(session: Session, query: str, args: Mapping[str, Any]) -> DataFrame:
    """The query as a DataFrame; ``args`` are those of ``spark.sql``."""
    from pyspark.logger import PySparkLogger
    from pyspark.sql.sql_formatter import SQLStringFormatter

    aggregates = of_kind(session.functions, "aggregate")
    scalars = of_kind(session.functions, "scalar")
    if not mentions(query, aggregates) and not mentions(query, scalars):
        return session.spark.sql(query, **args)
    untouched = query
    given = dict(args)
    parameters = given.pop("args", None)
    formatter = SQLStringFormatter(session.spark)
    # What the planner tries and Spark refuses is not for the user, whom PySpark would show it.
    logger = PySparkLogger.getLogger("SQLQueryContextLogger")
    silent, logger.disabled = logger.disabled, True
    try:
        if given:
            query = formatter.format(query, **given)
        with Catalog(session.spark, session.planned, parameters) as catalog:
            aggregated = mentions(query, aggregates)
            kept = None
            if mentions(query, scalars):
                calls = ScalarCalls(scalars, catalog, query, aggregates)
                kept = promises.keep(query, calls, aggregates=aggregated)
            if aggregated:
                planner = Planner(query, aggregates, catalog, kept and kept.tree)
                frame = planner.plan()
                session.decisions[frame] = tuple(planner.decisions)
                return frame
            if kept is not None and kept.rows is not None:
                return kept.rows
    finally:
        logger.disabled = silent
        formatter.clear()
    return session.spark.sql(untouched, **args)
