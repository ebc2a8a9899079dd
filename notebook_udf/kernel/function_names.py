"""Names of functions and of their columns, and those that Spark's own functions have."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from notebook_udf.errors import NameTakenError, PlanningError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from notebook_udf.host.changes import Changes
    from notebook_udf.registry import RegisteredFunction

# Functions of the grammar of Spark's SQL: it never looks for one of this name.
_OF_GRAMMAR = frozenset(["any_value", "first", "last", "not", "struct"])
_ORDER_CONF = "spark.sql.functionResolution.sessionOrder"


@lru_cache(maxsize=4)
def builtins(spark: SparkSession) -> frozenset[str]:
    """The names of Spark's own functions, in lower case."""
    rows = spark.sql("SHOW SYSTEM FUNCTIONS").collect()
    return frozenset(str(row[0]).lower() for row in rows)


def check_name(spark: SparkSession, name: str, *, replace: bool) -> bool:
    """Whether ``name`` is a built-in's.

    Raises
    ------
    NameTakenError
        If it is and ``replace`` is False, or if it is one that cannot be replaced: Spark would go
        on using its own, in silence.
    """
    if name.lower() in _OF_GRAMMAR:
        raise NameTakenError(
            f"{name!r} is a word of Spark's SQL: {name.lower()}(…) is always its own there, and no "
            f"function can be put in its place; choose another name"
        )
    if name.lower() not in builtins(spark):
        return False
    if not replace:
        raise NameTakenError(
            f"{name!r} is the name of Spark's built-in function {name.lower()}(): choose another "
            f"name, or pass replace=True to use yours in its place"
        )
    return True


def session_functions_first(changes: Changes) -> None:
    """Has Spark prefer a registered function to the built-in of the same name."""
    changes.sql(_ORDER_CONF, "first")


def column_names(
    record: RegisteredFunction, names: Sequence[str] | str | None, *, does: str
) -> list[str]:
    """Names for the columns of a function's rows: those given, or those of its result type.

    Raises
    ------
    PlanningError
        If their number is not that of the columns; ``does`` is the message's verb.
    """
    own = record.definition.result_type.names
    chosen = [names] if isinstance(names, str) else list(names or own)
    if len(chosen) != len(own):
        raise PlanningError(
            f"{record.name} {does} {len(own)} columns ({', '.join(own)}), and there are "
            f"{len(chosen)} names"
        )
    return chosen
