"""The ``Host`` of a Spark session, by the session's class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from notebook_udf.errors import SessionError
from notebook_udf.host.host import Host

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def _classic(spark: SparkSession) -> Host:
    from notebook_udf.host.classic.classic_host import ClassicHost

    return ClassicHost(spark)


# By class, named rather than imported: each needs modules that the others' users may lack.
_HOSTS: Mapping[str, Callable[[SparkSession], Host]] = {
    "pyspark.sql.session.SparkSession": _classic,
}


def host_of(spark: SparkSession) -> Host:
    """The host of a session; takes no call of Spark.

    Raises
    ------
    SessionError
        If it is of a class that there is no host for.
    """
    for kind in type(spark).__mro__:
        make = _HOSTS.get(f"{kind.__module__}.{kind.__qualname__}")
        if make is not None:
            return make(spark)
    kind = type(spark)
    raise SessionError(
        f"functions cannot run in a {kind.__module__}.{kind.__qualname__}: pass a SparkSession of "
        f"one of these classes: {', '.join(_HOSTS)}"
    )


def active_spark() -> SparkSession | None:
    """The session that is active in this process, if Spark runs."""
    from notebook_udf.host.classic.spark_start import active

    return active()
