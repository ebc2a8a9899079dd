"""What serves a Spark session, or reads a Column, by its class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeVar

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


# By class, named rather than imported: each needs modules that users of another may lack.
_HOSTS: Mapping[str, Callable[[SparkSession], Host]] = {
    "pyspark.sql.session.SparkSession": _classic_host,
}
_COLUMNS: Mapping[str, Callable[[Column], SparkColumns]] = {
    "pyspark.sql.classic.column.Column": _classic_columns,
}


def host_of(spark: SparkSession) -> Host:
    """The host of a session; takes no call of Spark.

    Raises
    ------
    SessionError
        If it is of a class that there is no host for.
    """
    make = _by_class(spark, _HOSTS)
    if make is None:
        raise SessionError(
            f"functions cannot run in a {_class_name(type(spark))}: pass a session of one of these "
            f"classes: {', '.join(_HOSTS)}"
        )
    return make(spark)


def columns_of(column: Column) -> SparkColumns:
    """What reads a column, which has no session to ask.

    Raises
    ------
    SessionError
        If it is of a class that nothing reads.
    """
    make = _by_class(column, _COLUMNS)
    if make is None:
        raise SessionError(
            f"functions cannot be called on a {_class_name(type(column))}: pass a column of one of "
            f"these classes: {', '.join(_COLUMNS)}"
        )
    return make(column)


def _by_class(of: object, table: Mapping[str, T]) -> T | None:
    """What a table has for an object's class, or for the nearest one that it derives from."""
    return next(
        (table[name] for kind in type(of).__mro__ if (name := _class_name(kind)) in table), None
    )


def _class_name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def active_spark() -> SparkSession | None:
    """The session that is active in this process, if Spark runs."""
    from notebook_udf.host.classic.spark_start import active

    return active()
