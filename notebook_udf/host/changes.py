"""A session's changes to Spark, recorded so that they can be undone on an adopted one."""

from __future__ import annotations

from notebook_udf.host.settings import PYTHON, SettingGroup, SparkSettings


class Changes:
    """Changes settings of a running Spark, and keeps the value of each before the first change.

    ``undo`` restores those that still have the changed value: a value that somebody has set since
    stays.
    """

    def __init__(self, settings: SparkSettings) -> None:
        self._settings = settings
        # By group and name: the value before the first change, and the last one set.
        self._changed: dict[tuple[SettingGroup, str], tuple[str | None, str]] = {}

    def sql(self, name: str, value: str) -> None:
        """Sets a conf of the SQL session."""
        self._change(self._settings.sql, name, value)

    def core(self, name: str, value: str) -> None:
        """Sets a conf of the application, which Spark reads for what it starts from then on."""
        self._change(self._settings.application, name, value)

    def environment(self, name: str, value: str) -> None:
        """Sets a variable of the workers that are forked for functions planned from then on."""
        self._change(self._settings.environment, name, value)

    def python(self, program: str) -> None:
        """Sets the Python that runs functions planned from then on."""
        self._change(self._settings.python, PYTHON, program)

    def _change(self, group: SettingGroup, name: str, value: str) -> None:
        known = self._changed.get((group, name))
        before = group.get(name) if known is None else known[0]
        group.set(name, value)
        self._changed[group, name] = before, value

    def undo(self) -> None:
        """Restores the settings."""
        for (group, name), (before, value) in self._changed.items():
            if group.get(name) != value:
                continue
            if before is None:
                group.unset(name)
            else:
                group.set(name, before)
        self._changed = {}
