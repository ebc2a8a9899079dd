"""A session's changes to Spark, recorded so that they can be undone on an adopted one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class _Setting:
    """How one kind of setting is read, set and removed."""

    get: Callable[[str], str | None]
    put: Callable[[str, str], Any]
    take_away: Callable[[str], Any]


class Changes:
    """Changes settings of a running Spark, and keeps the value of each before the first change.

    ``undo`` restores those that still have the changed value: a value that somebody has set since
    stays.
    """

    def __init__(self, spark: SparkSession) -> None:
        self._sql: Any = spark.conf
        self._context: Any = spark.sparkContext
        self._core: Any = self._context._jsc.sc().conf()
        self._changed: dict[tuple[str, str], tuple[_Setting, str | None, str]] = {}

    def sql(self, name: str, value: str) -> None:
        """Sets a conf of the SQL session."""
        setting = _Setting(self._get_sql, self._sql.set, self._sql.unset)
        self._change("sql", name, value, setting)

    def _get_sql(self, name: str) -> str | None:
        found: str | None = self._sql.get(name, None)
        return found

    def core(self, name: str, value: str) -> None:
        """Sets a conf of the application, which Spark reads for what it starts from then on."""
        self._change(
            "core", name, value, _Setting(self._get_core, self._core.set, self._core.remove)
        )

    def _get_core(self, name: str) -> str | None:
        return str(self._core.get(name)) if self._core.contains(name) else None

    def environment(self, name: str, value: str) -> None:
        """Sets a variable of the workers that are forked for functions planned from then on."""
        variables: dict[str, str] = self._context.environment
        setting = _Setting(variables.get, variables.__setitem__, variables.__delitem__)
        self._change("environment", name, value, setting)

    def python(self, program: str) -> None:
        """Sets the Python that runs functions planned from then on."""

        def put(_name: str, value: str) -> None:
            self._context.pythonExec = value

        setting = _Setting(lambda _name: str(self._context.pythonExec), put, lambda _name: None)
        self._change("python", "pythonExec", program, setting)

    def _change(self, place: str, name: str, value: str, setting: _Setting) -> None:
        _, before, _ = self._changed.get((place, name)) or (setting, setting.get(name), "")
        setting.put(name, value)
        self._changed[place, name] = setting, before, value

    def undo(self) -> None:
        """Restores the settings."""
        for (_, name), (setting, before, value) in self._changed.items():
            if setting.get(name) != value:
                continue
            if before is None:
                setting.take_away(name)
            else:
                setting.put(name, before)
        self._changed = {}
