"""The catalog of a Connect session, asked in SQL."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from pyspark.errors import PySparkException

from notebook_udf.sanitize import backquoted

# The package of the classes of Spark's aggregate functions.
_AGGREGATES = ".aggregate."


class ConnectCatalog:
    """See ``SparkCatalog``."""

    # Definitions of tables can be read in SQL, and not be set.
    tables = None

    def __init__(self, spark: Any) -> None:
        self._aggregates = _BuiltInAggregates(spark)

    def built_in_aggregates(self) -> Container[str]:
        """See ``SparkCatalog``."""
        return self._aggregates


class _BuiltInAggregates:
    """Looks names up one at a time: no list of functions says which of them aggregate."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._built_in: frozenset[str] | None = None
        self._known: dict[str, bool] = {}

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or not name:
            return False
        if name not in self._known:
            self._known[name] = name in self._names() and _AGGREGATES in self._described(name)
        return self._known[name]

    def _names(self) -> frozenset[str]:
        if self._built_in is None:
            rows = self._spark.sql("SHOW SYSTEM FUNCTIONS").collect()
            self._built_in = frozenset(str(row[0]).lower() for row in rows)
        return self._built_in

    def _described(self, name: str) -> str:
        # A function of the session may have the same name.
        query = f"DESCRIBE FUNCTION EXTENDED system.builtin.{backquoted(name)}"
        try:
            rows = self._spark.sql(query).collect()
        except PySparkException:
            rows = self._spark.sql(f"DESCRIBE FUNCTION EXTENDED {backquoted(name)}").collect()
        return "\n".join(str(row[0]) for row in rows)
