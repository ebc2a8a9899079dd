"""Names of functions, and those that are taken by Spark."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from notebook_udf.errors import NameTakenError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ORDER_CONF = "spark.sql.functionResolution.sessionOrder"


@lru_cache(maxsize=4)
def _builtins(spark: SparkSession) -> frozenset[str]:
    rows = spark.sql("SHOW SYSTEM FUNCTIONS").collect()
    return frozenset(str(row[0]).lower() for row in rows)


def check_name(spark: SparkSession, name: str, *, replace: bool) -> bool:
    """Whether ``name`` is a built-in's.

    Raises
    ------
    NameTakenError
        If it is and ``replace`` is False: Spark would go on using its own, in silence.
    """
    if name.lower() not in _builtins(spark):
        return False
    if not replace:
        raise NameTakenError(
            f"{name!r} is the name of Spark's built-in function {name.lower()}(): choose another "
            f"name, or pass replace=True to use yours in its place"
        )
    return True


def session_functions_first(spark: SparkSession) -> None:
    """Lets a registered function stand in for the built-in of its name."""
    spark.conf.set(_ORDER_CONF, "first")
