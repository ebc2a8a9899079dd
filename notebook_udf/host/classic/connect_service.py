"""Spark Connect's service in the JVM of a classic session."""

from __future__ import annotations

from typing import Any

from pyspark.sql import SparkSession

_SERVICE = "org.apache.spark.sql.connect.service.SparkConnectService$"


def port_of_service(spark: SparkSession) -> int:
    """The port that it listens on."""
    jvm: Any = spark._jvm
    return int(getattr(getattr(jvm, _SERVICE), "MODULE$").localPort())
