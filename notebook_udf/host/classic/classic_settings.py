"""The settings of a classic session: Spark's two confs, and what PySpark sends with functions."""

from __future__ import annotations

import re
from typing import Any

from pyspark.sql import SparkSession

from notebook_udf.host.settings import SparkSettings


def classic_settings(spark: SparkSession) -> SparkSettings:
    """The settings of a session."""
    context: Any = spark.sparkContext
    return SparkSettings(
        sql=_SqlConf(spark.conf),
        application=_CoreConf(context._jsc.sc().conf()),
        environment=_Environment(context.environment),
        python=_Program(context),
    )


class _SqlConf:
    def __init__(self, conf: Any) -> None:
        self._conf = conf

    def get(self, name: str) -> str | None:
        found: str | None = self._conf.get(name, None)
        return found

    def set(self, name: str, value: str) -> None:
        self._conf.set(name, value)

    def unset(self, name: str) -> None:
        self._conf.unset(name)

    def beginning(self, prefix: str) -> list[str]:
        # As one text: asking for each of some hundred confs takes as many round trips.
        text = self._conf._jconf.getAllAsJava().toString()
        return sorted(set(re.findall(re.escape(prefix) + r"[^=,\s}]+(?==)", text)))


class _CoreConf:
    def __init__(self, conf: Any) -> None:
        self._conf = conf

    def get(self, name: str) -> str | None:
        return str(self._conf.get(name)) if self._conf.contains(name) else None

    def set(self, name: str, value: str) -> None:
        self._conf.set(name, value)

    def unset(self, name: str) -> None:
        self._conf.remove(name)


class _Environment:
    def __init__(self, variables: dict[str, str]) -> None:
        self._variables = variables

    def get(self, name: str) -> str | None:
        return self._variables.get(name)

    def set(self, name: str, value: str) -> None:
        self._variables[name] = value

    def unset(self, name: str) -> None:
        del self._variables[name]


class _Program:
    def __init__(self, context: Any) -> None:
        self._context = context

    def get(self, name: str) -> str | None:
        return str(getattr(self._context, name))

    def set(self, name: str, value: str) -> None:
        setattr(self._context, name, value)

    def unset(self, name: str) -> None:
        """Does nothing: PySpark always has one."""
