"""DataFrames that keep the functions they were made with, where Spark analyses them again.

A classic session analyses a DataFrame when it is made. On Spark Connect one that names a function
in SQL would call whatever has the name when it runs; ``host.frames`` keeps what it means now. A
function that is called on columns travels with the DataFrame, and needs none of this.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame

from notebook_udf.kernel.hooks import Replacing
from notebook_udf.planner.planned_query import may_concern

if TYPE_CHECKING:
    from notebook_udf.kernel.notebook_session import Session

# Methods of DataFrames that take SQL, and so names of functions.
_TAKE_SQL = ("selectExpr", "filter", "where")


class SteadyQueries(Replacing):
    """A hook around ``SparkSession.sql``, and DataFrames' methods that take SQL."""

    def __init__(self, session: Session) -> None:
        super().__init__()
        self._session = session

    def install(self) -> None:
        """Has DataFrames keep the functions that they name in SQL; does nothing where they do."""
        frames = self._session.host.frames
        if frames.frame_class is None:
            return
        kind: Any = type(self._session.spark)
        self._replace(kind, "sql", self._steady(kind.sql, lambda spark: spark))
        for name in _TAKE_SQL:
            method = getattr(frames.frame_class, name)
            self._replace(
                frames.frame_class, name, self._steady(method, lambda rows: rows.sparkSession)
            )

    def _steady(
        self, original: Callable[..., Any], session_of: Callable[[Any], Any]
    ) -> Callable[..., Any]:
        session = self._session

        @functools.wraps(original)
        def made(owner: Any, *args: Any, **kwargs: Any) -> Any:
            __tracebackhide__ = True
            rows = original(owner, *args, **kwargs)
            others = [value for value in kwargs.values() if isinstance(value, DataFrame)]
            if others:
                session.host.frames.hold(rows, others)
            given = [text for text in (*args, *kwargs.values()) if isinstance(text, str)]
            if not any(may_concern(text, session.functions) for text in given):
                return rows
            if not session.host.shares_session(session_of(owner)):
                return rows
            return session.host.frames.steady(rows)

        return made
