"""The rows that a person names: a DataFrame, a table, or the text of a query."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from notebook_udf.errors import PlanningError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from notebook_udf.kernel.core import Session

_TABLE = re.compile(r"\s*[\w`]+(\.[\w`]+)*\s*")


def frame_of(session: Session, query: Any) -> DataFrame:
    """A DataFrame as it is, a table by its name, a query by its text.

    Raises
    ------
    PlanningError
        If it is none of these, or Spark cannot make sense of it.
    """
    from pyspark.errors import AnalysisException
    from pyspark.sql import DataFrame

    if isinstance(query, DataFrame):
        return query
    if not isinstance(query, str) or not query.strip():
        raise PlanningError(
            f"rows are a DataFrame, the name of a table or the text of a query, not {query!r}"
        )
    try:
        if _TABLE.fullmatch(query):
            return session.spark.table(query.strip())
        return session.sql(query)
    except AnalysisException as error:
        raise PlanningError(str(error).strip()) from None
