"""The settings of a Connect session: the confs of its SQL session, and nothing else.

The environment for workers travels as one of them, which every query's tasks get:
``pool.task_environment`` is the other end.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from notebook_udf.errors import SessionError
from notebook_udf.host.settings import SparkSettings
from notebook_udf.telemetry.wire import ENVIRONMENT_CONF


def connect_settings(spark: Any, launched: Mapping[str, str]) -> SparkSettings:
    """The settings of a session.

    ``launched`` are variables that the workers have already, because the server was started with
    them.
    """
    sql = _SqlConf(spark)
    return SparkSettings(
        sql=sql,
        application=_ServerConf(sql),
        environment=_Environment(sql, launched),
        python=_Program(),
    )


class _SqlConf:
    def __init__(self, spark: Any) -> None:
        # Made again by PySpark at each access.
        self._spark = spark

    def get(self, name: str) -> str | None:
        found: str | None = self._spark.conf.get(name, None)
        return found

    def set(self, name: str, value: str) -> None:
        self._spark.conf.set(name, value)

    def unset(self, name: str) -> None:
        self._spark.conf.unset(name)

    def beginning(self, prefix: str) -> list[str]:
        return sorted(name for name in self._spark.conf.getAll if name.startswith(prefix))


class _ServerConf:
    """The confs that the server was started with, which can be read."""

    def __init__(self, sql: _SqlConf) -> None:
        self._sql = sql

    def get(self, name: str) -> str | None:
        return self._sql.get(name)

    def set(self, name: str, value: str) -> None:
        raise SessionError(
            f"{name} cannot be set through Spark Connect: start the server with "
            f"--conf {name}={value}"
        )

    def unset(self, name: str) -> None:
        raise SessionError(f"{name} cannot be unset through Spark Connect")


class _Environment:
    def __init__(self, sql: _SqlConf, launched: Mapping[str, str]) -> None:
        self._sql = sql
        self._launched = launched
        self._variables: dict[str, str] = {}

    def get(self, name: str) -> str | None:
        return self._variables.get(name)

    def set(self, name: str, value: str) -> None:
        if self._launched.get(name) != value:
            self._variables[name] = value
            self._send()

    def unset(self, name: str) -> None:
        self._variables.pop(name, None)
        self._send()

    def _send(self) -> None:
        if self._variables:
            self._sql.set(ENVIRONMENT_CONF, json.dumps(self._variables))
        else:
            self._sql.unset(ENVIRONMENT_CONF)


class _Program:
    """The workers' Python, which is the server's affair."""

    def get(self, name: str) -> str | None:
        return None

    def set(self, name: str, value: str) -> None:
        raise SessionError(
            f"the workers' Python cannot be set through Spark Connect: start the server with "
            f"PYSPARK_PYTHON={value}"
        )

    def unset(self, name: str) -> None:
        """Does nothing: it was never set."""
