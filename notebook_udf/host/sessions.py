"""What serves a Spark session, or reads a Column, by its class."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql.utils import is_remote
from pyspark.util import is_remote_only

from notebook_udf.errors import SessionError
from notebook_udf.host.columns import SparkColumns
from notebook_udf.host.host import Host

if TYPE_CHECKING:
    from pyspark.sql import Column, SparkSession

T = TypeVar("T")


def _classic_host(spark: SparkSession) -> Host:
    from notebook_udf.host.classic.classic_host import ClassicHost

    return ClassicHost(spark)


def _classic_columns(column: Column) -> SparkColumns:
    from notebook_udf.host.classic.classic_columns import ClassicColumns

    return ClassicColumns()


def _connect_host(spark: SparkSession) -> Host:
    from notebook_udf.host.connect.connect_host import ConnectHost

    return ConnectHost(spark)


def _connect_columns(column: Column) -> SparkColumns:
    from notebook_udf.host.connect.connect_columns import ConnectColumns

    return ConnectColumns()


# By class, named rather than imported: each needs modules that users of another may lack.
_HOSTS: Mapping[str, Callable[[SparkSession], Host]] = {
    "pyspark.sql.session.SparkSession": _classic_host,
    "pyspark.sql.connect.session.SparkSession": _connect_host,
}
_COLUMNS: Mapping[str, Callable[[Column], SparkColumns]] = {
    "pyspark.sql.classic.column.Column": _classic_columns,
    "pyspark.sql.connect.column.Column": _connect_columns,
}


def host_of(spark: SparkSession) -> Host:
    """The host of a session; takes no call of Spark.

    Raises
    ------
    SessionError
        If it is of a class that there is no host for.
    """
    return _by_class(spark, _HOSTS, "functions cannot run in", "a session")(spark)


def columns_of(column: Column) -> SparkColumns:
    """What reads a column, which has no session to ask.

    Raises
    ------
    SessionError
        If it is of a class that nothing reads.
    """
    return _by_class(column, _COLUMNS, "functions cannot be called on", "a column")(column)


def _by_class(of: object, table: Mapping[str, T], refusal: str, wanted: str) -> T:
    """What a table has for an object's class, or for the nearest one that it derives from."""
    names = [f"{kind.__module__}.{kind.__qualname__}" for kind in type(of).__mro__]
    for name in names:
        if name in table:
            return table[name]
    raise SessionError(
        f"{refusal} a {names[0]}: pass {wanted} of one of these classes: {', '.join(table)}"
    )


def active_spark() -> SparkSession | None:
    """The session that is active in this process, if Spark runs."""
    connect = sys.modules.get("pyspark.sql.connect.session")
    if connect is not None and is_remote():
        found: SparkSession | None = connect.SparkSession.getActiveSession()
        return found
    from notebook_udf.host.classic.spark_start import active

    return active()


def stopped_by() -> Any:
    """The class whose ``stop`` ends the Spark of this process; None in a PySpark for Connect alone,
    which has none."""
    if is_remote_only():
        return None
    from notebook_udf.host.classic.spark_start import context_class

    return context_class()
